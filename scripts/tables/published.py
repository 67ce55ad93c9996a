"""The tables of docs/published.md: figures that sources publish, beside those of this project, and how they compare."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from tables.shared.data import Data, Makers, by, listing

COLUMNS = {
    "game": "the game",
    "figure": "what is measured, with the opponent and the depth, or the source's table",
    "unit": "unit of the figures",
    "source": "the source's figure",
    "source_of": "best or mean of how many runs, the games behind it, its standard error where it is printed",
    "ours": "our figure; empty where there is none",
    "low": "lower end of its 95 % interval; empty for a count, a greatest one or a figure without chance",
    "high": "upper end of the interval",
    "runs": "best or mean of how many runs, or a share of runs",
    "games": "games, races, deals, problems or decisions behind it",
    "chosen_by": "what named the champion",
    "measured_by": "opponent or instances, and whether the run knew them",
    "before": "our figure before; empty where no page had one",
    "comparable": "yes, or why the two figures do not compare",
    "better": "more or less: which figures are better; empty where the units differ",
    "page": "page with our figure, from docs",
}
BEATEN, EQUAL, MISSED, NOT = VERDICTS = ("beaten", "equal within error", "missed", "not comparable")
BY_SIDE = {1: BEATEN, 0: EQUAL, -1: MISSED}
SIGNS = {"more": 1, "less": -1}


def side(row: Cells) -> int:
    """Return 1 where the whole interval of our figure is better than the source's figure, -1 where it is worse, else 0.

    A figure without an interval counts as it stands. Raises LookupError and ArithmeticError for cells that are wrong.
    """
    source = Decimal(row["source"])
    low, high = (Decimal(row[name] or row["ours"]) for name in ("low", "high"))
    return SIGNS[row["better"]] * ((low > source) - (high < source))


def verdict(row: Cells) -> str:
    """Return one of VERDICTS; raises as `side` does."""
    return NOT if row["comparable"] != "yes" else BY_SIDE[side(row)]


def _number(text: str) -> str:
    return f"{Decimal(text):,}"


def _ours(row: Cells) -> str:
    ends = f" ({_number(row['low'])} to {_number(row['high'])})" if row["low"] else ""
    return _number(row["ours"]) + ends if row["ours"] else "-"


def _joined(row: Cells, *names: str) -> str:
    return "; ".join(row[name] for name in names if row[name])


def _told(row: Cells) -> str:
    found = verdict(row)
    return f"{found}: {row['comparable']}" if found == NOT else f"**{found}**"


def counts(data: Data) -> str:
    """Return how many figures have each verdict, in all and by game."""
    rows = data["published"]
    found = {game: Counter(map(verdict, mine)) for (game,), mine in by(rows, "game").items()}
    whole = sum(found.values(), Counter())
    sides = Counter(side(row) for row in rows if verdict(row) == NOT and row["ours"] and row["better"])
    line = (
        f"{len(rows)} figures: {', '.join(f'{whole[name]} {name}' for name in VERDICTS)}. "
        f"Of the last, ours lies on the worse side in {sides[-1]}, on the better side in {sides[1]}; in the other "
        f"{whole[NOT] - sides[-1] - sides[1]} there is none of ours, or its interval holds the source's."
    )
    lines = [[game, *(str(of[name] or "") for name in VERDICTS)] for game, of in found.items()]
    return f"{line}\n\n{table(['game', *VERDICTS], lines)}"


def figures(data: Data) -> str:
    """Return a heading and a table for each game, with a line for each figure."""
    return "\n\n".join(f"### {game}\n\n{_lines(rows)}" for (game,), rows in by(data["published"], "game").items())


def _lines(rows: Sequence[Cells]) -> str:
    return listing(
        rows,
        {
            "figure": "[{figure}]({page}), {unit}",
            "source": lambda row: _number(row["source"]),
            "what it is": "{source_of}",
            "ours (95 %)": _ours,
            "what ours is": lambda row: _joined(row, "runs", "games"),
            "named by; measured on": lambda row: _joined(row, "chosen_by", "measured_by"),
            "before": lambda row: _number(row["before"]) if row["before"] else "",
            "verdict": _told,
        },
    )


TABLES: Makers = {"published_counts": counts, "published": figures}
