"""Recorded rounds of Robocode 1.9.3.9, and the same rounds by the rules here, in double precision."""

import csv
import gzip
import itertools
import math
import os
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.robocode import state
from envs.robocode.physics import turns
from envs.robocode.physics.shared import Field, Lots

FIELD = Field(800.0, 600.0, 0.1, 450)
SETS = ("far", "near", "corner")
MOST = 20
"""Bullets that a line of a trace may have."""


class Round(NamedTuple):
    """A recorded round, until the first death: arrays [turns, ...], and commands [turns, seats, 6] if there are any."""

    name: str
    number: int
    robots: np.ndarray  # [turns, seats, 10]: x, y, body, gun, radar, v, energy, heat, dead, score
    bullets: np.ndarray  # [turns, MOST, 4]: x, y, heading, power; NaN where there is none
    commands: np.ndarray  # ahead, body, gun, radar, speed limit, power; NaN where they were not given


def folder() -> Path:
    """Return the folder of the recorded rounds; skip the test where they are not at hand."""
    found = Path(os.environ.get("JAXGP_SHARED", "nowhere")) / "data" / "robocode"
    if not found.is_dir():
        pytest.skip("recorded rounds are not at hand: JAXGP_SHARED names the folder that has them")
    return found


def _rows(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt") as file:
        return list(csv.reader(file))


def rounds(path: Path, name: str) -> list[Round]:
    """Return the rounds of a trace, each until the first death."""
    found = []
    for number, rows in itertools.groupby(_rows(path), key=lambda row: int(row[0])):
        robots, bullets = [], []
        for row in rows:
            both = [[float(x) for x in row[k : k + 8]] + [row[k + 8] == "DEAD", float(row[k + 9])] for k in (2, 12)]
            flying = [one.split(";") for one in row[22:]]
            flying = [[float(x) for x in one[1:5]] for one in flying if one[5] == "MOVING"]
            robots.append(both)
            bullets.append(flying + [[math.nan] * 4] * (MOST - len(flying)))
            if any(one[8] for one in both):
                break
        found.append(Round(name, number, np.array(robots), np.array(bullets), np.zeros(0)))
    return found


def commanded(name: str) -> tuple[list[Round], np.ndarray]:
    """Return the rounds of a set with their commands, and x, y and heading of both robots, [seats, 3]."""
    with open(folder() / "val_sets.csv") as file:
        (start,) = (row for row in csv.DictReader(file) if row["set"] == name)
    places = [[float(start[f"x{n}"]), float(start[f"y{n}"]), math.radians(float(start[f"deg{n}"]))] for n in "AB"]
    given = []
    for n in "AB":
        rows = _rows(folder() / f"val_{name}_cmd{n}.csv.gz")
        given.append({(int(row[0]), int(row[1])): [float(x) for x in row[2:]] for row in rows})
    found = []
    for one in rounds(folder() / f"val_{name}_state.csv.gz", name):
        commands = [[by_time[one.number, t] for by_time in given] for t in range(len(one.robots))]
        found.append(one._replace(commands=np.array(commands)))
    return found, np.array(places)


def commands(given, number):
    """Return recorded commands, [6], in a round with a number, whose bits are the flags that keep guns and radars."""
    names = (state.AHEAD, state.TURN, state.GUN, state.RADAR, state.LIMIT, state.FIRE)
    flags = sum(jnp.where(jnp.isnan(x), 0, flag) for x, flag in zip(given, names, strict=True))
    for bit, flag in enumerate((state.GUN_KEEPS, state.RADAR_KEEPS_GUN, state.RADAR_KEEPS_BODY)):
        flags += jnp.where((number >> bit) & 1, flag, 0)
    amounts = jnp.clip(jnp.nan_to_num(given), -state.ENDLESS, state.ENDLESS)
    return state.Commands((flags + state.ADVANCED).astype(jnp.int32), *amounts, jnp.zeros_like(amounts[0]))


def apart(now, robots, bullets):
    """Return how far a state is from a recorded one: robots [seats, 10], bullets [MOST, 4]."""
    worst = jnp.zeros(())
    for me, told in zip(now.robots, robots, strict=True):
        near = jnp.stack([me.x, me.y, me.v, me.heat]) - told[jnp.array([0, 1, 5, 7])]
        angles = jnp.sin((jnp.stack([me.body, me.gun, me.radar]) - told[2:5]) / 2)
        alive = jnp.maximum(jnp.abs(near).max(), jnp.abs(angles).max())
        worst = jnp.maximum(worst, jnp.where(me.dead, 0.0, alive))
        worst = jnp.maximum(worst, jnp.abs(me.energy - told[6]))
        worst = jnp.where(me.dead == (told[8] > 0), worst, jnp.inf)
    for points, told in zip(now.points, robots, strict=True):
        worst = jnp.maximum(worst, jnp.abs(points.total - told[9]))
    mine = jnp.concatenate([jnp.stack([b.x, b.y, jnp.arctan2(b.vx, b.vy), b.power], -1) for b in now.bullets])
    flying, there = mine[:, 3] > 0, ~jnp.isnan(bullets[:, 0])
    gaps = jnp.nan_to_num(mine[:, None] - bullets[None], nan=jnp.inf)
    gaps = jnp.abs(gaps.at[..., 2].set(2 * jnp.sin(gaps[..., 2] / 2))).max(-1)
    gaps = jnp.where(there[None], jnp.nan_to_num(gaps, nan=jnp.inf), jnp.inf)
    worst = jnp.maximum(worst, jnp.where(flying, gaps.min(1), 0.0).max())
    return jnp.where(flying.sum() == there.sum(), worst, jnp.inf)


CHOICES = list(itertools.product((False, True), repeat=3))
"""The lots of a turn: bullets, moves; and whether robots lose energy by inactivity."""


def replayed(played: list[Round], places: np.ndarray) -> np.ndarray:
    """Return how far rounds are from the recorded ones, [rounds, turns], NaN after their ends, from commands alone.

    Lots that the engine drew are those with which the turn comes nearest to the recorded one; so is the loss by
    inactivity after the first round, since the engine carries the energy lost from round to round.
    """
    longest = max(len(one.robots) for one in played)

    def padded(x):
        return np.pad(x, [(0, longest - len(x)), *[(0, 0)] * (x.ndim - 1)])

    with jax.enable_x64(True):
        told = tuple(jnp.array([padded(x) for x in each]) for each in zip(*(one[2:] for one in played), strict=True))
        numbers = jnp.array([one.number for one in played])
        found = np.array(jax.jit(jax.vmap(_follow, (0, None, 0)))(numbers, jnp.array(places), told))
    for row, one in zip(found, played, strict=True):
        row[len(one.robots) :] = np.nan
    return found


def begun(places):
    """Return the start of a round, in the precision of the places, [seats, 3]."""
    zero = places[0, 0] * 0
    return state.State(
        *(tuple(state.robot(*place) for place in places), (state.bullets(zero),) * 2, (state.points(zero),) * 2),
        *((state.unseen(zero),) * 2, jnp.int32(0), zero, jnp.uint32(0), jnp.int32(0), jnp.int32(0), jnp.int32(0)),
        terminated=jnp.bool_(False),
    )


def _follow(number, places, told):
    def step(now, given):
        robots, bullets, asked = given
        both = commands(asked[0], number), commands(asked[1], number)

        def tried(lots):
            after = turns.turn(FIELD, now, both, Lots(lots[0], lots[1]), lots[2])
            return after, apart(after, robots, bullets)

        afters, gaps = jax.vmap(tried)(jnp.array(CHOICES))
        zapped = jnp.array(CHOICES)[:, 2]
        allowed = (number > 0) | (zapped == (now.idle > FIELD.patience))
        gaps = jnp.where(allowed, gaps, jnp.inf)
        best = jnp.argmin(gaps)
        return jax.tree.map(lambda x: x[best], afters), gaps[best]

    return jax.lax.scan(step, begun(places), told)[1]
