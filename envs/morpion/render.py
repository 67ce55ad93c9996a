"""Morpion Solitaire for people: the grid as text and as a picture, whole games as printed records show them.

Points are named x,y, y upwards. A move is named by the ends of its line: 16,20-20,20.
"""

import re
from collections.abc import Sequence
from html import escape
from itertools import pairwise

import numpy as np

from envs.morpion.notation.saved import Point, greek_cross, line_between, line_points, new_crosses
from envs.morpion.rules import DX, DY, LENGTH, Morpion, State, unpack
from jaxgp.printable import show_typed
from jaxgp.spec import Spot

SEATS = ("Player",)
TYPED = "the ends of a line, as in 16,20-20,20"

ROOM = 2
"""Free points that are shown around the crosses."""
CELL = 24.0
MARGIN = 16.0

RULES = """\
A move adds one cross so that five crosses stand in a row, horizontally,
vertically or diagonally, and draws the line through them.
No part of a line may be used twice; lines in one row may share an end
(game.variant=5D: lines of one direction share no cross).
A move is named by the ends of its line. Draw as many lines as you can.
"""
"""What `rules` prints at the table."""

STYLE = """
.morpion text{font:600 10px system-ui,-apple-system,"Segoe UI",sans-serif;text-anchor:middle}
.morpion .axis{fill:#8c959f;font-weight:400}
.morpion .grid{stroke:#d8dee4;stroke-width:1}
.morpion .line{stroke:#57606a;stroke-width:1.6;stroke-linecap:round}
.morpion .start{fill:none;stroke:#1f2328;stroke-width:2.2;stroke-linecap:round}
.morpion .disc{fill:#fff;stroke:#1f2328;stroke-width:1.2}
.morpion .number{fill:#1f2328;font-size:8.5px}
.morpion .mark{stroke:#1f6feb;stroke-width:3;stroke-linecap:round}
.morpion .newest{fill:#ddf4ff;stroke:#1f6feb;stroke-width:2}
@media (prefers-color-scheme:dark){
.morpion .axis{fill:#6e7681}
.morpion .grid{stroke:#30363d}
.morpion .line{stroke:#8b949e}
.morpion .start{stroke:#e6edf3}
.morpion .disc{fill:#161b22;stroke:#e6edf3}
.morpion .number{fill:#e6edf3}
.morpion .mark{stroke:#6cb6ff}
.morpion .newest{fill:#0c2d6b;stroke:#6cb6ff}
}
"""


def action_name(game: Morpion, action: int) -> str:
    """Return what people call a move: the ends of its line.

    Raises:
        ValueError: there is no such line.
    """
    (x, y), *_, (u, v) = line_points(game, action)
    return f"{x},{y}-{u},{v}"


def parse_action(game: Morpion, text: str) -> int:
    """Return the line that a person typed: four numbers, its ends in either order.

    Raises:
        ValueError: not a line; the message says what was typed and what is accepted.
    """
    one = r"(-?[0-9]{1,9})"
    numbers = re.fullmatch(rf"{one}[\s,]+{one}(?:\s*-\s*|[\s,]+){one}[\s,]+{one}", text.strip())
    if numbers is None:
        raise ValueError(f"{show_typed(text)} is not a move; accepted: {TYPED}")
    x, y, u, v = (int(number) for number in numbers.groups())
    return line_between(game, (x, y), (u, v))


def status(game: Morpion, state: State) -> str:
    """Say in one line how the game stands."""
    count = int(state.count)
    lines = f"{count} line{'' if count == 1 else 's'}"
    if bool(state.terminated):
        return f"The game is over, {lines}"
    legal = int(np.asarray(game.legal_actions(state)).sum())
    return f"{lines}, {legal} {'is' if legal == 1 else 'are'} possible next"


def text(game: Morpion, state: State, bottom: int = 0) -> str:
    """Draw the grid in plain characters, as far as there are crosses.

    `+` is a cross of the start, `x` a later one, `@` the newest, `o` a point where the next one may be put.

    Args:
        game: the rules.
        state: the position.
        bottom: the seat that looks at the grid; it makes no difference.
    """
    del bottom
    crosses, start, last = _crosses(game, state), greek_cross(), tuple(np.asarray(state.last).tolist())
    legal = np.flatnonzero(np.asarray(game.legal_actions(state))).tolist()
    free = {point for action in legal for point in line_points(game, action) if point not in crosses}
    left, bottom_row, right, top = _box(game, crosses)

    def shown(point: Point) -> str:
        if point in crosses:
            return "+" if point in start else "@" if point == last else "x"
        return "o" if point in free else "."

    rows = [f"{y:3} " + " ".join(shown((x, y)) for x in range(left, right + 1)) for y in range(top, bottom_row - 1, -1)]
    tens = "    " + " ".join(f"{x:2}"[0] for x in range(left, right + 1))
    ones = "    " + " ".join(f"{x:2}"[1] for x in range(left, right + 1))
    return "\n".join([*rows, tens, ones, status(game, state)])


