"""Rush Hour for people: the board as text and as a picture, and names of moves.

A move is the letter of a vehicle and the cells by which it slides: A+2 to the right or down, A-1 to the left or up.
"""

import re
from html import escape

import numpy as np

from envs.rush_hour.boards import LETTERS, WALL, target_row
from envs.rush_hour.rules import RushHour, State, X
from jaxgp.printable import show_typed
from jaxgp.spec import Spot

TYPED = (
    "the letter of a vehicle and the cells by which it slides, as in A+2 to the right or down, A-1 to the left or up"
)

CELL = 48.0
MARGIN = 26.0
GAP = 4.0
"""Between the edge of a vehicle and the edges of its cells."""

RULES = """\
Vehicles slide along their own row or column over free cells.
X has to reach the exit at the right end of its row, in as few moves as possible.
A slide of any number of cells is one move (game.metric=steps: one cell).
"""
"""What `rules` prints at the table."""
COLOURS = {r"(?<= )X(?= |$)": "bold red"}
"""How a terminal shows what stands in the text of a position."""

STYLE = """
.rush_hour text{font:600 15px system-ui,-apple-system,"Segoe UI",sans-serif;text-anchor:middle}
.rush_hour .axis{fill:#8c959f;font-weight:400;font-size:11px}
.rush_hour .board{fill:#f6f8fa;stroke:#57606a;stroke-width:2}
.rush_hour .grid{stroke:#d8dee4;stroke-width:1}
.rush_hour .exit{stroke:#f6f8fa;stroke-width:4}
.rush_hour .way{fill:none;stroke:#cf222e;stroke-width:2}
.rush_hour .target{fill:#cf222e}
.rush_hour .car{fill:#54aeff}
.rush_hour .truck{fill:#d4a72c}
.rush_hour .wall{fill:#57606a}
.rush_hour .letter{fill:#1f2328}
.rush_hour .target+.letter{fill:#fff}
.rush_hour .from{fill:none;stroke:#57606a;stroke-width:1.5;stroke-dasharray:4 3}
.rush_hour .moved{stroke:#1f2328;stroke-width:2.5}
@media (prefers-color-scheme:dark){
.rush_hour .axis{fill:#6e7681}
.rush_hour .board{fill:#161b22;stroke:#8b949e}
.rush_hour .grid{stroke:#30363d}
.rush_hour .exit{stroke:#161b22}
.rush_hour .from{stroke:#8b949e}
.rush_hour .moved{stroke:#e6edf3}
}
"""


def letters(game: RushHour) -> str:
    """Return the letters of all V vehicles: those of the board, then others for vehicles that it does not have."""
    own = "".join(vehicle.letter for vehicle in game.start.vehicles)
    return (own + "".join(one for one in LETTERS if one not in own))[: game.vehicles]


def action_name(game: RushHour, action: int) -> str:
    """Return what people call a move, such as A+2.

    Raises:
        ValueError: there is no such action.
    """
    if not 0 <= action < game.num_actions:
        raise ValueError(f"action {action}: accepted: 0 to {game.num_actions - 1}")
    vehicle, distance = (int(one) for one in game.slide(action))
    return f"{letters(game)[vehicle]}{distance:+d}"


def parse_action(game: RushHour, text: str) -> int:
    """Return the slide that a person typed: a letter and a number; `+` may be left out.

    A letter may be typed small unless a vehicle of the board has the small letter.

    Raises:
        ValueError: not a slide; the message says what was typed and what is accepted.
    """
    found = re.fullmatch(r"([A-Za-z])\s*([+-]?)\s*([0-9]{1,3})", text.strip())
    if found is None:
        raise ValueError(f"{show_typed(text)} is not a move; accepted: {TYPED}")
    letter, sign, number = found.groups()
    own = letters(game)[: len(game.start.vehicles)].rstrip(WALL)
    letter = letter if letter in own else letter.upper()
    if letter not in own:
        raise ValueError(f"there is no vehicle {letter}; accepted: {', '.join(sorted(own))}")
    distance = int(sign + number)
    if not 0 < abs(distance) <= game.far:
        raise ValueError(f"{letter} cannot slide by {distance} cells; accepted: 1 to {game.far}, with + or -")
    return game.action(own.index(letter), distance)


def status(game: RushHour, state: State) -> str:
    """Say in one line how the game stands."""
    away = game.size - 2 - int(state.positions[X])
    where = "at the exit" if away == 0 else f"{away} cell{'' if away == 1 else 's'} from the exit"
    return f"{count_moves(game, int(state.count))} made; X is {where}"


def ending(game: RushHour, state: State) -> str:
    """Say how a game has ended."""
    made = count_moves(game, int(state.count))
    if not bool(game.solved(state)):
        return f"Given up after {made}"
    fewest = getattr(game.start, game.metric)
    return f"Solved in {made}" + ("" if fewest is None else f"; the fewest are {fewest}")


def count_moves(game: RushHour, count: int) -> str:
    """Write a number of moves, in the metric of the game."""
    return f"{count} {game.metric if count != 1 else game.metric.removesuffix('s')}"


