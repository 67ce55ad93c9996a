"""Chess for people: the board as text and as a picture, and the names of the moves.

The name of a move says which man of its row goes where, as an action does: Q-d3, R2-d3. People may type moves as they
are written in books, or by two squares; see `envs.chess.notation.moves`.
"""

import re
from html import escape

import numpy as np

from envs.chess.geometry import KINDS, OFF, SQUARES, square_name
from envs.chess.rules import VALUES, Chess, State
from envs.drawing import nameplate
from jaxgp.printable import show_typed
from jaxgp.spec import Spot

SEATS = ("White", "Black")
NAMES = ("king", "queen", "rook", "bishop", "knight")
MOVE = "a man and a square, as in Q-d3"
"""What `parse_action` accepts, for people."""
NAME = re.compile(r"(?:([KQRBN])(\d?)|(\d))-?([a-h][1-8])")
RULES = """\
White begins in a position that is drawn at random. Men move as in chess.
Who gives mate wins. Stalemate is a draw, and so are two bare kings, 50 moves of each
side without a capture, and the end after game.plies moves, of which each makes half;
with game.adjudicate=material more material is worth 3/4 of a point there.
With game.repetition=true the third time of a position ends the game as a draw.
"""
"""What `rules` prints at the table."""
COLOURS = {r"(?<![A-Za-z0-9])[KQRBN](?![A-Za-z0-9])": "bright_white", r"(?<![A-Za-z0-9])[kqrbn](?![A-Za-z0-9])": "cyan"}
"""How a terminal shows what stands in the text of a position."""

# Measures of the picture, in its own units.
CELL = 52.0
EDGE = 30.0  # around the board, for the names of columns and rows
MARGIN = 36.0  # above and below that, for the names of the players

SHAPES = (
    "M-1.500-19h3v3.500h3.500v3h-3.500v9h-3v-9h-3.500v-3h3.500zM-12 15h24l3-19q-8-7-15 3-7-10-15-3z",
    "M-12 15h24l5-22-8 8-3-14-6 13-6-13-3 14-8-8z",
    "M-13 15h26v-6h-4v-13h5v-11h-6v5h-5v-5h-6v5h-5v-5h-6v11h5v13h-4z",
    "M-12 15h24q-1-5-6-6 6-13-6-24-12 11-6 24-5 1-6 6zM-2.200-18a2.200 2.200 0 1 0 4.400 0a2.200 2.200 0 1 0-4.400 0z",
    "M-10 15h22q2-21-8-28l-3-6-4 5q-9 5-11 14l4 4 9-5q-1 7-9 16z",
)
"""Outlines of the men by kind, around the middle of a square; closed, since lines of black men are light."""
STYLE = """
.chess text{font:600 17px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#24292f}
.chess .at{font:500 14px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#6e7781;text-anchor:middle}
.chess .name1{text-anchor:end}
.chess .ground{fill:#efe3cb;stroke:#6f5236;stroke-width:3}
.chess .dark{fill:#b98d66}
.chess .man0{fill:#fbf8ef;stroke:#22262b;stroke-width:2;stroke-linejoin:round}
.chess .man1{fill:#23272d;stroke:#f2ead8;stroke-width:1.4;stroke-linejoin:round}
.chess .mark{fill:#e3a220;fill-opacity:.45}
.chess .check{fill:none;stroke:#e5484d;stroke-width:4}
.chess .turn{fill:none;stroke:#d29922;stroke-width:11;stroke-linecap:round}
@media (prefers-color-scheme:dark){
.chess text{fill:#e6edf3}
.chess .at{fill:#8b949e}
.chess .ground{fill:#b3a58c;stroke:#3f2f20}
.chess .dark{fill:#7d5f45}
}
"""


