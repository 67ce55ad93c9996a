"""Rollouts in which individuals meet each other, or rivals that are drawn; and kinds of fitness one after the other."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.errors import UsageError
from jaxgp.evolution.generational import Generational
from jaxgp.evolution.instances import Mutants
from jaxgp.evolution.options import GPOptions
from jaxgp.evolution.ring import Ring
from jaxgp.fitness.among.opposition import DrawnRivals, Population
from jaxgp.fitness.evaluation import Absolute, Evaluation
from jaxgp.fitness.phases import Phased
from jaxgp.fitness.refereed import Refereed
from jaxgp.fitness.rollout import RolloutFitness, Shares
from jaxgp.spec import Hand
from tests.fitness.test_rollout import DRIVER, LANGUAGE, NUMBERS, OTHER, RUNNER, WINDY, Track
from tests.run.toy_experiment import PRIMITIVES, constants

KEY = jax.random.key(3)
RIVALS = tuple(Hand(RUNNER, number) for number in (2, 5, 1, 7))


def alone(one, other, key):
    """The ways of two runners in one rollout, step by step in plain Python."""
    world, steps = Track(), 0
    state = world.init(key)
    while not state.terminated and steps < world.horizon:
        go = [number > 0 and (steps + 1) % number != 0 for number in (one, other)]
        chance = jax.random.fold_in(jax.random.fold_in(key, steps), 1)
        state = STEP(state, jnp.float32(go)[:, None], chance)
        steps += 1
    return np.asarray(state.way)


STEP = jax.jit(Track().step)


@pytest.fixture(scope="module")
def found():
    """Runners who meet each other twice from each seat; and rivals drawn for a generation, or for each runner."""
    made = {
        "each other": RolloutFitness(Track(), RUNNER, Shares(0, 0.0, 4), opposition=Population(2)),
        "two at a time": RolloutFitness(Track(), RUNNER, Shares(0, 0.0, 4), opposition=Population(2), lanes=2),
        "generation": RolloutFitness(Track(), RUNNER, "way", rollouts=2, opposition=DrawnRivals(RIVALS, 3)),
        "individual": RolloutFitness(Track(), RUNNER, "way", opposition=DrawnRivals(RIVALS, 2, True)),
    }

    def run(numbers):
        driven = {name: one.drive(KEY, numbers) for name, one in made.items()}
        met = {name: one.opposition.meet(met_key(), numbers, len(numbers)).who for name, one in made.items()}
        return driven, met, made["each other"].evaluate(KEY, numbers, ())[0]

    return jax.device_get(jax.jit(run)(NUMBERS))


def met_key():
    return jax.random.fold_in(KEY, np.uint32(2**32 - 2))


@pytest.mark.thorough
def test_each_meets_others_as_often_from_either_seat_and_sees_itself_first(found):
    driven, met, _ = found
    who, keys = met["each other"], jax.random.split(KEY, 2)
    assert (np.sort(who, 0) == np.arange(len(NUMBERS))[:, None]).all(), "each is as often in the second seat"
    for me, measured in enumerate(driven["each other"].measures[..., 0]):
        for game in range(2):
            rival, host = who[me, game], int(np.flatnonzero(who[:, game] == me)[0])
            np.testing.assert_array_equal(measured[game], alone(NUMBERS[me], NUMBERS[rival], keys[game]))
            np.testing.assert_array_equal(measured[2 + game], alone(NUMBERS[host], NUMBERS[me], keys[game])[::-1])


@pytest.mark.thorough
def test_who_shares_lanes_meets_the_same_and_finds_the_same(found):
    driven, *_ = found
    np.testing.assert_array_equal(driven["each other"].measures, driven["two at a time"].measures)


@pytest.mark.thorough
def test_who_meets_different_others_has_no_cases(found):
    *_, evaluation = found
    assert evaluation.cases is None
    assert evaluation.behaviour is None
    np.testing.assert_array_equal(evaluation.fitness > 0, NUMBERS > 1)
    assert {"fittest_way", "population_way"} <= set(evaluation.metrics)


@pytest.mark.thorough
@pytest.mark.parametrize(("by", "rollouts"), [("generation", 2), ("individual", 1)])
def test_rivals_are_drawn_without_repeats_for_a_generation_or_for_each_individual(found, by, rollouts):
    driven, met, _ = found
    who = met[by]
    assert all(len(set(one)) == who.shape[1] for one in who.tolist())
    assert (who == who[0]).all() if by == "generation" else len({tuple(one) for one in who.tolist()}) > 3
    keys = jax.random.split(KEY, rollouts * who.shape[1])
    for me in (0, 2):
        for place, key in enumerate(keys):
            rival = RIVALS[who[me, place % who.shape[1]]].genome
            np.testing.assert_array_equal(driven[by].measures[me, place, :, 0], alone(NUMBERS[me], rival, key))


def test_rivals_that_are_driven_in_different_ways_are_not_drawn():
    with pytest.raises(UsageError, match=r"fitness\.rivals_drawn=1: accepted: null; these rivals are driven"):
        DrawnRivals((RIVALS[0], Hand(OTHER)), 1)


@dataclass(frozen=True)
class Constant(Absolute):
    """Everybody's fitness is a number, and more of it until the memory is `rises`."""

    value: float
    rises: int = 0

    seats = 1

    def init(self, key):
        return jnp.int32(0)

    def evaluate(self, key, population, memory):
        fitness = jnp.full(len(population.length), self.value + jnp.minimum(memory, self.rises))
        return Evaluation(fitness, fitness[:, None], {}), memory + 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("bounds", "second"),
    [({"generations": 3}, 3), ({"stagnation": 2}, 6), ({"generations": 4, "stagnation": 2}, 4)],
    ids=["after so many generations", "when the mean stands still", "whichever comes first"],
)
def test_a_phase_ends(bounds, second):
    """The mean rises for three generations after the first, and stands still from then on."""
    made = Phased((Constant(0.0, 3), Constant(10.0)), **bounds)
    ring = Ring(made, Generational(PRIMITIVES, GPOptions(population=4, capacity=4)))
    step, state = jax.jit(ring.step), ring.init(KEY)
    phases = []
    for _ in range(8):
        state, metrics = step(state)
        phases.append((int(metrics["phase"]), float(metrics["mean_fitness"])))
    assert phases == [(0, min(n, 3)) if n < second else (1, 10.0) for n in range(8)]


