"""Whole games of chess as PGN, with the start in the tags SetUp and FEN.

Source: S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from envs.chess.notation import fen
from envs.chess.notation.moves import read_turn, san
from envs.chess.render import listed
from envs.chess.rules import Chess, State
from jaxgp.games.notation import Format, Recorded, one_of
from jaxgp.search.chance import stepping

TAG = re.compile(r'\[\s*(\w+)\s*"((?:[^"\\]|\\.)*)"\s*\]')
BESIDE = re.compile(r"\{[^}]*\}|;[^\n]*|\([^()]*\)|\$\d+")
RESULT = re.compile(r"1-0|0-1|1/2-1/2|\*")
RESULTS = {1.0: "1-0", -1.0: "0-1"}
LINE = 78


def fen_of(state: State) -> str:
    """Write the position of a state in FEN."""
    sides: tuple[list[tuple[int, int]], ...] = ([], [])
    for seat, kind, square in listed(state):
        sides[seat].append((kind, square))
    placed = fen.Placed(tuple(sides[0]), tuple(sides[1]), int(state.to_move) == 0, int(state.clock))
    return fen.written(placed, int(state.plies) // 2 + 1)


def write_game(game: Chess, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> str:
    """Write a game in PGN, with its tags and its result."""
    last = states[-1]
    result = RESULTS.get(float(last.returns[0]), "1/2-1/2") if bool(last.terminated) else "*"
    tags = {"Event": game.name, "White": names[0], "Black": names[1], "Result": result}
    tags |= {"SetUp": "1", "FEN": fen_of(states[0])}
    quoted = ((name, value.replace("\\", "\\\\").replace('"', '\\"')) for name, value in tags.items())
    words = [san(game, state, action) for state, action in zip(states, actions, strict=False)]
    lines = _lines([*words, result], int(states[0].to_move))
    return "".join(f'[{name} "{value}"]\n' for name, value in quoted) + "\n" + "".join(f"{line}\n" for line in lines)


def read_game(game: Chess, text: str, number: int | None = None) -> Recorded[Chess]:
    """Read a game that begins with the position of its tag FEN.

    Raises:
        ValueError: there is no such game, or a move in it is not legal; the message says which, and what is accepted.
    """
    parts = [part for part in re.split(r"(?m)(?=^\[Event )", text) if TAG.search(part)]
    if not parts:
        raise ValueError('not a game; accepted: PGN, whose tags have the start, as in [FEN "8/8/6K1/8/..."]')
    chosen = one_of(parts, number)
    tags = dict(TAG.findall(chosen))
    if "FEN" not in tags:
        raise ValueError("a game from the opening of chess; accepted: games of endgames, with a tag FEN")
    try:
        fen.parse(tags["FEN"])
    except ValueError as error:
        raise ValueError(f"[FEN]: {error}") from error
    rules = replace(game, start="fen", fen=tags["FEN"])
    words = BESIDE.sub(" ", TAG.sub(" ", chosen)).split()
    state = stepping(rules).init()
    actions: list[int] = []
    for word in (re.sub(r"^\d+\.+", "", word) for word in words):
        if not word or RESULT.fullmatch(word):
            continue
        try:
            (action,) = read_turn(rules, state, word)
        except ValueError as error:
            raise ValueError(f"move {len(actions) + 1}: {error}") from error
        actions.append(action)
        state = stepping(rules).step(state, np.int32(action))
    return Recorded(rules, actions, tuple(tags.get(name, "") for name in ("White", "Black")))


def _lines(words: Sequence[str], first: int) -> Iterator[str]:
    """Yield words on lines, with numbers before the moves of white; `first` is 1 if black begins."""
    line = ""
    for place, word in enumerate(words):
        half = place + first
        head = (
            "" if RESULT.fullmatch(word) else f"{half // 2 + 1}. " if half % 2 == 0 else "1... " if place == 0 else ""
        )
        if line and len(line) + len(head) + len(word) >= LINE:
            yield line
            line = ""
        line += f"{' ' * bool(line)}{head}{word}"
    yield line


FORMATS = {".pgn": Format("PGN", write_game)}
