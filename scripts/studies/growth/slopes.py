"""The picture of how costs grow: with the population, with the length of programs, with the games side by side.

python scripts/studies/growth/slopes.py picture=docs/performance.svg

Rows of docs/data are drawn; `scripts/bench.py rows=FILE` and scripts/studies/growth/populations.py add to them.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass

from matplotlib.figure import Figure

from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.files import user_path
from jaxgp.options import option
from jaxgp.report.plots import colours
from studies.methods.curves import check_ending, save
from tables.shared.data import Data
from tables.speed.slopes import KINDS, slope

DATA = Path(__file__).resolve().parents[3] / "docs" / "data"
TABLES = ("performance.csv", "populations.csv")
AXES = ("individuals", "nodes of a program", "games side by side")


@dataclass
class Options:
    """Which rows are drawn, and where the picture goes."""

    data: str = option(str(DATA), f"the folder of the tables {' and '.join(TABLES)}", path=True)
    picture: str = option("outputs/analysis/performance.svg", "the picture, SVG or PNG", path=True)


def draw(data: Data) -> Figure:
    """Return a panel for each kind of cost; a legend names the slope from the first size to the last."""
    figure = Figure(figsize=(10.5, 3.4), layout="constrained")
    for panel, (what, curves), across in zip(figure.subplots(1, len(KINDS)), KINDS.items(), AXES, strict=True):
        found = curves(data)
        for (name, points), colour in zip(found.items(), colours(len(found)), strict=True):
            label = f"{name}: {slope(points[0], points[-1]):+.2f}" if len(points) > 1 else name
            panel.plot(*zip(*points, strict=True), color=colour, marker="o", markersize=3, linewidth=1, label=label)
        panel.set_xscale("log", base=2)
        panel.set(yscale="log", xlabel=across, title=what.split(",")[0])
        panel.tick_params(labelsize=7)
        panel.legend(fontsize=7, frameon=False)
    figure.supylabel("CPU-seconds", fontsize=9)
    return figure


def task(options: Options) -> int:
    """Draw; return the exit code."""
    path = user_path("picture", options.picture)
    check_ending(path)
    folder = user_path("data", options.data)
    if missing := next((name for name in TABLES if not (folder / name).is_file()), None):
        reject("data", folder, f"a folder of tables, with {missing}")
    path.parent.mkdir(parents=True, exist_ok=True)
    files.check_writable("picture", path)
    save(draw(Data(folder)), path)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
