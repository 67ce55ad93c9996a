"""The exact value of a small board of Walls: searches to the end of the game that ask whether a margin can be reached.

python scripts/studies/walls_solve.py
python scripts/studies/walls_solve.py stall=3

It counts idle moves as the rules do, so it solves the game itself; lines are long, but the counts bound them. It is
plain Python and shares no code with `envs/walls/rules.py`. Size 3 takes some seconds; size 5 is out of its reach.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from envs.walls.rules import Walls
from jaxgp.config import arguments
from jaxgp.options import option
from studies import checks

ACTIONS = ("forward", "left", "right")
OFF = -1
"""The square beyond the edge."""


@dataclass
class Options:
    """Which game."""

    size: int = option(3, "side of the board", low=3, high=checks.LARGEST, test=checks.side, accepted=checks.SIDE)
    stall: int = option(9, "moves in a row without a new brick that stall a player", low=1, high=999)


class Half(NamedTuple):
    """One player: `bricks` is an int with a bit for every square."""

    bricks: int
    square: int
    heading: int
    idle: int


class Solution(NamedTuple):
    """What best play leads to.

    Attributes:
        margin: bricks of the player who begins minus those of the other one.
        line: the actions of a game with that end.
        positions: how many positions the search has met.
    """

    margin: int
    line: tuple[int, ...]
    positions: int


@dataclass
class Solver:
    """Best play in one game.

    Attributes:
        game: the rules; `majority_ends` is ignored, as it would cut margins short.
        bounds: what is known of the final margin of each position (mover, opponent), as the mover sees it.
    """

    game: Walls
    bounds: dict[tuple[Half, Half], tuple[int, int]] = field(default_factory=dict)

    def solve(self) -> Solution:
        """Search from the opening, and then along a line of best play: always the first of the best actions."""
        (own, other), line = self.opening, []
        goal = margin = self.margin(own, other)
        while not self.ended(own, other):
            again = self.stalled(other)
            for action in range(len(ACTIONS)):
                after = self.move(own, other, action)
                if self._leads(after, other, goal):
                    break
            own, other, goal = (after, other, goal) if again else (other, after, -goal)
            line.append(action)
        return Solution(margin, tuple(line), len(self.bounds))

    def best(self, own: Half, other: Half) -> list[int]:
        """Return the actions that keep the margin of best play, in a game that goes on."""
        goal = self.margin(own, other)
        return [action for action in range(len(ACTIONS)) if self._leads(self.move(own, other, action), other, goal)]

    @property
    def opening(self) -> tuple[Half, Half]:
        middle = self.game.area // 2
        left, right = Half(0, middle - 1, 3, 0), Half(0, middle + 1, 1, 0)
        return (left, right) if self.game.first == "left" else (right, left)

    def margin(self, own: Half, other: Half) -> int:
        """Final margin of the side to move under best play."""
        goal = 0
        while not self.reaches(own, other, goal):
            goal -= 1
        while self.reaches(own, other, goal + 1):
            goal += 1
        return goal

    def reaches(self, own: Half, other: Half, goal: int) -> bool:
        """Whether the side to move can end with a margin of at least `goal`."""
        least, most = self.bounds.get((own, other)) or self._bounds(own, other)
        if goal <= least or goal > most:
            return goal <= least
        moves = dict.fromkeys(self.move(own, other, action) for action in range(len(ACTIONS)))
        can = any(self._leads(after, other, goal) for after in moves)
        self.bounds[own, other] = (goal, most) if can else (least, goal - 1)
        return can

    def _leads(self, after: Half, other: Half, goal: int) -> bool:
        """Whether the mover can still reach a margin of `goal` when a move has made it `after`."""
        if self.stalled(other):
            return self.reaches(after, other, goal)
        return not self.reaches(other, after, 1 - goal)

    def move(self, own: Half, other: Half, action: int) -> Half:
        """Return the player to move after its action."""
        bricks, square, heading, idle = own
        if action == 0:
            target = self._ahead[square][heading]
            if target not in (OFF, other.square) and not other.bricks >> target & 1:
                bricks, square = bricks | 1 << square, target
        else:
            heading = (heading + (1 if action == 2 else 3)) % 4
        return Half(bricks, square, heading, idle + 1 if bricks == own.bricks else 0)

    def stalled(self, half: Half) -> bool:
        return half.idle >= self.game.stall

    def ended(self, own: Half, other: Half) -> bool:
        full = (own.bricks | other.bricks).bit_count() == self.game.area
        return full or (self.stalled(own) and self.stalled(other))

    def _bounds(self, own: Half, other: Half) -> tuple[int, int]:
        """Least and greatest margin that is still possible; equal once the game has ended."""
        mine, theirs = own.bricks.bit_count(), other.bricks.bit_count()
        left = self.game.area - mine - theirs
        return mine - theirs - (0 if self.stalled(other) else left), mine - theirs + (0 if self.stalled(own) else left)

    @cached_property
    def _ahead(self) -> list[list[int]]:
        """The square in front of each square, by heading."""
        n = self.game.size
        return [
            [
                row * n + column if 0 <= row < n and 0 <= column < n else OFF
                for row, column in ((r - 1, c), (r, c + 1), (r + 1, c), (r, c - 1))
            ]
            for r in range(n)
            for c in range(n)
        ]


def task(options: Options) -> int:
    """Check, then print value and best play. Either player may begin: the two games are mirror images."""
    margin, line, positions = Solver(Walls(options.size, options.stall)).solve()
    said = "draws" if margin == 0 else f"{'wins' if margin > 0 else 'loses'} by {abs(margin)}"
    print(f"The player who begins {said} ({positions} positions).")
    for first, names in (("left", ("forward", "left", "right")), ("right", ("forward", "right", "left"))):
        print(f"The player on the {first} begins: {' '.join(names[action] for action in line)}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
