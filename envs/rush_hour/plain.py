"""Rush Hour in plain Python, written from the rules alone: boards are dictionaries of cells. Slow and simple.

A board is a dictionary from letters to vehicles, tuples of cells (row, column), first to last. Only `board_of` and
`slide_of` know the arrays of the game; all else here is a program of its own, which checks the solutions of searches.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from envs.rush_hour.boards import LETTERS
from envs.rush_hour.rules import RushHour, State

Cell = tuple[int, int]
Vehicles = dict[str, tuple[Cell, ...]]


class Slide(NamedTuple):
    """A vehicle slides by cells: to the right or down, or back if there are less than 0."""

    letter: str
    distance: int


def board_of(state: State) -> Vehicles:
    """Return one state, of NumPy arrays, as a board. X is X, and the others have any letters."""
    fields = (state.positions, state.lengths, state.lines, state.vertical)
    others = (letter for letter in LETTERS if letter != "X")
    board: Vehicles = {}
    for start, length, line, vertical in zip(*(field.tolist() for field in fields), strict=True):
        if length:
            cells = tuple((at, line) if vertical else (line, at) for at in range(start, start + length))
            board["X" if not board else next(others)] = cells
    return board


def slide_of(game: RushHour, board: Vehicles, action: int) -> Slide:
    """Return an action as a slide: vehicles in their order, and for each the slides from the longest one back on."""
    vehicle, place = divmod(action, 2 * game.far)
    return Slide(list(board)[vehicle], place - game.far + (place >= game.far))


def direction(vehicle: tuple[Cell, ...]) -> Cell:
    """Return rows and columns of a slide by one cell."""
    return (1, 0) if vehicle[0][1] == vehicle[1][1] else (0, 1)


def slide_vehicle(vehicle: tuple[Cell, ...], distance: int) -> tuple[Cell, ...]:
    """Return the cells of a vehicle after a slide."""
    down, right = direction(vehicle)
    return tuple((row + distance * down, column + distance * right) for row, column in vehicle)


def is_solved(board: Vehicles, size: int) -> bool:
    """Say whether X is at the exit."""
    return board["X"][-1][1] == size - 1


def leave(board: Vehicles, size: int) -> Vehicles:
    """Return the board after X has driven to the exit, or as it is where another vehicle stands in its way."""
    row, front = board["X"][-1]
    taken = {cell for vehicle in board.values() for cell in vehicle}
    if any((row, column) in taken for column in range(front + 1, size)):
        return board
    return play(board, Slide("X", size - 1 - front))


def slides(board: Vehicles, size: int, metric: str) -> Iterator[Slide]:
    """Yield all legal slides."""
    taken = {cell for vehicle in board.values() for cell in vehicle}
    for letter, vehicle in board.items():
        if len(vehicle) == 1:  # a wall
            continue
        down, right = direction(vehicle)
        for sign in (-1, 1):
            row, column = vehicle[0] if sign < 0 else vehicle[-1]
            for distance in range(1, 2 if metric == "steps" else size):
                row, column = row + sign * down, column + sign * right
                if (row, column) in taken or not (0 <= row < size and 0 <= column < size):
                    break
                yield Slide(letter, sign * distance)


def play(board: Vehicles, slide: Slide) -> Vehicles:
    """Return the board after a slide, whatever the slide is."""
    return board | {slide.letter: slide_vehicle(board[slide.letter], slide.distance)}


def prove(game: RushHour, state: State, actions: Iterable[int]) -> None:
    """Play a solution of one state, of NumPy arrays.

    Raises:
        ValueError: a slide is not legal, which the message names, or the slides do not solve the board.
    """
    board = board_of(state)
    for number, action in enumerate(actions, 1):
        slide = slide_of(game, board, action)
        if slide not in slides(board, game.size, game.metric):
            raise ValueError(f"slide {number}, of vehicle {slide.letter} by {slide.distance}: not legal")
        board = play(board, slide)
        if game.macro:
            board = leave(board, game.size)
    if not is_solved(board, game.size):
        raise ValueError("the slides do not solve it")
