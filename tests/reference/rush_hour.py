"""Rush Hour in plain Python, written from the rules alone: boards are dictionaries of cells. Slow and simple.

A board is a dictionary from letters to vehicles, tuples of cells (row, column), first to last. Nothing here comes from
`envs.rush_hour`, so the tests compare two programs.
"""

from collections import deque
from functools import lru_cache
from itertools import product
from typing import NamedTuple

Cell = tuple[int, int]
Vehicles = dict[str, tuple[Cell, ...]]


class Slide(NamedTuple):
    letter: str
    distance: int


def read(text):
    """Return the vehicles of a board that is written as its cells, and its size."""
    size = {36: 6, 49: 7, 64: 8}[len(text)]
    board = {}
    for number, letter in enumerate(text):
        if letter not in ".o":
            board.setdefault(letter, []).append(divmod(number, size))
    return {letter: tuple(cells) for letter, cells in board.items()}, size


def write(board, size):
    cells = {cell: letter for letter, vehicle in board.items() for cell in vehicle}
    return "".join(cells.get((row, column), ".") for row in range(size) for column in range(size))


def direction(vehicle):
    return (1, 0) if vehicle[0][1] == vehicle[1][1] else (0, 1)


def moved(vehicle, distance):
    down, right = direction(vehicle)
    return tuple((row + distance * down, column + distance * right) for row, column in vehicle)


def solved(board, size):
    return board["X"][-1][1] == size - 1


def slides(board, size, metric):
    """Yield all legal slides."""
    taken = {cell: letter for letter, vehicle in board.items() for cell in vehicle}
    inside = set(product(range(size), repeat=2))
    for letter, vehicle in board.items():
        for sign in (-1, 1):
            for distance in range(1, 2 if metric == "steps" else size):
                there = moved(vehicle, sign * distance)
                if any(cell not in inside or taken.get(cell, letter) != letter for cell in there):
                    break
                yield Slide(letter, sign * distance)


def play(board, slide):
    return board | {slide.letter: moved(board[slide.letter], slide.distance)}


class Explored(NamedTuple):
    """What a search over all positions finds: the least number of actions (None: no solution), and counts."""

    optimum: int | None
    states: int
    goals: int


def explore(text, metric="moves"):
    """Search all positions that can be reached, breadth first; a solved position is passed through like others."""
    board, size = read(text)
    seen = {write(board, size): 0}
    queue = deque([board])
    optimum, goals = None, 0
    while queue:
        board = queue.popleft()
        depth = seen[write(board, size)]
        if solved(board, size):
            goals += 1
            optimum = depth if optimum is None else optimum
        for slide in slides(board, size, metric):
            after = play(board, slide)
            code = write(after, size)
            if code not in seen:
                seen[code] = depth + 1
                queue.append(after)
    return Explored(optimum, len(seen), goals)
