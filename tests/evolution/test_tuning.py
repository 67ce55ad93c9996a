"""Individuals that learn their numbers before they are measured: alone, on islands, and side by side."""

from dataclasses import replace
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgp
from jaxgp.errors import UsageError
from jaxgp.evolution.tuning.tuner import Tuner
from jaxgp.fitness.evaluation import MEASURE
from jaxgp.fitness.refereed import Memories, Refereed
from jaxgp.fitness.taught.regression import Targets, in_blocks
from tests.genotypes.program_cases import problems

TWO = (jaxgp.FLOAT, jaxgp.FLOAT)
WORDS = jaxgp.PrimitiveSet(
    "tuned",
    (
        jaxgp.Primitive("x", feature=0),
        jaxgp.Primitive("c", domain=jaxgp.Floats(-2.0, 2.0)),
        jaxgp.Primitive("n", domain=jaxgp.Integers(0, 3)),
    ),
    (
        jaxgp.Primitive("+", args=TWO, call=lambda a, b: a + b, gradient="own"),
        jaxgp.Primitive("*", args=TWO, call=lambda a, b: a * b, gradient="own"),
    ),
)
X = np.linspace(-1.0, 1.0, 8, dtype=np.float32)
FITNESS = jaxgp.RegressionFitness(WORDS, X[None], 1.7 * X - 0.6)
BORN = jaxgp.GPOptions(population=24, capacity=15, creation=jaxgp.CreationOptions(max_depth=3), elites=12)


def ring(fitness=FITNESS, **tune):
    options = replace(BORN, tune=jaxgp.TuneOptions(**tune))
    return jaxgp.Ring(fitness, jaxgp.Generational(WORDS, options))


@lru_cache
def steps(**tune):
    made = ring(**tune)
    return jax.jit(made.init), jax.jit(made.cycle)


@lru_cache
def cycled(inherit):
    """Return the state before generation 0, that before 1, the metrics and the outcome."""
    init, cycle = steps(steps=6, rate=0.2, inherit=inherit)
    state = init(jax.random.key(3))
    return (state, *cycle(state))


def equal(a, b):
    plain = lambda x: jax.random.key_data(x) if jnp.issubdtype(x.dtype, jax.dtypes.prng_key) else x  # noqa: E731
    return jax.tree.all(jax.tree.map(lambda x, y: np.array_equal(plain(x), plain(y), equal_nan=True), a, b))


def errors(population):
    memory = FITNESS.init(jax.random.key(0))
    return -np.asarray(jax.jit(FITNESS.evaluate)(jax.random.key(0), population, memory)[0].fitness)


@pytest.mark.thorough
def test_nobody_gets_worse_many_get_better_and_only_real_constants_change():
    state, _, metrics, outcome = cycled("lamarck")
    before, after = errors(state.population), errors(outcome.measured)
    assert (after <= before).all()
    assert (after < before).sum() == metrics["tuned"] > 8
    assert outcome.fitness.tolist() == (-after).tolist()
    moved = np.asarray(state.population.value != outcome.measured.value)
    assert moved.any()
    assert set(np.asarray(state.population.opcode)[moved]) == {WORDS.opcode("c")}
    host = jax.tree.map(np.asarray, outcome.measured)
    assert [problems(WORDS, jax.tree.map(lambda x, n=n: x[n, 0], host), 0) for n in range(24)] == [[]] * 24


@pytest.mark.thorough
def test_children_inherit_what_was_learned_or_what_their_parents_were_born_with():
    (state, lamarck, _, outcome), (_, baldwin, _, other) = cycled("lamarck"), cycled("baldwin")
    assert equal(outcome.measured, other.measured)
    rows = lambda population: {x.tobytes() for x in np.asarray(population.value)}  # noqa: E731
    best = np.argsort(-outcome.fitness, stable=True)[:12]
    learned, born = (jax.tree.map(lambda x: x[best], one) for one in (outcome.measured, state.population))
    assert rows(learned) != rows(born)
    # The elites come first in the next population.
    elites = [rows(jax.tree.map(lambda x: x[:12], one.population)) for one in (lamarck, baldwin)]
    assert elites == [rows(learned), rows(born)]
    # Of both runs the champion is who was measured.
    assert equal(lamarck.champion, baldwin.champion)
    assert equal(lamarck.champion.genome, jax.tree.map(lambda x: x[0], learned))
    assert lamarck.champion.fitness == outcome.fitness.max()


@pytest.mark.thorough
def test_no_steps_leave_a_run_as_it_is():
    plain, none = jaxgp.Ring(FITNESS, jaxgp.Generational(WORDS, BORN)), ring(steps=0, rate=7.0, inherit="baldwin")
    key = jax.random.key(1)
    assert str(jax.make_jaxpr(plain.step)(plain.init(key))) == str(jax.make_jaxpr(none.step)(none.init(key)))