def text(game: RushHour, state: State, bottom: int = 0) -> str:
    """Draw the board in plain characters, with rows and columns numbered from 1.

    Args:
        game: the rules.
        state: the position.
        bottom: the seat that looks at the board; it makes no difference.
    """
    del bottom
    size, grid = game.size, [["."] * game.size for _ in range(game.size)]
    for letter, cells in _vehicles(game, state):
        for row, column in cells:
            grid[row][column] = letter
    rows = [f"{row + 1:3} " + " ".join(line) for row, line in enumerate(grid)]
    rows[target_row(size)] += "  > exit"
    return "\n".join([*rows, "    " + " ".join(str(n + 1) for n in range(size)), status(game, state)])


def svg(game: RushHour, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw a position as a standalone picture, for light and dark pages.

    Args:
        game: the rules.
        state: the position.
        highlight: the move that led to it; where its vehicle stood is outlined.
        seat: whose move it was; it makes no difference.
        bottom: the seat that looks at the board; it makes no difference.
    """
    del seat, bottom
    size, side = game.size, CELL * game.size
    moved, distance = (-1, 0) if highlight is None else (int(one) for one in game.slide(highlight))
    row = MARGIN + (target_row(size) + 0.5) * CELL
    edge = MARGIN + side
    parts = [f'<rect class="board" x="{MARGIN:g}" y="{MARGIN:g}" width="{side:g}" height="{side:g}" rx="6"/>']
    for n in range(1, size):
        at = MARGIN + n * CELL
        parts.append(f'<path class="grid" d="M{MARGIN + 1:g} {at:g}h{side - 2:g}M{at:g} {MARGIN + 1:g}v{side - 2:g}"/>')
    parts.append(f'<path class="exit" d="M{edge:g} {row - CELL / 2 + 2:g}v{CELL - 4:g}"/>')
    parts.append(f'<path class="way" d="M{edge + 5:g} {row:g}h12m-5 -5l5 5l-5 5"/>')
    for n in range(size):
        middle = MARGIN + (n + 0.5) * CELL
        parts.append(_written("axis", middle, MARGIN - 10, str(n + 1)) + _written("axis", 12, middle, str(n + 1)))
    for index, (letter, cells) in enumerate(_vehicles(game, state)):
        kind = "target" if index == X else ("wall", "car", "truck")[len(cells) - 1]
        if index == moved:
            down, right = (distance, 0) if bool(state.vertical[index]) else (0, distance)
            parts.append(_block("from", [(r - down, c - right) for r, c in cells]))
            kind += " moved"
        (top, left), (low, right_end) = cells[0], cells[-1]
        x, y = MARGIN + (left + right_end + 1) / 2 * CELL, MARGIN + (top + low + 1) / 2 * CELL
        parts += [_block(kind, cells), *([_written("letter", x, y, letter)] if letter != WALL else [])]
    label = f"Rush Hour. {status(game, state)}."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rush_hour" viewBox="0 0 {side + 2 * MARGIN:g} '
        f'{side + 2 * MARGIN:g}" role="img" aria-label="{escape(label)}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _vehicles(game: RushHour, state: State) -> list[tuple[str, list[tuple[int, int]]]]:
    """Return the letter and the cells, row and column, of each vehicle that the board has."""
    found = []
    fields = (np.asarray(field).tolist() for field in (state.positions, state.lengths, state.lines, state.vertical))
    for letter, start, length, line, vertical in zip(letters(game), *fields, strict=True):
        along = range(start, start + length)
        if length:
            found.append((letter, [(i, line) if vertical else (line, i) for i in along]))
    return found


def _block(kind: str, cells: list[tuple[int, int]]) -> str:
    (row, column), (last_row, last_column) = cells[0], cells[-1]
    x, y = MARGIN + column * CELL + GAP, MARGIN + row * CELL + GAP
    width, height = (last_column - column + 1) * CELL - 2 * GAP, (last_row - row + 1) * CELL - 2 * GAP
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8"/>'


def _written(kind: str, x: float, y: float, said: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y + 5:g}">{said}</text>'


def places(game: RushHour, state: State, action: int) -> tuple[str, ...]:
    """Return what is pointed at for a slide: the vehicle, and the cell to which its foremost end goes."""
    vehicle, distance = (int(one) for one in game.slide(action))
    start, length = int(state.positions[vehicle]), int(state.lengths[vehicle])
    along = start + distance + (length - 1 if distance > 0 else 0)
    line = int(state.lines[vehicle])
    row, column = (along, line) if bool(state.vertical[vehicle]) else (line, along)
    return letters(game)[vehicle], f"{row + 1},{column + 1}"


def spots(game: RushHour, state: State, bottom: int) -> list[Spot]:
    """Return where the cells are in the picture; a cell with a vehicle stands for the vehicle as well."""
    del bottom
    on = {cell: letter for letter, cells in _vehicles(game, state) for cell in cells if letter != WALL}
    return [
        Spot(
            (f"{row + 1},{column + 1}", *([on[row, column]] if (row, column) in on else [])),
            MARGIN + column * CELL,
            MARGIN + row * CELL,
            CELL,
            CELL,
        )
        for row in range(game.size)
        for column in range(game.size)
    ]
