"""Pictures of a league. Everything but the data has the colour of the surrounding text."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from jaxgp.report.plots import BLUE, GREEN, INK, ORANGE, PINK, paint
from jaxgp.statistics.comparison import Estimate

COLORS = (BLUE, ORANGE, GREEN, PINK)
MARKERS = ("o", "s", "^", "D")
DRAWN = "#d8d4c8"
RESULTS = LinearSegmentedColormap.from_list("results", [ORANGE, DRAWN, BLUE])
"""Colours from a loss over a draw to a win."""
PIXELS = 16
"""Pixels along each side of a cell of the cross-table."""
COLUMNS = 3
"""Columns of a legend: names of brackets side by side."""
LABELLED = 60
"""Players up to which a picture names each of them."""


def cross_table(worth: np.ndarray, names: Sequence[str], brackets: Sequence[str]) -> Figure:
    """Draw the mean result of every pair: the row's player begins.

    Args:
        worth: float[N, N], 1 for a win of the row's player, 0 for a loss; nan on the diagonal.
        names: names of the players, in the order of the table.
        brackets: the bracket of each player; players of one bracket are neighbours.
    """
    count = len(names)
    side = 2.2 + 0.16 * min(count, LABELLED)
    figure, axis = _figure(side + 0.6, side + 0.6)
    pixels = np.kron(worth, np.ones((PIXELS, PIXELS)))  # viewers blur pixels that they enlarge
    edges = (-0.5, count - 0.5, count - 0.5, -0.5)
    axis.imshow(pixels, cmap=RESULTS, vmin=0, vmax=1, interpolation="none", extent=edges)
    _name(axis, names, "x")
    _name(axis, names, "y")
    for edge in np.flatnonzero([one != other for one, other in zip(brackets[1:], brackets, strict=False)]):
        axis.axhline(edge + 0.5, color=INK, linewidth=0.9)
        axis.axvline(edge + 0.5, color=INK, linewidth=0.9)
    axis.set(xlabel="who moves second", ylabel="who begins")
    axis.set_title("Results of all games", color=INK, fontsize=11, loc="left", pad=26)
    keys = [Patch(color=RESULTS(value), label=label) for value, label in ((1.0, "won"), (0.5, "drawn"), (0.0, "lost"))]
    axis.legend(handles=keys, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), frameon=False, fontsize=9)
    _finish(axis, grid=False)
    return figure


def ratings(found: Sequence[Estimate], names: Sequence[str], brackets: Sequence[str]) -> Figure:
    """Draw every rating with its interval, the best on top."""
    order = np.argsort([-one.value for one in found], kind="stable")
    figure, axis = _figure(6.4, 1.6 + 0.16 * len(found))
    for name, color, marker in _kinds(brackets):
        mine = [(row, found[player]) for row, player in enumerate(order) if brackets[player] == name]
        rows, values = [row for row, _ in mine], np.array([one.value for _, one in mine])
        reach = np.abs(np.array([[one.low, one.high] for _, one in mine]).T - values)
        axis.errorbar(values, rows, xerr=reach, fmt=marker, color=color, markersize=4, elinewidth=1, label=name)
    _name(axis, [names[player] for player in order], "y")
    axis.invert_yaxis()
    axis.set_xlabel("rating (Elo points), with 95 % interval")
    _titled(axis, "Ratings", len(set(brackets)))
    return figure


def places(ranks: Sequence[Sequence[int]], names: Sequence[str], brackets: Sequence[str], title: str) -> Figure:
    """Draw the places of every player in all leagues: the middle half as a bar, the mean as a mark."""
    means = [float(np.mean(one)) for one in ranks]
    order = np.argsort(means, kind="stable")
    figure, axis = _figure(6.4, 1.6 + 0.16 * len(ranks))
    for name, color, marker in _kinds(brackets):
        mine = [(row, player) for row, player in enumerate(order) if brackets[player] == name]
        rows = [row for row, _ in mine]
        for low, high, width in ((0, 100, 1.0), (25, 75, 4.0)):
            ends = np.array([np.percentile(ranks[player], [low, high]) for _, player in mine])
            axis.hlines(rows, ends[:, 0], ends[:, 1], color=color, alpha=0.45, linewidth=width)
        axis.plot([means[player] for _, player in mine], rows, marker, color=color, markersize=4, label=name)
    _name(axis, [names[player] for player in order], "y")
    axis.invert_yaxis()
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlabel("place: mean, middle half and range over leagues")
    _titled(axis, title, len(set(brackets)))
    return figure


def fitness(values: Sequence[float | None], found: Sequence[Estimate], brackets: Sequence[str]) -> Figure:
    """Draw the rating of every champion over its fitness."""
    figure, axis = _figure(6.4, 3.8)
    for name, color, marker in _kinds(brackets):
        points = [
            (value, one.value)
            for value, one, bracket in zip(values, found, brackets, strict=True)
            if bracket == name and value is not None
        ]
        if points:
            axis.plot(*np.array(points).T, marker, color=color, markersize=5, alpha=0.8, label=name)
    axis.set(xlabel="fitness in its own run", ylabel="rating (Elo points)")
    _titled(axis, "Fitness and rating", len(set(brackets)))
    return figure


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="none")
    FigureCanvasAgg(figure)
    return figure, figure.subplots()


def _kinds(brackets: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return each bracket with its colour and its mark."""
    names = list(dict.fromkeys(brackets))
    return [(name, COLORS[i % 4], MARKERS[(i // 4 + i) % 4]) for i, name in enumerate(names)]


def _name(axis: Axes, names: Sequence[str], which: str) -> None:
    if len(names) > LABELLED:
        names = [name if place % 5 == 0 else "" for place, name in enumerate(names)]
    if which == "x":
        axis.set_xticks(range(len(names)), names, rotation=90)
    else:
        axis.set_yticks(range(len(names)), names)


def _titled(axis: Axes, title: str, brackets: int) -> None:
    if brackets > 1:
        legend = axis.legend(
            ncols=COLUMNS, loc="lower left", bbox_to_anchor=(0, 1), frameon=False, fontsize=9, handlelength=1.2
        )
        legend.set_in_layout(False)  # long names must not squeeze what they explain
    axis.set_title(title, color=INK, fontsize=11, loc="left", pad=8 + 18 * -(-brackets // COLUMNS) * (brackets > 1))
    _finish(axis)


def _finish(axis: Axes, grid: bool = True) -> None:
    paint(axis, INK)
    axis.xaxis.label.set_color(INK)
    axis.tick_params(labelsize=7 if len(axis.get_yticks()) > 12 else 9)
    if not grid:
        axis.grid(False)
