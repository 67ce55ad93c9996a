"""Games of Morpion Solitaire in plain Python: no arrays, and after a move only what can have changed is looked at.

A board is a list of whole numbers with a border, a point is its index, and a line is its first point and direction in
one number. The lines that may be drawn are kept in a dictionary from line to the point that it lacks.
"""

import random

from envs.morpion.rules import DX, DY, LENGTH, Morpion, unpack
from jaxgp.search.chance import unused_key

BORDER = LENGTH - 1
Point = tuple[int, int]
Program = list[Point | None]
"""The leaves of a program: points in columns and rows of the grid, and None for getClosestToLast."""


class Board:
    """What all games of one kind share."""

    def __init__(self, game: Morpion) -> None:
        self.width = width = game.size + 2 * BORDER
        self.steps = tuple(dy * width + dx for dx, dy in zip(DX, DY, strict=True))
        self.reach = LENGTH - 2 if game.variant == "5T" else LENGTH - 1
        """Two lines of one direction on one row share a segment or point if their first points are no further apart."""
        grid = unpack(game.init(unused_key()).crosses)
        self.start = [False] * (width * width)
        for row, column in zip(*grid.nonzero(), strict=True):
            self.start[(int(row) + BORDER) * width + int(column) + BORDER] = True
        points = [(row + BORDER) * width + column + BORDER for row in range(game.size) for column in range(game.size)]
        inside = set(points)
        far = LENGTH - 1
        self.inside = [p + far * step in inside and p in inside for p in range(width * width) for step in self.steps]
        # A rising diagonal that leaves a row at the side lands in the border, which is as wide as a line is long.
        self.opening = {4 * p + d: new for p in points for d in range(4) if (new := self.lacks(self.start, p, d)) >= 0}

    def lacks(self, crosses: list[bool], first: int, direction: int) -> int:
        """Return the one point of a line that has no cross; -1 if none or several have none, or it leaves the grid."""
        if not self.inside[4 * first + direction]:
            return -1
        step, new = self.steps[direction], -1
        for point in (first, first + step, first + 2 * step, first + 3 * step, first + 4 * step):
            if not crosses[point]:
                if new >= 0:
                    return -1
                new = point
        return new

    def play(self, choose: "Random | Leaves") -> int:
        """Play one game; return its score."""
        crosses, legal, taken = self.start.copy(), dict(self.opening), set()
        last = -1
        while legal:
            line = choose(legal, last)
            if line is None:
                break
            last, (first, direction) = legal[line], divmod(line, 4)
            crosses[last] = True
            taken.add(line)
            for d, step in enumerate(self.steps):
                for point in (last, last - step, last - 2 * step, last - 3 * step, last - 4 * step):
                    new = self.lacks(crosses, point, d)
                    if new >= 0 and self.free(taken, point, d):
                        legal[4 * point + d] = new
                    else:
                        legal.pop(4 * point + d, None)
            step = self.steps[direction]
            for away in range(1, self.reach + 1):
                legal.pop(4 * (first + away * step) + direction, None)
                legal.pop(4 * (first - away * step) + direction, None)
        return len(taken)

    def free(self, taken: set[int], first: int, direction: int) -> bool:
        """Say whether a line uses nothing that a drawn line uses."""
        step, line = 4 * self.steps[direction], 4 * first + direction
        around = (line + away * step for away in range(-self.reach, self.reach + 1))
        return taken.isdisjoint(around)


class Random:
    """Chooses uniformly."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def __call__(self, legal: dict[int, int], last: int) -> int:
        del last
        lines = list(legal)
        return lines[int(self.rng.random() * len(lines))]


class Leaves:
    """Chooses as the leaves of a program do, one after the other."""

    def __init__(self, board: Board, program: Program) -> None:
        # The last leaf, if it is a point, is not played.
        self.leaves = iter(program if program and program[-1] is None else program[:-1])
        self.width = board.width

    def __call__(self, legal: dict[int, int], last: int) -> int | None:
        width = self.width
        for leaf in self.leaves:
            if leaf is None and last < 0:
                continue
            row, column = divmod(last, width) if leaf is None else (leaf[1] + BORDER, leaf[0] + BORDER)
            least, chosen, place = 3 * width, -1, (4, 0, 0)
            for line, new in legal.items():
                x, y = abs(new % width - column), abs(new // width - row)
                distance = x if x > y else y
                if distance <= least:
                    first, d = divmod(line, 4)
                    order = (d, first, 0) if d == 0 else (d, first % width, first)
                    if distance < least or order < place:
                        least, chosen, place = distance, line, order
            return chosen
        return None
