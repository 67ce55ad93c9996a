"""Games of gnubg without look-ahead against Pubeval; both begin equally often.

python scripts/studies/backgammon/gnubg.py games=10000 table=docs/data/backgammon_gnubg.csv

gnubg is GNU Backgammon's evaluator, as the package gnubg-nn has it (`pip install gnubg-nn`). Without look-ahead it
plays the turn that leads to the position it values most. Pubeval is that of the same package, which values as
`envs/backgammon/pubeval.py` does. There is no doubling cube. A share of points is the own points of all games, divided
by those of both sides: gammons count 2 and backgammons 3.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import importlib.util
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata

import numpy as np

from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.options import MAX_GAMES, MAX_SEED, option
from jaxgp.statistics.intervals import interval, share_of_points
from jaxgp.store.table import CSVTable
from rivals.plain.backgammon import OFF, START, Men, Side, move_man, points

PACKAGE = "gnubg-nn"
COLUMNS = {
    "player": "who is measured",
    "opponent": "the other player",
    "games": "games that were played; each side begins half of them",
    "wins": "games that the player won",
    "score": "share of games that the player won",
    "low": "lower end of the 95 % interval of the score",
    "high": "upper end of the interval",
    "points": "mean points of the player in a game",
    "against": "mean points of the opponent in a game",
    "share": "share of points: those of the player in all games, divided by those of both sides",
    "share_low": "lower end of the 95 % interval of the share of points",
    "share_high": "upper end of the interval",
    "turns": "mean turns of a game",
    "seconds": "wall-clock time of the games",
    "package": "version of gnubg-nn",
    "command": "the command",
    "seed": "of the dice",
}
"""The columns and what is in them."""
Choose = Callable[[Men, tuple[int, int]], Men]
"""(the side to move and the other side, roll) -> the same after the turn."""


@dataclass
class Options:
    """How many games, and where they are noted."""

    games: int = option(
        10_000,
        "games; each side begins half of them",
        low=2,
        high=MAX_GAMES,
        test=lambda games: games % 2 == 0,
        accepted=f"an even number from 2 to {MAX_GAMES}",
    )
    seed: int = option(0, "of the dice", low=0, high=MAX_SEED)
    table: str | None = option(None, "a CSV file that gets a row; null: none", path=True)


def board(men: Men) -> list[list[int]]:
    """Return a position as gnubg has it: 25 counts of the other side, then of the side to move; the bar last."""
    own, other = men
    return [[*other[1:]], [*own[1:]]]


def move_men(men: Men, hops: Sequence[tuple[int, int]]) -> Men:
    """Move men from point to point; below 1 they are borne off."""
    for start, to in hops:
        men = move_man(*men, start, start - to)
    return men


def gnubg(men: Men, roll: tuple[int, int]) -> Men:
    """Play the turn that gnubg values most, without look-ahead."""
    import gnubg_nn

    return move_men(men, gnubg_nn.best_move(board(men), *roll, 0) or ())


def pubeval(men: Men, roll: tuple[int, int]) -> Men:
    """Play Pubeval's turn."""
    import gnubg_nn

    flat = [hop + 1 for hop in gnubg_nn.pub_best_move(board(men), *roll) or ()]
    return move_men(men, list(zip(flat[::2], flat[1::2], strict=True)))


def game(players: tuple[Choose, Choose], first: int, rng: random.Random) -> tuple[int, int]:
    """Play a game; return the points of the first player, negative where the second has won, and the turns."""
    sides: tuple[Side, Side] = START, START
    die = lambda: rng.randint(1, 6)  # noqa: E731
    one, two = die(), die()
    while one == two:  # the first roll has no doubles
        one, two = die(), die()
    turn, turns = first, 0
    while True:
        turns += 1
        sides = players[turn](sides, (one, two))
        if not any(sides[0][OFF + 1 :]):
            return points(sides[1]) * (1 if turn == 0 else -1), turns
        sides, turn, one, two = sides[::-1], 1 - turn, die(), die()


def share(found: np.ndarray) -> tuple[float, float, float]:
    """Return the share of points in games (int[N], negative where lost), and its 95 % interval."""
    return share_of_points(np.maximum(found, 0), np.abs(found))


def task(options: Options) -> int:
    """Check, play, print, add a row."""
    if importlib.util.find_spec("gnubg_nn") is None:
        raise UsageError(f"gnubg_nn: is not installed; accepted: pip install {PACKAGE}")
    table = None
    if options.table is not None:
        table = CSVTable(files.user_path("table", options.table), COLUMNS)
        table.check("table")
    rng, begun = random.Random(options.seed), time.monotonic()
    results = np.array([game((gnubg, pubeval), number % 2, rng) for number in range(options.games)])
    found, turns = results.T
    won = (found > 0).mean()
    low, high = interval((found > 0).astype(float)[:, None])
    ratio, share_low, share_high = share(found)
    print(f"gnubg without look-ahead against Pubeval, {options.games} games")
    print(f"games won: {won:.2%} ({low:.2%} to {high:.2%})")
    print(f"share of points: {ratio:.2%} ({share_low:.2%} to {share_high:.2%})")
    row = {
        "player": "gnubg without look-ahead",
        "opponent": "pubeval",
        "games": options.games,
        "wins": int((found > 0).sum()),
        "score": won,
        "low": low,
        "high": high,
        "points": np.maximum(found, 0).mean(),
        "against": np.maximum(-found, 0).mean(),
        "share": ratio,
        "share_low": share_low,
        "share_high": share_high,
        "turns": turns.mean(),
        "seconds": time.monotonic() - begun,
        "package": metadata.version(PACKAGE),
        "command": arguments.command("scripts/studies/backgammon/gnubg.py", options),
        "seed": options.seed,
    }
    if table is not None:
        table.keep([row], arguments.say)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
