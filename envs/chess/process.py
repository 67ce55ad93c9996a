"""All positions of an endgame against one or two men, with their moves: a process in which white wants to mate.

White moves as it likes, black plays the longest defence of the tables, of several moves one by lot. Once white has
taken the man beside the king of black, the game goes on among the positions that are left. A game in which mate cannot
be forced any more has failed. Who looks at all positions once need not look at them again in games.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from envs.chess import tables
from envs.chess.geometry import OFF, SQUARES, Board
from envs.chess.language import After
from envs.chess.notation.fen import kinds_of
from envs.chess.rules import REACH, Chess
from jaxgp.errors import reject
from jaxgp.players.taught import DecisionProcess
from jaxgp.search.chance import unused_key

ENDGAMES = ("KQK", "KRK", "KQKR")
TOGETHER = 2**17
"""Positions whose moves are found together."""
UNMET = 0.25
"""The share of the won starts from which no training begins."""
KEY = 1
"""What they are drawn by."""


def process(game: Chess) -> DecisionProcess:
    """Return the process of an endgame; the states of its outcomes have the men alone.

    Raises:
        UsageError: an endgame that is none of `ENDGAMES`, or games that begin elsewhere.
    """
    if game.endgame not in ENDGAMES or game.start != "won":
        where = f"{', '.join(ENDGAMES)} with game.start=won, whose positions are all known"
        reject("game.endgame", f"{game.endgame} with game.start={game.start}", where)
    of = endgame(kinds_of(game.endgame))
    shapes = jax.eval_shape(game.init, unused_key())
    empty = jax.tree.map(lambda x: np.zeros((len(of.won), *x.shape), x.dtype), shapes)
    return of._replace(states=empty.replace(men=of.outcomes.men[:, ::-1], kinds=of.outcomes.kinds[:, ::-1]))


@lru_cache(maxsize=1)
def endgame(pair: tables.Pair) -> DecisionProcess:
    """Return the process of an endgame without the states before its outcomes.

    Its decisions are all positions with white to move, and then those without the man of black. Its outcomes are all
    positions with black to move, and then twice those without the man: as later moves lead to them, and taking it.
    """
    every = [_positions(pair)] + [_positions((pair[0], pair[1][:1]))] * (len(pair[1]) > 1)
    first, last = every[0], every[-1]
    count, after = len(first.worth[0]), len(first.worth[1])
    to, taken = _white(first, last)
    moves, replies = [np.where(taken >= 0, after + len(last.worth[1]) + taken, to)], [_black(first)]
    if last is not first:
        moves.append(_shifted(_white(last, last)[0], after))
        replies += [_shifted(_black(last), count)] * 2
    worth = [np.concatenate([one.worth[side] for one in [*every, *every[1:] * side]]) for side in range(2)]
    starts = np.concatenate([first.worth[0] > 0, np.zeros(sum(len(one.worth[0]) for one in every[1:]), bool)])
    unmet = np.concatenate([_unmet(first), np.zeros(len(starts) - count, bool)])
    boards = [one.boards[1] for one in [*every, *every[1:]]]
    men, kinds = (np.concatenate([np.moveaxis(x, -1, 0) for x in sides]) for sides in zip(*boards, strict=True))
    captured = np.arange(len(men)) >= after + len(last.worth[1])
    left = np.where(worth[0] > 0, tables.MATE - worth[0].astype(int), 0)
    won = worth[1] == -tables.MATE
    outcomes = After(men, kinds, captured)  # type: ignore[arg-type]
    return DecisionProcess(
        None, outcomes, _stacked(moves), _stacked(replies), won, left, starts & ~unmet, starts & unmet
    )


class Positions(NamedTuple):
    """All positions of an endgame, with white to move and with black to move."""

    pair: tables.Pair
    places: tuple[np.ndarray, np.ndarray]  # int[N, men] and int[M, men]: where the tables have them
    worth: tuple[np.ndarray, np.ndarray]  # int8[N] and int8[M], to the side to move
    number: tuple[np.ndarray, np.ndarray]  # int32, in the form of the tables: which position is there
    boards: tuple[Board, Board]


def _positions(pair: tables.Pair) -> Positions:
    """Return all positions of an endgame."""
    values = tables.table(pair)
    white, black = places = tuple(np.argwhere(side != tables.ILLEGAL) for side in values)
    number = tuple(np.zeros(side.shape, np.int32) for side in values)
    for numbers, at in zip(number, places, strict=True):
        numbers[tuple(at.T)] = np.arange(len(at))
    worth = values[0][tuple(white.T)], values[1][tuple(black.T)]
    return Positions(
        pair, (white, black), worth, (number[0], number[1]), (_board(pair, white, 0), _board(pair, black, 1))
    )


def _white(of: Positions, bare: Positions) -> tuple[np.ndarray, np.ndarray]:
    """Return int32[N, W] twice: which positions moves of white lead to, and which of `bare` where it takes; or -1."""
    to, taken = [], []
    for men, there in _moves(of, 0):
        number, all_left = _numbers(of.pair, men, of.number[1])
        to.append(np.where(there & all_left, number, -1))
        taken.append(np.where(there & ~all_left, _numbers(bare.pair, men, bare.number[1])[0], -1))
    return _joined(to, len(of.worth[0])), _joined(taken, len(of.worth[0]))


def _black(of: Positions) -> np.ndarray:
    """Return int32[M, R]: which positions the longest defences of black lead to, where it is lost; or -1."""
    found = []
    for men, there in _moves(of, 1):
        number, all_left = _numbers(of.pair, men, of.number[0])
        found.append(np.where(there & all_left, number, -1))
    to = _joined(found, len(of.worth[1]))
    # Who is lost cannot take a man, so all its moves lead to positions of the endgame.
    left = np.where(to >= 0, of.worth[0][to], tables.ILLEGAL)
    best = (to >= 0) & (left == left.min(1, keepdims=True)) & (of.worth[1] < 0)[:, None]
    order = np.argsort(~best, 1, kind="stable")[:, : best.sum(1).max()]
    return np.take_along_axis(np.where(best, to, np.int32(-1)), order, 1)


_successors = jax.jit(tables.successors, static_argnums=1)


def _moves(of: Positions, side: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the men after the moves of a side, black's first, int8[2, S, W, K], and which there are, bool[W, K]."""
    most, board = int(REACH[list(of.pair[side])].sum()), of.boards[side]
    count = board.men.shape[-1]
    size = min(count, TOGETHER)
    for begin in range(0, count, size):
        places = np.minimum(np.arange(begin, begin + size), count - 1)
        after, there = jax.device_get(_successors(Board(*(x[..., places] for x in board)), most))
        yield after.men if side == 0 else after.men[::-1], there


