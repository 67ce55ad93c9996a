"""Drivers that learn from rollouts: derivatives by the values of a program, the steps drawn, and what is learned."""

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct
from scipy import stats

import envs
import jaxgp
from envs.rars.language import INDICATORS, SPEED, Options, view
from jaxgp.contracts import Measure, Simulation
from jaxgp.errors import UsageError
from jaxgp.evolution.tuning.options import TuneOptions
from jaxgp.evolution.tuning.tuner import Tuner
from jaxgp.fitness.roller import advance
from jaxgp.fitness.taught.adjoint import Adjoint
from jaxgp.fitness.taught.options import AdjointOptions
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.primitives import FLOAT, OWN, Floats, Primitive, PrimitiveSet
from jaxgp.players.driver import HandDriver, ProgramDriver
from jaxgp.search.chance import unused_key
from tests.fixtures.cart import Cart

TWO = (FLOAT, FLOAT)
SMOOTH = PrimitiveSet(
    "smooth",
    (
        *(Primitive(name, feature=place) for place, name in enumerate(("place", "speed"))),
        Primitive("c", domain=Floats(-2, 2)),
    ),
    (
        Primitive("+", args=TWO, call=lambda a, b: a + b, gradient=OWN),
        Primitive("*", args=TWO, call=lambda a, b: a * b, gradient=OWN),
    ),
)
PUSH = "(+ (* -0.3 place) (* (* -0.5 speed) (+ 1.0 (* 0.5 place))))"


def push(place, speed):
    return -0.3 * place - 0.5 * speed * (1 + 0.5 * place)


def programs(primitives, *texts):
    found = [languages.parse(primitives, text) for text in texts]
    return jax.tree.map(lambda *x: jnp.stack([jnp.asarray(one) for one in x]), *found)


def cart(**settings):
    return Cart(**{"horizon": 40, "gusts": 0.5, "hill": "down", **settings})


def adjoint(game, actor=None, grows=0, **asked):
    asked = AdjointOptions(**{"rollouts": 1, "steps": 12, "discount": 0.8, **asked})
    return Adjoint(game, actor or ProgramDriver(SMOOTH, lambda sensed, values: values), grows, asked)


@lru_cache
def driven(rollouts=2):
    """Return keys, steps and last states of carts with equal programs, then what is seen, values and derivatives."""
    one, population = adjoint(cart(), rollouts=rollouts), programs(SMOOTH, *[PUSH] * 6)

    @jax.jit
    def find(key):
        way = one.drive(key, population)
        return way, one.slopes(population, *way)

    return find(jax.random.key(2))


def discounted(key, start, first, bump, at, length):
    """Return the growth of the distance from step `at` on, discounted, where the force there is greater by `bump`."""
    game, state, total = cart(), start, 0.0
    for number in range(length):
        force = push(state.place, state.speed) + jnp.where(number == at, bump, 0.0)
        after = advance(game, state, force[None, None], key, first + number)
        grown = jnp.abs(after.place) - jnp.abs(state.place)
        total += jnp.where(number >= at, 0.8 ** (number - at) * grown, 0.0)
        state = after
    return total


def test_derivatives_are_those_of_jax_through_the_whole_rollout():
    (keys, way, _), (seen, values, slopes) = driven()
    length = len(way.steps)
    assert length == 12 + 10  # steps that are learned from, and further ones that count for them
    grad = jax.jit(jax.grad(discounted, 3), static_argnums=5)
    checked = 0
    for individual, rollout in np.ndindex(6, 2):
        begun = int(np.argmax(np.asarray(way.going)[:, individual, rollout]))
        end = begun + int(np.asarray(way.going)[:, individual, rollout].sum())
        start = jax.tree.map(lambda x, i=individual, m=rollout, t=begun: x[t, i, m], way.states)
        np.testing.assert_allclose(seen[begun, individual, rollout, 0], [start.place, start.speed])
        for at in range(begun, end, 5):
            expected = grad(keys[rollout], start, way.steps[begun, individual, rollout], 0.0, at - begun, end - begun)
            assert slopes[at, individual, rollout, 0, 0] == pytest.approx(float(expected), rel=1e-4, abs=1e-6)
            place, speed = seen[at, individual, rollout, 0]
            assert values[at, individual, rollout, 0, 0] == pytest.approx(float(push(place, speed)), rel=1e-5)
            checked += abs(float(expected)) > 1e-3
    assert checked > 20


