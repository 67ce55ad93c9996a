"""What searches and programs see of Rush Hour, in plain Python, from boards of `envs.rush_hour.plain`."""

from collections import deque
from functools import cache
from itertools import product
from typing import NamedTuple

from envs.rush_hour.plain import direction, is_solved, play, slide_of, slide_vehicle, slides


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


class Explored(NamedTuple):
    """What a search over all positions finds: the least number of actions (None: no solution), and counts."""

    optimum: int | None
    states: int
    goals: int


def explore(text, metric="moves"):
    """Search all positions that can be reached, breadth first; a solved position is passed through like others."""
    board, size = read(text)
    seen = {tuple(board.values()): 0}
    queue = deque([board])
    optimum, goals = None, 0
    while queue:
        board = queue.popleft()
        depth = seen[tuple(board.values())]
        if is_solved(board, size):
            goals += 1
            optimum = depth if optimum is None else optimum
        for slide in slides(board, size, metric):
            after = play(board, slide)
            code = tuple(after.values())  # in the order of the letters of the first board
            if code not in seen:
                seen[code] = depth + 1
                queue.append(after)
    return Explored(optimum, len(seen), goals)


@cache
def deduced_goal(text):
    """Return the vehicles of the deduced goal board: by budgets of cells, the first that lets all be placed."""
    board, size = read(text)
    order = sorted(board, key=lambda letter: (letter != "X", letter))
    inside = set(product(range(size), repeat=2))
    lines = {letter: (direction(vehicle), vehicle[0][direction(vehicle)[0] == 1]) for letter, vehicle in board.items()}
    target = slide_vehicle(board["X"], size - 1 - board["X"][-1][1])

    def fits(letter, there, placed):
        if any(cell not in inside for cell in there):
            return False
        for other, cells in placed.items():
            mates = lines[letter] == lines[other]
            if set(cells) & set(there) or (mates and (board[letter] < board[other]) != (there < cells)):
                return False
        return True

    def place(index, placed, budget):
        if index == len(order):
            return placed
        if sum(not fits(letter, board[letter], placed) for letter in order[index:]) > budget:
            return None  # each of these has to move
        letter = order[index]
        for distance in range(-budget, budget + 1):
            there = slide_vehicle(board[letter], distance)
            if fits(letter, there, placed):
                found = place(index + 1, placed | {letter: there}, budget - abs(distance))
                if found:
                    return found
        return None

    for budget in range(8 * len(order)):
        found = place(1, {"X": target}, budget)
        if found:
            return found
    return None


def goal_distance(board, goal):
    """Add up cells; `goal` has the vehicles with a designated place."""
    return sum(distance(board[letter], goal[letter]) for letter in goal)


def distance(vehicle, other):
    return abs(vehicle[0][0] - other[0][0]) + abs(vehicle[0][1] - other[0][1])


def hybrid(board, goal):
    """Count for each vehicle with a designated place those that stand on a cell which it enters on its way there."""
    taken = {cell: letter for letter, vehicle in board.items() for cell in vehicle}
    total = goal_distance(board, goal)
    for letter in goal:
        vehicle = board[letter]
        down, right = direction(vehicle)
        away = (goal[letter][0][0] - vehicle[0][0]) * down + (goal[letter][0][1] - vehicle[0][1]) * right
        sign = 1 if away > 0 else -1
        way = {cell for step in range(abs(away) + 1) for cell in slide_vehicle(vehicle, sign * step)}
        total += len({taken[cell] for cell in way if cell in taken} - {letter})
    return total


def blockers_lower_bound(board, size, depth=4):
    """Count X and what has to move to clear the cells before it; `depth` vehicles deep."""
    if is_solved(board, size):
        return 0
    taken = {cell: letter for letter, vehicle in board.items() for cell in vehicle}

    def needs(cell, depth):
        sides = [side(cell, sign, depth) for sign in (-1, 1)]
        return min((one for one in sides if one is not None), key=len, default=None)

    @cache
    def side(cell, sign, depth):
        """Return the vehicles that move if the one on a cell clears it in a direction; None if it is impossible."""
        letter = taken[cell]
        found, vehicle = {letter}, board[letter]
        if depth == 0:
            return found
        there, far = vehicle, 0
        entered = set()
        while cell in there:
            far += 1
            there = slide_vehicle(vehicle, sign * far)
            entered |= set(there) - set(vehicle)
        for step in entered:
            if not (0 <= step[0] < size and 0 <= step[1] < size):
                return None
            if step in taken:
                mate = direction(board[taken[step]]) == direction(vehicle)
                more = side(step, sign, depth - 1) if mate else needs(step, depth - 1)
                if more is None:
                    return None
                found = found | more
        return found

    row, column = board["X"][-1]
    found = {"X"}
    for cell in ((row, right) for right in range(column + 1, size)):
        if cell in taken:
            found |= needs(cell, depth)
    return len(found)


def mobile(board, size):
    return len({slide.letter for slide in slides(board, size, "steps")})


def is_releasing_move(board, before, size):
    return mobile(board, size) > mobile(before, size)


def is_move_to_secluded(board, letter, size):
    """Lift the vehicle that has moved and look for a slide of another one onto its cells."""
    rest = {other: vehicle for other, vehicle in board.items() if other != letter}
    onto = (set(play(rest, slide)[slide.letter]) for slide in slides(rest, size, "moves"))
    return not any(cells & set(board[letter]) for cells in onto)


def features(size, goal, board, before, slide, depth, siblings, level):
    """Return the ten features of a node, in their order; `goal` has the vehicles with a designated place, there."""
    near, blockers = goal_distance(board, goal), blockers_lower_bound(board, size)
    return [
        blockers,
        near,
        hybrid(board, goal),
        is_move_to_secluded(board, slide.letter, size),
        is_releasing_move(board, before, size),
        depth,
        depth / max(depth + near, 1),
        depth / max(depth + blockers, 1),
        siblings,
        level,
    ]


class Puzzle:
    """The rules in the form of the searches in plain Python; actions and keys have the numbers of the game."""

    def __init__(self, game):
        self.game = game

    def moves(self, board):
        letters = list(board)
        found = slides(board, self.game.size, self.game.metric)
        return sorted(self.game.action(letters.index(one.letter), one.distance) for one in found)

    def play(self, board, action):
        return play(board, slide_of(self.game, board, action))

    def solved(self, board):
        return is_solved(board, self.game.size)

    def key(self, board):
        starts = [vehicle[0][direction(vehicle)[0] == 0] for vehicle in board.values()]
        starts += [0] * (self.game.vehicles - len(starts))
        words = [starts[first : first + 10] for first in range(0, len(starts), 10)]
        return tuple(sum(start << 3 * place for place, start in enumerate(word)) for word in words)
