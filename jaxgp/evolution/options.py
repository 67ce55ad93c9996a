"""Options of the algorithms: what they share, genetic programming, and tournaments of groups.

Importing this does not import JAX.
"""

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from jaxgp.checks.unions import Kinds
from jaxgp.checks.values import divisors
from jaxgp.errors import reject
from jaxgp.evolution.tuning.options import TuneOptions
from jaxgp.operators.options import (
    MAX_CAPACITY,
    MAX_DEPTH,
    CreationOptions,
    CrossoverOptions,
    MutationOptions,
    RuleCreationOptions,
    RuleMutationOptions,
    SelectionOptions,
)
from jaxgp.options import MAX_COUNT, MAX_POPULATION, MAX_WEIGHT, Checked, bound, find_changed, option

if TYPE_CHECKING:
    from jaxgp.contracts import Scheme
    from jaxgp.games.casting import Cast

    Language = Any  # that of the genotype

MIN_GROUPS = 4
"""Two parents are recombined and two others mutated."""
MAX_GROUP = 1000
"""Strategies of a group; every two of them play."""
MAX_ISLANDS = 10_000
"""Every island sends to others; a table of who sends to whom stays small."""

AlgorithmKind = TypeVar("AlgorithmKind", bound="AlgorithmOptions")


@dataclass
class MigrationOptions(Checked):
    """Parts of the population, islands, breed apart and send each other copies of individuals now and then.

    The defaults but the count are those of M. Sipper, "Evolved to Win" (2011), section 7.4, which had 50 islands.
    """

    count: int = option(
        1, "islands that share the population equally; 1: there are none", low=1, high=MAX_ISLANDS, label="islands"
    )
    neighbours: int = option(
        3,
        "islands that each one sends to, the nearest in a circle: the next, the one before, the next but one, and so "
        "on; 1: a plain ring",
        low=1,
        high=MAX_ISLANDS,
    )
    migrants: int = option(
        4,
        "copies that an island sends to each neighbour, in place of random children there",
        low=1,
        high=MAX_POPULATION,
    )
    tournament_size: int = option(
        2, "individuals drawn with replacement for a migrant; the fittest of them is it", low=1, high=MAX_POPULATION
    )
    first: int = option(10, "the first generation in which islands send", low=0, high=MAX_COUNT)
    every: int = option(10, "generations from one sending of an island to its next", low=1, high=MAX_COUNT)
    staggered: bool = option(
        True,
        "true: island i sends in generation n if i and n leave the same remainder when divided by `every`; false: all "
        "islands send when `every` divides n",
    )

    def size(self, population: int) -> int:
        """Return how many individuals an island has, of a population that the islands share."""
        return population // self.count


def of_island(algorithm: AlgorithmKind) -> AlgorithmKind:
    """Return the options of one island: those of the whole, with the island's share of the population."""
    islands = algorithm.islands
    share = islands.size(algorithm.population)
    return replace(algorithm, population=share, islands=replace(islands, count=1))  # type: ignore[type-var]


def check_alone(algorithm: "AlgorithmOptions") -> None:
    """Refuse islands in the options of a scheme, which breeds one population; raises UsageError."""
    if algorithm.islands.count != 1:
        reject("islands.count", algorithm.islands.count, "1 in a scheme; jaxgp.ring makes islands of options")


CHUNK = (
    "individuals that are evaluated at a time, a divisor of the population, or of that of an island; fewer need less "
    "memory, and the result is the same; null: all, or the largest divisor that fits into the memory"
)


STAGNATION = (
    "generations in which no individual is better than the best of all before, by the measure that names the champion, "
    "after which the run ends; null: it goes on"
)


