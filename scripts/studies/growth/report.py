"""What a measurement of scaling leaves behind: tables (CSV, JSON), a picture, and lines for the terminal."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jax
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from jaxgp import files
from studies.growth.scaling import Law, Measured, fit

COLUMNS = (
    "player",
    "size",
    "plies",
    "moves",
    "operations",
    "unit",
    "seconds",
    "fastest",
    "slowest",
    "own_seconds",
    "own_fastest",
    "own_slowest",
)
NAMES = ("scaling.csv", "scaling.json", "scaling.png")


@dataclass(frozen=True)
class Growth:
    """How the games of one player grow with the size of the board.

    Attributes:
        player: its name.
        order: derived from operations, not measured.
        seconds: fitted formulae of the time of a game, the better one first; none for fewer than three sizes.
        own: the same, of the time of its own moves in a game.
        moves: the same, of their number.
        operations: the same, of its operations in a game; none where it has none.
    """

    player: str
    order: str
    seconds: tuple[Law, ...]
    own: tuple[Law, ...]
    moves: tuple[Law, ...]
    operations: tuple[Law, ...]


def growths(found: Sequence[Measured]) -> list[Growth]:
    """Fit the formulae of every player."""
    made = []
    for name, rows in by_player(found).items():
        sizes = [row.case.size for row in rows]
        laws = (fit(sizes, values) for values in _columns(rows))
        made.append(Growth(name, rows[0].case.mover.order, *laws))
    return made


def by_player(found: Sequence[Measured]) -> dict[str, list[Measured]]:
    """Sort rows by player, in order of size."""
    sorted_rows: dict[str, list[Measured]] = {}
    for row in sorted(found, key=lambda row: row.case.size):
        sorted_rows.setdefault(row.case.mover.name, []).append(row)
    return sorted_rows


def record(row: Measured) -> dict[str, Any]:
    """Return one line of the table; `seconds` is the median of the repeats."""
    values = (
        row.case.mover.name,
        row.case.size,
        row.plies,
        row.moves,
        row.operations,
        row.case.mover.unit,
        row.median,
        min(row.seconds),
        max(row.seconds),
        row.median_own,
        min(row.own),
        max(row.own),
    )
    return dict(zip(COLUMNS, values, strict=True))


def machine() -> dict[str, Any]:
    """Say where and when: enough to judge a time by."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "backend": jax.default_backend(),
        "jax": jax.__version__,
        "python": platform.python_version(),
    }


def save(
    folder: Path,
    found: Sequence[Measured],
    batches: Mapping[int, Sequence[float]],
    about: Mapping[str, Any],
    title: str,
) -> None:
    """Write the tables and the picture; raises OSError.

    Args:
        folder: exists.
        found: what was measured.
        batches: seconds for each game, by the number of games at once; may be empty.
        about: what else the JSON says: options, machine.
        title: of the picture.
    """
    files.write_text(folder / NAMES[0], files.csv_text([record(row) for row in found]))
    files.write_json(
        folder / NAMES[1],
        {
            **about,
            "rows": [{**record(row), "repeats": list(row.seconds)} for row in found],
            "growth": [
                {
                    "player": growth.player,
                    "order": growth.order,
                    **{
                        field: [_law(law) for law in getattr(growth, field)]
                        for field in ("seconds", "own", "moves", "operations")
                    },
                }
                for growth in growths(found)
            ],
            "batches": [
                {"games": games, "seconds": float(np.median(times)), "repeats": list(times)}
                for games, times in batches.items()
            ],
        },
    )
    figure = draw(found, batches, title)
    files.write(folder / NAMES[2], lambda file: FigureCanvasAgg(figure).print_png(file))


def draw(found: Sequence[Measured], batches: Mapping[int, Sequence[float]], title: str) -> Figure:
    """Plot seconds against size with the better formula of each player, and seconds against games at once."""
    figure = Figure(figsize=(11, 5), layout="constrained")
    figure.suptitle(title)
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    for number, (name, rows) in enumerate(by_player(found).items()):
        color, marker = f"C{number % 10}", "os^vDPX*<>"[number % 10]
        sizes, medians = [row.case.size for row in rows], np.array([row.median for row in rows])
        spread = np.array([[m - min(row.seconds), max(row.seconds) - m] for row, m in zip(rows, medians, strict=True)])
        left.errorbar(sizes, medians, spread.T, fmt=marker, color=color, label=name, markersize=5, capsize=2)
        for law in fit(sizes, medians.tolist())[:1]:
            line = np.linspace(min(sizes), max(sizes), 50)
            left.plot(line, law.at(line), color=color, linewidth=1)
    left.set(yscale="log", xlabel="size of the board, N", ylabel="seconds for one game (median, full range)")
    left.set_xticks(sorted({row.case.size for row in found}))
    left.legend(fontsize=7, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    if batches:
        games = list(batches)
        right.plot(games, [float(np.median(times)) for times in batches.values()], "o-")
        right.set(xscale="log", yscale="log", xlabel="games at once", ylabel="seconds for each game")
    else:
        right.set_axis_off()
    return figure


def lines(found: Sequence[Measured], batches: Mapping[int, Sequence[float]]) -> list[str]:
    """Return what the terminal shows: medians by size, formulae, batches."""
    sizes = sorted({row.case.size for row in found})
    text: list[str] = []
    for title, column in (("one game", "median"), ("the player's own moves in one game", "median_own")):
        text += [f"Seconds for {title}, median of the repeats:"]
        text += [f"{'':24}" + "".join(f"{f'N = {n}':>11}" for n in sizes)]
        for name, rows in by_player(found).items():
            medians = {row.case.size: getattr(row, column) for row in rows}
            text.append(f"{name:24}" + "".join(f"{medians[n]:11.3g}" if n in medians else f"{'':11}" for n in sizes))
    text += ["", "Fitted formulae, in seconds (R2), the better one first; and the derived order of growth:"]
    for growth in growths(found):
        said = ", ".join(f"{law} ({law.r2:.3f})" for law in growth.seconds) or "three sizes are needed"
        text.append(f"{growth.player:24}{said}; {growth.order}")
    if batches:
        text += ["", "Games at once and seconds for each:"]
        text += [f"{games:>8} {float(np.median(times)):11.3g}" for games, times in batches.items()]
    return text


def _columns(rows: Sequence[Measured]) -> tuple[list[float], ...]:
    names = ("median", "median_own", "moves", "operations")
    return tuple([getattr(row, name) for row in rows] for name in names)


def _law(law: Law) -> dict[str, Any]:
    """Return a law with its formula; an interval that is not finite (three points on one line) is None."""
    numbers = {
        name: value if not isinstance(value, float) or np.isfinite(value) else None
        for name, value in law._asdict().items()
    }
    return {"formula": str(law), **numbers}
