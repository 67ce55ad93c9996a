"""The tables of docs/emergence.md, from the rows of `scripts/analyse.py analysis=emergence`."""

from functools import partial

from jaxgp.report.generated import table
from jaxgp.study.emergence.rows import DECISIONS, REFERENCE, strengths
from tables.shared.data import Data, Makers

SHOWN = 12
COLUMNS = ("single", "sign turned", "disabled, zero", "disabled, random", "disabled, elsewhere", "strength")


def strongest(name: str, decisions: bool, data: Data) -> str:
    """Return a line for each of the strongest terminals of a champion, after the ones that they are compared with."""
    rows = data[name]
    lines = [
        [f"*{row['champion'] if row['champion'] == 'random values' else 'the champion'}*", _share(row["score"])]
        + [""] * (len(COLUMNS) - 1)
        for row in rows
        if row["part"] == REFERENCE and (row["against"] == DECISIONS) == decisions
    ]
    for one in strengths(rows, decisions)[:SHOWN]:
        name = str(one["terminal"]).replace("*", "\\*")
        lines.append([name, *(_share(one[column], "" if column in COLUMNS[:2] else "+") for column in COLUMNS)])
    return table(["terminal", *COLUMNS], lines)


def _share(value: object, sign: str = "") -> str:
    return "" if value is None else f"{float(str(value)):{sign}.3f}"


TABLES: Makers = {
    "emergence_chess": partial(strongest, "emergence_chess", True),
}
