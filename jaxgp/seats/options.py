"""Kinds of players: the options that all have in common, and the kinds by name. Importing this does not import JAX.

A kind is one file of `jaxgp/seats/kinds`, named as the kind is, with one dataclass. A file outside the project may add
one; see `adopt`. A player is spelled `KIND`, or `KIND:VALUE` with the value of its main option, as in `search:3`.
"""

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

from jaxgp.errors import UsageError, reject, rejected, show
from jaxgp.files import user_path
from jaxgp.options import DEEPEST, MAX_FITNESS, MAX_GAMES, MAX_WEIGHT, declared, find, made, of_kind, option

if TYPE_CHECKING:
    from jaxgp.contracts import Opponent
    from jaxgp.genotypes.language import Genome
    from jaxgp.players.panel import Create, Terms
    from jaxgp.seats.agents import Agent
    from jaxgp.spec import Cast

FIRST = "search"
"""The kind that is meant where none is named, and that lists begin with."""
RENAMED = {
    "minimax": "search",
    "programs": "program",
    "champions": "champion",
    "gtp": "engine",
    "rules": "program:FILE",
}
"""Former names of kinds -> what is written today."""


FORMER = ["depth", "ties", "evaluator", "name", "command", "count", "rounds", "cutoff"]
"""Options that every player in a file of an earlier version has."""


@dataclass(kw_only=True)
class PlayerOptions:
    """One player; its class is that of its kind.

    Attributes:
        kind: see `kinds`.
        main: the option that a word such as `search:3` sets; empty: none.
        words: the options that name the player in tables.
        trains: whether it is met in batches, so that individuals can evolve against it.
        measures: whether it is met where champions are measured, though it trains nobody.
        fixed: whether it is one player, that can be measured as a champion is.
        renamed: former names of kinds -> what is written today.
    """

    kind: str = option("", "what kind of player")

    main: ClassVar[str] = ""
    words: ClassVar[tuple[str, ...]] = ()
    trains: ClassVar[bool] = False
    measures: ClassVar[bool] = False
    fixed: ClassVar[bool] = False
    renamed: ClassVar[Mapping[str, str]] = RENAMED

    @classmethod
    def admits(cls, kind: "type[PlayerOptions]") -> bool:
        """Whether a kind can play here: at the table all can."""
        del kind
        return True

    @classmethod
    def kinds(cls) -> "dict[str, type[Self]]":
        """Return the dataclass of each kind, by name, with the further options of this class."""
        every: Any = _every().items()
        terms: Any = next(base for base in cls.__mro__ if "admits" in vars(base))
        found = {name: _combined(form, terms) for name, form in every if terms.admits(form)}
        return cast("dict[str, type[Self]]", found)

    @staticmethod
    def adopt(option: str, path: str) -> str:
        """Add the kind of a file outside the project; see the function of this name."""
        return adopt(option, path)

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
    def plies(self) -> int:
        """Plies that it searches, at least; of a player that does not search the most that any search has."""
        return DEEPEST

    def named(self, cast: "Cast") -> Self:
        """Return the player with the names of what the game has first in place of null."""
        del cast
        return self

    def unfit(self, cast: "Cast") -> str:
        """Say why players of this kind cannot play a game; the empty text if they can."""
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
            fit = [name for name, kind in self.kinds().items() if not kind().unfit(cast)]
            reject(f"{option}.kind", self.kind, ", ".join(fit), why)

    def opponent(self, cast: "Cast", create: "Create", games: int, terms: "Terms") -> "Opponent":
        """Seat it in a batch.

        Args:
            cast: the game, and how genomes play it.
            create: makes random genomes.
            games: games from each seat.
            terms: limits of searches.

        Raises:
            UsageError: something that the game does not have, or a kind that does not play in batches.
        """
        reject("kind", self.kind, ", ".join(name for name, kind in self.kinds().items() if kind.trains))

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


@dataclass(kw_only=True)
class OpponentOptions(PlayerOptions):
    """One member of a panel, which every individual plays against from both seats."""

    games: int = option(1, "games from each seat (each against the next of `count`, in turn)", low=1, high=MAX_GAMES)
    weight: float = option(1.0, "weight in the fitness", low=0, high=MAX_WEIGHT)

    @classmethod
    def admits(cls, kind: type[PlayerOptions]) -> bool:
        """Whether a kind can be in a panel."""
        return kind.trains or kind.measures

    def seat(self, cast: "Cast", create: "Create", terms: "Terms") -> "Opponent":
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

    @classmethod
    def admits(cls, kind: type[PlayerOptions]) -> bool:
        """Whether a kind can be a guide."""
        return kind.trains


Union = TypeVar("Union", bound=PlayerOptions)


