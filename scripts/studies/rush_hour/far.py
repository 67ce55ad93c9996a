"""Make boards of Rush Hour with 8 x 8 cells whose shortest solutions are long.

python scripts/studies/rush_hour/far.py save=outputs/far.txt

A board begins as one of 6 x 6 cells of the lists SER and MOV, in the middle of an empty one, which vehicles at random
places then fill up, until a breadth-first search solves one within the limit of positions. In each further step one or
two vehicles are taken off, and up to three are put elsewhere. The changed board stays if the search does not solve it
in fewer moves; of equals, not after fewer positions. The search is that of `rivals/plain/rush_hour.cpp`, which needs a
C++ compiler. It takes positions in the order of their distance, so the moves of a board are proved to be the fewest.

The file has a line for each board, by its fewest moves: a name, the cells, the moves, and how many positions the search
expanded.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from envs.rush_hour import boards
from envs.rush_hour.boards import Board, Vehicle, target_row
from envs.rush_hour.mutation import OTHERS, Parking, embed
from envs.rush_hour.rules import rules_of
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import RunError
from jaxgp.options import MAX_COUNT, MAX_POPULATION, MAX_SEED, option
from rivals.plain import rush_hour as plain

SIZE = 8
GAME = rules_of(SIZE)
PLACES = tuple(one for one in Parking(GAME).vehicles if one.vertical or one.line != target_row(SIZE))
"""Where a vehicle may stand: anywhere but in the row of X, where two vehicles could block each other for ever."""


@dataclass
class Options:
    """How boards are made, and the file."""

    seed: int = option(0, "of all draws", low=0, high=MAX_SEED)
    boards: int = option(24, "boards that are changed side by side, each by itself", low=1, high=MAX_POPULATION)
    steps: int = option(150, "boards and changes of a board that each of them tries", low=1, high=MAX_COUNT)
    limit: int = option(30_000, "positions that a breadth-first search expands at most", low=1, high=MAX_COUNT)
    least: int = option(20, "moves of the shortest solutions of the boards that are kept", low=1, high=MAX_COUNT)
    save: str = option("far.txt", "the file of the boards", path=True)


class Found(NamedTuple):
    """What the search says of a board: the fewest moves, -1 if it found none, and the positions that it expanded."""

    moves: int
    nodes: int


def park(vehicles: Sequence[Vehicle], most: int, rng: random.Random) -> Board:
    """Put up to `most` vehicles at free places, all equally likely, and return the board."""
    taken = {cell for one in vehicles for cell in one.cells(SIZE)}
    standing = list(vehicles)
    for place in rng.sample(PLACES, len(PLACES)):
        if most == 0 or len(standing) == GAME.vehicles:
            break
        covered = set(place.cells(SIZE))
        if not covered & taken:
            standing.append(place)
            taken |= covered
            most -= 1
    x, *others = standing
    return Board(SIZE, (x, *(replace(one, letter=letter) for one, letter in zip(others, OTHERS, strict=False))))


def begin(rng: random.Random) -> Board:
    """Return a board of 6 x 6 cells in the middle of others, with vehicles wherever there is room for one."""
    return park(embed(rng.choice(boards.read_shipped("SER", "MOV")), SIZE).vehicles, GAME.vehicles, rng)


def change(board: Board, rng: random.Random) -> Board:
    """Take one or two vehicles off a board, never X, and put up to three elsewhere."""
    vehicles = list(board.vehicles)
    for _ in range(min(rng.choice((1, 1, 2)), len(vehicles) - 1)):
        vehicles.pop(rng.randrange(1, len(vehicles)))
    return park(vehicles, rng.choice((1, 2, 2, 3)), rng)


def search(some: Sequence[Board], limit: int) -> list[Found]:
    """Search boards breadth first; raises RunError without a C++ compiler."""
    found = plain.breadth_first([board.text for board in some], limit)
    if found is None:
        raise RunError("there is no C++ compiler: g++ is needed")
    return [Found(*one) for one in found]


def climb(options: Options) -> list[tuple[Board, Found]]:
    """Return the boards that have long solutions in the end, the longest first."""
    rng = random.Random(options.seed)
    now = [begin(rng) for _ in range(options.boards)]
    found = search(now, options.limit)
    for step in range(options.steps):
        changed = [change(one, rng) if there.moves >= 0 else begin(rng) for one, there in zip(now, found, strict=True)]
        for at, new in enumerate(search(changed, options.limit)):
            if new >= found[at]:
                now[at], found[at] = changed[at], new
        if (step + 1) % 10 == 0:
            arguments.say(f"step {step + 1}: fewest moves {sorted((one.moves for one in found), reverse=True)}")
    kept = [pair for pair in zip(now, found, strict=True) if pair[1].moves >= options.least]
    return sorted(kept, key=lambda pair: pair[1], reverse=True)


def write(made: Sequence[tuple[Board, Found]], options: Options) -> str:
    """Return the text of the file; its first line says how it was made."""
    settings = " ".join(f"{name}={getattr(options, name)}" for name in ("seed", "boards", "steps", "limit", "least"))
    lines = [f"FAR{at:03d} {board.text} {found.moves} {found.nodes}" for at, (board, found) in enumerate(made)]
    return "\n".join([f"# scripts/studies/rush_hour/far.py {settings}", *lines, ""])


def task(options: Options) -> int:
    """Check, make, save."""
    path = files.user_path("save", options.save)
    files.check_writable("save", path)
    made = climb(options)
    files.save_text("save", path, write(made, options))
    print(f"{len(made)} of {options.boards} boards take {options.least} moves or more: {path}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
