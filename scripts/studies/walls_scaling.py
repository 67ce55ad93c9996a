"""How the time of a whole game of Walls grows with the size of the board, for every kind of player.

python scripts/studies/walls_scaling.py
python scripts/studies/walls_scaling.py sizes=[3,5,7] depths=[2]       a smaller one
python scripts/studies/walls_scaling.py sizes=[3] masks=[] depths=[] table=docs/data/walls_batches.csv     games at once

Tables (CSV, JSON) and a picture are written; how players are timed is in `scaling.py`, who they are in
`growth/walls_players.py`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from jaxgp.config import arguments
from jaxgp.errors import RunError, reason, reject
from jaxgp.files import make_directory, user_path
from jaxgp.options import DEEPEST, MAX_SEED, option
from jaxgp.store.table import Table
from studies import checks

if TYPE_CHECKING:
    from studies.growth import walls_players as players
    from studies.growth.scaling import Case

COLUMNS = {
    "opponent": "whom the fixed strategy met",
    "size": "side of the board",
    "games": "games at once",
    "repeat": "number of the measurement, from 0",
    "seconds": "by the clock, for each game",
    "seed": "of random moves",
    "load": "load average of the machine, of the minute before the command measured",
    "cores": "CPU cores of the machine",
    "jax": "version of JAX",
    "date": "day, UTC",
}
"""The columns of the table of games at once, and what is in them."""


@dataclass
class Options:
    """What is measured, how thoroughly, and where the results go."""

    sizes: tuple[int, ...] = option(
        (3, 5, 7, 9, 11),
        "sides of the boards; formulae need three",
        low=3,
        high=checks.LARGEST,
        test=checks.side,
        accepted=checks.SIDES,
    )
    masks: tuple[int, ...] = option(
        (3, 5),
        "M of random rule lists; each on the boards that it fits",
        low=3,
        high=checks.LARGEST,
        test=checks.side,
        accepted=checks.SIDES,
    )
    rules: tuple[int, ...] = option((5, 50), "R, rules of random rule lists", low=0, high=1000)
    depths: tuple[int, ...] = option((2, 4, 6), "plies of tree searches", low=1, high=DEEPEST)
    champions: list[str] = option([], "evolved rule lists: run directories, or champion files")
    opponent: str = option("fixed", "who the players meet", ("fixed", "forward", "random"))
    games: int = option(4, "games in each measurement, seats in turn", low=1, high=10_000)
    repeats: int = option(5, "measurements of each player and size", low=1, high=1000)
    batches: tuple[int, ...] = option(
        (1, 10, 100, 1000, 10000), "games at once, for the fixed strategy; [] for none", low=1, high=10**6
    )
    batch_size: int = option(
        5, "side of the board for games at once", low=3, high=checks.LARGEST, test=checks.side, accepted=checks.SIDE
    )
    seed: int = option(0, "of random moves and random rule lists", low=0, high=MAX_SEED)
    output: str = option("outputs/analysis/walls_scaling", "directory for results", path=True)
    table: str | None = option(
        None, "CSV file that gets a row for each measurement of games at once; null: none", path=True
    )

    def laws(self, prefix: str) -> None:
        """Refuse numbers that come twice, lists that see more than any board, a table of nothing; raises UsageError."""
        checks.once(self, ("sizes", "masks", "rules", "depths", "batches"))
        if not self.sizes:
            reject("sizes", "[]", f"at least one of the {checks.SIDES}")
        if max(self.masks, default=0) > max(self.sizes):
            reject("masks", list(self.masks), f"odd numbers from 3 to {max(self.sizes)}, the largest of sizes")
        if self.table is not None and not self.batches:
            reject("batches", "[]", "at least one number, as table=FILE keeps games at once")


def task(options: Options) -> int:
    """Check, measure, write, print."""
    table = Table(user_path("table", options.table), COLUMNS) if options.table else None
    if table is not None:
        table.check("table")
    folder = make_directory(user_path("output", options.output), "output")
    import jax

    jax.config.update("jax_platforms", "cpu")  # one game at a time: a GPU would only add latency
    from studies.growth import report, scaling

    before = report.machine()
    found = scaling.measure(cases(options), options.games, options.repeats, options.seed, arguments.say)
    batches = batched(options) if options.batches else {}
    if table is not None:
        table.keep(kept(options, batches, before), arguments.say)
    about = {"options": asdict(options), "machine": before, "load_after": report.machine()["load"]}
    against = "random moves" if options.opponent == "random" else f"the strategy {options.opponent}"
    try:
        report.save(folder, found, batches, about, f"Walls: time of a whole game against {against}")
    except OSError as error:
        raise RunError(f"output={folder}: cannot be written ({reason(error)})") from error
    print("\n".join([*report.lines(found, batches), "", f"Written to {folder}"]))
    return 0


def cases(options: Options) -> "Sequence[Case]":
    """Return every player on every board."""
    from envs.walls.rules import Walls
    from studies.growth import walls_players as players
    from studies.growth.scaling import Case

    kinds = (options.masks, options.rules, options.depths, options.games, options.seed, evolved(options))
    return [
        Case(game, game.size, mover, rival)
        for game in map(Walls, sorted(options.sizes))
        for rival in (players.opponent(game, options.opponent),)
        for mover in players.movers(game, *kinds)
    ]


def evolved(options: Options) -> "list[players.Evolved]":
    """Load the champions; raises UsageError for one that does not play Walls."""
    import envs
    from envs.walls.primitives import Options as Sight
    from envs.walls.primitives import mask_size
    from envs.walls.rules import Walls
    from jaxgp.measure import champions
    from studies.growth import walls_players as players

    found = []
    for place, run in enumerate(options.champions, 1):
        one = champions.load(run, envs, "champions")
        if not isinstance(one.cast.game, Walls):
            reject("champions", run, f"champions of walls; this one plays {one.cast.game.name}")
        sight = Sight(**{name: value for name, value in one.cast.program.items() if name != "role"})
        mask, rules = mask_size(one.cast.game, sight), one.content.size
        name = f"champion {place}, {rules} rules, M={mask}, of N = {one.cast.game.size}"
        found.append(players.Evolved(name, sight, mask, one.content.text))
    return found


def batched(options: Options) -> dict[int, tuple[float, ...]]:
    """Time the fixed strategy in games at once; return the seconds for each game, of each repeat."""
    from envs.walls.rules import Walls
    from studies.growth import scaling
    from studies.growth import walls_players as players

    game = Walls(options.batch_size)
    case = scaling.Case(game, game.size, players.fixed(game, "fixed"), players.opponent(game, options.opponent))
    return scaling.measure_batches(case, sorted(options.batches), options.repeats, options.seed, arguments.say)


def kept(
    options: Options, batches: Mapping[int, Sequence[float]], machine: Mapping[str, Any]
) -> list[dict[str, object]]:
    """Return the rows of the table of games at once."""
    about = {name: machine[name] for name in ("cores", "jax", "date")} | {"load": (machine["load"] or [None])[0]}
    about |= {"opponent": options.opponent, "size": options.batch_size, "seed": options.seed}
    return [
        about | {"games": games, "repeat": repeat, "seconds": seconds}
        for games, times in batches.items()
        for repeat, seconds in enumerate(times)
    ]


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
