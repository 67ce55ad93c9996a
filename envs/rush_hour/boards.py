"""Boards of Rush Hour as text: reading them, the lists that come with the game, and which boards are kept for testing.

A board is written as its cells, row by row from the top: `X` is the vehicle that has to leave, other letters are the
other vehicles, `.` or `o` is an empty cell, and `x` is a wall. So a board of 6 x 6 is 36 characters; its rows may be
put apart by blanks, slashes or ends of lines. A file of boards has one on each line: its name, its cells, and what else
is known.

The lines of M. Fogleman's database are read, too: the fewest moves, the cells, and the positions that can be reached.
There `A` is the vehicle that has to leave. Source: M. Fogleman, "Solving Rush Hour, the Puzzle" (2018).
"""

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal
from zlib import crc32

from jaxgp import reading
from jaxgp.errors import UsageError, reason
from jaxgp.files import user_path
from jaxgp.printable import show_typed

SIZES = (6, 7, 8)
LENGTHS = (2, 3)
TARGET, EMPTY, WALL = "X", ".o", "x"
LETTERS = string.ascii_uppercase + "".join(one for one in string.ascii_lowercase if one not in EMPTY + WALL)
LISTS = {
    "WAY": "on_the_way.txt",
    "JAM": "jam40.txt",
    "SER": "hard_steps.txt",
    "MOV": "hard_moves.txt",
    "BIG": "large8.txt",
    "EVO": "evolved8.txt",
}
"""The file of each list, by the letters that the names of its boards begin with. Runs train on the first one of their
size by default."""
PUZZLES = ("JAM", "SER", "MOV")
"""The lists of boards of 6 x 6 cells that are as hard as they can be, or were made for people."""
LARGEST = 2**24
"""Bytes of the largest file of boards that is read: 100,000 boards and more."""
CELLS = "36, 49 or 64 cells, row by row: X, other letters, . for an empty cell, and x for a wall"
FIRST = "A"
"""The vehicle that has to leave, in the database."""

Split = Literal["train", "test"]


@dataclass(frozen=True)
class Vehicle:
    """A vehicle on a board.

    Attributes:
        letter: its name.
        vertical: whether it moves up and down.
        line: its row; its column if it is vertical. Rows count from the top, columns from the left, both from 0.
        start: its first cell along its line, the topmost or leftmost one.
        length: in cells; a wall, which never moves, has one.
    """

    letter: str
    vertical: bool
    line: int
    start: int
    length: int

    def cells(self, size: int) -> list[int]:
        """Return the numbers of its cells, row * size + column, first to last."""
        along = range(self.start, self.start + self.length)
        return [i * size + self.line if self.vertical else self.line * size + i for i in along]


@dataclass(frozen=True)
class Board:
    """A board that can be played; `parse` makes it from text and checks it.

    Attributes:
        size: rows, and columns.
        vehicles: X, then the others by their letters, then walls.
        name: what lists call it; empty: none.
        moves: the least number of moves that solve it; None: not known.
        steps: the least number of steps; None: not known.
        states: positions that can be reached from it, itself included; None: not known.
        goals: those of them that are solved; None: not known.
    """

    size: int
    vehicles: tuple[Vehicle, ...]
    name: str = ""
    moves: int | None = None
    steps: int | None = None
    states: int | None = None
    goals: int | None = None

    @property
    def text(self) -> str:
        """Its cells, row by row, `.` for an empty one."""
        cells = ["."] * self.size**2
        for vehicle in self.vehicles:
            for cell in vehicle.cells(self.size):
                cells[cell] = vehicle.letter
        return "".join(cells)

    @property
    def layout(self) -> str:
        """The lengths of the vehicles in each line, in their order, as text.

        No move changes it, so all positions that can be reached from each other have the same.
        """
        ordered = sorted(self.vehicles, key=lambda one: (one.vertical, one.line, one.start))
        return f"{self.size}" + "".join(f"{'-|'[one.vertical]}{one.line}{one.length}" for one in ordered)

    @property
    def split(self) -> Split:
        """Whether programs may train on it: `test` keeps about a fifth of all boards aside.

        The rule looks at the layout alone. So boards of two lists that can be reached from each other are on one side.
        """
        return "test" if crc32(self.layout.encode()) % 5 == 0 else "train"


def target_row(size: int) -> int:
    """Return the row of X, which is the row of the exit."""
    return (size - 1) // 2


