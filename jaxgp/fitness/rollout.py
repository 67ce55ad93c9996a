"""Fitness in simulations: what is measured at the end of rollouts, in which an individual drives.

All individuals of a generation begin in the same M starts, and meet the same chance there, so that they are compared by
what they do. A rollout ends when its state is terminated, or at the horizon of the simulation.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.sharding import Mesh

from jaxgp import arrays
from jaxgp.bits import extend
from jaxgp.checks.values import whole
from jaxgp.contracts import Differentiable, Driver, Instanced, Simulation, States
from jaxgp.errors import reject
from jaxgp.fitness.among.crews import Crew, OwnRivals
from jaxgp.fitness.among.opposition import Opposition
from jaxgp.fitness.evaluation import MEASURE, Evaluation, Memoryless, child, worth
from jaxgp.fitness.roller import Ended, Roller
from jaxgp.games.casting import Cast
from jaxgp.genotypes.language import Genome, Language, language_of, sizes
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_POPULATION
from jaxgp.printable import brief
from jaxgp.spec import Instances

DRAW = np.uint32(2**32 - 1)
"""The `fold_in` number, with the child `MEASURE`, of the instances that are drawn."""
MEET = np.uint32(2**32 - 2)
"""That of whom individuals meet."""
LANES = 128
"""How many individuals drive at a time on a CPU, unless it is said.

