"""The tables of docs/performance.md on rates, made from docs/data/performance.csv."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from jaxgp.reading import whole_number
from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from tables.shared.data import Data, Makers, by, listing

GAMES = {
    "interpreter": "Programs",
    "env": "Kalah",
    "search": "Kalah",
    "generation": "Kalah",
    "walls": "Walls",
    "othello": "Othello",
    "evaluators": "Programs at the leaves",
    "morpion": "Morpion Solitaire",
    "checkers": "Checkers",
    "rush_hour": "Rush Hour",
    "freecell": "FreeCell",
    "backgammon": "Backgammon",
    "rars": "RARS",
    "robocode": "Robocode",
    "chess": "Chess",
    "mate": "Mate in n",
    "strategies": "Diagonal CMA-ES",
}
"""By part of the benchmark: what its lines begin with."""
SETS = {"mancala-14-zero": "set of Kalah", "bench-arithmetic": "+ - * max"}
PLAYED = {"othello": "Othello", "checkers": "checkers"}
RIVALS = {"deap": "DEAP", "open_spiel": "OpenSpiel", "pgx": "Pgx", "gnubg_nn": "gnubg_nn, in C"}
SIZE = (
    "batch",
    "side_by_side",
    "boards",
    "deals",
    "problems",
    "cars",
    "battles",
    "depth",
    "plies",
    "nodes",
    "programs",
    "population",
    "games",
)
"""Sizes that tell measurements of the same work apart; the first one that a row has names it."""
WAYS = ("plain XLA", "one device")
"""Rivals that are jaxgp itself, in a way that it does not use on a CPU."""
HOW = {
    "games, every reply searched": "every reply searched",
    "generations, every reply searched": "every reply searched",
    "games, empty reply cache": "a dictionary of replies",
    "generations from an empty reply cache": "a dictionary of replies",
    "games, full reply cache": "a full dictionary",
}
"""How a rival does it, by what its measurement is called; the others have one way."""
EVEN = 0.95
"""A ratio from here to 1 is no loss: repeats differ by as much."""
NAMES = {
    "search": "searches",
    "steps alone": "steps",
    "games, empty reply table": "games, no reply known",
    "games, full reply table": "games, all replies known",
    "generations from an empty reply table": "first generations of a run",
}
"""What the benchmark calls some work, and what people read."""
FIXED = ("game", "set", "cases", "lists", "matching", "role", "diagonals", "limit")
"""Sizes that make it other work."""


class Comparison(NamedTuple):
    """A rival beside jaxgp, at one size; rates are units a second of CPU time."""

    size: str
    ours: float
    theirs: float
    unit: str
    ratio: float  # how many times as fast jaxgp is, by CPU time
    clock: float  # the same by the clock


Work = tuple[str, str]
"""What is done, and the rival."""


def comparisons(data: Data) -> dict[Work, list[Comparison]]:
    """Return the comparisons of each kind of work with each rival, by ascending size; of equal ones the last counts."""
    found: dict[Work, dict[str, Comparison]] = {}
    for row in data["performance"]:
        if not row["rival"] or row["skipped"] or not row["cpu_ratio"]:
            continue
        sizes, name = pairs(row["beside"]), row["against"].partition(", batch=")[0] or row["name"]
        rate = float(row["work"]) / float(row["cpu_seconds"])
        ratio = float(row["cpu_ratio"])
        size = _size(sizes)
        one = Comparison(size, ratio * rate, rate, row["unit"].removesuffix("/s"), ratio, float(row["ratio"]))
        found.setdefault((_work(row["part"], name, sizes), _rival(row)), {})[size] = one
    return {work: list(each.values()) for work, each in found.items()}


def _split(data: Data, own: bool) -> dict[Work, list[Comparison]]:
    """Return comparisons with ways of jaxgp's own, or those with other programs."""
    return {work: each for work, each in comparisons(data).items() if (work[1] in WAYS) == own}


def slower(data: Data) -> str:
    """Return a line for each rival that is faster at some size, the fastest first."""
    lines = []
    for (what, rival), each in _split(data, own=False).items():
        if lost := [one for one in each if one.ratio < EVEN]:
            times = [1 / one.ratio for one in lost]
            lines.append((max(times), [what, rival, _span([one.size for one in lost]), _span(map(_times, times))]))
    return table(
        ["what", "rival", "sizes", "times as fast as jaxgp"], [cells for _, cells in sorted(lines, reverse=True)]
    )


def faster(data: Data) -> str:
    """Return a line for each kind of work and rival: rates at the largest size, and ratios at all of them."""
    return _beside(_split(data, own=False), "rival")


def ways(data: Data) -> str:
    """Return the same for the ways that jaxgp does not use."""
    return _beside(_split(data, own=True), "another way")


