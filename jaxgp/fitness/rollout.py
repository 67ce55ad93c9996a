"""Fitness in simulations: what is measured at the end of rollouts, in which an individual drives every seat.

All individuals of a generation begin in the same M starts, and meet the same chance there, so that they are compared by
what they do. A rollout ends when its state is terminated, or at the horizon of the simulation. Step `n` of a rollout
draws from its key as ply `n` of a game does (`jaxgp.players.ply`), on the device and on the host.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array, lax

from jaxgp import arrays
from jaxgp.bits import extend
from jaxgp.contracts import Driver, Plans, Simulation
from jaxgp.errors import reject
from jaxgp.fitness.evaluation import Absolute, Evaluation, child, worth
from jaxgp.genotypes.language import Genome, sizes
from jaxgp.players import ply
from jaxgp.search.chance import unused_key

PLAY = 0
"""The child of a generation's key that rollouts are driven with."""

OVER: dict[str, Callable[[Array], Array]] = {
    "mean": partial(jnp.mean, axis=0),
    "median": partial(jnp.median, axis=0),
    "worst": partial(jnp.min, axis=0),
}
"""How the fitness of the rollouts, float32[M, P], becomes that of individuals, float32[P]."""

State = Any


@struct.dataclass
class Rollouts:
    """M rollouts of each of P individuals, so far."""

    states: State  # [P, M]
    steps: Array  # int32[P, M]
    memory: Any  # what the drivers remember
    blank: Array  # int32[]: controls that were not finite, of all rollouts


@dataclass(frozen=True)
class Roller(Generic[Plans]):
    """Individuals drive rollouts, all at once, each until it ends.

    Attributes:
        simulation: what is driven.
        driver: how an individual drives; it drives all seats, and remembers something for each.
    """

    simulation: Simulation
    driver: Driver[Plans, Any]

    def begin(self, plans: Plans, keys: Array) -> Rollouts:
        """Return the rollouts of P individuals at their starts, which depend on the keys, key[M], alone."""
        count = jax.tree.leaves(plans)[0].shape[0]
        start = jax.vmap(self._start)(keys)
        states = jax.tree.map(lambda x: jnp.broadcast_to(x, (count, *x.shape)), start)
        memory = self.driver.start(plans, len(keys) * self.simulation.seats)
        return Rollouts(states, jnp.zeros((count, len(keys)), jnp.int32), memory, jnp.int32(0))

    def _start(self, key: Array) -> State:
        return self.simulation.init(jax.random.fold_in(key, self.simulation.horizon + 1))

    def going(self, rollouts: Rollouts) -> Array:
        """Return bool[P, M]: which rollouts go on."""
        return ply.going(rollouts.states, rollouts.steps, self.simulation.horizon)

    def step(self, plans: Plans, keys: Array, rollouts: Rollouts) -> Rollouts:
        """Advance the rollouts that go on by one step."""
        world, going, seats = self.simulation, self.going(rollouts), self.simulation.seats
        shape = going.shape
        by_seat = jax.vmap(world.sense, (None, 0))
        sensed = jax.vmap(jax.vmap(lambda state: by_seat(state, jnp.arange(seats))))(rollouts.states)
        bits = jnp.zeros((*shape, seats), jnp.uint32)
        if self.driver.random:
            bits = jax.vmap(jax.vmap(partial(_bits, seats)), (None, 0))(keys, rollouts.steps)
        given, memory = self.driver.control(
            plans,
            rollouts.memory,
            sensed.reshape(shape[0], -1, sensed.shape[-1]),
            bits.reshape(shape[0], -1),
            jnp.repeat(going, seats, axis=1),
        )
        controls = given.reshape(*shape, seats, world.controls)
        finite = jnp.isfinite(controls)
        blank = (going[..., None, None] & ~finite).sum(dtype=jnp.int32)
        advance = jax.vmap(jax.vmap(partial(_advance, world)), (0, 0, None, 0))
        moved = advance(rollouts.states, jnp.where(finite, controls, 0.0), keys, rollouts.steps)
        states = arrays.where(going, moved, rollouts.states)
        return Rollouts(states, rollouts.steps + going, memory, rollouts.blank + blank)

    def run(self, plans: Plans, keys: Array) -> Rollouts:
        """Drive all rollouts of P individuals to their ends.

        Args:
            plans: of the individuals, from the driver's `prepare`.
            keys: typed key[M], of the rollouts; those of all individuals have the same ones.
        """
        return lax.while_loop(
            lambda rollouts: self.going(rollouts).any(), partial(self.step, plans, keys), self.begin(plans, keys)
        )

    def record(self, plans: Plans, key: Array) -> State:
        """Return all states [horizon + 1] of the rollout of one individual: equal to those of `run`, to the last one.

        Args:
            plans: of the one individual, [1, ...].
            key: typed key[], of the rollout.
        """

        def step(rollouts: Rollouts, _: None) -> tuple[Rollouts, State]:
            after = self.step(plans, key[None], rollouts)
            return after, after.states

        begun = self.begin(plans, key[None])
        _, states = lax.scan(step, begun, None, self.simulation.horizon)
        return jax.tree.map(lambda x, y: jnp.concatenate([x[None], y])[:, 0, 0], begun.states, states)

    def measures(self, states: State) -> Array:
        """Return float32[P, M, seats, Q]: the quantities of the simulation in states [P, M]."""
        found: Array = jax.vmap(jax.vmap(self.simulation.measures))(states)
        return found


