"""Values of all nodes: equal to those of the interpreter for every subtree, and by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.backgammon import language
from jaxgp.games.casting import cast
from jaxgp.genotypes import programs
from jaxgp.interpreter import nodes
from jaxgp.interpreter.calls import Packed
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from jaxgp.operators import creation
from jaxgp.operators.options import CreationOptions
from tests.genotypes.program_cases import parse_tree

SET = language.primitive_set()
NUMBERS = len(language.COUNTS) * 26 + len(language.GENERAL)


@pytest.fixture(scope="module")
def seen():
    """Eight made-up positions: truth values at random, counts 0 to 4, general numbers below 1."""
    drawn = np.random.default_rng(0)
    words = drawn.integers(2**26, size=(len(language.BITS), 8), dtype=np.uint32)
    counts = drawn.integers(5, size=(NUMBERS - len(language.GENERAL), 8)).astype(np.float32)
    general = drawn.random((len(language.GENERAL), 8), dtype=np.float32)
    return Packed(jnp.asarray(words), jnp.asarray(np.concatenate([counts, general])))


@pytest.mark.slow
@pytest.mark.parametrize("tree", [0, 1])
def test_every_node_of_random_programs_has_the_value_that_the_interpreter_gives_its_subtree(seen, tree):
    grow = CreationOptions(method="grow", max_depth=6)
    made = jax.jit(lambda key: creation.create(key, SET, grow, 24, 64))(jax.random.key(tree))
    made = jax.tree.map(lambda x: x[:, tree], made)
    found = jax.jit(jax.vmap(lambda one: nodes.values(SET, one, seen)))(made)
    alone = jax.jit(jax.vmap(lambda one: jax.vmap(lambda node: programs.subtree(one, node))(jnp.arange(64))))(made)
    # A question about a place is a subtree too, in whatever slot it stands.
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), alone)
    there = (jnp.arange(64) < made.length[:, None]).reshape(-1)
    expected = jax.jit(lambda trees: evaluate(SET, plan(SET, trees), seen))(flat)
    np.testing.assert_array_equal(found.reshape(-1, 8)[there], expected[there])


def test_values_by_hand(seen):
    tree = parse_tree(SET, "(Sub (Mul 2 Player-Pip) (If (Player-Blocked 3) 1 Enemy-Pip))", 16)
    blocked = (np.asarray(seen.words[1]) >> 3) & 1
    mine, theirs = np.asarray(seen.numbers[-5]), np.asarray(seen.numbers[-4])
    found = np.asarray(jax.jit(lambda one: nodes.values(SET, one, seen))(jax.tree.map(jnp.asarray, tree)))
    np.testing.assert_array_equal(found[0], np.full(8, 2, np.float32))
    np.testing.assert_array_equal(found[2], 2 * mine)
    np.testing.assert_array_equal(found[3], blocked)
    np.testing.assert_array_equal(found[7], 2 * mine - np.where(blocked, np.float32(1), theirs))


def test_sets_whose_nodes_have_no_value_of_their_own_are_told():
    assert nodes.traceable(SET)
    assert not nodes.traceable(cast(envs.spec("checkers")).language)  # its nodes have factors
