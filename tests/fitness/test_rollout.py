"""Rollouts: a cart that has to stop at a line, by hand and by the engine."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

import jaxgp
from jaxgp import arrays
from jaxgp.contracts import Instanced, Measure, Simulation
from jaxgp.errors import UsageError
from jaxgp.evolution.generational import Generational
from jaxgp.evolution.islands import Islands
from jaxgp.evolution.options import GPOptions, MigrationOptions
from jaxgp.evolution.seeds import Seeds
from jaxgp.fitness.roller import STRIDE, Roller
from jaxgp.fitness.rollout import RolloutFitness
from jaxgp.genotypes.text import parse_program
from jaxgp.host import driving
from jaxgp.players.driver import HandDriver
from jaxgp.spec import Hand, Spec
from tests.fixtures.cart import Cart, Options, program

STILL, WINDY = Cart(), Cart(gusts=0.5, horizon=40)
LANGUAGE, DRIVER = program(STILL, Options())
TEXTS = ("(- (- 0.0 place) (+ speed speed))", "1.0", "(/ place (- speed speed))", "-1.0")
"""One that stops at the line, one that flies past it, one whose first control is no number, one that flees."""


def stacked(texts=TEXTS):
    programs = [parse_program(LANGUAGE, text, 16) for text in texts]
    return jax.tree.map(lambda *x: jnp.stack(x), *programs)


def fitness(cart, **given):
    return RolloutFitness(cart, DRIVER, "distance", scale=-1.0, **given)


@pytest.fixture(scope="module")
def measured():
    """The evaluations of four programs in three rollouts: all at once, two at a time, and by the worst rollout."""
    run = jax.jit(
        lambda key, genomes: (
            [fitness(WINDY, rollouts=3, **given).evaluate(key, genomes, ())[0] for given in ({}, {"lanes": 2})]
            + [fitness(WINDY, rollouts=3, over="worst").evaluate(key, genomes, ())[0]]
        )
    )
    return jax.device_get(run(jax.random.key(5), stacked()))


def test_who_stops_at_the_line_is_the_fittest_and_who_flees_the_least_fit(measured):
    order = np.argsort(-measured[0].fitness).tolist()
    assert order[0] == 0
    assert measured[0].fitness[0] > -0.3


def test_individuals_that_share_lanes_find_the_same(measured):
    whole, chunked, _ = measured
    np.testing.assert_array_equal(whole.fitness, chunked.fitness)
    np.testing.assert_array_equal(whole.behaviour, chunked.behaviour)
    assert {name: float(value) for name, value in whole.metrics.items()} == pytest.approx(
        {name: float(value) for name, value in chunked.metrics.items()}, nan_ok=True
    )


def test_steps_are_whole_numbers_unless_there_could_be_too_many_for_them():
    """Four individuals, with horizons of which four fit into an int32, or do not."""

    def steps(horizon):
        measure = fitness(Cart(horizon=horizon)).evaluate
        return jax.eval_shape(measure, jax.random.key(5), stacked(), ())[0].metrics["steps"].dtype

    assert (steps(2**29 - 1), steps(2**29)) == (jnp.int32, jnp.float32)


def test_the_worst_rollout_counts_where_it_is_asked_for(measured):
    whole, _, worst = measured
    np.testing.assert_array_equal(worst.fitness, whole.cases.min(0))
    assert (worst.fitness < whole.fitness).all()


@pytest.mark.thorough
def test_controls_that_are_no_numbers_are_zero_and_counted():
    """The third program divides by 0 in all steps in which the cart stands still."""
    roller, keys = Roller(STILL, DRIVER), jax.random.split(jax.random.key(1), 2)
    ended = jax.jit(lambda programs: roller.run(DRIVER.prepare(programs), keys))(stacked(TEXTS[2:3]))
    assert (ended.states.speed == 0).all()
    assert int(ended.blank.sum()) == int(ended.steps.sum()) == 2 * STILL.horizon


@pytest.mark.slow
def test_a_record_has_the_states_of_the_rollout_and_all_individuals_begin_alike():
    roller, keys = Roller(WINDY, DRIVER), jax.random.split(jax.random.key(2), 3)
    one = stacked(TEXTS[:1])

    def both(one, many):
        return (
            roller.record(DRIVER.prepare(one), keys[1]),
            roller.run(DRIVER.prepare(many), keys),
            roller.begin(DRIVER.prepare(many), keys),
        )

    record, ended, begun = jax.device_get(jax.jit(both)(one, stacked()))
    states = record.states
    assert len(states.place) == WINDY.horizon + 1
    np.testing.assert_array_equal(states.place[-1], ended.states.place[0, 1])
    assert states.place[0] == begun.states.place[0, 1]
    assert (begun.states.place == begun.states.place[0]).all()
    assert len(np.unique(begun.states.place[0])) == 3


@pytest.mark.slow
def test_a_run_that_is_taken_up_again_goes_on_to_the_bit():
    algorithm = GPOptions(population=16, generations=4, capacity=32)
    ring = jaxgp.Ring(fitness(WINDY, rollouts=2), Generational(LANGUAGE, algorithm))
    step, state = jax.jit(ring.step), jax.jit(ring.init)(jax.random.key(0))
    half = step(step(state)[0])[0]
    kept = jax.tree.map(
        lambda x: x if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key) else jnp.asarray(np.asarray(x)), half
    )
    for one, other in zip(jax.tree.leaves(step(half)[1]), jax.tree.leaves(step(kept)[1]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_is_not_measured_is_refused_by_name():
    with pytest.raises(UsageError, match="speed: accepted: distance, time"):
        RolloutFitness(STILL, DRIVER, "speed")
    for wrong in ({"rollouts": 0}, {"lanes": 0}, {"over": "best"}, {"drawn": 2}, {"progress": "speed"}):
        with pytest.raises(UsageError, match=f"fitness.{next(iter(wrong))}="):
            fitness(STILL, **wrong)
    with pytest.raises(UsageError, match="driver=Options: accepted: a Driver"):
        RolloutFitness(STILL, Options(), "distance")


@dataclass(frozen=True)
class Tug(Simulation):
    """Two pull at a rope, each the harder, the greater the number of its seat; neither ever wins."""

    name: ClassVar[str] = "tug"
    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 2
    starts: ClassVar[str] = "fixed"
    chance: ClassVar[bool] = False
    horizon: ClassVar[int] = 3
    controls: ClassVar[int] = 1
    quantities: ClassVar[tuple[Measure, ...]] = (Measure("pull", "N", "that the seat has exerted"),)

    def init(self, key):
        return Pulled(jnp.zeros(2), jnp.bool_(False))

    def sense(self, state, seat):
        return jnp.stack([seat, state.pull[seat]]).astype(jnp.float32)

    def step(self, state, controls, key):
        return Pulled(state.pull + controls[:, 0], state.terminated)

    def measures(self, state):
        return state.pull[:, None]

    def score(self, state):
        return state.pull


@struct.dataclass
class Pulled:
    pull: jax.Array
    terminated: jax.Array


@pytest.mark.thorough
def test_an_individual_drives_every_seat_by_what_that_seat_perceives():
    """The first feature, which is called `place` for carts, is the seat here."""
    tug = RolloutFitness(Tug(), DRIVER, "pull")
    result, _ = jax.jit(lambda genomes: tug.evaluate(jax.random.key(0), genomes, ()))(stacked(["(+ place 1.0)"]))
    assert result.points.tolist() == [[3.0, 6.0]]
    assert result.fitness.tolist() == [4.5]


@dataclass(frozen=True)
class Track(Simulation, Instanced):
    """Two run round a track of a length that is an instance, until one has gone round; chance lames them."""

    name: ClassVar[str] = "track"
    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 2
    starts: ClassVar[str] = "instance"
    chance: ClassVar[bool] = True
    horizon: ClassVar[int] = 60
    controls: ClassVar[int] = 1
    quantities: ClassVar[tuple[Measure, ...]] = (Measure("way", "m", "gone"), Measure("won", "", "gone round"))

    def init(self, key):
        return self.begin(jnp.float32(20), key)

    def begin(self, instance, key):
        return Runners(jnp.zeros(2), instance, jnp.bool_(False))

    def sense(self, state, seat):
        return jnp.stack([state.way[seat], state.length])

    def step(self, state, controls, key):
        lame = jnp.where(jax.random.bernoulli(key, 0.2, (2,)), 0.5, 1.0)
        way = state.way + lame * jnp.clip(controls[:, 0], 0, 1)
        return arrays.where(state.terminated, state, Runners(way, state.length, (way >= state.length).any()))

    def measures(self, state):
        return jnp.stack([state.way, (state.way >= state.length).astype(jnp.float32)], 1)

    def score(self, state):
        return state.way


@struct.dataclass
class Runners:
    way: jax.Array
    length: jax.Array
    terminated: jax.Array


def resting(number, steps, sensed, bits):
    """Run, but for every step of which the number is a multiple of its own; number 0 stands still."""
    go = jnp.where(number > 0, steps % jnp.maximum(number, 1) != 0, False)
    return go.astype(jnp.float32)[None], steps + 1


RUNNER = HandDriver(resting, lambda: jnp.int32(1))
OTHER = HandDriver(lambda number, memory, sensed, bits: (jnp.full(1, bits % 2, jnp.float32), memory), random=True)
CREWS = ((Hand(RUNNER, 2),), (Hand(OTHER),), (Hand(RUNNER, 5),))
LENGTHS = jnp.array([8.0, 15.0])
NUMBERS = jnp.array([3, 0, 9, 1, 4, 0, 0, 0])


@pytest.fixture(scope="module")
def races():
    """Eight runners, four of them alike, on two tracks, twice against each of three others: all at once, and two at a
    time; in the end also stopped where they make no way.
    """
    keys, places = jax.random.split(jax.random.key(4), 12), jnp.repeat(LENGTHS, 6)

    def run(numbers):
        free, stopped = Roller(Track(), RUNNER, CREWS), Roller(Track(), RUNNER, CREWS, progress=0, patience=10)
        plans = RUNNER.prepare(numbers)
        return (
            free.measure(plans, keys, places),
            free.measure(plans, keys, places, lanes=2),
            stopped.measure(plans, keys, places, lanes=3),
        )

    return keys, jax.device_get(jax.jit(run)(NUMBERS))


def by_hand(keys):
    """The same races one after the other, step by step, in plain Python."""
    world = Track()
    step = jax.jit(world.step)
    found = np.zeros((len(NUMBERS), len(keys), 2))
    for m, key in enumerate(keys):
        for p, number in enumerate(NUMBERS.tolist()):
            state, length = world.begin(LENGTHS[m // 6], key), 0
            while not state.terminated and length < world.horizon:
                drawn = jax.random.fold_in(key, length)
                own = number > 0 and (length + 1) % number != 0
                rival = CREWS[m % 3][0]
                if rival.driver == OTHER:
                    other = jax.random.bits(drawn, (2,), jnp.uint32)[1] % 2
                else:
                    other = (length + 1) % rival.genome != 0
                state = step(state, jnp.float32([[own], [other]]), jax.random.fold_in(drawn, 1))
                length += 1
            found[p, m] = state.way
    return found


@pytest.mark.thorough
def test_individuals_meet_each_crew_in_each_instance_as_step_by_step_by_hand(races):
    keys, (free, *_) = races
    np.testing.assert_array_equal(free.measures[..., 0], by_hand(keys))


def test_who_shares_lanes_finds_the_same_in_fewer_of_them(races):
    _, (free, shared, _) = races
    np.testing.assert_array_equal(free.measures, shared.measures)
    np.testing.assert_array_equal(free.steps, shared.steps)
    assert shared.rounds > free.rounds
    assert 2 * shared.rounds < 5 * free.rounds, "lanes wait for nobody, and who is alike drives once"


def test_stopping_who_makes_no_way_changes_no_race_that_was_not_stopped(races):
    _, (free, _, stopped) = races
    assert stopped.cut[1].any(), "who stands still is stopped"
    assert not stopped.cut[[0, 2, 4]].any()
    np.testing.assert_array_equal(stopped.measures[~stopped.cut], free.measures[~stopped.cut])
    assert (stopped.steps[stopped.cut] == STRIDE).all()
    assert (stopped.measures[stopped.cut][:, 0, 0] == 0).all()


@pytest.mark.thorough
def test_a_function_of_all_that_is_measured_is_a_fitness():
    """The share of the way that the individual goes of both together, in each of three rounds against two rivals."""

    def share(measures):
        ways = measures[..., 0].reshape(3, 2, 2).sum(0)
        return ways[:, 0] / ways.sum(1)

    rivals = (CREWS[0], CREWS[2])
    made = RolloutFitness(Track(), RUNNER, share, rollouts=3, crews=rivals, over="worst", rival_names=("slow", "fast"))
    ways = RolloutFitness(Track(), RUNNER, "way", rollouts=3, crews=rivals)
    one, other = jax.device_get(
        jax.jit(lambda numbers: [one.evaluate(jax.random.key(1), numbers, ())[0] for one in (made, ways)])(NUMBERS)
    )
    assert one.cases.shape == (2, len(NUMBERS))
    np.testing.assert_array_equal(one.fitness, one.cases.min(0))
    assert (one.points.shape, other.points.shape) == ((len(NUMBERS), 1), (len(NUMBERS), 2))
    assert one.fitness[1] == 0
    assert one.fitness.argmax() == 2
    told = [one.metrics[f"fittest_share_against_{name}"] for name in ("slow", "fast")]
    np.testing.assert_array_equal(told, one.cases[:, one.fitness.argmax()])
    assert not [name for name in other.metrics if "against" in name]
    assert (other.metrics["fittest_way"], other.metrics["steps"]) == (other.fitness.max(), one.metrics["steps"])


def test_instances_are_drawn_for_a_generation_without_repeats():
    lengths = jnp.arange(4.0, 12.0)
    made = RolloutFitness(Track(), RUNNER, "way", instances=lengths, drawn=3, crews=CREWS[:1])
    drive = jax.jit(lambda key: made.drive(key, NUMBERS[:1]).measures[0, :, :, 0].max(1))
    drawn = [tuple(np.floor(np.asarray(drive(jax.random.key(seed))) * 2) / 2) for seed in range(4)]
    assert all(len(set(one)) == 3 for one in drawn)
    assert len(set(drawn)) > 1


@pytest.mark.slow
def test_seeds_in_one_program_and_islands_find_what_each_finds_alone():
    algorithm = GPOptions(population=8, generations=2, capacity=16)
    given = {"rollouts": 2, "lanes": 3, "progress": "race", "patience": 20}
    ring = jaxgp.Ring(fitness(WINDY, **given), Generational(LANGUAGE, algorithm), last=True)
    alone, together = jax.jit(ring.step), jax.jit(Seeds(ring, together=2).step)
    states = [jax.jit(ring.init)(jax.random.key(seed)) for seed in (0, 1)]
    for state, (after, metrics) in zip(states, together(states), strict=True):
        expected, told = alone(state)
        for x, y in zip(*map(jax.tree.leaves, (expected.population, after.population)), strict=True):
            np.testing.assert_array_equal(x, y)
        # Means add in another order.
        assert {name: float(one) for name, one in metrics.items()} == pytest.approx(
            {name: float(one) for name, one in told.items()}, nan_ok=True
        )
        assert (after.candidates.individuals.generation == 0).all()
    islands = Islands(ring.measured_by(fitness(WINDY, **given)), MigrationOptions(count=2, neighbours=1), last=True)
    islands = dataclasses.replace(islands, ring=dataclasses.replace(islands.ring, last=False))
    after, _ = jax.jit(islands.step)(jax.jit(islands.init)(jax.random.key(5)))
    assert len(after.candidates.individuals.fitness) == 16
    again, _ = jax.jit(islands.again)(after, jnp.int32(0))
    assert again.shape == (16,)
    assert np.isfinite(again).any()


@pytest.mark.thorough
def test_a_rollout_is_driven_again_from_its_controls_and_says_what_each_driver_came_to():
    keys, track = jax.random.split(jax.random.key(4), 1), Spec(Track, None)
    rollout = driving.drive(track, Track(), [("nine", Hand(RUNNER, 9)), ("two", Hand(RUNNER, 2))], keys[0])
    assert rollout.steps < Track.horizon
    assert rollout.finished
    assert rollout.drivers == ["nine", "two"]
    assert rollout.told("two").startswith(f"way {rollout.states.way[-1, 1]:g} m")
    again = driving.drive_again(track, Track(), rollout.names, keys[0], rollout.controls)
    assert driving.difference(again.states, rollout.states) is None
    slower = driving.drive_again(track, Track(), rollout.names, keys[0], rollout.controls[:5] / 2)
    assert driving.difference(slower.states, rollout.states).step == 1
