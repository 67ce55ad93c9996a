"""Othello for people: the board as text and as a picture, and the names of the moves.

Square a1 is at the top left, whoever looks at the board: columns are letters, rows are numbers from the top.
"""

from functools import cache
from html import escape

import jax
import numpy as np

from envs.drawing import board_lines, nameplate
from envs.othello.rules import Othello, State
from jaxgp.bits import Bits
from jaxgp.printable import show_typed
from jaxgp.spec import Spot

SEATS = ("Black", "White")
MARKS = "XO"
PASS = "pass"
TYPED = "a column and a row, as in d3, or pass"
"""What `parse_action` accepts, for people."""

RULES = """\
Black, X, begins. A disc is placed on an empty square so that it encloses
one disc or more of the opponent in a straight line with another own disc.
Every enclosed disc, in all eight directions, is turned over.
Who cannot turn a disc over passes; who can may not pass.
The game ends when neither side can move. More discs win.
"""
"""What `rules` prints at the table."""
COLOURS = {r"(?<= )X(?= |$|\n)": "cyan", r"(?<= )O(?= |$|\n)": "bright_white", r"\*": "green"}
"""How a terminal shows what stands in the text of a position."""

# Measures of the picture, in its own units.
CELL = 52.0
EDGE = 30.0  # around the board, for the names of columns and rows
MARGIN = 36.0  # above and below that, for the names of the players
DISC = 21.0
DOT = 5.5

# Amber, which is no disc's colour, says whose turn it is and what was played last.
STYLE = """
.othello text{font:600 17px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#24292f}
.othello .at{font:500 14px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#6e7781;text-anchor:middle}
.othello .name1{text-anchor:end}
.othello .ground{fill:#2f7d4f;stroke:#1c4f31;stroke-width:3}
.othello .line{stroke:#1c4f31;stroke-width:1.5}
.othello .disc0{fill:#16191d;stroke:#050607;stroke-width:1.5}
.othello .disc1{fill:#f6f5f0;stroke:#8f948c;stroke-width:1.5}
.othello .may0{fill:#16191d;fill-opacity:.55}
.othello .may1{fill:#f6f5f0;fill-opacity:.65}
.othello .mark{fill:none;stroke:#e3a220;stroke-width:4}
.othello .turn{fill:none;stroke:#d29922;stroke-width:11;stroke-linecap:round}
@media (prefers-color-scheme:dark){
.othello text{fill:#e6edf3}
.othello .at{fill:#8b949e}
.othello .ground{fill:#25603d;stroke:#0f2c1b}
.othello .line{stroke:#0f2c1b}
}
"""


def action_name(game: Othello, action: int) -> str:
    """Return what people call a move: the square, or pass.

    Raises:
        ValueError: there is no such move.
    """
    if not 0 <= action < game.num_actions:
        raise ValueError(f"action {action}: accepted: 0 to {game.num_actions - 1}")
    return PASS if action == game.area else f"{_column(action % game.size)}{action // game.size + 1}"


def parse_action(game: Othello, text: str) -> int:
    """Return the action that a person typed: a square, or pass.

    Raises:
        ValueError: not a move; the message says what was typed and what is accepted.
    """
    word = text.strip().lower()
    names = _actions(game)
    if word in names:
        return names[word]
    raise ValueError(f"{show_typed(text)} is not a move; accepted: a1 to {action_name(game, game.area - 1)}, pass")


@cache
def _actions(game: Othello) -> dict[str, int]:
    return {action_name(game, action): action for action in range(game.num_actions)}


