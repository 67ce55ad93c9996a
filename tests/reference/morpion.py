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


def mixed(code):
    """The finaliser of MurmurHash3 on 32 bits."""
    code &= 2**32 - 1
    code = (code ^ code >> 16) * 0x85EBCA6B & 2**32 - 1
    code = (code ^ code >> 13) * 0xC2B2AE35 & 2**32 - 1
    return code ^ code >> 16


class Walk:
    """A program of the report, played by walking its tree as the Java listing does.

    A program is a point (x, y), the name of a terminal, or (name, argument, ...) with the name of a function.
    """

    def __init__(self, program, touching=True, grid=(5, 5, 32), neighbour_range=2, moving=False):
        self.position = Position(touching, grid)
        self.range = neighbour_range
        self.moving = moving  # points are steps from the middle of the crosses
        self.handed = None  # what the node walked through last hands to its parent; None is the listing's (-1, -1)
        self.current = (0, 0)
        self.reasons = []
        self.eval(program)

    def listed(self):
        """The legal moves in the order in which the listing's `update` finds them."""
        found = [(STEPS.index(step), start, step) for start, step in self.position.moves()]
        return [
            (start, step) for _, start, step in sorted(found, key=lambda m: (m[0], m[1][:: -1 if m[0] == 0 else 1]))
        ]

    def new_cross(self, line):
        (new,) = set(self.position.points(line)) - self.position.crosses
        return new

    def closest(self, x, y):
        if x <= 0 or y <= 0:
            return None
        least, equal = 100, []
        for line in self.listed():
            u, v = self.new_cross(line)
            distance = max(abs(x - u), abs(y - v))
            if distance < least:
                least, equal = distance, [line]
            elif distance == least:
                equal.append(line)
        chosen, direction = None, 10
        for line in equal:
            if STEPS.index(line[1]) < direction:
                chosen, direction = line, STEPS.index(line[1])
        return chosen

    def named(self, x, y):
        if not self.moving:
            return x, y
        across, up = zip(*self.position.crosses, strict=True)
        return x + (min(across) + max(across) + 1) // 2, y + (min(up) + max(up) + 1) // 2

    def add(self, line, reason):
        if line is not None:
            self.current = self.position.play(line)
            self.reasons.append(reason)

    def greatest(self, measure):
        """The first of the listed moves with the greatest measure."""
        chosen, most = None, -1
        for line in self.listed():
            if measure(line) > most:
                chosen, most = line, measure(line)
        return chosen

    def moves_after(self, line):
        other = Position(
            self.position.touching, self.position.grid, set(self.position.crosses), set(self.position.used)
        )
        other.play(line)
        return len(other.moves())

    def neighbours(self, line):
        u, v = self.new_cross(line)
        return sum(max(abs(x - u), abs(y - v)) <= self.range for x, y in self.position.crosses)

    def furthest_diagonal(self):
        """The first of the listed moves that are furthest from the last cross on one of its two diagonals."""
        (x, y), found = self.current, {}
        for line in self.listed() if self.position.lines else ():
            u, v = self.new_cross(line)
            if abs(u - x) == abs(v - y):
                found.setdefault(abs(u - x), []).append(line)
        far = found[max(found)] if found else []
        return min(far, key=lambda line: STEPS.index(line[1])) if far else None

    def by_lot(self):
        """A legal move: a hash of the crosses says which of them by direction, row and column."""
        left, bottom, size = self.position.grid
        words = {(y, word): 0 for word in range(-(-size // 32)) for y in range(size)}
        for x, y in self.position.crosses:
            words[y - bottom, (x - left) // 32] |= 1 << (x - left) % 32
        total = sum(mixed(bits + (word * size + y + 1) * 0x9E3779B1) for (y, word), bits in words.items())
        moves = sorted(
            self.position.moves(), key=lambda m: (STEPS.index(m[1]), (m[0][0] - left) // 32, m[0][1], m[0][0])
        )
        share = (mixed(total) >> 8) / 2**24
        return moves[min(int(share * len(moves)), len(moves) - 1)] if moves else None

    def eval(self, node):
        if isinstance(node, str):
            chosen = {
                "getFurthestDiagonal": self.furthest_diagonal,
                "getRandom": self.by_lot,
                "getClosestToLast": lambda: self.closest(*self.current),
                "getBest": lambda: self.greatest(self.moves_after),
                "getMaxNeighb": lambda: self.greatest(self.neighbours),
            }[node]()
            self.add(chosen, node)
            self.handed = None
        elif not isinstance(node[0], str):
            self.handed = node
        else:
            *others, last = node[1:]
            for argument in others:
                self.eval(argument)
                if self.handed is not None:
                    x, y = self.handed
                    self.add(self.closest(*self.named(x, y)), f"[{x},{y}]")
            self.eval(last)
