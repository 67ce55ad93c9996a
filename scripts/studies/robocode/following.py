"""Rounds that the real Robocode recorded, and the same rounds here, turn by turn in double precision."""

import csv
import itertools
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.robocode import state
from envs.robocode.machine import BotDriver
from envs.robocode.physics.shared import Lots
from envs.robocode.physics.turns import turn as take_turn
from envs.robocode.rules import Robocode, mixed
from envs.robocode.state import Commands, State

MOST = 20
"""Bullets that a line of a trace may have."""
TOGETHER = 25
"""Rounds that are followed side by side."""
STEPS = 5000
"""Turns of the longest round that is followed to its end."""
SAID = ("x", "y", "speed", "heat", "body", "gun", "radar", "energy", "death", "score")
"""What is compared of a robot, in order; bullets come last."""
EQUAL = 1e-6
"""Up to here a turn is equal: both sides round differently."""
CHOICES = tuple(itertools.product((False, True), repeat=2))
"""The lots of a turn: which robot's bullets fly first, and which robot moves first."""


class Round(NamedTuple):
    """The first round of a trace, until the first death."""

    robots: np.ndarray  # float64[turns, seats, 10]: x, y, body, gun, radar, v, energy, heat, dead, score
    bullets: np.ndarray  # float64[turns, MOST, 4]: x, y, heading, power; NaN where there is none


def read(path: Path) -> Round:
    """Read the first round of a trace; raises ValueError where it is none."""
    robots, bullets = [], []
    with path.open() as file:
        for row in csv.reader(file):
            both = [[float(x) for x in row[k : k + 8]] + [row[k + 8] == "DEAD", float(row[k + 9])] for k in (2, 12)]
            words = [one.split(";") for one in row[22:]]
            flying = [[float(x) for x in one[1:5]] for one in words if one[5] == "MOVING"]
            robots.append(both)
            bullets.append(flying + [[math.nan] * 4] * (MOST - len(flying)))
            if any(one[8] for one in both):
                break
    return Round(np.array(robots), np.array(bullets))


def apart(now: State, robots: Array, bullets: Array) -> Array:
    """Return float64[seats * 10 + 1]: how far a state is from a recorded one, by seat and `SAID`, then by bullets."""
    gaps = []
    for me, points, told in zip(now.robots, now.points, robots, strict=True):
        near = jnp.abs(jnp.stack([me.x, me.y, me.v, me.heat]) - told[jnp.array([0, 1, 5, 7])])
        angles = jnp.abs(jnp.sin((jnp.stack([me.body, me.gun, me.radar]) - told[2:5]) / 2))
        moving = jnp.where(me.dead, 0.0, jnp.concatenate([near, angles]))
        death = jnp.where(me.dead == (told[8] > 0), 0.0, 1.0)
        rest = [jnp.abs(me.energy - told[6]), death, jnp.abs(points.total - told[9])]
        gaps.append(jnp.concatenate([moving, jnp.stack(rest)]))
    mine = jnp.concatenate([jnp.stack([b.x, b.y, jnp.arctan2(b.vx, b.vy), b.power], -1) for b in now.bullets])
    flying, there = mine[:, 3] > 0, ~jnp.isnan(bullets[:, 0])
    between = jnp.nan_to_num(mine[:, None] - bullets[None], nan=1.0)
    between = jnp.abs(between.at[..., 2].set(2 * jnp.sin(between[..., 2] / 2))).max(-1)
    nearest = jnp.where(there[None], between, 1.0).min(1)
    shot = jnp.where(flying.sum() == there.sum(), jnp.where(flying, nearest, 0.0).max(), 1.0)
    return jnp.concatenate([*gaps, shot[None]])


def begun(seed: Array, places: Array) -> State:
    """Return the start of a round, of places float64[seats, 3]: x, y and heading."""
    zero, none = places[0, 0] * 0, jnp.int32(0)
    return State(
        robots=(state.robot(*places[0]), state.robot(*places[1])),
        bullets=(state.bullets(zero), state.bullets(zero)),
        points=(state.points(zero), state.points(zero)),
        seen=(state.unseen(zero), state.unseen(zero)),
        idle=none,
        loss=zero,
        seed=seed,
        round=none,
        time=none,
        stopped=none,
        terminated=jnp.bool_(False),
    )


