"""A program for Othello as a Python module that needs nothing but Python."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from envs.othello import leaves, moves
from envs.othello.rules import Othello
from jaxgp.bits import WORD
from jaxgp.printable import docstring

if TYPE_CHECKING:
    from jaxgp.export.export import Equations, Written

TITLE = "A player of Othello."

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
    """Return the value of a position: {said}."""
{body}


{see}


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


def moves(board: list[int]) -> list[tuple[int, list[int]]]:
    """Return the squares where a disc may be placed, and the board after each move, still as its side sees it."""
    found = []
    for square in range(SIZE * SIZE):
        line = turned(board, square) if board[square] == 0 else []
        if line:
            found.append((square, [1 if i == square or i in line else disc for i, disc in enumerate(board)]))
    return found


{choose}
'''

GREEDY = '''\
def choose(board: list[int]) -> int | None:
    """Return the move with the highest value, the first of equal ones; a value that is no number is the lowest."""
    best, chosen = float("-inf"), None
    for square, after in moves(board):
        value = evaluate(see(after))
        if chosen is None or value > best:
            best, chosen = value if value == value else float("-inf"), square
    return chosen'''

FOLLOWING = '''\
def swapped(board: list[int]) -> list[int]:
    """Return the board as the other side sees it."""
    return [-disc for disc in board]


def following(board: list[int]) -> tuple[int | None, list[tuple[int | None, tuple, bool]]]:
    """Return the result if the game has ended, and the moves with the boards that the other side sees then."""
    found = [(square, (swapped(after),), False) for square, after in moves(board)]
    if found or moves(swapped(board)):
        return None, found or [(None, (swapped(board),), False)]
    return (sum(board) > 0) - (sum(board) < 0), []


'''

SEE_MOVER = '''\
def see(board: list[int]) -> list[float]:
    """Return what the program sees of a board of the side that has moved: discs of this side and of the other."""
    return [float(sum(board[i] == side for i in region)) for region in REGIONS for side in (1, -1)]'''

SEE_TO_MOVE = '''\
def see(board: list[int]) -> list[float]:
    """Return what the program sees of a board of the side to move: empty squares, its own discs, and counts."""
    own, other = ([sum(board[i] == side for i in region) for region in REGIONS] for side in (1, -1))
    squares = [[disc == kind for disc in board] + [False] * {unused} for kind in (0, 1)]
    counts = [
{counts}
    ]
    return [float(number) for number in [*squares[0], *squares[1], *counts]]'''


def of_moves(game: Othello, options: moves.Options, individual: "Written", title: str = TITLE) -> str:
    """Return the text of a module with a function `choose(board)` that plays like a program that values moves.

    It computes in double precision; evolution computes in single precision.

    Args:
        game: the rules.
        options: what the program sees, and how deep its player searches.
        individual: of one tree.
        title: first line of the docstring.
    """
    value = "-evaluate(see(swapped(*position)))"
    choose = _searched(individual.python, options.depth, value, False) if options.depth else GREEDY
    return _module(game, moves.regions(game, options), individual.python, title, "that has moved", SEE_MOVER, choose)


def of_leaves(game: Othello, options: leaves.Options, individual: "Written", title: str = TITLE) -> str:
    """Return the same for a program that values the leaves of a search."""
    choose = _searched(individual.python, options.depth, "evaluate(see(*position))", True)
    squares = leaves.list_counted(game, options)
    return _module(game, squares, individual.python, title, "to move", _sight(game, options), choose)


def _searched(program: "Equations", depth: int, value: str, mover: bool) -> str:
    return FOLLOWING + program.searched("board: list[int]", "board", "int", depth, value, mover)


def _module(
    game: Othello, squares: Mapping[str, list[int]], program: "Equations", title: str, side: str, see: str, choose: str
) -> str:
    return MODULE.format(
        title=docstring(title),
        area=game.area,
        size=game.size,
        regions="\n".join(f"    {numbers},  # {name or 'all'}" for name, numbers in squares.items()),
        said=f"to the side {side}",
        body=program.body(program.values[0]),
        see=see,
        choose=choose,
    )


def _sight(game: Othello, options: leaves.Options) -> str:
    """Return the text of the function that computes what the side to move sees."""
    special = {
        "Mobility": "len(moves(board))",
        "EnemyMobility": "len(moves(swapped(board)))",
        "EmptyCount": "board.count(0)",
    }
    places = {name: place for place, name in enumerate(leaves.list_counted(game, options))}
    for name, place in places.items():
        special |= {
            f"Friendly{name}Count": f"own[{place}]",
            f"Enemy{name}Count": f"other[{place}]",
            f"{name}Count": f"own[{place}] - other[{place}]",
        }
    return SEE_TO_MOVE.format(
        unused=WORD * game.words - game.area,
        counts="\n".join(f"        {special[name]},  # {name}" for name in leaves.numbers(game, options)),
    )
