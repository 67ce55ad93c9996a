"""The picture of groups of terminals from which players of chess were evolved (Figure 5.3).

    python scripts/studies/measure/groups.py picture=docs/emergence_groups.svg

Scores are shares of decisions with a best move. The line across is what `master` keeps of other decisions, drawn in the
same way.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass

from jaxgp import files
from jaxgp.config import arguments
from jaxgp.options import option
from jaxgp.report.document import Picture
from jaxgp.study import figures
from jaxgp.study.emergence.rows import DECISIONS, GROUPS, sized
from tables.shared.data import Data

DATA = Path(__file__).resolve().parents[3] / "docs" / "data"


@dataclass
class Options:
    """Where the picture goes."""

    picture: str = option("groups.svg", "a picture, SVG", path=True)


def draw(data: Data) -> Picture:
    """Return the picture of the rows of docs/data."""
    curves = {chosen: sized(data["emergence_chess_anew"], chosen, DECISIONS) for chosen in GROUPS}
    (level,) = (
        float(row["kept"])
        for row in data["chess_kept"]
        if (row["endgame"], row["player"], row["than"], row["decisions"]) == ("KQKQ", "master", "", "critical")
    )
    measure, title = "decisions with a best move", "chess, KQKQ: players by the number of their terminals"
    levels = {"master": level}
    return Picture("groups", title, lambda: figures.curves(curves, measure, title, "terminals", levels))


def task(options: Options) -> int:
    """Draw and save."""
    files.write_text(files.user_path("picture", options.picture), draw(Data(DATA)).file)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
