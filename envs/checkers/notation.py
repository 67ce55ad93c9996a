"""Whole games of checkers as text: PDN, whose turns are squares by number, 11-15 and 22x15x8, or by name, c3-d4.

A file may hold several games, each with tags such as [Black "A. Name"] before it and a result after it. What stands in
quotes of a tag, in braces, after a semicolon and on a line that begins with % is passed over, and so are variations in
round brackets. [FEN ..] gives the position in which a game begins, [GameType ..] the rules and the size of the board.

Source: "Portable Draughts Notation", version 3.0 (W. van der Wijk, F. Grochowski), https://pdn.fmjd.org.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from envs.checkers import fen
from envs.checkers.render import squares
from envs.checkers.rules import Checkers, State
from envs.checkers.turns import follow, read_turn
from jaxgp.games.notation import Format, Recorded, one_of
from jaxgp.printable import show_typed
from jaxgp.reading import whole_number
from jaxgp.search.chance import stepping

TOKENS = re.compile(
    r'(?P<tag>\[\s*(?P<name>\w+)\s*"(?P<value>(?:[^"\\]|\\.)*)"?\s*\]|\[[^\]"]*\])'
    r"|(?P<beside>\{[^}]*(?:\}|\Z)|;[^\n]*|^%[^\n]*|\$\d+)"
    r"|(?P<bracket>[()])"
    r"|(?P<word>[^\s\[\](){};]+|[\[\]}])",
    re.ASCII | re.MULTILINE,
)
RESULT = re.compile(r"[012]-[012]|1/2-1/2|0\.5-0\.5|\*")
BEFORE, AFTER = re.compile(r"^\d+\.+", re.ASCII), re.compile(r"[!?]+$")
"""The number of a move, which may stand before a turn without a blank, and marks after it."""
ENGLISH = 21
TYPES = {
    20: "international draughts",
    22: "Italian draughts",
    23: "American pool checkers",
    24: "Spanish draughts",
    25: "Russian draughts",
    26: "Brazilian draughts",
    27: "Canadian draughts",
    28: "Portuguese draughts",
    29: "Czech draughts",
    30: "Turkish draughts",
    31: "Thai draughts",
    40: "Frisian draughts",
    41: "Spantsireti draughts",
}
"""Other games that PDN holds, by their numbers."""
RESULTS = {1.0: "1-0", -1.0: "0-1", 0.0: "1/2-1/2"}
"""By the result of black, who begins and is named first."""
LINE = 78


@dataclass
class _Game:
    """A game as its file has it."""

    tags: dict[str, str] = field(default_factory=dict)
    turns: list[str] = field(default_factory=list)
    ended: bool = False


def read_game(game: Checkers, text: str, number: int | None = None) -> Recorded[Checkers]:
    """Read a game; each jump of a turn is a move of its own.

    Raises:
        ValueError: there is no such game, or a turn in it is not legal; the message says which, and what is accepted.
    """
    found = [one for one in _games(text) if one.turns or "FEN" in one.tags]
    if not found:
        raise ValueError("not a game; accepted: turns such as c3-d4 and c3xe5xg7, or 11-15 and 22x15x8")
    chosen = one_of(found, number)
    rules = _rules(game, chosen.tags)
    actions: list[int] = []
    state = stepping(rules).init()
    for place, turn in enumerate(chosen.turns, 1):
        try:
            moves = read_turn(rules, state, turn)
        except ValueError as error:
            raise ValueError(f"turn {place}: {error}") from error
        state = follow(rules, state, moves)
        actions += moves
    names = tuple(chosen.tags.get(name, "") for name in ("Black", "White"))
    return Recorded(rules, actions, names)


def parse_game(game: Checkers, text: str) -> list[int]:
    """Return the moves of the only game of a text; raises ValueError as `read_game` does."""
    return list(read_game(game, text).actions)


def _games(text: str) -> Iterator[_Game]:
    """Yield the games of a file: a result, or a tag after turns, ends one."""
    one, depth = _Game(), 0
    for token in TOKENS.finditer(text):
        if token["beside"]:
            continue
        if token["bracket"]:
            depth = max(0, depth + (1 if token["bracket"] == "(" else -1))
        elif not depth:
            word = token["word"] and AFTER.sub("", BEFORE.sub("", token["word"]))
            if one.ended or (token["tag"] and one.turns):
                yield one
                one = _Game()
            if token["tag"]:
                one.tags |= {token["name"]: re.sub(r"\\(.)", r"\1", token["value"])} if token["name"] else {}
            elif word and RESULT.fullmatch(word):
                one.ended = True
            elif word:
                one.turns.append(word)
    yield one


def _rules(game: Checkers, tags: dict[str, str]) -> Checkers:
    """Return the rules that the tags of a game state; raises ValueError."""
    kind, _, further = tags.get("GameType", str(ENGLISH)).partition(",")
    if kind.strip() != str(ENGLISH):
        known = TYPES.get(whole_number(kind.strip()) or 0, "")
        said = f" is {known}" if known else ""
        raise ValueError(f'[GameType "{kind[:20]}"]{said}; accepted: {ENGLISH}, English checkers')
    sides = re.match(r"\s*[BW],\s*(\d+),\s*(\d+)", further)
    if sides is not None:
        width, height = (whole_number(side) or 0 for side in sides.groups())
        if width != height or width % 2 or not 4 <= width <= 16:
            said = " x ".join(side[:20] for side in sides.groups())
            raise ValueError(f"a board of {said} squares; accepted: even numbers from 4 to 16, both alike")
        game = game if width == game.size else replace(game, size=width, rows=min(game.rows, width // 2 - 1))
    if "FEN" not in tags:
        return game
    try:
        placed = fen.parse(tags["FEN"], game.size)
    except ValueError as error:
        raise ValueError(f"[FEN {show_typed(tags['FEN'])}]: {error}") from error
    return game if placed == game.placed else replace(game, position=fen.written(placed, game.size))


def vet(game: Checkers) -> None:
    """Refuse a position in which the game has ended; raises ValueError."""
    if game.position is not None and bool(stepping(game).init().terminated):
        raise ValueError(
            f"game.position={game.position}: the side to move has no move; accepted: positions of games that go on"
        )


def written(game: Checkers, actions: Sequence[int]) -> str:
    """Write the turns of a game by number, as `read_game` reads them, without tags and result."""
    return "".join(f"{line}\n" for line in _lines(_turns(game, actions), 0 if game.placed.first else 1))


def write_game(game: Checkers, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> str:
    """Write a game in PDN, with its tags and its result."""
    last = states[-1]
    result = RESULTS[float(last.returns[0])] if bool(last.terminated) else "*"
    tags = {"Event": game.name, "Black": names[0], "White": names[1], "Result": result}
    tags["GameType"] = f"{ENGLISH}" if game.size == 8 else f"{ENGLISH},B,{game.size},{game.size}"
    if game.position is not None or (game.size, game.rows) != (8, 3):
        tags |= {"SetUp": "1", "FEN": fen.written(game.placed, game.size)}
    quoted = ((name, value.replace("\\", "\\\\").replace('"', '\\"')) for name, value in tags.items())
    lines = _lines([*_turns(game, actions), result], 0 if game.placed.first else 1)
    return "".join(f'[{name} "{value}"]\n' for name, value in quoted) + "\n" + "".join(f"{line}\n" for line in lines)


def _turns(game: Checkers, actions: Sequence[int]) -> list[str]:
    """Return turns by number; the jumps of one piece are joined."""
    turns: list[str] = []
    mover, state = -1, stepping(game).init()
    for action in actions:
        start, end = (fen.number(square, game.size) for square in squares(game, action) if square is not None)
        if mover == int(state.to_move):
            turns[-1] += f"x{end}"
        else:
            turns.append(f"{start}{'x' if action >= game.num_actions // 2 else '-'}{end}")
        mover = int(state.to_move)
        state = follow(game, state, [action])
    return turns


def _lines(words: Sequence[str], first: int) -> Iterator[str]:
    """Yield words on lines, with numbers before every second one; `first` is 1 if white begins."""
    line = ""
    for place, word in enumerate(words):
        half = place + first
        head = f"{half // 2 + 1}. " if half % 2 == 0 else f"{half // 2 + 1}... " if place == 0 else ""
        head = "" if RESULT.fullmatch(word) else head
        if line and len(line) + len(head) + len(word) >= LINE:
            yield line
            line = ""
        line += f"{' ' * bool(line)}{head}{word}"
    if line:
        yield line


FORMATS = {".pdn": Format("PDN", write_game)}
