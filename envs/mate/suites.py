"""Lists of problems: those that come with the project, and files.

A line is `FEN; n; nodes; set; keys`: the nodes of the search `captures`, told n; the set that the problem belongs to,
by default `train`; all first moves that force mate within n, as in e2e4 and e7e8q. Lines of `set` report are for tests.

The keys of a file are searched when it is read, so that no run learns from a move that does not mate. Those of the
lists that come with the project were proved when these were made. The suite `hard` repeats problems of the sets
`train` and `choose`: those for which the search `few` needs many nodes. The suite `longer` has problems of n = 5, for
tests alone.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np

from envs.chess.board import fen
from envs.chess.board.moves import REST
from envs.chess.board.position import Board
from envs.mate import plain
from envs.mate.export.searcher import CutError, Searcher
from envs.mate.rules import Mate
from jaxgp.errors import reject, remark
from jaxgp.reading import read_text, whole_number
from jaxgp.spec import Instances

SHIPPED = Path(__file__).with_name("problems.txt")
HARD = Path(__file__).with_name("hard.txt")
LONGER = Path(__file__).with_name("longer.txt")
APART = {"hard": HARD, "longer": LONGER}
"""Suites that have a list of their own."""
OWN = (SHIPPED, *APART.values())
SETS = ("train", "choose", "report")
SETTLED = 300
"""Moves of the search that settles a key of a file, at most: in plain Python a fifth of a second."""
SHAPE = "lines FEN; n; nodes of captures; train, choose or report; keys, as in e2e4 e7e8q"


def names(game: Mate) -> tuple[str, ...]:
    """Return the sets of the lists that come with the project; the last one is for tests."""
    del game
    return ("train", "choose", *APART, "report") if all(map(Path.is_file, OWN)) else ()


def shipped(path: Path = SHIPPED) -> list[tuple[str, int, int, str]]:
    """Return FEN, n, nodes of `captures` and set of the problems of a list that comes with the project."""
    rows = [line.split("; ") for line in read_text(path).splitlines() if line and not line.startswith("#")]
    return [(row[0], int(row[1]), int(row[2]), row[3]) for row in rows]


def instances(game: Mate, name: str, option: str) -> Instances:
    """Return the problems of a set, or of a file; `option` named them, for messages.

    Raises:
        UsageError: no such set or file, or a line that is no problem.
    """
    if name in names(game):
        return _load(game, APART[name], None, option) if name in APART else _load(game, SHIPPED, name, option)
    if not Path(name).is_file():
        reject(option, name, f"{', '.join(names(game)) or 'no list comes with the project'}; or a file: {SHAPE}")
    return _load(game, Path(name), None, option)


@lru_cache(maxsize=8)
def _load(game: Mate, path: Path, wanted: str | None, option: str) -> Instances:
    rows = []
    stated: list[Stated] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(";")]
        where = f"{path.name}, line {number}"
        if len(parts) != 5 or parts[3] not in SETS:
            reject(option, where, SHAPE)
        own, searched = (whole_number(part, 9) for part in parts[1:3])
        if own is None or searched is None:
            reject(option, where, SHAPE)
        if not 1 <= own <= game.deepest:
            reject(option, where, f"n from 1 to {game.deepest}; this is {own}")
        try:
            board = fen.parse(parts[0])
            keys = [_action(plain.start(parts[0]), board, one) for one in parts[4].split()]
        except ValueError as error:
            reject(option, where, str(error))
        if not keys:
            reject(option, where, "at least one key")
        stated += [Stated(number, parts[0], own, name) for name in parts[4].split()]
        if wanted in (None, parts[3]):
            rows.append((parts[0], own, searched, parts[3], board, keys))
    if not rows:
        reject(option, str(path), "at least one problem")
    if path not in OWN:
        _check(stated, path, option)
    states = jax.tree.map(lambda *x: np.stack(x), *(game.position(row[4], row[1]) for row in rows))
    found = np.full((len(rows), max(len(row[5]) for row in rows)), -1, np.int32)
    for n, row in enumerate(rows):
        found[n, : len(row[5])] = row[5]
    test = np.array([row[3] == "report" for row in rows])
    nodes = np.array([row[2] for row in rows], np.int32)
    lengths = np.array([row[1] for row in rows], np.int32)
    return Instances(tuple(f"{row[0]} n={row[1]}" for row in rows), states, test, nodes, found, lengths)


class Stated(NamedTuple):
    """A key that a line states."""

    line: int
    text: str  # the position in FEN
    own: int
    name: str  # of the move, as in e2e4


def forces(key: Stated) -> bool | None:
    """Return whether a first move forces mate, by complete search in plain Python; None: it takes too many moves."""
    one = Searcher(key.text, key.own, (None, None), near=1, limit=SETTLED, equal="replies")
    after = plain.moves(one.root)[key.name]
    if key.own == 1 or not plain.moves(after):
        return plain.won(after)
    try:
        return any(one.answered(after, key.own, forcing) for forcing in (True, False))
    except CutError:
        return None


def _check(stated: Sequence[Stated], path: Path, option: str) -> None:
    """Refuse a key that does not force mate, and say which ones are not settled; raises UsageError."""
    settled = {key: forces(key) for key in stated}
    for key, mates in settled.items():
        if mates is False:
            wanted = f"first moves that force mate within {key.own}; {key.name} does not"
            reject(option, f"{path.name}, line {key.line}", wanted)
    if still := [f"{key.name} of line {key.line}" for key, mates in settled.items() if mates is None]:
        more = f" and {len(still) - 1} more of {len(stated)} keys" if still[1:] else ""
        remark(f"{option}={path.name}: {still[0]}{more} are not settled by searches of {SETTLED} moves; they stay")


def _action(position: plain.Position, board: Board, name: str) -> int:
    """Return the action of a legal move, with its class, by the plain rules; raises ValueError where there is none."""
    move, after = fen.move(board, name), plain.moves(position).get(name)
    if after is None:
        raise ValueError(f"{name} is no legal move; accepted: keys that are")
    # What is taken is what the other side lacks after the move.
    other = "qrbnp" if position.white else "QRBNP"
    taken = [n for n, man in enumerate(other, 1) if after.cells.count(man) < position.cells.count(man)]
    return (0 if plain.checked(after) else taken[0] if taken else REST) << 12 | move
