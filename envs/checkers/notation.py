"""Whole games of checkers as text: turns such as c3-d4 and c3xe5xg7, as in PDN with squares by column and row."""

import re
from itertools import pairwise

from envs.checkers.render import parse_action
from envs.checkers.rules import Checkers

BESIDE = re.compile(r"\[[^\]]*\]|\{[^}]*\}|\b\d+\.+|(?<!\S)(?:[012]-[012]|1/2-1/2|\*)(?!\S)")
"""Headers, comments, numbers of moves, and results."""


def parse_game(game: Checkers, text: str) -> list[int]:
    """Read the moves of a game; each jump of a turn is a move of its own.

    Raises:
        ValueError: the text is not a game; the message says which turn is none. Whether moves are legal is not checked.
    """
    turns = BESIDE.sub(" ", text).split()
    actions = []
    for number, turn in enumerate(turns, 1):
        jumps = turn.split("x")
        moves = [turn] if len(jumps) < 3 else [f"{start}x{end}" for start, end in pairwise(jumps)]
        try:
            actions += [parse_action(game, move) for move in moves]
        except ValueError as error:
            accepted = "accepted: two squares, as in c3-d4, or c3xe5xg7 for captures"
            raise ValueError(f'turn {number}, "{turn[:40]}", is none; {accepted}') from error
    if not actions:
        raise ValueError("not a game; accepted: turns such as c3-d4 and c3xe5xg7")
    return actions
