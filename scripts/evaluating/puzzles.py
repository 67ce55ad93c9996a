"""Champions of puzzles: their searches beside the reference search and the fixed orders of the game."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evaluating.options import OF_ENGINES, OF_SEARCHES, OF_SIMULATIONS, Options, refuse
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import reject

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded


def measure(options: Options, loaded: "Loaded", output: Path) -> None:
    """Measure the champion of a puzzle: its searches beside the reference search and the fixed orders of the game."""
    name = loaded.cast.game.name
    other = (*OF_SEARCHES, *OF_ENGINES, *OF_SIMULATIONS, "compare", "games", "panel", "table")
    refuse(options, other, f"{name} is a puzzle")
    from jaxgp.measure.puzzles import instances, solving

    solving.check_instance(options.game, loaded.cast)
    by = solving.choose_orders(loaded, options.against)
    path = table_of_instances(options, output)
    book = instances.Book(path, say=arguments.say)
    suites = solving.suites_of(loaded.cast, options.suite, options.split)
    report: dict[str, dict[str, solving.Figures]] = {}
    measured = solving.solve_suites(loaded, suites, options.limit, arguments.say, options.batch, book, by)
    try:
        for suite, order, figures in measured:
            report.setdefault(suite, {})[order] = figures
    except (Exception, KeyboardInterrupt):
        if path is not None and path.exists():
            arguments.say(f"instances={path}: holds the searches so far; the same command goes on with the others")
        raise
    finally:  # what was measured is kept, also if the rest fails or is stopped
        if report:
            about = {"split": options.split, "limit": options.limit or loaded.cast.actor.limit}
            about |= {"program": options.program} if options.program else {}
            try:
                files.write_json(output, {**about, "results": solving.as_json(report)})
            finally:
                print(solving.text(report))
    print(f"saved: {output}")


def table_of_instances(options: Options, output: Path) -> Path | None:
    """Return the file of the table of instances, if there is one; raises UsageError if the figures go there."""
    if options.instances is None:
        return None
    path = files.user_path("instances", options.instances)
    if os.path.realpath(path) == os.path.realpath(output):
        reject("instances", options.instances, f"another name, since the figures go to {output}")
    return path
