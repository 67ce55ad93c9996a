"""Files of many lessons of backgammon, judged by GNU Backgammon: made once, learned from by many runs.

A file is a compressed .npz of plain arrays. It has both judgements of each position, with gammons and without, so that
it serves `game.gammons=true` and `false`. `scripts/studies/backgammon/lessons.py` makes it.
"""

import hashlib
import zipfile
from functools import lru_cache
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.backgammon.lessons import equities
from envs.backgammon.network import MEN
from envs.backgammon.network import points as points_won
from envs.backgammon.rules import OFF, Backgammon, State
from jaxgp import reading
from jaxgp.errors import reason, reject
from jaxgp.players.taught import Lessons, LessonStock

UNIT = 1e-4
"""Points of a step of a value in a file."""
LARGEST = 2**30
"""Bytes of the largest file that is read."""
COMMAND = "a file of python scripts/studies/backgammon/lessons.py"
PARTS = ("own", "other", "dice", "count", "change", "points", "wins")
"""Men of both sides and the rolls before decisions [N]; how many positions follow from each; how the men change, and
values, of these positions [M]."""
OF_POSITIONS = PARTS[4:]
Parts = dict[str, np.ndarray]


def pack(lessons: Lessons) -> Parts:
    """Return the arrays of a file for lessons [D], whose positions are judged anew."""
    there = np.asarray(lessons.values) > -np.inf
    before = [np.asarray(side) for side in (lessons.states.own, lessons.states.other)]
    which = np.nonzero(there)[0]
    after = [np.asarray(side)[there] for side in lessons.outcomes]
    change = np.stack([a - b[which] for a, b in zip(after, before, strict=True)], 1)
    over, won = after[0][:, OFF] == MEN, np.asarray(jax.jit(points_won)(*after))
    points = np.where(over, won, equities(after[0], after[1], True))
    wins = np.where(over, 1.0, equities(after[0], after[1], False))
    steps = [np.round(x / UNIT).astype(np.int16) for x in (points, wins)]
    dice, count = np.asarray(lessons.states.dice, np.int8), there.sum(1).astype(np.uint8)
    return dict(zip(PARTS, (*before, dice, count, change.astype(np.int8), *steps), strict=True))


def join(parts: list[Parts]) -> Parts:
    """Return the arrays of a file that has the lessons of several."""
    return {name: np.concatenate([one[name] for one in parts]) for name in PARTS}


def first(parts: Parts, lessons: int) -> Parts:
    """Return the arrays of the first lessons."""
    positions = int(parts["count"][:lessons].sum(dtype=np.int64))
    return {name: part[: positions if name in OF_POSITIONS else lessons] for name, part in parts.items()}


def digest(parts: Parts) -> str:
    """Return the SHA-256 of all arrays, in hexadecimal digits: unlike that of a file, it has no dates in it."""
    found = hashlib.sha256()
    for name in PARTS:
        found.update(np.ascontiguousarray(parts[name]).tobytes())
    return found.hexdigest()


@lru_cache(maxsize=1)
def read(game: Backgammon, path: Path) -> LessonStock:
    """Return the lessons of a file, as these rules judge them.

    Raises:
        UsageError: it cannot be read, or is none of these files.
    """
    try:
        reading.check_file(path)
        if path.stat().st_size > LARGEST:
            reject("fitness.file", path, COMMAND)
        with np.load(path, allow_pickle=False) as file:
            own, other, dice, count, change, points, wins = (file[name] for name in PARTS)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        why = reason(error) if isinstance(error, OSError) else "it is none"
        reject("fitness.file", path, f"{COMMAND} ({why})")
    which = np.repeat(np.arange(len(count)), count)
    first = np.concatenate([[0], np.cumsum(count[:-1], dtype=np.int64)]).astype(np.int32)
    if not len(first) or len(which) != len(change) or len(which) >= 2**31:
        reject("fitness.file", path, f"{COMMAND} (it is cut off)")
    values = (points if game.gammons else wins).astype(np.float32) * np.float32(UNIT)
    outcomes = own[which] + change[:, 0], other[which] + change[:, 1]

    def begin(before: tuple[Array, Array, Array]) -> State:
        def one(own: Array, other: Array, dice: Array) -> State:
            return game.turn(own, other, dice.astype(np.int32), jnp.int32(0))

        return jax.vmap(one)(*before)

    return LessonStock((own, other, dice), outcomes, values, first, count.astype(np.int32), begin, path.name)
