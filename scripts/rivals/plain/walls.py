"""Double games of rule lists at Walls in plain Python: no arrays, and no more work than a move needs.

The board has a border as wide as a player can see, so that nothing has to be checked twice. Each player has a board of
its own, on which its bricks and the other's have the codes that its rules name. A rule keeps only the conditions that
can fail, and is left at the first that does.
"""

import numpy as np

from envs.walls.view import EDGE, EMPTY, OTHER, OTHER_BRICK, OWN, OWN_BRICK
from jaxgp.fitness.tournament import DRAW, WIN
from jaxgp.genotypes.rulelists import DONT_CARE, RuleLanguage, RuleLists

Rule = tuple[list[tuple[int, int]], int]
"""Conditions, (cell, code) each, and an action."""


def rules(language: RuleLanguage, lists: RuleLists, index: int, symmetric: bool) -> list[Rule]:
    """Return one list of [P] as rules in the order in which they are tried, mirror images written out."""
    found: list[Rule] = []
    length = int(lists.length[index])
    for row, action in zip(
        lists.condition[index][:length].tolist(), lists.action[index][:length].tolist(), strict=True
    ):
        named = [(cell, code) for cell, code in enumerate(row) if code != DONT_CARE]
        found.append((named, action))
        for symmetry in language.symmetries if symmetric else ():
            back = symmetry.symbols.index  # index of the code that the symmetry maps to this one
            found.append((sorted((symmetry.cells[cell], back(code)) for cell, code in named), symmetry.actions[action]))
    return found


class Board:
    """What all games of one kind share."""

    def __init__(self, size: int, mask: int, symmetric: bool, stall: int = 9, default: int = 0) -> None:
        reach = mask // 2
        self.size, self.stall, self.default = size, stall, default
        self.width = width = size + 2 * reach
        self.symmetric, self.middle = symmetric, mask * mask // 2
        self.ahead = (-width, 1, width, -1)
        window = np.arange(mask)[:, None] * width + np.arange(mask) - reach * (width + 1)
        # The window of a player that faces east is read as if east were at the top.
        self.windows = [np.rot90(window, heading if symmetric else 0).ravel().tolist() for heading in range(4)]
        self.places = [{square: cell for cell, square in enumerate(window)} for window in self.windows]
        inside = range(reach, reach + size)
        self.start = [EMPTY if y in inside and x in inside else EDGE for y in range(width) for x in range(width)]
        self.centre = (reach + size // 2) * (width + 1)

    def play(self, first: list[Rule], second: list[Rule]) -> tuple[int, int]:
        """Return the points of both players of one game."""
        lists, boards = (first, second), (self.start.copy(), self.start.copy())
        at, facing = [self.centre - 1, self.centre + 1], [3, 1]
        bricks, idle, seat = [0, 0], [0, 0], 0
        while True:
            other, own, here = 1 - seat, boards[seat], at[seat]
            action = self.choose(lists[seat], own, here, facing[seat], at[other], facing[other])
            idle[seat] += 1
            if action:
                facing[seat] = (facing[seat] + (1 if action == 2 else 3)) & 3
            else:
                there = here + self.ahead[facing[seat]]
                if own[there] in (EMPTY, OWN_BRICK) and there != at[other]:
                    at[seat] = there
                    if own[here] == EMPTY:
                        own[here], boards[other][here] = OWN_BRICK, OTHER_BRICK
                        bricks[seat] += 1
                        idle[seat] = 0
            if idle[other] < self.stall:
                seat = other
            elif idle[seat] >= self.stall:
                break
            if bricks[0] + bricks[1] == self.size * self.size:
                break
        if bricks[0] == bricks[1]:
            return DRAW, DRAW
        return (WIN, 0) if bricks[0] > bricks[1] else (0, WIN)

    def choose(self, rules: list[Rule], board: list[int], at: int, facing: int, rival: int, rival_facing: int) -> int:
        """Return the action of the first rule that is valid for what the player sees."""
        view = [board[at + square] for square in self.windows[facing]]
        turned = facing if self.symmetric else 0
        view[self.middle] = OWN + (facing - turned)
        cell = self.places[facing].get(rival - at)
        if cell is not None:
            view[cell] = OTHER + (rival_facing - turned & 3)
        for conditions, action in rules:
            for cell, code in conditions:
                if view[cell] != code:
                    break
            else:
                return action
        return self.default
