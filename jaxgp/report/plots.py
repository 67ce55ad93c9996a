"""The curves of a run: fitness, points, size and diversity over generations. Needs matplotlib, no display."""

import html
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator

from jaxgp import files
from jaxgp.store.record import Row


@dataclass(frozen=True)
class MetricLine:
    """One metric as a line, or as a faint line for each island; `factor` changes its unit.

    A line that may lie on another one is dashed, so that both are seen. A metric that ends in `*` stands for all those
    whose names begin so: each is a line, called by the rest of its name.
    """

    metric: str
    label: str
    color: str
    factor: float = 1.0
    faint: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class Plot:
    """One picture: panels one above the other, each with its y label and its curves.

    It is left out where the only metric of it that a record has is in each row what another metric is, `repeated`.
    """

    name: str
    title: str
    panels: tuple[tuple[str, tuple[MetricLine, ...]], ...]  # {unit} stands for what the size of an individual counts
    repeated: str | None = None


# Colours that differ for colour-blind people and stand out on white and on black (after Okabe and Ito).
BLUE, ORANGE, GREEN, PINK = "#2f8fd0", "#d9822b", "#1fa77a", "#c46aa4"

PLOTS = (
    Plot(
        "fitness",
        "Fitness",
        (("fitness", (MetricLine("best_fitness", "best", BLUE), MetricLine("mean_fitness", "mean", ORANGE))),),
    ),
    Plot(
        "standing",
        "The best of each generation, by the measure that all generations share",
        (("fitness by this measure", (MetricLine("best_standing", "best of the generation", BLUE),)),),
    ),
    Plot(
        "islands",
        "The best of each island, and of all",
        (
            (
                "fitness",
                (
                    MetricLine("islands_best", "one island", ORANGE, faint=True),
                    MetricLine("islands_leader", "the best of all", BLUE),
                ),
            ),
            ("mean fitness", (MetricLine("islands_mean", "one island", ORANGE, faint=True),)),
        ),
    ),
    Plot(
        "points",
        "Points of the best individual of each generation",
        (
            (
                "points",
                (
                    MetricLine("best_points", "sum", BLUE),
                    MetricLine("best_points_first", "moving first", ORANGE),
                    MetricLine("best_points_second", "moving second", GREEN),
                ),
            ),
        ),
        repeated="best_standing",
    ),
    Plot(
        "rivals",
        "The best of each generation against each rival",
        (("share", (MetricLine("fittest_share_against_*", "", BLUE),)),),
    ),
    Plot(
        "problems",
        "Problems of the second population: nodes beside the reference search",
        (
            (
                "nodes / reference",
                (
                    MetricLine("problems_best_fitness", "hardest", BLUE),
                    MetricLine("problems_mean_fitness", "mean", ORANGE),
                ),
            ),
            (
                "percent",
                (MetricLine("problems_solved", "instances that anybody solves", GREEN, 100.0),),
            ),
        ),
    ),
    Plot(
        "size",
        "Size",
        (
            (
                "{unit}",
                (
                    MetricLine("best_size", "best individual", BLUE),
                    MetricLine("mean_size", "mean", ORANGE),
                    MetricLine("max_size", "largest", PINK),
                ),
            ),
        ),
    ),
    Plot(
        "diversity",
        "Different individuals",
        (
            (
                "individuals",
                (
                    MetricLine("unique_programs", "different programs", BLUE),
                    MetricLine("unique_lists", "different lists", BLUE),
                    MetricLine("unique_behaviours", "different ways to play", ORANGE),
                ),
            ),
        ),
    ),
    Plot(
        "table",
        "Opponents' replies found in the table",
        (("percent", (MetricLine("table_hit_rate", "replies from the table", GREEN, 100.0),)),),
    ),
    Plot(
        "tournaments",
        "Winners of the tournaments",
        (
            (
                "points in a double game",
                (MetricLine("group_points", "points for each double game of their group", BLUE),),
            ),
            (
                "parents that win",
                (
                    MetricLine("all_beaten", "beat each opponent", BLUE),
                    MetricLine("beaten", "beat the first opponent", ORANGE, dashed=True),
                ),
            ),
        ),
    ),
)

BESIDE = 3
"""Names that stand side by side in a legend."""
INK = "#010203"
"""Placeholder colour in an SVG; it is replaced by the text colour of the surrounding page."""


def draw(
    plot: Plot, rows: Sequence[Row], unit: str = "nodes", ink: str = "#222222", background: str = "white"
) -> Figure | None:
    """Draw one picture, or return None when the record has none of its metrics."""
    panels = [
        (label, [curve for curve in _named(curves, rows) if any(row.get(curve.metric) is not None for row in rows)])
        for label, curves in plot.panels
    ]
    panels = [(label, curves) for label, curves in panels if curves]
    if not panels or _repeats(plot, [curve.metric for _, curves in panels for curve in curves], rows):
        return None
    figure = Figure(figsize=(6.4, 3.8), layout="constrained", facecolor=background)
    FigureCanvasAgg(figure)
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (label, curves) in zip(axes, panels, strict=True):
        _panel(axis, label.format(unit=unit), curves, rows)
        paint(axis, ink)
    legend = axes[0].get_legend()
    lines = 0 if legend is None else math.ceil(len(legend.get_texts()) / BESIDE)
    axes[0].set_title(plot.title, color=ink, fontsize=11, loc="left", pad=8 + 16 * lines)
    axes[-1].set_xlabel("generation", color=ink)
    return figure