@pytest.mark.thorough
def test_after_the_end_of_a_rollout_nothing_is_learned():
    one = adjoint(cart(horizon=15, gusts=0.0), steps=12)
    population = programs(SMOOTH, *[PUSH] * 40)
    (_, way, _), slopes, examples = jax.jit(
        lambda key: (
            way := one.drive(key, population),
            one.slopes(population, *way)[2],
            one.examples(key, population, ()),
        )
    )(jax.random.key(0))
    going = np.asarray(way.going)
    assert 0 < going.sum() < going.size
    assert not np.asarray(slopes)[~going].any()
    assert np.array_equal(np.asarray(examples.tree[:, 0]) == 0, going[:12, :, 0].T)


def test_parts_of_a_rollout_are_drawn_in_proportion_to_the_steps_that_are_learned_from():
    one = adjoint(cart(horizon=35), steps=4, discount=0.5, rollouts=1000)  # parts of 4 + 4 steps
    way = jax.jit(one.drive)(jax.random.key(6), programs(SMOOTH, *["0.3"] * 4))[1]
    first, learned = np.asarray(way.steps)[0].ravel(), np.asarray(way.going)[:4].sum(0).ravel()
    counts, sizes = np.unique(first, return_counts=True)[1], []
    for begun in np.unique(first):
        (size,) = np.unique(learned[first == begun])
        sizes.append(size)
    assert 1 <= min(sizes) < max(sizes) == 4
    assert stats.chisquare(counts, np.array(sizes) / np.sum(sizes) * 4000).pvalue > 0.01


@pytest.mark.thorough
def test_values_are_to_move_by_their_derivatives_and_the_same_for_all_trees():
    one, population = adjoint(cart(), reach=0.1), programs(SMOOTH, *[PUSH] * 3)

    @jax.jit
    def find(key):
        return one.examples(key, population, ()), one.slopes(population, *one.drive(key, population))

    examples, (_, values, slopes) = find(jax.random.key(2))
    there = np.asarray(examples.tree) == 0
    for p in range(3):
        mine, size = there[p, 0], np.asarray(values)[:12, p, 0, 0, 0]
        slope = np.asarray(slopes)[:12, p, 0, 0, 0][mine]
        size = np.sqrt(np.square(size[mine]).mean())
        move = np.clip(slope / np.median(np.abs(slope)), -3, 3)
        np.testing.assert_allclose(
            examples.known.goal[p, 0][mine], np.asarray(values)[:12, p, 0, 0, 0][mine] + 0.1 * size * move, rtol=1e-4
        )
        loss = one.loss(np.asarray(values)[:12, p, 0, 0, 0], jax.tree.map(lambda x, p=p: x[p, 0], examples.known))
        assert loss == pytest.approx(float(np.square(move).mean()), rel=1e-3)


@struct.dataclass
class Sliding:
    place: jax.Array
    steps: jax.Array
    terminated: jax.Array


@dataclass(frozen=True)
class Slide(Simulation):
    """Two seats pull; in a step each one is carried farther by u (2 - u), which is most for a pull of 1."""

    horizon: ClassVar[int] = 30
    name: ClassVar[str] = "slide"
    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 2
    starts: ClassVar[str] = "fixed"
    controls: ClassVar[int] = 1
    chance: ClassVar[bool] = False
    quantities: ClassVar[tuple[Measure, ...]] = (Measure("steps", "", ""), Measure("way", "m", "carried"))

    def init(self, key):
        return Sliding(jnp.zeros(2), jnp.int32(0), jnp.bool_(False))

    def sense(self, state, seat):
        return jnp.stack([state.place[seat], jnp.float32(1)])

    def step(self, state, controls, key):
        pull = controls[:, 0]
        return Sliding(state.place + 0.1 * pull * (2 - pull), state.steps + 1, state.terminated)

    def measures(self, state):
        return jnp.stack([jnp.full(2, state.steps, jnp.float32), state.place], 1)

    def score(self, state):
        return state.place


def test_a_driver_learns_the_controls_that_carry_it_farthest():
    one, tuner = adjoint(Slide(), grows=1, steps=20), Tuner(SMOOTH, TuneOptions(steps=4, rate=0.02))
    population = programs(SMOOTH, "(* 0.3 speed)", "(+ speed 0.9)")  # speed is 1 here

    @partial(jax.jit, donate_argnums=0)
    def learn(population, key):
        return tuner.learn(key, population, one, (), jnp.int32(0))[0]

    for number in range(60):
        population = learn(population, jax.random.key(number))
    numbers = [
        float(languages.to_text(SMOOTH, jax.tree.map(lambda x, p=p: x[p], population)).split()[at].strip(")"))
        for p, at in ((0, 1), (1, 2))
    ]
    assert numbers[0] == pytest.approx(1.0, abs=0.08)
    assert numbers[1] == pytest.approx(0.0, abs=0.08)


