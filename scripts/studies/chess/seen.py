"""Whether what programs see of positions is enough to mate: the best player that is found among all functions of it.

    python scripts/studies/chess/seen.py endgame=KRK save=docs/data/chess_seen.csv

After a move of white the terminals have one combination of values, and positions with the same one look alike; with
`sees=weighed` only the terminals count that sums weigh, with `sees=further` those of `program.terminals=further`. A
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
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
from scipy.sparse import csr_array

import envs
from envs.chess import language, tables
from envs.chess.notation.fen import kinds_of
from envs.chess.rules import Chess
from envs.chess.sums import weighed
from envs.chess.tables.process import ENDGAMES, endgame
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.fitness.taught.own_play import look
from jaxgp.measure.champions import Loaded, load
from jaxgp.options import MAX_COUNT, option
from jaxgp.players.taught import DecisionProcess, Learns
from studies.chess.shared import rows

MOVES = 50
DISCOUNT = 0.93
STEP = 0.3
"""How far the worth of a combination moves in a round."""
SEEN = 1e-3
"""What positions weigh that a player does not meet, beside the mean of those that it does."""
TOGETHER = 2**17
"""Positions that are looked at together."""
HEAD = "endgame,by,positions,combinations,rounds,mated,unmet,unmet_mated,sees,least,most\n"
"""`least`, `most`: moves to the mate of the starts that count; empty: all count."""


@dataclass
class Options:
    """What is measured."""

    endgame: str = option("KRK", "white has a king and a man more", ENDGAMES)
    sees: str = option(
        "all",
        "which terminals are seen; all: those of trees; weighed: those that sums weigh; further: those that they weigh "
        "with program.terminals=further",
        ("all", "weighed", "further"),
    )
    rounds: int = option(40, "in which a player is improved by its own play", low=1, high=MAX_COUNT)
    programs: tuple[str, ...] = option((), "directories of runs, or champion files", accepted="a list, as in [a,b]")
    bands: tuple[int, ...] = option(
        (), "moves to the mate by which starts of programs are told apart, as in [12,18]", low=1, high=MAX_COUNT
    )
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)

    @property
    def terminals(self) -> tuple[str, ...]:
        """The names of those that are seen."""
        if self.sees == "all":
            return *language.SIMPLE, *language.COMPLEX, *language.EXTRA
        if self.sees in weighed.SETS:
            return weighed.SETS[self.sees]
        return weighed.ARMED if len(kinds_of(self.endgame)[1]) > 1 else weighed.BARE


def combinations(of: DecisionProcess, names: tuple[str, ...]) -> np.ndarray:
    """Return int[M]: the number of the combination of these terminals after each move of white."""
    see = jax.jit(lambda outcomes: language.view(outcomes, names))
    count = len(of.won)
    seen = np.zeros((count, len(names)), np.int16)
    for begin in range(0, count, TOGETHER):
        places = np.minimum(np.arange(begin, begin + min(TOGETHER, count)), count - 1)
        seen[places] = np.asarray(see(jax.tree.map(lambda x, places=places: np.asarray(x)[places], of.outcomes))).T
    return np.unique(seen, axis=0, return_inverse=True)[1].ravel()


def depths(of: DecisionProcess) -> np.ndarray:
    """Return int[M]: the plies to the mate after each move of white; `tables.MATE` where there is none."""
    follows = np.where(of.replies[:, 0] >= 0, 2 * of.left[of.replies[:, 0]], tables.MATE)
    return np.where(of.won, 0, follows)


def evenly(some: np.ndarray, there: np.ndarray, columns: int) -> csr_array:
    """Return float[K, columns]: in each row the places `some`, int[K, W], where they are `there`, as likely each."""
    number = there.sum(1)
    chance = np.repeat(1 / np.maximum(number, 1), number)
    return csr_array((chance, some[there], np.append(0, np.cumsum(number))), (len(some), columns))


def choose(of: DecisionProcess, worth: np.ndarray) -> csr_array:
    """Return float[N, M]: with what chance a player moves to each outcome, by the worth of these, float[M]."""
    values = np.where(of.moves >= 0, worth[of.moves], -np.inf)
    return evenly(of.moves, (of.moves >= 0) & (values == values.max(1, keepdims=True)), len(worth))


def answers(of: DecisionProcess) -> csr_array:
    """Return float[M, N]: the chance of each reply."""
    return evenly(of.replies, of.replies >= 0, len(of.moves))


def come(of: DecisionProcess, play: csr_array, reply: csr_array, discount: float) -> tuple[np.ndarray, np.ndarray]:
    """Return float[N] and float[M]: the chance of a mate within `MOVES` moves, each of which costs a share of it."""
    after = of.won.astype(float)
    for _ in range(MOVES - 1):
        after = np.where(of.won, 1.0, discount * (reply @ (play @ after)))
    return play @ after, after


def met(of: DecisionProcess, play: csr_array, reply: csr_array) -> np.ndarray:
    """Return float[M]: how often a player meets each position after its moves, from a won start."""
    starts = of.starts | of.unmet
    before, total = starts / starts.sum(), np.zeros(len(of.won))
    for _ in range(MOVES):
        after = play.T @ before
        total += after
        before = reply.T @ after
    return total


def program(path: str) -> Loaded:
    """Return a program; raises UsageError where it does not value moves of chess."""
    made = load(path, envs, "programs")
    if not (isinstance(made.cast.game, Chess) and isinstance(made.cast.actor, Learns)):
        reject("programs", path, "champions of chess that value moves")
    return made


def of_program(made: Loaded, of: DecisionProcess) -> np.ndarray:
    """Return float[M]: what a program gives to the outcomes of a process."""
    actor = made.cast.actor
    state = jax.tree.map(np.asarray, made.cast.game.init(jax.random.key(0)))
    states = jax.tree.map(lambda x: np.broadcast_to(x, (len(of.won), *x.shape)), state)
    seen = look(actor, of._replace(states=states))
    plans = actor.prepare(jax.tree.map(lambda x: np.asarray(x)[None], made.genome))
    values = actor.judge(plans, jnp.asarray(seen.features), jnp.asarray(seen.tree))
    return np.asarray(values, float)[0][seen.number]


def measure(options: Options) -> str:
    """Return the rows of an endgame."""
    programs = {path: program(path) for path in options.programs}
    of = endgame(kinds_of(options.endgame))
    reply = answers(of)
    starts = of.starts | of.unmet
    look_alike = combinations(of, options.terminals)
    count = int(look_alike.max()) + 1

    def mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
        total = np.bincount(look_alike, weights, count)
        means: np.ndarray = np.bincount(look_alike, values * weights, count) / np.where(total > 0, total, 1)
        return means

    def shares(chance: np.ndarray, some: np.ndarray) -> tuple[float, float]:
        return float(chance[some].mean()), float(chance[some & of.unmet].mean())

    def comes(play: csr_array) -> np.ndarray:
        return come(of, play, reply, 1.0)[0]

    def row(by: str, rounds: int, found: tuple[float, float], some: np.ndarray = starts, ends: str = ",") -> str:
        head = f"{options.endgame},{by},{int(some.sum())},{count},{rounds},{found[0]:.5f}"
        return f"{head},{int((some & of.unmet).sum())},{found[1]:.5f},{options.sees},{ends}\n"

    if programs:
        bounds = [1, *(most + 1 for most in sorted(options.bands)), int(of.left.max()) + 1]
        ranges = [*pairwise(bounds)] if options.bands else []
        bands = [(starts, ","), *((starts & (of.left >= a) & (of.left < b), f"{a},{b - 1}") for a, b in ranges)]
        chances = {path: comes(choose(of, of_program(made, of))) for path, made in programs.items()}
        return "".join(row(path, 0, shares(chance, one[0]), *one) for path, chance in chances.items() for one in bands)
    worth = mean(1 - depths(of) / tables.MATE, np.ones(len(look_alike)))
    play = choose(of, worth[look_alike])
    found = [shares(comes(play), starts)]
    for _ in range(options.rounds):
        often = met(of, play, reply)
        worth = worth + STEP * (mean(come(of, play, reply, DISCOUNT)[1], often + SEEN * often.mean()) - worth)
        play = choose(of, worth[look_alike])
        found.append(shares(comes(play), starts))
        print(f"round {len(found) - 1}: {found[-1][0]:.5f}", file=sys.stderr, flush=True)
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
