"""The picture of a comparison of methods: what champions are worth over the evaluations made, a panel for each task."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from jaxgp import files
from jaxgp.errors import RunError, reason, reject
from jaxgp.report.plots import BLUE, GREEN, ORANGE, PINK
from jaxgp.statistics.exact import mean
from jaxgp.store.table import Cells
from studies.methods.ranks import by_cell
from studies.methods.tasks import METHODS, TASKS

COLUMNS, ENDINGS = 3, (".svg", ".png")
COLOURS = {
    "random_search": "0.45",
    "gp": BLUE,
    "islands": GREEN,
    "map_elites": ORANGE,
    "cma": PINK,
    "tuned": "#b8a12b",
    "gp_numbers": "#8c5bb5",
    "gp_averaged": "#7a4b2a",
}
"""Of the methods of the project; others are black."""


def draw(rows: Sequence[Cells], budget: int) -> Figure:
    """Return a panel for each task: the mean of all runs, and a faint line for each run."""
    cells = by_cell(rows, budget)
    tasks = [name for name in TASKS if any(task == name for task, _ in cells)]
    height = -(-len(tasks) // COLUMNS)
    figure = Figure(figsize=(3.2 * COLUMNS, 2.5 * height), layout="constrained")
    axes = figure.subplots(height, COLUMNS, squeeze=False).ravel()
    named = {}
    for task, panel in zip(tasks, axes, strict=False):
        for (of, method), runs in cells.items():
            if of != task:
                continue
            colour = COLOURS.get(method, "black")
            stops = [done for done, _ in runs[0]]
            for run in runs:
                panel.plot(stops, [score for _, score in run], color=colour, alpha=0.15, linewidth=0.8)
            means = [mean(np.array([score for _, score in at])) for at in zip(*runs, strict=True)]
            (named[method],) = panel.plot(stops, means, color=colour, marker="o", markersize=3, label=method)
        panel.set_title(task, fontsize=9)
        panel.set_xscale("log", base=2)
        panel.tick_params(labelsize=7)
    for panel in axes[len(tasks) :]:
        panel.set_axis_off()
    figure.supxlabel("individuals evaluated", fontsize=9)
    known = [name for name in (*METHODS, *named) if name in named]
    lines = [named[name] for name in dict.fromkeys(known)]
    figure.legend(handles=lines, loc="outside upper center", ncols=len(lines), fontsize=8, frameon=False)
    return figure


def check_ending(path: Path) -> None:
    """Refuse a picture of another format; raises UsageError."""
    if path.suffix not in ENDINGS:
        reject("picture", path, f"a file whose name ends in {' or '.join(ENDINGS)}")


def save(figure: Figure, path: Path) -> None:
    """Write a picture, in the format that its ending names; raises RunError."""
    try:
        with matplotlib.rc_context({"svg.hashsalt": "methods"}):  # the same picture is the same file
            of = {"Date": None} if path.suffix == ".svg" else None
            files.write(path, lambda file: figure.savefig(file, format=path.suffix[1:], dpi=150, metadata=of))
    except OSError as error:
        raise RunError(f"picture={path}: cannot be written ({reason(error)})") from error
