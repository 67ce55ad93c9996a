"""Walls for people: the board as text and as a picture, and the names of the moves.

North is at the top, whoever looks at it: players have headings, not sides of the board.
"""

from html import escape

import numpy as np

from envs.drawing import board_lines, nameplate
from envs.walls.rules import Player, State, Walls
from envs.walls.view import square
from jaxgp.printable import show_typed
from jaxgp.spec import Spot

SEATS = ("First player", "Second player")
ACTIONS = ("forward", "left", "right")
ARROWS = "^>v<"
TYPED = "forward, left, right, or f, l, r"
"""What `parse_action` accepts, for people."""
HEADINGS = ("north", "east", "south", "west")
DROW, DCOLUMN = (-1, 0, 1, 0), (0, 1, 0, -1)

RULES = """\
Each move is one of three: try to go forward, turn left, turn right.
A player that leaves a square without a brick lays an own brick there.
The edge, the opponent and its bricks block a step; a blocked step counts as a move.
Nine own moves in a row without a new brick end a player's game (game.stall).
The game ends when every square has a brick, or both have ended. More bricks win.
"""
"""What `rules` prints at the table."""
COLOURS = {r"\b[Aa]\b|A(?=[<>^v])": "red", r"\b[Bb]\b|B(?=[<>^v])": "blue"}
"""How a terminal shows what stands in the text of a position."""

# Measures of the picture, in its own units.
CELL = 60.0
EDGE = 12.0
MARGIN = 40.0  # above and below the board, for the names of the players
BRICK = 46.0
BODY = 17.0

# A player's name has the colour of its arrowhead; amber, which is neither player's, says whose turn it is or was.
STYLE = """
.walls text{font:600 17px system-ui,-apple-system,"Segoe UI",sans-serif}
.walls .ground{fill:#f3efe6;stroke:#8c7f6a;stroke-width:3}
.walls .line{stroke:#d9d1c0;stroke-width:1.5}
.walls .brick0{fill:#e29578;stroke:#a4513a;stroke-width:2}
.walls .brick1{fill:#83a9c9;stroke:#37648a;stroke-width:2}
.walls .player0{fill:#8c2f1b;stroke:#fff;stroke-width:2.5}
.walls .player1{fill:#123f63;stroke:#fff;stroke-width:2.5}
.walls .mark{fill:none;stroke:#d29922;stroke-width:4}
.walls .name0{fill:#8c2f1b}
.walls .name1{fill:#123f63;text-anchor:end}
.walls .turn{fill:none;stroke:#d29922;stroke-width:11;stroke-linecap:round}
@media (prefers-color-scheme:dark){
.walls .ground{fill:#2d2a25;stroke:#6e6556}
.walls .line{stroke:#3d3931}
.walls .brick0{fill:#9c4a34;stroke:#d98a70}
.walls .brick1{fill:#35618a;stroke:#83b0d6}
.walls .player0{fill:#f2b8a5;stroke:#1b1a18}
.walls .player1{fill:#b5d5f0;stroke:#1b1a18}
.walls .name0{fill:#f2b8a5}
.walls .name1{fill:#b5d5f0}
}
"""


def action_name(game: Walls, action: int) -> str:
    """Return what people call a move.

    Raises:
        ValueError: there is no such move.
    """
    if not 0 <= action < game.num_actions:
        raise ValueError(f"action {action}: accepted: 0 to {game.num_actions - 1}")
    return ACTIONS[action]


def parse_action(game: Walls, text: str) -> int:
    """Return the action that a person typed: its name or its first letter.

    Raises:
        ValueError: not a move; the message says what was typed and what is accepted.
    """
    del game
    word = text.strip().lower()
    for action, name in enumerate(ACTIONS):
        if word in (name, name[0]):
            return action
    raise ValueError(f"{show_typed(text)} is not a move; accepted: {TYPED}")


def places(game: Walls, state: State, action: int) -> tuple[str, ...]:
    """Return what is pointed at for a move: the square that the player goes to, or turns to; or the edge there."""
    heading = (int(state.own.heading) + (0, 3, 1)[action]) % 4
    row, column = int(state.own.row) + DROW[heading], int(state.own.column) + DCOLUMN[heading]
    if 0 <= min(row, column) <= max(row, column) < game.size:
        return (square(row, column),)
    return (f"edge-{HEADINGS[heading]}",)


def spots(game: Walls, state: State, bottom: int = 0) -> list[Spot]:
    """Return where the squares are in the picture, and the edges beside the player to move."""
    del bottom
    top, size = MARGIN + EDGE, game.size
    found = [
        Spot((square(row, column),), EDGE + column * CELL, top + row * CELL, CELL, CELL)
        for row in range(size)
        for column in range(size)
    ]
    x, y = EDGE + int(state.own.column) * CELL, top + int(state.own.row) * CELL
    far, deep = size - 1, EDGE + CELL / 4  # a strip that people can hit, over the edge and a part of their square
    beside = (
        (int(state.own.row) == 0, x, top - EDGE, CELL, deep),
        (int(state.own.column) == far, x + CELL * 3 / 4, y, deep, CELL),
        (int(state.own.row) == far, x, y + CELL * 3 / 4, CELL, deep),
        (int(state.own.column) == 0, 0.0, y, deep, CELL),
    )
    for heading, (there, *where) in zip(HEADINGS, beside, strict=True):
        found += [Spot((f"edge-{heading}",), *where)] * there
    return found


def players(state: State) -> tuple[Player, Player]:
    """Return the two players by seat."""
    return (state.own, state.other) if int(state.to_move) == 0 else (state.other, state.own)