def check_chunk(algorithm: "AlgorithmOptions", prefix: str) -> None:
    """Check that the population, or that of an island, consists of whole chunks."""
    if algorithm.chunk is None or algorithm.chunk in chunks(algorithm):
        return
    size, whole = algorithm.islands.size(algorithm.population), chunks(algorithm)
    below = max((one for one in whole if one < algorithm.chunk), default=whole[-1])
    above = min((one for one in whole if one > algorithm.chunk), default=size)
    which = f"a divisor of {prefix}population={size}" if algorithm.islands.count == 1 else f"a divisor of {size}"
    whose = "" if algorithm.islands.count == 1 else ", the population of an island"
    groups = (
        f" and a multiple of {prefix}group_size={algorithm.group_size}" if isinstance(algorithm, GroupsOptions) else ""
    )
    near = f"such as {below}" + (f" or {above}" if above != below else "")
    reject(prefix + "chunk", algorithm.chunk, f"{which}{whose}{groups}, {near}, or null")


def chunks(algorithm: "AlgorithmOptions") -> list[int]:
    """Return how many individuals, of the population or of that of an island, can be a chunk, in descending order."""
    step = algorithm.group_size if isinstance(algorithm, GroupsOptions) else 1
    return [step * number for number in divisors(algorithm.islands.size(algorithm.population) // step)[::-1]]


def _shared(algorithm: "GPOptions | GroupsOptions", prefix: str, kept: int) -> None:
    """Check that the islands, no more than individuals, can share them; `kept` of an island are never replaced."""
    islands, population, name = algorithm.islands, algorithm.population, prefix + "islands."
    if islands.count == 1:
        return
    if population % islands.count:
        below = population - population % islands.count
        near = f"a multiple of {name}count={islands.count}, such as {below} or {below + islands.count}"
        reject(prefix + "population", population, near)
    bound(islands, "neighbours", name, high=islands.count - 1, why="the other islands")
    size = islands.size(population)
    room = (size - kept) // islands.neighbours
    if islands.migrants > room:
        senders = "one other" if islands.neighbours == 1 else f"{islands.neighbours} others"
        there = f"an island of {size} individuals replaces {size - kept} and is sent to by {senders}"
        if not room:
            reject(name + "neighbours", islands.neighbours, f"fewer, or larger islands: {there}")
        reject(name + "migrants", islands.migrants, f"a whole number from 1 to {room} ({there})")


class AlgorithmOptions(Checked):
    """Base of the options of algorithms; `algorithm.kind=NAME` picks those of the module NAME of `jaxgp.schemes`."""

    kinds: ClassVar[Kinds] = Kinds("algorithm.kind", "jaxgp.schemes", "gp")
    genotype: ClassVar[str] = "program"
    """What evolves: `program` or `rules`."""

    kind: str
    population: int
    chunk: int | None
    generations: int
    stagnation: int | None
    islands: MigrationOptions

    @classmethod
    def evolving(cls, *genotypes: str) -> list[str]:
        """Return the kinds of algorithms by which genomes of these kinds evolve."""
        found = cls.kinds.all().items()
        return [kind for kind, one in found if issubclass(one, AlgorithmOptions) and one.genotype in genotypes]

    def check(self, cast: "Cast[Any]") -> None:
        """Check what the algorithm asks of the individuals of a role; raises UsageError."""

    def scheme(self, language: "Language") -> "Scheme":
        """Return how parents become children."""
        raise NotImplementedError

    def rows(self) -> list[tuple[str, str]]:
        """Return rows of the parameter table that only this algorithm has."""
        return []


@dataclass
class GPOptions(AlgorithmOptions):
    """Generational genetic programming."""

    selects: ClassVar[bool] = True
    """Whether the options of selection have a meaning."""
    breeds: ClassVar[bool] = True
    """Whether those of crossover and mutation have one."""

    kind: str = option("gp", "generational genetic programming", ("gp",))
    population: int = option(512, "individuals of a generation", low=1, high=MAX_POPULATION, label="population size")
    chunk: int | None = option(None, CHUNK + "; coevolution among the population has none", low=1, high=MAX_POPULATION)
    generations: int = option(
        150, "generations of the run", low=1, high=MAX_COUNT, label="maximum number of generations"
    )
    stagnation: int | None = option(None, STAGNATION, low=1, high=MAX_COUNT)
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
    left_out: list[str] = option([], "functions and terminals that no individual has, by name")
    creation: CreationOptions = option(CreationOptions(), "random programs of the first generation")
    initial: list[str] = option(
        [],
        "programs as text, or champions of other runs: run directories, champion files, FILE.jsonl#SEED, all champions "
        "of FILE.jsonl; they replace the first random programs, on every island",
    )
    selection: SelectionOptions = option(SelectionOptions(), "how parents are drawn")
    crossover: CrossoverOptions = option(CrossoverOptions(), "subtree crossover of parents")
    mutation: MutationOptions = option(MutationOptions(), "mutation of children")
    tune: TuneOptions = option(TuneOptions(), "learning of constants by a gradient method")
    islands: MigrationOptions = option(MigrationOptions(), "islands of the population; elites are of each island")

    @property
    def roulette(self) -> bool:
        """Whether parents are drawn by a roulette wheel, which needs fitness that is never negative."""
        return self.selects and self.selection.method == "roulette"

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        size, whose = self.islands.size(self.population), "the population"
        if self.islands.count > 1:
            bound(self.islands, "count", prefix + "islands.", high=self.population, why=f"{prefix}population")
            whose = "the population of an island"
            bound(self, "elites", prefix, high=size, why=whose)
            _shared(self, prefix, self.elites)
        check_chunk(self, prefix)
        if self.max_depth is not None:
            bound(self.creation, "max_depth", prefix + "creation.", high=self.max_depth, why=prefix + "max_depth")
        if self.mutation.exclusive:
            self._shares(prefix + "mutation.")
        if self.selection.distinct:
            why = f"{whose}, with {prefix}selection.distinct"
            bound(self.selection, "tournament_size", prefix + "selection.", high=size, why=why)

    def check(self, cast: "Cast[Any]") -> None:
        """Refuse operators on what individuals do not have, and to leave out what they cannot do without.

        Raises:
            UsageError: there is such an operator, or such a primitive.
        """
        language, of = cast.language, f"of {cast.spec.name} with program.role={cast.program['role']}"
        weights: tuple[tuple[str, float, bool, str], ...] = (
            ("mutation.local", self.mutation.local, language.factored, f"nodes {of} have no factors"),
            ("mutation.numeric", self.mutation.numeric, language.real, f"programs {of} have no real numbers"),
            ("crossover.rule", self.crossover.rule, bool(language.rules), f"individuals {of} have no rules"),
            ("mutation.rule", self.mutation.rule, bool(language.rules), f"individuals {of} have no rules"),
            ("crossover.one_point", self.crossover.one_point, language.num_trees > 1, f"individuals {of} are one tree"),
        )
        for name, weight, there, why in weights:
            if weight and not there:
                reject(f"algorithm.{name}", weight, f"0; {why}")
        if self.left_out:
            _left_out(self.left_out, language)
        if self.initial:
            self._check_initial(language, of)
        if self.tune.steps:
            from jaxgp.interpreter.reverse.tape import unfit

            if why := unfit(language):
                reject("algorithm.tune.steps", self.tune.steps, f"0 with programs {of}: {why}")

    def _check_initial(self, language: "Language", of: str) -> None:
        """Refuse programs that cannot begin a run; raises UsageError."""
        from jaxgp.genotypes.text import ProgramError, parse_program

        if not self.breeds:
            reject("algorithm.initial", self.initial, f"[] with algorithm={self.kind}, which inherits nothing")
        count, size = self.islands.count, self.islands.size(self.population)
        if len(self.initial) > size:
            whole = f"algorithm.population={self.population}"
            most = whole if count == 1 else f"{size}, as an island has with {whole} and algorithm.islands.count={count}"
            reject("algorithm.initial", f"{len(self.initial)} programs", f"at most {most}")
        for text in self.initial:
            try:
                parse_program(language, text, self.capacity)
            except ProgramError as error:
                reject("algorithm.initial", text, f"a program {of} of at most {self.capacity} nodes a tree ({error})")
            if gone := set(re.findall(r"[^\s()]+", text)) & set(self.left_out):
                reject("algorithm.initial", text, f"a program without {', '.join(sorted(gone))}: algorithm.left_out")

    def scheme(self, language: "Language") -> "Scheme":
        """Return generational replacement."""
        from jaxgp.evolution.generational import Generational

        return Generational(language.without(self.left_out), self)

    def rows(self) -> list[tuple[str, str]]:
        """Return the row of tuning, if there is any."""
        return self.tune.rows()

    def _shares(self, prefix: str) -> None:
        """Check that the shares of crossover and mutation, which exclude each other, leave a share of the rest."""
        if self.crossover.method == "one_or_two_way":
            # The share of children that it makes depends on the fitness of the pairs.
            reject(prefix + "exclusive", True, "false with crossover.method=one_or_two_way")
        rest = round(1 - self.crossover.probability, 9)
        if self.mutation.probability > rest:
            accepted = f"a number from 0 to {rest:g}, as crossover.probability and it exclude each other"
            reject(prefix + "probability", self.mutation.probability, accepted)


def _left_out(names: list[str], language: "Language") -> None:
    """Refuse to leave out what individuals do not have, or what no tree can do without; raises UsageError."""
    known = [one.name for one in language.primitives]
    wanted = [name for name in names if name not in known]
    if wanted or len(set(names)) < len(names):
        reject("algorithm.left_out", wanted or names, f"names among {', '.join(known)}, each once")
    try:
        language.without(names)
    except ValueError as error:
        reject("algorithm.left_out", names, f"fewer of them ({error})")


@dataclass
class GroupsOptions(AlgorithmOptions):
    """Evolution of rule lists: tournaments of disjoint groups; the winners become parents and stay."""

    kind: str = option("groups", "tournaments of disjoint groups", ("groups",))
    population: int = option(
        1000, "rule lists, a multiple of group_size", low=2 * MIN_GROUPS, high=MAX_POPULATION, label="population size"
    )
    chunk: int | None = option(None, CHUNK + "; a multiple of group_size", low=1, high=MAX_POPULATION)
    generations: int = option(1000, "cycles of the run", low=1, high=MAX_COUNT, label="maximum number of generations")
    stagnation: int | None = option(None, STAGNATION, low=1, high=MAX_COUNT)
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
    creation: RuleCreationOptions = option(RuleCreationOptions(), "random rule lists")
    mutation: RuleMutationOptions = option(RuleMutationOptions(), "how children differ from their parents")
    islands: MigrationOptions = option(
        MigrationOptions(), "islands of the population; immigrants and restarts are of each island"
    )

    genotype: ClassVar[str] = "rules"

    def scheme(self, language: "Language") -> "Scheme":
        """Return replacement by children of the winners."""
        from jaxgp.evolution.winners import Winners

        return Winners(language, self)

    @property
    def children(self) -> int:
        """How many of the population a cycle replaces."""
        return self.population - self.population // self.group_size

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        size = self.group_size
        if self.islands.count > 1:
            self._on_islands(prefix)
            check_chunk(self, prefix)
            return
        if find_changed(self, ["group_size"]):
            high = self.population // MIN_GROUPS
            bound(self, "group_size", prefix, high=high, why=f"a quarter of {prefix}population={self.population}")
        bound(self, "population", prefix, low=MIN_GROUPS * size)
        if self.population % size:
            below = self.population // size * size
            near = f"a multiple of {prefix}group_size={size}, such as {max(below, MIN_GROUPS * size)} or {below + size}"
            reject(prefix + "population", self.population, near)
        check_chunk(self, prefix)
        bound(self.creation, "max_rules", prefix + "creation.", high=self.capacity, why=prefix + "capacity")

    def _on_islands(self, prefix: str) -> None:
        """Check that every island has whole groups, enough of them, and room for immigrants."""
        population, size = self.islands.size(self.population), self.group_size
        bound(self.islands, "count", prefix + "islands.", high=self.population, why=f"{prefix}population")
        step = self.islands.count * size
        if self.population % step or population < MIN_GROUPS * size:
            above = max(MIN_GROUPS, -(-population // size)) * step
            accepted = f"a multiple of {prefix}islands.count times {prefix}group_size, {step}, such as {above}"
            reject(prefix + "population", self.population, accepted)
        bound(
            self, "immigrants", prefix, high=population - population // size, why="the children of an island in a cycle"
        )
        bound(self.creation, "max_rules", prefix + "creation.", high=self.capacity, why=prefix + "capacity")
        _shared(self, prefix, population // size)