def svg(game: Morpion, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw a position as a standalone picture, for light and dark pages.

    Args:
        game: the rules.
        state: the position; it does not remember in which order its crosses came.
        highlight: a line to mark, the one about to be drawn or the last one.
        seat: whose move is marked; it makes no difference.
        bottom: the seat that looks at the grid; it makes no difference.
    """
    del seat, bottom
    crosses = _crosses(game, state)
    later = dict.fromkeys(crosses - greek_cross(), "")
    marked = [] if highlight is None else line_points(game, highlight)
    newest = tuple(np.asarray(state.last).tolist())
    label = f"Morpion Solitaire {game.variant}. {status(game, state)}."
    return _picture(_box(game, crosses), _segments(game, state), later, marked, newest, label)


def svg_game(game: Morpion, actions: Sequence[int], upto: int | None = None) -> str:
    """Draw a whole game as printed records show it: each line, and each new cross with its number.

    Args:
        game: the rules.
        actions: the moves, all legal.
        upto: moves to show, the last one marked; the sheet has room for all. None: all of them, none marked.
    """
    added = new_crosses(game, actions)
    box = _box(game, greek_cross() | set(added))
    shown = list(actions)[:upto]
    numbers = {point: str(n) for n, point in enumerate(added[: len(shown)], 1)}
    lines = [line_points(game, action) for action in shown]
    marked = lines[-1] if lines and upto is not None else []
    newest = added[len(shown) - 1] if marked else None
    label = f"Morpion Solitaire {game.variant}, {len(shown)} lines."
    return _picture(box, [(points[0], points[-1]) for points in lines], numbers, marked, newest, label)


def _crosses(game: Morpion, state: State) -> set[Point]:
    return set(_named(game, unpack(state.crosses)))


def _named(game: Morpion, grid: np.ndarray) -> list[Point]:
    """Return the names of the points that are set in bool[H, 32 * W], row by row from the lowest."""
    rows, columns = np.nonzero(grid[:, : game.size])
    x, y = columns + game.origin[0], rows + game.origin[1]
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _segments(game: Morpion, state: State) -> list[tuple[Point, Point]]:
    """Return what is drawn: unit segments in 5T; in 5D whole lines, which are runs of five used points."""
    drawn = []
    for direction, grid in enumerate(unpack(state.used)):
        dx, dy = DX[direction], DY[direction]
        points = set(_named(game, grid))
        if game.variant == "5T":
            drawn += [((x, y), (x + dx, y + dy)) for x, y in points]
            continue
        for x, y in points:
            before = 0
            while (x - (before + 1) * dx, y - (before + 1) * dy) in points:
                before += 1
            if before % LENGTH == 0:
                drawn.append(((x, y), (x + (LENGTH - 1) * dx, y + (LENGTH - 1) * dy)))
    return drawn


def _box(game: Morpion, points: set[Point]) -> tuple[int, int, int, int]:
    """Return the first and last column and row to show, as left, bottom, right, top."""
    low, high = np.min(list(points), 0) - ROOM, np.max(list(points), 0) + ROOM
    first = np.array(game.origin)
    low, high = np.maximum(low, first), np.minimum(high, first + game.size - 1)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _picture(
    box: tuple[int, int, int, int],
    segments: Sequence[tuple[Point, Point]],
    numbers: dict[Point, str],
    marked: Sequence[Point],
    newest: Point | None,
    label: str,
) -> str:
    left, bottom, right, top = box

    def at(point: Point) -> tuple[float, float]:
        return MARGIN + CELL + (point[0] - left) * CELL, MARGIN + (top - point[1]) * CELL

    def stroke(kind: str, one: Point, other: Point) -> str:
        (x, y), (u, v) = at(one), at(other)
        return f'<line class="{kind}" x1="{x:g}" y1="{y:g}" x2="{u:g}" y2="{v:g}"/>'

    width, height = 2 * MARGIN + CELL * (right - left + 1), 2 * MARGIN + CELL * (top - bottom + 1)
    parts = [stroke("grid", (x, bottom), (x, top)) for x in range(left, right + 1)]
    parts += [stroke("grid", (left, y), (right, y)) for y in range(bottom, top + 1)]
    parts += [_written("axis", MARGIN + CELL / 4, at((left, y))[1], str(y)) for y in range(bottom, top + 1)]
    parts += [_written("axis", at((x, 0))[0], height - MARGIN, str(x)) for x in range(left, right + 1)]
    parts += [stroke("line", one, other) for one, other in segments]
    parts += [stroke("mark", one, other) for one, other in pairwise(marked)]
    for x, y in map(at, sorted(greek_cross())):
        parts.append(f'<path class="start" d="M{x - 5:g} {y - 5:g}l10 10m0 -10l-10 10"/>')
    for point, number in numbers.items():
        x, y = at(point)
        parts.append(f'<circle class="{"newest" if point == newest else "disc"}" cx="{x:g}" cy="{y:g}" r="9.5"/>')
        parts += [_written("number", x, y, number)] if number else []
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="morpion" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(label)}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _written(kind: str, x: float, y: float, said: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y + 3.2:g}">{said}</text>'


def places(game: Morpion, state: State, action: int) -> tuple[str, ...]:
    """Return what is pointed at for a line: its new cross, and an end of it that is another point."""
    points, crosses = line_points(game, action), _crosses(game, state)
    new = next(point for point in points if point not in crosses)
    end = points[-1] if points[0] == new else points[0]
    return _point_name(new), _point_name(end)


def spots(game: Morpion, state: State, bottom: int) -> list[Spot]:
    """Return where the points that are shown are in the picture."""
    del bottom
    left, low, right, top = _box(game, _crosses(game, state))
    return [
        Spot(
            (_point_name((x, y)),),
            MARGIN + CELL / 2 + (x - left) * CELL,
            MARGIN - CELL / 2 + (top - y) * CELL,
            CELL,
            CELL,
        )
        for x in range(left, right + 1)
        for y in range(low, top + 1)
    ]


def _point_name(point: Point) -> str:
    return f"{point[0]},{point[1]}"
