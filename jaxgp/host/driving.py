"""One rollout of a simulation on the host, step by step, and how people are shown it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import Simulation, States
from jaxgp.fitness.roller import RecordedRollout, Roller, simulate
from jaxgp.host.animation import animate
from jaxgp.host.replay import ReplayGame
from jaxgp.spec import Hand, Spec

PICTURES = 100
"""The most pictures of a rollout, where its simulation does not draw it in one."""
ROUNDING = 1e-4
"""How far apart numbers are taken for equal: by this share of their size, or where this is more, by this."""


class Difference(NamedTuple):
    """Where two rollouts part.

    Attributes:
        step: the first step after which their states differ; 0: they begin differently.
        field: the part of the state that does, as in `.speed`.
        one: its value in the one rollout, and in the other one.
        other: see `one`.
    """

    step: int
    field: str
    one: Any
    other: Any


@dataclass(frozen=True, eq=False)
class Driven:
    """A rollout, from its start to its end.

    Attributes:
        spec: the simulation.
        game: its rules.
        names: of the drivers, by seat.
        key: key[] of the rollout, from which its start and all chance in it follow.
        states: [N + 1], in NumPy arrays.
        controls: float32[N, seats, K], as they were given; those that are not finite count as 0.
    """

    spec: Spec
    game: Simulation
    names: tuple[str, ...]
    key: Array
    states: States
    controls: np.ndarray

    def __str__(self) -> str:
        return f"{' and '.join(self.drivers)}, {self.steps} steps: {self.title}"

    def __repr__(self) -> str:
        return f"Driven({self.spec.name}, {self.steps} steps)"

    def _repr_html_(self) -> str:
        return self.svg()

    @property
    def steps(self) -> int:
        """N."""
        return len(self.controls)

    def state(self, step: int) -> States:
        """Return the state after so many steps; a negative number counts from the end."""
        return jax.tree.map(lambda x: x[step], self.states)

    @property
    def finished(self) -> bool:
        """Whether it came to an end by itself, not at the horizon."""
        return bool(np.asarray(self.states.terminated)[-1])

    @cached_property
    def values(self) -> np.ndarray:
        """float32[seats, Q]: the quantities at the end."""
        return np.asarray(jax.jit(self.game.measures)(self.state(-1)))

    @property
    def drivers(self) -> list[str]:
        """The names of the drivers, each once."""
        return list(dict.fromkeys(self.names))

    @property
    def measures(self) -> dict[str, float]:
        """The quantities at the end by name, without scores; see `measured`."""
        return self.measured(self.names[0])

    def measured(self, driver: str) -> dict[str, float]:
        """Return the quantities of a driver at the end by name, without scores; of several seats the mean."""
        seats = [seat for seat, name in enumerate(self.names) if name == driver]
        named = zip(self.game.quantities, self.values[seats].mean(0), strict=True)
        return {one.name: float(value) for one, value in named if not one.score}

    @property
    def title(self) -> str:
        """The quantities of the first driver at the end, in words."""
        return self.told(self.names[0])

    def told(self, driver: str) -> str:
        """Return the quantities of a driver at the end, in words."""
        units, said = {one.name: one.unit for one in self.game.quantities}, []
        for name, value in self.measured(driver).items():
            said.append(f"no {name}" if math.isnan(value) else f"{name} {value:g} {units[name]}".rstrip())
        return ", ".join(said)

    def lines(self) -> list[str]:
        """Return the rollout as text: the simulation's own lines, or a drawing of each state."""
        own = list(self.spec.showing.lines(self.game, self.states))
        return own or [self.spec.drawing.text(self.game, self.state(step)) for step in range(self.steps + 1)]

    def frames(self, beside: Sequence["Driven"] = ()) -> list[tuple[str, str]]:
        """Return captions and pictures: one of the whole rollout, or up to `PICTURES` states, the last one among them.

        A picture of the whole may move by itself. It has the rollouts that are given, too.
        """
        whole = picture([self, *beside])
        if whole is not None:
            return [(f"{self.steps} steps", whole)]
        shown = sorted({*range(0, self.steps, -(-(self.steps + 1) // PICTURES)), self.steps})
        return [(f"step {at} of {self.steps}", self.spec.drawing.svg(self.game, self.state(at))) for at in shown]

    def svg(self) -> str:
        """Return one picture of the whole rollout, which may move by itself."""
        return picture([self]) or animate(self.frames(), self.names)


class Pictured(Protocol):
    """A rollout that a picture can have."""

    @property
    def spec(self) -> Spec: ...

    @property
    def game(self) -> Simulation: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def states(self) -> States: ...


def picture(rollouts: Sequence[Pictured]) -> str | None:
    """Return one picture of rollouts of a simulation, by the names of their drivers; None if it has none."""
    first = rollouts[0]
    if first.spec.showing.picture is None:
        return None
    named: dict[tuple[str, ...], States] = {}
    for one in rollouts:
        names, times = one.names, 1
        while names in named:  # the same drivers once more
            times += 1
            names = tuple(f"{name} ({times})" for name in one.names)
        named[names] = one.states
    return first.spec.showing.picture(first.game, named)


def drive(spec: Spec, game: Simulation, hands: Sequence[tuple[str, Hand]], key: Array) -> Driven:
    """Let drivers drive one rollout.

    Args:
        spec: the simulation.
        game: its rules.
        hands: a name and a driver for each seat; of several seats one may drive all.
        key: typed key[], of the rollout.
    """
    (_, first), *rest = hands
    roller = Roller(game, first.driver, (tuple(hand for _, hand in rest),) if rest else ())

    def record(genome: Any, key: Array) -> RecordedRollout:
        return roller.record(first.driver.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], genome)), key)

    found = jax.device_get(jax.jit(record)(first.genome, key))
    steps = int(found.steps)
    names = [name for name, _ in hands]
    states = jax.tree.map(lambda x: x[: steps + 1], found.states)
    return Driven(spec, game, tuple(names if rest else names * game.seats), key, states, found.controls[:steps])


def drive_again(spec: Spec, game: Simulation, names: tuple[str, ...], key: Array, controls: np.ndarray) -> Driven:
    """Return the rollout that controls, float32[N, seats, K], make; it ends where its state is terminated."""
    states = jax.device_get(_simulator(game)(key, jnp.asarray(controls)))
    ended = np.flatnonzero(states.terminated)
    steps = min(len(controls), int(ended[0])) if len(ended) else len(controls)
    return Driven(spec, game, names, key, jax.tree.map(lambda x: x[: steps + 1], states), controls[:steps])


@lru_cache(maxsize=16)
def _simulator(game: Simulation) -> Callable[[Array, Array], States]:
    return jax.jit(partial(simulate, game))


def difference(one: States, other: States) -> Difference | None:
    """Return where two rollouts, [N + 1] and [M + 1] states in NumPy arrays, part; None if they never do.

    Numbers within `ROUNDING` of each other are taken for equal: compiled in another way, a step rounds differently.
    """
    mine, named = jax.tree.leaves(one), jax.tree_util.tree_leaves_with_path(other)
    both, found = min(len(mine[0]), len(named[0][1])), []
    for x, (path, y) in zip(mine, named, strict=True):
        near = np.isclose(x[:both], y[:both], ROUNDING, ROUNDING, equal_nan=True)
        apart = np.flatnonzero(~near.reshape(both, -1).all(1))
        if len(apart):
            at = int(apart[0])
            found.append(Difference(at, jax.tree_util.keystr(path), x[at].tolist(), y[at].tolist()))
    if found or len(mine[0]) == len(named[0][1]):
        return min(found, key=lambda one: one.step, default=None)
    return Difference(both, "steps", len(mine[0]) - 1, len(named[0][1]) - 1)


def replay_rollout(rollout: Driven, who: str = "the champion", beside: Sequence[Driven] = ()) -> ReplayGame:
    """Return a rollout for the report: its pictures, with others `beside` it, and what is measured at its end."""
    result: dict[str, str | float] = {"steps": rollout.steps, **rollout.measures}
    others = " and ".join(rollout.drivers[1:])
    against = f" against {others}" if others else ""
    return ReplayGame(f"{who}'s rollout{against}: {rollout.title}", rollout.frames(beside), result)
