"""Kinds of fitness, one a file: its options, what it asks of a run, how it is made, what tables say of it.

`fitness.kind=NAME` picks the dataclass of options whose `kind` is NAME from the module of that name. A kind in a folder
outside the project works in the same way: a package whose `__init__.py` has a subclass of `FitnessOptions` with the
name of the folder as its `kind`. Nothing here imports JAX before `fits`, `check` or `make` is called.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from jaxgp import options
from jaxgp.checks.unions import Kinds
from jaxgp.errors import reject
from jaxgp.evolution.options import GPOptions, GroupsOptions, of_island
from jaxgp.fitness.taught.options import DifferencesOptions
from jaxgp.fitness.words import POINTS, describe_opponent
from jaxgp.options import (
    DEEPEST,
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
from jaxgp.printable import plies
from jaxgp.schemes.cma import CMAOptions
from jaxgp.seats.options import OpponentOptions

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.evolution.pair import Pair
    from jaxgp.evolution.ring import Ring
    from jaxgp.fitness.panel import PanelFitness
    from jaxgp.games.casting import Cast
    from jaxgp.genotypes.language import Genome
    from jaxgp.spec import Hand

MAX_CANDIDATES = 256
RENAMED = {
    "coplay": "fitness.kind=coplay fitness.games={}",
    "coplay_weight": "fitness.weight={} with fitness.kind=coplay",
    "elimination": "fitness.kind=elimination fitness.games={}",
    "suite.name": "fitness.instances={} with fitness.kind=suite",
    **{
        f"lessons.{name}": f"fitness.{name}={{}} with fitness.kind=lessons"
        for name in (
            "drawn",
            "stock",
            "teacher",
            *(f"learning.{inner}" for inner in ("individuals", "lessons", "terms", "candidates", "most")),
        )
    },
    **{
        f"suite.{name}": f"fitness.{name}={{}} with fitness.kind=suite"
        for name in (
            *("boards", "validation", "first", "factor", "limit", "reference", "unsolved", "score", "cost", "partial"),
            *(f"problems.{inner}" for inner in ("population", "met", "every", "elites", "crossover", "mutation")),
            *(f"problems.{inner}" for inner in ("gene_probability", "unsolved")),
        )
    },
}
"""What options of earlier versions are called now; {} stands for the value."""

AnyAlgorithm = GPOptions | GroupsOptions | CMAOptions
Rows = list[tuple[str, str]]
"""(parameter, value) pairs of a table."""
Seated = Mapping[str, Mapping[str, "contracts.Opponent"]]
"""The opponents of a fitness: by the name of the section of options that has them, then by their own names."""


@dataclass
class FitnessOptions:
    """Base of all kinds: fitness = max(minimum, scale * points - parsimony * size), the size in nodes or rules."""

    kinds: ClassVar[Kinds] = Kinds("fitness.kind", "jaxgp.kinds", "panel")
    renamed: ClassVar[dict[str, str]] = RENAMED
    kind: str = option("", "what individuals are selected by")
    scale: float = option(1.0, "what the points are multiplied by", low=0, high=MAX_WEIGHT, above=True)
    parsimony: float = option(0.0, "the price of a node, or of a rule", low=0, high=MAX_WEIGHT)
    minimum: float | None = option(None, "the least fitness; null: there is none", low=-MAX_FITNESS, high=MAX_FITNESS)

    @property
    def differentiable(self) -> bool:
        """Whether the fitness that is made is `jaxgp.contracts.Differentiable`, or has one that is."""
        return False

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""

    def suits(self, algorithm: AnyAlgorithm) -> None:
        """Check what it asks of the options of the algorithm; raises UsageError. No game is imported yet."""
        if isinstance(algorithm, GPOptions) and algorithm.tune.steps and not self.differentiable:
            why = f"0 with fitness.kind={self.kind}, which has no loss with a gradient"
            reject("algorithm.tune.steps", algorithm.tune.steps, why)

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether the algorithm can be told this fitness, and individuals that play like this can have it."""
        del algorithm, cast
        return True

    def check(self, config: "Config", cast: "Cast") -> None:
        """Check what it asks of the game and of how genomes play it; raises UsageError."""

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness.

        Args:
            config: of the run, checked.
            cast: the game and how genomes play it.
            seated: the opponents, of every section of these options that has any.
        """
        raise NotImplementedError

    def crews(self, cast: "Cast") -> "Sequence[Sequence[tuple[str, Hand]]]":
        """Return crews that drive the other seats of a simulation, by name; none: individuals drive all seats."""
        del cast
        return ()

    def around(self, ring: "Ring") -> "Ring | Pair":
        """Return what evolves the population, from its ring: the ring, or a pair with a second population."""
        return ring

    def objective(self, game: str) -> str:
        """Say in a few words what individuals are to do in a game."""
        return f"reach a high fitness in {game}"

    def rows(self, config: "Config") -> Rows:
        """Return the rows of the parameter table that say what the fitness is."""
        del config
        return [("fitness", self.kind)]

    def aim(self, config: "Config") -> str | None:
        """Say in words what ends the run before its last generation; None: nothing does."""
        del config
        return None

    def closing(self, config: "Config", cast: "Cast", genome: "Genome") -> str | None:
        """Say in a line what the champion of a run that has come to its end is worth; None: nothing is said."""
        del config, cast, genome
        return None

    def formula(self, points: str, unit: str = "nodes") -> str:
        """Return the formula of the fitness in words, from those of its points."""
        formula = points if self.scale == 1 else f"{self.scale:g} * ({points})"
        if self.parsimony:
            price = f"number of {unit}" if self.parsimony == 1 else f"{self.parsimony:g} * number of {unit}"
            formula += f" - {price}"
        return formula + ("" if self.minimum is None else f", at least {self.minimum:g}")


@dataclass
class GamesFitnessOptions(FitnessOptions):
    """Base of a fitness whose individuals, all or the fittest, play the games of a panel of opponents."""

    opponents: dict[str, OpponentOptions] = option({}, "the panel, by name")
    points: str = option(
        "score",
        "score: the sum over both seats, weighted mean over opponents; result: 1, 1/2, 0; share: own points of all "
        "games against an opponent, divided by those of both sides; games that are stopped give points to neither",
        POINTS,
    )
    win_bonus: float = option(
        0.0, "extra points for each seat from which a game against the panel is won", low=0, high=MAX_WEIGHT
    )
    paired: bool = option(
        False,
        "whether the two games of a pair, with seats changed, begin alike, where starts differ, and have the same "
        "dice, turn by turn; against the panel and in elimination",
    )
    table_size: int = power_of_two(262144, "remembered replies of each searched opponent", low=1, high=MAX_TABLE)
    lanes: int | None = option(
        None, "searches that run side by side; null: as many as suit the device", low=1, high=MAX_LANES
    )
    tail: int | None = option(
        None,
        "last plies of a search that are expanded full width; null: as many as suit the device",
        low=1,
        high="least_depth",
        why="the least depth among the opponents",
    )
    max_plies: int = option(400, "longer games are stopped and scored as they stand", low=1, high=MAX_PLIES)

    @property
    def least_depth(self) -> int:
        """The least depth of the searches that individuals meet; if they meet none, that of any search."""
        return min((one.plies for _, _, one in list_met(self)), default=DEEPEST)

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        super().laws(prefix)
        if self.opponents and not any(one.weight for one in self.opponents.values()):
            name = next(iter(self.opponents))
            reject(f"{prefix}opponents.{name}.weight", 0.0, "at least one opponent with a weight above 0")

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether the game is for two, and the algorithm chooses the parents itself."""
        return cast.game.seats == 2 and not cast.simulated and algorithm.kind != "groups"

    def check(self, config: "Config", cast: "Cast") -> None:
        """Refuse an empty panel, games that are repeated, and pairs that have nothing to share; raises UsageError."""
        if not self.opponents:
            reject("fitness.opponents", "{}", "at least one opponent; add one with +fitness.opponents.NAME.kind=KIND")
        for section, name, one in list_met(self):
            self._check_different(section, name, one, cast)
        if self.paired and not self.various(cast):
            why = f"{cast.spec.name} has no start and no rolls to share"
            reject("fitness.paired", True, f"false, or fitness.opening_plies above 0; {why}")

    def opening_of(self, section: str) -> str:
        """Return the option with the random moves that begin games against a section of opponents; empty: none."""
        del section
        return "opening_plies" if hasattr(self, "opening_plies") else ""

    def various(self, cast: "Cast", opening: str = "opening_plies") -> bool:
        """Return whether games of the same players differ by their starts, `opening`, or chance in the game."""
        from jaxgp.players.ply import differ  # with the game JAX is imported anyway

        return differ(cast.game, getattr(self, opening, 0)) or cast.game.chance

    def _check_different(self, section: str, name: str, one: OpponentOptions, cast: "Cast") -> None:
        """Refuse more games against an opponent than there are different ones; raises UsageError."""
        opening = self.opening_of(section)
        if one.games > one.rivals and not (self.various(cast, opening) or one.chance(cast) or cast.actor.random):
            more = f", or fitness.{opening} above 0" if opening else ""
            why = f"{cast.game.name} begins alike and nobody draws a move, so that more games from a seat are repeated"
            reject(f"fitness.{section}.{name}.games", one.games, f"up to {one.rivals}{more}", why)

    def against(self, cast: "Cast", seated: Seated, opening: int = 0) -> "PanelFitness":
        """Return the fitness from games against the panel, each after so many random moves."""
        from jaxgp.fitness.panel import PanelFitness

        return PanelFitness(
            cast.game,
            cast.actor,
            tuple(seated["opponents"].values()),
            tuple(one.weight for one in self.opponents.values()),
            points=self.points,
            scale=self.scale,
            parsimony=self.parsimony,
            win_bonus=self.win_bonus,
            minimum=self.minimum,
            max_plies=self.max_plies,
            paired=self.paired,
            opening=opening,
        )

    def by_panel(self, unit: str = "nodes") -> str:
        """Return the formula of the fitness from games against the panel, in words."""
        points = {
            "score": "score moving first + score moving second",
            "result": "result moving first + result moving second (1 win, 1/2 draw, 0 loss)",
            "share": "share of points (own / (own + opponent's)) of all games",
        }[self.points]
        if len(self.opponents) > 1:
            points = f"mean over the opponents of {points}"
        if self.win_bonus:
            points += f" + {self.win_bonus:g} for each game won"
        return self.formula(points, unit)

    def said(self) -> str:
        """Say in words who the panel is."""
        return "; ".join(describe_opponent(opponent) for opponent in self.opponents.values())

    def dice(self) -> str:
        """Say in words which games have the same chance."""
        return "; both games of a pair have the same chance" if self.paired else ""


