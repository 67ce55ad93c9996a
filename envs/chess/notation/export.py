"""A program for chess endgames as a Python module that needs nothing but Python."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from envs.chess.language import COMPLEX, EXTRA, NUMBERS, SIMPLE, LeafOptions, Options
from envs.chess.rules import QUIET, Chess
from envs.chess.sums import weighed
from envs.chess.sums.weighed import SumOptions
from jaxgp.players.greedy import steps_of
from jaxgp.printable import docstring

if TYPE_CHECKING:
    from jaxgp.export.export import Written

TITLE = "A player of chess endgames."

MODULE = '''\
"""{title}

choose(fen) returns the move that it plays in a position, as in d1d3, or None where the game is over.
{says}

There are no pawns. The moves in the past are not known: no draw is claimed.
"""
{imports}
WORTH = {{"K": 0, "Q": 9, "R": 5, "B": 3, "N": 3}}
STRAIGHT, SLANTED = [(1, 0), (-1, 0), (0, 1), (0, -1)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]
LINES = {{"R": STRAIGHT, "B": SLANTED, "Q": STRAIGHT + SLANTED}}
STEPS = {{"K": STRAIGHT + SLANTED, "N": [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]}}

Board = dict[int, str]  # square, from a1 row by row: its man, a capital letter for white


{trees}


def read(fen: str) -> tuple[Board, bool]:
    """Return the board, and whether white is to move."""
    ranks, side = fen.split()[:2]
    board: Board = {{}}
    for row, rank in zip(range(7, -1, -1), ranks.split("/")):
        column = 0
        for sign in rank:
            if not sign.isdigit():
                board[8 * row + column] = sign
            column += int(sign) if sign.isdigit() else 1
    return board, side == "w"


def name(square: int) -> str:
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


def men(board: Board, white: bool) -> list[int]:
    """Return where the men of a side stand."""
    return [square for square, man in board.items() if man.isupper() == white]


def king(board: Board, white: bool) -> int:
    return next(square for square in men(board, white) if board[square] in "Kk")


def attacks(board: Board, square: int) -> list[int]:
    """Return the squares that a man attacks."""
    kind, found = board[square].upper(), []
    for right, up in STEPS.get(kind) or LINES[kind]:
        for far in range(1, 2 if kind in STEPS else 8):
            column, row = square % 8 + far * right, square // 8 + far * up
            if not (0 <= column < 8 and 0 <= row < 8):
                break
            found.append(column + 8 * row)
            if found[-1] in board:
                break
    return found


def attackers(board: Board, white: bool, square: int) -> list[int]:
    """Return the men of a side that attack a square."""
    return [man for man in men(board, white) if square in attacks(board, man)]


def without(board: Board, square: int) -> Board:
    return {{place: man for place, man in board.items() if place != square}}


def moved(board: Board, start: int, goal: int) -> Board:
    return {{**without(board, start), goal: board[start]}}


def moves(board: Board, white: bool) -> list[tuple[int, int, Board]]:
    """Return the legal moves, by the kinds of men and their squares, each with the board after it."""
    found = []
    for start in sorted(men(board, white), key=lambda square: ("KQRBN".index(board[square].upper()), square)):
        for goal in sorted(attacks(board, start)):
            if goal not in board or board[goal].isupper() != white:
                after = moved(board, start, goal)
                if not attackers(after, not white, king(after, white)):
                    found.append((start, goal, after))
    return found


def edge(square: int) -> int:
    x, y = square % 8, square // 8
    return min(x, 7 - x, y, 7 - y)


def steps(a: int, b: int) -> int:
    """Return how many moves of a king are between two squares."""
    return max(abs(a % 8 - b % 8), abs(a // 8 - b // 8))


def material(board: Board, white: bool) -> int:
    return sum(WORTH[board[man].upper()] for man in men(board, white))


def king_moves(board: Board, white: bool) -> list[int]:
    """Return where a king may go, if it is its turn."""
    at = king(board, white)
    free = [goal for goal in attacks(board, at) if goal not in board or board[goal].isupper() != white]
    return [goal for goal in free if not attackers(without(board, at), not white, goal)]


def enemies(board: Board, man: int) -> list[int]:
    """Return the men of the other side that a man attacks."""
    return [goal for goal in attacks(board, man) if goal in board and board[goal].isupper() != board[man].isupper()]


def attacked(board: Board, white: bool) -> list[int]:
    """Return the men of a side that are attacked."""
    return [man for man in men(board, white) if attackers(board, not white, man)]


def queens(board: Board, white: bool) -> list[int]:
    return [man for man in men(board, white) if board[man] in "Qq"]


def fork(board: Board, white: bool) -> bool:
    return any(len(enemies(board, man)) > 1 for man in men(board, white))


def near_rook(board: Board, white: bool) -> int:
    """Return the steps of a king to its nearest rook, 8 without one."""
    return min([steps(king(board, white), man) for man in rooks(board, white)] or [8])


def rooks(board: Board, white: bool) -> list[int]:
    return [man for man in men(board, white) if board[man] in "Rr"]


def nearest(some: list[int], others: list[int]) -> int:
    """Return the least steps of a king between squares of two lists, 0 where one is empty."""
    return min([steps(a, b) for a in some for b in others] or [0])


def protect_each_other(board: Board, white: bool) -> bool:
    mine = men(board, white)
    return any(b in attacks(board, a) and a in attacks(board, b) for a in mine for b in mine)


def wins_material(board: Board, white: bool) -> bool:
    """Return whether a capture of a side wins material even if it is answered on the same square."""
    for victim in men(board, not white):
        for man in attackers(board, white, victim) if board[victim] not in "Kk" else []:
            after = moved(board, man, victim)
            answers = attackers(after, not white, victim)
            if attackers(after, white, victim):
                answers = [square for square in answers if board[square] not in "Kk"]
            price = WORTH[board[man].upper()] if answers else 0
            if not (answers and board[man] in "Kk") and WORTH[board[victim].upper()] > price:
                return True
    return False


def between(a: int, b: int) -> list[int]:
    """Return the squares between two squares of one line."""
    right, up, far = b % 8 - a % 8, b // 8 - a // 8, steps(a, b)
    if right and up and abs(right) != abs(up):
        return []
    return [a + n * (right // far + up // far * 8) for n in range(1, far)]


def behind(board: Board, white: bool) -> bool:
    """Return whether a king is two or more squares behind a man of its own that is attacked along the ray."""
    at = king(board, white)
    for man in attacked(board, white):
        others = attackers(board, not white, man) if man != at and steps(man, at) > 1 else []
        if any(man in between(other, at) for other in others):
            return True
    return False


def pinned(board: Board, white: bool) -> bool:
    at = king(board, white)
    now = attackers(board, not white, at)
    mine = [man for man in men(board, white) if man != at]
    return any(len(attackers(without(board, man), not white, at)) > len(now) for man in mine)


def mate(board: Board, white: bool) -> bool:
    """Return whether a side, whose turn it is, is mated."""
    return bool(attackers(board, not white, king(board, white))) and not moves(board, white)


TERMINALS = {{
{terminals}
}}


class Seen(dict):
    """What the side `me` has before it after its move, looked at when it is asked for."""

    def __init__(self, board: Board, me: bool, captured: bool) -> None:
        self.position = board, me, not me, captured

    def __missing__(self, number: int) -> float:
        self[number] = float(TERMINALS[NAMES[number]](*self.position))
        return self[number]


NAMES = [
{names}
]


{choose}
'''

TERMINALS = {
    "NotMyKingInCheck": "king(board, me) not in attacked(board, me)",
    "IsOppKingInCheck": "king(board, opp) in attacked(board, opp)",
    "MyKingDistEdges": "edge(king(board, me))",
    "OppKingProximityToEdges": "3 - edge(king(board, opp))",
    "NumMyPiecesNotAttacked": "len(men(board, me)) - len(attacked(board, me))",
    "NumOppPiecesAttacked": "len(attacked(board, opp))",
    "ValueMyPiecesAttacking": "sum(WORTH[board[man].upper()] for man in men(board, me) if enemies(board, man))",
    "ValueOppPiecesAttacking": "sum(WORTH[board[man].upper()] for man in men(board, opp) if enemies(board, man))",
    "IsMyQueenNotAttacked": "not set(queens(board, me)) & set(attacked(board, me))",
    "AreMyPiecesUnattacked": "not attacked(board, me)",
    "IsOppQueenAttacked": "bool(set(queens(board, opp)) & set(attacked(board, opp)))",
    "IsMyFork": "fork(board, me)",
    "IsOppNotFork": "not fork(board, opp)",
    "NumMovesMyKing": "len(king_moves(board, me))",
    "NumNotMovesOppKing": "8 - len(king_moves(board, opp))",
    "MyKingProxRook": "7 - near_rook(board, me) if near_rook(board, me) < 8 else 0",
    "OppKingDistRook": "near_rook(board, opp) % 8",
    "MyPiecesSameLine": "protect_each_other(board, me)",
    "OppPiecesNotSameLine": "not protect_each_other(board, opp)",
    "IsOppKingProtectingPiece": "any(goal in men(board, opp) for goal in attacks(board, king(board, opp)))",
    "IsMyKingProtectingPiece": "any(goal in men(board, me) for goal in attacks(board, king(board, me)))",
    "EvaluateMaterial": "material(board, me) - material(board, opp)",
    "100*IsMaterialIncrease": "100 * captured",
    "1000*IsMate": "1000 * mate(board, opp)",
    "-1000*IsMateInOne": "-1000 * any(mate(after, me) for *_, after in moves(board, opp))",
    "OppPieceCanBeCaptured": "wins_material(board, me)",
    "MyPieceCannotBeCaptured": "not wins_material(board, opp)",
    "IsOppKingStuck": "all(edge(goal) < edge(king(board, opp)) for goal in king_moves(board, opp))",
    "IsMyKingNotStuck": "any(edge(goal) > edge(king(board, me)) for goal in king_moves(board, me))",
    "IsOppKingBehindPiece": "behind(board, opp)",
    "IsMyKingNotBehindPiece": "not behind(board, me)",
    "IsOppPiecePinned": "pinned(board, opp)",
    "IsMyPieceNotPinned": "not pinned(board, me)",
    "IsStalemate": "not moves(board, opp) and not mate(board, opp)",
    "IsMyKingInCheck": "king(board, me) in attacked(board, me)",
    "IsMyPieceAttacked": "bool(attacked(board, me))",
    "IsOppPieceAttacked": "bool(attacked(board, opp))",
    "NumMovesOppKing": "len(king_moves(board, opp))",
    "IsMyPieceProtected": "any(attackers(board, me, man) for man in men(board, me))",
    "IsOppPieceProtected": "any(attackers(board, opp, man) for man in men(board, opp))",
    "IsMyQueenAttacked": "bool(set(queens(board, me)) & set(attacked(board, me)))",
    "NumOppPiecesNotAttacked": "len(men(board, opp)) - len(attacked(board, opp))",
    "IsMyPieceAttackedUnprotected": "any(not attackers(board, me, man) for man in attacked(board, me))",
    "MyKingDistOppKing": "steps(king(board, me), king(board, opp))",
    "MyKingDistQueen": "nearest([king(board, me)], queens(board, me))",
    "MyKingDistOppRook": "nearest([king(board, me)], rooks(board, opp))",
    "MyQueenDistOppRook": "nearest(queens(board, me), rooks(board, opp))",
    "NumMovesOpp": "len(moves(board, opp))",
    "NumSafeMovesOpp": "sum(not wins_material(after, me) for *_, after in moves(board, opp))",
}
"""What each terminal is, of `board`, `me`, `opp` (whether the side is white) and `captured`."""

CHOOSE = '''\
def value(board: Board, after: Board, white: bool) -> float:
    """Return what the program makes of a move; a value that is no number is the lowest."""
    seen = Seen(after, white, len(after) < len(board))
{pick}
    return found if found == found else float("-inf")


def best(fen: str) -> list[str]:
    """Return the moves with the highest value."""
    board, white = read(fen)
    found = [(value(board, after, white), name(start) + name(goal)) for start, goal, after in moves(board, white)]
    return [move for worth, move in found if worth == max(found)[0]]


def choose(fen: str) -> str | None:
    """Return a move with the highest value."""
    {choice}'''

THREE = """\
    ahead = material({board}, white) - material({board}, not white)
    found = (more if ahead > 0 else less if ahead < 0 else even)(seen)"""


SUM = '''\
WEIGHTS = [  # whole numbers, each for the product of its terminals
{weights}
]
NUMBERS = {numbers}


def evaluate(seen: dict[int, float]) -> float:
    """Return the value of a move: the weighted sum; what is no number counts as 1 where it holds."""
    value = {{name: float(seen[n] if name in NUMBERS else seen[n] != 0) for n, name in enumerate(NAMES)}}
    return sum(weight * value[one] * (value[other] if other else 1) for weight, one, other in WEIGHTS)'''


SEARCHED = '''\
def begin(fen: str) -> tuple[Board, bool, int, bool]:
    """Return the board, whether white is to move, the plies since the last capture, and no capture before it."""
    words = fen.split()
    return *read(fen), int(words[4]) if len(words) > 4 else 0, False


def following(board: Board, white: bool, quiet: int, captured: bool) -> tuple:
    """Return the result if the game has ended, and the moves with the positions after them."""
    legal, checked = moves(board, white), bool(attackers(board, not white, king(board, white)))
    over = not legal or len(board) == 2 or quiet >= {quiet}
    steps = ((after, 0 if len(after) < len(board) else quiet + 1, len(after) < len(board)) for *_, after in legal)
    afters = [((after, not white, since, taken), False) for after, since, taken in steps]
    names = [name(start) + name(goal) for start, goal, _ in legal]
    return (-1 if checked and not legal else 0) if over else None, [(move, *x) for move, x in zip(names, afters)]


{search}'''


def python(game: Chess, options: Options, individual: "Written", title: str = TITLE) -> str:
    """Return the text of a module with a function `choose(fen)` that plays like a program that values moves.

    It computes in double precision; evolution computes in single precision.

    Args:
        game: the rules, which do not matter.
        options: the trees, what programs see, and who chooses among equal moves.
        individual: of one tree, or of three.
        title: first line of the docstring.
    """
    del game
    program, three, lot = individual.python, options.trees == "three", options.ties == "lot"
    when = options.phase if three else ""
    says = {"more": "more", "even": "as much", "less": "less"} if three else {"evaluate": ""}
    trees = []
    for tree, (name, amount) in enumerate(says.items()):
        with_so_much = f", with {amount} material {when} it" if three else ""
        head = f'def {name}(seen: dict[int, float]) -> float:\n    """Return the value of a move{with_so_much}."""\n'
        trees.append(head + program.needed(tree).body(program.values[tree]))
    names = options.terminals if options.stage != "final" else (*SIMPLE, *COMPLEX, *EXTRA)
    board = "after" if options.phase == "after" else "board"
    pick = THREE.format(board=board) if three else "    found = evaluate(seen)"
    return _choosing(title, trees, names, pick, lot)


def of_sums(game: Chess, options: SumOptions, individual: "Written", title: str = TITLE) -> str:
    """Return the text of a module with a function `choose(fen)` that plays like a sum; the values are equal.

    Args:
        game: the rules, which say what is weighed where the options do not.
        options: what is weighed, and who chooses among equal moves.
        individual: the weights.
        title: first line of the docstring.
    """
    names, lot = options.weighed(game), options.ties == "lot"
    steps = np.round(individual.program.value[:, 0] * steps_of(weighed.units(names)))
    rows = [
        f"    ({int(step)}, {names[term[0]]!r}, {names[term[1]] if len(term) > 1 else None!r}),"
        for step, term in zip(steps, weighed.terms(names), strict=True)
    ]
    weights = SUM.format(weights="\n".join(rows), numbers=tuple(name for name in names if name in NUMBERS))
    return _choosing(title, [weights], names, "    found = evaluate(seen)", lot)


def of_leaves(game: Chess, options: LeafOptions, individual: "Written", title: str = TITLE) -> str:
    """Return the text of a module with a function `choose(fen)` that plays like a program at the leaves of a search.

    It computes in double precision; evolution computes in single precision.

    Args:
        game: the rules, whose limit of plies does not matter.
        options: how deep its player searches.
        individual: of one tree.
        title: first line of the docstring.
    """
    del game
    program = individual.python
    meaning = '"""Return the value of a position to the side that has moved."""'
    evaluate = f"def evaluate(seen: dict[int, float]) -> float:\n    {meaning}\n{program.body(program.values[0])}"
    value = "-evaluate(Seen(position[0], not position[1], position[3]))"
    search = program.searched("fen: str", "*begin(fen)", "str", options.depth, value, mover=False)
    says = "It searches `plies` plies, and plays the first of equal moves, in the order of kinds and squares."
    return _module(
        title,
        says,
        "",
        [evaluate],
        (*SIMPLE, *COMPLEX, *EXTRA),
        SEARCHED.format(quiet=QUIET, search=search),
    )


def _choosing(title: str, trees: list[str], names: Sequence[str], pick: str, lot: bool) -> str:
    """Return the text of a module that values the position after every move, by `pick`."""
    chance = "one is chosen by lot" if lot else "it plays the first, in the order of kinds and squares"
    choice = f"return {'random.choice(found)' if lot else 'found[0]'} if (found := best(fen)) else None"
    told = f"best(fen) returns all moves that it values most, among which {chance}."
    choose = CHOOSE.format(pick=pick, choice=choice)
    return _module(title, told, "\nimport random\n" if lot else "", trees, names, choose)


def _module(title: str, says: str, imports: str, trees: list[str], names: Sequence[str], choose: str) -> str:
    """Return the text of a module: trees as functions, the terminals that they see, and how a move is chosen."""
    return MODULE.format(
        title=docstring(title),
        says=says,
        imports=imports,
        trees="\n\n\n".join(trees),
        terminals="\n".join(f'    "{name}": lambda board, me, opp, captured: {TERMINALS[name]},' for name in names),
        names="\n".join(f'    "{name}",' for name in names),
        choose=choose,
    )
