"""Tables of all positions of up to four kings, queens and rooks: results, and plies to mate.

Retrograde analysis on dense arrays: all positions at once, round by round, until nothing changes. A position of white
(the first side of an endgame's name) and black is a place of an array [10, 64, ..]: the square of the white king,
turned and mirrored into the triangle a1, d1, d4, then the other men of white, the black king, and the other men of
black. There are two arrays, one for each side to move. What a sliding man can reach is a running maximum along its ray,
row by row.

Values are those of the side to move: 126 - n, it mates in n plies; n - 126, it is mated in n plies; 0, a draw. A place
where the side to move could take the king, or where two men stand on one square, is no position; it is worth 127, so
that nobody moves there, and a position without a move to another place is mate, or stalemate without check.

The fifty moves and repetition are not counted. Tables are built on first use, and kept in a folder of the user.
"""

import itertools
import math
import os
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.chess.geometry import KING, OFF, QUEEN, ROOK, SQUARES, STEPS, Board, attacks, legal_moves
from envs.chess.notation.fen import KINDS, kinds_of
from envs.chess.rules import moved
from jaxgp import reading
from jaxgp.bits import nth_square
from jaxgp.errors import UsageError, reason, remark

MATE = 126
ILLEGAL = 127
UNKNOWN = np.int8(-128)
"""The value of a position that no table holds."""
LOWEST = np.int8(-128)
MOST = 4
"""Men of the largest tables that are built when a game asks for them."""
LARGEST = 5
"""Men of the largest tables that can be built: a quarter of an hour of CPU and 10 GB of memory for each."""
ENDGAMES = ("KRKR", "KQKQ", "KQKR", "KQRK", "KRRK")
"""The largest tables that are built here; with KQQK they are all of four kings, queens and rooks."""
VERSION = 1
HEADS = 2**12
"""Bytes of a file of a table beside its values."""

Army = tuple[int, ...]
"""The kinds of the men of a side, the king first, in order."""
Pair = tuple[Army, Army]


