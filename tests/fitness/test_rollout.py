"""Rollouts: a cart that has to stop at a line, by hand and by the engine."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

from jaxgp.contracts import Measure, Simulation
from jaxgp.errors import UsageError
from jaxgp.evolution.generational import Generational
from jaxgp.evolution.options import GPOptions
from jaxgp.evolution.ring import Ring
from jaxgp.fitness.rollout import Roller, RolloutFitness
from jaxgp.genotypes.text import parse_program
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
            [fitness(WINDY, rollouts=3, **given).evaluate(key, genomes, ())[0] for given in ({}, {"chunk": 2})]
            + [fitness(WINDY, rollouts=3, over="worst").evaluate(key, genomes, ())[0]]
        )
    )
    return jax.device_get(run(jax.random.key(5), stacked()))


def test_who_stops_at_the_line_is_the_fittest_and_who_flees_the_least_fit(measured):
    order = np.argsort(-measured[0].fitness).tolist()
    assert order[0] == 0
    assert measured[0].fitness[0] > -0.3


def test_chunks_find_the_same(measured):
    whole, chunked, _ = measured
    np.testing.assert_array_equal(whole.fitness, chunked.fitness)
    np.testing.assert_array_equal(whole.behaviour, chunked.behaviour)
    assert {name: float(value) for name, value in whole.metrics.items()} == pytest.approx(
        {name: float(value) for name, value in chunked.metrics.items()}
    )


def test_the_worst_rollout_counts_where_it_is_asked_for(measured):
    whole, _, worst = measured
    np.testing.assert_array_equal(worst.fitness, whole.cases.min(0))
    assert (worst.fitness < whole.fitness).all()


def test_controls_that_are_no_numbers_are_zero_and_counted():
    """The third program divides by 0 in all steps in which the cart stands still."""
    roller, keys = Roller(STILL, DRIVER), jax.random.split(jax.random.key(1), 2)
    ended = jax.jit(lambda programs: roller.run(DRIVER.prepare(programs), keys))(stacked(TEXTS[2:3]))
    assert (ended.states.speed == 0).all()
    assert int(ended.blank) == int(ended.steps.sum()) == 2 * STILL.horizon


def test_a_record_has_the_states_of_the_rollout_and_all_individuals_begin_alike():
    roller, keys = Roller(WINDY, DRIVER), jax.random.split(jax.random.key(2), 3)
    one = stacked(TEXTS[:1])

    def both(one, many):
        return (
            roller.record(DRIVER.prepare(one), keys[1]),
            roller.run(DRIVER.prepare(many), keys),
            roller.begin(DRIVER.prepare(many), keys),
        )

    states, ended, begun = jax.device_get(jax.jit(both)(one, stacked()))
    assert len(states.place) == WINDY.horizon + 1
    np.testing.assert_array_equal(states.place[-1], ended.states.place[0, 1])
    assert states.place[0] == begun.states.place[0, 1]
    assert (begun.states.place == begun.states.place[0]).all()
    assert len(np.unique(begun.states.place[0])) == 3


def test_a_run_that_is_taken_up_again_goes_on_to_the_bit():
    algorithm = GPOptions(population=16, generations=4, capacity=32)
    ring = Ring(fitness(WINDY, rollouts=2), Generational(LANGUAGE, algorithm))
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


def test_an_individual_drives_every_seat_by_what_that_seat_perceives():
    """The first feature, which is called `place` for carts, is the seat here."""
    tug = RolloutFitness(Tug(), DRIVER, "pull")
    result, _ = jax.jit(lambda genomes: tug.evaluate(jax.random.key(0), genomes, ()))(stacked(["(+ place 1.0)"]))
    assert result.points.tolist() == [[3.0, 6.0]]
    assert result.fitness.tolist() == [4.5]
