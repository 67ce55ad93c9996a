"""What an exact search says of a board: hints for people, and whether there is a solution."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from envs.rush_hour.boards import Board, database_line
from envs.rush_hour.render import count_moves
from envs.rush_hour.rules import RushHour, State, rules_of
from jaxgp.games.notation import Format
from jaxgp.search.puzzles.breadth import explore

MOST = 1_000_000
"""Positions at which a search gives up: a board of 6 x 6 has fewer, one of 8 x 8 may have billions."""


def hints(game: RushHour) -> Callable[[State], tuple[int | None, str]]:
    """Return what answers a request for a hint: the first move of a shortest solution, and how long this is."""

    def hint(state: State) -> tuple[int | None, str]:
        found = explore(game, state, MOST, nearest=True)
        if found.moves:
            return found.moves[0], f"the shortest way to the exit takes {count_moves(game, len(found.moves))}"
        return None, "there is no solution" if found.complete else f"no solution among {MOST} positions"

    return hint


def board_of(game: RushHour, state: State) -> Board:
    """Return a position as a board."""
    moved = zip(game.start.vehicles, state.positions.tolist(), strict=False)
    return Board(game.size, tuple(replace(vehicle, start=start) for vehicle, start in moved))


def write_line(game: RushHour, names: Sequence[str], states: Sequence[State], actions: Sequence[int]) -> str:
    """Write the last position as a line of the database; raises ValueError where its solution is not known."""
    del names, actions
    board = board_of(game, states[-1])
    rules = rules_of(game.size)
    found = explore(rules, rules.position(board), MOST, nearest=True)
    if found.distance < 0:
        raise ValueError(f"no solution among {MOST} positions")
    return database_line(board, found.distance) + "\n"


def vet(game: RushHour) -> None:
    """Refuse a board that has no solution; raises ValueError.

    Boards that come with the game have one. A board passes if a search meets `MOST` positions and no solution.
    """
    if game.start.moves is None and not solvable(game.start):
        raise ValueError(f"game.board={game.board}: it has no solution; accepted: a board that can be solved")


@lru_cache(maxsize=1024)
def solvable(board: Board) -> bool:
    """Return whether a board can be solved, or has too many positions to say."""
    game = rules_of(board.size)
    found = explore(game, game.position(board), MOST, nearest=True)
    return found.distance >= 0 or not found.complete


FORMATS = {".rush": Format("the last position as a line of M. Fogleman's database", write_line)}
