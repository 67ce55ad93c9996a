"""Tables of all positions of up to five kings, queens and rooks: results, and moves to mate; of six men results alone.

A position of white (the first side of an endgame's name) and black is a place of an array [10, 64, ..]: the square of
the white king, turned and mirrored into the triangle a1, d1, d4, then the other men of white, the black king, and the
other men of black. There are two arrays, one for each side to move; `retrograde` fills them.

Values are those of the side to move: 126 - n, it mates with its n-th move; n - 126, it is mated after n moves of its
own; 0, a draw. So a byte tells mates of up to 125 moves, and no endgame here has more than 67. A place where the side
to move could take the king, or where two men stand on one square, is no position; it is worth 127.

Of six men, both sides having the same, `results` has the results; their values are `WON`, 0 and -`WON`.

The fifty moves and repetition are not counted. Tables are built on first use, and kept in a folder of the user.
"""

import itertools
import math
import os
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.chess.geometry import KING, OFF, QUEEN, ROOK, SQUARES, Board, legal_moves
from envs.chess.notation.fen import KINDS, kinds_of
from envs.chess.rules import moved
from envs.chess.tables import results
from envs.chess.tables.places import CHOSEN, ILLEGAL, MATE, NUMBER, TRIANGLE, TURNED, Army, Pair, shape_of
from envs.chess.tables.retrograde import build
from jaxgp import reading
from jaxgp.arrays import OnHost
from jaxgp.bits import nth_square
from jaxgp.errors import UsageError, reason, reject, remark

UNKNOWN = np.int8(-128)
"""The value of a position that no table holds."""
MOST = 4
"""Men of the largest tables that are built when a game asks for them."""
LARGEST = 5
"""Men of the largest tables that can be built."""
JUDGED = 6
"""Men of the largest endgames whose results can be found."""
WON = np.int8(2)
"""The value of a position that is won by a mate of nobody knows how many moves."""
ENDGAMES = ("KRKR", "KQKQ", "KQKR", "KQRK", "KRRK")
"""The largest tables that are built here; with KQQK they are all of four kings, queens and rooks."""
VERSION = 2
HEADS = 2**12
"""Bytes of a file of a table beside its values."""


class Tables(NamedTuple):
    """Values of all positions of some endgames."""

    values: Array | OnHost  # int8[N]
    offsets: Array  # int32[9, 9, 2]: where the table of two armies begins, for each side to move; -1: there is none
    won: Array | OnHost  # uint32[M]: six men, a bit where White is to move and wins; [0]: none
    lost: Array | OnHost  # uint32[M]: the same where Black is to move and loses
    army: Array  # int32[]: that of both sides of these six men


def has(pair: Pair, most: int = MOST) -> bool:
    """Return whether there is a table of an endgame, if tables have up to so many men."""
    few = all(army.count(kind) <= 2 for army in pair for kind in army)
    small = sum(map(len, pair)) <= min(most, LARGEST) or (most >= JUDGED and six(pair))
    return few and small and all(kind <= ROOK for army in pair for kind in army)


def six(pair: Pair) -> bool:
    """Return whether an endgame has six men, and both sides have the same."""
    return pair[0] == pair[1] and len(pair[0]) == JUDGED // 2


def code(army: Army) -> int:
    """Return the number of an army of up to two queens and two rooks."""
    return 3 * army.count(QUEEN) + army.count(ROOK)


