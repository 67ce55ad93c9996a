"""Options of the operators: random genomes, selection, crossover and mutation. Importing this does not import JAX."""

from dataclasses import dataclass
from typing import Protocol

from jaxgp.errors import reject
from jaxgp.options import MAX_POWER, MAX_WEIGHT, Checked, any_of, bound, list_options, option

MAX_CAPACITY = 32767
"""Subtree sizes are stored as int16."""
MAX_DEPTH = 1000
"""A bound on every depth of trees, far above any useful value."""
MAX_SHARING = 4
"""To this power a count of a hundred million is still a float32."""
MAX_DRAWN = 10_000
"""Individuals of one tournament: as many indices for every child."""


@dataclass
class CreationOptions(Checked):
    """Random programs of the first generation."""

    method: str = option("grow", "ramped: half-and-half over min_depth..max_depth", ("full", "grow", "ramped"))
    min_depth: int = option(2, "ramped: the least depth limit of the ramp", low=0, high=MAX_DEPTH)
    max_depth: int = option(16, "edges from the root to the deepest node", low=1, high=MAX_DEPTH)
    terminal_probability: float | None = option(
        None, "grow: chance of a terminal at each node; null: all primitives by weight", low=0, high=1
    )

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if self.method == "ramped":
            bound(self, "min_depth", prefix, high=self.max_depth, why=prefix + "max_depth")


@dataclass
class SelectionOptions(Checked):
    """How parents are drawn."""

    method: str = option("roulette", "how they are drawn by fitness", ("roulette", "rank", "tournament", "truncation"))
    tournament_size: int = option(
        7, "tournament: individuals drawn; the fittest becomes a parent", low=1, high=MAX_DRAWN
    )
    distinct: bool = option(False, "tournament: those drawn are different individuals; false: drawn with replacement")
    rank_pressure: float = option(2.0, "rank: expected copies of the best under linear ranking", low=1, high=2)
    truncation_fraction: float = option(
        0.5, "truncation: the share of the population that is kept", low=0, high=1, above=True
    )
    power: float = option(
        1.0, "fitness ** power is what is shared and, by roulette, drawn by", low=0, high=MAX_POWER, above=True
    )
    sharing: float = option(
        0.0,
        "fitness sharing: fitness is divided by (individuals that behave alike) ** sharing; 0: none",
        low=0,
        high=MAX_SHARING,
    )
    sharing_memory: float = option(
        0.0,
        "each generation multiplies the behaviour counts of earlier ones by this; 0: no memory",
        low=0,
        high=1,
    )
    by_case: float = option(
        0.0,
        "the share of parents drawn by one case (one opponent from one seat) instead of the fitness",
        low=0,
        high=1,
    )


