"""The table of experiments in docs/results/backgammon.md, made from docs/data/backgammon_games.csv."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from jaxgp.measure import games
from jaxgp.report.generated import guarded, table
from jaxgp.store.table import Cells
from tables.shared.cells import family, mean_of, p_value

PUBEVAL, SEED = "strategy name=pubeval", "1001"
"""The opponent, and the seed of the games."""
NETWORK = "strategy name=network"
LEARNING = "backgammon_learning"
EXPERIMENTS = {
    "backgammon_teacher": ("`backgammon_teacher`, cut short", "8 to 11"),
    "backgammon_coevolution": ("`backgammon_coevolution`, cut short", "9 to 11"),
    "backgammon_lessons": ("`backgammon_lessons`", "2 to 4"),
    LEARNING: ("`backgammon_learning`", "6 to 7"),
}
"""What the table calls each experiment, and the minutes of a run on one core of two."""


def by_seed(rows: Sequence[Cells]) -> dict[str, list[Cells]]:
    """Return the rows of each experiment, in the order of the seeds of its runs."""
    met = [row for row in rows if row["opponent"] == PUBEVAL and row["seed"] == SEED]
    return {name: sorted((row for row in met if row["experiment"] == name), key=_seed) for name in EXPERIMENTS}


def _seed(row: Cells) -> int:
    return int(row["run_seed"])


def won(rows: Sequence[Cells]) -> list[float]:
    """Return the percentages of games won."""
    return [100 * float(row["wins"]) / float(row["games"]) for row in rows]


def experiments(rows: Sequence[Cells]) -> str:
    """Return the table: each experiment, its runs by seed, and their mean with an interval over the seeds."""
    lines = []
    for name, found in by_seed(rows).items():
        label, minutes = EXPERIMENTS[name]
        each = ", ".join(f"{one:.1f}" for one in won(found))
        lines.append([label, minutes, each, f"{mean_of(won(found))} %"])
    network = max((row for row in rows if row["player"] == NETWORK), key=lambda row: int(row["games"]))
    low, high = (100 * float(network[name]) for name in ("low", "high"))
    said = f"{won([network])[0]:.1f} % ({low:.1f} to {high:.1f})"
    lines.append([f"the network itself ({int(network['games']):,} games)", "120,000 games of learning", said, ""])
    return table(["experiment", "minutes a run, one core", "games won, by seed", "mean, 95 % over seeds"], lines)


def comparisons(rows: Sequence[Cells]) -> str:
    """Return the table of the last experiment beside each other one: A12, and p by Mann and Whitney, after Holm."""
    found = {name: won(some) for name, some in by_seed(rows).items()}
    pairs = [(LEARNING, name) for name in EXPERIMENTS if name != LEARNING]
    lines = [
        [f"`{name}`", f"{one.a12.value:.2f}", p_value(p)]
        for (_, name), (one, p) in family(found, pairs, "games won").items()
    ]
    return table([f"`{LEARNING}` beside", "A12", "p (Mann-Whitney, exact, Holm)"], lines)


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    rows = games.table(folder / "backgammon_games.csv").read()
    return guarded(folder, TABLES, rows, "rows are missing, or a cell is no number")


TABLES: dict[str, Callable[[Sequence[Cells]], str]] = {
    "backgammon_experiments": experiments,
    "backgammon_comparisons": comparisons,
}