def _symmetries() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the symmetries of the board.

    Returns:
        int32[8, 64], squares under each turn and mirror; int32[64], which of them brings a king into the triangle;
        int32[64], its place there.
    """
    x, y = np.arange(SQUARES) % 8, np.arange(SQUARES) // 8
    maps = []
    for flip_x, flip_y, swap in itertools.product((0, 1), repeat=3):
        u, v = (7 - x if flip_x else x), (7 - y if flip_y else y)
        maps.append(v + 8 * u if swap else u + 8 * v)
    turned = np.array(maps, np.int32)
    inside = [square for square in range(SQUARES) if square // 8 <= square % 8 <= 3]
    number = np.full(SQUARES, -1, np.int32)
    number[inside] = np.arange(len(inside))
    chosen = (number[turned] >= 0).argmax(0).astype(np.int32)
    return turned, chosen, number[turned[chosen, np.arange(SQUARES)]]


TURNED, CHOSEN, NUMBER = _symmetries()
TRIANGLE = np.array([square for square in range(SQUARES) if square // 8 <= square % 8 <= 3], np.int32)


class Tables(NamedTuple):
    """Values of all positions of some endgames."""

    values: Array  # int8[N]
    offsets: Array  # int32[9, 9, 2]: where the table of two armies begins, for each side to move; -1: there is none


def has(pair: Pair, most: int = MOST) -> bool:
    """Return whether there is a table of an endgame, if tables have up to so many men."""
    few = all(army.count(kind) <= 2 for army in pair for kind in army)
    return few and sum(map(len, pair)) <= most and all(kind <= ROOK for army in pair for kind in army)


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
    path = folder() / f"{named(pair)}-{VERSION}.npz"
    if path.exists():
        return read(path, pair)
    with jax.ensure_compile_time_eval():  # where a program that asks for it is traced, too
        found = build(pair)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        keep(path, found)
    except OSError as error:
        remark(f"{path}: cannot be written ({reason(error)}); the next command builds this table anew")
    return found


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
    """Return where values are none: who mates does so by a move of its own, who is mated by one of the other side."""
    plies = MATE - np.abs(values.astype(np.int16))
    return (values != ILLEGAL) & (values != 0) & ((plies < 0) | (plies % 2 != (values > 0)))


def shape_of(pair: Pair) -> tuple[int, ...]:
    """Return the shape of the arrays of an endgame."""
    return (len(TRIANGLE), *[SQUARES] * (len(pair[0]) + len(pair[1]) - 1))


def build(pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Analyse an endgame; see `table`."""
    count = len(pair[0]) + len(pair[1])
    attacked = [_attacked(pair, side) for side in range(2)]
    men: list[np.ndarray] = [np.arange(SQUARES).reshape(-1, *[1] * (count - 1 - axis)) for axis in range(count)]
    men[0] = TRIANGLE.reshape(-1, *[1] * (count - 1))
    apart = np.ones(shape_of(pair), bool)
    for a, b in itertools.combinations(men, 2):
        apart &= a != b
    # What becomes of places where a man stands on one of the other side: the table without that man.
    taken: list[list[tuple[np.ndarray, np.ndarray]]] = [[], []]
    for side, army in enumerate(pair):
        for place in range(1, len(army)):
            axis = place + side * len(pair[0])
            left = tuple(a[:place] + a[place + 1 :] if s == side else a for s, a in enumerate(pair))
            values = np.expand_dims(table(left)[side], axis)
            mine = range(len(pair[0]), count) if side == 0 else range(len(pair[0]))
            meets = np.zeros(shape_of(pair), bool)
            for other in mine:
                rest = [men[n] for n in range(count) if n not in (axis, other)]
                alone = np.ones(shape_of(pair), bool)
                for a, b in itertools.combinations([*rest, men[other]], 2):
                    alone &= a != b
                meets |= (men[axis] == men[other]) & alone
            taken[side].append((meets, values))
    blocks = {axis: _blocks(pair, men, axis) for axis in range(count) if axis not in (0, len(pair[0]))}
    white, black = _solve(pair, attacked, apart, taken, blocks)
    return np.asarray(white), np.asarray(black)