@dataclass
class OwnGamesFitnessOptions(FitnessOptions):
    """Base of a fitness whose individuals may learn their numbers by games against themselves."""

    differences: DifferencesOptions = option(
        DifferencesOptions(), "learning from an individual's games against itself, with algorithm.tune.steps above 0"
    )

    @property
    def differentiable(self) -> bool:
        """Whether there are such games."""
        return self.differences.games > 0

    def suits(self, algorithm: AnyAlgorithm) -> None:
        """Refuse games that nobody learns from, and learning without games."""
        asked, name = self.differences.games, "fitness.differences.games"
        steps = algorithm.tune.steps if isinstance(algorithm, GPOptions) else 0
        if asked and not steps:
            reject(name, asked, "0, or algorithm.tune.steps above 0; nobody learns from these games")
        if steps and not asked:
            reject("algorithm.tune.steps", steps, f"0, or {name} above 0: games to learn from")
        super().suits(algorithm)

    def check(self, config: "Config", cast: "Cast") -> None:
        """Refuse games of individuals that do not value the leaves of a search by one tree; raises UsageError."""
        super().check(config, cast)
        self.learning(cast)

    def learning(self, cast: "Cast", counted: str = "result") -> "contracts.Differentiable | None":
        """Return what individuals learn by, in games that count as `counted` says; None: nothing."""
        from jaxgp.fitness.taught.differences import Differences
        from jaxgp.players.searched import SearchedPlayer

        if not self.differences.games:
            return None
        if not isinstance(cast.actor, SearchedPlayer) or cast.actor.top is not None:
            why = "programs of one tree that value the leaves of a search learn from their games, and no others"
            reject("fitness.differences.games", self.differences.games, "0", why)
        return Differences(cast.game, cast.actor, self.differences, counted)

    def taught(self) -> Rows:
        """Return the row of the parameter table that says what individuals learn from; none: from nothing."""
        one = self.differences
        if not one.games:
            return []
        what = {"leaf": "leaves of principal variations", "root": "positions that are searched"}[one.learns]
        games = f"{one.games} game{'' if one.games == 1 else 's'} of each individual against itself"
        begun = f"up to {one.opening} random moves at first, {100 * one.chance:g} % later"
        return [
            (
                "tuning by temporal differences",
                f"{one.positions} {what} of {games}, up to {one.plies} plies, {begun}; lambda {one.decay:g}",
            )
        ]