def _bits(seats: int, key: Array, step: Array) -> Array:
    return jax.random.bits(jax.random.fold_in(key, step), (seats,), jnp.uint32)


def _advance(world: Simulation, state: State, controls: Array, key: Array, step: Array) -> State:
    drawn = jax.random.fold_in(jax.random.fold_in(key, step), ply.CHANCE) if world.chance else unused_key()
    return world.step(state, controls, drawn)


def number_of(simulation: Simulation, quantity: str) -> int:
    """Return the place of a quantity among those that a simulation measures.

    Raises:
        UsageError: it measures no such quantity.
    """
    names = [one.name for one in simulation.quantities]
    if quantity not in names:
        reject("fitness.measure", quantity, ", ".join(names))
    return names.index(quantity)


@dataclass(frozen=True, eq=False)
class RolloutFitness(Absolute[tuple[()]]):
    """fitness = max(minimum, scale * a quantity - parsimony * size), over rollouts; nothing is carried along.

    Attributes:
        simulation: what is driven.
        driver: how an individual drives.
        quantity: the name of what is measured at the end of each rollout, the mean of its seats.
        rollouts: M, rollouts of each individual in a generation; starts and chance are the same for all individuals.
        over: what counts of them: the mean, the median or the worst one.
        scale: see above; below 0 where less is better. So are `parsimony` and `minimum` (None: no bound).
        chunk: how many individuals drive at a time, at most; None: all.

    Raises:
        UsageError: the simulation measures no such quantity, or a number is out of its range.
    """

    simulation: Simulation
    driver: Driver
    quantity: str
    rollouts: int = 1
    over: str = "mean"
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None
    chunk: int | None = None

    def __post_init__(self) -> None:
        number_of(self.simulation, self.quantity)
        if self.rollouts < 1:
            reject("fitness.rollouts", self.rollouts, "a whole number from 1")
        if self.over not in OVER:
            reject("fitness.over", self.over, ", ".join(OVER))

    @property
    def seats(self) -> int:
        """S, entries of points: the quantity by seat."""
        return self.simulation.seats

    def init(self, key: Array) -> tuple[()]:
        """Return the memory, which is empty."""
        del key
        return ()

    def in_chunks(self, chunk: int | None, /) -> "RolloutFitness":
        """Return the fitness that drives this many individuals at a time; it finds the same."""
        return replace(self, chunk=chunk)

    def evaluate(self, key: Array, population: Genome, memory: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Measure a population [P, ...]."""
        keys = jax.random.split(child(key, PLAY), self.rollouts)
        roller, at = Roller(self.simulation, self.driver), number_of(self.simulation, self.quantity)

        def measure(carry: tuple[()], genomes: Genome) -> tuple[tuple[()], tuple[Array, ...]]:
            ended = roller.run(self.driver.prepare(genomes), keys)
            blank = jnp.full(len(ended.steps), ended.blank / len(ended.steps))  # the mean of these individuals
            found = roller.measures(ended.states)
            return carry, (found[..., at], ended.steps, blank, _hashed(found.reshape(len(found), -1)))

        # float32[P, M, S], int32[P, M], float32[P], uint32[P, 2]
        _, (values, steps, blank, behaviour) = arrays.in_chunks(measure, (), population, self.chunk)
        size = sizes(population).astype(jnp.float32)
        cases = worth(values.mean(-1).T, size, self.scale, self.parsimony, self.minimum)  # [M, P]
        metrics = {
            "evaluations": jnp.int32(steps.size),
            "unique_behaviours": arrays.count_distinct(behaviour),
            "steps": steps.sum(dtype=jnp.int32),
            "blank_controls": blank.sum() / (steps.sum() * self.simulation.controls * self.seats),
        }
        fitness = OVER[self.over](cases)
        return Evaluation(fitness, values.mean(1), metrics, cases, behaviour=behaviour), memory


def _hashed(values: Array) -> Array:
    """Return uint32[P, 2], equal for individuals with the same measures, float32[P, W], to the bit."""
    words = lax.bitcast_convert_type(values, jnp.int32).T
    return lax.scan(lambda code, word: (extend(code, word), None), jnp.zeros((len(values), 2), jnp.uint32), words)[0]