def _attacked(pair: Pair, side: int) -> np.ndarray:
    """Return bool[10, 64, ..]: whether the king of a side is attacked by the other side."""
    count, size = len(pair[0]) + len(pair[1]), max(map(len, pair))
    inner = SQUARES ** (count - 1)
    places = np.array(list(itertools.chain(range(len(pair[0])), range(size, size + len(pair[1])))))

    @jax.jit
    def one(king: Array, number: Array) -> Array:
        squares = [king + 0 * number]
        squares += [number // SQUARES ** (count - 1 - axis) % SQUARES for axis in range(1, count)]
        men = jnp.full((2 * size, inner), OFF, jnp.int8).at[places].set(jnp.stack(squares).astype(jnp.int8))
        kinds = np.full(2 * size, QUEEN, np.int8)
        kinds[places] = [kind for army in pair for kind in army]
        board = Board(men.reshape(2, size, -1), jnp.asarray(kinds).reshape(2, size, 1))
        struck = attacks(board)
        return struck[size:, 0].any(0) if side == 0 else struck[:size, size].any(0)

    number = jnp.arange(inner, dtype=jnp.int32)
    return np.stack([one(king, number) for king in jnp.asarray(TRIANGLE)]).reshape(shape_of(pair))


def _blocks(pair: Pair, men: list[np.ndarray], axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Return bool[64, ..] and bool[64, ..], the man's axis first: where it may enter, and where it has to stop."""
    white = len(pair[0])
    own = range(white) if axis < white else range(white, len(men))
    enter, stop = (np.ones(np.broadcast_shapes(*(man.shape for man in men)), bool) for _ in range(2))
    stop[:] = False
    for other, man in enumerate(men):
        if other in own or other in (0, white):
            enter &= (men[axis] != man) if other != axis else True
        else:
            stop |= men[axis] == man
    return np.ascontiguousarray(np.moveaxis(enter, axis, 0)), np.ascontiguousarray(np.moveaxis(stop, axis, 0))


def _solve(
    pair: Pair,
    attacked: list[np.ndarray],
    apart: np.ndarray,
    taken: list[list[tuple[np.ndarray, np.ndarray]]],
    blocks: dict[int, tuple[np.ndarray, np.ndarray]],
) -> tuple[Array, Array]:
    """Return the values of an endgame with white and with black to move.

    Masks of whole tables are arguments: made inside of the program, a compiler would compute them.

    Args:
        pair: the endgame.
        attacked: by side, where its king is attacked.
        apart: where no two men stand on one square.
        taken: by side, for each of its men, where a man of the other side stands on it, and the values without it.
        blocks: by axis of a man that slides, where it may enter and where it has to stop, that axis first.
    """
    white = len(pair[0])
    nothing = [~apart | attacked[1], ~apart | attacked[0]]  # no positions with white, with black to move

    @jax.jit
    def run(nothing: Any, attacked: Any, taken: Any, blocks: Any) -> tuple[Array, Array]:
        start = jnp.where(nothing[0], np.int8(ILLEGAL), np.int8(0)), jnp.where(nothing[1], np.int8(ILLEGAL), np.int8(0))

        def after(values: Array, side: int) -> Array:
            """Return what moves to each place are worth for the side that has moved, `1 - side` having lost men."""
            for meets, smaller in taken[side]:
                values = jnp.where(meets, smaller, values)
            return -(values - jnp.sign(values))

        def better(values: Array, mover: int) -> Array:
            worth = after(values, 1 - mover)
            best = _king_moves(worth, 0 if mover == 0 else white)
            for place in range(1, len(pair[mover])):
                axis = place + mover * white
                kind = pair[mover][place]
                best = jnp.maximum(best, _slides(worth, axis, kind, *blocks[axis]))
            best = jnp.maximum(best, np.int8(-MATE))
            best = jnp.where((best == -MATE) & ~attacked[mover], np.int8(0), best)
            return jnp.where(nothing[mover], np.int8(ILLEGAL), best)

        def next_round(carry: tuple[tuple[Array, Array], Array]) -> tuple[tuple[Array, Array], Array]:
            (first, second), _ = carry
            found = better(second, 0)
            other = better(found, 1)
            return (found, other), (found != first).any() | (other != second).any()

        return lax.while_loop(lambda carry: carry[1], next_round, (start, jnp.bool_(True)))[0]

    return run(nothing, attacked, taken, blocks)


def _king_moves(worth: Array, axis: int) -> Array:
    """Return the best of the moves of a king to the squares around it."""
    if axis:
        best = jnp.full(worth.shape, LOWEST)
        for goals in _around():
            moved = jnp.take(worth, np.maximum(goals, 0), axis)
            allowed = (goals >= 0).reshape(-1, *[1] * (worth.ndim - 1 - axis))
            best = jnp.maximum(best, jnp.where(allowed, moved, LOWEST))
        return best

    def one(king: Array) -> Array:
        def towards(direction: Array) -> Array:
            goal = jnp.asarray(_around())[direction, king]
            to = jnp.maximum(goal, 0)
            found, turn = worth[jnp.asarray(NUMBER)[to]], jnp.asarray(TURNED)[jnp.asarray(CHOSEN)[to]]
            for other in range(found.ndim):
                found = jnp.take(found, turn, other)
            return jnp.where(goal >= 0, found, LOWEST)

        return lax.fori_loop(
            0, len(STEPS), lambda n, best: jnp.maximum(best, towards(n)), jnp.full(worth.shape[1:], LOWEST)
        )

    return lax.map(one, jnp.asarray(TRIANGLE))


def _around() -> np.ndarray:
    """Return int32[8, 64]: the square one step away in each direction; -1 beyond the edge."""
    x, y = np.arange(SQUARES) % 8 + STEPS[:, :1], np.arange(SQUARES) // 8 + STEPS[:, 1:]
    return np.where((x >= 0) & (x < 8) & (y >= 0) & (y < 8), x + 8 * y, -1).astype(np.int32)


def _slides(worth: Array, axis: int, kind: int, enter: Array, stop: Array) -> Array:
    """Return the best of the moves of a queen or a rook, whose squares are an axis."""
    lead = jnp.moveaxis(worth, axis, 0)
    rows, enter, stop = (x.reshape(8, 8, -1) for x in (lead, enter, stop))  # rows, columns, all else
    best = jnp.full(rows.shape, LOWEST)
    for right, up in STEPS.tolist():
        if (right and up) and kind == ROOK:
            continue
        if up:
            best = jnp.maximum(best, _swept(rows, enter, stop, up > 0, right))
        else:
            files, into, until = (x.swapaxes(0, 1) for x in (rows, enter, stop))
            best = jnp.maximum(best, _swept(files, into, until, right > 0, 0).swapaxes(0, 1))
    return jnp.moveaxis(best.reshape(lead.shape), 0, axis)


def _swept(worth: Array, enter: Array, stop: Array, up: bool, right: int) -> Array:
    """Return the best of the squares that a man reaches by going row by row, and `right` columns with each row."""

    def row(beyond: Array, here: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        worth, enter, stop = here
        through = jnp.where(enter, jnp.maximum(worth, jnp.where(stop, LOWEST, beyond)), LOWEST)
        edge = jnp.full_like(through[:1], LOWEST)
        if right > 0:
            through = jnp.concatenate([through[1:], edge])
        elif right < 0:
            through = jnp.concatenate([edge, through[:-1]])
        return through, beyond

    start = jnp.full(worth.shape[1:], LOWEST)
    return lax.scan(row, start, (worth, enter, stop), reverse=up)[1]


def ordered(pair: Pair) -> bool:
    """Return whether an endgame is called so, the greater army first."""
    return code(pair[0]) >= code(pair[1])


@lru_cache(maxsize=8)
def tables(endgames: tuple[str, ...] = ENDGAMES, most: int = MOST) -> Tables:
    """Return the tables of some endgames of up to `most` men, and of all that captures lead to.

    Raises:
        UsageError: an endgame of more men, or of others than queens and rooks.
    """
    pairs: set[Pair] = set()
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
        pairs |= {(a, b) for a in subsets[0] for b in subsets[1]}
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
    return Tables(np.concatenate(parts), offsets)  # type: ignore[arg-type]


def probe(found: Tables, board: Board) -> Array:
    """Return int8[*B]: the values of boards [2, S, *B] for the side to move; `UNKNOWN` where no table has them.

    A value is 126 - n where the side to move mates in n plies, n - 126 where it is mated in n plies, 0 in draws.
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
    men = jnp.where(swap, men[::-1], men).astype(jnp.int32)
    king = men[0, 0]
    turn = jnp.asarray(CHOSEN)[king]
    place = jnp.asarray(NUMBER)[king]
    turned = jnp.asarray(TURNED.reshape(-1))
    for side in range(2):
        for n in range(1 - side, men.shape[1]):
            man = men[side, n]
            there = man < OFF
            place = jnp.where(there, place * SQUARES + turned[turn * SQUARES + jnp.minimum(man, 63)], place)
    start = jnp.asarray(found.offsets)[jnp.minimum(first, 8), jnp.minimum(second, 8), swap.astype(jnp.int32)]
    value = jnp.asarray(found.values)[jnp.where(fits & (start >= 0), start + place, 0)]
    return jnp.where(fits & (start >= 0), value, UNKNOWN)


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
