"""The options of `analysis=program`, `searches`, `portfolio` and `schedule`. Imports no JAX, as all options."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from jaxgp.config.games import OF_CHAMPIONS, SPLITS
from jaxgp.errors import UsageError, reject
from jaxgp.options import DEEPEST, MAX_CORES, MAX_COUNT, MAX_LANES, MAX_SEED, option

ANATOMY = "anatomy"
"""The directory for results, beside the champion."""
SEARCHES = "searches"
"""The directory for results of `analysis=searches`, beside the champion."""
COSTS = ("expanded", "nodes")
"""What a search costs."""
MOST_POSITIONS = 100_000
"""Every node has a value for each of them: gigabytes, for programs of thousands of nodes."""


@dataclass
class AnatomyOptions:
    """What a champion that is a program consists of: introns, use of primitives, a simpler program."""

    analysis: str = option(
        "program", "what to do; program: introns of a champion, its use of primitives, and a simpler equal"
    )
    run: str | None = option(None, "a run directory with a champion.json, such a file, or FILE.jsonl#SEED", path=True)
    game: dict[str, Any] = option({"name": None}, OF_CHAMPIONS)
    positions: int = option(
        10_000,
        "at which introns are looked for; the simpler program is checked at as many others",
        low=1,
        high=MOST_POSITIONS,
    )
    depth: int | None = option(
        None,
        "plies of a champion that searches, where its moves are compared; null: those that it was evolved with",
        low=1,
        high=DEEPEST,
    )
    seed: int = option(0, "of the games that the positions are from, and of replacements", low=0, high=MAX_SEED)
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    output: str | None = option(None, "directory for results; null: anatomy, beside the champion", path=True)


@dataclass
class SearchesOptions:
    """What the searches of a puzzle's champion do: nodes beside the reference search, and which rule fires when."""

    analysis: str = option("searches", "what to do; searches: nodes of a puzzle's champion, and when its rules fire")
    run: str | None = option(None, "a run directory with a champion.json, such a file, or FILE.jsonl#SEED", path=True)
    game: dict[str, Any] = option({"name": None}, OF_CHAMPIONS)
    suite: str | None = option(None, "a suite of the game, or a file of instances; null: all suites of the game")
    split: str = option("test", "test: the instances that no evolution may see; train: the others", SPLITS)
    limit: int | None = option(
        None, "nodes at which a search gives up; null: those of the champion's role", low=2, high=MAX_COUNT
    )
    left_out: bool = option(False, "whether to search without each heuristic of a champion of weights, too")
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    output: str | None = option(None, "directory for results; null: searches, beside the champion", path=True)


@dataclass
class SeveralOptions:
    """Several champions of a puzzle, and the instances that they search."""

    analysis: str = option("portfolio", "what to do")
    runs: list[str] = option([], "run directories with a champion.json, or such files, in their order")
    game: dict[str, Any] = option({"name": None}, OF_CHAMPIONS)
    limits: list[int] = option([10_000, 200_000], "nodes at which searches give up", low=2, high=MAX_COUNT)
    suite: str | None = option(None, "a suite of the game, or a file of instances; null: all suites of the game")
    split: str = option("test", "test: the instances that no evolution may see; train: the others", SPLITS)
    batch: int = option(
        256, "instances that are searched at once; what is found does not depend on it", low=1, high=MAX_LANES
    )
    instances: str | None = option(
        None,
        "a CSV file that gets a row for each search of an instance; with it the same command goes on where it was "
        "stopped; null: none",
        path=True,
    )
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    output: str = option("outputs/analysis/portfolio", "directory for results", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse no champions, or limits out of order; raises UsageError."""
        if not self.runs:
            raise UsageError(f"{prefix}runs: which champions? Write runs=[DIR,...], run directories")
        if not self.limits or any(low >= high for low, high in pairwise(self.limits)):
            reject(f"{prefix}limits", self.limits, "at least one number, in ascending order")


@dataclass
class PortfolioOptions(SeveralOptions):
    """What several champions of a puzzle solve one after the other: each gets what those before it did not solve."""

    analysis: str = option(
        "portfolio", "what to do; portfolio: champions of a puzzle, each for what those before it did not solve"
    )
    limits: list[int] = option(
        [10_000, 200_000],
        "nodes at which searches give up, ascending: all champions try with the first, then with the second, and so on",
        low=2,
        high=MAX_COUNT,
    )
    in_turn: bool = option(
        False,
        "each champion tries once, with the limit in its place, in any order; a champion may be there several times",
    )

    def laws(self, prefix: str) -> None:
        """Refuse a portfolio without champions or with limits out of order; raises UsageError."""
        if not self.in_turn or not self.runs:
            super().laws(prefix)
        elif len(self.limits) != len(self.runs):
            reject(f"{prefix}limits", self.limits, f"{len(self.runs)} numbers, one for each of the runs, with in_turn")


@dataclass
class ScheduleOptions(SeveralOptions):
    """In which order champions of a puzzle are to search, and with which limits, so that instances cost least."""

    analysis: str = option(
        "schedule", "what to do; schedule: the order and the limits of champions of a puzzle that cost least"
    )
    limits: list[int] = option(
        [1_000, 2_000, 4_000, 8_000],
        "nodes at which searches may give up, ascending; every champion searches with each of them",
        low=2,
        high=MAX_COUNT,
    )
    split: str = option(
        "train", "which instances choose the schedule; test: those that no evolution may see; train: the others", SPLITS
    )
    cost: str = option("expanded", "what counts: nodes that a search comes to, or those whose moves it lists", COSTS)
    missed: int = option(
        10_000, "what an instance costs that no stage solves, above its searches", low=1, high=MAX_COUNT
    )
    stages: int = option(12, "the most searches of an instance", low=1, high=MAX_LANES)
    output: str = option("outputs/analysis/schedule", "directory for results", path=True)
