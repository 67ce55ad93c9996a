"""Results of endgames of six men: built in minutes or an hour, and kept in the folder of tables.

A folder NAME-results-1 has what `wins` finds: `won.npy` and `lost.npy`, 1.3 GB each, which are read where they lie.
While it is built, states of the rounds are kept beside it, so that what was stopped goes on.
"""

import shutil
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

from envs.chess.geometry import SQUARES
from envs.chess.tables import wins
from envs.chess.tables.places import CHOSEN, NUMBER, TRIANGLE, TURNED, Pair
from envs.chess.tables.retrograde import WORD, Values
from jaxgp import files, reading
from jaxgp.errors import UsageError, reason

SHAPE = (len(TRIANGLE), *[SQUARES] * 4)
BYTES = 8 * int(np.prod(SHAPE))
"""Of a set."""
NEEDED = 5 * BYTES
"""Bytes of memory that building takes; of the disk the same."""
SECONDS = 300
"""How often a state is kept."""
VERSION = 1
HEAD = 4096
"""Bytes of a file beside its set, at most."""
PARTS = ("safe", "lost", "still", "fresh")
LAST = "number.json"
"""The file of a state that is written last."""


def place(folder: Path, name: str) -> Path:
    """Return where the results of an endgame are kept."""
    return folder / f"{name}-results-{VERSION}"


@lru_cache(maxsize=2)
def read(path: Path) -> wins.Sets:
    """Return the sets of a folder, where White wins and where Black loses, uint64[10, 64, 64, 64, 64], not yet read.

    Raises:
        UsageError: they are not there, or cut short.
    """
    return _read(path, "won"), _read(path, "lost")


def _read(path: Path, name: str) -> np.ndarray:
    file = path / f"{name}.npy"
    try:
        reading.check_file(file, BYTES + HEAD)
        found: np.ndarray = np.load(file, mmap_mode="r", allow_pickle=False)
        if found.shape != SHAPE or found.dtype != WORD:
            raise ValueError
    except Exception as error:
        what = "no results of six men, or cut short"
        raise UsageError(f"{file}: {what}; accepted: none, delete {path} and build it anew") from error
    return found


def build(path: Path, pair: Pair, table: Callable[[Pair], Values], say: Callable[[str], None]) -> None:
    """Find the results of an endgame whose sides have the same men, and keep them in a folder.

    Args:
        path: the folder.
        pair: the men of both sides.
        table: gives the values of endgames of five men, the greater army being White.
        say: told after each round.

    Raises:
        UsageError: they cannot be kept, or a state that was kept is damaged.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _build(path, pair, table, say)
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be written ({reason(error)}); what was kept before is gone on from"
        ) from error


def _build(path: Path, pair: Pair, table: Callable[[Pair], Values], say: Callable[[str], None]) -> None:
    analysis = wins.WinAnalysis(pair, lambda smaller: either(smaller, table))
    kept = path.with_suffix(".state")
    whole = [one for one in (kept.with_suffix(".next"), kept) if (one / LAST).exists()]
    state = _load(whole[0], (len(TRIANGLE), *analysis.shape)) if whole else analysis.begin()
    say(f"{state.number} rounds are done")
    last = time.monotonic()
    while state.fresh.any():
        state = analysis.go_on(state)
        say(f"round {state.number}: Black loses more in {int(state.fresh.sum())} of {state.fresh.size} slices")
        if time.monotonic() - last > SECONDS:
            _keep(kept, state)
            last = time.monotonic()
    partial = path.with_suffix(".tmp")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    rounds = state.number
    for name, found in zip(("won", "lost"), analysis.finish(state), strict=True):
        np.save(partial / f"{name}.npy", found)
    files.write_json(partial / "about.json", {"rounds": rounds})
    partial.rename(path)
    for one in (kept, kept.with_suffix(".next")):
        shutil.rmtree(one, ignore_errors=True)


def _keep(path: Path, state: wins.State) -> None:
    """Keep a state; what was kept before stays until it is whole."""
    partial = path.with_suffix(".next")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    for name in PARTS:
        np.save(partial / f"{name}.npy", getattr(state, name))
    files.write_json(partial / LAST, state.number)
    shutil.rmtree(path, ignore_errors=True)
    partial.rename(path)


def _load(path: Path, shape: tuple[int, ...]) -> wins.State:
    try:
        number = reading.read_json(path / LAST)
        parts = [np.load(path / f"{name}.npy", allow_pickle=False) for name in PARTS]
        whole = all(one.shape == shape and one.dtype == WORD for one in parts[:3])
        if not whole or parts[3].shape != (shape[0], *shape[3:]) or parts[3].dtype != bool:
            raise ValueError
    except Exception as error:
        raise UsageError(f"{path}: no state of an analysis; accepted: none, delete it to begin anew") from error
    return wins.State(int(number), *parts)


def either(pair: Pair, table: Callable[[Pair], Values]) -> Values:
    """Return the values of an endgame, from tables of those whose first army is the greater one."""
    if len(pair[0]) >= len(pair[1]):
        return table(pair)
    white, black = (exchanged(values, len(pair[1]) - 1) for values in table(pair[::-1]))
    return black, white


def exchanged(values: np.ndarray, count: int) -> np.ndarray:
    """Return the values of an endgame with the colours changed.

    Args:
        values: int8[10, A.., 64, B..], the squares of White's men beside the king, of the black king, of Black's men.
        count: how many men White has beside the king.

    Returns:
        int8[10, B.., 64, A..].
    """
    other = values.ndim - 2 - count
    found = np.empty((len(TRIANGLE), *[SQUARES] * (values.ndim - 1)), values.dtype)
    for slot, white in enumerate(TRIANGLE):
        by_king = np.moveaxis(found[slot], other, 0)
        for black in range(SQUARES):
            turned = TURNED[CHOSEN[black]]
            part = values[NUMBER[black]].take(turned[white], count)
            for axis in range(part.ndim):
                part = part.take(turned, axis)
            by_king[black] = part.transpose(*range(count, part.ndim), *range(count))
    return found
