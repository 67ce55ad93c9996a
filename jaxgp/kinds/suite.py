"""Fitness on instances of a puzzle: the share of nodes that a search saves; instances that were set apart measure."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jaxgp import options
from jaxgp.errors import reject
from jaxgp.evolution.options import GPOptions
from jaxgp.kinds import AnyAlgorithm, RefereedFitnessOptions, Rows, Seated, few
from jaxgp.operators.options import CreationOptions, CrossoverOptions, MutationOptions
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_POPULATION, option

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.evolution.pair import Pair
    from jaxgp.evolution.ring import Ring
    from jaxgp.games.casting import Cast

MAX_FACTOR = 1000


@dataclass
class ProblemsOptions:
    """A second population: sets of instances; a set is the fitter, the more nodes it costs its solvers."""

    population: int = option(
        0, "sets of instances; 0: none, each generation draws its instances at random", low=0, high=MAX_POPULATION
    )
    met: int = option(2, "sets that an individual meets in a generation, drawn at random", low=1, high=MAX_GAMES)
    every: int = option(5, "generations from one change of the sets to the next", low=1, high=MAX_COUNT)
    elites: int = option(1, "how many of the best sets survive unchanged", low=0, high=MAX_POPULATION)
    crossover: float = option(0.7, "the share of children that are made by one-point crossover", low=0, high=1)
    mutation: float = option(0.1, "the share of children that are mutated; the others are copies", low=0, high=1)
    gene_probability: float = option(
        0.1, "mutation: the chance of each instance to be replaced by a random one", low=0, high=1
    )
    unsolved: int | None = option(
        None,
        "nodes that an instance counts with if nobody who met it solved it; null: those that were visited",
        low=1,
        high=MAX_COUNT,
    )

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if self.population:
            for name in ("met", "elites"):
                options.bound(self, name, prefix, high=self.population, why=prefix + "population")
        rest = round(1 - self.crossover, 9)
        if self.mutation > rest:
            reject(prefix + "mutation", self.mutation, f"a number from 0 to {rest:g}, as crossover and it add up to 1")


@dataclass
class SuiteFitnessOptions(RefereedFitnessOptions):
    """The share of nodes saved against the reference search, on instances that each generation draws from a suite.

    The reference search is the one without individuals: blind search, or that by a fixed heuristic.
    """

    kind: str = option("suite", "instances of a puzzle, which searches solve", ("suite",))
    boards: int = option(
        10,
        "instances a generation, without replacement, shared by all individuals; with problems, split evenly over the "
        "sets that an individual draws",
        low=1,
        high=MAX_GAMES,
    )
    instances: str | None = option(
        None, "a suite of the game, or a file of instances; null: the first suite of the game"
    )
    validation: int = option(
        10, "instances set apart for the measure that names the champion; none of them is drawn", low=1, high=MAX_GAMES
    )
    validation_instances: str | None = option(
        None, "a suite of the game, or a file, whose training instances these are; null: that of `instances`"
    )
    validation_limit: int | None = option(
        None, "the most nodes of a search of these; null: `limit`", low=1, high=MAX_COUNT
    )
    first: int = option(
        0,
        "how many individuals, the first ones of a population, are measured by the instances set apart, beside the "
        "fittest: the first one is the mean of the distribution with algorithm=cma, otherwise the elites are first",
        low=0,
        high=MAX_POPULATION,
    )
    factor: float = option(
        1.0,
        "the most nodes that an individual may visit, as a multiple of those of the reference search; beyond them the "
        "instance counts as unsolved",
        low=0,
        high=MAX_FACTOR,
        above=True,
    )
    limit: int = option(
        10_000, "the most nodes that an individual may visit, whatever the reference search took", low=1, high=MAX_COUNT
    )
    reference: int | None = option(
        None,
        "nodes at which the reference search gives up; null: those of the role; 0: there is none, and every instance "
        "counts with `unsolved`",
        low=0,
        high=MAX_COUNT,
    )
    unsolved: int | None = option(
        None,
        "nodes that the reference search counts with where it finds no solution; null: those it visited",
        low=1,
        high=MAX_COUNT,
    )
    score: str = option(
        "share",
        "the score of a solution: the share of the nodes of the reference search that it saves (share), or the share "
        "of their logarithm (log), by which one instance that takes very many nodes does not outweigh all others; or "
        "the logarithm of the ratio of both (ratio), whose mean is that of a geometric mean of ratios",
        ("share", "log", "ratio"),
    )
    cost: str = option(
        "nodes",
        "what the score counts: nodes that a search comes to, or those whose moves it lists (expanded), as other "
        "programs count; limits are of nodes all the same",
        ("nodes", "expanded"),
    )
    partial: float = option(
        0.0,
        "score of a solution with as many nodes as the reference search has; it falls to 0 with twice as many, which "
        "only a factor above 1 allows",
        low=0,
        high=1,
    )
    problems: ProblemsOptions = option(ProblemsOptions(), "a second population, of sets of instances")

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if self.reference == 0 and self.unsolved is None:
            reject(prefix + "unsolved", None, f"a whole number from 1 with {prefix}reference=0")
        sets, met = self.problems.population, self.problems.met
        if sets and self.cost != "nodes":
            reject(prefix + "cost", self.cost, f"nodes with {prefix}problems.population above 0")
        if sets and (self.boards % met or self.boards < 2 * met):
            above = max(2, -(-self.boards // met)) * met
            accepted = f"a multiple of {prefix}problems.met={met} from {2 * met} on, such as {above}"
            reject(prefix + "boards", self.boards, f"{accepted}; each set has boards / met")

    def suits(self, algorithm: AnyAlgorithm) -> None:
        """Refuse to measure more than there are, and selection that compares instances where these differ."""
        super().suits(algorithm)
        few(self, "first", algorithm)
        if self.problems.population and isinstance(algorithm, GPOptions):
            for name in ("by_case", "sharing"):
                if value := getattr(algorithm.selection, name):
                    why = "individuals meet different instances where fitness.problems.population is above 0"
                    reject(f"algorithm.selection.{name}", value, f"0; {why}")

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether individuals guide searches that solve a puzzle."""
        from jaxgp.contracts import Solver

        del algorithm
        return isinstance(cast.actor, Solver)

    def check(self, config: "Config", cast: "Cast") -> None:
        """Check that there is a suite with enough instances; raises UsageError."""
        number = _count_training("fitness.instances", self.instances, cast)
        if number < 2:
            accepted = f"a suite with at least 2 instances for training; this has {number}"
            reject("fitness.instances", self.instances, accepted)
        left, less = self._left(number, cast)
        if self.cost == "expanded" and not cast.actor.counts_expanded:
            reject("fitness.cost", self.cost, f"nodes with program.search={cast.program.get('search')}")
        if self.boards > left:
            reject("fitness.boards", self.boards, f"a whole number from 1 to {left}; {number} instances{less}")

    def _left(self, number: int, cast: "Cast") -> tuple[int, str]:
        """Check the instances set apart; return how many of `number` are left to be drawn, and why, for messages."""
        other = self.validation_instances
        if other is None:
            if self.validation >= number:
                why = f"the suite has {number} instances for training and validation"
                reject("fitness.validation", self.validation, f"a whole number from 1 to {number - 1}; {why}")
            return number - self.validation, f" less {self.validation} for validation"
        there = _count_training("fitness.validation_instances", other, cast)
        if self.validation > there:
            why = f"{other} has {there} instances for training"
            reject("fitness.validation", self.validation, f"a whole number from 1 to {there}; {why}")
        return number, ""

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness with its referee; test instances of the suite take no part."""
        import numpy as np

        from jaxgp.arrays import take
        from jaxgp.fitness.puzzles.meetings import SolverFitness
        from jaxgp.fitness.puzzles.suite import SuiteFitness, apart, instances
        from jaxgp.fitness.refereed import Refereed

        found = instances("fitness.instances", self.instances, cast)
        known = np.flatnonzero(~found.test)
        others = found
        if self.validation_instances is not None:
            others = instances("fitness.validation_instances", self.validation_instances, cast)
        free = np.flatnonzero(~others.test)
        aside = free[apart(len(free), self.validation)]
        drawn = np.setdiff1d(known, aside) if others is found else known
        training = SuiteFitness(
            cast.actor,
            take(found.states, drawn),
            boards=self.boards,
            factor=self.factor,
            limit=self.limit,
            reference=self.reference,
            unsolved=self.unsolved,
            score=self.score,
            by_expanded=self.cost == "expanded",
            partial=self.partial,
            scale=self.scale,
            parsimony=self.parsimony,
            minimum=self.minimum,
        )
        referee = replace(training, instances=take(others.states, aside), limit=self.validation_limit or self.limit)
        own = SolverFitness(training, self.problems.met) if self.problems.population else training
        return Refereed(own, referee, self.measured, self.first)

    def around(self, ring: "Ring") -> "Ring | Pair":
        """Return the ring, or a pair of it and the ring of the problems that individuals meet."""
        asked = self.problems
        if not asked.population:
            return ring
        from jaxgp.evolution.generational import Generational
        from jaxgp.evolution.pair import Pair, problem_set
        from jaxgp.evolution.ring import Ring
        from jaxgp.fitness.puzzles.meetings import ProblemFitness, SolverFitness
        from jaxgp.fitness.refereed import Refereed

        assert isinstance(ring.fitness, Refereed)
        assert isinstance(ring.fitness.fitness, SolverFitness)
        breeding = GPOptions(
            population=asked.population,
            elites=asked.elites,
            capacity=1,
            creation=CreationOptions(max_depth=1),
            crossover=CrossoverOptions(asked.crossover, "two_children", subtree=0.0, one_point=1.0),
            mutation=MutationOptions(
                asked.mutation, children=0.0, genes=1.0, gene_probability=asked.gene_probability, exclusive=True
            ),
        )
        language = problem_set(ring.fitness.fitness.suite.number, self.boards // asked.met)
        problems = Ring(ProblemFitness(asked.unsolved), Generational(language, breeding))
        return Pair(ring, problems, asked.every)

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        return f"solve {game} with few nodes of a search"

    def rows(self, config: "Config") -> Rows:
        """Return the formula, the second population, the limits, and the measure that names the champion."""
        cost = {"nodes": "nodes", "expanded": "nodes expanded"}[self.cost]
        against = most_of = f"{self.unsolved} nodes"
        if self.reference != 0:
            against, most_of = "the reference search", "those of the reference search"
        measure = {
            "share": f"share of {cost} saved against {against}",
            "log": f"share of the logarithm of {cost} saved against {against}",
            "ratio": f"logarithm of how many times fewer {cost} than {against}",
        }[self.score]
        worth = self.formula(f"mean {measure}")
        little = f"; a solution that saves nothing scores up to {self.partial:g}" if self.partial else ""
        drawn, second = f"{self.boards} instances drawn in each generation", self._second()
        if second:
            drawn = f"the instances of {self.problems.met} sets that each individual draws"
        most = "" if self.factor == 1 else f"{self.factor:g} times "
        gives_up = "" if self.reference is None else f" of {self.reference} nodes"
        failed = ""
        if self.unsolved is not None and self.reference != 0:
            failed = f"; where this{gives_up} finds no solution it counts with {self.unsolved} nodes"
        first = f" and first {self.first}" if self.first else ""
        return [
            ("fitness", f"{worth}{little}; {drawn}"),
            *second,
            ("most nodes of a search", f"{most}{most_of}, at most {self.limit}{failed}"),
            ("suite", self.instances or "the first of the game"),
            (
                f"{self.fittest()}{first} of each generation measured by",
                self._measuring(),
            ),
            ("champion", "the best of these"),
        ]

    def _measuring(self) -> str:
        """Say what measures the fittest."""
        where = "" if self.validation_instances is None else f" of {self.validation_instances}"
        most = "" if self.validation_limit is None else f", at most {self.validation_limit} nodes each"
        return f"{self.validation} instances{where} that are never drawn{most}"

    def _second(self) -> Rows:
        """Return the rows of the second population; none if there is none."""
        asked = self.problems
        if not asked.population:
            return []
        size = self.boards // asked.met
        shares = [
            f"{round(100 * one, 6):g} percent" for one in (asked.crossover, asked.mutation, asked.gene_probability)
        ]
        return [
            ("second population", f"{asked.population} sets of {size} instances, each as fit as they are hard"),
            (
                "breeding of sets",
                f"every {asked.every} generations; one-point crossover {shares[0]}, mutation {shares[1]}, of each "
                f"instance {shares[2]}, elites {asked.elites}",
            ),
        ]


def _count_training(option: str, name: str | None, cast: "Cast") -> int:
    """Return how many instances of a suite are for training; raises UsageError where it cannot be used."""
    from jaxgp.fitness.puzzles.suite import instances

    return int((~instances(option, name, cast).test).sum())