@pytest.mark.thorough
def test_a_run_goes_on_from_a_checkpoint_to_the_same_bits(tmp_path):
    made, key = ring(steps=3), jax.random.key(5)
    whole, _ = jaxgp.evolve(made, key, 4)
    jaxgp.evolve(made, key, 2, folder=tmp_path / "run")
    resumed, _ = jaxgp.resume(made, tmp_path / "run", 4)
    assert equal(whole, resumed)


@pytest.mark.thorough
def test_seeds_in_one_program_are_the_runs_that_each_would_be_alone():
    made = ring(steps=3)
    keys = jax.random.split(jax.random.key(2), 3)
    seeds = jaxgp.Seeds(made)
    together = [state for state, _ in jax.jit(seeds.step)(jax.jit(seeds.init)(keys))]
    alone = [jax.jit(made.step)(jax.jit(made.init)(key))[0] for key in keys]
    assert equal(together, alone)


@pytest.mark.thorough
@pytest.mark.parametrize("inherit", ["lamarck", "baldwin"])
def test_migrants_are_what_children_inherit(inherit):
    made = ring(steps=3, rate=0.2, inherit=inherit)
    asked = jaxgp.MigrationOptions(count=2, neighbours=1, migrants=12, first=0, every=1, staggered=False)
    islands = jaxgp.Islands(made, asked)
    state = jax.jit(islands.init)(jax.random.key(4))
    after, metrics = jax.jit(islands.step)(state)
    assert metrics["migrants"] == 24
    one = lambda tree, n: jax.tree.map(lambda x: x[n], tree)  # noqa: E731
    _, _, outcome = jax.jit(made.cycle)(replace_state(state, made, 0))
    rows = lambda population: {x.tobytes() for x in np.asarray(population.value)}  # noqa: E731
    arrived = rows(jax.tree.map(lambda x: x[12:], one(after.population, 1)))  # the first twelve are elites
    inherited, other = outcome.measured, one(state.population, 0)
    inherited, other = (inherited, other) if inherit == "lamarck" else (other, inherited)
    assert arrived <= rows(inherited)
    assert not arrived <= rows(other)


def replace_state(state, made, number):
    """Return the state that an island has, as that of a ring."""
    one = made.init(jax.random.key(0))
    part = jax.tree.map(lambda x: x[number], (state.population, state.carried.keys))
    return one.replace(population=part[0], key=part[1])


@pytest.mark.thorough
def test_a_share_of_the_population_learns_and_the_others_stay():
    tuner = Tuner(WORDS, jaxgp.TuneOptions(steps=4, share=0.25))
    population = jax.jit(lambda key: jaxgp.Generational(WORDS, BORN).create(key, 24))(jax.random.key(0))
    learn = jax.jit(lambda some: tuner.learn(jax.random.key(1), some, FITNESS, FITNESS.init(None), jnp.int32(0)))
    learned, metrics = learn(population)
    changed = (learned.value != population.value).any((1, 2)).sum()
    assert 0 < changed == metrics["tuned"] <= 6


def test_numbers_stay_within_their_domains_and_factors_have_none():
    low, high = WORDS.bounds
    assert (low[1], high[1]) == (-2, 2)
    factored = jaxgp.PrimitiveSet("factored", WORDS.terminals[:2], WORDS.functions, factored=True)
    assert not np.isfinite(factored.bounds).any()


def test_a_fitness_or_a_set_without_gradients_is_refused_in_one_line():
    with pytest.raises(
        UsageError, match=r"^algorithm.tune.steps=3: accepted: 0; FunctionFitness has no loss with a gradient$"
    ):
        ring(jaxgp.FunctionFitness(lambda key, some: some.value.sum((1, 2))), steps=3)
    none = replace(WORDS, functions=tuple(replace(p, gradient=None) for p in WORDS.functions))
    with pytest.raises(
        UsageError, match=r"^algorithm.tune.steps=3: accepted: 0 .*none of its functions has a gradient$"
    ):
        Tuner(none, jaxgp.TuneOptions(steps=3))


@pytest.mark.thorough
def test_a_referee_leaves_the_loss_to_its_fitness():
    refereed = Refereed(FITNESS, FITNESS)
    loss = refereed.differentiable
    assert loss is not None
    found = loss.examples(jax.random.key(MEASURE), None, Memories(FITNESS.init(None), None))
    assert found.known.output.tolist() == [FITNESS.outputs.tolist()]
    known = jax.tree.map(lambda x: x[0], found.known)
    assert loss.loss(known.output + 2, known) == pytest.approx(4)


@pytest.mark.thorough
def test_points_in_blocks_have_the_mean_squared_error():
    points = Targets(jnp.arange(14.0).reshape(2, 7), jnp.arange(7.0) ** 2)
    found = in_blocks(points, places=3)
    assert found.features.shape == (3, 2, 3)
    assert found.tree.sum() == 2
    each = jax.vmap(FITNESS.loss)(jnp.where(found.tree == 0, found.features[:, 0] + 1, 0.0), found.known)
    assert each.mean() == pytest.approx(float(jnp.square(jnp.arange(7.0) + 1 - points.outputs).mean()))
