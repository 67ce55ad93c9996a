"""How states, moves and whole games are drawn and written, for people, for files and for other programs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from jaxgp.contracts import Game, Problem, Simulation, States
from jaxgp.printable import show_typed
from jaxgp.reading import whole_number

Rules = TypeVar("Rules", bound=Game | Simulation | Problem[Any])
Item = TypeVar("Item")
Drawn = TypeVar("Drawn", contravariant=True)


class OfTurns:
    """Base of the parts of a `Spec` that only games of turns have."""


class Drawing(Protocol[Drawn]):
    """Pictures of states for people; a module with these functions is one."""

    def text(self, game: Drawn, state: States, bottom: int = 0) -> str:
        """Draw a state in characters; the side of seat `bottom` is nearest."""

    def svg(
        self, game: Drawn, state: States, highlight: int | None = None, seat: int | None = None, bottom: int = 0
    ) -> str:
        """Draw a state; `highlight` is the action that led to it, played by `seat`."""


def _number(game: object, action: int) -> str:
    del game
    return str(action)


def _numbered(game: Any, text: str) -> int:
    number = whole_number(text)
    if number is None or number >= game.num_actions:
        raise ValueError(f"{show_typed(text)} is no move; accepted: a whole number from 0 to {game.num_actions - 1}")
    return number


def _nothing(*_: object) -> None:
    return None


@dataclass(frozen=True)
class Recorded(Generic[Rules]):
    """A game as a file of other programs holds it.

    Attributes:
        rules: with the settings that the file states, such as its position.
        actions: from the opening on.
        players: their names, by seat; empty: the file has none.
    """

    rules: Rules
    actions: Sequence[int]
    players: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format(Generic[Rules]):
    """How other programs write whole games to files.

    Attributes:
        says: what it is, in a few words.
        write: (rules, names of the players, states, actions) -> the content of a file; the states are those before each
            action, and the last one. Raises ValueError for a game that the format cannot hold.
        read: of a format that is not text, (rules, content, number) -> a game, as `Notation.parse` does.
        check: refuses rules whose games the format cannot hold; raises ValueError.
    """

    says: str
    write: Callable[[Rules, Sequence[str], Sequence[Any], Sequence[int]], str | bytes]
    read: "Callable[[Rules, bytes, int | None], Recorded[Rules]] | None" = None
    check: Callable[[Rules], None] = _nothing


@dataclass(frozen=True)
class Notation(OfTurns, Generic[Rules]):
    """How moves and whole games are written.

    Attributes:
        action_name: (rules, action) -> its name; without one, moves are called by their numbers.
        parse_action: (rules, the name of an action) -> the action; raises ValueError, which says what is accepted.
        parse: (rules, text, number) -> a game that text holds in one of the game's own notations; of several games the
            one with this number, from 1 on. Raises ValueError, as `one_of` does where there is no number.
        describe: (rules, actions, why each was played) -> text.
        picture: (rules, actions, how many of them; None: all) -> one SVG picture of the whole game; None: none.
        written: (rules, actions) -> the moves alone, as `parse` reads them; they end the text of a saved game.
        formats: by the ending of their files.
    """

    action_name: Callable[[Rules, int], str] = _number
    parse_action: Callable[[Rules, str], int] = _numbered
    parse: Callable[[Rules, str, int | None], Recorded[Rules]] | None = None
    describe: Callable[[Rules, Sequence[int], Sequence[str]], str] | None = None
    picture: Callable[[Rules, Sequence[int], int | None], str] | None = None
    written: Callable[[Rules, Sequence[int]], str] | None = None
    formats: Mapping[str, Format[Rules]] = field(default_factory=dict, hash=False)


def one_of(games: Sequence[Item], number: int | None) -> Item:
    """Return the game with a number, from 1 on, of those in a file; without a number the only one.

    Raises:
        ValueError: there is none, or there are several; the message says what is accepted.
    """
    count = len(games)
    if number is None and count == 1:
        return games[0]
    if number is None or not 1 <= number <= count:
        asked = "" if number is None else f"there is no game {number}; "
        plural = "s" * (count != 1)
        accepted = f"; accepted: FILE#N, with N from 1 to {count}" if count > 1 else ""
        raise ValueError(f"{asked}the file has {count} game{plural}{accepted}")
    return games[number - 1]


@dataclass(frozen=True)
class Dialect:
    """The names of a game's seats and moves in the Go Text Protocol, for engines outside the project.

    Attributes:
        setup: commands that prepare an engine for the game, once; commands that the engine does not know are left out.
        colours: names of the seats.
        vertex: action -> its name.
        action: name of an action -> the action; raises ValueError for an unknown name.
        packages: name of a known program -> where to get it.
    """

    setup: tuple[str, ...]
    colours: tuple[str, str]
    vertex: Callable[[int], str]
    action: Callable[[str], int]
    packages: Mapping[str, str] = field(default_factory=dict)

    protocol: ClassVar[str] = "gtp"


@dataclass(frozen=True)
class Positions:
    """How positions and moves are written in the Universal Chess Interface, for engines outside the project.

    Attributes:
        text: state -> the position, as in FEN.
        move: (state, action) -> the move in that position, as in d1d3.
        action: (state, a move) -> the action; raises ValueError for an unknown move.
        packages: name of a known program -> where to get it.
    """

    text: Callable[[Any], str]
    move: Callable[[Any, int], str]
    action: Callable[[Any, str], int]
    packages: Mapping[str, str] = field(default_factory=dict)

    protocol: ClassVar[str] = "uci"


def _no_lines(rules: Any, states: States) -> Iterable[str]:
    del rules, states
    return ()


@dataclass(frozen=True)
class Showing(Generic[Rules]):
    """How whole rollouts of a simulation are shown to people. A rollout is its states [N + 1, ...], in NumPy arrays.

    Attributes:
        lines: (rules, a rollout) -> lines of text, such as one for each second; empty: its states are drawn in text.
        picture: (rules, rollouts by the names of their drivers, one for each seat) -> one SVG of all of them, which may
            move by itself; None: its states are drawn one by one.
        recorded: (rules, the text of a file that the original of the simulation has written) -> a rollout, in which
            what the file does not tell is 0; raises ValueError for a text that is none. None: nobody writes any.
    """

    lines: Callable[[Rules, States], Iterable[str]] = _no_lines
    picture: Callable[[Rules, Mapping[tuple[str, ...], States]], str] | None = None
    recorded: Callable[[Rules, str], States] | None = None
