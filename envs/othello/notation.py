"""Whole games of Othello: transcripts, GGF, and the files of the WTHOR base.

A transcript names the squares in their order, f5d6c3, in capitals or not, with blanks and numbers of moves between them
or without. Passes may be left out: a side that has to pass does. A file whose lines are games has one on each line.

GGF, the format of game servers, has properties such as PB[name] and, for each move, B[F5//1] or W[D6//1]; PA is a pass.

WTHOR is binary: 16 bytes of header, then 68 for each game, the last 60 of them its moves, 10 * row + column each.

Sources: Fédération Française d'Othello, "Format de la base WThor"; I. Durdanovic, M. Buro, "Generic Game Format".
"""

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from envs.othello.render import PASS, action_name, discs, parse_action
from envs.othello.rules import SIZES, Othello, State
from jaxgp.games.notation import Format, Recorded, one_of
from jaxgp.printable import show_typed
from jaxgp.reading import whole_number
from jaxgp.search.chance import stepping

WORDS = re.compile(r"(?P<square>[a-j](?:10|[1-9])(?!\d))|(?P<pass>pass|pa|ps|--+|@@)", re.IGNORECASE)
BETWEEN = re.compile(r"(?:[\s,;|]|\d{1,3}\s*[.:)]|\d{1,3}(?=\s)|-(?!-))*", re.ASCII)
"""What may stand between the squares of a transcript: blanks, and numbers of moves."""
GAMES = re.compile(r"\(;(.*?);\)", re.DOTALL)
PROPERTY = re.compile(r"([A-Z]{1,2})\s*\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
EMPTY, BLACK, WHITE = "-", "*", "O"
HEAD = struct.Struct("<4BIHHBBBB")
"""Date of the file in four bytes; games; records; year of the games; size, type and depth; nothing."""
RECORD = struct.Struct("<HHHBB60B")
"""Tournament, both players, discs of black, the best that black could have had; the moves."""
SQUARES = 60


def read_game(game: Othello, text: str, number: int | None = None) -> Recorded[Othello]:
    """Read a game in GGF, or as a transcript.

    Raises:
        ValueError: there is no such game, or a move of it is not legal; the message says which, and what is accepted.
    """
    if GAMES.search(text) or "(;" in text:
        return _from_ggf(game, text, number)
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    games = [_words(line) for line in lines]
    together = [word for words in games for word in words]
    squares = [word for word in together if word != PASS]
    if len(set(squares)) == len(squares):  # one game on several lines
        games = [together]
    if not together:
        raise ValueError("the text holds no moves; accepted: squares, as in f5d6c3")
    return Recorded(game, _played(game, one_of([words for words in games if words], number)))


def transcript(game: Othello, actions: Sequence[int]) -> str:
    """Write a game as a transcript, without passes."""
    return "".join(action_name(game, action) for action in actions if action != game.area) + "\n"


def read_wthor(game: Othello, content: bytes, number: int | None = None) -> Recorded[Othello]:
    """Read a game of a file of the WTHOR base; raises ValueError as `read_game` does."""
    if len(content) < HEAD.size:
        raise ValueError(f"{len(content)} bytes; accepted: a file of WTHOR, which has {HEAD.size} bytes and its games")
    *_, count, _, _, size, kind, _, _ = HEAD.unpack_from(content)
    if size not in (0, 8) or kind not in (0, 1):
        what = f"boards of {size} x {size}" if size not in (0, 8) else f"records of type {kind}"
        raise ValueError(f"the file holds {what}; accepted: WTHOR with games on 8 x 8 squares")
    if len(content) < HEAD.size + count * RECORD.size:
        there = (len(content) - HEAD.size) // RECORD.size
        raise ValueError(f"the file ends after {there} of its {count} games; accepted: a whole file of WTHOR")
    place = one_of(range(count), number)
    _, black, white, _, _, *moves = RECORD.unpack_from(content, HEAD.size + place * RECORD.size)
    rules = game if game.size == 8 else replace(game, size=8)
    words = [_square(byte) for byte in moves if byte]
    return Recorded(rules, _played(rules, words), (f"player {black}", f"player {white}"))


def _square(byte: int) -> str:
    row, column = divmod(byte, 10)
    if not (1 <= row <= 8 and 1 <= column <= 8):
        raise ValueError(f"{byte} is no square; accepted: 10 * row + column, 11 to 88")
    return f"{'abcdefgh'[column - 1]}{row}"


def _write_wthor(game: Othello, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> bytes:
    """Write a game as a file of WTHOR, which has no names; empty squares count for the winner."""
    del names
    _check_wthor(game)
    black, white = (int(side.sum()) for side in discs(game, states[-1]))
    left = game.area - black - white if bool(states[-1].terminated) else 0
    score = black + left * (black > white) + left // 2 * (black == white)
    moves = [(action // 8 + 1) * 10 + action % 8 + 1 for action in actions if action != game.area]
    head = HEAD.pack(20, 0, 1, 1, 1, 0, 0, 8, 0, 0, 0)
    return head + RECORD.pack(0, 0, 0, score, score, *moves, *[0] * (SQUARES - len(moves)))


def _check_wthor(game: Othello) -> None:
    if game.size != 8:
        raise ValueError(f"WTHOR has games on 8 x 8 squares, and this one is on {game.size} x {game.size}")


def _words(line: str) -> list[str]:
    """Return the squares and passes of a line, in small letters; raises ValueError."""
    found, at = [], 0
    while at < len(line):
        gap = BETWEEN.match(line, at)
        at = gap.end() if gap else at
        if at == len(line):
            break
        word = WORDS.match(line, at)
        if word is None:
            raise ValueError(f"{show_typed(line[at:])} is no move; accepted: squares, as in f5d6c3, and pass")
        found.append(word["square"].lower() if word["square"] else PASS)
        at = word.end()
    return found


def _played(game: Othello, words: Sequence[str]) -> list[int]:
    """Return the actions of a game, with the passes that its words leave out; raises ValueError."""
    rules, actions = stepping(game), list[int]()
    state = rules.init()
    legal = np.asarray(rules.legal(state))
    for number, word in enumerate(words, 1):
        try:
            action = parse_action(game, word)
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from error
        due = [game.area, action] if action != game.area and legal[game.area] else [action]
        for one in due:
            if not legal[one]:
                accepted = ", ".join(action_name(game, int(found)) for found in np.flatnonzero(legal))
                said = f"accepted: {accepted}" if accepted else "the game has ended; accepted: no further move"
                raise ValueError(f"move {number}: {word} cannot be played there; {said}")
            state = rules.step(state, np.int32(one))
            legal = np.asarray(rules.legal(state))
            actions.append(one)
    return actions


def _from_ggf(game: Othello, text: str, number: int | None) -> Recorded[Othello]:
    """Read a game in GGF; raises ValueError."""
    games = [_properties(body) for body in GAMES.findall(text)]
    if not games:
        raise ValueError("a game in GGF that does not end; accepted: (; and its properties ;)")
    found = one_of(games, number)
    values = dict(reversed(found))  # the first of each
    if values.get("GM", "Othello").strip().lower() not in ("othello", "reversi"):
        raise ValueError(f"GM[{values['GM'][:20]}] is another game; accepted: GM[Othello]")
    if "a" in values.get("TY", "").lower():
        raise ValueError(f"TY[{values['TY'][:20]}]: the side with fewer discs wins there; accepted: the usual rules")
    rules = _board(game, values["BO"]) if "BO" in values else game
    words = [value.partition("/")[0].strip().lower() for name, value in found if name in "BW"]
    words = [PASS if word.startswith("pa") else word for word in words]
    return Recorded(rules, _played(rules, words), (values.get("PB", ""), values.get("PW", "")))


def _properties(body: str) -> list[tuple[str, str]]:
    return [(name, re.sub(r"\\(.)", r"\1", value)) for name, value in PROPERTY.findall(body)]


def _board(game: Othello, text: str) -> Othello:
    """Return the rules for the board that a game in GGF begins with; raises ValueError."""
    size, *rows = text.split() or ["0"]
    cells = "".join(rows)
    side = whole_number(size)
    if side not in SIZES:
        raise ValueError(f"BO[{size[:20]} ..]: accepted: boards of {', '.join(map(str, SIZES))} squares")
    rules = game if game.size == side else replace(game, size=side)
    if cells.upper() != _opening(rules) + BLACK:
        raise ValueError("the game begins with a position of its own, BO[..]; accepted: games from the opening")
    return rules


def _opening(game: Othello) -> str:
    black, white = discs(game, stepping(game).init())
    return "".join(np.where(black, BLACK, np.where(white, WHITE, EMPTY)).reshape(-1).tolist())


def _write_ggf(game: Othello, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> str:
    """Write a game in GGF."""
    black, white = (int(side.sum()) for side in discs(game, states[-1]))
    cells = _opening(game)
    rows = " ".join(cells[at : at + game.size] for at in range(0, game.area, game.size))
    first, second = (re.sub(r"([\]\\])", r"\\\1", name) for name in names)
    result = f"{black - white:+.3f}" if bool(states[-1].terminated) else "?"
    head = f"GM[Othello]PC[jaxgp]PB[{first}]PW[{second}]TY[{game.size}]RE[{result}]BO[{game.size} {rows} {BLACK}]"
    return f"(;{head}{''.join(_moves(game, states, actions))};)\n"


def _moves(game: Othello, states: Sequence[State], actions: Sequence[int]) -> Iterator[str]:
    for state, action in zip(states, actions, strict=False):
        name = "PA" if action == game.area else action_name(game, action).upper()
        yield f"{'BW'[int(state.to_move)]}[{name}]"


def _write_transcript(game: Othello, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> str:
    del names, states
    return transcript(game, actions)


FORMATS = {
    ".ggf": Format("GGF, as game servers write it", _write_ggf),
    ".wtb": Format("WTHOR, as the French federation keeps its games", _write_wthor, read_wthor, _check_wthor),
    ".transcript": Format("squares, as in f5d6c3", _write_transcript),
}