def player(kind: str, **values: object) -> PlayerOptions:
    """Return a player with some of its options; raises KeyError for an unknown kind."""
    return PlayerOptions.kinds()[kind](**values)  # type: ignore[arg-type]


def opponent(kind: str = FIRST, **values: object) -> OpponentOptions:
    """Return a member of a panel with some of its options; raises KeyError for an unknown kind."""
    return OpponentOptions.kinds()[kind](**values)  # type: ignore[arg-type]


def guide(kind: str = FIRST, **values: object) -> GuideOptions:
    """Return a guide with some of its options; raises KeyError for an unknown kind."""
    return GuideOptions.kinds()[kind](**values)  # type: ignore[arg-type]


def spelled(option: str, word: str, union: type[Union]) -> Union:
    """Return the player that a word names, `KIND` or `KIND:VALUE`.

    Raises:
        UsageError: an unknown kind, or a value that its main option does not take.
    """
    kind, colon, written = word.partition(":")
    form = of_kind(option, kind, union.kinds(), RENAMED, colon + written)
    if not colon:
        return form()
    if not form.main:
        reject(option, word, kind)
    main = find(form, form.main)
    value: object = int(written) if int in main.kinds and written.isdecimal() else written
    try:
        return made(form, {form.main: value}, f"{option}.")
    except UsageError as error:
        raise rejected(option, word, f"{kind}:{form.main.upper()}, {error.accepted}") from error


def spellings(union: type[PlayerOptions]) -> list[str]:
    """Return how players are spelled: `random`, `search:DEPTH`."""
    return [f"{name}:{kind.main.upper()}" if kind.main else name for name, kind in union.kinds().items()]


def modern(values: Mapping[str, object], union: type[PlayerOptions]) -> dict[str, object]:
    """Return a player in a file of an earlier version as today's files have it.

    One dataclass had the options of all kinds, so that files named options of other kinds with their defaults.
    """
    former = str(values.get("kind", FIRST))
    kind = RENAMED.get(former, former)
    form = union.kinds().get(kind)
    known = FORMER if form is None else [one.name for one in declared(form)]
    if kind != former:  # champions had no depth of their own
        known = [name for name in known if name != "depth"]
    return {name: value for name, value in values.items() if name in known or name not in FORMER} | {"kind": kind}


def plies(depth: int) -> str:
    """Write a depth in plies."""
    return f"{depth} {'ply' if depth == 1 else 'plies'}"


# The kinds, by name

_outside: dict[str, type[PlayerOptions]] = {}


def adopt(option: str, path: str) -> str:
    """Add the kind of a file outside the project; return its name, which is that of the file.

    Only what a person typed may come here: no name in a file may lead to an import.

    Raises:
        UsageError: it is not a Python file with a dataclass of a player whose kind is named as the file is.
    """
    file = user_path(option, path).expanduser().resolve()
    accepted = f"a Python file with a dataclass of PlayerOptions whose kind is {file.stem}, as the file is called"
    if file.suffix != ".py" or not file.is_file() or file.stem in _shipped():
        reject(option, path, accepted)
    name = f"jaxgp_outside_{file.stem}"
    located = importlib.util.spec_from_file_location(name, file)
    assert located is not None
    assert located.loader is not None
    module = importlib.util.module_from_spec(located)
    sys.modules[name] = module
    located.loader.exec_module(module)
    found = _kind_in(module, file.stem)
    if found is None:
        reject(option, path, accepted)
    _outside[file.stem] = found
    return file.stem


def _every() -> dict[str, type[PlayerOptions]]:
    return _shipped() | _outside


@cache
def _shipped() -> dict[str, type[PlayerOptions]]:
    folder = Path(__file__).with_name("kinds")
    names = sorted((one.name for one in pkgutil.iter_modules([str(folder)])), key=lambda name: (name != FIRST, name))
    found = {name: _kind_in(importlib.import_module(f"jaxgp.seats.kinds.{name}"), name) for name in names}
    return {name: kind for name, kind in found.items() if kind is not None}


def _kind_in(module: ModuleType, name: str) -> type[PlayerOptions] | None:
    """Return the dataclass of a kind in its module; None if there is none of this name."""
    classes = (one for one in vars(module).values() if isinstance(one, type) and issubclass(one, PlayerOptions))
    return next((one for one in classes if getattr(one, "kind", None) == name), None)


@cache
def _combined(kind: Any, terms: Any) -> type[PlayerOptions]:
    """Return the dataclass of a kind with further options, those of `terms`."""
    if terms is PlayerOptions:
        return cast("type[PlayerOptions]", kind)
    inside: dict[str, Any] = {"__module__": kind.__module__, "__doc__": kind.__doc__}
    form: Callable[..., Any] = dataclass(kw_only=True)
    return cast("type[PlayerOptions]", form(type(kind.__name__, (kind, terms), inside)))
