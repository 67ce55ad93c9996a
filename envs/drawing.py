"""Parts that pictures of several games share."""

from jaxgp.contracts import Position


def nameplate(state: Position, owner: int, said: str, x: float, y: float) -> list[str]:
    """Draw the nameplate of a seat in a game for two: name, count, and the result of an ended game.

    A dot at the outer end marks the side to move. Its place is always kept free, so that the name does not move. The
    text has the class `name0` or `name1`, and `name1` is anchored at its end. The dot has the class `turn`.

    Args:
        state: a position, with `terminated`, `to_move` and `returns`.
        owner: the seat. From its outer end the plate extends to the right for 0, to the left for 1.
        said: name and count.
        x: the outer end.
        y: the base line.
    """
    ended, inwards = bool(state.terminated), 1 if owner == 0 else -1
    if ended:
        said += {1: ", wins", 0: ", draw", -1: ""}[round(float(state.returns[owner]))]
    name = f'<text class="name{owner}" x="{x + 18 * inwards:g}" y="{y:g}">{said}</text>'
    dot = f'<path class="turn" d="M{x + 6 * inwards:g} {y - 6:g}h0"/>'
    return [name, dot] if not ended and int(state.to_move) == owner else [name]


def board_lines(size: int, cell: float, left: float, top: float) -> str:
    """Draw the lines between the squares of a board, as one path of the class `line`.

    Args:
        size: rows and columns.
        cell: the side of a square.
        left: where the board begins.
        top: likewise.
    """
    side, steps = size * cell, [n * cell for n in range(1, size)]
    route = "".join(f"M{left + step:g} {top:g}v{side:g}M{left:g} {top + step:g}h{side:g}" for step in steps)
    return f'<path class="line" d="{route}"/>'