@dataclass(frozen=True)
class Gaps(Constant):
    """One individual has no fitness, and in the second generation nobody has."""

    def evaluate(self, key, population, memory):
        found, after = super().evaluate(key, population, memory)
        nobody = (jnp.arange(len(found.fitness)) == 0) | (memory == 1)
        return found.replace(fitness=jnp.where(nobody, jnp.nan, found.fitness)), after


def test_a_phase_goes_on_while_the_mean_of_those_who_have_a_fitness_rises():
    made = Phased((Gaps(0.0, 5), Gaps(10.0)), stagnation=2)
    evaluate, memory, phases = jax.jit(made.evaluate), made.init(KEY), []
    for _ in range(9):
        result, memory = evaluate(KEY, constants(jnp.zeros(3)), memory)
        phases.append(int(result.metrics["phase"]))
    assert phases == [0] * 8 + [1]


def test_phases_have_an_end():
    with pytest.raises(UsageError, match="phase_generations"):
        Phased((Constant(0.0), Constant(1.0)))


def test_the_champion_of_two_phases_has_the_points_of_the_referee_by_seat():
    """The phases have one mean for each individual, the referee has a mean for each of two seats."""
    rivals = RolloutFitness(Track(), RUNNER, "way", crews=tuple((one,) for one in RIVALS))
    coplay = RolloutFitness(Track(), RUNNER, "way", opposition=Population(1))
    made = Refereed(Phased((rivals, coplay), generations=1), rivals)
    scheme = Mutants(4, 1, 2, lambda key, n: jnp.arange(n), lambda key, one: (one + 1, jnp.bool_(True)))
    ring = Ring(made, scheme)
    before = jax.eval_shape(ring.init, KEY)
    after, metrics = jax.eval_shape(ring.step, before)
    assert before.champion.points.shape == after.champion.points.shape == (2,)
    assert {"best_points_first", "best_points_second"} <= set(metrics)


@pytest.mark.thorough
def test_a_run_of_two_phases_that_is_taken_up_again_goes_on_to_the_bit():
    alone = RolloutFitness(WINDY, DRIVER, "distance", scale=-1.0)
    made = Phased((alone, RolloutFitness(WINDY, DRIVER, "distance", scale=-1.0, rollouts=2)), generations=2)
    ring = Ring(made, Generational(LANGUAGE, GPOptions(population=8, capacity=16)))
    step, state = jax.jit(ring.step), jax.jit(ring.init)(KEY)
    for _ in range(2):
        state, _ = step(state)
    plain = lambda x: jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key)  # noqa: E731
    kept = jax.tree.map(lambda x: x if plain(x) else jnp.asarray(np.asarray(x)), state)
    for one, other in zip(jax.tree.leaves(step(state)[1]), jax.tree.leaves(step(kept)[1]), strict=True):
        np.testing.assert_array_equal(one, other)
