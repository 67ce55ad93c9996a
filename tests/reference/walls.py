"""Walls, its neighbourhoods and minimax in plain Python, written from the text of the game: the oracle of the rules.

Squares are pairs (x, y) with y downwards, headings are unit vectors, and bricks are a dictionary from squares to the
seat whose name they bear.
"""

from dataclasses import dataclass, replace

Square = tuple[int, int]

COMPASS: dict[str, Square] = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
MOVES = ("try-forward", "turn-left", "turn-right")


@dataclass(frozen=True)
class Walker:
    at: Square
    faces: str
    waste: int = 0
    """Consecutive moves without a new brick."""


@dataclass(frozen=True)
class Position:
    n: int
    walkers: tuple[Walker, Walker]
    bricks: tuple[tuple[Square, int], ...] = ()
    turn: int = 0
    limit: int = 9
    majority: bool = False

    def owner(self, square: Square) -> int | None:
        return dict(self.bricks).get(square)

    def count(self, seat: int) -> int:
        return sum(owner == seat for _, owner in self.bricks)

    def stalled(self, seat: int) -> bool:
        return self.walkers[seat].waste >= self.limit

    @property
    def over(self) -> bool:
        half = self.n * self.n / 2
        if self.majority and max(self.count(0), self.count(1)) > half:
            return True
        return len(self.bricks) == self.n * self.n or (self.stalled(0) and self.stalled(1))

    @property
    def points(self) -> tuple[int, int]:
        """The study's points: 2 for a win, 1 each for a draw."""
        first, second = self.count(0), self.count(1)
        return (1, 1) if first == second else (2, 0) if first > second else (0, 2)


def start(n: int, first: str = "left", limit: int = 9, majority: bool = False) -> Position:
    middle = (n - 1) // 2
    left, right = Walker((middle - 1, middle), "W"), Walker((middle + 1, middle), "E")
    return Position(n, (left, right) if first == "left" else (right, left), limit=limit, majority=majority)


def moves(position: Position) -> list[str]:
    return [] if position.over else list(MOVES)


def play(position: Position, move: str) -> Position:
    me = position.turn
    walker, rival = position.walkers[me], position.walkers[1 - me]
    bricks, laid = position.bricks, False
    if move == "try-forward":
        target = tuple(a + b for a, b in zip(walker.at, COMPASS[walker.faces], strict=True))
        on_board = all(0 <= a < position.n for a in target)
        if on_board and target != rival.at and position.owner(target) in (None, me):
            if position.owner(walker.at) is None:
                bricks, laid = (*bricks, (walker.at, me)), True
            walker = replace(walker, at=target)
    else:
        order = "NESW" if move == "turn-right" else "NWSE"
        walker = replace(walker, faces=order[(order.index(walker.faces) + 1) % 4])
    walker = replace(walker, waste=0 if laid else walker.waste + 1)
    walkers = (walker, rival) if me == 0 else (rival, walker)
    after = replace(position, walkers=walkers, bricks=bricks)
    return after if after.stalled(1 - me) else replace(after, turn=1 - me)


def neighbourhood(position: Position, size: int, symmetric: bool) -> list[str]:
    """What the player to move senses: '#' edge, '0' empty, 'A' own and 'B' the other's brick, a heading; row by row.

    The other player's heading is in small letters, to tell it from the own one.
    """
    me = position.walkers[position.turn]
    rival = position.walkers[1 - position.turn]
    reach = size // 2
    quarters = "NESW".index(me.faces) if symmetric else 0

    def sense(square: Square) -> str:
        if square == me.at:
            return "NESW"[("NESW".index(me.faces) - quarters) % 4]
        if square == rival.at:
            return "nesw"[("NESW".index(rival.faces) - quarters) % 4]
        if not all(0 <= a < position.n for a in square):
            return "#"
        owner = position.owner(square)
        return "0" if owner is None else "A" if owner == position.turn else "B"

    grid = [[sense((me.at[0] + x, me.at[1] + y)) for x in range(-reach, reach + 1)] for y in range(-reach, reach + 1)]
    for _ in range(quarters):  # a quarter to the left takes what lies east to the top
        grid = [list(column) for column in zip(*grid, strict=True)][::-1]
    return [cell for row in grid for cell in row]


def value(position: Position, depth: int, worth) -> float:
    """Plain minimax over every line of `depth` moves, as seat 0 sees it."""
    if depth == 0 or position.over:
        return worth(position)
    return (max, min)[position.turn](value(play(position, move), depth - 1, worth) for move in moves(position))


def lead(position: Position) -> int:
    """Difference in bricks, as seat 0 sees it."""
    return position.count(0) - position.count(1)
