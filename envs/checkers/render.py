"""Checkers for people: the board as text and as a picture, and the names of the moves.

Square a1 is at the bottom left for black, who begins; for white the board is turned round.
"""

import re
from functools import cache
from html import escape

import jax
import numpy as np

from envs.checkers import fen
from envs.checkers.rules import DIRECTIONS, Checkers, State
from envs.drawing import nameplate
from jaxgp.bits import Bits
from jaxgp.options import any_of
from jaxgp.printable import show_typed
from jaxgp.spec import Spot

SEATS = ("Black", "White")
MARKS = ("b", "w", "B", "W")
"""Men of both seats, then kings; 1 to 4 in a grid of pieces."""
MARKED = r"\([bwBW]\)"
"""A piece that has to capture, in the text of a position."""
MOVE = "two squares, as in c3-d4, or c3xe5 for a capture"
"""What `parse_action` accepts, for people."""
NAMES = re.compile(r"[a-z]\d{1,2}([-x:]?[a-z]\d{1,2})+", re.ASCII)
NUMBERS = re.compile(r"\d{1,3}([-x:]\d{1,3})+", re.ASCII)

RULES = """\
Black begins, at the bottom. Men move one square diagonally forward.
A man in the last row becomes a king, which moves one square in any direction.
A piece captures an adjacent opponent by a jump to the empty square behind it,
a man forward only, and goes on as long as it can; a man that is crowned stops.
Who can capture has to, and chooses freely among captures.
Who has no piece or no move left loses; in lose checkers (game.lose=true) he wins.
After 40 plies in a row without a capture the game is drawn (game.quiet_plies).
"""
"""What `rules` prints at the table."""
COLOURS = {
    MARKED: "bold red",
    r"(?<![a-z0-9(])[wW](?![a-z0-9])": "bright_white",
    r"(?<![a-z0-9(])[bB](?![a-z0-9])": "cyan",
}
"""How a terminal shows what stands in the text of a position."""

# Measures of the picture, in its own units.
CELL = 52.0
EDGE = 30.0  # around the board, for the names of columns and rows
MARGIN = 36.0  # above and below that, for the names of the players
PIECE = 20.0
CROWN = "M-10 6l-2-12 6 5 6-8 6 8 6-5-2 12z"

# Amber, which is no piece's colour, says whose turn it is, which pieces may move and what was played last; red, which
# pieces have to capture.
STYLE = """
.checkers text{font:600 17px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#24292f}
.checkers .at{font:500 14px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#6e7781;text-anchor:middle}
.checkers .name1{text-anchor:end}
.checkers .ground{fill:#efe3cb;stroke:#6f5236;stroke-width:3}
.checkers .dark{fill:#a87b54}
.checkers .piece0{fill:#1d2126;stroke:#5c636b;stroke-width:2.5}
.checkers .piece1{fill:#f7f3e8;stroke:#a39a86;stroke-width:2.5}
.checkers .crown0{fill:#f0c75e}
.checkers .crown1{fill:#8a5a12}
.checkers .may{fill:none;stroke:#e3a220;stroke-width:2.5}
.checkers .must{fill:none;stroke:#e5484d;stroke-width:4}
.checkers .mark{fill:none;stroke:#e3a220;stroke-width:5;stroke-linecap:round}
.checkers .taken{fill:none;stroke:#e3a220;stroke-width:2.5;stroke-dasharray:5 4}
.checkers .turn{fill:none;stroke:#d29922;stroke-width:11;stroke-linecap:round}
@media (prefers-color-scheme:dark){
.checkers text{fill:#e6edf3}
.checkers .at{fill:#8b949e}
.checkers .ground{fill:#8f7f66;stroke:#3f2f20}
.checkers .dark{fill:#5d432d}
}
"""


