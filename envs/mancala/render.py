"""Kalah for people: the board as text and as a picture, and the names of the moves.

Both boards lie as on a table: the player named at the bottom plays the lower row from left to right into the store on
the right, the other one the upper row from right to left into the store on the left. Pits are numbered from 1 at each
player's own left hand.
"""

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from envs.mancala.rules import Mancala, State
from jaxgp.reading import whole_number
from jaxgp.spec import Spot

SEATS = ("First player", "Second player")

Point = tuple[float, float]

RULES = """\
A move takes all stones of an own pit and sows them one by one,
counter-clockwise, into own pits, the own store and the opponent's pits.
A last stone in the own store gives another turn.
A last stone in an own empty pit captures itself and the stones opposite, if any.
The game ends when either side is empty; the stones left go to the owner of their pits.
More stones in the store win.
"""
"""What `rules` prints at the table."""

# Measures of the picture, in its own units.
CELL = 100.0
PIT = 41.0
STORE = 72.0
EDGE = 24.0
ROW = 118.0
MARGIN = 54.0  # above and below the board, for the names of the players
STONE = 17.0
STONE_COLOURS = 4

STYLE = """
.kalah text{font:600 17px system-ui,-apple-system,"Segoe UI",sans-serif;text-anchor:middle}
.kalah .wood{fill:#d8ad6d;stroke:#a97c3f;stroke-width:2}
.kalah .pit{fill:#b98a49;stroke:#a2743a;stroke-width:2}
.kalah .mark{fill:none;stroke:#1f6feb;stroke-width:5}
.kalah .count{fill:#4a3210}
.kalah .name{fill:#57606a;text-anchor:start}
.kalah .number{fill:#8c959f;font-size:14px;font-weight:400}
.kalah .turn{fill:#1f6feb}
.kalah path{fill:none;stroke-linecap:round}
.kalah .rim{stroke:#3b2a14;opacity:.55}
.kalah .stone0{stroke:#2e6f95}
.kalah .stone1{stroke:#f4efe4}
.kalah .stone2{stroke:#b23a48}
.kalah .stone3{stroke:#4f772d}
.kalah .shine{stroke:#fff;opacity:.45}
@media (prefers-color-scheme:dark){
.kalah .wood{fill:#6b4d2a;stroke:#8a6538}
.kalah .pit{fill:#4a3319;stroke:#3a2812}
.kalah .mark{stroke:#6cb6ff}
.kalah .count{fill:#f3e3c8}
.kalah .name{fill:#adbac7}
.kalah .number{fill:#909dab}
.kalah .turn{fill:#6cb6ff}
.kalah .rim{stroke:#000}
}
"""


def action_name(game: Mancala, action: int) -> str:
    """Return what people call a move: the number of the pit, from 1 at the player's left.

    Raises:
        ValueError: there is no such pit.
    """
    if not 0 <= action < game.pits:
        raise ValueError(f"action {action}: accepted: 0 to {game.pits - 1}")
    return str(action + 1)


def parse_action(game: Mancala, text: str) -> int:
    """Return the action that a person typed; whether it is legal in a position is another question.

    Raises:
        ValueError: not the number of a pit; the message says what was typed and what is accepted.
    """
    word = text.strip()
    number = whole_number(word)
    if number is not None and 1 <= number <= game.pits:
        return number - 1
    typed = f'"{word[:40]}"' if word else "an empty line"
    accepted = "1" if game.pits == 1 else f"a number from 1 to {game.pits}"
    raise ValueError(f"{typed} is not a pit; accepted: {accepted}")


def sides(game: Mancala, state: State) -> tuple[list[int], list[int]]:
    """Return the stones of each seat: its pits from its left, then its store."""
    cells = np.asarray(state.board).tolist()
    own, other = cells[: game.pits + 1], cells[game.pits + 1 :]
    return (own, other) if int(state.to_move) == 0 else (other, own)


def status(game: Mancala, state: State) -> str:
    """Say in one line whose turn it is, or how the game ended."""
    if not bool(state.terminated):
        return f"{SEATS[int(state.to_move)]} to move"
    first, second = (side[-1] for side in sides(game, state))
    result = float(state.returns[0])
    if result == 0:
        return f"Draw, {first} to {second}"
    high, low = (first, second) if result > 0 else (second, first)
    return f"{SEATS[0 if result > 0 else 1]} wins, {high} to {low}"