def follow(
    world: Robocode,
    drivers: tuple[BotDriver, BotDriver],
    genomes: tuple[Any, Any],
    places: np.ndarray,
    told: Sequence[Round],
    seed: int,
) -> list[np.ndarray]:
    """Fight recorded rounds again, from their places alone.

    Lots that the engine drew are those with which the turn comes nearest to the recorded one. Where all lots give the
    same turn, they may still tell apart what robots perceive, such as the bearing of a ram. So a round that differs is
    followed `TOGETHER` times side by side, with such lots drawn: whoever no longer equals the record goes on from one
    who still does.

    Args:
        world: the rules, in double precision.
        drivers: of the two seats.
        genomes: of the two seats, [N, ...].
        places: float64[N, 2, 3].
        told: the N recorded rounds; of longer ones the first `STEPS` turns.
        seed: of the battle here, from which the robots' own seeds follow.

    Returns:
        Of each round float64[turns, seats * 10 + 1], as `apart` returns it.
    """
    order = np.argsort([len(one.robots) for one in told], kind="stable")
    run = jax.jit(partial(_together, world, drivers))
    found: dict[int, np.ndarray] = {}
    for first in range(0, len(order), TOGETHER):
        some = np.resize(order[first : first + TOGETHER], TOGETHER)
        turns = min(STEPS, max(len(told[n].robots) for n in some.tolist()))
        robots, bullets = (np.stack([_padded(told[n][field]) for n in some.tolist()]) for field in (0, 1))
        own = jax.tree.map(lambda x, some=some: np.asarray(x)[some], genomes)
        none, alone = np.zeros(TOGETHER, np.uint32), np.arange(TOGETHER)
        gaps = np.asarray(run(own, places[some], robots, bullets, jnp.uint32(seed), turns, none, alone))
        for row, n in enumerate(some.tolist()):
            found[n] = gaps[: len(told[n].robots), row]
    for n, gaps in found.items():
        if equal_turns(gaps) < len(gaps):
            some = np.full(TOGETHER, n)
            robots, bullets = (np.stack([_padded(told[n][field])] * TOGETHER) for field in (0, 1))
            own = jax.tree.map(lambda x, some=some: np.asarray(x)[some], genomes)
            turns, tries = min(STEPS, len(told[n].robots)), 1 + np.arange(TOGETHER, dtype=np.uint32)
            again = np.asarray(run(own, places[some], robots, bullets, jnp.uint32(seed), turns, tries, 0 * alone))
            each = [gaps, *(again[: len(gaps), row] for row in range(TOGETHER))]
            found[n] = max(each, key=equal_turns)
    return [found[n] for n in range(len(told))]


def equal_turns(gaps: np.ndarray) -> int:
    """Return how many turns of a round are equal to the recorded ones, from the first on."""
    far = np.flatnonzero(~(gaps.max(-1) <= EQUAL))
    return int(far[0]) if len(far) else len(gaps)


def _padded(x: np.ndarray) -> np.ndarray:
    return np.pad(x[:STEPS], [(0, STEPS - len(x[:STEPS])), *[(0, 0)] * (x.ndim - 1)])


def _together(
    world: Robocode,
    drivers: tuple[BotDriver, BotDriver],
    genomes: tuple[Any, Any],
    places: Array,
    robots: Array,
    bullets: Array,
    seed: Array,
    turns: Array,
    tries: Array,
    groups: Array,
) -> Array:
    """Follow N rounds for some turns; return float64[STEPS, N, seats * 10 + 1].

    Args:
        world: the rules.
        drivers: of the two seats.
        genomes: of the two seats, [N, ...].
        places: float64[N, 2, 3].
        robots: of the recorded rounds, [N, STEPS, ...].
        bullets: of these, too.
        seed: of the battles here.
        turns: how many.
        tries: uint32[N], by which lots that show in nothing are drawn; 0: the first ones.
        groups: int32[N], equal for those that follow one round together.
    """
    count, active = len(places), jnp.ones((len(places), 1), bool)
    plans = [driver.prepare(genome) for driver, genome in zip(drivers, genomes, strict=True)]
    memories = tuple(driver.start(plan, 1) for driver, plan in zip(drivers, plans, strict=True))

    def step(turn: Array, carry: tuple[State, Any, Array]) -> tuple[State, Any, Array]:
        now, memories, gaps = carry
        sensed = jax.vmap(jax.vmap(world.sense, (None, 0)), (0, None))(now, jnp.arange(2))
        both, after = [], []
        for seat, driver in enumerate(drivers):
            given, memory = driver.control(plans[seat], memories[seat], sensed[:, seat : seat + 1], active, active)
            both.append(Commands(given[:, 0, 0].astype(jnp.int32), *jnp.moveaxis(given[:, 0, 1:], -1, 0)))
            after.append(memory)

        def tried(lots: Array) -> tuple[State, Array]:
            def one(now: State, first: Commands, second: Commands) -> State:
                return take_turn(world.field, now, (first, second), Lots(lots[0], lots[1]))

            made = jax.vmap(one)(now, *both)
            return made, jax.vmap(apart)(made, robots[:, turn], bullets[:, turn])

        made, gap = jax.vmap(tried)(jnp.array(CHOICES))
        worst = gap.max(-1)
        drawn = jax.vmap(lambda n: mixed(tries, turn, n))(jnp.arange(len(CHOICES))) * jnp.where(tries > 0, 1.0, 0.0)
        best = jnp.argmin(jnp.where(worst <= EQUAL, -1.0 + drawn / 2**33, worst), 0)
        here = jnp.arange(count)
        found = gap[best, here]
        equal = found.max(-1) <= EQUAL
        others = jax.vmap(lambda n: mixed(tries, turn, n + len(CHOICES)))(here).astype(jnp.float64)
        others = jnp.where(equal & (groups[:, None] == groups), 1 + others, 0.0)
        whose = jnp.where(equal | (others.max(-1) == 0), here, jnp.argmax(others, -1))
        now = jax.tree.map(lambda x: x[best[whose], whose], made)
        return now, jax.tree.map(lambda x: x[whose], tuple(after)), gaps.at[turn].set(found[whose])

    start = jax.vmap(begun, (None, 0))(seed, places)
    gaps = jnp.zeros((STEPS, count, 2 * len(SAID) + 1))
    return jax.lax.fori_loop(0, turns, step, (start, memories, gaps))[2]
