"""Options of the fitness. Importing this does not import JAX."""

from dataclasses import dataclass

from jaxgp import options as declarations
from jaxgp.errors import reject, show
from jaxgp.options import (
    DEEPEST,
    MAX_COUNT,
    MAX_FITNESS,
    MAX_GAMES,
    MAX_LANES,
    MAX_PLIES,
    MAX_POPULATION,
    MAX_TABLE,
    MAX_WEIGHT,
    option,
    power_of_two,
)
from jaxgp.seats.options import GuideOptions, OpponentOptions

MAX_CANDIDATES = 256
MAX_FACTOR = 1000
MAX_LESSONS = 100_000
MAX_TERMS = 1000
MAX_CANDIDATE_TERMS = 10_000


def even(number: float) -> bool:
    """Whether a number is even."""
    return number % 2 == 0


@dataclass
class Problems:
    """A second population: sets of instances, which are the fitter the more nodes they cost those who solve them."""

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
                declarations.bound(self, name, prefix, high=self.population, why=prefix + "population")
        rest = round(1 - self.crossover, 9)
        if self.mutation > rest:
            reject(prefix + "mutation", self.mutation, f"a number from 0 to {rest:g}, as crossover and it add up to 1")


@dataclass
class Suite:
    """A suite of instances of a puzzle: the score on one is the share of nodes saved against the reference search.

    The reference search is the one without individuals: blind search, or that by a fixed heuristic.
    """

    boards: int = option(
        0,
        "instances drawn in each generation, without replacement, the same for all individuals; with problems, those "
        "of the sets that an individual meets, so that each set has boards / met; 0: none, no puzzle",
        low=0,
        high=MAX_GAMES,
    )
    name: str | None = option(None, "a suite of the game, or a file of instances; null: the first suite of the game")
    validation: int = option(
        10, "instances set apart for the measure that names the champion; none of them is drawn", low=1, high=MAX_GAMES
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
        None, "nodes at which the reference search gives up; null: those of the role", low=1, high=MAX_COUNT
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
        "of their logarithm (log), by which one instance that takes very many nodes does not outweigh all others",
        ("share", "log"),
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
    problems: Problems = option(Problems(), "a second population, of sets of instances")

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        sets, met = self.problems.population, self.problems.met
        if sets and not self.boards:
            reject(prefix + "problems.population", sets, f"0 with {prefix}boards=0")
        if sets and self.cost != "nodes":
            reject(prefix + "cost", self.cost, f"nodes with {prefix}problems.population above 0")
        if sets and (self.boards % met or self.boards < 2 * met):
            above = max(2, -(-self.boards // met)) * met
            accepted = f"a multiple of {prefix}problems.met={met} from {2 * met} on, such as {above}"
            reject(prefix + "boards", self.boards, f"{accepted}; each set has boards / met")


@dataclass
class Learning:
    """Learning from lessons: the fittest get weights by least squares, and new terms; both are inherited."""

    individuals: int = option(
        0, "how many of the fittest learn in each generation; 0: none", low=0, high=MAX_POPULATION
    )
    lessons: int = option(1024, "lessons that they learn from, drawn anew in each generation", low=1, high=MAX_LESSONS)
    terms: int = option(2, "terms that each of their trees gets, where they explain enough", low=1, high=100)
    candidates: int = option(128, "random terms that a new one is chosen among", low=1, high=MAX_CANDIDATE_TERMS)
    most: int = option(300, "terms of a tree whose weights are fitted; the others stay", low=1, high=MAX_TERMS)


@dataclass
class Lessons:
    """Decisions that a teacher has judged: an individual loses what its choice is worth less than the best one."""

    drawn: int = option(
        0,
        "lessons drawn in each generation, without replacement, the same for all individuals; 0: none",
        low=0,
        high=MAX_LESSONS,
    )
    stock: int = option(
        4096, "lessons that are prepared before the first generation, to draw from", low=1, high=MAX_LESSONS
    )
    teacher: str | None = option(None, "who judges decisions, by name; null: the first one of the game")
    learning: Learning = option(Learning(), "learning of the fittest")

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        declarations.bound(self, "drawn", prefix, high=self.stock, why=prefix + "stock")
        if self.learning.individuals:
            why = prefix + "stock"
            declarations.bound(self.learning, "lessons", prefix + "learning.", high=self.stock, why=why)


@dataclass
class Fitness:
    """fitness = max(minimum, scale * (points + win_bonus * wins) - parsimony * size); size: nodes or rules.

    With `coplay` the fitness is the points of games among the population and against the guides. With `elimination` it
    is how far an individual gets in a tournament of the population: 1 / n for those who lose in a round of n, 1 for the
    winner. With `lessons` the points are what an individual loses in decisions, with a minus. In these three cases the
    opponents measure only the fittest of every generation, by the formula above. With a `suite` the points of an
    instance are the share of nodes saved, and the instances that were set apart measure the fittest.
    """

    opponents: dict[str, OpponentOptions] = option({}, "the panel, by name")
    suite: Suite = option(Suite(), "instances of a puzzle, in the place of opponents")
    lessons: Lessons = option(Lessons(), "decisions that a teacher has judged, in the place of games")
    coplay: int = option(
        0,
        "coevolution: games of each individual from each seat against others of the population; 0: none",
        low=0,
        high=MAX_GAMES,
    )
    elimination: int = option(
        0,
        "coevolution: games of a match in a single-elimination tournament of the population, half from each seat; "
        "0: no tournament",
        low=0,
        high=MAX_GAMES,
        test=even,
        accepted=f"an even number from 0 to {MAX_GAMES}; half of the games are from each seat",
    )
    coplay_weight: float = option(1.0, "points of a game won against another individual", low=0, high=MAX_WEIGHT)
    opening_plies: int = option(
        0,
        "random moves at the beginning of games against the opponents; in coevolution, of games against other "
        "individuals instead",
        low=0,
        high="max_plies",
        why="fitness.max_plies",
    )
    guides: dict[str, GuideOptions] = option({}, "coevolution: opponents met by the whole population, by name")
    measured: int = option(
        1,
        "coevolution, lessons: how many of the fittest of a generation are measured by the opponents; puzzles: by the "
        "instances set apart",
        low=1,
        high=MAX_POPULATION,
    )
    measured_depth: int | None = option(
        None, "coevolution: plies that individuals search while measured; null: as in evolution", low=1, high=DEEPEST
    )
    candidates: int = option(
        0,
        "how many of the best individuals play their opponents again at the end, so that new games name the champion; "
        "0: none, the best measured one is the champion",
        low=0,
        high=MAX_CANDIDATES,
    )
    final_rounds: int = option(10, "how often candidates play all games of the opponents again", low=1, high=MAX_GAMES)
    points: str = option(
        "score",
        "score: the sum over both seats, weighted mean over opponents; result: 1, 1/2, 0; share: own points of all "
        "games against an opponent, divided by those of both sides; games that are stopped give points to neither",
        ("score", "result", "share"),
    )
    paired: bool = option(
        False,
        "games of chance: whether the two games of a pair, with seats changed, have the same dice, turn by turn; "
        "against opponents and in elimination",
    )
    scale: float = option(1.0, "what the points are multiplied by", low=0, high=MAX_WEIGHT, above=True)
    parsimony: float = option(0.0, "the price of a node, or of a rule", low=0, high=MAX_WEIGHT)
    win_bonus: float = option(0.0, "extra points for each seat from which the game is won", low=0, high=MAX_WEIGHT)
    minimum: float | None = option(None, "the least fitness; null: there is none", low=-MAX_FITNESS, high=MAX_FITNESS)
    table_size: int = power_of_two(262144, "remembered replies of each searched opponent", low=1, high=MAX_TABLE)
    lanes: int = option(64, "searches that run side by side", low=1, high=MAX_LANES)
    tail: int = option(
        2,
        "last plies of a search that are expanded full width",
        low=1,
        high="least_depth",
        why="the least depth among the opponents",
    )
    max_plies: int = option(400, "longer games are stopped and scored as they stand", low=1, high=MAX_PLIES)

    @property
    def least_depth(self) -> int:
        """The least depth of the searches that individuals meet; if they meet none, that of any search."""
        met = [*self.opponents.values(), *self.guides.values()]
        return min((one.plies for one in met), default=DEEPEST)

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if self.opponents and not any(one.weight for one in self.opponents.values()):
            name = next(iter(self.opponents))
            reject(f"{prefix}opponents.{name}.weight", 0.0, "at least one opponent with a weight above 0")
        if self.elimination:
            self._elimination(prefix)
            return
        if self.lessons.drawn:
            self._lessons(prefix)
            return
        if self.coplay:
            if self.paired:
                why = f"false with {prefix}coplay; in {prefix}elimination matches have pairs of games"
                reject(prefix + "paired", True, why)
            if not self.coplay_weight and not any(guide.weight for guide in self.guides.values()):
                reject(prefix + "coplay_weight", 0.0, "a number above 0, or a guide with a weight above 0")
            return
        without = f"with {prefix}coplay=0"
        if self.opening_plies and not self.opponents:
            reject(prefix + "opening_plies", self.opening_plies, f"0 {without} and no opponents")
        if self.measured_depth is not None:
            reject(prefix + "measured_depth", self.measured_depth, f"null {without}")
        if self.measured != 1 and not self.suite.boards:
            reject(prefix + "measured", self.measured, f"1 {without}; the opponents are met by all")
        if self.candidates and (self.suite.boards or not self.opponents):
            reject(prefix + "candidates", self.candidates, "0 without opponents that they play again")
        if self.guides:
            reject(prefix + "guides", ", ".join(self.guides), f"none {without}; opponents are without it")

    def _lessons(self, prefix: str) -> None:
        """Check what lessons exclude."""
        with_them = f"with {prefix}lessons.drawn above 0"
        excluded: dict[str, object] = {
            "coplay": 0,
            "guides": {},
            "opening_plies": 0,
            "measured_depth": None,
            "win_bonus": 0.0,
        }
        for name, nothing in excluded.items():
            if (value := getattr(self, name)) != nothing:
                shown = ", ".join(value) if isinstance(value, dict) else value
                reject(prefix + name, shown, f"{'none' if nothing == {} else show(nothing)} {with_them}")
        if self.suite.boards:
            reject(prefix + "suite.boards", self.suite.boards, f"0 {with_them}")

    def _elimination(self, prefix: str) -> None:
        """Check what a tournament of the population excludes."""
        with_it = f"with {prefix}elimination"
        if self.coplay:
            reject(prefix + "coplay", self.coplay, f"0 {with_it}; the games of its matches are all that are played")
        if self.guides:
            reject(prefix + "guides", ", ".join(self.guides), f"none {with_it}")
        if self.suite.boards:
            reject(prefix + "suite.boards", self.suite.boards, f"0 {with_it}")
        if self.lessons.drawn:
            reject(prefix + "lessons.drawn", self.lessons.drawn, f"0 {with_it}")
        if self.coplay_weight != 1:
            reject(prefix + "coplay_weight", self.coplay_weight, f"1 {with_it}")
