"""Champions of games for one: their game beside random play and a nested search."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evaluating.options import MOST_PLAYOUTS, OF_ENGINES, Options, refuse
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reject
from jaxgp.options import MAX_GAMES

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded


def measure(options: Options, loaded: "Loaded", output: Path) -> None:
    """Measure the champion of a game for one: its game beside random play and, if asked for, a nested search."""
    check_alone(options, loaded.cast.game.name)
    from jaxgp.measure import alone, champions, nested

    save = targets(options, output)
    champions.keep_champion(loaded, "save", options.save, save)
    plan = nested.NestedPlan(options.compare, options.iterations, options.searches, options.seed, options.group)
    folder = output.with_name(f"{output.stem}_search")
    if options.resume is None and nested.is_cut_off(folder):
        raise UsageError(f"{folder}: holds a search that was cut off; go on with it by resume=auto, or remove it")
    figures = alone.measure(loaded, options.count, options.seed)
    if options.compare:
        figures |= nested.search(loaded.cast, plan, arguments.say, folder, save, loaded.genome)
    try:
        files.write_json(output, {"seed": options.seed, "results": figures})
    finally:  # also where there is no room for the file
        print(alone.text(figures))
    print(f"saved: {output}")


def check_alone(options: Options, game: str) -> None:
    """Refuse options of games for two, and what takes too long; raises UsageError."""
    refuse(options, ("panel", "against", "table"), f"{game} is a game for one; leave it out")
    refuse(options, OF_ENGINES, f"of games against engines outside; {game} is a game for one, leave it out")
    if options.group * options.iterations**options.compare > MOST_PLAYOUTS:
        most = f"group * iterations ** compare up to {MOST_PLAYOUTS}"
        reject("iterations", options.iterations, f"{most}; with compare={options.compare} it is more")
    if options.count < 2:
        reject("games", options.count, f"a whole number from 2 to {MAX_GAMES}; {game} is a game for one")


def targets(options: Options, output: Path) -> list[Path]:
    """Return the files for the best game of a search; raises UsageError if the file of the figures is one."""
    from jaxgp.host import savedgame

    if not options.save:
        return []
    found = savedgame.targets("save", options.save)
    if os.path.realpath(output) in map(os.path.realpath, found):
        reject("save", options.save, f"another name, since the figures go to {output}")
    return found
