"""All positions of a king and one man against a king, with their moves: a process in which white wants to mate.

White moves as it likes, black plays the longest defence of the tables, of several moves one by lot. Who looks at all
positions once need not look at them again in games.
"""

from dataclasses import dataclass
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

ENDGAMES = ("KQK", "KRK")


def process(game: Chess) -> DecisionProcess:
    """Return the process of an endgame; the states of its outcomes have the men alone.

    Raises:
        UsageError: more than one man beside the kings, or games that begin elsewhere.
    """
    if game.endgame not in ENDGAMES or game.start != "won":
        where = f"{' and '.join(ENDGAMES)} with game.start=won, whose positions are all known"
        reject("game.endgame", f"{game.endgame} with game.start={game.start}", where)
    of = graph(kinds_of(game.endgame))
    shapes = jax.eval_shape(game.init, unused_key())
    empty = jax.tree.map(lambda x: np.zeros((len(of.mated), *x.shape), x.dtype), shapes)
    states = empty.replace(men=of.after.men[:, ::-1], kinds=of.after.kinds[:, ::-1])
    left = np.where(of.white.goes_on, of.plies[of.white.to], tables.MATE).min(1)
    # Outcomes and decisions that a move does not lead to are -1; a man that is taken ends the process.
    moves = np.where(of.white.goes_on, of.white.to, -1)
    replies = np.where(of.chance > 0, of.black.to, -1)
    return DecisionProcess(states, of.after, moves, replies, of.mated, np.where(of.won, (left + 2) // 2, 0), of.won)


class Moves(NamedTuple):
    """Moves of one side from N positions, W at most: to which positions of the other, and which there are.

    A move that takes a man leads to none; what it leads to is worth nothing for white.
    """

    to: np.ndarray  # int[N, W]
    there: np.ndarray  # bool[N, W]
    goes_on: np.ndarray  # bool[N, W]


@dataclass
class Graph:
    """All positions of an endgame: N with white to move, M with black to move.

    Attributes:
        white: moves from [N].
        black: moves from [M].
        chance: float[M, W], of each reply: of the longest defence.
        mated: bool[M].
        won: bool[N].
        plies: int[M], to the mate; `tables.MATE` where there is none.
        after: [M], what the moves of white lead to.
    """

    white: Moves
    black: Moves
    chance: np.ndarray
    mated: np.ndarray
    won: np.ndarray
    plies: np.ndarray
    after: After


@lru_cache(maxsize=len(ENDGAMES))
def graph(pair: tables.Pair) -> Graph:
    """Return all positions of an endgame and the moves among them."""
    values = tables.table(pair)
    places = [np.argwhere(side != tables.ILLEGAL) for side in values]
    worth = [side[tuple(at.T)].astype(int) for side, at in zip(values, places, strict=True)]
    number = [np.zeros(side.shape, int) for side in values]
    for numbers, at in zip(number, places, strict=True):
        numbers[tuple(at.T)] = np.arange(len(at))
    boards = [_board(pair, at, side) for side, at in enumerate(places)]
    most = [int(REACH[list(army)].sum()) for army in pair]
    moves = []
    for side, board in enumerate(boards):
        after, there = jax.device_get(jax.jit(tables.successors, static_argnums=1)(board, most[side]))
        to, goes_on = _numbers(pair, after.men if side == 0 else after.men[::-1], number[1 - side])
        moves.append(Moves(to.T, there.T, (goes_on & there).T))
    white, black = moves
    left = np.where(black.there, np.where(black.goes_on, worth[0][black.to], 0), tables.ILLEGAL)
    best = black.there & (left == left.min(1, keepdims=True))
    men, kinds = (jnp.moveaxis(x, -1, 0) for x in boards[1])
    return Graph(
        white,
        black,
        best * black.goes_on / np.maximum(best.sum(1, keepdims=True), 1),
        worth[1] == -tables.MATE,
        worth[0] > 0,
        np.where(worth[1] < 0, np.asarray(tables.plies(jnp.asarray(worth[1]))), tables.MATE),
        After(men, kinds, jnp.zeros(len(men), bool)),
    )


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
