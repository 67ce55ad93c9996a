"""The tables of docs/results/walls.md, made from the tables of docs/data whose names begin with `walls`.

Four of these hold figures of older measurements whose single runs and games were not kept: `walls_times.csv` (medians
and ranges of times), `walls_default.csv`, `walls_matching.csv` and `walls_points.csv`.
"""

from functools import partial
from statistics import median

from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from jaxgp.study import curves
from tables.shared.cells import mean_of, share
from tables.shared.data import Data, by, cross, listing
from tables.shared.growth import Law, fit
from tables.shared.learning import by_generation

LEARNED = {"Walls N = 3": "N = 3", "Walls N = 5": "N = 5"}
"""Titles of the runs whose curves are shown, and what they are called."""
AT = (0, 2, 5, 10, 50, 100)
"""Cycles at which curves are shown as numbers."""
SIZES = {size: f"N = {size}" for size in ("3", "5", "7", "9", "11")}
FORMULA = 1.0
"""An exponent whose 95 % interval is wider than this is no formula."""


def arena(data: Data) -> str:
    """Return what the fixed strategy won, drew and lost."""
    seats = {seat: f"as {seat} player" for seat in ("first", "second")}
    rows = data["walls_arena"]
    return cross(rows, {"opponent": "opponent", "N": "size"}, "seat", seats, "{won} + {drawn} + {lost}".format_map)


# Growth


def times(data: Data) -> str:
    """Return milliseconds for one game by size, median and range."""
    cell = "{median} ({fastest} to {slowest})".format_map
    return cross(data["walls_times"], {"player": "player"}, "size", SIZES, cell)


def growth(rows: list[Cells], column: str) -> dict[str, Law]:
    """Return the laws fitted to a column by the size of the board, by form."""
    return {law.form: law for law in fit([int(row["size"]) for row in rows], [float(row[column]) for row in rows])}


def exponent(laws: dict[str, Law]) -> str:
    """Return the exponent of the power law with its interval; empty without one."""
    return "{0.rate:.2f} ({0.low:.2f} to {0.high:.2f})".format(laws["power"]) if laws else ""


def laws(data: Data) -> str:
    """Return the laws fitted to the times; there is no formula where the exponent is hardly known."""
    lines = []
    for (player,), rows in by(data["walls_times"], "player").items():
        seconds = [row | {"seconds": str(float(row["median"]) / 1000)} for row in rows]
        if found := growth(seconds, "seconds"):
            power, other = found["power"], found["exponential"]
            known = power.high - power.low <= FORMULA
            formula = str(power) if known else "none: the interval is wider than 1"
            lines.append([player, exponent(found), f"{power.r2:.3f}", f"{other.r2:.3f}", formula])
    header = ["player", "exponent of the power law (95 %)", "its R2", "R2 of the exponential", "a formula, s"]
    return table(header, lines)


def counts(data: Data) -> str:
    """Return own moves and operations in a game by size, with the exponents of their growth."""
    lines = []
    for (player, unit), rows in by(data["walls_scaling"], "player", "unit").items():
        for column, name in (("moves", "own moves"), ("operations", unit)):
            if any(float(row[column]) for row in rows):
                cells = {row["size"]: f"{float(row[column]):,.0f}" for row in rows}
                lines.append([player, name, *(cells.get(size, "") for size in SIZES), exponent(growth(rows, column))])
    return table(["player", "in a game", *SIZES.values(), "exponent (95 %)"], lines)


def own(data: Data) -> str:
    """Return the share of a game's time that the player's own moves take, by size."""
    lines = []
    for (player,), rows in by(data["walls_scaling"], "player").items():
        both = {row["size"]: [1000 * float(row[name]) for name in ("own_seconds", "seconds")] for row in rows}
        cells = ["{:.3g} of {:.3g}".format(*both[size]) if size in both else "" for size in SIZES]
        lines.append([player, *cells, exponent(growth(rows, "own_seconds"))])
    return table(["player", *SIZES.values(), "exponent of the own moves' time (95 %)"], lines)


def batches(data: Data) -> str:
    """Return the time of each of many games at once: the median of the measurements, and their range."""
    cells = {}
    for (games,), rows in by(data["walls_batches"], "games").items():
        took = [1e6 * float(row["seconds"]) for row in rows]
        ends = (f"{x:,.0f}" if x >= 100 else f"{x:#.3g}" for x in (median(took), min(took), max(took)))
        cells[int(games)] = "{} ({} to {})".format(*ends)
    heads = ["games at once", *(f"{games:,}" for games in sorted(cells))]
    return table(heads, [["microseconds for each game: median (range)", *(cells[games] for games in sorted(cells))]])


