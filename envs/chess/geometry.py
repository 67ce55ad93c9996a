"""Chess boards of a few men: rays, attackers, pins, and exact legal moves. Nothing here knows an endgame.

A man has a place in its side's row: its kind, and its square. Squares are numbered from a1 (0), b1 (1) to h8 (63);
`OFF` is a man that was taken, or that there never was. The king is the first man of its side and is never taken. The
side to move is the first of both.

All work is arithmetic on pairs of men, on whole batches: two squares are on one ray if their difference is a multiple
of a king's step, and a man stands between them if it is on the same ray and nearer. Few men make few pairs, so this is
faster than sets of squares, and most of it fits in bytes. Only the squares where moves end are sets, two words for each
man.

Arrays have the men first and a batch last: [2, S, *B], S men on each side. `batch_last` lets `jax.vmap` keep them so.
"""

from collections.abc import Callable
from functools import reduce, wraps
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, custom_batching

from jaxgp.arrays import apart

Result = TypeVar("Result")

SQUARES, OFF = 64, 64
KING, QUEEN, ROOK, BISHOP, KNIGHT = range(5)
KINDS = "KQRBN"
STEPS = np.array([(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy], np.int8)
"""The eight directions, as steps to the right and up."""
CODES = (STEPS[:, 0] + 3 * STEPS[:, 1]).astype(np.int8)
"""How a ray is called: the opposite ray has the negative code; 0 is no ray."""
STRAIGHT = (STEPS == 0).any(1)
JUMPS = np.array([(dx, dy) for dx in (-2, -1, 1, 2) for dy in (-2, -1, 1, 2) if abs(dx) != abs(dy)], np.int8)
FAR = np.int8(8)
"""More steps than any ray has."""


def square_name(square: int) -> str:
    """Return the column and the row of a square, as in c3."""
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


class Board(NamedTuple):
    """The men of both sides, the side to move first."""

    men: Array  # int8[2, S, *B]: their squares
    kinds: Array  # int8[2, S, *B]


class Moves(NamedTuple):
    """What the side to move may do."""

    words: Array  # uint32[S, 2, *B]: the squares where moves of each man end
    checks: Array  # int8[*B]: men that attack its king


class Relation(NamedTuple):
    """How squares lie as seen from others, [N, M, *B]."""

    code: Array  # int8: the ray from the first to the second; 0 if there is none
    distance: Array  # int8: steps of a king
    jump: Array  # bool: a knight's move


def batch_last(function: Callable[..., Result]) -> Callable[..., Result]:
    """Make `jax.vmap` of a function of arrays [..., *B] add its axis at the end of the batch, not at the front."""
    mapped = custom_batching.custom_vmap(jax.jit(function))  # traced once for all places that call it

    @mapped.def_vmap
    def rule(size: int, batched: Any, *args: Any) -> tuple[Any, Any]:
        def last(x: Array, moved: bool) -> Array:
            return jnp.moveaxis(x, 0, -1) if moved else jnp.broadcast_to(x[..., None], (*x.shape, size))

        found = mapped(*jax.tree.map(last, args, tuple(batched)))
        return jax.tree.map(lambda x: jnp.moveaxis(x, -1, 0), found), jax.tree.map(lambda _: True, found)

    return wraps(function)(mapped)


def relate(first: Array, second: Array) -> Relation:
    """Return how squares int8[M, *B] lie as seen from squares int8[N, *B]."""
    a, b = first[:, None], second[None]
    right, up = (b & 7) - (a & 7), (b >> 3) - (a >> 3)
    far, high = jnp.abs(right), jnp.abs(up)
    ray = ((right == 0) | (up == 0) | (far == high)) & (a < OFF) & (b < OFF)
    code = jnp.where(ray, jnp.sign(right) + 3 * jnp.sign(up), np.int8(0))
    return Relation(code, jnp.maximum(far, high), (far * high == 2) & (a < OFF) & (b < OFF))


def strikes(kinds: Array, relation: Relation) -> Array:
    """Return bool[N, M, *B]: which men, int8[N, *B], would attack which squares if nothing stood between."""
    kind, (code, distance, jump) = kinds[:, None], relation
    odd = (code == 1) | (code == -1) | (code == 3) | (code == -3)
    slides = (odd & ((kind == QUEEN) | (kind == ROOK))) | (~odd & ((kind == QUEEN) | (kind == BISHOP)))
    near = (kind == KING) & (distance == 1)
    return ((code != 0) & (slides | near)) | (jump & (kind == KNIGHT))


def between(to: Relation, men: Relation, places: range) -> Array:
    """Return bool[N, M, *B]: whether one of some men, seen from the same squares, stands before the square seen."""
    found = jnp.zeros(to.code.shape, bool)
    for place in places:
        same = men.code[:, place, None] == to.code
        found |= same & (men.distance[:, place, None] < to.distance)
    return found & (to.code != 0)


def attacks(board: Board) -> Array:
    """Return bool[2 S, 2 S, *B]: which man of all attacks, or protects, which man; those of the side to move first."""
    men, kinds = (x.reshape(-1, *x.shape[2:]) for x in board)
    seen = relate(men, men)
    return strikes(kinds, seen) & ~between(seen, seen, range(len(men)))


def threatened(board: Board, side: int, squares: Array) -> Array:
    """Return bool[M, *B]: which squares, int8[M, *B], a side attacks once the king of the other side has left its own.

    A man of the other side on such a square is one that the king would take, or that stands in the way.
    """
    own, kinds = board.men[side], board.kinds[side]
    others = jnp.concatenate([own, board.men[1 - side, 1:]])
    to, men = apart(lambda: (relate(own, squares), relate(own, others)))
    return (strikes(kinds, to) & ~between(to, men, range(len(others)))).any(0)


def around(square: Array) -> Array:
    """Return int8[8, *B]: the squares around one, int8[*B]; `OFF` beyond the edge."""
    return _stepped(square, STEPS)


def _stepped(square: Array, steps: np.ndarray) -> Array:
    """Return int8[N, *B]: the squares some steps away; `OFF` beyond the edge."""
    right, up = (_leading(steps[:, n], square) for n in (0, 1))
    x, y = (square & 7) + right, (square >> 3) + up
    inside = (x >= 0) & (x < 8) & (y >= 0) & (y < 8) & (square < OFF)
    return jnp.where(inside, x + 8 * y, np.int8(OFF))


def _leading(values: np.ndarray, like: Array) -> np.ndarray:
    """Return values [N, ...] that broadcast against a batch."""
    return values.reshape(*values.shape, *[1] * like.ndim)


def escapes(board: Board, side: int = 0) -> Array:
    """Return bool[8, *B]: where, of the squares around it, the king of a side may go, if it is that side's turn."""
    goals = around(board.men[side, 0])
    blocked = (goals[:, None] == board.men[side][None]).any(1)
    return (goals < OFF) & ~blocked & ~threatened(board, 1 - side, goals)


class Line(NamedTuple):
    """What stands on the rays from the king of a side."""

    seen: Relation  # [1, 2 S, *B]: of all men, those of its side first
    before: Array  # int8[2 S, *B]: men between each of them and the king
    checkers: Array  # bool[S, *B]: men of the other side that attack the king
    pinned: Array  # int8[S, *B]: the ray from the king on which its own man is pinned; 0: it is not


def line(board: Board, side: int = 0) -> Line:
    """Return what stands on the rays from the king of a side."""
    men, kinds = (jnp.concatenate([x[side], x[1 - side]]) for x in board)
    size = board.men.shape[1]
    seen = relate(men[:1], men)
    code, distance = seen.code[0], seen.distance[0]
    near = [(code[n] == code) & (distance[n] < distance) & (code != 0) for n in range(1, 2 * size)]
    before = sum((x.astype(jnp.int8) for x in near), jnp.zeros_like(code))
    back = Relation(-code[:, None], distance[:, None], seen.jump[0][:, None])
    strike = strikes(kinds, back)[size:, 0]
    checkers = strike & (before[size:] == 0)
    pinner = strike & (before[size:] == 1) & (code[size:] != 0)
    own = code[:size]
    behind = jnp.zeros(own.shape, bool)
    for n in range(size):
        behind |= pinner[n] & (code[size + n] == own)
    return Line(seen, before, checkers, jnp.where(behind & (before[:size] == 0), own, np.int8(0)))


@batch_last
def legal_moves(board: Board) -> Moves:
    """Return the legal moves of the side to move; no man is a pawn."""
    king, size = board.men[0, 0], board.men.shape[1]
    # Each apart, or else a CPU computes it again in each of the words.
    rays, going, slides = apart(line, board), apart(escapes, board), apart(_slides, board)
    count = rays.checkers.sum(0, dtype=jnp.int8)
    # Where a man that is no king has to go: to the man that gives check, or between it and the king.
    checker = jnp.where(rays.checkers, board.men[1], np.int8(0)).sum(0, dtype=jnp.int8)
    pair = king.astype(jnp.int32) * SQUARES + checker
    pinned = rays.pinned[1:]
    code = _leading(CODES[:, None], king)
    along = (pinned == 0) | (pinned == code) | (pinned == -code)
    jumps = jnp.where((board.kinds[0, 1:] == KNIGHT) & (pinned == 0), board.men[0, 1:], np.int8(OFF))
    words = []
    for n, table in enumerate(BETWEEN):
        answer = jnp.where(count == 0, np.uint32(2**32 - 1), jnp.where(count == 1, _read(table, pair), np.uint32(0)))
        kings = reduce(jnp.bitwise_or, jnp.where(going, bits(around(king), n), np.uint32(0)))
        own = reduce(jnp.bitwise_or, [bits(man, n) for man in board.men[0]])
        sets = jnp.where(along, _read(RAYS[n], slides), np.uint32(0))
        men = reduce(jnp.bitwise_or, [sets[d] for d in range(len(CODES))]) | (bits(jumps, n, JUMPS) & ~own)
        words.append(jnp.concatenate([kings[None], men & answer]) if size > 1 else kings[None])
    return Moves(jnp.stack(words, 1), count)


@batch_last
def checking_moves(board: Board, words: Array) -> Array:
    """Return uint32[S, 2, *B]: by man, the squares where those of the legal moves `words` end that may give check.

    Others do not; only a man that stands before another one, and stays on its ray, is among them and does not either.
    """
    king, kinds, size = board.men[1, 0], board.kinds[0], board.men.shape[1]
    men = board.men.reshape(-1, *king.shape)
    seen = apart(lambda: relate(king[None], men))
    code = _leading(CODES, king)
    steps = _steps_to_edge(king)
    for n in range(2 * size):
        steps = jnp.minimum(steps, jnp.where(seen.code[0, n] == code, seen.distance[0, n], FAR))
    rays = (_leading(np.arange(8), king) * SQUARES + king.astype(jnp.int32)) * 8 + steps
    # A man that stands before another one uncovers it wherever it goes but along the ray.
    rest = line(Board(board.men[::-1], board.kinds[::-1]))
    back = Relation(
        -seen.code[0, :size][:, None], seen.distance[0, :size][:, None], jnp.zeros_like(seen.jump[0, :size])[:, None]
    )
    behind = strikes(kinds, back)[:, 0] & (rest.before[size:] == 1)
    covers = jnp.zeros(kinds.shape, bool)
    for n in range(size):
        covers |= behind[n] & (seen.code[0, n] == seen.code[0, :size])
    covers &= rest.before[size:] == 0
    found = []
    for n in range(2):
        sets = apart(lambda n=n: _read(RAYS[n], rays))
        straight, slanting = (
            reduce(jnp.bitwise_or, [sets[d] for d in range(len(CODES)) if STRAIGHT[d] == kind])
            for kind in (True, False)
        )
        rook, bishop = (kinds == QUEEN) | (kinds == ROOK), (kinds == QUEEN) | (kinds == BISHOP)
        none = np.uint32(0)
        gives = jnp.where(rook, straight, none) | jnp.where(bishop, slanting, none)
        gives |= jnp.where(kinds == KNIGHT, bits(king, n, JUMPS), none)
        found.append(words[:, n] & jnp.where(covers, np.uint32(2**32 - 1), gives))
    return jnp.stack(found, 1)


def _slides(board: Board) -> Array:
    """Return int32[8, S - 1, *B]: how far each man but the king slides in each direction, as a place in `RAYS`."""
    own, kinds = board.men[0, 1:], board.kinds[0, 1:]
    straight = _leading(STRAIGHT[:, None], own[0])
    slides = (kinds == QUEEN) | (kinds == jnp.where(straight, np.int8(ROOK), np.int8(BISHOP)))
    steps = jnp.where(slides & (own < OFF), reach(board, 0), np.int8(0)).astype(jnp.int32)
    squares = jnp.minimum(own, np.int8(SQUARES - 1)).astype(jnp.int32)
    return steps + 8 * (_leading(np.arange(8)[:, None], own[0]) * SQUARES + squares)


def reach(board: Board, side: int) -> Array:
    """Return int8[8, S - 1, *B]: how far each man of a side but the king could slide in each direction."""
    men = jnp.concatenate([board.men[side], board.men[1 - side]])
    own, size = board.men[side, 1:], board.men.shape[1]
    seen = relate(own, men)
    code = _leading(CODES[:, None], own[0])
    steps = _steps_to_edge(own)
    for n in range(2 * size):
        stop = seen.distance[:, n] - np.int8(n < size)
        steps = jnp.minimum(steps, jnp.where(seen.code[:, n] == code, stop, FAR))
    return steps


def _read(table: np.ndarray, place: Array | np.ndarray) -> Array:
    return jnp.asarray(table).at[place].get(mode="promise_in_bounds")


def _steps_to_edge(squares: Array) -> Array:
    """Return int8[8, *B]: how many steps in each direction end on the board, from squares int8[*B]."""
    right, up = (_leading(STEPS[:, n], squares) for n in (0, 1))
    return jnp.minimum(_to_edge(right, squares & 7), _to_edge(up, squares >> 3))


def _to_edge(step: np.ndarray, place: Array) -> Array:
    return jnp.where(step > 0, np.int8(7) - place, jnp.where(step < 0, place, FAR))


def bits(squares: Array, word: int, steps: np.ndarray | None = None) -> Array:
    """Return uint32[*B]: a word of the set of squares (int8[*B]), or of those some steps away from them."""
    if steps is not None:
        return reduce(jnp.bitwise_or, [bits(square, word) for square in _stepped(squares, steps)])
    at = squares - np.int8(32 * word)
    inside = (at >= 0) & (at < 32)
    return jnp.where(inside, jnp.uint32(1) << jnp.where(inside, at, np.int8(0)).astype(jnp.uint32), np.uint32(0))


def _words(sets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two words for each set of squares, bool[..., 64]."""
    both = (sets.reshape(*sets.shape[:-1], 2, 32) * (np.uint64(1) << np.arange(32, dtype=np.uint64))).sum(-1)
    return both[..., 0].astype(np.uint32), both[..., 1].astype(np.uint32)


def _ray_sets() -> tuple[np.ndarray, np.ndarray]:
    """Return, by direction, square, and steps from 0 to 7, the squares that a man passes, two words each."""
    sets = np.zeros((8, SQUARES, 8, SQUARES), bool)
    for direction, (right, up) in enumerate(STEPS.tolist()):
        for square in range(SQUARES):
            for steps in range(1, 8):
                sets[direction, square, steps] = sets[direction, square, steps - 1]
                x, y = square % 8 + steps * right, square // 8 + steps * up
                if 0 <= x < 8 and 0 <= y < 8:
                    sets[direction, square, steps, x + 8 * y] = True
    return _words(sets)


def _between_sets() -> tuple[np.ndarray, np.ndarray]:
    """Return the squares from one, not included, to another; off all rays the other alone; two words for each pair."""
    sets = np.zeros((SQUARES, SQUARES, SQUARES), bool)
    for a in range(SQUARES):
        for b in range(SQUARES):
            right, up = b % 8 - a % 8, b // 8 - a // 8
            far = max(abs(right), abs(up))
            sets[a, b, b] = True
            if far and (right == 0 or up == 0 or abs(right) == abs(up)):
                for n in range(1, far):
                    sets[a, b, a + n * (right // far) + 8 * n * (up // far)] = True
    return _words(sets)


RAYS = tuple(word.reshape(-1) for word in _ray_sets())
BETWEEN = tuple(word.reshape(-1) for word in _between_sets())
