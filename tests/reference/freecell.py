"""FreeCell in plain Python, written from the rules alone: piles are lists of names of cards. Slow and simple.

A card is its rank and its suit, as in TD. Nothing here comes from `envs.freecell`, so the tests compare two programs.
"""

from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "CDHS"
HOME = "h"
CELLS = "abcd"


class Move(NamedTuple):
    """Cascades are called 1 to 8, cells a to d, and the foundations h."""

    source: str
    target: str
    count: int = 1


@dataclass
class Board:
    cascades: list[list[str]]
    cells: list[str | None] = field(default_factory=lambda: [None] * 4)
    home: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SUITS, 0))

    def pile(self, name):
        """Return the cards of a pile that cards move from."""
        if name in CELLS:
            card = self.cells[CELLS.index(name)]
            return [card] if card else []
        return self.cascades[int(name) - 1]


def value(card):
    return RANKS.index(card[0]) + 1


def colour(card):
    return "red" if card[1] in "DH" else "black"


def deal(number):
    """Return a numbered deal, as the source describes it."""
    deck = [rank + suit for rank in RANKS for suit in SUITS]
    board, seed = Board([[] for _ in range(8)]), number
    for place in range(52):
        seed = (seed * 214013 + 2531011) & 0x7FFFFFFF
        drawn = (seed >> 16) % len(deck)
        deck[drawn], deck[-1] = deck[-1], deck[drawn]
        board.cascades[place % 8].append(deck.pop())
    return board


def fits(card, on):
    return value(on) == value(card) + 1 and colour(on) != colour(card)


def goes_home(board, card):
    return board.home[card[1]] == value(card) - 1


def in_sequence(cards):
    return all(fits(card, on) for on, card in pairwise(cards))


def room(board, target, supermoves):
    """Return how many cards can move together to a cascade."""
    cells = board.cells.count(None)
    empty = sum(not pile for number, pile in enumerate(board.cascades, 1) if str(number) != target)
    return cells + empty + 1 if supermoves == "strict" else (cells + 1) * 2**empty


def legal(board, supermoves="full"):
    """Return all moves; of free cells and of empty cascades only the first one is a target."""
    cell = CELLS[board.cells.index(None)] if None in board.cells else None
    empty = [str(number) for number, pile in enumerate(board.cascades, 1) if not pile][:1]
    targets = empty + [str(number) for number, pile in enumerate(board.cascades, 1) if pile]
    found = []
    for source in "12345678" + CELLS:
        pile = board.pile(source)
        if not pile:
            continue
        if goes_home(board, pile[-1]):
            found.append(Move(source, HOME))
        if source not in CELLS and cell:
            found.append(Move(source, cell))
        for target in targets:
            onto = board.pile(target)
            for count in range(1, len(pile) + 1):
                run = pile[-count:]
                useless = not onto and count == len(pile) and source not in CELLS
                if target == source or useless or not in_sequence(run) or count > room(board, target, supermoves):
                    continue
                if not onto or fits(run[0], onto[-1]):
                    found.append(Move(source, target, count))
    return found


def play(board, move, autoplay="none"):
    """Return the board after a move, whatever the move is."""
    board = deepcopy(board)
    if move.source in CELLS:
        run = board.pile(move.source)
        board.cells[CELLS.index(move.source)] = None
    else:
        pile = board.pile(move.source)
        run = pile[-move.count :]
        del pile[-move.count :]
    if move.target == HOME:
        board.home[run[0][1]] += 1
    elif move.target in CELLS:
        board.cells[CELLS.index(move.target)] = run[0]
    else:
        board.pile(move.target).extend(run)
    while autoplay == "safe" and (source := next(filter(lambda name: is_safe(board, name), "12345678" + CELLS), None)):
        board = play(board, Move(source, HOME))
    return board


def is_safe(board, source):
    """Say whether the card at the end of a pile can go to the foundations, and none is left that fits on it."""
    pile = board.pile(source)
    if not pile or not goes_home(board, pile[-1]):
        return False
    others = [suit for suit in SUITS if colour(RANKS[0] + suit) != colour(pile[-1])]
    return all(board.home[suit] >= value(pile[-1]) - 1 for suit in others)


def solved(board):
    return sum(board.home.values()) == 52


def canonical(board):
    """Return the board, without the order of cells and of cascades."""
    return (
        tuple(sorted(map(tuple, board.cascades))),
        tuple(sorted(filter(None, board.cells))),
        tuple(board.home.values()),
    )


def check(board, moves, supermoves="full", autoplay="none"):
    """Play a solution; return the last board, or raise ValueError, which names the move that is wrong."""
    for number, move in enumerate(moves, 1):
        if move not in legal(board, supermoves):
            raise ValueError(f"move {number}, {move.source}{move.target} of {move.count}: not legal")
        board = play(board, move, autoplay)
    if not solved(board):
        raise ValueError("the moves do not solve it")
    return board


def covering(board):
    """Count the cards that lie on the next card of each foundation."""
    total = 0
    for suit, count in board.home.items():
        for pile in board.cascades if count < 13 else ():
            if RANKS[count] + suit in pile:
                total += len(pile) - 1 - pile.index(RANKS[count] + suit)
    return total


def hsdh(board):
    return covering(board) * (1 if free(board) else 2)


def free(board):
    return board.cells.count(None) + board.cascades.count([])


def heineman(board):
    return hsdh(board) + 26 - sum(count + 1 for count in board.home.values())


def heuristics(board):
    """Return the nine heuristics of the table, in its order."""
    piles, home = [pile for pile in board.cascades if pile], list(board.home.values())
    tops = [value(pile[-1]) for pile in piles]
    return [
        hsdh(board),
        sum(len(pile) for pile in piles if in_sequence(pile)),
        52 - sum(home),
        free(board),
        sum(tops) / len(tops) - sum(home) / 4 if tops else 0,
        13 - min(home),
        max(home),
        max(home) - min(home),
        100 - sum(value(pile[0]) for pile in piles),
    ]


def features(board, before, move, depth, supermoves="full", level=0.0):
    """Return what programs see of a position that a move has led to; `move` is None at the root."""
    nine = heuristics(board)
    target = move and board.cascades[int(move.target) - 1] if move and move.target.isdigit() else None
    return [
        *nine,
        heineman(board),
        sum(not fits(card, on) for pile in board.cascades for on, card in pairwise(pile)),
        move is not None and move.target in CELLS,
        target is not None,
        move is not None and move.target == HOME,
        target is not None and in_sequence(target),
        value(before.pile(move.source)[-move.count]) if move else 0,
        len(legal(before, supermoves)) if move else 0,
        0 if solved(board) else len(legal(board, supermoves)),
        level,
        *(depth / (depth + max(one, 0)) if depth + max(one, 0) else 0 for one in nine),
        depth,
    ]