def action_name(game: Checkers, action: int) -> str:
    """Return what people call a move: c3-d4, or c3xe5 for a capture.

    Raises:
        ValueError: there is no such move.
    """
    if not 0 <= action < game.num_actions:
        raise ValueError(f"action {action}: accepted: 0 to {game.num_actions - 1}")
    start, end = squares(game, action)
    if end is None:
        raise ValueError(f"action {action}: leads off the board")
    return f"{square_name(game, start)}{'x' if _jumps(game, action) else '-'}{square_name(game, end)}"


def parse_action(game: Checkers, text: str) -> int:
    """Return the action that a person typed: two squares, as `read_squares` reads them.

    Raises:
        ValueError: not a move; the message says what was typed and what is accepted.
    """
    route = read_squares(game, text, MOVE)
    action = _actions(game).get(route)
    if action is None or ("x" in text.lower() and not _jumps(game, action)):
        raise ValueError(f"{show_typed(text)} is not a move; accepted: {MOVE}")
    return action


def read_squares(game: Checkers, text: str, accepted: str) -> tuple[int, ...]:
    """Return the squares that a person typed, two or more, by their names or by their numbers.

    Names may have -, x or : between them, numbers need one of these. The numbers are those of the books and of PDN:
    they begin on the side of black and, as black sees it, go from right to left in each row. Source: R. Newell, "The
    Numbered Board and Move Notation", The Checker Maven.

    Args:
        game: the rules.
        text: as typed.
        accepted: for the message, what would have been right.

    Raises:
        ValueError: something else; the message says what was typed and what is accepted.
    """
    word = text.strip().lower()
    pattern = r"[a-z]\d+" if NAMES.fullmatch(word) else r"\d+" if NUMBERS.fullmatch(word) else ""
    found = [squares_by_name(game).get(name) for name in re.findall(pattern, word)] if pattern else []
    route = tuple(square for square in found if square is not None)
    if not route or len(route) < len(found):
        raise ValueError(f"{show_typed(text)} is not a move; accepted: {accepted}")
    return route


def squares(game: Checkers, action: int) -> tuple[int, int | None]:
    """Return the squares where a move begins and ends; None off the board."""
    kind, start = divmod(action, game.area)
    row, column = game.place(start)
    far = 2 if _jumps(game, action) else 1
    up, right = DIRECTIONS[kind % len(DIRECTIONS)]
    return start, game.square(row + far * up, column + far * right)


def pieces(game: Checkers, state: State) -> np.ndarray:
    """Return int[size, size], from row 1 up: 0 empty, 1 and 2 men of black and white, 3 and 4 their kings."""
    first = int(state.to_move)
    own, other, kings = (_dark(game, bits) for bits in (state.own, state.other, state.kings))
    dark = own * (1 + first) + other * (2 - first) + 2 * kings
    grid = np.zeros((game.size, game.size), int)
    for square, piece in enumerate(dark):
        grid[game.place(square)] = piece
    return grid


def status(game: Checkers, state: State) -> str:
    """Say in one line whose turn it is, or how the game ended."""
    if bool(state.terminated):
        result = float(state.returns[0])
        return "Draw" if result == 0 else f"{SEATS[0 if result > 0 else 1]} wins"
    mover = f"{SEATS[int(state.to_move)]} to move"
    names = [square_name(game, square) for square in movable(game, state)]
    if len(names) == 1 and any(map(int, state.held)):
        return f"{mover}, who has to go on from {names[0]}"
    return f"{mover}, who has to capture with {any_of(*names)}" if bool(state.captures) else mover


def movable(game: Checkers, state: State) -> list[int]:
    """Return the squares of the pieces that may move; none after the end."""
    may = np.any([_dark(game, bits) for bits in state.moves], 0)
    return [] if bool(state.terminated) else np.flatnonzero(may).tolist()