def parse(text: str, name: str = "") -> Board:
    """Read a board.

    Raises:
        ValueError: it is no board that could be solved; the message says why, and what is accepted. Whether it can be
            solved is for a search to say.
    """
    rows = text.replace("/", " ").split()
    if len(rows) in (2, 3) and _is_of_database(rows):
        _figures(rows)
        rows = rows[1:2]
    cells = "".join(rows)
    size = next((size for size in SIZES if size**2 == len(cells)), 0)
    if not size:
        raise ValueError(f"it has {len(cells)} cells; accepted: {CELLS}")
    if len(rows) > 1 and any(len(row) != size for row in rows):
        wrong = next(number for number, row in enumerate(rows, 1) if len(row) != size)
        raise ValueError(f"row {wrong} has {len(rows[wrong - 1])} cells; accepted: {size}, as there are {len(cells)}")
    strange = [one for one in cells if one not in LETTERS + EMPTY + WALL]
    if strange:
        raise ValueError(f"{strange[0]!r} is no letter of a vehicle; accepted: {CELLS}")
    if TARGET not in cells and FIRST * min(LENGTHS) in cells[target_row(size) * size :][:size]:
        cells = cells.replace(FIRST, TARGET)
    letters = sorted(set(cells) - set(EMPTY + WALL), key=lambda one: (one != TARGET, one))
    if TARGET not in letters:
        raise ValueError("there is no X; accepted: XX in the row of the exit")
    walls = [Vehicle(WALL, False, at // size, at % size, 1) for at, one in enumerate(cells) if one == WALL]
    vehicles = (*(_vehicle(letter, cells, size) for letter in letters), *walls)
    if len(vehicles) > size**2 // 2:
        raise ValueError(f"it has {len(vehicles)} vehicles and walls; accepted: up to {size**2 // 2}")
    _check_exit(vehicles, size)
    return Board(size, vehicles, name)


def database_line(board: Board, moves: int, states: int | None = None) -> str:
    """Return a board as a line of the database.

    Args:
        board: the board.
        moves: the fewest that solve it.
        states: positions that can be reached from it; None: not known, and left out.

    Raises:
        ValueError: it has more vehicles than the capital letters A to Z name.
    """
    order = sorted(board.vehicles[1:], key=lambda one: (one.vertical, one.line, one.start))
    order = [board.vehicles[0], *(one for one in order if one.letter != WALL)]
    if len(order) > len(string.ascii_uppercase):
        raise ValueError(f"{len(order)} vehicles; accepted: up to {len(string.ascii_uppercase)}")
    cells = [WALL if one == WALL else EMPTY[1] for one in board.text]
    for letter, vehicle in zip(string.ascii_uppercase, order, strict=False):
        for cell in vehicle.cells(board.size):
            cells[cell] = letter
    return f"{moves} {''.join(cells)}" + (f" {states}" if states is not None else "")


def _vehicle(letter: str, cells: str, size: int) -> Vehicle:
    """Find a vehicle; raises ValueError where its cells do not make one."""
    found = [divmod(number, size) for number, one in enumerate(cells) if one == letter]
    (row, column), length = found[0], len(found)
    across = [(row, column + i) for i in range(length)]
    down = [(row + i, column) for i in range(length)]
    if length not in LENGTHS:
        raise ValueError(f"{letter} has {length} cell{'s' * (length > 1)}; accepted: vehicles of 2 or 3 cells")
    if found not in (across, down):
        where = ", ".join(f"row {r + 1} column {c + 1}" for r, c in found)
        raise ValueError(f"{letter} is bent or in parts ({where}); accepted: cells side by side in one row or column")
    vertical = found == down
    return Vehicle(letter, vertical, column if vertical else row, row if vertical else column, length)


def _check_exit(vehicles: Sequence[Vehicle], size: int) -> None:
    """Refuse an X that cannot leave, whatever the others do; raises ValueError."""
    target, *others = vehicles
    row = target_row(size)
    if target.vertical:
        raise ValueError(f"X is vertical; accepted: a horizontal X in row {row + 1}, at whose right end the exit is")
    if target.line != row:
        raise ValueError(f"X is in row {target.line + 1}; accepted: row {row + 1}, at whose right end the exit is")
    if target.length != min(LENGTHS):
        raise ValueError(f"X has {target.length} cells; accepted: 2")
    for other in others:
        if not other.vertical and other.line == row and other.start > target.start:
            what = "a wall" if other.letter == WALL else f"{other.letter} is horizontal and"
            raise ValueError(
                f"{what} stands between X and the exit, so there is no solution; "
                f"accepted: vertical vehicles to the right of X in row {row + 1}"
            )


def read_file(name: str, option: str) -> list[Board]:
    """Read a file of boards: on each line a name and the cells; what follows is ignored, as are lines with #.

    A file whose lines hold nothing but the rows of one board is that board. A line of the database begins with the
    fewest moves in the place of a name; its board is named after the file and the line.

    Args:
        name: of the file.
        option: what named it, for messages.

    Raises:
        UsageError: it cannot be read, or a line of it is no board; the message names file, line and what is accepted.
    """
    accepted = "accepted: a file with a name and the cells of a board on each line"
    path = user_path(option, name)
    try:
        text = reading.read_text(path, LARGEST)
    except OSError as error:
        raise UsageError(f"{option}={name}: cannot be read ({reason(error)}); {accepted}") from error
    except ValueError as error:
        raise UsageError(f"{option}={name}: {error}; {accepted}") from error
    try:
        boards = list(read(text, path.stem))
    except ValueError as error:
        raise UsageError(f"{option}={name}: {error}") from error
    if not boards:
        raise UsageError(f"{option}={name}: it holds no board; {accepted}")
    return boards


def read(text: str, name: str = "") -> Iterator[Board]:
    """Read the boards of a file; `name` is that of a board whose rows alone are the file.

    Raises:
        ValueError: a line is no board; the message begins with its number.
    """
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, words) for number, words in lines if words and not words[0].startswith("#")]
    if len(lines) in SIZES and all(len(words) == 1 for _, words in lines):
        yield _at(lines[0][0], name, " ".join(words[0] for _, words in lines))
        return
    seen: dict[str, int] = {}
    for number, words in lines:
        if len(words) < 2:
            raise ValueError(f"line {number}: one word; accepted: a name and the cells of a board")
        if words[0] in seen and not _is_of_database(words):
            raise ValueError(f"line {number}: {words[0]} is the board of line {seen[words[0]]}; accepted: another name")
        if _is_of_database(words):
            called = f"{name or 'board'}:{number}"
            board = _at(number, called, words[1])
            try:
                moves, states = _figures(words)
            except ValueError as error:
                raise ValueError(f"line {number}: {called}: {error}") from error
            yield replace(board, moves=moves, states=states)
            continue
        seen[words[0]] = number
        yield _at(number, words[0], words[1])


