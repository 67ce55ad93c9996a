"""What pictures of several games have in common."""

from typing import Any


def nameplate(state: Any, owner: int, said: str, x: float, y: float) -> list[str]:
    """Write the name and count of a seat of a game for two, and what an ended game brought it.

    A dot at the outer end is by the one to move; its place is kept free, so that the name stays where it is. The class
    of the text is `name0` or `name1`, of which the second ends at its place; that of the dot is `turn`.

    Args:
        state: a position, with `terminated`, `to_move` and `returns`.
        owner: the seat, whose plate grows from its outer end to the right for 0, to the left for 1.
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
