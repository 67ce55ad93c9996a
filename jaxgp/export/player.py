"""The part of an exported player that is equal in all games: alpha-beta in plain Python, and the choice of a move.

The text of a game, which stands before it, has a function `following(*position)`. It returns two things: the result
for the side to move, 1 won, 0 drawn or -1 lost, or None while the game goes on; and the moves in their order, each with
the position after it and whether the same side goes on. The moves may be made as they are asked for.
"""

WIDTH = 120
"""Characters of a line."""
SEARCH = '''\
WON, MOST = 3e38, 1e38  # an ended game is worth more than any value; one that is no number is as bad as can be


def search(position: tuple, plies: int, low: float, high: float) -> float:
    """Return what a position is worth to the side to move, by alpha-beta; beyond `low` and `high` only a bound."""
    result, steps = following(*position)
    if result is not None:
        return WON * result
    if plies == 0:
        value = {value}
        return max(-MOST, min(MOST, value)) if value == value else {nothing}
    for _, after, again in steps:
        low = max(low, worth(after, again, plies, low, high))
        if low >= high:
            break
    return low


def worth(after: tuple, again: bool, plies: int, low: float, high: float) -> float:
    """Return what a move is worth that leads to a position, in which the same side moves again or the other one."""
    if again:
        return search(after, plies - 1, low, high)
    return -search(after, plies - 1, -high, -low)


{head}
    """Return the move with the highest value after a search of so many plies, the first of equal ones."""
    best, chosen = float("-inf"), None
    for move, after, again in following({position})[1]:
        value = worth(after, again, plies, best, float("inf"))
        if chosen is None or value > best:
            best, chosen = value, move
    return chosen'''


def write_search(asked: str, position: str, move: str, plies: int, value: str, mover: bool = True) -> str:
    """Return the text of `choose`, with the search that it needs.

    Args:
        asked: the parameters of `choose` that tell the position, as Python writes them.
        position: their names, as arguments of `following`.
        move: the type of a move.
        plies: how deep it searches if nothing else is said.
        value: expression for the value of a `position` to the side to move.
        mover: whether a value that is no number is bad for the side to move; else for the other side.
    """
    head = f"def choose({asked}, plies: int = {plies}) -> {move} | None:"
    if len(head) > WIDTH:
        head = f"def choose(\n    {asked}, plies: int = {plies}\n) -> {move} | None:"
    return SEARCH.format(head=head, position=position, value=value, nothing="-MOST" if mover else "MOST")
