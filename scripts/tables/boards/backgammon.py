"""The tables of docs/results/backgammon.md, made from the tables of docs/data whose names begin with backgammon."""

from pathlib import Path

from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from tables.shared.cells import family, mean_of, p_value
from tables.shared.data import Data, Makers

PUBEVAL, SEED = "strategy name=pubeval", "1001"
"""The opponent, and the seed of the games."""
NETWORK = "strategy name=network"
LEARNING = "backgammon_learning"
EXPERIMENTS = {
    "backgammon_teacher": ("`backgammon_teacher`, cut short", "8 to 11"),
    "backgammon_coevolution": ("`backgammon_coevolution`, cut short", "9 to 11"),
    "backgammon_coevolution_whole": ("`backgammon_coevolution`, whole, same dice", "25 to 39"),
    "backgammon_lessons": ("`backgammon_lessons`", "2 to 4"),
    "backgammon_insertion": ("`backgammon_insertion`", "22 to 33"),
    LEARNING: ("`backgammon_learning`", "6 to 7"),
}
"""What the table calls each experiment, and the minutes of a run on one core of two."""


def experiment(row: Cells) -> str:
    """Return the experiment of a champion, which names the file of champions that it was read from."""
    return row["experiment"] or Path(row["run"].partition("#")[0]).stem


def percent_won(row: Cells) -> float:
    """Return the percentage of games won."""
    return 100 * float(row["wins"]) / float(row["games"])


def by_experiment(data: Data) -> dict[str, list[float]]:
    """Return what the champions of each experiment won, in the order of the seeds of their runs."""
    rows = [row for row in data["backgammon_games"] if (row["opponent"], row["seed"]) == (PUBEVAL, SEED)]
    rows.sort(key=lambda row: int(row["run_seed"] or -1))
    return {name: [percent_won(row) for row in rows if experiment(row) == name] for name in EXPERIMENTS}


def experiments(data: Data) -> str:
    """Return the table: each experiment, its runs by seed, and their mean with an interval over the seeds."""
    lines = []
    for name, values in by_experiment(data).items():
        each = ", ".join(f"{one:.1f}" for one in values)
        lines.append([*EXPERIMENTS[name], each, f"{mean_of(values)} %"])
    rows = [row for row in data["backgammon_games"] if row["player"] == NETWORK]
    network = max(rows, key=lambda row: int(row["games"]))
    said = "{:.1f} % ({:.1f} to {:.1f})".format(
        percent_won(network), *(100 * float(network[end]) for end in ("low", "high"))
    )
    lines.append([f"the network itself ({int(network['games']):,} games)", "120,000 games of learning", said, ""])
    return table(["experiment", "minutes a run, one core", "games won, by seed", "mean, 95 % over seeds"], lines)


def comparisons(data: Data) -> str:
    """Return the table of the last experiment beside each other one: A12, and p by Mann and Whitney, after Holm."""
    pairs = [(LEARNING, name) for name in EXPERIMENTS if name != LEARNING]
    lines = [
        [f"`{name}`", f"{one.a12.value:.2f}", p_value(p)]
        for (_, name), (one, p) in family(by_experiment(data), pairs, "games won").items()
    ]
    return table([f"`{LEARNING}` beside", "A12", "p (Mann-Whitney, exact, Holm)"], lines)


def of_gates(data: Data) -> str:
    """Return the table of champions that are sums of gates: their nodes, games and points."""
    lines = []
    for row in data["backgammon_gates"]:
        won, share = (
            "{:.1f} % ({:.1f} to {:.1f})".format(*(100 * float(row[one]) for one in ends))
            for ends in (("score", "low", "high"), ("share", "share_low", "share_high"))
        )
        name, _, seed = row["run"].partition("#")
        each = f"{float(row['points']):.2f} and {float(row['against']):.2f}"
        nodes, games = (f"{int(row[one]):,}" for one in ("nodes", "games"))
        lines.append([f"`{Path(name).stem}`", seed, nodes, games, row["seed"], won, share, each])
    titles = ["experiment", "seed of the run", "nodes", "games", "their seed", "games won", "share of points"]
    titles.append("points a game, own and Pubeval's")
    return table(titles, lines)


def of_settings(data: Data) -> str:
    """Return the table of trials of coevolution: what the best of the last generations took from Pubeval, by seed."""
    rows: dict[str, dict[str, Cells]] = {}
    for row in data["backgammon_insertion"]:
        rows.setdefault(row["settings"], {})[row["seed"]] = row  # the last one stays
    lines = []
    for name, runs in rows.items():
        each = ", ".join(
            f"{seed}: {100 * float(row['points']):.0f} % ({row['generations']})" for seed, row in runs.items()
        )
        lines.append([name, next(iter(runs.values()))["operators"], each])
    return table(["settings", "operators, room of a tree", "seed: share of points at the end (generations)"], lines)


def of_children(data: Data) -> str:
    """Return the table of children of a program: how many are better than it, by operator."""
    lines = [
        [
            f"`{row['operator']}`",
            *(row[name] for name in ("children", "better", "worse", "same")),
            f"{100 * float(row['best']):.1f} % ({100 * float(row['low']):.1f} to {100 * float(row['high']):.1f})",
        ]
        for row in data["backgammon_children"]
    ]
    return table(["operator", "children", "better", "worse", "play alike", "the best, in new games"], lines)


TABLES: Makers = {
    "backgammon_experiments": experiments,
    "backgammon_comparisons": comparisons,
    "backgammon_gates": of_gates,
    "backgammon_insertion": of_settings,
    "backgammon_children": of_children,
}