def text(game: Mancala, state: State, bottom: int = 0) -> str:
    """Draw the board in plain characters.

    Args:
        game: the rules.
        state: the position.
        bottom: the seat whose row is the lower one.
    """
    both = sides(game, state)
    lower, upper = both[bottom], both[1 - bottom]
    width = max(2, *(len(str(n)) for n in lower + upper))

    def row(cells: Sequence[object], bar: str) -> str:
        return bar.join(f" {cell!s:>{width}} " for cell in cells)

    line = "-" * (width + 2)
    frame = "+".join(["", *[line] * (game.pits + 2), ""])
    gap = " " * (width + 2)
    middle = f"|{row([upper[-1]], '')}|{'+'.join([line] * game.pits)}|{row([lower[-1]], '')}|"
    numbers = list(range(1, game.pits + 1))
    indent = " " * (width + 4)
    live = not bool(state.terminated)
    names = [name + (", to move" if live and seat == int(state.to_move) else "") for seat, name in enumerate(SEATS)]
    lines = [
        f"{indent}{row(numbers[::-1], ' ')}{gap}{names[1 - bottom]}",
        frame,
        f"|{gap}|{row(upper[:-1][::-1], '|')}|{gap}|",
        middle,
        f"|{gap}|{row(lower[:-1], '|')}|{gap}|",
        frame,
        f"{indent}{row(numbers, ' ')}{gap}{names[bottom]}",
    ]
    if not live:
        lines.append(status(game, state))
    return "\n".join(line.rstrip() for line in lines)