def text(game: Checkers, state: State, bottom: int = 0) -> str:
    """Draw the board in plain characters: b and w are men, B and W kings, dots empty dark squares.

    Where a capture is forced, the pieces that can capture are in brackets.

    Args:
        game: the rules.
        state: the position.
        bottom: the seat that looks at the board.
    """
    grid = pieces(game, state)
    dark = np.add.outer(np.arange(game.size), np.arange(game.size)) % 2 == 0
    cells = np.where(grid > 0, np.array([".", *MARKS])[grid], np.where(dark, ".", " "))
    forced = {game.place(square) for square in movable(game, state)} if bool(state.captures) else set()
    lines = []
    for row in _rows(game, bottom):
        shown = [f"({cells[row, n]})" if (row, n) in forced else f" {cells[row, n]} " for n in _columns(game, bottom)]
        # Light squares stand between dark ones, so a bracket takes the place of a space.
        lines.append(f"{row + 1:2}{_overlaid(shown)}".rstrip())
    names = "   " + " ".join(_column(column) for column in _columns(game, bottom))
    said = ", ".join(f"{mark} {name.lower()} {_counted(grid, seat)}" for seat, (mark, name) in enumerate(_seats()))
    return "\n".join([*lines, names, f"{said}. {status(game, state)}"])