def _joined(parts: list[np.ndarray], count: int) -> np.ndarray:
    """Return int32[N, W] of the first N of some parts [W, K]."""
    return np.concatenate(parts, 1).T[:count].astype(np.int32)


def _shifted(numbers: np.ndarray, by: int) -> np.ndarray:
    """Return numbers that are not -1 by so much larger."""
    return np.where(numbers >= 0, numbers + np.int32(by), numbers)


def _stacked(parts: list[np.ndarray]) -> np.ndarray:
    """Return int32[sum of N, W] of parts [N, up to W], which -1 fills up."""
    most = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, most - part.shape[1])), constant_values=-1) for part in parts])


def _unmet(of: Positions) -> np.ndarray:
    """Return bool[N]: which positions with white to move are kept back, each with its mirror image."""
    places, shape = of.places[0], of.number[0].shape
    mirrored = places % 8 * 8 + places // 8
    mirrored[:, 0] = places[:, 0]
    king = tables.TRIANGLE[places[:, 0]]
    number, other = (np.ravel_multi_index(tuple(at.T), shape) for at in (places, mirrored))
    number = np.where(king % 8 == king // 8, np.minimum(number, other), number)
    return np.asarray(jax.random.bernoulli(jax.random.key(KEY), UNMET, (math.prod(shape),)))[number]


def _board(pair: tables.Pair, places: np.ndarray, side: int) -> Board:
    """Return the boards of places of a table, the side to move first."""
    size = max(map(len, pair))
    men = np.full((2, size, len(places)), OFF, np.int8)
    kinds = np.ones((2, size, 1), np.int8).repeat(len(places), 2)
    squares = [tables.TRIANGLE[places[:, 0]], *places[:, 1:].T]
    for army, (row, first) in zip(pair, ((side, 0), (1 - side, len(pair[0]))), strict=True):
        for n, kind in enumerate(army):
            men[row, n], kinds[row, n] = squares[first + n], kind
    return Board(jnp.asarray(men), jnp.asarray(kinds))


def _numbers(pair: tables.Pair, men: np.ndarray, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of positions by their men, black's first: int[W, N]; and where all men are there."""
    black, white = men.astype(int)
    others = [*white[1 : len(pair[0])], *black[: len(pair[1])]]
    turn = tables.CHOSEN[white[0]]
    place = tables.NUMBER[white[0]]
    for man in others:
        place = place * SQUARES + tables.TURNED[turn, np.minimum(man, SQUARES - 1)]
    return number.reshape(-1)[place], np.all([man < OFF for man in others], 0)
