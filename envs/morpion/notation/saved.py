"""Games of Morpion Solitaire as text: writes and reads the two formats of the report's program.

The first is one line, four numbers a move: where the line starts and where it ends.

    20 17 24 17 19 18 15 22 ...

The second is a move a line: start, end, the new cross, the direction (1 horizontal, 2 rising, 3 vertical, 4 falling),
and what made the move.

    20 17 24 17 23 17 1<tab>action<tab>[21,16]
"""

from collections.abc import Sequence

from envs.morpion.rules import CORNER, DX, DY, LENGTH, START, Morpion
from jaxgp.reading import whole_number

MARK = "TO_BE_USED_AS_INPUT"
"""Header above the moves of the second format."""

Point = tuple[int, int]


def greek_cross() -> set[Point]:
    """Return the points of the start, as points are named."""
    rows = START.split("\n")[-2:0:-1]
    return {
        (CORNER[0] + x, CORNER[1] + y)
        for y, row in enumerate(rows)
        for x, point in enumerate(row.split())
        if point == "X"
    }


def line_points(game: Morpion, action: int) -> list[Point]:
    """Return the five points of a line, first to last, as points are named.

    Raises:
        ValueError: there is no such line.
    """
    if not 0 <= action < game.num_actions:
        raise ValueError(f"action {action}: accepted: 0 to {game.num_actions - 1}")
    direction, (row, column) = action // game.size**2, divmod(action % game.size**2, game.size)
    x, y = column + game.origin[0], row + game.origin[1]
    return [(x + k * DX[direction], y + k * DY[direction]) for k in range(LENGTH)]


def line_between(game: Morpion, one: Point, other: Point) -> int:
    """Return the line with these ends, in either order.

    Raises:
        ValueError: they are not the ends of a line of five on the grid; the message says what is accepted.
    """
    left, bottom = game.origin
    for direction, (dx, dy) in enumerate(zip(DX, DY, strict=True)):
        span = (dx * (LENGTH - 1), dy * (LENGTH - 1))
        for (x, y), (u, v) in ((one, other), (other, one)):
            if (u - x, v - y) != span:
                continue
            if not all(0 <= p < game.size for p in (x - left, y - bottom, u - left, v - bottom)):
                far = f"{left},{bottom} to {left + game.size - 1},{bottom + game.size - 1}"
                raise ValueError(f"{_named(one, other)} leaves the grid; accepted: points from {far}")
            return direction * game.size**2 + (y - bottom) * game.size + x - left
    raise ValueError(
        f"{_named(one, other)} is not a line; accepted: the ends of five points in a row, such as 16,20-20,20"
    )


def new_crosses(game: Morpion, actions: Sequence[int]) -> list[Point]:
    """Return the cross that each move of a game adds.

    Raises:
        ValueError: a move is not legal; the message says which.
    """
    crosses, added = greek_cross(), []
    used: set[tuple[int, Point]] = set()
    for number, action in enumerate(actions, 1):
        points = line_points(game, action)
        new = [point for point in points if point not in crosses]
        uses = set(_uses(game, action, points))
        if len(new) != 1 or uses & used:
            fault = (
                "it uses again what another line uses" if len(new) == 1 else f"it would add {len(new)} crosses, not 1"
            )
            raise ValueError(f"move {number}, {_named(points[0], points[-1])}: not legal in {game.variant}: {fault}")
        used |= uses
        crosses.add(new[0])
        added.append(new[0])
    return added


def one_line(game: Morpion, actions: Sequence[int]) -> str:
    """Write a game in the first format, without an end of line."""
    ends = ((points[0], points[-1]) for points in (line_points(game, action) for action in actions))
    return "".join(f"{x} {y} {u} {v} " for (x, y), (u, v) in ends)


def listing(game: Morpion, actions: Sequence[int], reasons: Sequence[str]) -> str:
    """Write a game in the second format; `reasons` say what made each move."""
    lines = []
    for action, (cx, cy), reason in zip(actions, new_crosses(game, actions), reasons, strict=True):
        (x, y), *_, (u, v) = line_points(game, action)
        lines.append(f"{x} {y} {u} {v} {cx} {cy} {action // game.size**2 + 1}\taction\t{reason}\n")
    return "".join(lines)


def describe(game: Morpion, actions: Sequence[int], reasons: Sequence[str]) -> str:
    """Write a game in both formats, with its score, as the report's program does at the end of a run."""
    return (
        f"\nBest Individual's Map\n=====\n{one_line(game, actions)}\n\n\nScore={len(actions)}\n\n\n\n\n=====\n"
        f"{MARK}\n{listing(game, actions, reasons)}"
    )


def parse_game(game: Morpion, text: str) -> list[int]:
    """Read a game in either format, or in both as `describe` writes them.

    Raises:
        ValueError: the text is not a game, or a move is not legal; the message says where.
    """
    first, _, second = text.rpartition(MARK)
    offset = first.count("\n") if second or first else 0
    actions = []
    for number, line in enumerate((second or text).splitlines(), 1 + offset):
        words = line.split("\t")[0].split()
        if not words:
            continue
        numbers = [one for word in words if (one := whole_number(word, signed=True)) is not None]
        if len(numbers) < len(words):
            raise ValueError(f'line {number}: "{line.strip()[:40]}": accepted: whole numbers, four or seven a move')
        size = 7 if "\t" in line or len(numbers) == 7 else 4
        if len(numbers) % size:
            raise ValueError(f"line {number}: {len(numbers)} numbers: accepted: {size} for each move")
        for at in range(0, len(numbers), size):
            x, y, u, v = numbers[at : at + 4]
            try:
                actions.append(line_between(game, (x, y), (u, v)))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
    if not actions:
        raise ValueError("the text holds no moves; accepted: four numbers for each, where its line starts and ends")
    new_crosses(game, actions)
    return actions


def _uses(game: Morpion, action: int, points: list[Point]) -> list[tuple[int, Point]]:
    """Return what a line uses: the starts of its segments, or its points, in its direction."""
    kept = points[:-1] if game.variant == "5T" else points
    return [(action // game.size**2, point) for point in kept]


def _named(one: Point, other: Point) -> str:
    return f"{one[0]},{one[1]}-{other[0]},{other[1]}"