@pytest.mark.thorough
def test_individuals_of_a_generation_learn_before_they_are_measured():
    asked = TuneOptions(steps=2, rate=0.002, share=0.5)
    options = jaxgp.GPOptions(population=64, capacity=15, elites=1, tune=asked)
    actor = ProgramDriver(SMOOTH, lambda sensed, values: values)
    fitness = jaxgp.RolloutFitness(cart(), actor, "distance", scale=-1.0, learning=adjoint(cart(), actor, steps=8))
    ring = jaxgp.Ring(fitness, jaxgp.Generational(SMOOTH, options))
    _, metrics = jax.jit(ring.step)(jax.jit(ring.init)(jax.random.key(0)))
    assert 0 < metrics["tuned"] <= 32
    assert np.isfinite(metrics["best_fitness"])
    with pytest.raises(UsageError, match=r"algorithm.tune.steps=2: accepted: 0; RolloutFitness has no loss"):
        jaxgp.Ring(replace(fitness, learning=None), jaxgp.Generational(SMOOTH, options))


def test_only_values_of_programs_learn():
    hand = HandDriver(lambda number, memory, sensed, bits: (sensed[:1], memory))
    with pytest.raises(UsageError, match=r"driver=HandDriver: accepted: a ProgramDriver"):
        adjoint(cart(), hand)
    with pytest.raises(UsageError, match=r"grows=7: accepted: a whole number from 0 to 3"):
        adjoint(cart(), grows=7)
    with pytest.raises(UsageError, match=r"instances=given: accepted: none; slide has no instances"):
        replace(adjoint(Slide()), instances=np.zeros(2, np.float32))


DRIVER = "(PROGRAM (- (* 0.4 AA) (* 0.3 (- NV (* 0.3 (- TL TR))))) (+ 0.3 (* 0.3 V)))"


def drive(world, state):
    """Do what `DRIVER` does, in the precision of the state: the angle of the nose and the speed of the wheels."""
    seen = dict(zip(INDICATORS, view(Options(), world.sensed(state)[:, 0]), strict=True))
    angle = 0.4 * seen["AA"] - 0.3 * (seen["NV"] - 0.3 * (seen["TL"] - seen["TR"]))
    return jnp.stack([angle, SPEED * (0.3 + 0.3 * seen["V"])])


@pytest.mark.slow
def test_derivatives_of_a_race_are_finite_differences_in_64_bits():
    cast = jaxgp.take(envs.spec("rars"), friction="fixed", seconds=70.0)
    world, grows = cast.game, [one.name for one in cast.game.quantities].index("distance")
    one, population = adjoint(world, cast.actor, grows, steps=30, discount=0.9), programs(cast.language, *[DRIVER] * 4)

    @jax.jit
    def find(key):
        keys, way, last = one.drive(key, population)
        return way, one.slopes(population, keys, way, last)[2]

    way, slopes = jax.tree.map(np.asarray, find(jax.random.key(4)))
    length, agree, told = len(way.steps), 0, 0
    with jax.enable_x64(True):

        @jax.jit
        def growth(state, bump, left):
            def step(state, number):
                controls = drive(world, state) + jnp.where(number == 0, bump, 0.0)
                after = world.step(state, controls[None], unused_key())
                grown = world.distance(after)[0] - world.distance(state)[0]
                return after, jnp.where(number < left, 0.9**number * grown, 0.0)

            return jax.lax.scan(step, state, jnp.arange(length))[1].sum()

        for at, p, tree in np.ndindex(30, 4, 2):
            state = jax.tree.map(lambda x, t=at, i=p: x[t, i, 0], way.states)
            state = jax.tree.map(lambda x: x.astype(np.float64) if x.dtype == np.float32 else x, state)
            bump = np.array([1e-6, 0]) if tree == 0 else np.array([0, 1e-4])
            unit = (1.0, SPEED)[tree]
            slope = (growth(state, bump, length - at) - growth(state, -bump, length - at)) / (2 * bump[tree]) * unit
            mine = slopes[at, p, 0, 0, tree]
            told += abs(float(slope)) > 0.1
            agree += abs(float(slope)) > 0.1 and mine == pytest.approx(float(slope), rel=0.02)
    assert told > 50
    assert agree >= 0.95 * told  # a limit of power or of swing may begin between the two
