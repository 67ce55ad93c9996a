"""Draw boards of Rush Hour that are on the way to a solution: python scripts/studies/rush_hour/way.py save=way.txt

Boards that are as hard as a cluster can be are too hard to begin with: most programs solve none of them, so selection
has nothing to choose by. For each board of the lists JAM, SER and MOV this command draws a position of its cluster.
Of all positions that can be reached from each other, those whose shortest solution takes 8, 12, 16, 20 or 24 moves in
turn, or as many as the cluster has, are equally likely. No move changes a board's layout, so a position is for
training or for testing as its board is.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from envs.rush_hour import boards
from envs.rush_hour.boards import Board
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.options import MAX_SEED, option

MOVES = (8, 12, 16, 20, 24)
HEADER = (
    "# Rush Hour boards of 6 x 6 without walls, on the way to a solution: of the clusters of JAM, SER and MOV.\n"
    "# Source: scripts/studies/rush_hour/way.py, seed {seed}.\n"
    "# name  cells (row by row, X leaves to the right, . is empty)  fewest moves  fewest steps  positions that can be "
    "reached  solved ones\n"
)

Place = tuple[int, ...]
"""The first cells of all vehicles of a board along their lines."""


@dataclass
class Options:
    """Where the boards go, and what draws them."""

    save: str = option("way.txt", "the file; it is written anew", path=True)
    seed: int = option(0, "of all draws", low=0, high=MAX_SEED)


def slides(board: Board, steps: bool) -> Callable[[Place], Iterator[Place]]:
    """Return what yields the positions one slide away from another; `steps`: slides go one cell far."""
    masks = [
        [
            sum(1 << cell for cell in replace(one, start=at).cells(board.size))
            for at in range(board.size - one.length + 1)
        ]
        for one in board.vehicles
    ]

    def near(place: Place) -> Iterator[Place]:
        own = [mask[at] for mask, at in zip(masks, place, strict=True)]
        taken = sum(own)
        for vehicle, at in enumerate(place):
            mask, others = masks[vehicle], taken - own[vehicle]
            for way in (range(at - 1, -1, -1), range(at + 1, len(mask))):
                for there in way[:1] if steps else way:
                    if mask[there] & others:
                        break
                    yield (*place[:vehicle], there, *place[vehicle + 1 :])

    return near


def layers(start: Iterable[Place], near: Callable[[Place], Iterator[Place]]) -> Iterator[list[Place]]:
    """Yield all positions that can be reached, by their distance from the nearest start."""
    layer = list(start)
    met = set(layer)
    while layer:
        yield layer
        fresh = []
        for place in layer:
            for there in near(place):
                if there not in met:
                    met.add(there)
                    fresh.append(there)
        layer = fresh


def drawn(board: Board, moves: int, rng: random.Random) -> Board:
    """Return a position of the cluster of a board that takes `moves` moves, or the most that one takes, at random."""
    by_moves, by_steps = slides(board, steps=False), slides(board, steps=True)
    exit_ = board.size - board.vehicles[0].length
    cluster = [place for layer in layers([tuple(one.start for one in board.vehicles)], by_steps) for place in layer]
    goals = [place for place in cluster if place[0] == exit_]
    moves, layer = list(zip(range(moves + 1), layers(goals, by_moves), strict=False))[-1]
    place = rng.choice(sorted(layer))
    steps = next(number for number, layer in enumerate(layers(goals, by_steps)) if place in layer)
    vehicles = tuple(replace(one, start=at) for one, at in zip(board.vehicles, place, strict=True))
    return Board(board.size, vehicles, "", moves, steps, len(cluster), len(goals))


def lines(options: Options, sources: Iterable[Board]) -> Iterator[str]:
    """Yield the lines of the file, one for each board."""
    rng = random.Random(options.seed)
    for number, source in enumerate(sources):
        one = drawn(source, MOVES[number % len(MOVES)], rng)
        yield f"WAY{number:03} {one.text} {one.moves} {one.steps} {one.states} {one.goals}\n"


def task(options: Options) -> int:
    """Write the file.

    Raises:
        UsageError: the file cannot be written.
        RunError: it could be before the work, but not after it.
    """
    path = files.user_path("save", options.save)
    files.check_writable("save", path)
    found = [*lines(options, boards.shipped())]
    files.save_text("save", path, HEADER.format(seed=options.seed) + "".join(found))
    print(f"saved: {path}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
