"""Whether what programs see of positions is enough to mate: the best player that is found among all functions of it.

    python scripts/studies/chess/seen.py endgame=KRK save=docs/data/chess_seen.csv

After a move of white the terminals have one combination of values, and positions with the same one look alike. A
player gives each combination a worth, and plays a move to the highest; of equal moves one by lot. Black plays the
longest defence of the tables, of several moves one by lot. So a game is a Markov chain, and the share of won starts
from which it mates within 50 moves is exact.

Two players are measured. `depth`: the worth is how soon white mates, by the tables, on average over the positions that
look alike. `play`: from there each round gives a combination the mean worth of what its player comes to, over the
positions that this player meets, the sooner a mate the more; the best round counts.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from envs.chess import language, tables
from envs.chess.geometry import OFF, SQUARES, Board
from envs.chess.notation.fen import kinds_of
from envs.chess.rules import REACH
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.options import MAX_COUNT, option
from studies.chess import rows

MOVES = 50
DISCOUNT = 0.93
STEP = 0.3
"""How far the worth of a combination moves in a round."""
SEEN = 1e-3
"""What positions weigh that a player does not meet, beside the mean of those that it does."""
HEAD = "endgame,by,positions,combinations,rounds,mated\n"


@dataclass
class Options:
    """What is measured."""

    endgame: str = option("KRK", "a king and one more man against a king", ("KQK", "KRK"))
    rounds: int = option(40, "in which a player is improved by its own play", low=1, high=MAX_COUNT)
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)


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
        look: int[M], the number of the combination of terminals.
    """

    white: Moves
    black: Moves
    chance: np.ndarray
    mated: np.ndarray
    won: np.ndarray
    plies: np.ndarray
    look: np.ndarray


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
    seen = np.asarray(jax.jit(language.view)(language.After(men, kinds, jnp.zeros(len(men), bool)))).T
    return Graph(
        white,
        black,
        best * black.goes_on / np.maximum(best.sum(1, keepdims=True), 1),
        worth[1] == -tables.MATE,
        worth[0] > 0,
        np.where(worth[1] < 0, np.asarray(tables.plies(jnp.asarray(worth[1]))), tables.MATE),
        np.unique(seen, axis=0, return_inverse=True)[1].ravel(),
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


def choose(of: Graph, worth: np.ndarray) -> np.ndarray:
    """Return float[N, W]: with what chance a player plays each move, by the worth of combinations."""
    values = np.where(of.white.goes_on, worth[of.look[of.white.to]], -np.inf)
    best = of.white.goes_on & (values == values.max(1, keepdims=True))
    chance: np.ndarray = best / np.maximum(best.sum(1, keepdims=True), 1)
    return chance


def come(of: Graph, play: np.ndarray, discount: float) -> tuple[np.ndarray, np.ndarray]:
    """Return float[N] and float[M]: the chance of a mate within `MOVES` moves, each of which costs a share of it."""
    after = of.mated.astype(float)
    for _ in range(MOVES - 1):
        before = (play * after[of.white.to]).sum(1)
        after = np.where(of.mated, 1.0, discount * (of.chance * before[of.black.to]).sum(1))
    return (play * after[of.white.to]).sum(1), after


def met(of: Graph, play: np.ndarray) -> np.ndarray:
    """Return float[M]: how often a player meets each position after its moves, from a won start."""
    before, total = of.won / of.won.sum(), np.zeros(len(of.mated))
    for _ in range(MOVES):
        after = np.bincount(of.white.to.ravel(), (play * before[:, None]).ravel(), len(total))
        total += after
        before = np.bincount(of.black.to.ravel(), (of.chance * after[:, None]).ravel(), len(before))
    return total


def measure(options: Options) -> str:
    """Return the rows of an endgame."""
    of = graph(kinds_of(options.endgame))
    count = int(of.look.max()) + 1

    def mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
        total = np.bincount(of.look, weights, count)
        means: np.ndarray = np.bincount(of.look, values * weights, count) / np.where(total > 0, total, 1)
        return means

    def mated(worth: np.ndarray) -> float:
        return float(come(of, choose(of, worth), 1.0)[0][of.won].mean())

    worth = mean(1 - of.plies / tables.MATE, np.ones(len(of.look)))
    shares = [mated(worth)]
    for _ in range(options.rounds):
        play = choose(of, worth)
        often = met(of, play)
        worth = worth + STEP * (mean(come(of, play, DISCOUNT)[1], often + SEEN * often.mean()) - worth)
        shares.append(mated(worth))
    told = (("depth", 0, shares[0]), ("play", int(np.argmax(shares)), max(shares)))
    head = f"{options.endgame}", f"{int(of.won.sum())},{count}"
    return "".join(f"{head[0]},{by},{head[1]},{rounds},{share:.5f}\n" for by, rounds, share in told)


def task(options: Options) -> int:
    """Measure, print, save."""
    found = measure(options)
    print(HEAD + found, end="")
    if options.save:
        rows.add(files.user_path("save", options.save), HEAD, found)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
