"""Moves as people write them, read and written in a position: Qd3, Rad3, Qxd3+, or two squares, d1d3."""

import re

import numpy as np

from envs.chess.geometry import KINDS, SQUARES, square_name
from envs.chess.render import in_check, parse_action
from envs.chess.rules import Chess, State
from jaxgp.printable import show_typed
from jaxgp.search.chance import stepping

TYPED = "a man and a square, as in Qd3 or Qxd3, with a column or a row where two men can go there, as in Rad3; or d1d3"
"""What `read_turn` accepts, for the help at the table."""
SQUARE = "[a-h][1-8]"
SHORT = re.compile(rf"([KQRBN])([a-h]?)([1-8]?)x?({SQUARE})[+#]?[!?]*")
LONG = re.compile(rf"[KQRBN]?({SQUARE})[-x]?({SQUARE})[+#]?[!?]*")


def legal(state: State) -> list[tuple[int, int, int]]:
    """Return the legal actions, each with the squares where it begins and ends."""
    words, men = np.asarray(state.moves), np.asarray(state.men)
    if bool(state.terminated):
        return []
    return [
        (place * SQUARES + square, int(men[0, place]), square)
        for place in range(men.shape[1])
        for square in range(SQUARES)
        if int(words[place, square // 32]) >> square % 32 & 1
    ]


def read_turn(game: Chess, state: State, text: str) -> list[int]:
    """Return the move that a person typed, as a list of one action.

    Raises:
        ValueError: not a move, or not a legal one; the message says what is accepted.
    """
    word = text.strip()
    moves = legal(state)
    kinds = np.asarray(state.kinds)[0]
    if found := LONG.fullmatch(word):
        fit = [action for action, *ends in moves if [square_name(end) for end in ends] == list(found.groups())]
    elif found := SHORT.fullmatch(word):
        kind, column, row, goal = found.groups()
        fit = [
            action
            for action, start, end in moves
            if KINDS[kinds[action // SQUARES]] == kind
            and square_name(end) == goal
            and column in ("", square_name(start)[0])
            and row in ("", square_name(start)[1])
        ]
    else:
        try:
            action = parse_action(game, word)
        except ValueError:
            raise ValueError(f"{show_typed(text)} is not a move; accepted: {TYPED}") from None
        fit = [one for one, *_ in moves if one == action]
    if len(fit) == 1:
        return fit
    names = ", ".join(san(game, state, action) for action in (fit or [action for action, *_ in moves]))
    why = "is not legal here" if not fit else "can be played by several men"
    raise ValueError(f"{show_typed(text)} {why}; accepted: {names or 'no further move'}")


def san(game: Chess, state: State, action: int) -> str:
    """Return a legal move as it is written in books, in the standard of PGN: Qxd3+.

    Source: S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), section 8.2.3.
    """
    place, goal = divmod(action, SQUARES)
    kinds, men = np.asarray(state.kinds), np.asarray(state.men)
    kind, start = kinds[0, place], square_name(int(men[0, place]))
    others = [
        square_name(at)
        for one, at, end in legal(state)
        if end == goal and one != action and kinds[0, one // 64] == kind
    ]
    mark = ""
    if others:
        column, row = (any(other[n] == start[n] for other in others) for n in (0, 1))
        mark = start[0] if not column else start[1] if not row else start
    takes = "x" if (men[1] == goal).any() else ""
    after = stepping(game).step(state, np.int32(action))
    mate = abs(float(after.returns[0])) == 1
    ending = "#" if mate else "+" if in_check(after) else ""
    return f"{KINDS[kind]}{mark}{takes}{square_name(goal)}{ending}"


def uci(state: State, action: int) -> str:
    """Return a move by its two squares, as engines write it: d1d3."""
    place, goal = divmod(action, SQUARES)
    return square_name(int(np.asarray(state.men)[0, place])) + square_name(goal)
