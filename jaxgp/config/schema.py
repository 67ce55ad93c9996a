"""The configuration of a run, typed: every option that can be set, with its default and its meaning.

Hydra composes the values from `conf/`; `validate` checks them before anything is computed. Importing this module does
not import JAX, so a wrong option fails fast.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Creation:
    """Random programs of the first generation."""

    method: str = "grow"  # full | grow | ramped (half-and-half over min_depth..max_depth)
    min_depth: int = 2  # ramped only: the least depth limit of the ramp
    max_depth: int = 16  # edges from the root to the deepest node
    terminal_probability: float | None = None  # grow: chance of a terminal at each node; null: all primitives by weight


@dataclass
class Selection:
    """How parents are drawn."""

    method: str = "roulette"  # roulette | rank | tournament | truncation
    tournament_size: int = 7
    distinct: bool = False  # tournament: those drawn are different individuals; false: drawn with replacement
    rank_pressure: float = 2.0  # expected copies of the best under linear ranking, 1 to 2
    truncation_fraction: float = 0.5  # the share of the population that truncation keeps
    power: float = 1.0  # parents are drawn by fitness ** power
    sharing: float = 0.0  # fitness sharing: that is divided by (individuals that behave alike) ** sharing
    sharing_memory: float = (
        0.0  # how much of each generation's individuals still counts in the next generation's sharing
    )
    by_case: float = (
        0.0  # the share of parents drawn by one case (an opponent met from one seat) instead of the fitness
    )


@dataclass
class Crossover:
    """Subtree crossover of each selected parent, with this probability."""

    probability: float = 0.9
    # one_child | two_children | one_way (from the fitter to the less fit parent) | one_or_two_way (each parent in one
    # pair: one way from its first to its second where that is no fitter, and the first stays; else both ways)
    method: str = "one_child"
    node_choice: str = "uniform"  # uniform | koza (a function with probability function_probability)
    function_probability: float = 0.9


@dataclass
class Mutation:
    """Mutation of each child, with this probability, independent of crossover; the kind is drawn by weight."""

    probability: float = 0.005
    max_depth: int = 20  # depth of newly grown subtrees
    children: float = 1.0  # weight: the node stays, all its arguments are grown anew
    subtree: float = 0.0  # weight: the node's subtree is grown anew
    point: float = 0.0  # weight: the node becomes another primitive of the same types
    hoist: float = 0.0  # weight: the whole tree is replaced by one of its subtrees
    shrink: float = 0.0  # weight: the node's subtree becomes a terminal
    constant: float = 0.0  # weight: a constant is drawn anew
    creep: float = 0.0  # weight: a constant moves to a value next to it
    local: float = 0.0  # weight: the factor of a number moves a little, what is no number is grown anew (subtree)


@dataclass
class Algorithm:
    """Generational genetic programming."""

    kind: str = "gp"
    population: int = 512
    generations: int = 150
    elites: int = 1
    capacity: int = 512  # nodes that one tree can hold; longer offspring fall back to their parent
    max_depth: int | None = None  # depth limit of offspring; null: none but the capacity
    creation: Creation = field(default_factory=Creation)
    selection: Selection = field(default_factory=Selection)
    crossover: Crossover = field(default_factory=Crossover)
    mutation: Mutation = field(default_factory=Mutation)


@dataclass
class RuleCreation:
    """Random rule lists, their number of rules uniform over min_rules..max_rules."""

    min_rules: int = 5
    max_rules: int = 50
    dont_care: float | None = None  # chance that a condition is "don't care"; null: as likely as each other condition


@dataclass
class RuleMutation:
    """How likely each kind of mutation is, relative to the others."""

    add: float = 1.0  # a random rule at a random place
    delete: float = 1.0  # a random rule goes
    reorder: float = 1.0  # a random rule moves to another place
    modify: float = 1.0  # a random rule gets another action, or another condition in one cell


@dataclass
class Groups:
    """Evolution of rule lists: tournaments of disjoint groups; the winners become parents and stay."""

    kind: str = "groups"
    population: int = 1000
    generations: int = 1000
    group_size: int = 5  # strategies that play a tournament; its winner is a parent
    capacity: int = 100  # rules that one list can hold; nothing is added to a full list
    immigrants: int = 100  # new random lists that take the place of as many children; 0: none
    immigrants_every: int = 5  # cycles from one arrival of immigrants to the next
    restart_every: int = 0  # cycles after which a new random population takes the place of all; 0: never
    panel_weight: float = 0.0  # points of a tournament for one of fitness against the panel; 0: only parents play it
    ties: str = "rules"  # rules (of equal points in a tournament the fewest rules win, then a lot decides) | lot
    stop: str = "beaten"  # beaten (a parent beats the first opponent in a double game) | all_beaten (each one) | never
    creation: RuleCreation = field(default_factory=RuleCreation)
    mutation: RuleMutation = field(default_factory=RuleMutation)


GENOTYPES = {"gp": "program", "groups": "rules"}
"""What each kind of algorithm evolves."""
MAKERS = {"program": "primitive_set", "rules": "rule_language"}
"""What a game's module `primitives` calls the function that makes the language of each genotype."""