def action_name(game: Chess, action: int) -> str:
    """Return what an action is called: Q-d3; R2-d3 for the second rook; 2-d3 where its man may be of several kinds.

    Raises:
        ValueError: there is no such action.
    """
    if not 0 <= action < game.num_actions:
        raise ValueError(f"action {action}: accepted: 0 to {game.num_actions - 1}")
    place, square = divmod(action, SQUARES)
    return f"{_labels(game)[place]}-{square_name(square)}"


def parse_action(game: Chess, text: str) -> int:
    """Return the action with a name.

    Raises:
        ValueError: not one; the message says what was typed and what is accepted.
    """
    found = NAME.fullmatch(text.strip())
    labels = _labels(game)
    if found is not None:
        label = found[3] or found[1] + found[2]
        column, row = found[4][0], found[4][1]
        if label in labels:
            return labels.index(label) * SQUARES + "abcdefgh".index(column) + 8 * (int(row) - 1)
    raise ValueError(f"{show_typed(text)} is not a move; accepted: {MOVE}, of {', '.join(labels)}")


def _labels(game: Chess) -> list[str]:
    """Return what the men of a row are called, by their places."""
    found = []
    sides = {side for army in game.armies for side in army}
    for place in range(game.width):
        kinds = {side[place] for side in sides if place < len(side)}
        if len(kinds) > 1 or len({side.count(next(iter(kinds))) for side in sides if place < len(side)}) > 1:
            found.append(f"{place + 1}")
            continue
        (kind,) = kinds
        row = next(side for side in sides if place < len(side))
        number = f"{row[: place + 1].count(kind)}" if row.count(kind) > 1 else ""
        found.append(KINDS[kind] + number)
    return found


def listed(state: State) -> list[tuple[int, int, int]]:
    """Return seat, kind and square of each man on the board."""
    men, kinds, first = np.asarray(state.men), np.asarray(state.kinds), int(state.to_move)
    return [
        ((first + row) % 2, int(kinds[row, place]), int(men[row, place]))
        for row in range(2)
        for place in range(men.shape[1])
        if men[row, place] < OFF
    ]


def in_check(state: State) -> bool:
    """Return whether the king of the side to move is attacked."""
    men = listed(state)
    occupied = {square for _, _, square in men}
    mover = int(state.to_move)
    king = next(square for seat, kind, square in men if seat == mover and kind == 0)
    return any(seat != mover and _attacks(kind, square, king, occupied) for seat, kind, square in men)


def _attacks(kind: int, start: int, end: int, occupied: set[int]) -> bool:
    right, up = end % 8 - start % 8, end // 8 - start // 8
    near, far = sorted((abs(right), abs(up)))
    if kind == 4:
        return (near, far) == (1, 2)
    if far == 0 or near not in (0, far) or (kind == 0 and far > 1) or kind == (3 if near == 0 else 2):
        return False
    step = right // far + 8 * (up // far)
    return not any(start + n * step in occupied for n in range(1, far))


def status(state: State) -> str:
    """Say in one line whose turn it is, or how the game ended."""
    if bool(state.terminated):
        result = float(state.returns[0])
        if abs(result) == 1:
            return f"{SEATS[0 if result > 0 else 1]} wins by mate"
        return "Draw" if result == 0 else f"{SEATS[0 if result > 0 else 1]} is ahead in material"
    return f"{SEATS[int(state.to_move)]} to move" + (", in check" if in_check(state) else "")


def text(game: Chess, state: State, bottom: int = 0) -> str:
    """Draw the board in plain characters: capital letters are white men, small ones black men.

    Args:
        game: the rules.
        state: the position.
        bottom: the seat that looks at the board.
    """
    del game
    cells = ["."] * SQUARES
    for seat, kind, square in listed(state):
        cells[square] = KINDS[kind] if seat == 0 else KINDS[kind].lower()
    rows, columns = _order(bottom)
    lines = [f"{row + 1} " + " ".join(cells[8 * row + column] for column in columns) for row in rows]
    names = "  " + " ".join("abcdefgh"[column] for column in columns)
    return "\n".join([*lines, names, f"{status(state)}. Move {int(state.plies) // 2 + 1}."])