Measured with random programs of up to 64 nodes for carts, a seventh of whose longest rollouts is their mean (4,096 x 1,
4,096 x 4, 256 x 1, 256 x 4): 128 and 256 lanes are alike, and 1.2 to 11 times as fast as one for each individual."""

OVER: dict[str, Callable[[Array], Array]] = {
    "mean": partial(jnp.mean, axis=0),
    "median": partial(jnp.median, axis=0),
    "worst": partial(jnp.min, axis=0),
}
"""How the fitness of the cases, float32[K, P], becomes that of individuals, float32[P]."""

Value = Callable[[Array], Array]
"""float32[M, seats, Q], the measures of the rollouts of one individual -> float32[K], its value in each of K cases."""


@dataclass(frozen=True)
class Shares:
    """A `Value`: the share of a quantity that an individual has, a case for each crew that it drives against.

    Attributes:
        at: the place of the quantity.
        added: what is added to what is its own.
        crews: how many there are.
    """

    at: int
    added: float
    crews: int

    def __call__(self, measures: Array) -> Array:
        """Return float32[crews] from float32[M, seats, Q]; rollout m is with crew m % crews."""
        points = measures[..., self.at].reshape(-1, self.crews, measures.shape[1]).sum(0)
        own, others = points[:, 0] + self.added, points[:, 1:].sum(1)
        return own / jnp.maximum(own + others, jnp.finfo(jnp.float32).tiny)


def number_of(simulation: Simulation, quantity: str, option: str = "fitness.quantity") -> int:
    """Return the place of a quantity among those that a simulation measures.

    Raises:
        UsageError: it measures no such quantity; the message names `option`.
    """
    names = [one.name for one in simulation.quantities]
    if quantity not in names:
        reject(option, quantity, ", ".join(names))
    return names.index(quantity)


@dataclass(frozen=True, eq=False)
class RolloutFitness(Memoryless):
    """fitness = max(minimum, scale * value - parsimony * size), over rollouts; nothing is carried along.

    Attributes:
        simulation: what is driven.
        driver: how an individual drives.
        quantity: the name of what is measured at the end of each rollout, the mean of the individual's seats; or a
            `Value`. Where there is no such value, NaN, an individual has the least fitness.
        rollouts: of each individual in a generation, in each instance with each crew; starts and chance are the same
            for all individuals.
        over: what counts of them: the mean, the median or the worst one.
        scale: see above; below 0 where less is better. So are `parsimony` and `minimum` (None: no bound).
        instances: [N, ...], where rollouts take place; None: where the settings of the simulation say.
        drawn: how many of them are drawn for each generation, without repeats; None: all.
        crews: who drives the other seats while an individual drives the first one; empty: it drives all of them.
        progress: the name of the quantity that has to grow, or a rollout is cut; None: none is cut.
        patience: steps without growth after which it is.
        lanes: how many individuals drive at a time, at most; None: on a CPU `LANES`, else all. It changes no result.
        opposition: whom individuals meet instead of crews, each others, or others in each generation; None: nobody.
        rival_names: names of the cases of a `Value`, for metrics of the fittest in each; empty: no such metrics.
        mesh: of devices that share the individuals, who then meet nobody of the population; they change no result.
        learning: what individuals learn their numbers by, before they are measured; None: they do not.

    Raises:
        UsageError: the simulation measures no such quantity, or a value is not accepted.
    """

    simulation: Simulation
    driver: Driver
    quantity: str | Value
    rollouts: int = 1
    over: str = "mean"
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None
    instances: States | None = None
    drawn: int | None = None
    crews: tuple[Crew, ...] = ()
    progress: str | None = None
    patience: int = 200
    lanes: int | None = None
    opposition: Opposition | None = None
    rival_names: tuple[str, ...] = ()
    mesh: Mesh | None = None
    learning: Differentiable[Any] | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        if not isinstance(self.simulation, Simulation):
            reject("simulation", type(self.simulation).__name__, "a Simulation, such as the game of a cast")
        if not isinstance(self.driver, Driver):
            reject("driver", type(self.driver).__name__, "a Driver, such as the actor of a cast")
        if isinstance(self.quantity, str):
            number_of(self.simulation, self.quantity)
        if self.progress is not None:
            number_of(self.simulation, self.progress, "fitness.progress")
        whole("fitness.rollouts", self.rollouts, 1, MAX_GAMES)
        whole("fitness.patience", self.patience, 1, MAX_COUNT)
        if self.lanes is not None:
            whole("fitness.lanes", self.lanes, 1, MAX_POPULATION)
        if self.over not in OVER:
            reject("fitness.over", self.over, ", ".join(OVER))
        if self.instances is not None and not isinstance(self.simulation, Instanced):
            reject("fitness.instances", "given", f"none; {self.simulation.name} has no instances")
        if self.drawn is not None:
            whole("fitness.drawn", self.drawn, 1, self.number, "the instances")

    @property
    def number(self) -> int:
        """N, the instances in which rollouts take place."""
        return 1 if self.instances is None else len(jax.tree.leaves(self.instances)[0])

    @property
    def language(self) -> Language | None:
        """What the driver's individuals are written in."""
        return language_of(self.driver)

    @property
    def differentiable(self) -> Differentiable[Any] | None:
        """What individuals can learn by."""
        return self.learning

    @property
    def seats(self) -> int:
        """S, entries of points: the quantity by seat; 1, the mean of the cases, of a value that is a function."""
        return self.simulation.seats if isinstance(self.quantity, str) else 1

    @property
    def roller(self) -> Roller:
        """What drives the rollouts."""
        grows = None if self.progress is None else number_of(self.simulation, self.progress)
        rivals = None
        if self.opposition is not None:
            driver = self.opposition.drives(self.driver)
            rivals = OwnRivals(driver, self.opposition.count, self.simulation.seats - 1)
        return Roller(self.simulation, self.driver, self.crews, grows, self.patience, rivals)

    def in_chunks(self, chunk: int | None, /) -> "RolloutFitness":
        """Return the fitness that drives at most this many individuals at a time; it finds the same."""
        lanes = [one for one in (self.lanes, chunk) if one is not None]
        return replace(self, lanes=min(lanes, default=None))

    def shared(self, mesh: Mesh | None) -> "RolloutFitness | None":
        """Return the fitness whose individuals are shared by the devices of a mesh; None if they meet each other."""
        return replace(self, mesh=mesh) if self.opposition is None else None

    def evaluate(self, key: Array, population: Genome, memory: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Measure a population [P, ...]."""
        ended = self.drive(child(key, MEASURE), population)
        found, count = ended.measures, len(ended.steps)
        worths = jax.vmap(self._value())(found)  # [P, K]
        size = sizes(population).astype(jnp.float32) if self.parsimony else jnp.float32(0)
        cases = worth(worths.T, size, self.scale, self.parsimony, self.minimum)  # [K, P]
        fitness = OVER[self.over](cases)
        behaviour = _hashed(found.reshape(count, -1))
        each = self.simulation.controls * self.roller.mine  # controls in a step
        steps = arrays.total(ended.steps, self.simulation.horizon)
        blank = arrays.total(ended.blank, self.simulation.horizon * each * ended.steps.shape[1])
        done = jnp.maximum(steps, 1).astype(jnp.float32)
        own = found[:, :, : self.roller.mine]
        fittest = own[jnp.argmax(arrays.comparable(fitness))].mean((0, 1))
        told = {"fittest": fittest, "population": jnp.nanmean(own, (0, 1, 2))}
        metrics = {
            "evaluations": jnp.int32(ended.steps.size),
            "unique_behaviours": arrays.count_distinct(behaviour),
            "steps": steps,
            "blank_controls": blank / (done * each),
            **({} if self.progress is None else {"cut": ended.cut.mean()}),
            **self._against(worths[jnp.argmax(arrays.comparable(fitness))]),
            **{
                f"{whose}_{one.name}": value
                for whose, values in told.items()
                for one, value in zip(self.simulation.quantities, values, strict=True)
                if not one.score
            },
        }
        points = found[..., self._at()].mean(1) if isinstance(self.quantity, str) else worths.mean(1)[:, None]
        if self.opposition is not None and not self.opposition.cases:
            return Evaluation(fitness, points, metrics), memory
        return Evaluation(fitness, points, metrics, cases, behaviour=behaviour), memory

    def measure(self, key: Array, population: Genome, memory: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Measure individuals [P, ...] as a referee, in rollouts with starts of their own."""
        return self.evaluate(key, population, memory)

    def drive(self, key: Array, population: Genome) -> Ended:
        """Drive the rollouts of a population [P, ...] to their ends; they depend on `key`, a typed key[]."""
        places = self.instances
        if places is not None and self.drawn is not None:
            which = jax.random.permutation(jax.random.fold_in(key, DRAW), self.number)[: self.drawn]
            places = arrays.take(jax.tree.map(jnp.asarray, places), which)
        opposed = self.opposition
        each = self.rollouts * (max(1, len(self.crews)) if opposed is None else opposed.count)  # in one instance
        number = 1 if places is None else len(jax.tree.leaves(places)[0])
        if places is not None:
            places = jax.tree.map(lambda x: jnp.repeat(jnp.asarray(x), each, axis=0), places)
        keys = jax.random.split(key, number * each)
        lanes = self.lanes or arrays.suited(LANES, None)
        if opposed is None:

            def own(where: tuple[Array, States | None], individuals: Genome) -> tuple[Array, Ended]:
                ended = self.roller.measure(self.driver.prepare(individuals), *where, lanes)
                return ended.rounds, ended.replace(rounds=None)  # type: ignore[attr-defined]

            rounds, ended = arrays.in_shares(own, (keys, places), population, self.mesh)
            return ended.replace(rounds=rounds.max())  # type: ignore[attr-defined]
        plans = self.driver.prepare(population)
        met = opposed.meet(jax.random.fold_in(key, MEET), plans, len(jax.tree.leaves(population)[0]))
        ended = self.roller.measure(plans, keys, places, lanes, met)
        return ended.replace(measures=opposed.seen(met, ended.measures))  # type: ignore[attr-defined]

    def _against(self, values: Array) -> dict[str, Array]:
        """Return metrics of the fittest, float32[K], by rival."""
        names = (f"fittest_share_against_{name}" for name in self.rival_names)
        return dict(zip(names, values[: len(self.rival_names)], strict=True))

    def _at(self) -> int:
        assert isinstance(self.quantity, str)
        return number_of(self.simulation, self.quantity)

    def _value(self) -> Value:
        if not isinstance(self.quantity, str):
            return self.quantity
        at, mine = self._at(), self.roller.mine
        return lambda measures: measures[:, :mine, at].mean(-1)


def instances(option: str, names: Sequence[str], cast: Cast, split: str = "train") -> Instances:
    """Return instances of a simulation, in the order of their lists, in NumPy arrays.

    Args:
        option: what named the lists, for messages.
        names: of lists, or of files.
        cast: the simulation.
        split: `train`, those that evolution may see; `test`, the others; or `all`.

    Raises:
        UsageError: the simulation has none, or a list cannot be used, or has none of this side.
    """
    if cast.spec.instances is None or not isinstance(cast.game, Instanced):
        reject(option, list(names), f"[]; {cast.spec.name} has no instances")
    found = []
    for name in names:
        one = cast.spec.instances.load(cast.game, name, option)
        wanted = np.full(len(one.names), True) if split == "all" else one.test if split == "test" else ~one.test
        if not wanted.any():
            why = f"this has no instance for {'testing' if split == 'test' else 'training'}"
            reject(option, name, f"a list with instances of the split {split}; {why}")
        kept = tuple(label for label, there in zip(one.names, wanted, strict=True) if there)
        states = jax.tree.map(lambda x, w=wanted: np.asarray(x)[w], one.states)
        found.append(Instances(kept, states, one.test[wanted]))
    states = jax.tree.map(lambda *x: np.concatenate(x), *(one.states for one in found))
    kept = tuple(label for one in found for label in one.names)
    return Instances(kept, states, np.concatenate([one.test for one in found]))


def _hashed(values: Array) -> Array:
    """Return uint32[P, 2], equal for individuals with the same measures, float32[P, W], to the bit."""
    words = lax.bitcast_convert_type(values, jnp.int32).T
    return lax.scan(lambda code, word: (extend(code, word), None), jnp.zeros((len(values), 2), jnp.uint32), words)[0]