def svg(game: Mancala, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw the board as a standalone picture, for light and dark pages.

    Args:
        game: the rules.
        state: the position.
        highlight: a pit to mark: the move that is about to be played or, with `seat`, the one that was.
        seat: whose pit is marked; by default that of the side to move.
        bottom: the seat whose row is the lower one.
    """
    both = sides(game, state)
    width = 2 * EDGE + 2 * (STORE + EDGE / 2) + game.pits * CELL
    height = 2 * MARGIN + 2 * ROW + EDGE
    parts = [
        f'<rect class="wood" x="1" y="{MARGIN:g}" width="{width - 2:g}" height="{height - 2 * MARGIN:g}" rx="46"/>'
    ]
    stones: list[tuple[Point, float]] = []
    for place in (0, 1):  # lower, upper
        owner = bottom if place == 0 else 1 - bottom
        for pit, count in enumerate(both[owner][:-1]):
            parts += _pit(_centre(game, place, pit, height), count, pit + 1, up=place == 1)
            stones += _heap(_centre(game, place, pit, height), count)
        left = width - EDGE - STORE if place == 0 else EDGE
        parts += _store(left, height, both[owner][-1])
        stones += _pile(left, height, both[owner][-1])
        parts += _name(game, state, owner, width, height, up=place == 1)
    parts += _strokes(stones)
    if highlight is not None:
        marked = int(state.to_move) if seat is None else seat
        x, y = _centre(game, int(marked != bottom), highlight, height)
        parts.append(f'<circle class="mark" cx="{x:g}" cy="{y:g}" r="{PIT:g}"/>')
    label = escape(f"Kalah. {status(game, state)}. Stores: {both[0][-1]} and {both[1][-1]}.")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kalah" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{label}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _centre(game: Mancala, place: int, pit: int, height: float) -> Point:
    """Middle of a pit; `place` is 0 for the lower row, 1 for the upper one."""
    column = pit if place == 0 else game.pits - 1 - pit
    x = EDGE + STORE + EDGE / 2 + (column + 0.5) * CELL
    return x, height / 2 + (ROW / 2 - 6 if place == 0 else 6 - ROW / 2)


def _pit(centre: Point, count: int, number: int, up: bool) -> list[str]:
    x, y = centre
    side = -1 if up else 1
    return [
        f'<circle class="pit" cx="{x:g}" cy="{y:g}" r="{PIT:g}"/>',
        f'<text class="count" x="{x:g}" y="{y + side * (PIT + 15) + 6:g}">{count}</text>',
        f'<text class="number" x="{x:g}" y="{y + side * (PIT + 46) + 5:g}">{number}</text>',
    ]


def _store(left: float, height: float, count: int) -> list[str]:
    top, tall = MARGIN + EDGE, height - 2 * MARGIN - 2 * EDGE - 22
    return [
        f'<rect class="pit" x="{left:g}" y="{top:g}" width="{STORE:g}" height="{tall:g}" rx="{STORE / 2:g}"/>',
        f'<text class="count" x="{left + STORE / 2:g}" y="{top + tall + 24:g}">{count}</text>',
    ]


def _name(game: Mancala, state: State, owner: int, width: float, height: float, up: bool) -> list[str]:
    """Player's name at the outer edge, with a dot while it is to move and its result after the end."""
    y = 20.0 if up else height - 10
    said = SEATS[owner]
    if bool(state.terminated):
        said += {1: " wins", 0: ", draw", -1: ""}[round(float(state.returns[owner]))]
    x = 4.0 if up else width - 6 - 9.2 * len(said)
    turn = not bool(state.terminated) and int(state.to_move) == owner
    name = f'<text class="name{" turn" if turn else ""}" x="{x + 14 * up * turn:g}" y="{y:g}">{said}</text>'
    dot = f'<circle class="turn" cx="{x + (4 if up else -12):g}" cy="{y - 6:g}" r="5"/>'
    return [name, dot] if turn else [name]


def _heap(centre: Point, count: int) -> list[tuple[Point, float]]:
    """Stones in a pit: a sunflower's pattern, drawn closer once the pit is full."""
    if not count:
        return []
    space = min(0.75 * STONE, (PIT - STONE / 2) / math.sqrt(count))
    index = np.arange(count)
    radius, angle = space * np.sqrt(index + 0.5), index * math.pi * (3 - math.sqrt(5))
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    points += np.array(centre) - points.mean(0)  # a few stones lie to one side of the pattern's own centre
    return [((x, y), min(STONE, space / 0.58)) for x, y in points.tolist()]


def _pile(left: float, height: float, count: int) -> list[tuple[Point, float]]:
    """Stones in a store: rows from the bottom up, the odd ones shifted, drawn closer when there are many."""
    top, bottom = MARGIN + EDGE + 22, height - MARGIN - EDGE - 44
    scale = 1.0
    while count > _columns(scale) * int((bottom - top) / (STONE * scale) + 1):
        scale *= 0.95
    columns, step = _columns(scale), STONE * scale
    found = []
    for k in range(count):
        row, column = divmod(k, columns)
        x = left + STORE / 2 + (column - (columns - 1) / 2 + (0.25 if row % 2 else -0.25)) * step
        found.append(((x, bottom - row * step), step))
    return found


def _columns(scale: float) -> int:
    return max(1, int((STORE - 20) / (STONE * scale)))


def _strokes(stones: list[tuple[Point, float]]) -> list[str]:
    """Draw stones as round dots of a few paths, which takes a tenth of the characters that circles do."""
    parts = []
    for size in sorted({size for _, size in stones}):
        same = [point for point, own in stones if own == size]
        parts.append(_dots("rim", same, size, 0, 0.6))
        for colour in range(STONE_COLOURS):
            parts.append(_dots(f"stone{colour}", same[colour::STONE_COLOURS], size - 2, 0, 0))
        parts.append(_dots("shine", same, size * 0.25, -size * 0.17, -size * 0.17))
    return [part for part in parts if part]


def _dots(kind: str, points: list[Point], size: float, right: float, down: float) -> str:
    if not points:
        return ""
    route = "".join(f"M{x + right:.1f} {y + down:.1f}h0" for x, y in points)
    return f'<path class="{kind}" stroke-width="{size:.1f}" d="{route}"/>'


def places(game: Mancala, state: State, action: int) -> tuple[str, ...]:
    """Return what is pointed at for a move: its pit."""
    del game, state
    return (str(action + 1),)


def spots(game: Mancala, state: State, bottom: int) -> list[Spot]:
    """Return where the pits of the side to move are in the picture."""
    height, row = 2 * MARGIN + 2 * ROW + EDGE, int(int(state.to_move) != bottom)
    centres = [_centre(game, row, pit, height) for pit in range(game.pits)]
    return [Spot((str(n),), x - PIT, y - PIT, 2 * PIT, 2 * PIT) for n, (x, y) in enumerate(centres, 1)]
