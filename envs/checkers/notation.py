"""Whole games of checkers as text, as in PDN: turns such as c3-d4 and c3xe5xg7, on 8 x 8 squares also 11-15."""

import re

import jax

from envs.checkers.rules import Checkers
from envs.checkers.turns import follow, read_turn
from jaxgp.search.chance import unused_key

COMMENTS = re.compile(r"\{[^{}]*\}")
HEADERS = re.compile(r"\[[^\[\]]*\]")
BESIDE = re.compile(r";[^\n]*|\$\d+|\b\d+\.+|(?<!\S)(?:[012]-[012]|1/2-1/2|\*)(?!\S)|(?<=\d)[!?]+", re.ASCII)
"""Comments to the end of the line, marks, numbers of moves, and results."""


def parse_game(game: Checkers, text: str) -> list[int]:
    """Read the moves of a game from the opening; each jump of a turn is a move of its own.

    Raises:
        ValueError: the text is not a game, or a turn in it is not legal; the message says which, and what is accepted.
    """
    if re.search(r"\[(FEN|SetUp)\b", text):
        raise ValueError("the game begins with a position of its own, [FEN ..]; accepted: games from the opening")
    *before, written = (BESIDE.sub(" ", part) for part in HEADERS.split(COMMENTS.sub(" ", text)))
    if "".join(before).strip():
        raise ValueError("more than one game; accepted: a file of one game")
    actions: list[int] = []
    state = jax.jit(game.init)(unused_key())
    for number, turn in enumerate(_played(written).split(), 1):
        try:
            moves = read_turn(game, state, turn)
        except ValueError as error:
            raise ValueError(f"turn {number}: {error}") from error
        state = follow(game, state, moves)
        actions += moves
    if not actions:
        raise ValueError("not a game; accepted: turns such as c3-d4 and c3xe5xg7, or 11-15 and 22x15x8")
    return actions


def _played(text: str) -> str:
    """Return the text without what is in round brackets: other lines of play."""
    depth, kept = 0, []
    for part in re.split(r"([()])", text):
        if part in "()" and part:
            depth = max(0, depth + (1 if part == "(" else -1))
        elif not depth:
            kept.append(part)
    return " ".join(kept)
