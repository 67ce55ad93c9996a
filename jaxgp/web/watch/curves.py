"""Curves as SVG, drawn fast enough to be drawn anew while a run goes on; colours come from the style of the page."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from jaxgp.report.markup import escape

WIDTH, HEIGHT = 640.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 12.0, 30.0, 36.0
COLOURS = 6
MOST = 600
"""Points of a line; of more, the least and the greatest of as many stretches are drawn."""


@dataclass(frozen=True)
class ChartCurve:
    """One line, or the band between two of them.

    Attributes:
        label: in the legend; empty: none.
        xs: ascending.
        ys: as many.
        colour: its number.
        highs: of a band the upper edge, `ys` being the lower one; empty: a line.
    """

    label: str
    xs: Sequence[float]
    ys: Sequence[float]
    colour: int = 0
    highs: Sequence[float] = ()


def draw(title: str, curves: Sequence[ChartCurve], unit: str = "", log: bool = False) -> str:
    """Return a chart, an `<svg>` element; empty where there is nothing to draw.

    Args:
        title: in words.
        curves: what is drawn.
        unit: of the values.
        log: whether the axis of values is logarithmic; only values above 0 are drawn then.
    """
    drawn = [one for one in (_thinned(_positive(one) if log else one) for one in curves) if one.xs]
    if not drawn:
        return ""
    values = [y for one in drawn for y in (*one.ys, *one.highs)]
    low, high = _widened(min(values), max(values), log)
    first, last = min(one.xs[0] for one in drawn), max(one.xs[-1] for one in drawn)
    last = last if last > first else first + 1
    scale = math.log10 if log else float

    def at(x: float, y: float) -> str:
        across = LEFT + (x - first) / (last - first) * (WIDTH - LEFT - RIGHT)
        down = TOP + (scale(high) - scale(y)) / (scale(high) - scale(low)) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f} {down:.1f}"

    parts = []
    for y in _powers(low, high) if log else ticks(low, high):
        place = at(first, y).split()[1]
        parts.append(f'<path class="grid" d="M{LEFT:g} {place}H{WIDTH - RIGHT:g}"/>')
        parts.append(f'<text x="{LEFT - 6:g}" y="{float(place) + 4:.1f}" text-anchor="end">{y:.6g}</text>')
    for x in ticks(first, last, whole=True):
        place = at(x, high).split()[0]
        parts.append(f'<text x="{place}" y="{HEIGHT - BOTTOM + 16:g}" text-anchor="middle">{x:,.0f}</text>')
    parts += [_path(one, at) for one in drawn]
    parts.append(f'<text x="{WIDTH - RIGHT:g}" y="{HEIGHT - 5:g}" text-anchor="end">generation</text>')
    parts += _legend(drawn, unit)
    label = escape(title)
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    )


def _path(one: ChartCurve, at: Callable[[float, float], str]) -> str:
    colour = one.colour % COLOURS
    if one.highs:
        edge = [at(x, y) for x, y in zip(one.xs, one.ys, strict=True)]
        back = [at(x, y) for x, y in zip(reversed(one.xs), reversed(one.highs), strict=True)]
        return f'<path class="band f{colour}" d="M{"L".join(edge + back)}Z"/>'
    points = [at(x, y) for x, y in zip(one.xs, one.ys, strict=True)]
    if len(points) == 1:
        x, y = points[0].split()
        return f'<circle class="f{colour}" cx="{x}" cy="{y}" r="3"/>'
    return f'<path class="line c{colour}" d="M{"L".join(points)}"/>'


def _legend(drawn: Sequence[ChartCurve], unit: str) -> list[str]:
    """Name the lines above the chart, each behind a piece of it."""
    parts, x = [], LEFT
    for one in drawn:
        if not one.label or x > WIDTH - 80:
            continue
        label = one.label if len(one.label) <= 34 else one.label[:33] + "\u2026"
        parts.append(f'<path class="line c{one.colour % COLOURS}" d="M{x:g} 14h22"/>')
        parts.append(f'<text x="{x + 27:g}" y="18">{escape(label)}</text>')
        x += 42 + 6.4 * len(label)
    return [*parts, f'<text x="{LEFT - 6:g}" y="18" text-anchor="end">{escape(unit[:9])}</text>'] if unit else parts


def _positive(one: ChartCurve) -> ChartCurve:
    kept = [n for n, y in enumerate(one.ys) if y > 0]
    highs = [one.highs[n] for n in kept] if one.highs else ()
    return ChartCurve(one.label, [one.xs[n] for n in kept], [one.ys[n] for n in kept], one.colour, highs)


def _thinned(one: ChartCurve) -> ChartCurve:
    """Return a curve of at most `MOST` points that looks alike: both extremes of each stretch stay."""
    count = len(one.xs)
    if count <= MOST:
        return one
    kept: list[int] = []
    stretches = MOST // 2
    for n in range(stretches):
        stretch = range(n * count // stretches, (n + 1) * count // stretches)
        ends = {min(stretch, key=lambda k: one.ys[k]), max(stretch, key=lambda k: (one.highs or one.ys)[k])}
        kept += sorted(ends)
    highs = [one.highs[k] for k in kept] if one.highs else ()
    return ChartCurve(one.label, [one.xs[k] for k in kept], [one.ys[k] for k in kept], one.colour, highs)


def _widened(low: float, high: float, log: bool) -> tuple[float, float]:
    if log:
        return low / 1.1, high * 1.1
    room = (high - low) * 0.04 or abs(high) * 0.05 or 1.0
    return low - room, high + room


def _powers(low: float, high: float) -> list[float]:
    """Return the powers of ten in a range, or 1, 2 and 5 times them where these are fewer than three."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    step = max(1, (last - first) // 8)
    found = [10.0**n for n in range(first, last + 1, step)]
    if sum(low <= one <= high for one in found) < 3:
        found = [m * 10.0**n for n in range(first, last + 1) for m in (1, 2, 5)]
    return [one for one in found if low <= one <= high]


def ticks(low: float, high: float, whole: bool = False, most: int = 6) -> list[float]:
    """Return round numbers in a range, at most about `most` of them; `whole`: none has a fraction."""
    span = max(high - low, 1e-300)
    step = 10 ** math.floor(math.log10(span / most))
    step *= next(factor for factor in (1, 2, 5, 10) if step * factor >= span / most)
    step = max(step, 1.0) if whole else step
    first = math.ceil(low / step)
    return [n * step for n in range(first, first + most * 2) if n * step <= high]


def mean_and_interval(
    runs: Sequence[tuple[Sequence[float], Sequence[float]]],
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Return generations that all runs have, and the mean at each with the ends of its 95 % interval by Student's t.

    Args:
        runs: (generations, values) of each, three runs at least.
    """
    from scipy.special import stdtrit  # late: it takes a moment

    common = sorted(set.intersection(*(set(xs) for xs, _ in runs)))
    values = np.array([[table[x] for x in common] for table in (dict(zip(*run, strict=True)) for run in runs)])
    means = values.mean(0)
    half = float(stdtrit(len(runs) - 1, 0.975)) * values.std(0, ddof=1) / math.sqrt(len(runs))
    return common, means.tolist(), (means - half).tolist(), (means + half).tolist()