def genotypes(module: Any) -> list[str]:
    """Return the genotypes that play a game, by its module `primitives`."""
    return [kind for kind, maker in MAKERS.items() if hasattr(module, maker)]


def evaluators(module: Any, game: Any) -> dict[str, Any]:
    """Return what searches can value positions by on a board, by the game's module `opponents`."""
    found: dict[str, Any] = module.evaluators(game) if hasattr(module, "evaluators") else module.EVALUATORS
    return found


@dataclass
class Opponent:
    """One member of the panel that every individual plays against, from both seats."""

    kind: str = "search"  # search | random | programs (random ones) | champions (of past generations) | strategy
    depth: int = 8  # search: plies
    ties: str = "first"  # search: first | random among the best moves
    evaluator: str = "material"  # search: one of the game's evaluators; "A|B": one of them drawn for every move
    name: str = ""  # strategy: name of one of the game's strategies
    command: str = ""  # gtp, a kind for measurements only: an engine outside the project, its program and options
    count: int = 1  # programs, champions: how many
    games: int = 1  # games from each seat (each against the next of `count`, in turn)
    weight: float = 1.0  # weight in the fitness
    rounds: int = 1  # guides: rounds of `games` from each seat, one after the other
    cutoff: float | None = None  # guides: whose fitness trails the best by more sits a round out; null: nobody does

    @property
    def chance(self) -> bool:
        """Whether its own moves have chance in them: random ones, random ties, evaluators drawn by lot."""
        drawn = self.ties == "random" or "|" in self.evaluator
        return self.kind == "random" or (self.kind == "search" and drawn)


@dataclass
class Fitness:
    """fitness = max(minimum, scale * (points + win_bonus * wins) - parsimony * size); size: nodes or rules."""

    opponents: dict[str, Opponent] = field(default_factory=dict)
    coplay: int = 0  # coevolution: games of each individual from each seat against others of the population; 0: none.
    # Then the fitness is the points of these games and those against the guides, and the opponents measure only the
    # best individual of every generation: by what the fitness would be without coevolution.
    coplay_weight: float = 1.0  # points of a game won against another individual
    opening_plies: int = 0  # coevolution: random moves at the beginning of games against other individuals
    guides: dict[str, Opponent] = field(default_factory=dict)  # coevolution: met by the whole population
    measured: int = 1  # coevolution: how many of the fittest of a generation are measured by the opponents
    measured_depth: int | None = None  # coevolution: plies that these search when measured; null: as in evolution
    points: str = "score"  # score (sum over both seats, weighted mean over opponents) | result (1, 1/2, 0)
    scale: float = 1.0
    parsimony: float = 0.0
    win_bonus: float = 0.0  # extra points for each seat from which the game is won
    minimum: float | None = None
    table_size: int = 262144  # remembered replies of each searched opponent, a power of two
    lanes: int = 64  # searches that run side by side
    tail: int = 2  # last plies of a search that are expanded full width
    max_plies: int = 400  # longer games are stopped and scored as they stand


@dataclass
class Logger:
    """Weights & Biases, a mirror of metrics.jsonl."""

    mode: str = "offline"  # offline | online | disabled
    project: str = "jaxgp"
    entity: str | None = None
    group: str | None = None
    tags: list[str] = field(default_factory=list)


@dataclass
class Config:
    """Everything a run depends on."""

    game: dict[str, Any] = field(default_factory=dict)  # name, and the settings of that game's rules
    program: dict[str, Any] = field(default_factory=dict)  # the game's settings for programs (view, moves, ...)
    algorithm: Algorithm | Groups = field(default_factory=Algorithm)  # which one: algorithm.kind
    fitness: Fitness = field(default_factory=Fitness)
    logger: Logger = field(default_factory=Logger)
    seed: int = 0
    resume: str | None = None  # a run directory to go on with; auto: go on if hydra.run.dir holds a run
    checkpoint_every: int = 10  # generations between checkpoints
    keep_checkpoints: int = 2
    title: str = ""  # one line that names the run in its report
    cores: int | None = None  # of a CPU that share searches; null: where programs search all, up to 8, else one
    compilation_cache: str | None = "~/.cache/jaxgp"  # where compiled programs are kept; null: nowhere
