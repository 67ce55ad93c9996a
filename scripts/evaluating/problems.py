"""Champions that search problems, beside the reference search."""

from pathlib import Path
from typing import TYPE_CHECKING

from evaluating.options import OF_SEARCHES, OF_SIMULATIONS, Options, refuse
from jaxgp import files

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded


def measure(options: Options, loaded: "Loaded", output: Path) -> None:
    """Let a champion search the problems of suites, beside the reference search."""
    refuse(options, (*OF_SEARCHES, *OF_SIMULATIONS, "instances", "program"), "of other games; leave it out")
    refuse(options, ("panel", "against", "table"), f"{loaded.cast.game.name} is no game for two; leave it out")
    from jaxgp.measure.proving import table

    rows = table.measure(loaded, options.suite, options.limit, options.split)
    try:
        files.write_json(output, {"results": rows})
    finally:  # also where there is no room for the file
        print(table.text(rows))
    print(f"saved: {output}")
