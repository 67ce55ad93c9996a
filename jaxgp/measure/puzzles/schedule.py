"""The order of champions of a puzzle, and the limits of their searches, by which instances cost least on average.

A stage is a champion with a limit. A schedule is a sequence of stages, each for what those before it have not solved.
The costs of the stages of an instance add up, those in vain too. The best schedule is hard to find, but the greedy one
costs at most four times as much: the next stage is the one that solves most for what it costs (M. Streeter,
D. Golovin, S. Smith, "Combining multiple heuristics online", AAAI 2007). Then stages are put in, left out, replaced
and exchanged as long as that saves something.

Searches are deterministic. So what a schedule costs follows from what each stage finds alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from jaxgp.errors import reject
from jaxgp.measure.puzzles.instances import Searched
from jaxgp.measure.puzzles.portfolio import Stage, combine_stages
from jaxgp.printable import one_line

Cost = Literal["expanded", "nodes"]

Plan = tuple[int, ...]
"""Places of stages, in the order in which they search."""


@dataclass(frozen=True)
class Trials:
    """What each of S stages finds alone for each of N instances.

    Attributes:
        solved: bool[S, N].
        cost: int64[S, N], nodes, also where nothing was found.
        missed: what an instance costs that no stage solves, above what its searches cost.
    """

    solved: np.ndarray
    cost: np.ndarray
    missed: float

    def mean_cost(self, plan: Sequence[int]) -> float:
        """Return the mean cost of an instance by a schedule."""
        left, spent = np.ones(self.solved.shape[1], bool), 0
        for stage in plan:
            spent += int(self.cost[stage, left].sum())
            left = left & ~self.solved[stage]
        return (spent + self.missed * int(left.sum())) / len(left)


@dataclass(frozen=True)
class Schedule:
    """The champions that search one after the other, and what they find.

    Attributes:
        runs: the champion of each stage.
        limits: nodes at which it gives up.
        instances: N, those that chose the schedule.
        solved: how many of them it solves.
        nodes: mean nodes of an instance, those of all stages.
        expanded: mean nodes whose moves were listed; None if a search does not count them.
        missed: what counted for an instance that no stage solves, above its searches.
    """

    runs: list[str]
    limits: list[int]
    instances: int
    solved: int
    nodes: float
    expanded: float | None
    missed: float


def find_schedule(plan: Sequence[Stage], alone: Sequence[Searched], cost: Cost, missed: float, most: int) -> Schedule:
    """Return the best schedule that was found for N instances.

    Args:
        plan: the stages that may be in it.
        alone: what each of them finds for all instances, [N] each.
        cost: what counts.
        missed: what an instance costs that no stage solves, above its searches.
        most: stages of a schedule, at most.

    Raises:
        UsageError: nodes expanded are to count, and a search does not count them.
    """
    costs = np.array([getattr(one, cost) for one in alone])
    if (costs < 0).any():
        reject("cost", cost, "nodes, since these champions do not count nodes expanded")
    chosen = choose_schedule(Trials(np.array([one.solved for one in alone]), costs, missed), most)
    number = costs.shape[1]
    found = combine_stages(number, (alone[at].take for at in chosen))
    opened = None if (found.expanded < 0).any() else float(found.expanded.mean())
    runs, limits = [plan[at].name for at in chosen], [plan[at].limit for at in chosen]
    return Schedule(runs, limits, number, int(found.solved.sum()), float(found.nodes.mean()), opened, missed)


def lines(made: Schedule) -> Iterator[str]:
    """Say which schedule it is, what it finds, and which options make a portfolio of it."""
    for run, limit in zip(made.runs, made.limits, strict=True):
        yield f"{one_line(run)}, {limit:,} nodes at most"
    opened = "" if made.expanded is None else f", {made.expanded:,.1f} expanded"
    yield f"together: {made.solved:,} of {made.instances:,} solved, {made.nodes:,.1f} nodes on average{opened}"
    runs, limits = ",".join(map(one_line, made.runs)), ",".join(map(str, made.limits))
    yield f"analysis=portfolio in_turn=true runs=[{runs}] limits=[{limits}]"


def choose_schedule(trials: Trials, most: int) -> Plan:
    """Return a schedule of at most `most` stages that no single change makes cheaper."""
    plan = _build_greedily(trials, most)
    least = trials.mean_cost(plan)
    while True:
        costs = {other: trials.mean_cost(other) for other in _list_changes(plan, len(trials.solved), most)}
        best = min(costs, key=lambda other: costs[other], default=plan)
        if costs.get(best, least) >= least:
            return plan
        plan, least = best, costs[best]


def _build_greedily(trials: Trials, most: int) -> Plan:
    """Return the schedule whose next stage is the one that solves most for its cost, as long as that is worth it."""
    plan: Plan = ()
    left = np.ones(trials.solved.shape[1], bool)
    while len(plan) < most and left.any():
        solved = (trials.solved & left).sum(1)
        cost = np.maximum((trials.cost * left).sum(1), 1)
        stage = int(np.argmax(solved / cost))
        if solved[stage] * trials.missed <= cost[stage]:
            break
        plan = (*plan, stage)
        left = left & ~trials.solved[stage]
    return plan


def _list_changes(plan: Plan, stages: int, most: int) -> Iterator[Plan]:
    """Return the schedules that differ from one by one stage, or by two that are exchanged."""
    for at in range(len(plan)):
        yield plan[:at] + plan[at + 1 :]
        for other in range(at + 1, len(plan)):
            yield (*plan[:at], plan[other], *plan[at + 1 : other], plan[at], *plan[other + 1 :])
        for stage in range(stages):
            yield (*plan[:at], stage, *plan[at + 1 :])
    if len(plan) < most:
        for at in range(len(plan) + 1):
            for stage in range(stages):
                yield (*plan[:at], stage, *plan[at:])
