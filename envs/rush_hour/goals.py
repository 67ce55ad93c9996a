"""The deduced goal board: where the vehicles of a board may stand when X is at the exit, found without playing.

The book puts the vehicles that interfere "forcibly" where they do not, ignoring the rules of moves, and does not say
where that is. Here the deduced goal of a board is the arrangement with these properties:

- X stands at the exit; every vehicle stands in its line, and walls where they are; no two overlap, and vehicles of one
  line keep their order, which no move can change.
- The cells by which vehicles are away from where they stand on the board, summed over all vehicles, are as few as
  possible.
- Of several such arrangements it is the one whose positions, listed in the order of the vehicles, come first.

So what interferes with nothing stays where it is. Only X and the vehicles that are elsewhere on this board have a
designated place; the others may stand anywhere.
"""

from functools import lru_cache
from heapq import heappop, heappush

from envs.rush_hour.boards import Board, Vehicle


@lru_cache(maxsize=4096)
def deduce_places(board: Board) -> tuple[int | None, ...]:
    """Return the designated place of each vehicle: its position along its line, or None if it has none.

    A board without such an arrangement cannot be solved; there X alone has a place.

    The search settles vehicles one after the other, the cheapest arrangement first. It begins with X, and goes on with
    the first vehicle that is in the way of a settled one, at all positions at which it is not. An arrangement without
    such a vehicle is complete.
    """
    vehicles = board.vehicles
    starts = tuple(vehicle.start for vehicle in vehicles)
    spots = [[_cells(one, at, board.size) for at in range(board.size - one.length + 1)] for one in vehicles]

    def clash(one: int, other: int, positions: tuple[int, ...]) -> bool:
        """Whether two vehicles overlap, or have changed their order in their line."""
        a, b = vehicles[one], vehicles[other]
        swapped = (
            (a.vertical, a.line) == (b.vertical, b.line)
            and (a.start < b.start) != (positions[one] < positions[other])
        )  # fmt: skip
        return swapped or bool(spots[one][positions[one]] & spots[other][positions[other]])

    found: list[tuple[int, tuple[int, ...]]] = []
    queue = [(0, (board.size - vehicles[0].length, *starts[1:]), frozenset([0]))]  # cost, positions, settled vehicles
    while queue and (not found or queue[0][0] <= found[0][0]):
        cost, positions, settled = heappop(queue)
        free = (one for one in range(len(vehicles)) if one not in settled)
        index = next((one for one in free if any(clash(one, other, positions) for other in settled)), None)
        if index is None:
            found.append((cost, positions))
            continue
        slides = vehicles[index].length > 1
        for at in range(len(spots[index])) if slides else [starts[index]]:
            moved = (*positions[:index], at, *positions[index + 1 :])
            if not any(clash(index, other, moved) for other in settled):
                heappush(queue, (cost + abs(at - starts[index]), moved, settled | {index}))
    places = min(found)[1] if found else starts
    others = (place if place != start else None for place, start in zip(places[1:], starts[1:], strict=True))
    return board.size - vehicles[0].length, *others


def _cells(vehicle: Vehicle, at: int, size: int) -> int:
    """Return the cells of a vehicle at a position, as bits."""
    moved = Vehicle(vehicle.letter, vehicle.vertical, vehicle.line, at, vehicle.length)
    return sum(1 << cell for cell in moved.cells(size))