@dataclass
class CandidatesFitnessOptions(FitnessOptions):
    """Base of a fitness whose best individuals play again at the end of a run."""

    candidates: int = option(
        0,
        "how many of the best individuals play their opponents again at the end, so that new games name the champion; "
        "0: none, the best measured one is the champion",
        low=0,
        high=MAX_CANDIDATES,
    )
    population_again: bool = option(
        False, "whether the candidates are all individuals of the last generation, and no others"
    )
    final_rounds: int = option(10, "how often candidates play all games again", low=1, high=MAX_GAMES)

    def laws(self, prefix: str) -> None:
        """Refuse candidates of two kinds; raises UsageError."""
        super().laws(prefix)
        if self.population_again and self.candidates:
            reject(f"{prefix}candidates", self.candidates, f"0 with {prefix}population_again=true")


@dataclass
class RefereedFitnessOptions(FitnessOptions):
    """Base of a fitness with a referee, which measures the fittest of every generation."""

    measured: int = option(
        1, "how many of the fittest of a generation the referee measures", low=1, high=MAX_POPULATION
    )

    def suits(self, algorithm: AnyAlgorithm) -> None:
        """Refuse to measure more than there are."""
        few(self, "measured", algorithm)

    def fittest(self) -> str:
        """Say in words who is measured."""
        return "best" if self.measured == 1 else f"{self.measured} best"


