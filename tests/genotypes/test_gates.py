"""Sums of gates: as programs, as tables of weights, and as values of both."""

from dataclasses import replace
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgp
from envs.backgammon import language
from jaxgp.errors import UsageError
from jaxgp.genotypes import gates
from jaxgp.genotypes.language import to_text
from jaxgp.interpreter.evaluate import evaluate_programs
from jaxgp.interpreter.reverse.gradients import Examples, loss_and_slopes, plan_tapes
from jaxgp.schemes.breeding.gates import Gated, look
from jaxgp.schemes.gates import GatesOptions
from tests.genotypes.program_cases import problems


def read_at(features, place):
    return features[place.astype(jnp.int32), jnp.arange(features.shape[1])]


WORDS = jaxgp.PrimitiveSet(
    "gated",
    (
        jaxgp.Primitive("c", domain=jaxgp.Floats(0.0, 5.0)),
        jaxgp.Primitive("x", feature=2),
        jaxgp.Primitive("at", call=read_at, domain=jaxgp.Integers(0, 1), reads_one=2),
    ),
    tuple(p for p in language.primitive_set().functions if not p.name.startswith("Race-")),
    sums=(("Add", "Sub", "Mul", "c"),),
    gates=(("If", "Greater"),),
)
"""Three terminals, x, (at 0) and (at 1), and gates."""
FORM = gates.form(WORDS, 0, 1)
CAPACITY = 64
WEIGHTS = jnp.array([[0.5, 0.0, -2.0, 0.25], [1.0, -1.5, 0.0, 0.0], [0.0, 0.0, 0.75, 0.0]])
"""Of (at 0), which is x here, and so on: the condition, the value and the rest; the last column is the constant 1."""


def test_a_table_of_weights_is_a_program_without_the_terms_of_weight_zero():
    tree = jax.device_get(jax.jit(lambda weights: gates.write(FORM, weights, CAPACITY))(WEIGHTS))
    condition = "(Add (Sub (Add 0 (Mul 0.5 x)) (Mul 2 (at 1))) (Mul 0.25 1))"
    value = "(Sub (Add 0 (Mul 1 x)) (Mul 1.5 (at 0)))"
    gate = f"(If (Greater {condition} 0) {value} 0)"
    assert to_text(WORDS, jax.tree.map(lambda leaf: leaf[None], tree)) == (f"(Add (Add 0 {gate}) (Mul 0.75 (at 1)))")
    assert problems(WORDS, tree, int(WORDS.root_type[0])) == []
    assert int(tree.length) == 1 + gates.OF_GATE + 6 * gates.NODES
    assert jax.jit(lambda tree: gates.read(FORM, tree))(tree).tolist() == WEIGHTS.tolist()


@lru_cache
def population():
    """Return random individuals of backgammon, of contact and race trees with two gates each."""
    options = GatesOptions(gates=2, capacity=1600, population=3, density=0.5)
    scheme = Gated(language.primitive_set(), options)
    return scheme, jax.jit(scheme.create, static_argnums=1)(jax.random.key(0), 3)


def test_new_programs_have_random_conditions_small_values_and_a_share_of_all_terms():
    scheme, made = population()
    weights = jax.jit(scheme.learner.read)(made)
    for form, one in zip(scheme.learner.forms, weights, strict=True):
        there = np.asarray(one != 0)
        assert (there.sum((1, 2)) == -(-form.terms // 2)).all()
        condition, value = np.asarray(one[:, :2])[there[:, :2]], np.asarray(one[:, 2:4])[there[:, 2:4]]
        assert abs(condition.std() - 0.3) < 0.06
        assert abs(value.std() - 0.03) < 0.006
    assert [form.codes.size for form in scheme.learner.forms] == [5 * 26 + 5 + 1, 26 + 1]
    again = jax.jit(lambda weights: scheme.learner.write(weights, tuple(map(jnp.abs, weights)), 1.0))(weights)
    assert jax.tree.all(jax.tree.map(np.array_equal, made, again))


def test_the_interpreter_values_the_program_as_the_product_of_matrices_does():
    rng = np.random.default_rng(1)
    seen = jnp.asarray(rng.normal(size=(3, 50)), jnp.float32)
    weights = jnp.asarray(rng.normal(size=(4, *WEIGHTS.shape)), jnp.float32)

    @jax.jit
    def both(weights):
        terminals = look(WORDS, FORM, seen)
        trees = jax.vmap(lambda one: gates.write(FORM, one, CAPACITY))(weights)
        products = jax.vmap(lambda one: gates.values(FORM, one, terminals))(weights)
        return terminals, evaluate_programs(WORDS, trees, seen), products

    terminals, found, products = both(weights)
    assert terminals.tolist() == [*seen[np.array([2, 0, 1])].tolist(), [1.0] * 50]
    np.testing.assert_allclose(products, found, atol=1e-5)


@pytest.mark.thorough
def test_derivatives_are_those_of_reverse_mode_through_the_program():
    rng = np.random.default_rng(2)
    seen, wanted = jnp.asarray(rng.normal(size=(3, 40)), jnp.float32), jnp.asarray(rng.normal(size=40), jnp.float32)
    weights = jnp.asarray(rng.uniform(0.1, 2, WEIGHTS.shape) * rng.choice([-1, 1], WEIGHTS.shape), jnp.float32)
    loss = lambda values, known: jnp.square(values - known).mean()  # noqa: E731
    tree = jax.tree.map(lambda leaf: leaf[None, None], gates.write(FORM, weights, CAPACITY))
    examples = Examples(seen[None], jnp.zeros((1, 40), jnp.int32), wanted[None])
    lost, slopes = jax.jit(lambda tree: loss_and_slopes(WORDS, plan_tapes(WORDS, tree), tree, examples, loss))(tree)
    terminals = look(WORDS, FORM, seen)
    value, wanted_slopes = jax.value_and_grad(lambda one: loss(gates.values(FORM, one, terminals), wanted))(weights)
    assert abs(value - lost[0]) < 1e-5
    # A weight is a constant that is added or subtracted, two nodes before the product.
    one = jax.tree.map(lambda leaf: leaf[0, 0], tree)
    weight = jnp.roll(one.opcode, -2) == FORM.times
    found = gates.read(FORM, replace(one, value=jnp.where(weight, slopes[0, 0], one.value)))
    np.testing.assert_allclose(found, wanted_slopes, atol=1e-4)


def test_the_entries_of_the_greatest_merit_are_kept():
    keep = jax.jit(gates.keep, static_argnums=1)
    kept = keep(np.array([[0.0, 3.0, 1.0], [2.0, 2.0, 0.0]], np.float32), 2)
    assert kept.tolist() == [[False, True, False], [True, False, False]]
    assert keep(np.array([0.0, 1.0], np.float32), 2).tolist() == [False, True]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"renewed": 17}, r"^renewed=17: accepted: a whole number from 0 to gates=16$"),
        ({"elites": 0}, r"^elites=0: accepted: a whole number from 1 to 512"),
        ({"tune": jaxgp.TuneOptions(steps=1, share=0.5)}, r"^tune\.share=0\.5: accepted: 1 with kind=gates$"),
        ({"tune": jaxgp.TuneOptions(steps=1, inherit="baldwin")}, r"^tune\.inherit=baldwin: accepted: lamarck"),
    ],
)
def test_options_without_a_meaning_here_are_refused(wrong, said):
    with pytest.raises(UsageError, match=said):
        GatesOptions(**wrong)
