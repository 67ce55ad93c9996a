"""Morpion Solitaire in plain Python, with sets of points and of what lines use, written from the rules alone.

Points are (x, y), y upwards, the cross at 16..25, 17..26. A line is (start, step), a step one of STEPS.
"""

from dataclasses import dataclass, field
from itertools import pairwise

STEPS = ((1, 0), (1, 1), (0, 1), (-1, 1))


def greek_cross():
    """The outline of a cross: twelve edges of four points, corners shared."""
    corners = [(3, 0), (6, 0), (6, 3), (9, 3), (9, 6), (6, 6), (6, 9), (3, 9), (3, 6), (0, 6), (0, 3), (3, 3)]
    points = set()
    for (x, y), (u, v) in zip(corners, corners[1:] + corners[:1], strict=True):
        points |= {(x + (u - x) * k // 3, y + (v - y) * k // 3) for k in range(4)}
    return {(x + 16, y + 17) for x, y in points}


@dataclass
class Position:
    """Crosses, and what lines use: (direction, segment) or (direction, point)."""

    touching: bool = True
    grid: tuple[int, int, int] = (5, 5, 32)  # name of the lowest point, points on a side
    crosses: set = field(default_factory=greek_cross)
    used: set = field(default_factory=set)
    lines: list = field(default_factory=list)  # (start, step, new cross), in the order of play

    def points(self, line):
        (x, y), (dx, dy) = line
        return [(x + k * dx, y + k * dy) for k in range(5)]

    def uses(self, line):
        points = self.points(line)
        # A segment is the pair of its ends: whatever the direction, no two are alike.
        return set(pairwise(points)) if self.touching else {(line[1], point) for point in points}

    def legal(self, line):
        points = self.points(line)
        if sum(point in self.crosses for point in points) != 4:
            return False
        left, bottom, size = self.grid
        inside = all(left <= x < left + size and bottom <= y < bottom + size for x, y in points)
        return inside and not self.uses(line) & self.used

    def moves(self):
        """All legal lines: those with a cross among their first two points, since four of five have one."""
        starts = {(x - k * dx, y - k * dy, (dx, dy)) for x, y in self.crosses for dx, dy in STEPS for k in (0, 1)}
        return {((x, y), step) for x, y, step in starts if self.legal(((x, y), step))}

    def play(self, line):
        assert self.legal(line)
        (new,) = set(self.points(line)) - self.crosses
        self.crosses.add(new)
        self.used |= self.uses(line)
        self.lines.append((*line, new))
        return new
