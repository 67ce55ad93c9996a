"""How the time of a whole game of Walls grows with the size of the board, for every kind of player.

python scripts/studies/walls_scaling.py
python scripts/studies/walls_scaling.py sizes=[3,5,7] depths=[2]       a smaller one

Tables (CSV, JSON) and a picture are written; how players are timed is in `scaling.py`, who they are in
`walls_players.py`.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from jaxgp.config import arguments
from jaxgp.config.arguments import option
from jaxgp.errors import RunError, reason
from jaxgp.files import make_directory
from jaxgp.options import MAX_SEED, whole
from studies import checks

if TYPE_CHECKING:
    from studies.scaling import Case


@dataclass
class Options:
    """What is measured, how thoroughly, and where the results go."""

    sizes: list[int] = option([3, 5, 7, 9, 11], "sides of the boards, odd numbers; formulae need three")  # noqa: RUF009
    masks: list[int] = option([3, 5], "M of random rule lists; each on the boards that it fits")  # noqa: RUF009
    rules: list[int] = option([5, 50], "R, rules of random rule lists")  # noqa: RUF009
    depths: list[int] = option([2, 4, 6], "plies of tree searches")  # noqa: RUF009
    opponent: str = option("fixed", "who the players meet", ("fixed", "forward", "random"))
    games: int = option(4, "games in each measurement, seats in turn")
    repeats: int = option(5, "measurements of each player and size")
    batches: list[int] = option([1, 10, 100, 1000, 10000], "games at once, for the fixed strategy; [] for none")  # noqa: RUF009
    batch_size: int = option(5, "side of the board for games at once")
    seed: int = option(0, "of random moves and random rule lists")
    output: str = option("outputs/analysis/walls_scaling", "directory for results")


def task(options: Options) -> int:
    """Check, measure, write, print."""
    check(options)
    folder = make_directory(Path(options.output).expanduser(), "output")
    import jax

    jax.config.update("jax_platforms", "cpu")  # one game at a time: a GPU would only add latency
    from studies import scaling, scaling_report

    before = scaling_report.machine()
    found = scaling.measure(cases(options), options.games, options.repeats, options.seed, say)
    batches = batched(options) if options.batches else {}
    about = {"options": asdict(options), "machine": before, "load_after": scaling_report.machine()["load"]}
    against = "random moves" if options.opponent == "random" else f"the strategy {options.opponent}"
    try:
        scaling_report.save(folder, found, batches, about, f"Walls: time of a whole game against {against}")
    except OSError as error:
        raise RunError(f"output={folder}: cannot be written ({reason(error)})") from error
    print("\n".join([*scaling_report.lines(found, batches), "", f"Written to {folder}"]))
    return 0


def check(options: Options) -> None:
    """Refuse numbers that cannot be; raises UsageError."""
    checks.sides("sizes", options.sizes)
    checks.sides("batch_size", [options.batch_size])
    if options.masks:
        checks.sides("masks", options.masks, max(options.sizes), ", the largest of sizes")
    checks.listed("rules", options.rules, 0, 1000)
    checks.listed("depths", options.depths, 1, checks.DEEPEST)
    checks.listed("batches", options.batches, 1, 10**6)
    whole("games", options.games, 1, 10_000)
    whole("repeats", options.repeats, 1, 1000)
    whole("seed", options.seed, 0, MAX_SEED)


def cases(options: Options) -> "Sequence[Case]":
    """Return every player on every board."""
    from envs.walls.rules import Walls
    from studies import walls_players as players
    from studies.scaling import Case

    kinds = (options.masks, options.rules, options.depths, options.games, options.seed)
    return [
        Case(game, game.size, mover, rival)
        for game in map(Walls, sorted(options.sizes))
        for rival in (players.opponent(game, options.opponent),)
        for mover in players.movers(game, *kinds)
    ]


def batched(options: Options) -> dict[int, tuple[float, ...]]:
    """Time the fixed strategy in games at once; return the seconds for each game, of each repeat."""
    from envs.walls.rules import Walls
    from studies import scaling
    from studies import walls_players as players

    game = Walls(options.batch_size)
    case = scaling.Case(game, game.size, players.fixed(game, "fixed"), players.opponent(game, options.opponent))
    return scaling.measure_batches(case, sorted(options.batches), options.repeats, options.seed, say)


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(arguments.main(Options, task, __doc__))