def svg(game: Chess, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw the board as a standalone picture, for light and dark pages; a red ring is around a king in check.

    Args:
        game: the rules.
        state: the position.
        highlight: a move whose square is marked.
        seat: whose move is marked; it makes no difference.
        bottom: the seat that looks at the board.
    """
    del game, seat
    width, height = 8 * CELL + 2 * EDGE, 8 * CELL + 2 * EDGE + 2 * MARGIN
    rows, columns = _order(bottom)
    places = {
        8 * row + column: (EDGE + (x + 0.5) * CELL, EDGE + MARGIN + (y + 0.5) * CELL)
        for y, row in enumerate(rows)
        for x, column in enumerate(columns)
    }
    dark = "".join(
        f"M{x - CELL / 2:g} {y - CELL / 2:g}h{CELL:g}v{CELL:g}h-{CELL:g}z"
        for square, (x, y) in places.items()
        if (square // 8 + square % 8) % 2 == 0
    )
    side = f'width="{8 * CELL:g}" height="{8 * CELL:g}"'
    parts = [f'<rect class="ground" x="{EDGE:g}" y="{EDGE + MARGIN:g}" {side}/>', f'<path class="dark" d="{dark}"/>']
    if highlight is not None:
        x, y = places[highlight % SQUARES]
        parts.append(
            f'<rect class="mark" x="{x - CELL / 2:g}" y="{y - CELL / 2:g}" width="{CELL:g}" height="{CELL:g}"/>'
        )
    men, mover = listed(state), int(state.to_move)
    for owner, kind, square in men:
        x, y = places[square]
        parts.append(f'<path class="man{owner}" transform="translate({x:g} {y:g})" d="{SHAPES[kind]}"/>')
        if kind == 0 and owner == mover and in_check(state):
            parts.append(f'<circle class="check" cx="{x:g}" cy="{y:g}" r="24"/>')
    for n, (row, column) in enumerate(zip(rows, columns, strict=True)):
        middle = (n + 0.5) * CELL
        parts.append(f'<text class="at" x="{EDGE / 2:g}" y="{EDGE + MARGIN + middle + 5:g}">{row + 1}</text>')
        base = EDGE + MARGIN + 8 * CELL + 20
        parts.append(f'<text class="at" x="{EDGE + middle:g}" y="{base:g}">{"abcdefgh"[column]}</text>')
    for owner, name in enumerate(SEATS):
        worth = sum(int(VALUES[kind]) for own, kind, _ in men if own == owner)
        x, y = (EDGE, width - EDGE)[owner], height - 12 if owner == bottom else MARGIN - 12
        parts += nameplate(state, owner, f"{name}: material {worth}", x, y)
    said = ", ".join(f"{SEATS[owner].lower()} {NAMES[kind]} {square_name(square)}" for owner, kind, square in men)
    label = escape(f"Chess. {status(state)}. {said}.")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chess" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{label}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _order(bottom: int) -> tuple[list[int], list[int]]:
    """Return the rows from the top and the columns from the left, as a seat sees them."""
    numbers = list(range(8))
    return (numbers, numbers[::-1]) if bottom else (numbers[::-1], numbers)


def places(game: Chess, state: State, action: int) -> tuple[str, ...]:
    """Return what is pointed at for a move: the square of its man, and where that goes."""
    del game
    place, square = divmod(action, SQUARES)
    return square_name(int(np.asarray(state.men)[0, place])), square_name(square)


def spots(game: Chess, state: State, bottom: int) -> list[Spot]:
    """Return where the squares are in the picture."""
    del game, state
    rows, columns = _order(bottom)
    return [
        Spot((square_name(8 * row + column),), EDGE + x * CELL, EDGE + MARGIN + y * CELL, CELL, CELL)
        for y, row in enumerate(rows)
        for x, column in enumerate(columns)
    ]
