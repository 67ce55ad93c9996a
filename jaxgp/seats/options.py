"""Kinds of players: the options that all have in common, and the kinds by name. Importing this does not import JAX.

A kind is one file of `jaxgp/seats/kinds`, named as the kind is, with one dataclass. A kind in a folder outside the
project works in the same way; see `jaxgp.checks.unions.Kinds`.

A player is spelled `KIND`, or `KIND:VALUE` with the value of its main option, as in `search:3`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

from jaxgp.checks.unions import Kinds, of_kind
from jaxgp.errors import UsageError, reject, rejection, show
from jaxgp.options import DEEPEST, MAX_FITNESS, MAX_GAMES, MAX_WEIGHT, find, make_checked, option
from jaxgp.reading import whole_number

if TYPE_CHECKING:
    from jaxgp.contracts import Opponent
    from jaxgp.games.casting import Cast
    from jaxgp.genotypes.language import Genome
    from jaxgp.players.panel import Create, SearchLimits
    from jaxgp.seats.agents import Agent
    from jaxgp.spec import Hand

FIRST = "search"
"""The kind that is meant where none is named, and that lists begin with."""
FORMER = {
    "minimax": "search",
    "programs": "program",
    "champions": "champion",
    "gtp": "engine",
    "rules": "program:FILE",
}
"""Former names of kinds -> what is written today."""


@dataclass(kw_only=True)
class PlayerOptions:
    """One player; its class is that of its kind.

    Attributes:
        kinds: the dataclass of each kind, by name, with the further options of the place that this class stands for.
        kind: the name of the kind.
        main: the option that a word such as `search:3` sets; empty: none.
        words: the options that name the player in tables.
        trains: whether it is met in batches, so that individuals can evolve against it.
        measures: whether it is met where champions are measured, though it trains nobody.
        fixed: whether it is one player, that can be measured as a champion is.
        drives: whether it can drive in a simulation.
        former: former names of kinds -> what is written today.
    """

    kinds: ClassVar[Kinds] = Kinds("kind", "jaxgp.seats.kinds", FIRST)
    former: ClassVar[Mapping[str, str]] = FORMER

    kind: str = option("", "what kind of player")

    main: ClassVar[str] = ""
    words: ClassVar[tuple[str, ...]] = ()
    trains: ClassVar[bool] = False
    measures: ClassVar[bool] = False
    fixed: ClassVar[bool] = False
    drives: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """The player in words that stay the same; null stands for what the game has first."""
        values = ((name, getattr(self, name)) for name in self.words)
        return " ".join([self.kind, *(f"{name}={show(None if value == '' else value)}" for name, value in values)])

    @property
    def rivals(self) -> int:
        """How many players it stands for in a batch."""
        return 1

    @property
    def bound(self) -> bool:
        """Whether it names what one game has, so that other games are not meant."""
        return False

    @property
    def says(self) -> str:
        """The player in words for people."""
        return self.kind

    @property
    def short(self) -> str:
        """What tables and pictures call it: the value of its main option, or else its kind."""
        return str(getattr(self, self.main, "") or self.kind)

    @property
    def plies(self) -> int:
        """Plies that it searches, at least; of a player that does not search the most that any search has."""
        return DEEPEST

    def named(self, cast: "Cast") -> Self:
        """Return the player with the names of what the game has first in place of null."""
        del cast
        return self

    def unfit(self, cast: "Cast") -> str:
        """Say why players of this kind cannot play a game; the empty text if they can."""
        if cast.simulated:
            return "" if self.drives else f"{cast.game.name} is a simulation"
        return "" if cast.game.seats > 1 else f"{cast.game.name} is a game for one"

    def missing(self, option: str, cast: "Cast") -> str:
        """Say what it needs that this machine lacks; the empty text: nothing. Raises UsageError; see `check`."""
        del option, cast
        return ""

    def chance(self, cast: "Cast") -> bool:
        """Whether it draws its moves."""
        del cast
        return False

    def spread(self, games: int) -> tuple[Self, int]:
        """Return who is met where `games` games from each seat measure a player, and games from each seat with each."""
        return self, games

    def check(self, option: str, cast: "Cast") -> None:
        """Refuse what the game does not have; `option` names the player. Raises UsageError."""
        if why := self.unfit(cast):
            fit = [name for name, kind in self.kinds.all().items() if not kind().unfit(cast)]
            reject(f"{option}.kind", self.kind, ", ".join(fit), why)

    def opponent(self, cast: "Cast", create: "Create", games: int, terms: "SearchLimits") -> "Opponent":
        """Seat it in a batch.

        Args:
            cast: the game, and how genomes play it.
            create: makes random genomes.
            games: games from each seat.
            terms: limits of searches.

        Raises:
            UsageError: something that the game does not have, or a kind that does not play in batches.
        """
        reject("kind", self.kind, ", ".join(name for name, kind in self.kinds.all().items() if kind.trains))

    def agent(self, option: str, cast: "Cast", champion: "Genome | None" = None) -> "Agent | None":
        """Seat it at the table; a person is None.

        Args:
            option: names the player in messages.
            cast: the game, and how genomes play it.
            champion: of a run.

        Raises:
            UsageError: something that it lacks, or that the game does not have.
            RunError: an engine fails.
        """
        raise NotImplementedError

    def hand(self, option: str, cast: "Cast", champion: "Genome | None" = None) -> "Hand":
        """Let it drive in a simulation; see `agent`, also for the errors."""
        raise NotImplementedError


@dataclass(kw_only=True)
class GenomeOptions(PlayerOptions):
    """Individuals: one at the table, several in a batch."""

    count: int = option(1, "in a panel: how many", low=1, high=MAX_GAMES)

    trains = True

    @property
    def rivals(self) -> int:
        return self.count

    def unfit(self, cast: "Cast") -> str:
        return f"no genomes play {cast.game.name}" if cast.role is None else ""


@dataclass(kw_only=True)
class OpponentOptions(PlayerOptions):
    """One member of a panel, which every individual plays against from both seats."""

    games: int = option(1, "games from each seat (each against the next of `count`, in turn)", low=1, high=MAX_GAMES)
    weight: float = option(1.0, "weight in the fitness", low=0, high=MAX_WEIGHT)

    def seat(self, cast: "Cast", create: "Create", terms: "SearchLimits") -> "Opponent":
        """Seat it in a batch, for its number of games; see `opponent`."""
        return self.opponent(cast, create, self.games, terms)


@dataclass(kw_only=True)
class GuideOptions(OpponentOptions):
    """An opponent that a population that plays among itself meets as well."""

    rounds: int = option(1, "guides: rounds of `games` from each seat, one after the other", low=1, high=MAX_GAMES)
    cutoff: float | None = option(
        None,
        "guides: individuals that trail the best fitness by more than this sit a round out; null: none",
        low=0,
        high=MAX_FITNESS,
    )


@cache
def _combined(kind: "type[PlayerOptions]", terms: type) -> type:
    """Return the dataclass of a kind with further options, those of `terms`."""
    inside = {"__module__": kind.__module__, "__doc__": kind.__doc__, "kind": kind.kind}
    form: Callable[..., Any] = dataclass(kw_only=True)
    return cast(type, form(type(kind.__name__, (kind, terms), inside)))


class Places(Kinds):
    """Kinds of players with the further options of a place where some of them play."""

    def __init__(self, terms: type, admits: Callable[[type[PlayerOptions]], bool]) -> None:
        """Take the further options from `terms`, and the kinds that `admits` names."""
        super().__init__("kind", "jaxgp.seats.kinds", FIRST)
        self._terms, self._admits = terms, admits

    def all(self) -> dict[str, Any]:
        """Return the dataclass of each kind that can play here, the default first."""
        kinds = PlayerOptions.kinds.all().items()
        return {name: _combined(kind, self._terms) for name, kind in kinds if self._admits(kind)}

    def add(self, folder: Path) -> str:
        """Add a kind from a folder outside the project to all places; see `Kinds.add`."""
        return PlayerOptions.kinds.add(folder)


OpponentOptions.kinds = Places(OpponentOptions, lambda kind: kind.trains or kind.measures)
GuideOptions.kinds = Places(GuideOptions, lambda kind: kind.trains)

Union = TypeVar("Union", bound=PlayerOptions)


def player(kind: str, **values: object) -> PlayerOptions:
    """Return a player with some of its options; raises KeyError for an unknown kind."""
    return cast(PlayerOptions, PlayerOptions.kinds.all()[kind](**values))


def opponent(kind: str = FIRST, **values: object) -> OpponentOptions:
    """Return a member of a panel with some of its options; raises KeyError for an unknown kind."""
    return cast(OpponentOptions, OpponentOptions.kinds.all()[kind](**values))


def guide(kind: str = FIRST, **values: object) -> GuideOptions:
    """Return a guide with some of its options; raises KeyError for an unknown kind."""
    return cast(GuideOptions, GuideOptions.kinds.all()[kind](**values))


def parse_player(option: str, word: str, union: type[Union]) -> Union:
    """Return the player that a word names, `KIND` or `KIND:VALUE`.

    Raises:
        UsageError: an unknown kind, or a value that its main option does not take.
    """
    kind, colon, written = word.partition(":")
    form = of_kind(option, kind, union.kinds.all(), FORMER, colon + written)
    if not colon:
        return form()
    if not form.main:
        reject(option, word, kind)
    main = find(form, form.main)
    number = whole_number(written) if int in main.kinds else None
    value: object = written if number is None else number
    try:
        return make_checked(form, {form.main: value}, f"{option}.")
    except UsageError as error:
        raise rejection(option, word, f"{kind}:{form.main.upper()}, {error.accepted}") from error


def spellings(union: type[PlayerOptions]) -> list[str]:
    """Return how players are spelled: `random`, `search:DEPTH`."""
    return [f"{name}:{kind.main.upper()}" if kind.main else name for name, kind in union.kinds.all().items()]