def _repeats(plot: Plot, metrics: Sequence[str], rows: Sequence[Row]) -> bool:
    if plot.repeated is None or len(metrics) > 1:
        return False
    return all(row.get(metrics[0]) == row.get(plot.repeated) for row in rows)


def _named(curves: Sequence[MetricLine], rows: Sequence[Row]) -> list[MetricLine]:
    """Put the metrics of the record in the place of those that stand for several."""
    found = []
    for curve in curves:
        if not curve.metric.endswith("*"):
            found.append(curve)
            continue
        start = curve.metric[:-1]
        names = list(dict.fromkeys(name for row in rows for name in row if name.startswith(start)))
        for name, color in zip(names, colours(len(names)), strict=True):
            found.append(replace(curve, metric=name, label=name.removeprefix(start), color=color))
    return found


def _panel(axis: Axes, label: str, curves: Sequence[MetricLine], rows: Sequence[Row]) -> None:
    generations = [row["generation"] for row in rows]
    marker = "o" if len(rows) == 1 else None  # a single point is no line
    for curve in curves:
        values = [_values(row.get(curve.metric), curve.factor) for row in rows]
        width = max(len(each) for each in values)
        lines = [each if len(each) == width else [math.nan] * width for each in values]
        drawn = axis.plot(generations, lines, color=curve.color, marker=marker, linewidth=0.7 if curve.faint else 1.5)
        drawn[0].set_linestyle("--" if curve.dashed else "-")
        drawn[0].set_label(curve.label)
        for line in drawn if curve.faint else []:
            line.set_alpha(max(0.15, min(0.6, 4 / width)))
    axis.set_ylabel(label)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    if len(curves) > 1:
        # The legend stands above the axes, where it covers no curve.
        axis.legend(
            frameon=False,
            fontsize=9,
            ncols=min(len(curves), BESIDE),
            loc="lower left",
            bbox_to_anchor=(0, 1),
            borderaxespad=0.2,
            borderpad=0.2,
            handlelength=1.4,
        )
    axis.margins(x=0.01)


def _values(found: float | list[float | None] | None, factor: float) -> list[float]:
    """Return the numbers of a metric in one row, one for each line; null is not drawn."""
    return [math.nan if value is None else value * factor for value in (found if isinstance(found, list) else [found])]


def figure(width: float, height: float) -> Figure:
    """Return an empty figure, of a size in inches, that can be drawn without a display."""
    made = Figure(figsize=(width, height), layout="constrained", facecolor="none")
    FigureCanvasAgg(made)
    return made


def colours(number: int) -> list[str]:
    """Return colours that differ for colour-blind people, over again if there are too few."""
    known = (BLUE, ORANGE, GREEN, PINK, "#b8a12b", "#7f8790")
    return [known[n % len(known)] for n in range(number)]


def paint(axis: Axes, ink: str) -> None:
    """Give everything but the curves one colour, on a transparent background."""
    axis.set_facecolor("none")
    axis.grid(color=ink, alpha=0.15, linewidth=0.6)
    axis.tick_params(colors=ink, labelsize=9)
    axis.yaxis.label.set_color(ink)
    for side, spine in axis.spines.items():
        spine.set_color(ink)
        spine.set_visible(side in ("left", "bottom"))
    legend = axis.get_legend()
    for text in legend.get_texts() if legend is not None else []:
        text.set_color(ink)


def save(folder: Path, rows: Sequence[Row], unit: str = "nodes") -> list[Path]:
    """Write every picture as PNG; return the files. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for plot in PLOTS:
        figure = draw(plot, rows, unit)
        if figure is not None:
            path = folder / f"{plot.name}.png"
            files.write(path, partial(figure.savefig, format="png", dpi=150))
            written.append(path)
    return written


def svg(plot: Plot, rows: Sequence[Row], unit: str = "nodes") -> str | None:
    """Return a picture as an `<svg>` element for a page: text in the page's colour, no external links."""
    figure = draw(plot, rows, unit, ink=INK, background="none")
    return None if figure is None else embed(figure, plot.name, plot.title)


def embed(figure: Figure, name: str, title: str = "") -> str:
    """Return a figure drawn in `INK` as an `<svg>` element.

    Args:
        figure: the figure.
        name: unique on the page.
        title: what those are told who do not see it; empty: its name.
    """
    file = io.StringIO()
    # The salt makes the ids of one picture differ from those of another on the same page.
    # A dollar sign in a name begins no formula.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "text.parse_math": False}):
        for words in figure.findobj(Text):
            words.set_parse_math(False)
        figure.savefig(file, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text)
    head, rest = text.split(">", 1)
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)  # the page scales it by its viewBox
    label = html.escape(title or name.replace("_", " "))
    text = f'{head} role="img" aria-label="{label}">{rest}'
    return text.replace(INK, "currentColor")