# Evolution


def default(data: Data) -> str:
    """Return the default runs of each size."""
    columns = {
        "N": "{size}",
        "fixed strategy beaten": lambda row: share(int(row["beaten"]), int(row["runs"])),
        "cycles until then: median (range)": "{median} ({least} to {most})",
        "rules of the champion": "{rules_least} to {rules_most}",
    }
    return listing(data["walls_default"], columns)


def learned(data: Data) -> str:
    """Return the points of the best so far by cycle, of the runs of both sizes."""
    return by_generation(data["walls_curves"], LEARNED, "points", AT)


def evolved(data: Data, title: str) -> str:
    """Return runs by size: whether a parent beat the fixed strategy, when, and the rules of the best."""
    beaten, sizes = (curves.groups(data["walls_curves"], name) for name in ("beaten", "mean_size"))
    lines = []
    for size in ("3", "5", "7"):
        if not (some := beaten.get(title + size)):
            continue
        won = [cycle for one in some if (cycle := first(one)) is not None]
        cycles, games = "", "not known"
        if won:
            spent = curves.estimate_time(some, 1.0)
            cycles = f"{median(won):g} ({min(won)} to {max(won)})"
            games = f"{spent.value:,.0f} ({spent.low:,.0f} to {spent.high:,.0f})"
        last = [float(one.values[-1]) for one in sizes[title + size]]
        made = [int(one.generations[-1]) + 1 for one in some]
        reached = share(len(won), len(some))
        lines.append([size, reached, cycles, games, f"{min(made)} to {max(made)}", mean_of(last)])
    header = ["N", "fixed strategy beaten", "cycles until then: median (range)", "expected games (95 %)", "cycles"]
    return table([*header, "rules of a list at the end, mean (95 %)"], lines)


def first(one: curves.Curve) -> int | None:
    """Return the cycle, counted from 1, in which the target was reached first."""
    return next((int(cycle) + 1 for cycle, value in zip(one.generations, one.values, strict=True) if value >= 1), None)


def matching(data: Data) -> str:
    """Return strict beside symmetric matching."""
    columns = {
        "matching": "{matching}",
        "mean (95 % bootstrap interval)": "{mean} % ({low} to {high} %)",
        "median": "{median} %",
        "range": "{least} to {greatest} %",
    }
    return listing(data["walls_matching"], columns)


def points(data: Data) -> str:
    """Return points of a double game of some champions, by opponent."""

    def cell(row: Cells) -> str:
        return row["points"] + (f" ({row['low']} to {row['high']})" if row["low"] else "")

    champions = {row["champion"]: row["champion"] for row in data["walls_points"]}
    return cross(data["walls_points"], {"opponent": "opponent"}, "champion", champions, cell)


def fired(data: Data) -> str:
    """Return which rules of champions fire, and how many moves are optimal where that is known."""
    lines = []
    for (title, opponent), rows in by(data["walls_rules"], "title", "opponent").items():
        shares = []
        for row in rows:
            fires = [int(pair.partition(":")[2]) for pair in row["fires"].split()]
            moves = int(row["moves"])
            shares.append((len(fires) / int(row["rules"]), max(fires, default=0) / moves, int(row["default"]) / moves))
        cells = [mean_of([100 * x for x in values]) for values in zip(*shares, strict=True)]
        kept = [100 * int(row["optimal_choices"]) / int(row["choices"]) for row in rows if int(row["choices"] or 0)]
        best = f"{mean_of(kept)}; {min(kept):.0f} to {max(kept):.0f}" if kept else ""
        lines.append([title, str(len(rows)), opponent, *cells, best])
    header = ["champions", "number", "opponent", "rules that fire, %", "moves by the rule that fires most, %"]
    return table([*header, "moves without a rule, %", "optimal moves where it matters, %; range"], lines)


TABLES = {
    "walls_arena": arena,
    "walls_times": times,
    "walls_laws": laws,
    "walls_counts": counts,
    "walls_own": own,
    "walls_batches": batches,
    "walls_default": default,
    "walls_learned": learned,
    "walls_runs": partial(evolved, title="Walls N = "),
    "walls_letter": partial(evolved, title="to the letter N = "),
    "walls_matching": matching,
    "walls_points": points,
    "walls_fired": fired,
}
