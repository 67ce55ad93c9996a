"""Positions of mate problems for people: as text, and as a picture that stands alone or small in a larger one.

Moves are written as in books (standard algebraic notation, `envs.chess.board.san`).
"""

from html import escape

from envs.chess.board import fen
from envs.chess.render import CELL, COLOURS, EDGE, SHAPES, STYLE
from envs.mate.rules import Mate, State

__all__ = ["COLOURS", "RULES", "board_svg", "svg", "text"]
RULES = """\
The side that moves first has to mate within game.moves of its own moves, whatever the
other side answers. Men move as in chess. Stalemate is no mate. A problem is solved by
any first move after which mate is forced.
"""
KINDS = "kqrbnp"
PAWN = "M-11 15h22q0-8-7-10 1-5 0-7 4-3 3-8-2-6-7-6-5 0-7 6-1 5 3 8-1 2 0 7-7 2-7 10z"
"""The outline of a pawn, as those of `envs.chess.render`."""
OUTLINES = (*SHAPES, PAWN)


def text(game: Mate, state: State, bottom: int = 0) -> str:
    """Draw the board in plain characters: capital letters are white men, small ones black men.

    Args:
        game: the rules.
        state: the position.
        bottom: 0: white is nearest.
    """
    del game
    men, black = fen.cells(state.board)
    rows = range(8) if bottom else range(7, -1, -1)
    columns = range(7, -1, -1) if bottom else range(8)
    lines = [f"{row + 1} " + " ".join(men[8 * row + column] for column in columns) for row in rows]
    names = "  " + " ".join("abcdefgh"[column] for column in columns)
    return "\n".join([*lines, names, _status(state, black)])


def _status(state: State, black: bool) -> str:
    side, left = "Black" if black else "White", int(state.left)
    if int(state.to_move):
        return f"{side} to move, {left} moves left for {'White' if black else 'Black'}"
    return f"{side} to move, mate in {left}"


def svg(game: Mate, state: State, highlight: int | None = None, seat: int | None = None, bottom: int = 0) -> str:
    """Draw the board as a standalone picture, for light and dark pages.

    Args:
        game: the rules.
        state: the position.
        highlight: the move that led to it, by whose square it is marked.
        seat: whose move is marked; it makes no difference.
        bottom: 0: white is nearest.
    """
    del game, seat
    men, black = fen.cells(state.board)
    marked = []
    if highlight is not None:
        # The move was made by the other side, which sees the board turned.
        marked = [(highlight & 4095) >> 6 ^ (0 if black else 56)]
        if marked[0] // 8 not in (1, 6) or (highlight & 63) > 11:
            marked.append((highlight & 63) ^ (0 if black else 56))
    size = 8 * CELL + 2 * EDGE
    label = escape(f"Mate in n. {fen.text(state.board)}. {_status(state, black)}.")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chess" viewBox="0 0 {size:g} {size + 24:g}" role="img" '
        f'aria-label="{label}"><style>{STYLE}</style><g transform="translate({EDGE:g} {EDGE:g})">'
        f"{board_svg(men, tuple(marked), bottom)}</g>{_names(bottom)}"
        f'<text x="{EDGE:g}" y="{size + 12:g}">{escape(_status(state, black))}</text></svg>'
    )


def board_svg(men: list[str], marked: tuple[int, ...] = (), bottom: int = 0) -> str:
    """Return the elements of a board of 416 units, without a picture around them.

    Args:
        men: the 64 squares from a1, `.` or a letter.
        marked: squares that are marked.
        bottom: 0: white is nearest.
    """
    side = f'width="{8 * CELL:g}" height="{8 * CELL:g}"'

    def corner(square: int) -> tuple[float, float]:
        x, y = square % 8, 7 - square // 8
        return ((7 - x) * CELL, (7 - y) * CELL) if bottom else (x * CELL, y * CELL)

    dark = "".join(
        "M{:g} {:g}h{c:g}v{c:g}h-{c:g}z".format(*corner(square), c=CELL)
        for square in range(64)
        if (square // 8 + square % 8) % 2 == 0
    )
    parts = [f'<rect class="ground" x="0" y="0" {side}/>', f'<path class="dark" d="{dark}"/>']
    for square in marked:
        x, y = corner(square)
        parts.append(f'<rect class="mark" x="{x:g}" y="{y:g}" width="{CELL:g}" height="{CELL:g}"/>')
    for square, letter in enumerate(men):
        if letter != ".":
            x, y = corner(square)
            shape = OUTLINES[KINDS.index(letter.lower())]
            owner = 0 if letter.isupper() else 1
            parts.append(
                f'<path class="man{owner}" transform="translate({x + CELL / 2:g} {y + CELL / 2:g})" d="{shape}"/>'
            )
    return "".join(parts)


def _names(bottom: int) -> str:
    parts = []
    for n in range(8):
        middle, number = EDGE + (n + 0.5) * CELL, n if bottom else 7 - n
        parts.append(f'<text class="at" x="{EDGE / 2:g}" y="{middle + 5:g}">{number + 1}</text>')
        column = "abcdefgh"[7 - n if bottom else n]
        parts.append(f'<text class="at" x="{middle:g}" y="{EDGE + 8 * CELL + 20:g}">{column}</text>')
    return "".join(parts)