def discs(game: Othello, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Return bool[size, size] twice: where black and where white has discs."""
    sides = _grid(game, state.own), _grid(game, state.other)
    return sides if int(state.to_move) == 0 else sides[::-1]


def status(game: Othello, state: State) -> str:
    """Say in one line whose turn it is, or how the game ended."""
    if not bool(state.terminated):
        has_to = "" if _grid(game, state.legal).any() else ", who has to pass"
        return f"{SEATS[int(state.to_move)]} to move{has_to}"
    first, second = (int(side.sum()) for side in discs(game, state))
    result = float(state.returns[0])
    if result == 0:
        return f"Draw, {first} to {second}"
    high, low = (first, second) if result > 0 else (second, first)
    return f"{SEATS[0 if result > 0 else 1]} wins, {high} to {low}"


def text(game: Othello, state: State, bottom: int = 0) -> str:
    """Draw the board in plain characters: X is black, O is white, `*` is where the side to move may play.

    Args:
        game: the rules.
        state: the position.
        bottom: the seat that looks at the board; it makes no difference.
    """
    del bottom
    black, white = discs(game, state)
    cells = np.where(black, MARKS[0], np.where(white, MARKS[1], "."))
    if not bool(state.terminated):
        cells = np.where(_grid(game, state.legal), "*", cells)
    rows = [f"{number:2} {' '.join(row)}" for number, row in enumerate(cells.tolist(), 1)]
    head = "   " + " ".join(_column(column) for column in range(game.size))
    counts = zip(MARKS, SEATS, (black, white), strict=True)
    said = ", ".join(f"{mark} {seat.lower()} {side.sum()}" for mark, seat, side in counts)
    return "\n".join([head, *rows, f"{said}. {status(game, state)}"])


def svg(game: Othello, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw the board as a standalone picture, for light and dark pages; dots are where the side to move may play.

    Args:
        game: the rules.
        state: the position.
        highlight: a move to mark, by a ring round its square: the one about to be played or the last one.
        seat: whose move is marked; it makes no difference.
        bottom: the seat that looks at the board; it makes no difference.
    """
    del seat, bottom
    side = game.size * CELL
    width, height = side + 2 * EDGE, side + 2 * EDGE + 2 * MARGIN
    top = MARGIN + EDGE
    both = discs(game, state)
    parts = [f'<rect class="ground" x="{EDGE:g}" y="{top:g}" width="{side:g}" height="{side:g}"/>']
    parts.append(board_lines(game.size, CELL, EDGE, top))
    parts += [_label(game, n, top) for n in range(game.size)]
    for owner, where in enumerate(both):
        parts += [_circle(f"disc{owner}", DISC, row, column, top) for row, column in np.argwhere(where).tolist()]
        parts += _name(state, owner, int(where.sum()), width, height)
    if not bool(state.terminated):
        kind = f"may{int(state.to_move)}"
        squares = np.argwhere(_grid(game, state.legal)).tolist()
        parts += [_circle(kind, DOT, row, column, top) for row, column in squares]
    if highlight is not None and highlight != game.area:
        row, column = divmod(highlight, game.size)
        parts.append(_circle("mark", DISC + 1, row, column, top))
    counts = [int(where.sum()) for where in both]
    label = escape(f"Othello. {status(game, state)}. Discs: {counts[0]} black and {counts[1]} white.")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="othello" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{label}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _column(number: int) -> str:
    return chr(ord("a") + number)


def _grid(game: Othello, bits: Bits) -> np.ndarray:
    """Return bool[size, size]: which squares are in a set."""
    words = np.array(jax.device_get(bits), np.uint32)
    each = (words[:, None] >> np.arange(32, dtype=np.uint32)) & 1
    return each.reshape(-1)[: game.area].reshape(game.size, game.size).astype(bool)


def _circle(kind: str, radius: float, row: int, column: int, top: float) -> str:
    x, y = EDGE + (column + 0.5) * CELL, top + (row + 0.5) * CELL
    return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'


def _label(game: Othello, number: int, top: float) -> str:
    """Name a column above the board and a row to the left of it."""
    middle = (number + 0.5) * CELL
    column = f'<text class="at" x="{EDGE + middle:g}" y="{top - 9:g}">{_column(number)}</text>'
    return f'{column}<text class="at" x="{EDGE / 2:g}" y="{top + middle + 5:g}">{number + 1}</text>'


def _name(state: State, owner: int, count: int, width: float, height: float) -> list[str]:
    """Write a player's name and discs, black's above the board, white's below it."""
    x, y = (EDGE, MARGIN - 8) if owner == 0 else (width - EDGE, height - 16)
    return nameplate(state, owner, f"{SEATS[owner]}: {count}", x, y)


def places(game: Othello, state: State, action: int) -> tuple[str, ...]:
    """Return what is pointed at for a move: its square; nothing for a pass."""
    del state
    return () if action == game.area else (action_name(game, action),)


def spots(game: Othello, state: State, bottom: int) -> list[Spot]:
    """Return where the squares are in the picture."""
    del state, bottom
    top = MARGIN + EDGE
    squares = [divmod(square, game.size) for square in range(game.area)]
    return [
        Spot((f"{_column(column)}{row + 1}",), EDGE + column * CELL, top + row * CELL, CELL, CELL)
        for row, column in squares
    ]
