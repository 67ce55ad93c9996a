"""No operator makes a tree with more effects than the set allows."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.genotypes.primitives import FLOAT, Floats, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import fault
from jaxgp.genotypes.text import ProgramError
from jaxgp.operators.creation import create
from jaxgp.operators.crossover import one_child
from jaxgp.operators.mutation import mutate
from jaxgp.operators.options import CreationOptions, CrossoverOptions
from tests.genotypes.generators import tree_at
from tests.genotypes.program_cases import parse_tree, problems
from tests.operators.test_mutation import options

MOST, PEOPLE, CAPACITY = 2, 256, 64
SHOOTING = PrimitiveSet(
    "shooting",
    (Primitive("x", feature=0), Primitive("const", domain=Floats(-2.0, 2.0))),
    (
        Primitive("sub", args=(FLOAT, FLOAT), call=lambda a, b: a - b),
        Primitive("neg", args=(FLOAT,), call=lambda a: -a),
        Primitive("fire", args=(FLOAT,), call=lambda a: a > 0, effect=lambda a: jnp.where(a > 0, a, 0)),
    ),
    effects=MOST,
)
FULL = CreationOptions("ramped", 1, 5)
MUTATION = options(5, 1.0, subtree=1, children=1, point=1, insert=1)


@pytest.fixture(scope="module")
def bred():
    """Random individuals, their children by crossover, and whether each was rejected."""

    @jax.jit
    def run(key):
        first = create(key, SHOOTING, FULL, PEOPLE, CAPACITY)
        cross = jax.vmap(partial(one_child, primitives=SHOOTING, config=CrossoverOptions(), max_depth=None))
        donors = jax.tree.map(lambda x: x[::-1], first)
        crossed, rejected = cross(jax.random.split(key, PEOPLE), receiver=first, donor=donors)
        return first, crossed, rejected

    return jax.device_get(run(jax.random.key(1)))


def effects_of(programs):
    return SHOOTING.acts[programs.opcode].sum((-1, -2))


@pytest.mark.thorough
def test_every_tree_is_valid_and_many_have_as_many_effects_as_they_may(bred):
    first, crossed, _ = bred
    mutated = jax.jit(lambda key, crossed: mutate(key, SHOOTING, MUTATION, crossed, jnp.ones(PEOPLE, bool)))
    for programs in (first, crossed, jax.device_get(mutated(jax.random.key(1), crossed))):
        for one in range(PEOPLE):
            assert not problems(SHOOTING, tree_at(tree_at(programs, one), 0), 0)
        counts = np.bincount(effects_of(programs))
        assert len(counts) == MOST + 1
        assert counts.min() > 20


def test_a_child_with_more_effects_is_rejected_and_the_receiver_stays(bred):
    first, crossed, rejected = bred
    assert 10 < rejected.sum() < PEOPLE / 2
    for old, new in zip(jax.tree.leaves(first), jax.tree.leaves(crossed), strict=True):
        np.testing.assert_array_equal(old[rejected], new[rejected])


def test_programs_from_files_with_more_effects_are_refused():
    allowed = "(sub (fire x) (fire x))"
    assert parse_tree(SHOOTING, allowed, 9).length == 5
    with pytest.raises(ProgramError, match="expected at most 2 fire in a tree, found 3"):
        parse_tree(SHOOTING, f"(fire {allowed})", 9)
    tree = parse_tree(SHOOTING, "(neg (neg (neg x)))", 4)
    fire = np.array([0, 1, 1, 1], np.int16) * SHOOTING.opcode("fire")
    tree = tree.replace(opcode=fire)
    assert problems(SHOOTING, tree, 0) == ["3 nodes have an effect, 2 may"]
    individual = jax.tree.map(lambda x: x[None], tree)
    assert fault(individual, SHOOTING) == "opcode: accepted: at most 2 nodes with an effect in a tree"