def folder() -> Path:
    """Return the folder where tables are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "jaxgp" / "chess"


def named(pair: Pair) -> str:
    """Return the name of an endgame."""
    return "".join(KINDS[kind] for army in pair for kind in army)


@lru_cache(maxsize=64)
def table(pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of an endgame, int8[10, 64, ..], with white to move and with black to move.

    Raises:
        UsageError: the file that holds them is damaged.
    """
    if pair == ((KING,), (KING,)):
        squares = np.arange(SQUARES)
        right, up = (
            np.abs(np.subtract.outer(a, b)) for a, b in ((TRIANGLE % 8, squares % 8), (TRIANGLE // 8, squares // 8))
        )
        return (np.where((right < 2) & (up < 2), np.int8(ILLEGAL), np.int8(0)),) * 2
    path = _file(pair)
    if path.exists():
        return read(path, pair)
    found = build(pair, table)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        keep(path, found)
    except OSError as error:
        remark(f"{path}: cannot be written ({reason(error)}); the next command builds this table anew")
    return found


def _file(pair: Pair) -> Path:
    """Return where the table of an endgame is kept; of six men, its results."""
    return results.place(folder(), named(pair)) if six(pair) else folder() / f"{named(pair)}-{VERSION}.npz"


def known(pair: Pair) -> bool:
    """Return whether there is a table of an endgame, or results, or it takes a moment to build it."""
    return has(pair) or (has(pair, JUDGED) and _file(pair if ordered(pair) else pair[::-1]).exists())


def keep(path: Path, found: tuple[np.ndarray, np.ndarray]) -> None:
    """Write the values of an endgame to a file, which several processes may do at once; raises OSError."""
    partial = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        with partial.open("wb") as out:
            np.savez_compressed(out, white=found[0], black=found[1])
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read(path: Path, pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Read the values of an endgame from a file, as `table` returns them.

    Raises:
        UsageError: it cannot be read, or holds what no table of this endgame does.
    """
    most = math.prod(shape_of(pair))
    try:
        reading.check_file(path, 2 * most + HEADS)
        with zipfile.ZipFile(path) as archive:  # before anything is unpacked
            if sum(part.file_size for part in archive.infolist()) > 2 * most + HEADS:
                raise ValueError
        with np.load(path, allow_pickle=False) as file:
            found = file["white"], file["black"]
        if any(x.shape != shape_of(pair) or x.dtype != np.int8 or _beyond(x).any() for x in found):
            raise ValueError
    except Exception as error:
        what = "no table, cut short, or with values that no table has"
        raise UsageError(f"{path}: {what}; accepted: none, delete it and it is built anew") from error
    return found


def _beyond(values: np.ndarray) -> np.ndarray:
    """Return where values are none: who mates does so by a move of its own."""
    return (values < -MATE) | (values == MATE)


def plies(values: Array) -> Array:
    """Return int16[...]: how many plies the mates of values take; 0 for draws."""
    wide = values.astype(jnp.int16)
    return jnp.where(wide == 0, 0, 2 * (MATE - jnp.abs(wide)) - (wide > 0))


def before(values: Array) -> Array:
    """Return what moves are worth for the side that makes them, by the values of the positions that they lead to."""
    return -values - (values < 0).astype(values.dtype)


def ordered(pair: Pair) -> bool:
    """Return whether an endgame is called so, the greater army first."""
    return code(pair[0]) >= code(pair[1])


@lru_cache(maxsize=8)
def tables(endgames: tuple[str, ...] = ENDGAMES, most: int = MOST) -> Tables:
    """Return the tables of some endgames of up to `most` men, and of all that captures lead to.

    Raises:
        UsageError: an endgame of more men, or of others than queens and rooks; six men that have not been judged yet.
    """
    pairs: set[Pair] = set()
    won = lost = np.zeros(0, np.uint32)
    judged = -1
    for name in endgames:
        pair = kinds_of(name)
        if not has(pair, most):
            raise UsageError(
                f"{name}: accepted: an endgame of up to {most} kings, queens and rooks; others have no table"
            )
        subsets = [
            {(KING, *some) for size in range(len(army)) for some in itertools.combinations(army[1:], size)}
            for army in pair
        ]
        pairs |= {(a, b) for a in subsets[0] for b in subsets[1]} - ({pair} if six(pair) else set())
        if six(pair):
            if judged >= 0:
                reject("endgames", ",".join(endgames), "one of six men at a time, since each takes gigabytes")
            path = _file(pair)
            if not path.exists():
                raise UsageError(
                    f"{named(pair)}: no results; scripts/studies/chess/larger.py endgame={named(pair)} finds them"
                )
            judged = code(pair[0])
            won, lost = (part.reshape(-1).view(np.uint32) for part in results.read(path))
    offsets = np.full((9, 9, 2), -1, np.int32)
    parts: list[np.ndarray] = []
    end = 0
    for pair in sorted(pairs | {((KING,), (KING,))}, key=lambda pair: (sum(map(len, pair)), pair)):
        pair = pair if ordered(pair) else pair[::-1]
        at = code(pair[0]), code(pair[1])
        if offsets[at][0] < 0:
            for side, values in enumerate(table(pair)):
                offsets[(*at, side)] = end
                parts.append(values.reshape(-1))
                end += values.size
    return Tables(np.concatenate(parts), offsets, won, lost, np.int32(judged))  # type: ignore[arg-type]


def outside(found: Tables) -> Tables:
    """Return tables that stay on the host, whatever program asks them."""
    many = {name: OnHost(np.asarray(getattr(found, name))) for name in ("values", "won", "lost")}
    return found._replace(**many)  # type: ignore[arg-type]


def probe(found: Tables, board: Board) -> Array:
    """Return int8[*B]: the values of boards [2, S, *B] for the side to move; `UNKNOWN` where no table has them.

    A value is 126 - n where the side to move mates in n moves, n - 126 where it is mated in n moves, 0 in draws. Of
    six men it is `WON` for any win and -`WON` for any loss.
    """
    sizes = board.men < OFF
    queens, rooks = ((sizes & (board.kinds == kind)).sum(1, dtype=jnp.int32) for kind in (QUEEN, ROOK))
    armies = 3 * queens + rooks
    fits = (sizes.sum((0, 1)) <= LARGEST) & ~(sizes & (board.kinds > ROOK)).any((0, 1))
    fits &= (jnp.maximum(queens, rooks) <= 2).all(0)  # more of a kind would have the number of another army
    swap = armies[0] < armies[1]
    first, second = (jnp.where(swap, a, b) for a, b in ((armies[1], armies[0]), (armies[0], armies[1])))
    # The men of each side in order: the queens, the rooks, those that were taken.
    order = jnp.argsort(jnp.where(sizes, board.kinds, np.int8(9)), axis=1, stable=True)
    men = jnp.take_along_axis(board.men, order, 1)
    before_last, last = _place(jnp.where(swap, men[::-1], men))
    start = jnp.asarray(found.offsets)[jnp.minimum(first, 8), jnp.minimum(second, 8), swap.astype(jnp.int32)]
    held = fits & (start >= 0)
    value = jnp.where(held, _at(found.values, jnp.where(held, start + before_last * SQUARES + last, 0)), UNKNOWN)
    if not found.won.shape[0]:
        return value
    is_six = (sizes.sum((0, 1)) == JUDGED) & (armies == found.army).all(0)
    won, lost = (_has(of, *_place(side), is_six) for of, side in ((found.won, men), (found.lost, men[::-1])))
    return jnp.where(is_six, jnp.where(won, WON, jnp.where(lost, -WON, np.int8(0))), value)


def _place(men: Array) -> tuple[Array, Array]:
    """Return the places of boards, men [2, S, *B] in order, White first: int32[*B] but for the last man; its square."""
    men = men.astype(jnp.int32)
    turn = jnp.asarray(CHOSEN)[men[0, 0]]
    turned = jnp.asarray(TURNED.reshape(-1))
    place, last = jnp.int32(0), jnp.asarray(NUMBER)[men[0, 0]]
    for side in range(2):
        for n in range(1 - side, men.shape[1]):
            there = men[side, n] < OFF
            place = jnp.where(there, place * SQUARES + last, place)
            last = jnp.where(there, turned[turn * SQUARES + jnp.minimum(men[side, n], SQUARES - 1)], last)
    return place, last


def _at(values: Array | OnHost, places: Array) -> Array:
    """Return the values at places, int32[*B]."""
    return values[places] if isinstance(values, OnHost) else jnp.asarray(values)[places]


def _has(words: Array | OnHost, place: Array, last: Array, asked: Array) -> Array:
    """Return bool[*B]: whether a set uint32[M] has places; False where nobody asks."""
    word = _at(words, jnp.where(asked, 2 * place + last // 32, 0))
    return asked & ((word >> (last % 32).astype(jnp.uint32)) & 1).astype(bool)


def result(value: Array) -> Array:
    """Return int8[...]: 1 for a value that wins, -1 for one that loses, 0 for a draw."""
    return jnp.sign(value)


def successors(board: Board, places: int) -> tuple[Board, Array]:
    """Return the boards after up to so many moves, [2, S, places, *B], and bool[places, *B], which there are."""
    words = legal_moves(board).words
    flat = tuple(words[n, w] for n in range(len(words)) for w in range(2))
    counts = lax.population_count(words).astype(jnp.int32).sum((0, 1))
    number = jnp.arange(places, dtype=jnp.int32).reshape(-1, *[1] * counts.ndim)
    action = nth_square(tuple(jnp.broadcast_to(x, (places, *counts.shape)) for x in flat), number + 0 * counts)
    wide = Board(*(jnp.broadcast_to(x[:, :, None], (*x.shape[:2], places, *counts.shape)) for x in board))
    men, kinds, _ = moved(wide, action // SQUARES, (action % SQUARES).astype(jnp.int8))
    return Board(men, kinds), number < counts


def won(endgames: tuple[str, ...], board: Board) -> Array:
    """Return bool[*B]: which boards of up to four men the side to move wins."""
    return result(probe(tables(endgames), board)) > 0


def held(endgames: tuple[str, ...], board: Board, places: int) -> Array:
    """Return bool[*B]: on which boards at most half of the moves, of up to so many, keep the result."""
    kept, there = keeps(tables(endgames), board, places)
    return (2 * kept.sum(0) <= there.sum(0)) & there.any(0)


def keeps(found: Tables, board: Board, places: int) -> tuple[Array, Array]:
    """Return bool[places, *B] and bool[places, *B]: which moves keep the result, and which there are."""
    after, there = successors(board, places)
    mine = result(probe(found, board))
    return there & (-result(probe(found, after)) == mine), there