def _is_of_database(words: Sequence[str]) -> bool:
    """Return whether a line begins with a number of moves and the cells of a board whose A has to leave."""
    return reading.whole_number(words[0]) is not None and TARGET not in words[1]


def _figures(words: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the fewest moves and the positions, where stated, of a line of the database; raises ValueError."""
    figures = [reading.whole_number(word) for word in (words[0], *words[2:])]
    if None in figures or len(figures) > 2:
        said = show_typed(" ".join(words[2:]))
        raise ValueError(f"{said} after the cells; accepted: nothing, or the positions that can be reached, one number")
    return figures[0], figures[1] if len(figures) > 1 else None


def _at(number: int, name: str, cells: str) -> Board:
    try:
        return parse(cells, name)
    except ValueError as error:
        raise ValueError(f"line {number}: {name}: {error}") from error


def read_shipped(*lists: str) -> list[Board]:
    """Return the boards of lists that come with the game, in their order; without a list those of `PUZZLES`."""
    return [board for board in _shipped().values() if board.name.startswith(lists or PUZZLES)]


def find(name: str) -> Board:
    """Return the board that a name or its cells stand for.

    Raises:
        ValueError: neither a name nor a board; the message says what is accepted.
    """
    known = _shipped()
    if name in known:
        return known[name]
    if name.isalnum() and len(name) <= 8:
        lists = [[board.name for board in read_shipped(prefix)] for prefix in LISTS]
        each = ", ".join(f"{len(names)} names from {names[0]} to {names[-1]}" for names in lists)
        raise ValueError(f"no board has this name; accepted: {each}, or {CELLS}")
    return parse(name)


@lru_cache(maxsize=1)
def _shipped() -> dict[str, Board]:
    """Read the lists: name, cells, moves, steps, reachable positions and solved ones on each line; - is not known."""
    found = {}
    for file in LISTS.values():
        text = (Path(__file__).with_name("lists") / file).read_text(encoding="ascii")
        for line in text.splitlines():
            if not line.startswith("#"):
                name, cells, *numbers = line.split()
                moves, steps, states, goals = (None if one == "-" else int(one) for one in numbers[:4])
                found[name] = replace(parse(cells, name), moves=moves, steps=steps, states=states, goals=goals)
    return found
