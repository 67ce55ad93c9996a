"""FreeCell in plain Python, written from the rules alone: piles are lists of names of cards. Slow and simple.

A card is its rank and its suit, as in TD. Only `board_of` and `move_of` know the arrays of the game; all else here is a
program of its own, which checks the solutions that searches find.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from envs.freecell import cards
from envs.freecell.moves import ACTIONS
from envs.freecell.rules import FreeCell
from envs.freecell.states import State

RANKS = "A23456789TJQK"
SUITS = "CDHS"
HOME = "h"
CELLS = "abcd"
PILES = "12345678abcdh"
"""Cascades, cells and foundations, in the order in which actions number them."""


class Move(NamedTuple):
    """Cascades are called 1 to 8, cells a to d, and the foundations h."""

    source: str
    target: str
    number: int = 1


@dataclass
class Board:
    """A position: cards from the bottom of each cascade on, cards in cells, and the foundations by suit, 0 to 13."""

    cascades: list[list[str]]
    cells: list[str | None] = field(default_factory=lambda: [None] * 4)
    home: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SUITS, 0))

    def pile(self, name: str) -> list[str]:
        """Return the cards of a pile that cards move from."""
        if name in CELLS:
            card = self.cells[CELLS.index(name)]
            return [card] if card else []
        return self.cascades[int(name) - 1]


def board_of(state: State) -> Board:
    """Return one state, of NumPy arrays, as a board."""
    cascades = [
        [cards.name(card) for card in pile[:height]]
        for pile, height in zip(state.cascades.tolist(), state.heights.tolist(), strict=True)
    ]
    cells = [cards.name(card) if card >= 0 else None for card in state.cells.tolist()]
    return Board(cascades, cells, dict(zip(SUITS, state.foundations.tolist(), strict=True)))


def move_of(action: int) -> Move:
    """Return an action as a move."""
    source, target, count = ACTIONS[action]
    return Move(PILES[source], PILES[target], count)


def value(card: str) -> int:
    """Return 1, ace, to 13, king."""
    return RANKS.index(card[0]) + 1


def colour(card: str) -> str:
    """Return the colour of a card."""
    return "red" if card[1] in "DH" else "black"


def fits(card: str, on: str) -> bool:
    """Say whether a card may be laid on another one."""
    return value(on) == value(card) + 1 and colour(on) != colour(card)


def goes_home(board: Board, card: str) -> bool:
    """Say whether a card is the next one of its foundation."""
    return board.home[card[1]] == value(card) - 1


def in_sequence(pile: Sequence[str]) -> bool:
    """Say whether every card fits on the one below it."""
    return all(fits(card, on) for on, card in pairwise(pile))


def keeps_run(board: Board, move: Move) -> bool:
    """Say whether a legal move leaves cards in sequence together, or lays some of them onto a card or a foundation."""
    if move.source in CELLS or move.target == HOME or (move.target not in CELLS and board.pile(move.target)):
        return True
    left = board.pile(move.source)
    return len(left) == move.number or not fits(left[-move.number], left[-move.number - 1])


def room(board: Board, target: str, supermoves: str) -> int:
    """Return how many cards can move together to a cascade."""
    cells = board.cells.count(None)
    empty = sum(not pile for number, pile in enumerate(board.cascades, 1) if str(number) != target)
    return cells + empty + 1 if supermoves == "strict" else (cells + 1) << empty


def legal(board: Board, supermoves: str = "full") -> list[Move]:
    """Return all moves; of free cells and of empty cascades only the first one is a target."""
    found = []
    for source in PILES[:-1]:
        pile = board.pile(source)
        for target in PILES:
            for number in range(1, len(pile) + 1):
                move = Move(source, target, number)
                if is_legal(board, move, supermoves):
                    found.append(move)
    return found


def is_legal(board: Board, move: Move, supermoves: str = "full") -> bool:
    """Say whether a move is one of the `legal` ones."""
    source, target, number = move
    pile = board.pile(source)
    if source == target or not 1 <= number <= len(pile):
        return False
    if target == HOME:
        return number == 1 and goes_home(board, pile[-1])
    if target in CELLS:
        return number == 1 and source not in CELLS and None in board.cells and target == first_cell(board)
    onto, run = board.pile(target), pile[-number:]
    if onto and not fits(run[0], onto[-1]):
        return False
    if not onto and (target != first_empty(board) or (source not in CELLS and number == len(pile))):
        return False
    return in_sequence(run) and number <= room(board, target, supermoves)


def first_cell(board: Board) -> str:
    """Return the first free cell; there is one."""
    return CELLS[board.cells.index(None)]


def first_empty(board: Board) -> str:
    """Return the first empty cascade; there is one."""
    return str(1 + board.cascades.index([]))


def play(board: Board, move: Move, autoplay: str = "none") -> Board:
    """Return the board after a move, whatever the move is."""
    board = Board([pile[:] for pile in board.cascades], board.cells[:], dict(board.home))
    if move.source in CELLS:
        run = board.pile(move.source)
        board.cells[CELLS.index(move.source)] = None
    else:
        pile = board.pile(move.source)
        run = pile[-move.number :]
        del pile[-move.number :]
    if move.target == HOME:
        board.home[run[0][1]] += 1
    elif move.target in CELLS:
        board.cells[CELLS.index(move.target)] = run[0]
    else:
        board.pile(move.target).extend(run)
    while source := next((name for name in PILES[:-1] if goes_alone(board, name, autoplay)), None):
        board = play(board, Move(source, HOME))
    return board


def goes_alone(board: Board, source: str, autoplay: str) -> bool:
    """Say whether the card at the end of a pile goes to the foundations by itself.

    By `safe` no card is left that fits on it. By `needless` those that fit on it can go to the foundations when they
    come to the end of a pile, and those that would be laid on these can, too.
    """
    pile = board.pile(source)
    if autoplay == "none" or not pile or not goes_home(board, pile[-1]):
        return False
    others = [board.home[suit] for suit in SUITS if colour(RANKS[0] + suit) != colour(pile[-1])]
    same = [board.home[suit] for suit in SUITS if colour(RANKS[0] + suit) == colour(pile[-1])]
    rank = value(pile[-1])
    needless = autoplay == "needless" and min(others) >= rank - 2 and min(same) >= rank - 3
    return min(others) >= rank - 1 or needless


def is_solved(board: Board) -> bool:
    """Say whether all cards are on the foundations."""
    return sum(board.home.values()) == 52


def prove(game: FreeCell, state: State, actions: Iterable[int]) -> None:
    """Play a solution of one state, of NumPy arrays; raises ValueError as `check` does."""
    check(board_of(state), map(move_of, actions), game.supermoves, game.autoplay)


def check(board: Board, moves: Iterable[Move], supermoves: str = "full", autoplay: str = "none") -> Board:
    """Play a solution and return the last board.

    Raises:
        ValueError: a move is not legal, which the message names, or the moves do not solve the board.
    """
    for number, move in enumerate(moves, 1):
        if not is_legal(board, move, supermoves):
            raise ValueError(f"move {number}, {move.source}{move.target} of {move.number}: not legal")
        board = play(board, move, autoplay)
    if not is_solved(board):
        raise ValueError("the moves do not solve it")
    return board
