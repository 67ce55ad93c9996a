"""Write what is generated in the documents: python scripts/document.py

It makes tables anew, from the rows in docs/data or from declarations; scripts/tables/ says how.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jaxgp import files, reading
from jaxgp.config import arguments
from jaxgp.config.launching.options import LAUNCHERS
from jaxgp.errors import RunError, reason, reject, require
from jaxgp.measure import games
from jaxgp.measure.puzzles import instances
from jaxgp.options import option
from jaxgp.report.generated import fill_document, table
from jaxgp.report.reference import options_table
from jaxgp.store import runs
from jaxgp.study import curves
from jaxgp.study.study_options import STUDY
from rivals.timing import COLUMNS as OF_RATES
from studies.growth import first as of_first
from studies.growth import populations as of_populations
from studies.methods.tasks import COLUMNS as OF_METHODS
from tables import (
    checkers,
    experiments,
    islands,
    kalah,
    leagues,
    mancala,
    methods,
    othello,
    published,
    reversi,
    walls,
)
from tables.boards import (
    backgammon,
    chess,
    chess_learning,
    emergence,
    mate,
    mate_guides,
    mate_lazy,
    mate_programs,
)
from tables.puzzles import freecell, morpion, morpion_study, rush_hour
from tables.shared.data import Data, Makers, guard
from tables.simulations import rars, robocode
from tables.speed import first, gpu, page, populations, rates, slopes


def launchers() -> Makers:
    """Return what makes the tables of options of the launchers of sweeps."""
    return {
        f"options_of_{name}": lambda _, of=of: options_table(of, "hydra.launcher.") for name, of in LAUNCHERS.items()
    }


def columns() -> Makers:
    """Return what describes the columns of the tables of runs, games, instances, generations and populations."""

    def lines(of: Mapping[str, str]) -> Callable[[Data], str]:
        return lambda _: table(["column", "what is in it"], [[f"`{name}`", says] for name, says in of.items()])

    tables = {
        "runs": runs.COLUMNS,
        "games": games.COLUMNS,
        "instances": instances.COLUMNS,
        "generations": curves.COLUMNS,
        "populations": of_populations.COLUMNS,
        "first_generations": of_first.COLUMNS,
        "performance": OF_RATES,
        "seeds_timed": experiments.COLUMNS,
        "methods": OF_METHODS,
        "published": published.COLUMNS,
    }
    return {f"columns_of_{name}": lines(of) for name, of in tables.items()}


DOCUMENTS = {
    "published.md": published.TABLES,
    "results/backgammon.md": backgammon.TABLES,
    "results/checkers.md": checkers.TABLES,
    "results/rars.md": rars.TABLES,
    "page.md": page.TABLES,
    "results/robocode.md": robocode.TABLES,
    "results/rush_hour.md": rush_hour.TABLES,
    "results/freecell.md": freecell.TABLES,
    "results/mancala.md": mancala.TABLES | kalah.TABLES,
    "results/walls.md": walls.TABLES,
    "results/chess.md": chess.TABLES,
    "chess_tables.md": chess.LARGER,
    "chess_learning.md": chess_learning.TABLES,
    "results/mate.md": mate.TABLES | mate_programs.TABLES | mate_guides.TABLES | mate_lazy.TABLES,
    "emergence.md": emergence.TABLES,
    "performance.md": rates.TABLES | slopes.TABLES | populations.TABLES | first.TABLES,
    "gpu.md": gpu.TABLES,
    "islands.md": islands.TABLES,
    "methods.md": methods.TABLES,
    "league.md": leagues.TABLES,
    "experiments.md": experiments.TABLES,
    "results/othello.md": othello.TABLES | reversi.TABLES | leagues.OTHELLO,
    "results/morpion.md": morpion.TABLES | morpion_study.TABLES,
    "clusters.md": launchers(),
    "data/README.md": columns(),
}
"""Documents with generated parts, and what makes each of them from the data."""


@dataclass
class Options:
    """Where the documents are."""

    docs: str = option(
        str(Path(__file__).resolve().parents[1] / "docs"), "the folder of the documents, and of their data", path=True
    )


def content(docs: Path, name: str, data: Data) -> str:
    """Return the text of a document of the folder that has generated parts; raises UsageError."""
    return fill_document(reading.read_text(docs / name), guard(DOCUMENTS[name], data), name)


def task(options: Options) -> int:
    """Write."""
    require("scripts/document.py", STUDY, "study")
    docs = files.user_path("docs", options.docs)
    if missing := next((name for name in DOCUMENTS if not (docs / name).is_file()), None):
        reject("docs", options.docs, f"a folder of documents, with {missing}")
    try:
        data = Data(docs / "data")
        for path, text in [(docs / name, content(docs, name, data)) for name in DOCUMENTS]:
            files.write_text(path, text)
    except OSError as error:
        raise RunError(f"docs={options.docs}: cannot be written ({reason(error)})") from error
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
