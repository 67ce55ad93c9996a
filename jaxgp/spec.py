"""What a game hands to the engine: one typed value, its `Spec`; `jaxgp.games.outside` says where games are found."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from jax import Array

from jaxgp import contracts, options
from jaxgp.contracts import Actor, Driver, Game, Problem, Simulation, States, World
from jaxgp.errors import UsageError, reject
from jaxgp.games.notation import Dialect, Drawing, Notation, OfTurns, Positions, Showing
from jaxgp.games.originals import Original

if TYPE_CHECKING:
    from jaxgp.export.export import Written
    from jaxgp.genotypes.language import Language
    from jaxgp.players.taught import DecisionProcess, Lessons, LessonStock
    from jaxgp.search.listed import ListedGame
    from jaxgp.search.lookahead import Twin
    from jaxgp.search.proofs.proof import PlainRules

Rules = TypeVar("Rules", bound=Game | Simulation | Problem[Any])
Item = TypeVar("Item")
Turns = TypeVar("Turns", bound=Game)
Drawn = TypeVar("Drawn", contravariant=True)
Options = TypeVar("Options")
Genotype = Literal["program", "rules"]
Evaluator = Callable[[Any, Any], Array]
"""(game, state) -> float32[]: the value of a position for the side to move; it must accept ended games and the twin's
states."""

Choice = Callable[[Any, Array], Array]
"""A fixed player that is a function, hashable: (state, uint32[] random bits) -> int32[], a legal action."""


def _nothing(*_: object) -> None:
    return None


def _silent(*_: object) -> str:
    return ""


def _no_others(*_: object) -> Mapping[str, float]:
    return {}


def _no_judge(*_: object) -> None:
    return None


class ChoosesTurns(ABC):
    """A `Choice` that also chooses in many states at once, and several moves of its side, where this is faster."""

    @abstractmethod
    def turns(self, states: States, bits: Array, active: Array) -> Array:
        """Return int32[N, K] moves for states [N], as `jaxgp.contracts.Player.act` does; `bits` is uint32[N]."""


@dataclass(frozen=True)
class RandomEvaluator:
    """An evaluator whose values are drawn anew for every search.

    Attributes:
        value: (game, state, uint32[]) -> float32[]: the value of a position for the side to move, a function of the
            draw. Every search has a draw of its own, uniform; within one search a position keeps its value.
    """

    value: Callable[[Any, Any, Array], Array]


@dataclass(frozen=True)
class Role(Generic[Rules, Options]):
    """One way for genomes to play a game.

    Attributes:
        name: what `program.role` calls it.
        says: what genomes do in it, in a few words.
        genotype: what the genomes are, `program` or `rules`.
        options: a dataclass of its options, declared by `jaxgp.options.option`. Its `__post_init__` may check the
            conditions between options, and raises ValueError.
        make: (rules, options) -> the language that genomes are written in, and the actor that plays them. Raises
            ValueError for options that these rules do not allow.
        deeper: (options, plies) -> options with which the same genomes search `plies` deep; None if they do not search.
        exports: name of a notation -> what writes an individual in it.
        named: those notations in which an individual has a name of its own; what writes it may refuse names.
        features: name of the features in exported text.
    """

    name: str
    says: str
    genotype: Genotype
    options: type[Options]
    make: "Callable[[Rules, Options], tuple[Language, Actor]]"
    deeper: Callable[[Options, int], Options] | None = None
    exports: "Mapping[str, Callable[[Rules, Options, Written, str], str]]" = field(default_factory=dict, hash=False)
    named: tuple[str, ...] = ()
    features: str = "features"


@dataclass(frozen=True)
class Strategy:
    """A fixed player: a genome written by hand.

    Attributes:
        role: the name of the role that it plays in.
        options: the options of that role.
        text: the genome as text.
        own: names of the options that its text needs. Where it is measured beside a champion, it takes the others from
            the champion's role.
    """

    role: str
    options: Any
    text: str
    own: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hand:
    """A fixed driver: one written by hand, as a function or as one of many that a driver knows by number.

    Attributes:
        driver: how it drives; equal drivers drive their genomes in one batch.
        genome: what it drives by, a tree of NumPy arrays or numbers without a leading axis: 0 where it means nothing.
    """

    driver: Driver
    genome: Any = 0


def _very_long(rules: object) -> int:
    """Return more moves than people or programs make in a game that need not end."""
    del rules
    return 10_000


@dataclass(frozen=True)
class Searches(OfTurns, Generic[Rules]):
    """How searches play a game.

    Attributes:
        evaluators: rules -> the evaluators on this board, by name, the default first.
        twin: rules -> the same game with states made for searching, or None.
        certainty: (rules, evaluator) -> the game to search for proved results, and the least absolute value that proves
            a result; None for an evaluator that proves nothing.
    """

    evaluators: Callable[[Rules], Mapping[str, Evaluator | RandomEvaluator]]
    twin: "Callable[[Rules], Twin | None]" = _nothing
    certainty: Callable[[Rules, str], tuple[Game, float] | None] = _nothing


@dataclass(frozen=True)
class Teachers(OfTurns, Generic[Rules]):
    """Fixed players that judge decisions.

    Attributes:
        names: the default first.
        lessons: (rules, the name of a teacher) -> (typed key, count) -> that many decisions of the game, judged; raises
            ValueError where these rules have no such teacher.
        others: rules -> in what share of the decisions of the default teacher others play a best move, by what they are
            called; measured once and for all.
        judge: rules -> state -> float32[W], what each move on the list of a game that `ListsMoves` is worth; beyond the
            last move unspecified. None: the default teacher judges no given positions under these rules.
        process: rules -> all decisions of the side that moves first, against the best replies; raises UsageError where
            these rules have too many. None: no rules have it.
        filed: (rules, a file) -> the lessons in it; raises UsageError. None: there are no files of them.
    """

    names: tuple[str, ...]
    lessons: "Callable[[Rules, str | None], Callable[[Array, int], Lessons]]"
    others: Callable[[Rules], Mapping[str, float]] = _no_others
    judge: "Callable[[Rules], Callable[[Any], Array] | None]" = _no_judge
    process: "Callable[[Rules], DecisionProcess] | None" = None
    filed: "Callable[[Rules, Path], LessonStock] | None" = None


@dataclass(frozen=True)
class Fixed(Generic[Rules]):
    """Fixed players.

    Attributes:
        names: the default first.
        make: (name, rules) -> that player, a genome, a function or, in a simulation, a driver; raises ValueError where
            these rules have none.
        teachers: those that judge decisions.
    """

    names: tuple[str, ...]
    make: Callable[[str, Rules], Strategy | Choice | Hand]
    teachers: Teachers[Rules] | None = None


@dataclass(frozen=True)
class Instances:
    """Instances of a puzzle, a problem or a simulation, N of them, in the order of their list.

    Attributes:
        names: of each.
        states: [N], the instances, in NumPy arrays: of a puzzle its states, of a simulation what `begin` takes.
        test: bool[N], those that no evolution may see.
        reference: int32[N], nodes that a fixed search of problems needs, -1 where it is not known; None: there is none.
        keys: int32[N, K], of problems the first moves that win by force, then -1; None: they are not known.
        lengths: int32[N], of problems how many moves the solver may make; None: these are no problems.
    """

    names: tuple[str, ...]
    states: States
    test: np.ndarray
    reference: np.ndarray | None = None
    keys: np.ndarray | None = None
    lengths: np.ndarray | None = None


@dataclass(frozen=True)
class Suites(Generic[Rules]):
    """The lists of instances of a puzzle, or of a simulation that is `Instanced`.

    Attributes:
        setting: the setting that selects the instance; where a champion is measured, a suite takes its place.
        names: rules -> the names of the lists that fit them, the default first.
        load: (rules, the name of a suite or of a file, the option that named it) -> its instances; raises UsageError,
            whose message names the option.
        prove: (rules, an instance in NumPy arrays, actions): a program apart from the engine plays a solution; raises
            ValueError where it is none.
    """

    setting: str
    names: Callable[[Rules], tuple[str, ...]]
    load: Callable[[Rules, str, str], Instances]
    prove: Callable[[Rules, Any, Sequence[int]], None] = _nothing


@dataclass(frozen=True)
class Solo(OfTurns, Generic[Rules]):
    """A game for one whose score counts.

    Attributes:
        listed: rules -> the game with its legal actions in a list, for nested searches.
        random_scores: (rules, key, lanes, rounds) -> int32[lanes, rounds] scores of random games.
    """

    listed: "Callable[[Rules], ListedGame]"
    random_scores: Callable[[Rules, Array, int, int], Array]


@dataclass(frozen=True)
class Exercise:
    """Something to practise: the first player is a person who is to win.

    Attributes:
        settings: of the rules.
        opponent: the name of the strategy that plays the other side.
    """

    settings: Mapping[str, Any]
    opponent: str


class Spot(NamedTuple):
    """A rectangle of the picture of a state that people point at, in the units of the picture.

    Attributes:
        places: the places that it stands for; which of them is meant follows from what was pointed at before.
        x: the left edge.
        y: the upper edge.
    """

    places: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Pointing(Generic[Rules]):
    """How moves are made by pointing at the picture of a state.

    Attributes:
        places: (rules, state, a legal action) -> the places that are pointed at one after the other; empty: none, and
            the move has a button. Moves whose places are equal are told apart by buttons as well.
        spots: (rules, state, seat at the bottom) -> where the places are in the picture that `svg` draws; of those that
            overlap, the later ones lie above.
    """

    places: Callable[[Rules, Any, int], tuple[str, ...]]
    spots: Callable[[Rules, Any, int], Sequence[Spot]]


@dataclass(frozen=True)
class Table(OfTurns, Generic[Rules]):
    """What people are offered at the table.

    Attributes:
        typed: in words, the ways in which moves can be typed; None: by their names alone.
        turn: (rules, state, text) -> the moves of a turn that a person typed at once, legal one after the other; raises
            ValueError, which says what is accepted. None: moves are typed one by one.
        rules: what a newcomer has to know to play, in ten lines at most; empty: nothing is said.
        colours: a regular expression of what stands in the text of a state -> how a terminal shows it, as Rich names
            styles: "bold red".
        hints: rules -> what answers a request for a hint: state -> the move to make, or None if there is none, and in
            words what is known of it. None: a search answers, or the game's first strategy.
        ending: of a game for one, (rules, ended state) -> in words how it has ended; None: its score says it.
        remarks: rules -> what says what a move did: (state before it, action) -> a sentence; None if nothing is known.
        exercises: what a beginner can practise, by name.
        pointing: how moves are made by pointing; None: each has a button.
        rolled: (rules, state) -> in words, what chance gives for the next move: " with 6-2"; empty: nothing.
    """

    typed: str | None = None
    turn: Callable[[Rules, Any, str], Sequence[int]] | None = None
    rules: str = ""
    colours: Mapping[str, str] = field(default_factory=dict, hash=False)
    hints: Callable[[Rules], Callable[[Any], tuple[int | None, str]] | None] | None = None
    ending: Callable[[Rules, Any], str] | None = None
    remarks: Callable[[Rules], Callable[[Any, int], str] | None] | None = None
    exercises: Mapping[str, Exercise] = field(default_factory=dict, hash=False)
    pointing: Pointing[Rules] | None = None
    rolled: Callable[[Rules, Any], str] = _silent


@dataclass(frozen=True)
class Proving(Generic[Rules]):
    """How problems are told to people, and how proofs are checked. A position is one of the plain rules.

    Attributes:
        plain: rules in plain Python that share nothing with those of searches.
        text: (rules, state) -> the position as the plain rules read it.
        name: (rules, state, action) -> what a move is called in proofs.
        action: (rules, state, name) -> the action.
        written: (position, name) -> the move as people write it.
        typed: (position, text) -> the name of the move that a person typed; raises ValueError.
        accepted: what people may type, in words.
        files: by the ending of a file, (proof, its first moves) -> the text, such as one SVG.
    """

    plain: "PlainRules"
    text: Callable[[Rules, Any], str]
    name: Callable[[Rules, Any, int], str]
    action: Callable[[Rules, Any, str], int]
    written: Callable[[Any, str], str]
    typed: Callable[[Any, str], str]
    accepted: str
    files: Mapping[str, Callable[[Any, Sequence[Any]], str]]


@dataclass(frozen=True)
class Spec(Generic[Rules]):
    """A game, with all that the engine and people need of it. What it does not have is None.

    Attributes:
        rules: a frozen dataclass; its fields are the settings of the game, declared by `jaxgp.options.option`.
        drawing: pictures of its states.
        roles: ways for genomes to play it, the default first; empty: only people, searches and chance play it.
        notation: how moves and whole games are written.
        searches: how searches play it.
        fixed: its fixed players.
        instances: of a puzzle, or of a simulation.
        solo: of a game for one whose score counts.
        table: what people are offered.
        showing: of a simulation, how whole rollouts are shown.
        proving: of a problem, how it is told and its proofs are checked.
        dialect: rules -> the dialect of engines outside; None: no engine plays it.
        originals: of a simulation, the programs outside in which exported genomes drive, by name.
        vet: refuses settings that only a search can judge, such as a puzzle without a solution; raises ValueError,
            which says what is accepted.
        longest: rules -> the moves that a game can have; a file with more is none of a game.
    """

    rules: type[Rules]
    drawing: Drawing[Rules]
    roles: tuple[Role[Rules, Any], ...] = ()
    notation: Notation[Rules] = field(default_factory=Notation)
    searches: Searches[Rules] | None = None
    fixed: Fixed[Rules] | None = None
    instances: Suites[Rules] | None = None
    solo: Solo[Rules] | None = None
    table: Table[Rules] = field(default_factory=Table)
    showing: Showing[Rules] = field(default_factory=Showing)
    proving: Proving[Rules] | None = None
    dialect: Callable[[Rules], Dialect | Positions] | None = None
    originals: Mapping[str, Original[Rules]] = field(default_factory=dict, hash=False)
    vet: Callable[[Rules], None] = _nothing
    longest: Callable[[Rules], int] = _very_long

    def __post_init__(self) -> None:
        simulated = issubclass(self.rules, Simulation)
        for one in fields(self):
            value = getattr(self, one.name)
            of_turns = isinstance(value, OfTurns) or one.name == "dialect"
            given = value is not None and value not in (Notation(), Table(), Showing())
            if given and (of_turns if simulated else isinstance(value, Showing)):
                what = "simulation" if simulated else "game of turns"
                raise UsageError(f"{one.name}: {self.name} is a {what}, which has none; leave it out")

    def __repr__(self) -> str:
        return f"Spec({self.name})"

    @property
    def name(self) -> str:
        """Its name on the command line, `game=NAME`."""
        return str(self.rules.name)

    def make(self, **settings: object) -> Rules:
        """Return the rules with some settings.

        Raises:
            ValueError: an unknown setting, or a wrong value; the message says what is accepted.
        """
        if lacking := lacks(self.rules):
            accepted = "a game with " + ", ".join(f"{name} ({kind})" for name, kind in lacking.items())
            reject("game", self.rules.__name__, accepted)
        names = [one.name for one in options.list_options(self.rules)]
        for key in settings:
            if key not in names:
                raise UsageError(f"game.{key}: unknown setting of {self.name}; accepted: {', '.join(names)}")
        rules = self.rules(**settings)
        options.check(rules, "game.")
        self.vet(rules)
        return rules

    def role(self, name: str | None = None, genotype: str | None = None) -> Role[Rules, Any]:
        """Return a role by its name, by default the first one for a genotype.

        Raises:
            UsageError: there is none.
        """
        fitting = [one for one in self.roles if genotype in (None, one.genotype)]
        if not fitting:
            wanted = f"are {genotype}" if self.roles else "play it"
            raise UsageError(f"game={self.name}: no genomes that {wanted}")
        found = next((one for one in fitting if name in (None, one.name)), None)
        if found is None:
            reject("program.role", name, ", ".join(one.name for one in fitting))
        return found

    def strategy_of(self, name: str | None, game: Rules) -> Strategy | Choice | Hand:
        """Return a fixed player, by default the first; raises ValueError if these rules have none of that name."""
        if self.fixed is None:
            raise ValueError(f"{self.name} has no strategies")
        return self.fixed.make(name or self.fixed.names[0], game)

    @property
    def strategies(self) -> tuple[str, ...]:
        """The names of its fixed players, the default first."""
        return () if self.fixed is None else self.fixed.names

    @property
    def teachers(self) -> Teachers[Rules] | None:
        """Those of its fixed players that judge decisions; None: there are none."""
        return None if self.fixed is None else self.fixed.teachers

    def evaluators(self, game: Rules) -> Mapping[str, Evaluator | RandomEvaluator]:
        """Return the evaluators of searches on this board, by name, the default first."""
        return {} if self.searches is None else self.searches.evaluators(game)

    @property
    def instance(self) -> str | None:
        """The setting that selects the instance of a puzzle; None: the game is none."""
        return None if self.instances is None else self.instances.setting

    def suites(self, game: Rules) -> tuple[str, ...]:
        """Return the names of the lists of instances that fit these rules, the default first."""
        return () if self.instances is None else self.instances.names(game)


def lacks(rules: type) -> dict[str, str]:
    """Return what a class of rules has to define and does not: name -> the contract that asks for it.

    A class that is no `Simulation` and no `Problem` is a `Game`; what else it promises, it says by its bases.
    """
    bases = [base for base in rules.__mro__ if base.__module__ == contracts.__name__]
    asked = bases if issubclass(rules, Simulation | Problem) else [*bases, Game, World]
    promised = {name: base.__name__ for base in reversed(asked) for name in (*vars(base), *_annotated(base))}
    given = {name for base in rules.__mro__ if base not in bases for name in (*vars(base), *_annotated(base))}
    return {name: kind for name, kind in promised.items() if not name.startswith("_") and name not in given}


def _annotated(base: type) -> Iterable[str]:
    """Return the names that a class annotates: fields of a dataclass need no value."""
    return vars(base).get("__annotations__", ())