def svg(game: Checkers, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw the board as a standalone picture, for light and dark pages.

    Rings are round pieces that may move, amber ones round any, red ones round those that have to capture.

    Args:
        game: the rules.
        state: the position.
        highlight: a move to mark, by a line between its squares and a broken ring where a piece was captured: the one
            about to be played or the last one.
        seat: whose move is marked; it makes no difference.
        bottom: the seat that looks at the board.
    """
    del seat
    side = game.size * CELL
    width, height = side + 2 * EDGE, side + 2 * EDGE + 2 * MARGIN
    grid = pieces(game, state)
    places = [_centre(game, square, bottom) for square in range(game.area)]
    dark = "".join(f"M{x - CELL / 2:g} {y - CELL / 2:g}h{CELL:g}v{CELL:g}h-{CELL:g}z" for x, y in places)
    ground = f'<rect class="ground" x="{EDGE:g}" y="{EDGE + MARGIN:g}" width="{side:g}" height="{side:g}"/>'
    parts = [ground, f'<path class="dark" d="{dark}"/>', *_labels(game, bottom)]
    if highlight is not None:
        start, end = squares(game, highlight)
        assert end is not None
        (a, b), (c, d) = places[start], places[end]
        parts.append(f'<path class="mark" d="M{a:g} {b:g}L{c:g} {d:g}"/>')
        if _jumps(game, highlight):
            parts.append(_circle("taken", PIECE - 4, (a + c) / 2, (b + d) / 2))
    for (x, y), piece in zip(places, (int(grid[game.place(square)]) for square in range(game.area)), strict=True):
        parts += _piece(x, y, piece)
    ring = "must" if bool(state.captures) else "may"
    parts += [_circle(ring, PIECE - 4, *places[square]) for square in movable(game, state)]
    for owner, name in enumerate(SEATS):
        x, y = (EDGE, width - EDGE)[owner], height - 12 if owner == bottom else MARGIN - 12
        parts += nameplate(state, owner, f"{name}: {_counted(grid, owner)}", x, y)
    label = escape(f"Checkers. {status(game, state)}. Pieces: {_counted(grid, 0)} black and {_counted(grid, 1)} white.")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="checkers" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{label}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


@cache
def _actions(game: Checkers) -> dict[tuple[int, ...], int]:
    """Return the actions that stay on the board, by the squares where they begin and end."""
    found = {squares(game, action): action for action in range(game.num_actions)}
    return {(start, end): action for (start, end), action in found.items() if end is not None}


@cache
def squares_by_name(game: Checkers) -> dict[str, int]:
    """Return the dark squares by name and by number."""
    found = {square_name(game, square): square for square in range(game.area)}
    return found | {str(fen.number(square, game.size)): square for square in range(game.area)}


def _overlaid(cells: list[str]) -> str:
    """Join cells of three characters, of which neighbours share one; a bracket hides a space."""
    line = cells[0]
    for cell in cells[1:]:
        line = line[:-1] + (cell[0] if line[-1] == " " else line[-1]) + cell[1:]
    return line


def _jumps(game: Checkers, action: int) -> bool:
    return action >= game.num_actions // 2


def square_name(game: Checkers, square: int) -> str:
    """Return the column and the row of a dark square, as in c3."""
    row, column = game.place(square)
    return f"{_column(column)}{row + 1}"


def _column(number: int) -> str:
    return chr(ord("a") + number)


def _rows(game: Checkers, bottom: int) -> list[int]:
    """Return the rows as they are drawn, from the top."""
    return list(range(game.size))[:: 1 if bottom else -1]


def _columns(game: Checkers, bottom: int) -> list[int]:
    """Return the columns as they are drawn, from the left."""
    return list(range(game.size))[:: -1 if bottom else 1]


def _seats() -> list[tuple[str, str]]:
    return list(zip(MARKS, SEATS, strict=False))


def _counted(grid: np.ndarray, seat: int) -> str:
    """Count the pieces of a seat, and the kings among them."""
    men, kings = (int((grid == piece).sum()) for piece in (1 + seat, 3 + seat))
    return f"{men + kings}" + (f" ({kings} king{'s' * (kings > 1)})" if kings else "")


def _dark(game: Checkers, bits: Bits) -> np.ndarray:
    """Return bool[area]: which dark squares are in a set."""
    words = np.array(jax.device_get(bits), np.uint32)
    each = (words[:, None] >> np.arange(32, dtype=np.uint32)) & 1
    return each.reshape(-1)[: game.area].astype(bool)


def _centre(game: Checkers, square: int, bottom: int) -> tuple[float, float]:
    row, column = game.place(square)
    down, right = _rows(game, bottom).index(row), _columns(game, bottom).index(column)
    return EDGE + (right + 0.5) * CELL, EDGE + MARGIN + (down + 0.5) * CELL


def _circle(kind: str, radius: float, x: float, y: float) -> str:
    return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'


def _piece(x: float, y: float, piece: int) -> list[str]:
    """Draw a piece, a king with a crown."""
    if not piece:
        return []
    owner, king = (piece - 1) % 2, piece > 2
    crown = [f'<path class="crown{owner}" transform="translate({x:g} {y:g})" d="{CROWN}"/>'] if king else []
    return [_circle(f"piece{owner}", PIECE, x, y), *crown]


def _labels(game: Checkers, bottom: int) -> list[str]:
    """Name the columns below the board and the rows to the left of it."""
    middles = [(number + 0.5) * CELL for number in range(game.size)]
    base, top = EDGE + MARGIN + game.size * CELL + 20, EDGE + MARGIN + 5
    across = [
        f'<text class="at" x="{EDGE + middle:g}" y="{base:g}">{_column(column)}</text>'
        for middle, column in zip(middles, _columns(game, bottom), strict=True)
    ]
    down = [
        f'<text class="at" x="{EDGE / 2:g}" y="{top + middle:g}">{row + 1}</text>'
        for middle, row in zip(middles, _rows(game, bottom), strict=True)
    ]
    return across + down


def places(game: Checkers, state: State, action: int) -> tuple[str, ...]:
    """Return what is pointed at for a move: the squares where it begins and ends."""
    del state
    start, end = squares(game, action)
    assert end is not None, "no legal move leads off the board"
    return square_name(game, start), square_name(game, end)


def spots(game: Checkers, state: State, bottom: int) -> list[Spot]:
    """Return where the dark squares are in the picture."""
    del state
    centres = [_centre(game, square, bottom) for square in range(game.area)]
    return [
        Spot((square_name(game, square),), x - CELL / 2, y - CELL / 2, CELL, CELL)
        for square, (x, y) in enumerate(centres)
    ]