@dataclass
class AmongFitnessOptions(GamesFitnessOptions, RefereedFitnessOptions, CandidatesFitnessOptions):
    """Base of a fitness from games of the population among itself; the panel is the referee."""

    opening_plies: int = option(
        0, "random moves at the beginning of games of individuals", low=0, high="max_plies", why="fitness.max_plies"
    )
    measured_depth: int | None = option(
        None, "plies that individuals search while measured; null: as in evolution", low=1, high=DEEPEST
    )
    measured_opening: int = option(
        0, "random moves at the beginning of games that measure", low=0, high="max_plies", why="fitness.max_plies"
    )

    def suits(self, algorithm: AnyAlgorithm) -> None:
        """Refuse a population, or that of an island, of one, chunks, and selection that compares games."""
        super().suits(algorithm)
        islands, kind = algorithm.islands.count, f"fitness.kind={self.kind}"
        if of_island(algorithm).population < 2:
            least = f"a whole number from {2 * islands}, with {kind}"
            reject("algorithm.population", algorithm.population, least + (", two on an island" if islands > 1 else ""))
        if algorithm.chunk is not None:
            accepted = f"null with {kind}; individuals that play each other are evaluated together"
            reject("algorithm.chunk", algorithm.chunk, accepted)
        if isinstance(algorithm, GPOptions):
            for name in ("by_case", "sharing"):
                # No two individuals meet the same opponents.
                if value := getattr(algorithm.selection, name):
                    reject(f"algorithm.selection.{name}", value, f"0, with {kind}")

    def check(self, config: "Config", cast: "Cast") -> None:
        """Refuse deeper searches while measured where individuals do not search; see `Games.check`."""
        super().check(config, cast)
        self.deeper(cast)

    def opening_of(self, section: str) -> str:
        """Return the option for the panel, which is the referee, or for the others."""
        return "measured_opening" if section == "opponents" else "opening_plies"

    def referee(self, cast: "Cast", seated: Seated) -> "PanelFitness":
        """Return what measures the fittest."""
        return self.against(self.deeper(cast), seated, self.measured_opening)

    def deeper(self, cast: "Cast") -> "Cast":
        """Return how individuals play while they are measured; raises UsageError."""
        return cast if self.measured_depth is None else cast.at_depth(self.measured_depth, "fitness.measured_depth")

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        return f"play {game} well against others of the population"

    def judged(self) -> tuple[str, str]:
        """Return the row of the parameter table that says what the referee does."""
        searching = "" if self.measured_depth is None else f"searching {plies(self.measured_depth)} "
        begun = f", after {self.measured_opening} random moves" if self.measured_opening else ""
        said = f"{self.by_panel()}, {searching}against {self.said()}{begun}{self.dice()}"
        return f"{self.fittest()} of each generation measured by", said

    def opened(self) -> str:
        """Say in words how games begin."""
        return f", each after {self.opening_plies} random moves" if self.opening_plies else ""


def list_met(fitness: FitnessOptions) -> Iterator[tuple[str, str, OpponentOptions]]:
    """Yield everybody that individuals meet: the section of options, the name there, and the options."""
    for one in options.list_options(fitness):
        value = getattr(fitness, one.name)
        if isinstance(value, dict):
            yield from ((one.name, name, entry) for name, entry in value.items() if isinstance(entry, OpponentOptions))


def few(fitness: FitnessOptions, name: str, algorithm: AnyAlgorithm) -> None:
    """Check that an option is at most the population, or that of an island; raises UsageError."""
    whose = "algorithm.population" if algorithm.islands.count == 1 else "the population of an island"
    options.bound(fitness, name, "fitness.", high=of_island(algorithm).population, why=whose)