def _beside(found: Mapping[Work, Sequence[Comparison]], head: str) -> str:
    lines = []
    for (what, rival), each in found.items():
        last = each[-1]
        others = "; ".join(f"{one.size.split(' ')[0]}: {_times(one.ratio)}" for one in each[:-1])
        rates = [f"{_rate(last.ours)} {last.unit}", rival, _rate(last.theirs)]
        lines.append([what, last.size, *rates, f"{_times(last.ratio)} ({_times(last.clock)})", others])
    heads = ["what", "size", "jaxgp, per CPU-second", head, "per CPU-second", "ratio by CPU time (by the clock)"]
    return table([*heads, "at other sizes"], lines)


def limits(data: Data) -> str:
    """Return a line for each kind of work: the size with the greatest share of what the machine could do."""
    last = {(row["part"], row["name"], row["sizes"]): row for row in data["performance"] if row["share"]}
    best: dict[str, Cells] = {}
    for row in last.values():
        what = _work(row["part"], row["name"], pairs(row["sizes"]))
        best[what] = max(best.get(what, row), row, key=lambda one: float(one["share"]))
    columns: dict[str, Callable[[Cells], str] | str] = {
        "what": lambda row: _work(row["part"], row["name"], pairs(row["sizes"])),
        "size": lambda row: _size(pairs(row["sizes"])),
        "a second, best": lambda row: f"{_rate(float(row['best_value']))} {row['unit'].removesuffix('/s')}",
        "limit": lambda row: _rate(float(row["limit"])),
        "share": lambda row: f"{100 * float(row['share']):.3g} %",
    }
    return listing(best.values(), columns)


def machine(data: Data) -> str:
    """Return a line for each machine and versions, with the load average while it was measured."""
    columns = ("processor", "cores", "jax", "python", "megahertz")
    lines = []
    for (*names, clock), rows in by(data["performance"], *columns).items():
        loads, days = ([row[name] for row in rows if row[name]] for name in ("load", "date"))
        load = _span(f"{x:g}" for x in (min(map(float, loads)), max(map(float, loads))))
        games = ", ".join(dict.fromkeys(GAMES.get(row["part"], row["part"]) for row in rows))
        measured = [f"{int(clock):,} MHz" if clock else "", load, max(days)[:10], str(len(rows)), games]
        lines.append([*names, *measured])
    heads = ["processor", "cores", "JAX", "Python", "clock", "load average", "day, UTC", "measurements", "of"]
    return table(heads, lines)


def pairs(text: str) -> dict[str, str]:
    """Return sizes by their names, from a cell of them: NAME=VALUE, with spaces between."""
    return dict(pair.split("=", 1) for pair in text.split())


def _work(part: str, name: str, sizes: dict[str, str]) -> str:
    told = ", ".join(_fixed(key, sizes[key]) for key in FIXED if key in sizes)
    return f"{GAMES[part]}: {NAMES.get(name, name)}" + (f" ({told})" if told else "")


def _fixed(key: str, value: str) -> str:
    if key == "set":
        return SETS.get(value, value)
    if key == "game":
        return PLAYED[value]
    return f"at most {_number(value)} nodes" if key == "limit" else f"{_number(value)} {key}"


def _size(sizes: dict[str, str]) -> str:
    """Return the size that tells measurements of the same work apart, in words; empty if there is none."""
    key = next((key for key in SIZE if key in sizes), "")
    return f"{_number(sizes[key])} {_unit(key, sizes[key])}" if key else ""


def _rival(row: Cells) -> str:
    first, _, rest = row["rival"].partition(" ")
    known = " ".join([RIVALS.get(first, first), rest]).strip()
    return f"{known}, {HOW[row['name']]}" if row["name"] in HOW else known


def _unit(key: str, value: str) -> str:
    names = {"batch": "side by side", "depth": "plies", "population": "individuals"}
    return names.get(key, key.removesuffix("s") if value == "1" else key.replace("_", " "))


def _number(text: str) -> str:
    number = whole_number(text)
    return text if number is None else f"{number:,}"


def _times(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}"


def _rate(rate: float) -> str:
    """Return a rate with three digits."""
    for least, unit in ((1e9, "G"), (1e6, "M")):
        if rate >= least:
            return f"{float(f'{rate / least:.3g}'):,g} {unit}"
    return f"{float(f'{rate:.3g}'):,g}"


def _span(values: Iterable[str]) -> str:
    """Return the first and the last of some values."""
    found = list(values)
    return found[0] if found[0] == found[-1] else f"{found[0]} to {found[-1]}"


TABLES: Makers = {
    "speed_machine": machine,
    "speed_slower": slower,
    "speed_rivals": faster,
    "speed_ways": ways,
    "speed_limits": limits,
}
