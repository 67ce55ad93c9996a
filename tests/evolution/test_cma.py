"""The evolution strategy, beside plain Python and on functions with a known optimum."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import jaxgp
from jaxgp.genotypes.primitives import Floats, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.vectors import fits
from jaxgp.schemes.breeding.cma import Distribution, SeparableCMA
from jaxgp.schemes.cma import CMAOptions
from tests.reference.cma import Plain

DIMENSIONS = 6


def vectors(low=-1.0, high=3.0):
    names = tuple(f"x{number}" for number in range(DIMENSIONS))
    constants = tuple(Primitive(f"c:{name}", name, domain=Floats(low, high)) for name in names)
    return PrimitiveSet("vectors", constants, (), names)


SCHEME = SeparableCMA(vectors(), CMAOptions(population=12, start=0.4, step=0.3))
TARGET = np.linspace(-0.5, 2.5, DIMENSIONS)


def test_updates_agree_with_plain_python():
    plain, own = Plain([0.0] * DIMENSIONS, 0.3), SCHEME.init().replace(mean=jnp.zeros(DIMENSIONS))
    update, rng = jax.jit(SCHEME.updated), np.random.default_rng(0)
    for _ in range(40):
        deviations = plain.step * np.sqrt(plain.variances)
        drawn = (np.array(plain.mean) + deviations * rng.normal(size=(11, DIMENSIONS))).astype(np.float32)
        # Far from the optimum at first, so that the path stands still in some updates.
        fitness = -(np.abs(drawn - 5) * np.arange(1, DIMENSIONS + 1)).sum(1)
        plain.update(drawn.tolist(), fitness.tolist())
        own = update(own, jnp.asarray(drawn), jnp.asarray(fitness))
        for name in ("mean", "step", "variances", "path", "step_path", "updates"):
            np.testing.assert_allclose(np.asarray(getattr(own, name)), getattr(plain, name), rtol=2e-3, atol=2e-4)


@pytest.mark.thorough
def test_only_the_order_of_fitness_matters_and_nan_is_worst():
    drawn = jax.random.normal(jax.random.key(1), (11, DIMENSIONS))
    fitness = jnp.arange(11.0)
    expected = SCHEME.updated(SCHEME.init(), drawn, fitness)
    for other in (jnp.exp(fitness), fitness.at[0].set(jnp.nan)):
        jax.tree.map(np.testing.assert_array_equal, SCHEME.updated(SCHEME.init(), drawn, other), expected)


@pytest.mark.thorough
def test_first_individuals_are_normal_on_the_logistic_scale():
    made = SCHEME.create(jax.random.key(2), 4000)
    x = np.asarray(SCHEME.coding.vectors(made))
    middle = np.log(0.4 / 0.6)
    np.testing.assert_allclose(x[0], middle, atol=1e-5)  # the first one is the mean
    assert stats.kstest(((x[1:] - middle) / 0.3).ravel(), "norm").pvalue > 0.01
    assert np.abs(np.corrcoef(x[1:].T) - np.eye(DIMENSIONS)).max() < 0.06
    assert set(np.unique(made.opcode[:, 3])) == {3}
    assert made.value.shape == (4000, DIMENSIONS, 1)


def test_constants_stay_in_their_domain_and_say_their_x():
    x = np.linspace(-40.0, 40.0, 7 * DIMENSIONS, dtype=np.float32).reshape(7, DIMENSIONS)
    made = jax.device_get(jax.jit(SCHEME.coding.individuals)(x))
    assert made.value.min() >= -1
    assert made.value.max() <= 3
    inside = np.abs(x) < 8
    found = np.asarray(jax.jit(SCHEME.coding.vectors)(made))
    np.testing.assert_allclose(found[inside], x[inside], rtol=2e-3, atol=1e-4)


@pytest.fixture(scope="module")
def evolved():
    """150 generations of an ellipsoid whose axes differ by a factor of 1,000."""

    def value(key, population):
        away = (population.value[..., 0] - TARGET) ** 2
        return -(away * 10.0 ** np.linspace(0, 3, DIMENSIONS)).sum(-1)

    ring = jaxgp.Ring(jaxgp.FunctionFitness(value), SCHEME)
    state, step = jax.jit(ring.init)(jax.random.key(3)), jax.jit(ring.step)
    records = []
    for _ in range(150):
        state, metrics = step(state)
        records.append(jax.device_get(metrics))
    return state, records


def test_an_ellipsoid_is_solved(evolved):
    state, records = evolved
    np.testing.assert_allclose(state.champion.genome.value[:, 0], TARGET, atol=1e-2)
    assert records[-1]["best_fitness"] > -1e-4
    assert records[-1]["step"] < records[0]["step"]


def test_variances_fit_the_axes(evolved):
    """The variance of an axis falls as its weight rises; the logistic scale bends the axes a little."""
    carried: Distribution = evolved[0].carried
    inner = np.asarray(carried.variances)[1:-1]
    assert (np.diff(inner) < 0).all()


def test_programs_and_whole_numbers_are_no_vectors():
    assert fits(vectors())
    tree = PrimitiveSet(
        "t", (Primitive("c", domain=Floats(0, 1)),), (Primitive("neg", args=("float",), call=lambda a: -a),)
    )
    whole = PrimitiveSet("w", (Primitive("n", domain=Integers(0, 9)),), ())
    two = PrimitiveSet("two", (Primitive("c", domain=Floats(0, 1)), Primitive("d", domain=Floats(0, 2))), ())
    for other in (tree, whole, two):
        assert not fits(other)
        with pytest.raises(ValueError, match="single constants with bounds"):
            SeparableCMA(other, CMAOptions())
