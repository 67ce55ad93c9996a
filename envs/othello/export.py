"""A program for Othello as a Python module that needs nothing but Python."""

from envs.othello.primitives import TO_MOVE, Settings, regions
from envs.othello.rules import Othello
from jaxgp.analysis.export import Equations
from jaxgp.experiment.errors import reject

FEATURES = "seen"
"""What the list of features is called in the exported text."""

MODULE = '''\
"""{title}

choose(board) returns the square on which to place a disc, or None to pass.

board: {area} numbers, row by row from a1: 1 for a disc of the side to move, -1 for one of its opponent, 0 for none.
"""

SIZE = {size}
REGIONS = [
{regions}
]


def evaluate(seen: list[float]) -> float:
    """Return the value of a position: in each region the discs of the side that has moved, and the other's."""
{body}


def turned(board: list[int], square: int) -> list[int]:
    """Return the discs that are turned over by one of the side to move."""
    found = []
    for down, right in ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)):
        row, column, line = square // SIZE + down, square % SIZE + right, []
        while 0 <= row < SIZE and 0 <= column < SIZE and board[row * SIZE + column] == -1:
            line.append(row * SIZE + column)
            row, column = row + down, column + right
        if 0 <= row < SIZE and 0 <= column < SIZE and board[row * SIZE + column] == 1:
            found += line
    return found


def choose(board: list[int]) -> int | None:
    """Return the move with the highest value, the first of equal ones; a value that is no number is the lowest."""
    best, chosen = float("-inf"), None
    for square in range(SIZE * SIZE):
        line = turned(board, square) if board[square] == 0 else []
        if line:
            after = [1 if i == square or i in line else disc for i, disc in enumerate(board)]
            value = evaluate([float(sum(after[i] == s for i in region)) for region in REGIONS for s in (1, -1)])
            if chosen is None or value > best:
                best, chosen = value if value == value else float("-inf"), square
    return chosen
'''


def python(game: Othello, settings: Settings, program: Equations, title: str = "A player of Othello.") -> str:
    """Return the text of a module with a function `choose(board)`.

    It reckons in double precision, where evolution does in single.

    Args:
        game: the rules.
        settings: what the program sees.
        program: its one tree.
        title: first line of the docstring.

    Raises:
        UsageError: the program values positions for a search, which this module does not have.
    """
    if settings.features in TO_MOVE:
        reject("format", "python", f"text, sexpr, latex, dot, with program.features={settings.features}")
    return MODULE.format(
        title=title.replace("\\", "\\\\").replace('"', "'"),
        area=game.area,
        size=game.size,
        regions="\n".join(f"    {squares},  # {name or 'all'}" for name, squares in regions(game, settings).items()),
        body="\n".join([*(f"    {name} = {text}" for name, text in program.lines), f"    return {program.values[0]}"]),
    )
