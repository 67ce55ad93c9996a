"""Options of the algorithms: genetic programming, and tournaments of groups. Importing this does not import JAX."""

from dataclasses import dataclass

from jaxgp.errors import reject
from jaxgp.operators.options import (
    MAX_CAPACITY,
    MAX_DEPTH,
    Creation,
    Crossover,
    Mutation,
    RuleCreation,
    RuleMutation,
    Selection,
)
from jaxgp.options import MAX_COUNT, MAX_POPULATION, MAX_WEIGHT, bound, changed, option

MIN_GROUPS = 4
"""Two parents are recombined and two others mutated."""
MAX_GROUP = 1000
"""Strategies of a group; every two of them play."""


@dataclass
class Algorithm:
    """Generational genetic programming."""

    kind: str = option("gp", "generational genetic programming", ("gp",))
    population: int = option(512, "individuals of a generation", low=1, high=MAX_POPULATION, label="population size")
    generations: int = option(
        150, "generations of the run", low=1, high=MAX_COUNT, label="maximum number of generations"
    )
    elites: int = option(
        1,
        "how many of the best individuals survive unchanged",
        low=0,
        high="population",
        why="the population",
        label="elitism",
    )
    capacity: int = option(
        512,
        "nodes that one tree can hold; longer offspring fall back to their parent",
        low=1,
        high=MAX_CAPACITY,
    )
    max_depth: int | None = option(
        None,
        "depth limit of offspring; null: none but the capacity",
        low=1,
        high=MAX_DEPTH,
        label="maximum depth of tree",
    )
    creation: Creation = option(Creation(), "random programs of the first generation")
    selection: Selection = option(Selection(), "how parents are drawn")
    crossover: Crossover = option(Crossover(), "subtree crossover of parents")
    mutation: Mutation = option(Mutation(), "mutation of children")

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if self.max_depth is not None:
            bound(self.creation, "max_depth", prefix + "creation.", high=self.max_depth, why=prefix + "max_depth")
        if self.mutation.exclusive:
            self._shares(prefix + "mutation.")
        if self.selection.distinct:
            why = f"the population, with {prefix}selection.distinct"
            bound(self.selection, "tournament_size", prefix + "selection.", high=self.population, why=why)

    def _shares(self, prefix: str) -> None:
        """Check that the shares of crossover and mutation, which exclude each other, leave a share of the rest."""
        if self.crossover.method == "one_or_two_way":
            # The share of children that it makes depends on the fitness of the pairs.
            reject(prefix + "exclusive", True, "false with crossover.method=one_or_two_way")
        rest = round(1 - self.crossover.probability, 9)
        if self.mutation.probability > rest:
            accepted = f"a number from 0 to {rest:g}, as crossover.probability and it exclude each other"
            reject(prefix + "probability", self.mutation.probability, accepted)


@dataclass
class Groups:
    """Evolution of rule lists: tournaments of disjoint groups; the winners become parents and stay."""

    kind: str = option("groups", "tournaments of disjoint groups", ("groups",))
    population: int = option(
        1000, "rule lists, a multiple of group_size", low=2 * MIN_GROUPS, high=MAX_POPULATION, label="population size"
    )
    generations: int = option(1000, "cycles of the run", low=1, high=MAX_COUNT, label="maximum number of generations")
    group_size: int = option(5, "strategies that play a tournament; its winner is a parent", low=2, high=MAX_GROUP)
    capacity: int = option(
        100,
        "rules that one list can hold; nothing is added to a full list",
        low=1,
        high=MAX_CAPACITY,
        label="maximum number of rules",
    )
    immigrants: int = option(
        100,
        "new random lists, each in place of a child; 0: none",
        low=0,
        high="children",
        why="the children of a cycle",
        label="immigrants",
    )
    immigrants_every: int = option(5, "cycles from one arrival of immigrants to the next", low=1, high=MAX_COUNT)
    restart_every: int = option(
        0,
        "cycles after which a new random population replaces the whole; 0: never",
        low=0,
        high=MAX_COUNT,
        label="restarts",
    )
    panel_weight: float = option(
        0.0,
        "tournament points for each point of fitness against the panel; 0: only parents play the panel",
        low=0,
        high=MAX_WEIGHT,
    )
    ties: str = option(
        "rules",
        "who wins a tournament at equal points; rules: the fewest rules, then a random draw; lot: a random draw",
        ("rules", "lot"),
    )
    stop: str = option(
        "beaten",
        "the aim of the run; beaten: a parent beats the first opponent in a double game; all_beaten: each one",
        ("beaten", "all_beaten", "never"),
    )
    creation: RuleCreation = option(RuleCreation(), "random rule lists")
    mutation: RuleMutation = option(RuleMutation(), "how children differ from their parents")

    @property
    def children(self) -> int:
        """How many of the population a cycle replaces."""
        return self.population - self.population // self.group_size

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        size = self.group_size
        if changed(self, ["group_size"]):
            high = self.population // MIN_GROUPS
            bound(self, "group_size", prefix, high=high, why=f"a quarter of {prefix}population={self.population}")
        bound(self, "population", prefix, low=MIN_GROUPS * size)
        if self.population % size:
            below = self.population // size * size
            near = f"a multiple of {prefix}group_size={size}, such as {max(below, MIN_GROUPS * size)} or {below + size}"
            reject(prefix + "population", self.population, near)
        bound(self.creation, "max_rules", prefix + "creation.", high=self.capacity, why=prefix + "capacity")
