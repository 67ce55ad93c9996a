"""What programs see of FreeCell, in plain Python, from boards of `envs.freecell.plain`."""

from itertools import pairwise

import numpy as np

from envs.freecell import roles
from envs.freecell.moves import NUMBERS
from envs.freecell.plain import (
    CELLS,
    HOME,
    PILES,
    RANKS,
    SUITS,
    Board,
    fits,
    in_sequence,
    is_solved,
    keeps_run,
    legal,
    move_of,
    play,
    value,
)


class Puzzle:
    """The rules in the form of the searches in plain Python; actions have the numbers of the game."""

    def __init__(self, supermoves="full", autoplay="none", tried="all"):
        self.supermoves, self.autoplay, self.tried = supermoves, autoplay, tried

    def moves(self, board):
        found = [one for one in legal(board, self.supermoves) if self.tried == "all" or keeps_run(board, one)]
        return sorted(NUMBERS[PILES.index(one.source), PILES.index(one.target), one.number] for one in found)

    def play(self, board, action):
        return play(board, move_of(action), self.autoplay)

    def solved(self, board):
        return is_solved(board)

    def key(self, board):
        return canonical(board)


def deal(number):
    """Return a numbered deal, as Microsoft FreeCell deals it."""
    deck = [rank + suit for rank in RANKS for suit in SUITS]
    board, seed = Board([[] for _ in range(8)]), number
    for place in range(52):
        seed = (seed * 214013 + 2531011) & 0x7FFFFFFF
        drawn = (seed >> 16) % len(deck)
        deck[drawn], deck[-1] = deck[-1], deck[drawn]
        board.cascades[place % 8].append(deck.pop())
    return board


def canonical(board):
    """Return the board, without the order of cells and of cascades."""
    return (
        tuple(sorted(map(tuple, board.cascades))),
        tuple(sorted(filter(None, board.cells))),
        tuple(board.home.values()),
    )


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
        *book(board),
        move is not None and move.target in CELLS,
        target is not None,
        move is not None and move.target == HOME,
        target is not None and in_sequence(target),
        value(before.pile(move.source)[-move.number]) if move else 0,
        len(legal(before, supermoves)) if move else 0,
        0 if is_solved(board) else len(legal(board, supermoves)),
        level,
        *(depth / (depth + max(one, 0)) if depth + max(one, 0) else 0 for one in nine),
        depth,
    ]


def counts(board, depth):
    """Return the heuristics that count cards, places and moves, in their order."""
    nine = heuristics(board)
    pairs = [(pile[:at], card) for pile in board.cascades for at, card in enumerate(pile)]
    above = [(under, card) for under, card in pairs if any(value(low) < value(card) for low in under)]
    return [
        nine[2],
        disorder(board),
        nine[1],
        nine[6],
        nine[7],
        covering(board),
        4 - board.cells.count(None),
        board.cascades.count([]),
        free(board) == 0,
        free(board) <= 1,
        sum(pile[0][0] == "K" for pile in board.cascades if pile),
        len(above),
        sum(not fits(card, under[-1]) for under, card in above),
        depth,
    ]


def weighed(weights, heuristics):
    """Return the value of a child by weights: NumPy rounds each product to float32 as IEEE 754 says, and no other."""
    own, divided = roles.list_weighted(heuristics), heuristics != "counts"
    grid = roles.GRID if divided else roles.GRID_OF_COUNTS
    most = [one.most * one.parts for one in own]
    prices = [
        np.float32(weight) * np.float32(grid / (unit if divided else 1))
        for weight, unit in zip(weights, most, strict=True)
    ]

    def worth(board, before, action, depth, siblings):
        seen = book(board)[: len(own)] if divided else counts(board, depth)
        steps = 0
        for one, number, price, greatest in zip(own, seen, prices, most, strict=True):
            count = round(number * one.parts)
            count = min(count, greatest) if divided else count
            steps += int(np.rint(price * np.float32(greatest - count if one.rises else count)))
        return np.float32(steps) / np.float32(grid)

    return worth


def book(board):
    """Return the nine heuristics of the table, HeinemanScore and Disorder."""
    return [*heuristics(board), heineman(board), disorder(board)]


def disorder(board):
    return sum(not fits(card, on) for pile in board.cascades for on, card in pairwise(pile))
