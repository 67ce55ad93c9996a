"""Score of a search of Othello against random moves, other searches or an engine outside, from both seats.

python scripts/studies/othello_arena.py evaluator=edgar_like ties=first games=1000 depths=[0]
python scripts/studies/othello_arena.py evaluator=edgar_like ties=first against=material depths=[1,2,3,4,5]
python scripts/studies/othello_arena.py evaluator=corner_16 depth=4 command="gtp-rhino -l 1 -b 0" games=20
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.config import arguments
from jaxgp.errors import UsageError, reject
from jaxgp.options import MAX_CORES, MAX_SECONDS, MAX_SEED, changed, option

if TYPE_CHECKING:
    import numpy as np

    from envs.othello.rules import Othello
    from jaxgp.spec import Evaluator
    from studies.series import Reply

HEAD = "| opponent | won + drawn + lost as black | as white | points | 95 % |\n|---|---|---|---|---|"
DEEPEST = 12
MOST_PLIES = 40
SIZES = (4, 6, 8, 10)


@dataclass
class Options:
    """The player, its opponents, and the number of games."""

    evaluator: str = option("edgar_like", "what the player values positions by: an evaluator, or A|B by lot each move")
    depth: int = option(1, "plies that the player searches", low=1, high=DEEPEST)
    ties: str = option("random", "which of its best moves the player plays", ("first", "random"))
    against: str = option("material", "what the opponents value positions by, likewise")
    against_ties: str = option("random", "which of their best moves the opponents play", ("first", "random"))
    depths: tuple[int, ...] = option(
        (0, 1, 2, 3, 4, 5), "plies that the opponents search; 0: random moves", low=0, high=DEEPEST
    )
    command: str | None = option(
        None, "instead of those: a program that speaks the Go Text Protocol, and its options; openings are random"
    )
    opening_plies: int = option(
        6, "random moves at the beginning of games against such a program", low=0, high=MOST_PLIES
    )
    timeout: float = option(
        120.0, "seconds that it may take for a move", low=0, high=MAX_SECONDS, above=True, unit="seconds"
    )
    games: int = option(
        200,
        "games against each opponent, half of them with each colour",
        low=2,
        high=100_000,
        test=lambda games: games % 2 == 0,
        accepted="an even number from 2 to 100000",
    )
    size: int = option(
        8,
        "squares on each side of the board",
        low=SIZES[0],
        high=SIZES[-1],
        test=SIZES.__contains__,
        accepted=f"{SIZES}"[1:-1],
    )
    seed: int = option(0, "of random moves and random ties", low=0, high=MAX_SEED)
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)

    def laws(self, prefix: str) -> None:
        """Refuse an empty list, and options that would change nothing; raises UsageError."""
        if not self.depths:
            reject("depths", "[]", f"one or more whole numbers from 0 to {DEEPEST}")
        of_searches, of_engines = ("against", "against_ties", "depths"), ("opening_plies", "timeout")
        why = "command is not given" if self.command is None else "no search is met where command is given"
        for name in changed(self, of_engines if self.command is None else of_searches):
            raise UsageError(f"{name}: given, but {why}")


def task(options: Options) -> int:
    """Check, play, print a table."""
    from envs.othello.rules import Othello
    from jaxgp.search import cores
    from jaxgp.seats.options import plies
    from studies import series

    cores.use(options.cores)
    game = Othello(options.size)
    mine, theirs = (evaluators(name, getattr(options, name), game) for name in ("evaluator", "against"))
    player = series.search(game, options.depth, *mine, ties=options.ties)
    if options.command is not None:
        found = engine(options, game, player)
        print(HEAD)
        show(options.command, found)
        return 0
    print(HEAD)
    for depth in options.depths:
        name, opponent = "random moves", series.random_moves(game)
        if depth:
            name = f"{options.against}, {plies(depth)}"
            opponent = series.search(game, depth, *theirs, ties=options.against_ties)
        show(name, series.returns(game, player, opponent, options.games // 2, options.seed))
    return 0


def evaluators(option: str, named: str, game: "Othello") -> "list[Evaluator]":
    """Return the evaluators of A|B; raises UsageError for one that the game does not have."""
    from envs.othello import opponents

    every = opponents.evaluators(game)
    for name in named.split("|"):
        if name not in every:
            reject(option, name, ", ".join(every))
    return [every[name] for name in named.split("|")]


def engine(options: Options, game: "Othello", player: "Reply") -> "np.ndarray":
    """Play against an engine outside; return what `series.returns` does."""
    import envs
    from jaxgp.measure import external
    from jaxgp.seats.options import opponent
    from jaxgp.spec import cast
    from studies.series import agent

    assert options.command is not None
    terms = external.Terms(options.games // 2, options.opening_plies, options.seed)
    rival = opponent("engine", command=options.command, timeout=options.timeout)
    return external.play(cast(envs.spec("othello"), game), "engine", rival, agent("search", player), terms).returns


def show(name: str, returns: "np.ndarray") -> None:
    """Print what a player took; `returns` is what `series.returns` returns, and game n of both seats are a pair."""
    from jaxgp.statistics.intervals import interval
    from studies import series

    points = (returns.T + 1) / 2
    low, high = interval(points) if len(points) > 1 else (0.0, 1.0)
    said = " | ".join(" + ".join(map(str, seat)) for seat in series.counts(returns).tolist())
    print(f"| {name} | {said} | {points.mean():.1%} | {low:.1%} to {high:.1%} |", flush=True)


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
