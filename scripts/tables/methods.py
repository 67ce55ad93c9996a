"""The tables of docs/methods.md: what champions are worth at the end of a budget, and how methods rank."""

from collections.abc import Callable
from functools import partial

from jaxgp.report.generated import figure, table
from jaxgp.statistics.exact import mean
from jaxgp.statistics.verdicts import holm
from studies.methods.ranks import Run, by_cell, last, rank
from studies.methods.tasks import METHODS, TASKS
from tables.shared.cells import effect, mean_of, p_value
from tables.shared.data import Data, Makers

BASELINE = "random_search"
Pick = Callable[[list[int]], int]
"""Which of the budgets of the table."""


def budget_of(data: Data, pick: Pick) -> int:
    """Return one of the budgets of the table."""
    return pick([int(row["budget"]) for row in data["methods"]])


def cells_of(data: Data, pick: Pick) -> dict[tuple[str, str], list[Run]]:
    """Return the runs of each task and method with one of the budgets."""
    return by_cell(data["methods"], budget_of(data, pick))


def first_ones(data: Data, budget: int, task: str) -> str:
    """Return how many champions of methods that breed are of generation 0 when the budget ends: these runs failed."""
    ended = [
        int(row["generation"])
        for row in data["methods"]
        if (row["task"], row["budget"], row["evaluations"]) == (task, str(budget), str(budget))
        and row["method"] != BASELINE
    ]
    return f"{ended.count(0)} of {len(ended)}"


def final(pick: Pick, data: Data) -> str:
    """Return a line for each task: the mean of each method over its runs, the greatest bold."""
    cells = cells_of(data, pick)
    methods = [name for name in METHODS if any(method == name for _, method in cells)]
    lines = []
    for task in (name for name in TASKS if any(of == name for of, _ in cells)):
        scores = {method: last(runs) for (of, method), runs in cells.items() if of == task}
        best = max(mean(values) for values in scores.values())
        digits = 3 if abs(best) < 10 else 1
        written = [mean_of(scores[one], digits) if one in scores else "" for one in methods]
        bold = [
            f"**{text}**" if one in scores and mean(scores[one]) == best else text
            for one, text in zip(methods, written, strict=True)
        ]
        failed = first_ones(data, budget_of(data, pick), task)
        lines.append([task, str(max(map(len, scores.values()))), *bold, failed])
    return table(["task", "runs", *(f"`{name}`" for name in methods), "champions of generation 0"], lines)


def beside(pick: Pick, data: Data) -> str:
    """Return a line for each task and method: A12 beside random search, and p after Holm over all lines."""
    from jaxgp.statistics.comparison import compare

    cells = cells_of(data, pick)
    pairs = [(task, method) for task, method in cells if method != BASELINE and (task, BASELINE) in cells]
    found = [
        compare("score", (method, last(cells[task, method])), (BASELINE, last(cells[task, BASELINE])))
        for task, method in pairs
    ]
    corrected = holm([one.p for one in found])
    lines = [
        [task, f"`{method}`", effect(one.a12), p_value(p)]
        for (task, method), one, p in zip(pairs, found, corrected, strict=True)
    ]
    return table(["task", "method", "A12 beside random search (95 %)", "p, Holm"], lines)


def ranks(pick: Pick, data: Data) -> str:
    """Return a line for each method that all tasks of programs have, by its mean rank."""
    found = rank(cells_of(data, pick))
    if found is None:
        return "There are too few tasks."
    lines = [[f"`{name}`", f"{value:.2f}"] for name, value in sorted(found.ranks.items(), key=lambda one: one[1])]
    said = (
        f"{found.tasks} tasks; Friedman's test: p = {p_value(found.p)}; methods whose mean ranks are "
        f"{figure(found.difference, '.2f')} apart differ at 5 % (Nemenyi)."
    )
    return f"{table(['method', 'mean rank'], lines)}\n\n{said}"


def methods(data: Data) -> str:
    """Return what each method is."""
    del data
    return table(["method", "what it is"], [[f"`{name}`", one.says] for name, one in METHODS.items()])


def tasks(data: Data) -> str:
    """Return what is measured in each task."""
    del data
    return table(["task", "measured"], [[f"`{name}`", one.says] for name, one in TASKS.items()])


TABLES: Makers = {
    "methods": methods,
    "methods_tasks": tasks,
    "methods_final": partial(final, min),
    "methods_ranks": partial(ranks, min),
    "methods_beside": partial(beside, min),
    "methods_more": partial(final, max),
    "methods_more_beside": partial(beside, max),
}
