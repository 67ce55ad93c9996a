"""Adjoints: drivers learn by how the value of a program in a step of a rollout changes what grows later.

Each step of a rollout is linearised. If the state changes by dx and the controls by du, the next state changes by
A dx + B du, and what the driver perceives by C dx. The derivative of later growth by a state follows from that by the
next state, from the end of the rollout backwards: the adjoint equation of optimal control (A. Bryson, Y.-C. Ho,
"Applied Optimal Control", 1969). The driver answers what it perceives, so its own derivatives are part of each step.
Growth is discounted. This keeps derivatives finite where a rollout is unstable; J. Xu and others, "Accelerated policy
learning with parallel differentiable simulation" (2022), cut rollouts for the same reason.

The derivative by a value of the program says whether this value should have been higher or lower. The program learns
such values by least squares. So its numbers follow the gradient of discounted growth, the steps of all programs are
alike, and values stay near those at which the derivatives hold.

A, B and C are computed in forward mode, so a simulation may contain loops of any length.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp import arrays
from jaxgp.checks.values import whole
from jaxgp.contracts import Differentiable, Instanced, Simulation, States
from jaxgp.errors import reject
from jaxgp.fitness.roller import Roller, Rollouts, advance
from jaxgp.fitness.taught.options import AdjointOptions
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.reverse.gradients import Examples, plan_tapes, slopes_by_features
from jaxgp.options import MAX_COUNT
from jaxgp.players.driver import ProgramDriver
from jaxgp.printable import brief

BLOCK = 128
"""Positions of a block of examples, at most."""
TOGETHER = 16
"""Individuals whose derivatives by features are found side by side."""
MOST = 3.0
"""No value is to move by more than this times the median of those that are to move."""
LIMIT = 1e6
"""Derivatives by states are clipped to this."""
TRIED = 32
"""Steps with random controls, after which derivatives of quantities are looked at, as at the start."""


class Aim(NamedTuple):
    """What the loss knows of a block of positions."""

    goal: Array  # float32[..., B]: the value that a program is to have
    weight: Array  # float32[..., B]: of its squared error; 0 where there is no position


class Way(NamedTuple):
    """A step of rollouts [P, M]; scanned, [K, P, M]."""

    states: Any  # before the step
    steps: Array  # int32: its number
    going: Array  # bool: whether it was made
    controls: Array  # float32[..., seats, C]: of all seats


Part = tuple[Way, Any]
"""Steps [K, P, M, ...] of rollouts, and the states [P, M] after them."""


@dataclass(frozen=True, eq=False)
class Adjoint(Differentiable[Any]):
    """The loss of drivers by rollouts of their own: the squared distance of values from where they should have been.

    Attributes:
        simulation: what is driven; each individual drives all of its seats.
        driver: how.
        grows: the place of the quantity that is to grow, the sum of all seats.
        asked: how many rollouts, and what is learned from them.
        instances: [N, ...], of which each rollout takes place in one; None: where the settings of the simulation say.
        progress: the place of the quantity that has to grow, or a rollout is cut; None: none is cut.
        patience: steps without growth after which it is.

    Raises:
        UsageError: a value that is not accepted, or a driver that is not a program's values.
    """

    simulation: Simulation
    driver: ProgramDriver
    grows: int
    asked: AdjointOptions
    instances: States | None = None
    progress: int | None = None
    patience: int = 200

    own: ClassVar[bool] = True

    __repr__ = brief

    def __post_init__(self) -> None:
        if not isinstance(self.driver, ProgramDriver):
            reject("driver", type(self.driver).__name__, "a ProgramDriver, whose controls are a program's values")
        whole("rollouts", self.asked.rollouts, 1, MAX_COUNT)
        whole("grows", self.grows, 0, len(self.simulation.quantities) - 1)
        if self.instances is not None and not isinstance(self.simulation, Instanced):
            reject("instances", "given", f"none; {self.simulation.name} has no instances")

    @property
    def roller(self) -> Roller:
        """What drives the rollouts."""
        return Roller(self.simulation, self.driver, (), self.progress, self.patience)

    @property
    def learned(self) -> int:
        """Steps of a rollout that are learned from."""
        return min(self.asked.steps, self.simulation.horizon)

    @property
    def ahead(self) -> int:
        """Further steps, whose growth counts for those: after them it would count a seventh."""
        return round(2 / (1 - self.asked.discount))

    def examples(self, key: Array, population: Programs, memory: Any) -> Examples:
        """Return positions of rollouts of each individual, [P, K, ...]; each is a step, a seat and a tree."""
        del memory
        keys, way, last = self.drive(key, population)
        seen, values, slopes = self.slopes(population, keys, way, last)
        learned = slice(0, self.learned)
        there = jnp.broadcast_to(way.going[learned, ..., None, None], values[learned].shape)
        found = (values[learned], jnp.where(there, slopes[learned], 0.0), there)
        values, slopes, there = (_by_tree(x) for x in found)  # [P, T, N]
        number = jnp.maximum(there.sum(-1, keepdims=True), 1)

        size = arrays.finite(jnp.sqrt(jnp.where(there, jnp.square(values), 0.0).sum(-1, keepdims=True) / number))
        usual = arrays.finite(jnp.nanmedian(jnp.where(slopes != 0, jnp.abs(slopes), jnp.nan), -1, keepdims=True))
        move = jnp.clip(slopes / jnp.maximum(usual, np.finfo(np.float32).tiny), -MOST, MOST)
        far = self.asked.reach * size
        valued = there & (far > 0) & jnp.isfinite(values)
        weight = valued / jnp.where(far > 0, jnp.square(far), 1.0) / number
        goal = jnp.where(valued, values + far * move, 0.0)
        return _in_blocks(_by_tree(seen[learned]), goal, weight)

    def loss(self, values: Array, known: Aim) -> Array:
        """Return float32[], the weighted sum of squared errors of values, float32[B]."""
        there = known.weight > 0
        error = jnp.where(there, values - known.goal, 0.0)
        return (known.weight * jnp.square(error)).sum()

    def drive(self, key: Array, population: Programs) -> tuple[Array, Way, Any]:
        """Drive rollouts of individuals [P, ...], and return a part of each, drawn at random, step by step.

        A part is as many steps as are learned from, and then as count for those. The first one begins earlier, by a
        random number of steps that are not made. A part is drawn in proportion to the steps that are learned from.

        Returns:
            The keys of the rollouts, typed key[M]; the steps, [K, P, M, ...]; and the states after them, [P, M].
        """
        play, place, draw = jax.random.split(key, 3)
        roller, plans = self.roller, self.driver.prepare(population)
        places = self.instances
        if places is not None:
            number = len(jax.tree.leaves(places)[0])
            which = jax.random.randint(place, (self.asked.rollouts,), 0, number)
            places = arrays.take(jax.tree.map(jnp.asarray, places), which)
        keys = jax.random.split(play, self.asked.rollouts)
        begun = roller.begin(plans, keys, places)
        length, step = self.learned + self.ahead, roller.stepper(plans, keys)
        waits = jax.random.randint(draw, (), 0, length)

        def on(now: Rollouts, wait: Array) -> tuple[Rollouts, Way]:
            after, controls = step(now.replace(cut=now.cut | wait))  # type: ignore[attr-defined]
            way = Way(now.states, now.steps, roller.going(now) & ~wait, controls)
            return after.replace(cut=now.cut), way  # type: ignore[attr-defined]

        def part(carry: tuple[Rollouts, Part, Array, Array]) -> tuple[Rollouts, Part, Array, Array]:
            now, held, number, whole = carry
            wait = (number == 0) & (jnp.arange(length) < waits)
            after, way = lax.scan(on, now, wait)
            # A part replaces the one that is held with the chance of its steps among all so far.
            size = way.going[: self.learned].sum(0)
            lots = jax.random.uniform(jax.random.fold_in(draw, number), size.shape)
            mine = lots * (whole + size) < size
            kept = jax.tree.map(lambda x, y: jax.vmap(partial(arrays.where, mine))(x, y), way, held[0])
            held = kept, arrays.where(mine, after.states, held[1])
            return roller.without_stuck(after), held, number + 1, whole + size

        empty = jax.tree.map(
            lambda x: jnp.zeros(x.shape, x.dtype),
            jax.eval_shape(partial(lax.scan, on), begun, waits > np.zeros(length))[1],
        )
        first = begun, (empty, begun.states), jnp.int32(0), jnp.zeros_like(begun.steps)
        _, (way, last), *_ = lax.while_loop(lambda carry: roller.going(carry[0]).any(), part, first)
        return keys, way, last

    def slopes(self, population: Programs, keys: Array, way: Way, last: Any) -> tuple[Array, Array, Array]:
        """Return what programs see in steps [K, P, M], their values, and the derivatives of discounted growth by them.

        Args:
            population: [P, T, L].
            keys: typed key[M], of the rollouts.
            way: the steps, [K, P, M, ...].
            last: the states after them, [P, M].

        Returns:
            float32[K, P, M, seats, F], float32[K, P, M, seats, T] and the same.
        """
        world, seats = self.simulation, jnp.arange(self.simulation.seats)
        sensed = jax.vmap(jax.vmap(jax.vmap(lambda s: jax.vmap(partial(world.sense, s))(seats))))(way.states)
        seen = jnp.moveaxis(self.driver.view(jnp.moveaxis(sensed, -1, 0)), 0, -1)
        values, by_seen = self._values(population, seen)
        state = jax.vmap(jax.vmap(self._growing))
        back = jax.vmap(jax.vmap(self._back), (None, *[0] * 5))

        def step(later: Array, one: tuple[Way, Array, Array, Array]) -> tuple[Array, Array]:
            return back(keys, later, *one)

        _, slopes = lax.scan(step, state(last), (way, sensed, values, by_seen), reverse=True)
        return seen, values, slopes

    def _back(
        self, key: Array, later: Array, way: Way, sensed: Array, values: Array, by_seen: Array
    ) -> tuple[Array, Array]:
        """Go back by a step of one rollout; x of n numbers are what the state has of them.

        Args:
            key: typed key[], of the rollout.
            later: float32[n], the derivative by the next state: of the quantity there, and of growth after it.
            way: the step.
            sensed: float32[seats, F], what is perceived before it.
            values: float32[seats, T], of the program.
            by_seen: float32[seats, T, N], their derivatives by what it sees.

        Returns:
            float32[n] as `later`, by the state before the step, and float32[seats, T], by the values.
        """
        world, seats, state = self.simulation, jnp.arange(self.simulation.seats), way.states
        x, controls = _numbers(state), arrays.finite(way.controls)
        move = lambda x, u: _numbers(advance(world, _with_numbers(state, x), u, key, way.steps))  # noqa: E731
        perceive = lambda x: jax.vmap(partial(world.sense, _with_numbers(state, x)))(seats)  # noqa: E731
        by_state, by_controls = (arrays.finite(one) for one in jax.jacfwd(move, (0, 1))(x, controls))
        by_place = arrays.finite(jax.jacfwd(perceive)(x))
        growing = self._growing(state)
        controlled = jnp.tensordot(later, by_controls, 1)  # [seats, C]
        controlled = jnp.where(jnp.isfinite(way.controls), controlled, 0.0)

        def answer(sensed: Array, values: Array, by_seen: Array, slope: Array) -> tuple[Array, Array]:
            _, pull = jax.vjp(self.driver.decide, sensed, values)
            by_sensed, by_values = map(arrays.finite, pull(slope))
            _, look = jax.vjp(self.driver.view, sensed)
            (more,) = look(arrays.finite(jnp.tensordot(by_values, by_seen, 1)))
            return by_sensed + arrays.finite(more), by_values

        by_sensed, by_values = jax.vmap(answer)(sensed, values, by_seen, controlled)
        before = later @ by_state + jnp.tensordot(by_sensed, by_place, 2) - growing
        before = jnp.clip(arrays.finite(before), -LIMIT, LIMIT)
        found = growing + self.asked.discount * before
        return jnp.where(way.going, found, growing), jnp.where(way.going, by_values, 0.0)

    def _growing(self, state: Any) -> Array:
        """Return float32[n]: the derivative of what is to grow by the numbers of a state."""
        total = lambda x: _totals(self.simulation, state)(x)[self.grows]  # noqa: E731
        return arrays.finite(jax.jacfwd(total)(_numbers(state)))

    def _values(self, population: Programs, seen: Array) -> tuple[Array, Array]:
        """Return float32[K, P, M, seats, T], the values of all trees, and float32[..., T, N], by what is seen."""
        steps, count, rollouts, seats, _ = seen.shape
        own = jnp.moveaxis(seen, 1, 0).reshape(count, -1, seen.shape[-1])  # [P, positions, N]
        number = own.shape[1]
        blocks = -(-number // BLOCK)
        own = jnp.pad(own, ((0, 0), (0, -number % BLOCK), (0, 0))).reshape(count, blocks, BLOCK, -1)

        def some(these: tuple[Programs, Array]) -> tuple[Array, Array]:
            programs, features = these
            tapes = plan_tapes(self.driver.primitives, programs)
            by_block = lambda one: slopes_by_features(self.driver.primitives, tapes, programs, one)  # noqa: E731
            found = lax.map(by_block, features.transpose(1, 0, 3, 2))  # [blocks, P, T, B] and [..., T, N, B]
            by_program: tuple[Array, Array] = jax.tree.map(lambda x: jnp.moveaxis(x, (1, -1), (0, 2)), found)
            return by_program  # [P, blocks, B, T, ...]

        values, slopes = arrays.in_groups(some, (population, own), population.length.sum(-1), TOGETHER)

        def placed(x: Array) -> Array:  # [P, blocks, B, T, ...] as [K, P, M, seats, T, ...]
            x = x.reshape(count, blocks * BLOCK, *x.shape[3:])[:, :number]
            return jnp.moveaxis(x.reshape(count, steps, rollouts, seats, *x.shape[2:]), 0, 1)

        return placed(values), placed(slopes)


@lru_cache
def changing(world: Simulation) -> tuple[str, ...]:
    """Return the names of the quantities that change with the real numbers of a state; compiled once for a simulation.

    Looked at are a start and the state after `TRIED` steps with controls that are drawn from a normal distribution.
    Whole numbers, and real ones that are rounded or counted in steps, have no derivative anywhere.
    """

    def look(key: Array) -> Array:
        begun = world.init(key)
        pushed, _ = lax.scan(
            lambda now, one: (advance(world, now, one[0], key, one[1]), None),
            begun,
            (jax.random.normal(key, (TRIED, world.seats, world.controls)), jnp.arange(TRIED, dtype=jnp.int32)),
        )
        slopes = [jax.jacfwd(_totals(world, one))(_numbers(one)) for one in (begun, pushed)]
        return (arrays.finite(jnp.stack(slopes)) != 0).any((0, -1))

    found = np.asarray(jax.jit(look)(jax.random.key(0)))
    return tuple(one.name for one, there in zip(world.quantities, found, strict=True) if there)


def _totals(world: Simulation, state: Any) -> Callable[[Array], Array]:
    """Return x, float32[n] -> float32[Q]: each quantity, the sum of all seats, in a state with these numbers."""
    return lambda x: world.measures(_with_numbers(state, x)).sum(0)


def _numbers(state: Any) -> Array:
    """Return float32[n]: all real numbers of a state."""
    real = [x for x in jax.tree.leaves(state) if jnp.issubdtype(jnp.result_type(x), jnp.floating)]
    return jnp.concatenate([jnp.ravel(x) for x in real]) if real else jnp.zeros(0)


def _with_numbers(state: Any, numbers: Array) -> Any:
    """Return a state with other real numbers, float32[n]."""
    leaves, form = jax.tree.flatten(state)
    found, at = [], 0
    for leaf in leaves:
        if jnp.issubdtype(jnp.result_type(leaf), jnp.floating):
            size = jnp.size(leaf)
            leaf, at = numbers[at : at + size].reshape(jnp.shape(leaf)), at + size
        found.append(leaf)
    return jax.tree.unflatten(form, found)


def _by_tree(x: Array) -> Array:
    """Return [P, T, N] from [K, P, M, seats, T]: N positions of each tree, or of each feature."""
    x = x.transpose(1, 4, 0, 2, 3)
    return x.reshape(*x.shape[:2], -1)


def _in_blocks(seen: Array, goal: Array, weight: Array) -> Examples:
    """Return positions of all trees in blocks, each of one tree.

    Args:
        seen: float32[P, F, N], what programs see.
        goal: float32[P, T, N], what the trees are to be worth there.
        weight: float32[P, T, N], such that all of an individual's weights add up to a loss.
    """
    count, trees, number = goal.shape
    blocks = -(-number // BLOCK)
    width = -(-number // blocks)

    def cut(x: Array) -> Array:  # [P, C, N] as [P, C, blocks, width]
        x = jnp.pad(x, ((0, 0), (0, 0), (0, blocks * width - number)))
        return x.reshape(count, -1, blocks, width)

    features = jnp.broadcast_to(cut(seen).swapaxes(1, 2)[:, None], (count, trees, blocks, seen.shape[1], width))
    goal, weight = cut(goal), cut(weight) * blocks  # the loss is the mean of blocks, whose trees count alike
    tree = jnp.where(weight > 0, jnp.arange(trees, dtype=jnp.int32)[:, None, None], trees)
    flat = lambda x: x.reshape(count, trees * blocks, *x.shape[3:])  # noqa: E731
    return Examples(flat(features), flat(tree), Aim(flat(goal), flat(weight)))
