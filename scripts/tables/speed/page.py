"""The tables of docs/page.md on times, memory and what watching costs, made from docs/data/page.csv."""

from collections.abc import Callable, Mapping
from statistics import mean, median

from jaxgp.store.table import Cells
from tables.shared.data import Data, Makers, by, listing

AIMS: Mapping[str, float] = {
    "page up": 3.0,
    "reply, four plies, two players at once": 1.0,
    "stop": 1.0,
    "list of 1,000 runs": 1.0,
    "record of 10,000 generations": 1.0,
}
"""Seconds, for the median."""
RATES = ("generations a second", "generations a CPU-second")
APART = ("memory", "processes that think", *RATES)
"""What has tables of its own."""


def times(data: Data) -> str:
    """Return a line for each kind of measurement, with its median, its worst and what was aimed at."""
    kinds = {pair: rows for pair, rows in by(data["page"], "what", "case").items() if pair[0] not in APART}
    lines = []
    for (what, case), rows in kinds.items():
        values = [float(row["value"]) for row in rows]
        aim = AIMS.get(what)
        missed = aim is not None and median(values) > aim
        lines.append(
            {
                "what": f"{what}{', ' * bool(case)}{case}",
                "n": str(len(values)),
                "median": f"{median(values):.2f}{': missed' * missed}",
                "worst": f"{max(values):.2f}",
                "aim": "" if aim is None else f"{aim:g}",
                "shown": ", ".join(dict.fromkeys(word for row in rows for word in row["shown"].split())),
                "load": _range(rows),
            }
        )
    columns: dict[str, Callable[[Cells], str] | str] = {
        "seconds": "{what}",
        "n": "{n}",
        "median": "{median}",
        "worst": "{worst}",
        "aim": "{aim}",
        "shown meanwhile": "{shown}",
        "load average": "{load}",
    }
    return listing(lines, columns)


def memory(data: Data) -> str:
    """Return a line for each time at which memory was measured, in their order."""
    rows = [row for row in data["page"] if row["what"] == "memory"]
    return listing(rows, {"memory": "{case}", "MiB": lambda row: f"{float(row['value']):.0f}"})


def watching(data: Data) -> str:
    """Return a line for each pair of runs, and one for all of them."""
    kinds = by(data["page"], "what", "case")
    lines = []
    for what in RATES:
        watched, alone = ([float(row["value"]) for row in kinds[what, case]] for case in ("watched", "not watched"))
        pairs = [*enumerate(zip(watched, alone, strict=True), 1), ("mean", (mean(watched), mean(alone)))]
        lines += [
            {
                "what": what,
                "pair": str(name),
                "watched": f"{one:.1f}",
                "alone": f"{other:.1f}",
                "ratio": f"{one / other:.3f}",
            }
            for name, (one, other) in pairs
        ]
    return listing(
        lines, {"": "{what}", "pair": "{pair}", "watched": "{watched}", "not watched": "{alone}", "ratio": "{ratio}"}
    )


def _range(rows: list[Cells]) -> str:
    loads = [float(row["load"]) for row in rows]
    return f"{min(loads):g} to {max(loads):g}" if min(loads) < max(loads) else f"{loads[0]:g}"


TABLES: Makers = {"page_times": times, "page_memory": memory, "page_watching": watching}