@dataclass
class CrossoverOptions(Checked):
    """Crossover of each selected parent, with this probability; the kind is drawn by weight."""

    probability: float = option(
        0.9, "chance that a parent takes part; the others are reproduced", low=0, high=1, label="crossover probability"
    )
    method: str = option(
        "one_child",
        "one_way: the less fit parent takes a subtree of the fitter; one_or_two_way: parents form pairs; if the first "
        "is at least as fit, it stays and the second takes a subtree of it, else they swap subtrees",
        ("one_child", "two_children", "one_way", "one_or_two_way"),
    )
    node_choice: str = option("uniform", "koza: a function with probability function_probability", ("uniform", "koza"))
    function_probability: float = option(0.9, "koza: the share of functions among the nodes chosen", low=0, high=1)
    subtree: float = option(1.0, "weight: subtrees are exchanged", low=0, high=MAX_WEIGHT, label="subtrees")
    rule: float = option(
        0.0, "weight: whole rules are exchanged, of individuals that have rules", low=0, high=MAX_WEIGHT, label="rules"
    )
    one_point: float = option(
        0.0,
        "weight: the trees from a random place on are exchanged, of individuals of several trees",
        low=0,
        high=MAX_WEIGHT,
        label="one point",
    )

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each kind."""
        return {"subtree": self.subtree, "rule": self.rule, "one_point": self.one_point}

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if self.probability > 0 and not any(self.weights.values()):
            accepted = f"0, or a weight above 0 for {any_of(*self.weights)}"
            reject(prefix + "probability", self.probability, accepted)


@dataclass
class MutationOptions(Checked):
    """Mutation of each child, with this probability; the kind is drawn by weight."""

    probability: float = option(0.005, "chance that a child is mutated", low=0, high=1, label="mutation probability")
    max_depth: int = option(20, "depth of newly grown subtrees", low=1, high=MAX_DEPTH, label="maximum mutation depth")
    children: float = option(
        1.0, "weight: the node stays, random arguments replace its own", low=0, high=MAX_WEIGHT, label="new arguments"
    )
    subtree: float = option(
        0.0, "weight: a random subtree replaces the node's own", low=0, high=MAX_WEIGHT, label="new subtree"
    )
    point: float = option(
        0.0,
        "weight: the node becomes another primitive of the same types",
        low=0,
        high=MAX_WEIGHT,
        label="other primitive",
    )
    insert: float = option(
        0.0,
        "weight: the node becomes an argument of a random function, the others are random",
        low=0,
        high=MAX_WEIGHT,
        label="function put above a node",
    )
    hoist: float = option(
        0.0,
        "weight: the whole tree is replaced by one of its subtrees",
        low=0,
        high=MAX_WEIGHT,
        label="subtree becomes the tree",
    )
    shrink: float = option(
        0.0, "weight: the node's subtree becomes a terminal", low=0, high=MAX_WEIGHT, label="subtree becomes a terminal"
    )
    constant: float = option(0.0, "weight: a constant is redrawn", low=0, high=MAX_WEIGHT, label="new constant")
    creep: float = option(
        0.0, "weight: a constant moves to a value next to it", low=0, high=MAX_WEIGHT, label="constant moved"
    )
    numeric: float = option(
        0.0,
        "weight: all real constants and factors of an individual move together, by steps of one random size",
        low=0,
        high=MAX_WEIGHT,
        label="all constants moved",
    )
    local: float = option(
        0.0,
        "weight: a node's factor moves a little; a node without a factor gets a random subtree",
        low=0,
        high=MAX_WEIGHT,
        label="factor moved",
    )
    rule: float = option(
        0.0,
        "weight: two rules of an individual that has rules change places",
        low=0,
        high=MAX_WEIGHT,
        label="rules change places",
    )
    genes: float = option(
        0.0,
        "weight: each tree is replaced by a random one with gene_probability",
        low=0,
        high=MAX_WEIGHT,
        label="random trees",
    )
    gene_probability: float = option(0.1, "genes: the chance of each tree", low=0, high=1)
    node_choice: str = option(
        "uniform", "children, subtree; koza: a function with probability function_probability", ("uniform", "koza")
    )
    function_probability: float = option(0.9, "koza: the share of functions among the nodes chosen", low=0, high=1)
    exclusive: bool = option(
        False, "whether crossed children are never mutated, so that the shares of both add up; false: independently"
    )

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each kind."""
        others = (
            *("probability", "max_depth", "gene_probability", "exclusive"),
            *("node_choice", "function_probability"),
        )
        return {one.name: getattr(self, one.name) for one in list_options(self) if one.name not in others}

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if self.probability > 0 and not any(self.weights.values()):
            accepted = f"0, or a weight above 0 for {any_of(*self.weights)}"
            reject(prefix + "probability", self.probability, accepted)


class Breeding(Protocol):
    """What the operators read of the options of genetic programming (`jaxgp.evolution.options.GPOptions`)."""

    elites: int
    max_depth: int | None
    creation: CreationOptions
    selection: SelectionOptions
    crossover: CrossoverOptions
    mutation: MutationOptions


@dataclass
class RuleCreationOptions(Checked):
    """Random rule lists, their number of rules uniform over min_rules..max_rules."""

    min_rules: int = option(5, "the least number of rules", low=0, high=MAX_CAPACITY)
    max_rules: int = option(50, "the greatest number of rules", low=0, high=MAX_CAPACITY)
    dont_care: float | None = option(
        None, 'chance that a condition is "don\'t care"; null: as likely as each other condition', low=0, high=1
    )

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        bound(self, "min_rules", prefix, high=self.max_rules, why=prefix + "max_rules")


@dataclass
class RuleMutationOptions(Checked):
    """How likely each kind of mutation is, relative to the others."""

    add: float = option(1.0, "weight: a random rule at a random place", low=0, high=MAX_WEIGHT, label="add")
    delete: float = option(1.0, "weight: a random rule goes", low=0, high=MAX_WEIGHT, label="delete")
    reorder: float = option(
        1.0, "weight: a random rule moves to another place", low=0, high=MAX_WEIGHT, label="re-order"
    )
    modify: float = option(
        1.0,
        "weight: a random rule gets another action, or another condition in one cell",
        low=0,
        high=MAX_WEIGHT,
        label="modify",
    )

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each kind."""
        return {one.name: getattr(self, one.name) for one in list_options(self)}

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if not any(self.weights.values()):
            reject(prefix + "add", self.add, f"a weight above 0 for {any_of(*self.weights)}")
