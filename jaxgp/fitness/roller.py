"""Rollouts of simulations on the device: the loop in which drivers drive, and lanes that individuals share.

Step `n` of a rollout draws from its key as ply `n` of a game does (`jaxgp.players.ply`), on the device and on the host:
the drivers' bits from `fold_in(key, n)`, chance after the step from a child of this. The start is drawn from
`fold_in(key, START)`.

Individuals whose rollouts have all ended leave their lane to the next one. Where lanes are shared, equal individuals
have one: what a rollout finds depends on its driver, its key and its instance alone, never on the lanes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Generic

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp import arrays
from jaxgp.contracts import Driver, Instanced, Plans, Simulation
from jaxgp.errors import reject
from jaxgp.fitness.among.crews import Crew, Crews, Met, Others, OwnRivals
from jaxgp.players import ply
from jaxgp.search.chance import unused_key

START = np.uint32(2**32 - 1)
"""The `fold_in` number of the start of a rollout; no step reaches it."""
STRIDE = 16
"""Steps after which it is seen who has ended, and who makes no progress: few enough that a lane waits little."""

State = Any


@struct.dataclass
class Rollouts:
    """M rollouts of each of P individuals, so far."""

    states: State  # [P, M]
    steps: Array  # int32[P, M]
    memory: Any  # what the individuals remember, [P, M * seats of an individual]
    others: Any  # what the drivers of the other seats remember
    blank: Array  # int32[P]: controls of individuals that were not finite
    best: Array  # float32[P, M]: the most progress so far
    since: Array  # int32[P, M]: the step after which there was more of it for the last time
    cut: Array  # bool[P, M]: whether it was stopped, since there was no progress


@struct.dataclass
class Ended:
    """What M rollouts of each of P individuals came to."""

    measures: Array  # float32[P, M, seats, Q]
    steps: Array  # int32[P, M]
    blank: Array  # int32[P]
    cut: Array  # bool[P, M]
    rounds: Array  # int32[]: steps of the loop; times lanes, what was computed
    scores: Array  # float32[P, M, seats]: the higher, the better


@struct.dataclass
class RecordedRollout:
    """One rollout, step by step; after its end the state stays as it is, and the controls mean nothing."""

    states: State  # [horizon + 1]
    controls: Array  # float32[horizon, seats, K], as they were given: perhaps not finite
    steps: Array  # int32[]: how many there were


@struct.dataclass
class _Who:
    """Who drives."""

    plans: Any  # of the individuals, [P, ...]
    others: Any  # of the others, see `jaxgp.fitness.among.crews`


@dataclass(frozen=True, eq=False)
class Roller(Generic[Plans]):
    """Individuals drive rollouts, all at once, each until it ends.

    The M rollouts of an individual begin as those of all others do. With C crews rollout `m` is driven with crew m % C;
    and with rivals of one's own in the same way.

    Attributes:
        simulation: what is driven.
        driver: how an individual drives, and what it remembers for each seat.
        crews: who drives the other seats; an individual drives the first one. Empty: it drives all.
        progress: the place of the quantity that has to grow, of the individual's seats the most; None: none has to.
        patience: steps without growth after which a rollout is cut, and measured as it stands. This is looked at every
            `STRIDE` steps.
        rivals: instead of crews, rivals of each individual's own; None: there are none.
    """

    simulation: Simulation
    driver: Driver[Plans, Any]
    crews: tuple[Crew, ...] = ()
    progress: int | None = None
    patience: int = 0
    rivals: OwnRivals | None = None

    def __post_init__(self) -> None:
        others = self.simulation.seats - 1
        for crew in self.crews:
            if len(crew) != others or not others:
                reject("crews", f"{len(crew)} drivers", f"crews of {others}, the other seats of {self.simulation.name}")

    @property
    def mine(self) -> int:
        """How many seats an individual drives."""
        return 1 if self.crews or self.rivals else self.simulation.seats

    @cached_property
    def others(self) -> Others:
        """Who drives the other seats, if an individual drives the first one alone."""
        return self.rivals or Crews(self.crews)

    def start(self, keys: Array, instances: State | None = None) -> State:
        """Return the starts [M] of rollouts.

        Args:
            keys: typed key[M].
            instances: [M], of a simulation that is `Instanced`; None: all in that of its settings.
        """
        drawn = jax.vmap(lambda key: jax.random.fold_in(key, START))(keys)
        if instances is None:
            return jax.vmap(self.simulation.init)(drawn)
        assert isinstance(self.simulation, Instanced)
        return jax.vmap(self.simulation.begin)(instances, drawn)

    def begin(self, plans: Plans, keys: Array, instances: State | None = None) -> Rollouts:
        """Return the rollouts of `run` at their starts, which depend on keys and instances alone."""
        return self._begin(self._who(plans), self.start(keys, instances))

    def run(self, plans: Plans, keys: Array, instances: State | None = None) -> Rollouts:
        """Drive all rollouts of P individuals to their ends, side by side.

        Args:
            plans: of the individuals, from the driver's `prepare`.
            keys: typed key[M], of the rollouts; those of all individuals have the same ones.
            instances: see `start`.
        """
        return self._run(self._who(plans), keys, instances)[0]

    def _run(self, who: _Who, keys: Array, instances: State | None) -> tuple[Rollouts, Array]:
        """Do what `run` does; return also int32[], the steps of the loop."""

        def go(carry: tuple[Rollouts, Array]) -> tuple[Rollouts, Array]:
            after, steps = self._strode(who, keys, carry[0])
            return after, carry[1] + steps

        begun = self._begin(who, self.start(keys, instances)), jnp.int32(0)
        return lax.while_loop(lambda carry: self.going(carry[0]).any(), go, begun)

    def measure(
        self,
        plans: Plans,
        keys: Array,
        instances: State | None = None,
        lanes: int | None = None,
        met: Met | None = None,
    ) -> Ended:
        """Drive all rollouts of P individuals to their ends, and measure them there.

        Args:
            plans: see `run`, as are `keys` and `instances`.
            keys: see `run`.
            instances: see `run`.
            lanes: how many individuals drive at a time, at most; who has ended makes room for the next one. None: all.
            met: whom each of them meets, where there are `rivals`.
        """
        count, who = len(jax.tree.leaves(plans)[0]), self._who(plans, met)
        if lanes is None or lanes >= count:
            ended, rounds = self._run(who, keys, instances)
            return self._ended(ended, rounds)
        return self._shared(who, keys, instances, count, lanes)

    def stepper(self, plans: Plans, keys: Array) -> Callable[[Rollouts], tuple[Rollouts, Array]]:
        """Return the function that advances rollouts which go on by a step, and returns controls [P, M, seats, K]."""
        who = self._arranged(self._who(plans))
        return lambda rollouts: self._step(who, keys, rollouts)

    def without_stuck(self, rollouts: Rollouts) -> Rollouts:
        """Return rollouts, of which those without progress are cut."""
        if self.progress is None:
            return rollouts
        now = self._progress(rollouts.states)
        grown = now > rollouts.best
        since = jnp.where(grown, rollouts.steps, rollouts.since)
        cut = rollouts.cut | (self.going(rollouts) & (rollouts.steps - since >= self.patience))
        return rollouts.replace(best=jnp.where(grown, now, rollouts.best), since=since, cut=cut)  # type: ignore[attr-defined]

    def record(self, plans: Plans, key: Array, instance: State | None = None) -> RecordedRollout:
        """Return the rollout of one individual, which is never cut: else its states are those of `run`.

        Args:
            plans: of the one individual, [1, ...].
            key: typed key[], of the rollout.
            instance: where it takes place; see `start`.
        """
        who, place = (
            self._who(plans),
            None if instance is None else jax.tree.map(lambda x: jnp.asarray(x)[None], instance),
        )
        begun = self._begin(who, self.start(key[None], place))

        arranged = self._arranged(who)

        def step(rollouts: Rollouts, _: None) -> tuple[Rollouts, tuple[State, Array]]:
            after, controls = self._step(arranged, key[None], rollouts)
            return after, (after.states, controls)

        ended, (states, controls) = lax.scan(step, begun, None, self.simulation.horizon)
        whole = jax.tree.map(lambda x, y: jnp.concatenate([x[None], y])[:, 0, 0], begun.states, states)
        return RecordedRollout(whole, controls[:, 0, 0], ended.steps[0, 0])

    def measures(self, states: State) -> Array:
        """Return float32[P, M, seats, Q]: the quantities of the simulation in states [P, M]."""
        found: Array = jax.vmap(jax.vmap(self.simulation.measures))(states)
        return found

    def _ended(self, rollouts: Rollouts, rounds: Array) -> Ended:
        """Return what rollouts [P, M] have come to, after so many steps of the loop."""
        scores = jax.vmap(jax.vmap(self.simulation.score))(rollouts.states)
        measures = self.measures(rollouts.states)
        return Ended(measures, rollouts.steps, rollouts.blank, rollouts.cut, rounds, scores)

    def _progress(self, states: State) -> Array:
        """Return float32[P, M]: how far an individual has come in states [P, M]."""
        if self.progress is None:
            return jnp.zeros(states.terminated.shape)
        return arrays.comparable(self.measures(states)[:, :, : self.mine, self.progress].max(-1))

    def going(self, rollouts: Rollouts) -> Array:
        """Return bool[P, M]: which rollouts go on."""
        return ply.going(rollouts.states, rollouts.steps, self.simulation.horizon) & ~rollouts.cut

    def _who(self, plans: Plans, met: Met | None = None) -> _Who:
        return _Who(plans, self.others.prepare(met))

    def _arranged(self, who: _Who) -> _Who:
        return _Who(self.driver.arrange(who.plans), self.others.arrange(who.others))

    def _begin(self, who: _Who, start: State) -> Rollouts:
        """Return the rollouts of P individuals at their starts [M]."""
        count, rollouts = len(jax.tree.leaves(who.plans)[0]), len(jax.tree.leaves(start)[0])
        shape = count, rollouts
        states = jax.tree.map(lambda x: jnp.broadcast_to(x, (count, *x.shape)), start)
        return Rollouts(
            states,
            jnp.zeros(shape, jnp.int32),
            self.driver.start(who.plans, rollouts * self.mine),
            self.others.start(who.others, count, rollouts),
            jnp.zeros(count, jnp.int32),
            self._progress(states),
            jnp.zeros(shape, jnp.int32),
            jnp.zeros(shape, bool),
        )

    def _strode(self, who: _Who, keys: Array, rollouts: Rollouts) -> tuple[Rollouts, Array]:
        """Advance by up to `STRIDE` steps, then cut those without progress; return also how many steps, int32[]."""

        def on(carry: tuple[Rollouts, Array]) -> Array:
            return (carry[1] < STRIDE) & self.going(carry[0]).any()

        def step(carry: tuple[Rollouts, Array]) -> tuple[Rollouts, Array]:
            return self._step(who, keys, carry[0])[0], carry[1] + 1

        who = self._arranged(who)
        after, steps = lax.while_loop(on, step, (rollouts, jnp.int32(0)))
        return self.without_stuck(after), steps

    def _shared(self, who: _Who, keys: Array, instances: State | None, count: int, lanes: int) -> Ended:
        """Do what `measure` does, in fewer lanes than there are individuals; equal ones drive once."""
        start, shape = self.start(keys, instances), (count, len(keys))
        same = arrays.leaders((who.plans, who.others.who) if self.rivals else who.plans)
        leads = same == jnp.arange(count)
        distinct, queue = leads.sum(dtype=jnp.int32), jnp.nonzero(leads, size=count, fill_value=count)[0]

        def drivers(whose: Array) -> _Who:
            whose = jnp.minimum(whose, count - 1)
            return _Who(arrays.take(who.plans, whose), self.others.of(who.others, whose))

        def go(now: _Lanes) -> _Lanes:
            after, steps = self._strode(drivers(now.whose), keys, now.rollouts)
            ended = (now.whose < count) & ~self.going(after).any(1)
            place = jnp.where(ended, now.whose, count)  # a place beyond the last one is dropped
            new = self._ended(after, now.found.rounds)
            found = jax.tree.map(lambda x, y: x.at[place].set(y, mode="drop") if x.ndim else x + steps, now.found, new)
            taken = now.next + jnp.cumsum(ended, dtype=jnp.int32) - 1
            whose = jnp.where(ended, queue.at[taken].get(mode="fill", fill_value=count), now.whose)
            fresh = self._begin(drivers(whose), start)
            idle = jnp.broadcast_to(whose[:, None] >= count, fresh.cut.shape)
            rollouts = self._renewed(ended, fresh.replace(cut=idle), after)  # type: ignore[attr-defined]
            return _Lanes(whose, jnp.minimum(now.next + ended.sum(dtype=jnp.int32), distinct), rollouts, found)

        found = Ended(
            jnp.zeros((*shape, self.simulation.seats, len(self.simulation.quantities))),
            jnp.zeros(shape, jnp.int32),
            jnp.zeros(count, jnp.int32),
            jnp.zeros(shape, bool),
            jnp.int32(0),
            jnp.zeros((*shape, self.simulation.seats)),
        )
        first = queue[:lanes].astype(jnp.int32)
        rollouts = self._begin(drivers(first), start)
        idle = jnp.broadcast_to(first[:, None] >= count, rollouts.cut.shape)
        begun = _Lanes(first, jnp.int32(lanes), rollouts.replace(cut=idle), found)  # type: ignore[attr-defined]
        ended = lax.while_loop(lambda now: (now.whose < count).any(), go, begun).found
        return jax.tree.map(lambda x: x[same] if x.ndim else x, ended)

    def _step(self, who: _Who, keys: Array, rollouts: Rollouts) -> tuple[Rollouts, Array]:
        """Advance the rollouts that go on by one step.

        Returns:
            The rollouts, and float32[P, M, seats, K], the controls as they were given.
        """
        world, going, mine = self.simulation, self.going(rollouts), self.mine
        count, shape = len(going), (*going.shape, world.seats)
        by_seat = jax.vmap(world.sense, (None, 0))
        sensed = jax.vmap(jax.vmap(lambda state: by_seat(state, jnp.arange(world.seats))))(rollouts.states)
        bits = jnp.zeros(shape, jnp.uint32)
        if self.driver.random or self.others.random:
            bits = jax.vmap(jax.vmap(partial(_bits, world.seats)), (None, 0))(keys, rollouts.steps)
        seen = sensed, bits, jnp.broadcast_to(going[..., None], shape)
        own = (x[:, :, :mine].reshape(count, -1, *x.shape[3:]) for x in seen)
        given, memory = self.driver.control(who.plans, rollouts.memory, *own)
        controls = given.reshape(*going.shape, mine, world.controls)
        blank = (going[..., None, None] & ~jnp.isfinite(controls)).sum((1, 2, 3), dtype=jnp.int32)
        others = rollouts.others
        if mine < world.seats:
            rest, others = self.others.control(who.others, others, *(x[:, :, 1:] for x in seen))
            controls = jnp.concatenate([controls, rest], 2)
        move = jax.vmap(jax.vmap(partial(advance, world)), (0, 0, None, 0))
        # Fused with what stands before and after it, a step would be rounded as these are.
        moved = arrays.apart(move, rollouts.states, arrays.finite(controls), keys, rollouts.steps)
        states = arrays.where(going, moved, rollouts.states)
        after = rollouts.replace(states=states, steps=rollouts.steps + going, memory=memory, others=others)  # type: ignore[attr-defined]
        return after.replace(blank=rollouts.blank + blank), controls

    def _renewed(self, ended: Array, fresh: Rollouts, before: Rollouts) -> Rollouts:
        """Return rollouts [L, M], of which those in lanes that have `ended` (bool[L]) begin anew."""
        others = self.others.renewed(ended, fresh.others, before.others)
        mine = (x.replace(others=()) for x in (fresh, before))  # type: ignore[attr-defined]
        whole: Rollouts = arrays.where(ended, *mine).replace(others=others)
        return whole


@struct.dataclass
class _Lanes:
    """Individuals that share lanes, [L, ...]."""

    whose: Array  # int32[L]: who has the lane; P: nobody
    next: Array  # int32[]: who waits
    rollouts: Rollouts  # [L, M]
    found: Ended  # of all individuals so far


def simulate(world: Simulation, key: Array, controls: Array) -> State:
    """Return all states [N + 1] of a rollout under given controls, float32[N, seats, K].

    They are those of a rollout with this key, key[], in which drivers gave the controls.
    """

    def step(state: State, given: tuple[Array, Array]) -> tuple[State, State]:
        after = advance(world, state, arrays.finite(given[1]), key, given[0])
        return after, after

    start = world.init(jax.random.fold_in(key, START))
    _, states = lax.scan(step, start, (jnp.arange(len(controls), dtype=jnp.int32), controls))
    return jax.tree.map(lambda x, y: jnp.concatenate([x[None], y]), start, states)


def _bits(seats: int, key: Array, step: Array) -> Array:
    return jax.random.bits(jax.random.fold_in(key, step), (seats,), jnp.uint32)


def advance(world: Simulation, state: State, controls: Array, key: Array, step: Array) -> State:
    """Return the state after a step of a rollout with this key: `step` (int32[]) steps went before it."""
    drawn = jax.random.fold_in(jax.random.fold_in(key, step), ply.CHANCE) if world.chance else unused_key()
    return world.step(state, controls, drawn)
