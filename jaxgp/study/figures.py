"""Pictures of designs, models and groups. Everything but the data has the colour of the surrounding text."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy import stats

from jaxgp.report.plots import BLUE, INK, ORANGE, paint
from jaxgp.statistics.intervals import student
from jaxgp.study.design import Factor

if TYPE_CHECKING:
    import pandas

    from jaxgp.study.designs.model import Model


FEW = 3
"""Runs below which a group has no interval."""


def _figure(panels: int, title: str, width: float = 4.8, height: float = 3.6) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="none")
    FigureCanvasAgg(figure)
    axes = list(figure.subplots(1, panels, sharey=True, squeeze=False)[0])
    axes[0].set_title(title, color=INK, fontsize=11, loc="left")
    return figure, axes


def _finish(axes: Sequence[Axes]) -> None:
    for axis in axes:
        paint(axis, INK)
        axis.xaxis.label.set_color(INK)


def effects(frame: "pandas.DataFrame", factors: Sequence[Factor], response: str) -> Figure:
    """Draw every run, and the mean with its 95 % interval, at each level of each factor."""
    figure, axes = _figure(len(factors), f"{response} at each level", width=max(4.8, 1.6 * len(factors)))
    for axis, factor in zip(axes, factors, strict=True):
        for place, level in enumerate(factor.levels):
            values = frame.loc[frame[factor.name] == level, response].to_numpy(float)
            spread = np.linspace(-0.18, 0.18, len(values)) if len(values) > 1 else np.zeros(len(values))
            axis.plot(place + spread, values, ".", color=BLUE, alpha=0.45, markersize=4)
            mean, low, _ = student(values) if len(values) else (0.0, None, None)
            if low is not None:
                axis.errorbar(place, mean, mean - low, fmt="o", color=ORANGE, capsize=4, markersize=5)
        axis.set_xticks(range(len(factor.levels)), [str(level) for level in factor.levels])
        axis.set_xlim(-0.5, len(factor.levels) - 0.5)
        axis.set_xlabel(factor.name.rpartition(".")[2])
    axes[0].set_ylabel(response)
    _finish(axes)
    return figure


def residuals(model: "Model") -> Figure:
    """Draw residuals against fitted values."""
    figure, axes = _figure(1, "Residuals against fitted values")
    axes[0].axhline(0, color=INK, alpha=0.5, linewidth=0.8)
    axes[0].plot(model.fitted, model.residuals, "o", color=BLUE, alpha=0.7, markersize=4)
    axes[0].set(xlabel="fitted", ylabel="residual")
    _finish(axes)
    return figure


def quantiles(model: "Model") -> Figure:
    """Draw quantiles of the standardised residuals against those of the normal distribution."""
    figure, axes = _figure(1, "Normal QQ plot of the residuals")
    (theory, found), _ = stats.probplot(model.residuals / model.sigma)
    ends = [min(theory[0], found[0]), max(theory[-1], found[-1])]
    axes[0].plot(ends, ends, color=INK, alpha=0.5, linewidth=0.8)
    axes[0].plot(theory, found, "o", color=BLUE, alpha=0.7, markersize=4)
    axes[0].set(xlabel="normal quantile", ylabel="standardised residual")
    _finish(axes)
    return figure


def histogram(model: "Model") -> Figure:
    """Draw the distribution of the residuals beside the normal one of the same spread."""
    figure, axes = _figure(1, "Distribution of the residuals")
    axes[0].hist(model.residuals, bins="sturges", density=True, color=BLUE, alpha=0.6)
    reach = 1.15 * float(np.abs(model.residuals).max())
    x = np.linspace(-reach, reach, 200)
    axes[0].plot(x, stats.norm.pdf(x, scale=model.sigma), color=ORANGE, linewidth=1.5)
    axes[0].set(xlabel="residual", ylabel="density")
    _finish(axes)
    return figure


def curves(
    groups: Mapping[str, Mapping[int, Sequence[float]]],
    measure: str = "fitness",
    title: str = "fitness of the best of each generation",
    along: str = "generation",
    levels: Mapping[str, float] | None = None,
) -> Figure:
    """Draw the mean of a measure over generations, or other numbers, for each group, with a band for its 95 % interval.

    A group of fewer than three runs has a line for each of them: the interval of two is many times as wide as the runs
    lie apart, and would make all curves flat.

    Args:
        groups: name -> generation -> what was measured in each run that has come so far. A generation of a single run
            has no band.
        measure: what it is called at the axis.
        title: of the picture.
        along: what the numbers are called that stand here for generations.
        levels: what is drawn as lines across, by name.
    """
    figure, axes = _figure(1, title, width=7.2)
    colours = matplotlib.colormaps["tab10" if len(groups) <= 10 else "turbo"]
    for number, (name, found) in enumerate(groups.items()):
        colour = colours(number if len(groups) <= 10 else number / (len(groups) - 1))
        if max(map(len, found.values())) < FEW:
            _lines(axes[0], name, found, colour)
            continue
        means = np.array([student(values) for values in found.values()], float)  # no interval becomes nan
        axes[0].plot(list(found), means[:, 0], color=colour, linewidth=1.5, label=name)
        axes[0].fill_between(list(found), means[:, 1], means[:, 2], color=colour, alpha=0.18, linewidth=0)
    for name, level in (levels or {}).items():
        axes[0].axhline(level, color=INK, linewidth=1.0, linestyle="--", label=name)
    axes[0].set(xlabel=along, ylabel=measure)
    axes[0].xaxis.set_major_locator(MaxNLocator(integer=True))
    if len(groups) + len(levels or {}) > 1:
        axes[0].legend(fontsize=8, labelcolor=INK, facecolor="none", edgecolor="none")
    _finish(axes)
    return figure


def _lines(axis: Axes, name: str, found: Mapping[int, Sequence[float]], colour: Any) -> None:
    """Draw each run of a group as a line of its own."""
    for run in range(max(map(len, found.values()))):
        points = [(generation, values[run]) for generation, values in found.items() if run < len(values)]
        axis.plot(*zip(*points, strict=True), color=colour, linewidth=1.0, label=name if run == 0 else None)


def boxes(groups: Mapping[str, np.ndarray], measure: str) -> Figure:
    """Draw a box plot of each group, with every run on it; groups stand one below the other, as in their table."""
    names = [name.replace(" ", "\n") for name in groups]  # a setting, option by option
    lines = sum(max(name.count("\n") + 1, 2) for name in names)
    figure, axes = _figure(1, measure, width=7.2, height=max(0.8 + 0.2 * lines, 1.8))
    line = {"color": INK}
    axes[0].boxplot(
        list(groups.values()),
        orientation="horizontal",
        tick_labels=names,
        widths=0.45,
        patch_artist=True,
        showfliers=False,
        medianprops={"color": ORANGE, "linewidth": 2},
        boxprops={"facecolor": "none", "edgecolor": INK},
        whiskerprops=line,
        capprops=line,
    )
    for place, values in enumerate(groups.values(), 1):
        spread = np.linspace(-0.12, 0.12, len(values)) if len(values) > 1 else np.zeros(len(values))
        axes[0].plot(values, place + spread, ".", color=BLUE, alpha=0.6, markersize=4)
    axes[0].invert_yaxis()
    axes[0].set_xlabel(measure)
    _finish(axes)
    return figure
