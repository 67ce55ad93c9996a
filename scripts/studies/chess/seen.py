"""Whether what programs see of positions is enough to mate: the best player that is found among all functions of it.

    python scripts/studies/chess/seen.py endgame=KRK save=docs/data/chess_seen.csv

After a move of white the terminals have one combination of values, and positions with the same one look alike. A
player gives each combination a worth, and plays a move to the highest; of equal moves one by lot. Black plays the
longest defence of the tables, of several moves one by lot. So a game is a Markov chain, and the share of won starts
from which it mates within 50 moves is exact.

Two players are measured. `depth`: the worth is how soon white mates, by the tables, on average over the positions that
look alike. `play`: from there each round gives a combination the mean worth of what its player comes to, over the
positions that this player meets, the sooner a mate the more; the best round counts.

With `programs` these are measured in their place, by the same exact computation. Starts are all won ones, and those of
them that no training begins with.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass

import jax
import numpy as np

import envs
from envs.chess import language, tables
from envs.chess.notation.fen import kinds_of
from envs.chess.tables.process import endgame
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.measure.champions import load
from jaxgp.options import MAX_COUNT, option
from jaxgp.players.taught import DecisionProcess
from studies.chess.shared import rows

MOVES = 50
DISCOUNT = 0.93
STEP = 0.3
"""How far the worth of a combination moves in a round."""
SEEN = 1e-3
"""What positions weigh that a player does not meet, beside the mean of those that it does."""
ENDGAMES = ("KQK", "KRK")
HEAD = "endgame,by,positions,combinations,rounds,mated,unmet,unmet_mated\n"


@dataclass
class Options:
    """What is measured."""

    endgame: str = option("KRK", "a king and one more man against a king", ENDGAMES)
    rounds: int = option(40, "in which a player is improved by its own play", low=1, high=MAX_COUNT)
    programs: tuple[str, ...] = option((), "directories of runs, or champion files", accepted="a list, as in [a,b]")
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)


def combinations(of: DecisionProcess) -> np.ndarray:
    """Return int[M]: the number of the combination of terminals after each move of white."""
    seen = np.asarray(jax.jit(language.view)(of.outcomes)).T
    return np.unique(seen, axis=0, return_inverse=True)[1].ravel()


def depths(of: DecisionProcess) -> np.ndarray:
    """Return int[M]: the plies to the mate after each move of white; `tables.MATE` where there is none."""
    follows = np.where(of.replies[:, 0] >= 0, 2 * of.left[of.replies[:, 0]], tables.MATE)
    return np.where(of.won, 0, follows)


def choose(of: DecisionProcess, worth: np.ndarray) -> np.ndarray:
    """Return float[N, W]: with what chance a player plays each move, by the worth of what it leads to, float[M]."""
    values = np.where(of.moves >= 0, worth[of.moves], -np.inf)
    best = (of.moves >= 0) & (values == values.max(1, keepdims=True))
    chance: np.ndarray = best / np.maximum(best.sum(1, keepdims=True), 1)
    return chance


def _chance(of: DecisionProcess) -> np.ndarray:
    """Return float[M, R]: the chance of each reply."""
    there = of.replies >= 0
    chance: np.ndarray = there / np.maximum(there.sum(1, keepdims=True), 1)
    return chance


def come(of: DecisionProcess, play: np.ndarray, discount: float) -> tuple[np.ndarray, np.ndarray]:
    """Return float[N] and float[M]: the chance of a mate within `MOVES` moves, each of which costs a share of it."""
    after, chance = of.won.astype(float), _chance(of)
    for _ in range(MOVES - 1):
        before = (play * after[of.moves]).sum(1)
        after = np.where(of.won, 1.0, discount * (chance * before[of.replies]).sum(1))
    return (play * after[of.moves]).sum(1), after


def met(of: DecisionProcess, play: np.ndarray) -> np.ndarray:
    """Return float[M]: how often a player meets each position after its moves, from a won start."""
    starts, chance = of.starts | of.unmet, _chance(of)
    before, total = starts / starts.sum(), np.zeros(len(of.won))
    for _ in range(MOVES):
        after = np.bincount(of.moves.ravel() % len(total), (play * before[:, None]).ravel(), len(total))
        total += after
        before = np.bincount(of.replies.ravel() % len(before), (chance * after[:, None]).ravel(), len(before))
    return total


def of_program(path: str, of: DecisionProcess) -> np.ndarray:
    """Return float[M]: what a program gives to the outcomes of a process."""
    made = load(path, envs, "programs")
    states = jax.vmap(made.cast.game.init)(jax.random.split(jax.random.key(0), 1))
    states = jax.tree.map(lambda x: np.repeat(np.asarray(x), len(of.won), 0), states)
    seen, tree = jax.jit(made.cast.actor.looks)(states, of.outcomes)
    plans = made.cast.actor.prepare(jax.tree.map(lambda x: np.asarray(x)[None], made.genome))
    return np.asarray(made.cast.actor.judge(plans, seen, tree), float)[0]


def measure(options: Options) -> str:
    """Return the rows of an endgame."""
    of = endgame(kinds_of(options.endgame))
    look = combinations(of)
    count = int(look.max()) + 1

    def mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
        total = np.bincount(look, weights, count)
        means: np.ndarray = np.bincount(look, values * weights, count) / np.where(total > 0, total, 1)
        return means

    def shares(worth: np.ndarray) -> tuple[float, float]:
        chance = come(of, choose(of, worth), 1.0)[0]
        return float(chance[of.starts | of.unmet].mean()), float(chance[of.unmet].mean())

    def row(by: str, rounds: int, found: tuple[float, float]) -> str:
        head = f"{options.endgame},{by},{int((of.starts | of.unmet).sum())},{count},{rounds},{found[0]:.5f}"
        return f"{head},{int(of.unmet.sum())},{found[1]:.5f}\n"

    if options.programs:
        return "".join(row(path, 0, shares(of_program(path, of))) for path in options.programs)
    worth = mean(1 - depths(of) / tables.MATE, np.ones(len(look)))
    found = [shares(worth[look])]
    for _ in range(options.rounds):
        play = choose(of, worth[look])
        often = met(of, play)
        worth = worth + STEP * (mean(come(of, play, DISCOUNT)[1], often + SEEN * often.mean()) - worth)
        found.append(shares(worth[look]))
    best = found.index(max(found))
    return row("depth", 0, found[0]) + row("play", best, found[best])


def task(options: Options) -> int:
    """Measure, print, save."""
    found = measure(options)
    print(HEAD + found, end="")
    if options.save:
        rows.add(files.user_path("save", options.save), HEAD, found)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