def bricks(game: Walls, player: Player) -> np.ndarray:
    """Return bool[size, size]: where a player has bricks."""
    words = np.asarray(player.bricks)
    bits = (words[:, None] >> np.arange(32, dtype=np.uint32)) & 1
    return bits.reshape(-1)[: game.area].reshape(game.size, game.size).astype(bool)


def status(game: Walls, state: State) -> str:
    """Say in one line whose turn it is, or how the game ended."""
    if not bool(state.terminated):
        return f"{SEATS[int(state.to_move)]} to move"
    first, second = (int(bricks(game, player).sum()) for player in players(state))
    result = float(state.returns[0])
    if result == 0:
        return f"Draw, {first} to {second}"
    high, low = (first, second) if result > 0 else (second, first)
    return f"{SEATS[0 if result > 0 else 1]} wins, {high} to {low}"


def text(game: Walls, state: State, bottom: int = 0) -> str:
    """Draw the board in plain characters.

    A brick is a small letter. A player is a capital letter with an arrow for its heading, after its brick if it stands
    on one.

    Args:
        game: the rules.
        state: the position.
        bottom: the seat that looks at the board; it makes no difference.
    """
    del bottom
    cells = np.full((game.size, game.size), " . ", dtype="<U3")
    both = players(state)
    for brick, player in zip("ab", both, strict=True):
        cells[bricks(game, player)] = f" {brick} "
    for letter, player in zip("AB", both, strict=True):
        at = int(player.row), int(player.column)
        cells[at] = str(cells[at])[1].replace(".", " ") + letter + ARROWS[int(player.heading)]
    frame = f"+{'-' * (3 * game.size + 1)}+"
    lines = [frame, *(f"|{''.join(row)} |" for row in cells), frame]
    return "\n".join(lines + [_legend(game, state, seat) for seat in (0, 1)] + _end(game, state))


def svg(game: Walls, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw the board as a standalone picture, for light and dark pages.

    Args:
        game: the rules.
        state: the position.
        highlight: a move to mark, by a ring round the player: the one about to be played or, with `seat`, the last.
        seat: whose move is marked; by default that of the side to move.
        bottom: the seat that looks at the board; it makes no difference.
    """
    del bottom
    side = game.size * CELL
    width, height = side + 2 * EDGE, side + 2 * EDGE + 2 * MARGIN
    top = MARGIN + EDGE
    both = players(state)
    parts = [f'<rect class="ground" x="{EDGE:g}" y="{top:g}" width="{side:g}" height="{side:g}"/>']
    parts.append(board_lines(game.size, CELL, EDGE, top))
    for owner, player in enumerate(both):
        parts += [_brick(owner, row, column, top) for row, column in np.argwhere(bricks(game, player)).tolist()]
    for owner, player in enumerate(both):
        parts.append(_player(owner, player, top))
        parts += _name(game, state, owner, width, height)
    if highlight is not None:
        x, y = _centre(both[int(state.to_move) if seat is None else seat], top)
        parts.append(f'<circle class="mark" cx="{x:g}" cy="{y:g}" r="{CELL / 2 - 4:g}"/>')
    counts = [int(bricks(game, player).sum()) for player in both]
    label = escape(f"Walls. {status(game, state)}. Bricks: {counts[0]} and {counts[1]}.")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="walls" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{label}"><style>{STYLE}</style>{"".join(parts)}</svg>'
    )


def _legend(game: Walls, state: State, seat: int) -> str:
    player = players(state)[seat]
    heading = int(player.heading)
    said = f"{'AB'[seat]}{ARROWS[heading]} {SEATS[seat]}, facing {HEADINGS[heading]}: {_state(game, player)}"
    to_move = not bool(state.terminated) and seat == int(state.to_move)
    return f"{said}, to move" if to_move else said


def _state(game: Walls, player: Player) -> str:
    """Count a player's bricks, and its moves without a new one."""
    count, idle = int(bricks(game, player).sum()), int(player.idle)
    rest = "stalled" if idle >= game.stall else f"idle for {idle} of {game.stall} moves"
    return f"{count} brick{'' if count == 1 else 's'}, {rest}"


def _end(game: Walls, state: State) -> list[str]:
    return [status(game, state)] if bool(state.terminated) else []


def _centre(player: Player, top: float) -> tuple[float, float]:
    return EDGE + (int(player.column) + 0.5) * CELL, top + (int(player.row) + 0.5) * CELL


def _brick(owner: int, row: int, column: int, top: float) -> str:
    x, y = EDGE + column * CELL + (CELL - BRICK) / 2, top + row * CELL + (CELL - BRICK) / 2
    return f'<rect class="brick{owner}" x="{x:g}" y="{y:g}" width="{BRICK:g}" height="{BRICK:g}" rx="5"/>'


def _player(owner: int, player: Player, top: float) -> str:
    """Draw an arrowhead that points where the player faces."""
    x, y = _centre(player, top)
    points = f"0,{-BODY:g} {BODY - 3:g},{BODY - 2:g} 0,{BODY / 2:g} {3 - BODY:g},{BODY - 2:g}"
    turned = f"translate({x:g} {y:g}) rotate({90 * int(player.heading)})"
    return f'<polygon class="player{owner}" points="{points}" transform="{turned}"/>'


def _name(game: Walls, state: State, owner: int, width: float, height: float) -> list[str]:
    """Write a player's name and bricks in its colour, the first player's above the board, the second one's below."""
    x, y = (EDGE, MARGIN - 12) if owner == 0 else (width - EDGE, height - 16)
    return nameplate(state, owner, f"{SEATS[owner]}: {int(bricks(game, players(state)[owner]).sum())}", x, y)
