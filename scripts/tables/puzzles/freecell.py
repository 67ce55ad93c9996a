"""The tables of docs/results/freecell.md, made from the tables of docs/data whose names begin with `freecell`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from envs.freecell import suites
from envs.freecell.rules import FreeCell
from jaxgp.measure.puzzles.instances import Searched
from jaxgp.measure.puzzles.portfolio import combine_stages
from jaxgp.measure.puzzles.solving import CHAMPION, Figures, figures
from jaxgp.report.generated import table
from jaxgp.statistics.verdicts import holm
from tables.puzzles.searches import NONE, Asked, Searches, percent
from tables.shared.cells import effect, mean_of
from tables.shared.data import Data, Makers, listing

EXPERIMENT, SEARCH = "freecell_weights", "greedy"
CHAMPIONS = (("1-4000", 200_000), ("1-32000", 10_000), ("1-1000", 10_000))
"""Deals on which champions are shown, and the nodes at which searches give up."""
HEADER = ["order of positions", "deals", "nodes at most", "solved (95 %)", "nodes, mean", "median", "moves"]
UNSOLVED_NODES, UNSOLVED_MOVES = 1_000_000_000, 60_000
"""What the book counts for a deal that is not solved (section 11.3)."""
ALL = "1-32000"
PORTFOLIOS = {EXPERIMENT: (10_000, 200_000, 1_000_000), "freecell_policy": (3_000, 30_000)}
"""Experiments whose five champions search one after the other, and the nodes at which they give up in turn."""
COUNTS, HARD = "freecell_counts", "freecell_counts_hard"
PAIR = ((COUNTS, 4_000), (HARD, 1_000_000), (COUNTS, 4_000_000))
"""How the champions of two experiments with the same seed search in turn: the second one learned on what the first one
missed within 4,000 nodes; the first one tries once more what both have left."""
SCHEDULE = (
    (COUNTS, 3, 2_000),
    (HARD, 1, 8_000),
    (HARD, 3, 8_000),
    (COUNTS, 0, 50_000),
    (HARD, 3, 1_000_000),
    (COUNTS, 3, 4_000_000),
)
"""The champions that deals 64001 to 67000 chose among ten, and nodes at which searches end. The last two stages are
those of the pair of seed 3, for what the others leave."""
FEWER = (
    (COUNTS, 0, 2_000),
    (HARD, 1, 2_000),
    (HARD, 4, 8_000),
    (HARD, 0, 50_000),
    (COUNTS, 4, 50_000),
    (HARD, 0, 1_000_000),
    (COUNTS, 3, 4_000_000),
)
"""The same for searches that try fewer moves; the last stage tries all."""
FEWER_PAIR = ((COUNTS, 2_000), (HARD, 1_000_000), (COUNTS, 4_000_000))
"""How the champions of a seed search in turn where they try fewer moves; the last one tries all."""
THREE = (
    ("freecell_fewer", 2_000),
    ("freecell_fewer_hard", 8_000),
    ("freecell_fewer_last", 20_000),
    ("freecell_fewer_hard", 50_000),
    ("freecell_fewer", 50_000),
    ("freecell_fewer_last", 1_000_000),
    ("freecell_fewer", 4_000_000),
)
"""The same of three champions that learned so."""
SEEDS = range(5)
AGAINST, ALONE = "freecell_short", "freecell_short_fixed"
"""Experiments with equal numbers of searches: deals evolve, or are drawn at random."""
SHORT, SHORT_ON = 3_000, "1-1000"
"""Nodes at which searches of their champions give up, and the deals."""
FC_SOLVE, CHECKED = "fc-solve", 200_000
"""The engine outside, and the states that it checks at most."""
BOOK = (
    ("the book, HSDH, staged deepening", "30,859: 96.43 %", "1,780,216", "255"),
    ("the book, evolved weights, staged deepening", "31,475: 98.36 %", "230,345", "151"),
    ("the book, evolved policies, staged deepening", "31,888: 99.65 %", "", ""),
)
"""Table 11.2 and section 11.3 of the book; nodes and moves are those of the deals that were solved."""
FIXED, FIXED_ON = ("HSDH", "Heineman", "GA-FreeCell"), ("1-300", 10_000)


def orders(data: Searches) -> str:
    """Return what champions and fixed orders find, one line for each of them and each range of deals."""
    lines = []
    for deals, limit in CHAMPIONS:
        found = data.of_champions(select_tested(deals, limit), EXPERIMENT)
        lines += [line(f"champion, seed {seed}", deals, limit, one) for seed, one in found.items()]
    lines += [line(name, *FIXED_ON, data.figures(select_tested(*FIXED_ON), name)) for name in FIXED]
    return table([*HEADER, "nodes by the book", "moves by the book"], lines)


def select_tested(deals: str, limit: int) -> Asked:
    """Return the searches of the deals of a range that are for testing."""
    found = suites.instances(FreeCell(), deals, "suite")
    names = tuple(name for name, test in zip(found.names, found.test, strict=True) if test)
    return Asked(SEARCH, limit, names)


def line(name: str, deals: str, limit: int, found: Figures | None) -> list[str]:
    """Return a line of the table."""
    first, last = deals.split("-")
    if found is None:
        return [name, f"{first} to {last}", f"{limit:,}", NONE, "", "", "", "", ""]
    solved = percent(found.solved / found.instances, found.solved_low, found.solved_high)
    moves = "" if found.length is None else f"{found.length:.1f}"
    numbers = [f"{found.nodes:,.0f}", f"{found.median:,.0f}", moves, *map("{:,.0f}".format, penalise(found))]
    return [name, f"{first} to {last}, {found.instances:,}", f"{limit:,}", solved, *numbers]


def penalise(found: Figures) -> tuple[float, float]:
    """Return mean nodes and mean moves as the book counts them, with penalties for deals that are not solved."""
    each = [
        (UNSOLVED_NODES, UNSOLVED_MOVES) if moves is None else (nodes, moves) for nodes, moves in found.each.values()
    ]
    nodes, moves = np.mean(each, 0)
    return float(nodes), float(moves)


def solve_in_stages(
    data: Searches, stages: Sequence[tuple[str, int, int]], deals: str = ALL, last: Searches | None = None
) -> tuple[Searched, list[list[str]]] | None:
    """Return what champions find one after the other, each for what those before it left, and a line for each.

    None unless all of their searches have rows. A stage is an experiment, a seed, and nodes at which searches give up;
    the searches of the last one are in `last`, if that is given.
    """
    names = np.array(suites.instances(FreeCell(), deals, "suite").names)
    genomes = {(one.experiment, one.seed): one.genome for name, *_ in stages for one in data.champions(name)}
    lines: list[list[str]] = []

    def search(among: Searches, experiment: str, seed: int, limit: int, left: np.ndarray) -> Searched:
        wanted = Asked(SEARCH, limit, tuple(names[left].tolist()))
        genome = genomes.get((experiment, seed), "")
        found = among.searched(wanted, CHAMPION, genome) if len(left) else Searched.nothing(0)
        if found is None:
            raise LookupError
        nodes = f"{found.nodes.mean():,.0f}" if len(left) else ""
        expanded = f"{found.expanded.mean():,.0f}" if len(left) and (found.expanded >= 0).all() else ""
        name = f"`{experiment}`, seed {seed}"
        lines.append([name, f"{limit:,}", f"{len(left):,}", f"{found.solved.sum():,}", nodes, expanded])
        return found

    among = [data] * (len(stages) - 1) + [last or data]
    each = (partial(search, one, *stage) for one, stage in zip(among, stages, strict=True))
    try:
        return combine_stages(len(names), each), lines
    except LookupError:
        return None


def list_stages(experiment: str) -> list[tuple[str, int, int]]:
    """Return the stages of the five champions of an experiment: all try with one limit before the next one."""
    return [(experiment, seed, limit) for limit in PORTFOLIOS[experiment] for seed in SEEDS]


def portfolio(data: Searches, stages: Sequence[tuple[str, int, int]], deals: str = ALL) -> str:
    """Return what champions find one after the other, a line for each stage; see `solve_in_stages`.

    The last two lines are of all deals, and of those for testing.
    """
    found = solve_in_stages(data, stages, deals)
    if found is None:
        return NONE
    some = suites.instances(FreeCell(), deals, "suite")
    lines = found[1]
    for title, mask in (("together", np.ones(len(some.names), bool)), ("of these for testing", some.test)):
        made = select_figures(found[0], np.array(some.names), mask)
        opened = "" if made.expanded is None else f"{made.expanded:,.1f}"
        lines.append([title, "", f"{made.instances:,}", share_of(made), f"{made.nodes:,.0f}", opened])
    return table(["champion", "nodes at most", "deals", "solved", "nodes, mean", "expanded, mean"], lines)


@cache
def every_pair(
    data: Searches, deals: str = ALL, last: Searches | None = None, turns: Sequence[tuple[str, int]] = PAIR
) -> dict[int, Searched]:
    """Return what the champions of a seed find in turn, by seed, without those whose searches have no rows.

    The searches of the last stage are in `last`, if that is given.
    """
    found = {seed: solve_in_stages(data, [(name, seed, limit) for name, limit in turns], deals, last) for seed in SEEDS}
    return {seed: one[0] for seed, one in found.items() if one is not None}


def pairs(
    data: Searches, deals: str = ALL, last: Searches | None = None, turns: Sequence[tuple[str, int]] = PAIR
) -> str:
    """Return what the champions of a seed find in turn, one line a seed, and the means over seeds.

    The means are those of the deals for testing.
    """
    some = suites.instances(FreeCell(), deals, "suite")
    names, everywhere = np.array(some.names), np.ones(len(some.names), bool)
    found = every_pair(data, deals, last, turns)
    if not found:
        return NONE
    alone_within = turns[0][1]
    lines, tested = [], []
    for seed, by_pair in found.items():
        made, trained = select_figures(by_pair, names, everywhere), select_figures(by_pair, names, ~some.test)
        tested.append(select_figures(by_pair, names, some.test))
        alone = share_of(select_figures(_until(by_pair, alone_within), names, everywhere))
        lines.append([str(seed), alone, share_of(made), *numbers_of(made), f"{trained.expanded or 0:,.1f}"])
    lines.append(["mean of seeds (95 %), deals for testing; solved: least to greatest", "", *_means(tested), ""])
    together = "the pair" if turns in (PAIR, FEWER_PAIR) else "all"
    alone, solved = f"solved by the first within {alone_within:,} nodes", f"solved by {together} (95 %)"
    return table(
        ["seed", alone, solved, "nodes, mean", "expanded, mean", "median", "moves", "expanded, training deals"], lines
    )


def _until(found: Searched, limit: int) -> Searched:
    """Return what was solved within a limit of nodes, and the rest as not solved."""
    within = found.solved & (found.nodes < limit)
    return replace(found, solved=within, length=np.where(within, found.length, -1))


def _means(tested: Sequence[Figures]) -> list[str]:
    """Return the means over seeds of deals solved (least to greatest), nodes, nodes expanded, their median and moves.

    The last four have 95 % intervals.
    """

    def mean(column: str) -> str:
        return mean_of([float(getattr(one, column) or 0) for one in tested])

    solved = [one.solved for one in tested]
    most = f"{np.mean(solved):,.1f} ({min(solved):,} to {max(solved):,})"
    return [most, *(mean(column) for column in ("nodes", "expanded", "expanded_median", "length"))]


def numbers_of(made: Figures) -> list[str]:
    """Return mean nodes, nodes expanded, their median, and moves; empty where there are none."""
    counted = ["", ""] if made.expanded is None else [f"{made.expanded:,.1f}", f"{made.expanded_median:,.0f}"]
    return [f"{made.nodes:,.0f}", *counted, "" if made.length is None else f"{made.length:.1f}"]


def evolving(data: Searches, deals: str = SHORT_ON) -> str:
    """Return the champions of runs whose deals evolve beside those of runs with random deals, on deals for testing.

    A12 is of the former over the latter; both p values are one family.
    """
    from jaxgp.statistics.comparison import compare

    found = {name: list(data.of_champions(select_tested(deals, SHORT), name).values()) for name in (AGAINST, ALONE)}
    if not all(found.values()):
        return NONE
    titles = {AGAINST: "deals evolve", ALONE: "random deals"}
    measures: dict[str, Callable[[Figures], float]] = {
        "solved, percent": lambda one: 100 * one.solved / one.instances,
        "nodes, mean": lambda one: one.nodes,
    }
    made = [
        compare(
            measure,
            (titles[AGAINST], [value(one) for one in found[AGAINST]]),
            (titles[ALONE], [value(one) for one in found[ALONE]]),
        )
        for measure, value in measures.items()
    ]
    lines = []
    for one, p in zip(made, holm([one.p for one in made]), strict=True):
        groups = [
            f"{group.median.value:,.1f} ({min(group.values):,.1f} to {max(group.values):,.1f})"
            for group in (one.first, one.second)
        ]
        lines.append([one.measure, *groups, effect(one.a12), f"{p:.2g}"])
    runs = [f"{titles[name]}, {len(found[name])} runs: median (least to greatest)" for name in (AGAINST, ALONE)]
    return table(["measure", *runs, "A12 (95 %)", "p, Holm"], lines)


def select_figures(found: Searched, names: np.ndarray, mask: np.ndarray) -> Figures:
    """Return the figures of some of the instances that have these names."""
    return figures(tuple(names[mask].tolist()), found.take(mask), None)


def share_of(made: Figures) -> str:
    """Return how many instances were solved, and their share with its interval."""
    share = 100 * np.array([made.solved / made.instances, made.solved_low, made.solved_high])
    return f"{made.solved:,}: {share[0]:.3f} % ({share[1]:.3f} to {share[2]:.3f})"


def everything(data: Searches, fewer: Searches, deals: str = ALL) -> str:
    """Return what is known of all deals, a line for each solver; those of the book come first.

    Args:
        data: searches that try all moves.
        fewer: searches by the same champions that try fewer.
        deals: a range of them.
    """
    names = np.array(suites.instances(FreeCell(), deals, "suite").names)
    lines = [[solver, solved, nodes, "", "", moves] for solver, solved, nodes, moves in BOOK]

    def add(solver: str, found: Searched | None) -> None:
        if found is None:
            return
        made = select_figures(found, names, np.ones(len(names), bool))
        lines.append([solver, share_of(made), *numbers_of(made)])

    for experiment in PORTFOLIOS:
        found = solve_in_stages(data, list_stages(experiment), deals)
        add(f"five champions of `{experiment}`, one after the other", None if found is None else found[0])
    add(*choose_pair(data, deals))
    for title, those, stages in (("", data, SCHEDULE), (", fewer moves", fewer, FEWER)):
        found, champions = solve_in_stages(those, stages, deals), {stage[:2] for stage in stages}
        add(f"schedule of {len(champions)} of these ten champions{title}", None if found is None else found[0])
    wanted = Asked(FC_SOLVE, CHECKED, tuple(names.tolist()))
    add("fc-solve 5.0.0, `-l lg`", data.searched(wanted, FC_SOLVE))
    return table(["solver", "solved (95 %)", "nodes, mean", "expanded, mean", "median", "moves"], lines)


def beside(data: Searches, fewer: Searches, deals: str = ALL) -> str:
    """Return both schedules beside fc-solve on the same deals, with differences in pairs of deals; see `everything`."""
    some = suites.instances(FreeCell(), deals, "suite")
    wanted = Asked(FC_SOLVE, CHECKED, tuple(some.names))
    other = data.searched(wanted, FC_SOLVE)
    schedules = {"": solve_in_stages(data, SCHEDULE, deals), ", fewer moves": solve_in_stages(fewer, FEWER, deals)}
    lines = []
    for title, column in (("positions expanded", "expanded"), ("positions generated", "nodes")):
        for how, ours in schedules.items():
            if ours is None or other is None:
                continue
            found, by_other = getattr(ours[0], column), getattr(other, column)
            share = f"{100 * (found < by_other).mean():.1f} %"
            means = [mean_of(one.tolist()) for one in (found, by_other, found - by_other)]
            worst = [f"{100 * share_of_worst(one):.0f} %" for one in (found, by_other)]
            lines.append([title + how, *means, share, *worst])
    header = ["a deal", "schedule (95 %)", "fc-solve (95 %)", "difference (95 %)", "deals with fewer than fc-solve"]
    return table([*header, "the worst 1 % of the deals have of all", "of fc-solve's"], lines) if lines else NONE


def share_of_worst(costs: np.ndarray) -> float:
    """Return which share of all costs (int64[N]) the hundredth of the instances has that costs most."""
    return float(np.sort(costs)[-max(1, len(costs) // 100) :].sum() / costs.sum())


def choose_pair(data: Searches, deals: str = ALL) -> tuple[str, Searched | None]:
    """Return the pair of champions that expands the fewest positions for the deals for training, with a title."""
    some = suites.instances(FreeCell(), deals, "suite")
    found = every_pair(data, deals)
    if not found:
        return "", None
    best = min(found, key=lambda seed: float(found[seed].expanded[~some.test].mean()))
    return f"champions of `{COUNTS}` and `{HARD}` in turn, seed {best}", found[best]


@cache
def searches(data: Data) -> Searches:
    """Return the searches of the data."""
    names = ("deals", "all", "counts", "schedule", "policy", "short", "fc_solve")
    return Searches((data[f"freecell_{name}"] for name in names), data["freecell_runs"])


@cache
def searches_of_fewer(data: Data) -> Searches:
    """Return the searches of the data that try fewer moves, by champions of which others try all."""
    return Searches((data["freecell_fewer"],), data["freecell_runs"])


@cache
def searches_in_turn(data: Data, name: str, whole: bool) -> Searches:
    """Return the searches of a file that try fewer moves, `whole`, or of the last stages, which try all."""
    rows = [row for row in data[name] if ("moves=whole" in row["program"].split()) == whole]
    return Searches((rows,), data["freecell_runs"])


def fewer_in_turn(data: Data, name: str, turns: Sequence[tuple[str, int]]) -> str:
    """Return the table of `pairs` of a file of searches that try fewer moves, but for the last stage."""
    return pairs(searches_in_turn(data, name, True), ALL, searches_in_turn(data, name, False), turns)


def chooser(data: Data) -> str:
    """Return what programs that name the champion of a deal expand, run by run, beside the best champion."""
    counted = ("chosen", "single", "oracle", "difference", "low", "high")
    return listing(
        [row | {name: f"{float(row[name]):.1f}" for name in counted} for row in data["freecell_chooser"]],
        {
            "seed": "{seed}",
            "deals": lambda row: f"{int(row['deals']):,}",
            "named by the program": "{chosen}",
            "the best champion alone": "{single}",
            "difference (95 %)": "{difference} ({low} to {high})",
            "the best for each deal": "{oracle}",
            "champions named": "{named}",
            "nodes": "{size}",
        },
    )


TABLES: Makers = {
    "freecell_chooser": chooser,
    "freecell_orders": lambda data: orders(searches(data)),
    "freecell_portfolio": lambda data: portfolio(searches(data), list_stages(EXPERIMENT)),
    "freecell_everything": lambda data: everything(searches(data), searches_of_fewer(data)),
    "freecell_counts": lambda data: pairs(searches(data)),
    "freecell_fewer_pairs": lambda data: fewer_in_turn(data, "freecell_pairs", FEWER_PAIR),
    "freecell_three": lambda data: fewer_in_turn(data, "freecell_three", THREE),
    "freecell_policy": lambda data: portfolio(searches(data), list_stages("freecell_policy")),
    "freecell_schedule": lambda data: portfolio(searches(data), SCHEDULE),
    "freecell_fewer": lambda data: portfolio(searches_of_fewer(data), FEWER),
    "freecell_beside": lambda data: beside(searches(data), searches_of_fewer(data)),
    "freecell_evolving": lambda data: evolving(searches(data)),
}
