"""A program for checkers as a Python module that needs nothing but Python."""

from typing import TYPE_CHECKING

from envs import stgp
from envs.checkers import leaves
from envs.checkers.rules import DIRECTIONS, Checkers
from jaxgp.bits import WORD
from jaxgp.printable import docstring

if TYPE_CHECKING:
    from jaxgp.export.export import Written

TITLE = "A player of checkers."

MODULE = '''\
"""{title}

choose(board, seat) returns the step or the jump to play, as the numbers of two squares; None where there is none.

board: {area} numbers, one for each dark square, row by row from a1, {width} in a row: 1 for a black man, 2 for a black
king, -1 and -2 for those of white, 0 for an empty square. seat: 0 for black, whose men go up, 1 for white. After a
capture, `held` is the square of the piece that has to go on, or None. `quiet` is the number of plies in a row without a
capture.
"""

SIZE, WIDTH, AREA = {size}, {width}, {area}
LOSE = {lose}  # whether the side without a piece or without a move wins
QUIET = {quiet}  # plies without a capture after which a game is drawn; 0: there is no such draw
DIRECTIONS = {directions}


def evaluate(seen: list[float]) -> float:
    """Return the value of a position to the side to move."""
{body}


def there(square: int, up: int, right: int) -> int | None:
    """Return the dark square some rows up and some columns to the right; None off the board."""
    row = square // WIDTH
    column = 2 * (square % WIDTH) + row % 2 + right
    row += up
    return row * WIDTH + column // 2 if 0 <= row < SIZE and 0 <= column < SIZE else None


def ways(board: list[int], seat: int, held: int | None, far: int) -> list[tuple[int, int]]:
    """Return the steps (far=1) or jumps (far=2) of a side, by direction and then by square."""
    sign, found = 1 - 2 * seat, []
    for up, right in DIRECTIONS:
        for square in range(AREA) if held is None else [held]:
            piece = sign * board[square]
            if piece == 2 or piece == 1 and up == sign:
                near, end = there(square, up, right), there(square, far * up, far * right)
                if end is not None and board[end] == 0 and (far == 1 or sign * board[near] < 0):
                    found.append((square, end))
    return found


def moves(board: list[int], seat: int, held: int | None = None) -> list[tuple[int, int]]:
    """Return the legal moves: jumps if there are any, else steps."""
    return ways(board, seat, held, 2) or ([] if held is not None else ways(board, seat, held, 1))


def play(board: list[int], move: tuple[int, int], seat: int, quiet: int) -> tuple[list[int], int, int | None, int]:
    """Return the board after a move, the side to move, the piece that has to go on, and the plies without a capture."""
    (start, end), after = move, list(board)
    up, jump = end // WIDTH - start // WIDTH, abs(end // WIDTH - start // WIDTH) == 2
    after[end], after[start] = board[start], 0
    if jump:
        columns = [2 * (square % WIDTH) + square // WIDTH % 2 for square in move]
        after[there(start, up // 2, (columns[1] - columns[0]) // 2)] = 0
    crowned = abs(board[start]) == 1 and end // WIDTH == (SIZE - 1, 0)[seat]
    if crowned:
        after[end] *= 2
    quiet = 0 if jump or not QUIET else quiet + 1
    if jump and not crowned and ways(after, seat, end, 2):
        return after, seat, end, quiet
    return after, 1 - seat, None, quiet


{apart}def see(board: list[int], seat: int, held: int | None) -> list[float]:
    """Return what the program sees: sets of squares, as its own men go up, and counts."""
    sign = 1 - 2 * seat
    pieces = [sign * piece for piece in board][::sign]
    sets = [[p == 0 for p in pieces], [p > 0 for p in pieces]] + [[abs(p) == kind for p in pieces] for kind in (2, 1)]
    own, other = ([pieces.count(side * kind) for kind in (1, 2)] for side in (1, -1))
    counts = [
{counts}
    ]
    return [float(number) for one in (*(one + [False] * {unused} for one in sets), counts) for number in one]


def following(board: list[int], seat: int, held: int | None, quiet: int) -> tuple:
    """Return the result if the game has ended, and the moves with the positions after them."""
    legal = moves(board, seat, held)
    result = 0 if 0 < QUIET <= quiet else None if legal else 1 if LOSE else -1
    afters = ((move, play(board, move, seat, quiet)) for move in legal)
    return result, ((move, after, after[1] == seat) for move, after in afters)


{choose}
'''


APART = '''def apart(pieces: list[int]) -> float:
    """Return the steps from a king of one side to one of the other, the mean of all pairs; 0 if there is none."""
    own, other = ([n for n, piece in enumerate(pieces) if piece == 2 * side] for side in (1, -1))
    places = {n: (2 * (n % WIDTH) + n // WIDTH % 2, n // WIDTH) for n in (*own, *other)}
    steps = [max(abs(places[a][0] - places[b][0]), abs(places[a][1] - places[b][1])) for a in own for b in other]
    return sum(steps) / max(len(steps), 1)


'''
ASKED = "board: list[int], seat: int = 0, held: int | None = None, quiet: int = 0"
VALUE = "evaluate(see(*position[:3]))"


def of_leaves(game: Checkers, options: leaves.Options, individual: "Written", title: str = TITLE) -> str:
    """Return the text of a module with a function `choose(board, seat)` that plays like a program at the leaves.

    It computes in double precision; evolution computes in single precision.

    Args:
        game: the rules.
        options: what the program sees, and how deep its player searches.
        individual: of one tree or ten.
        title: first line of the docstring.
    """
    program = individual.python
    result = stgp.python_of_ten(program.values) if options.trees == "ten" else program.values[0]
    return MODULE.format(
        title=docstring(title),
        size=game.size,
        width=game.width,
        area=game.area,
        lose=game.lose,
        quiet=game.quiet_plies,
        directions=DIRECTIONS,
        body=program.body(result),
        counts="\n".join(f"        {text},  # {name}" for name, text in _counts(options).items()),
        unused=WORD * game.words - game.area,
        apart=APART * options.apart,
        choose=program.searched(ASKED, "board, seat, held, quiet", "tuple[int, int]", options.depth, VALUE),
    )


def _counts(options: leaves.Options) -> dict[str, str]:
    """Return how the module computes each number that the program sees."""
    sides = {"Friendly": "own", "Enemy": "other"}
    kinds = {"Man": "{0}[0]", "King": "{0}[1]", "Piece": f"{{0}}[0] + {options.king_factor!r} * {{0}}[1]"}
    texts = {f"{side}{kind}Count": text.format(name) for side, name in sides.items() for kind, text in kinds.items()}
    for kind in kinds:
        texts[f"{kind}Count"] = f"{texts[f'Friendly{kind}Count']} - ({texts[f'Enemy{kind}Count']})"
    texts["Mobility"] = "len(moves(board, seat, held))"
    texts["EnemyMobility"] = "len(moves(board, 1 - seat))"
    texts["KingsApart"] = "apart(pieces)"
    return {name: texts[name] for name in leaves.numbers(options)}
