"""A whole turn of checkers as people write it, read in a position: c3-d4, c3xe5, c3xe5xg7, 22x15x8."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from envs.checkers.render import action_name, read_squares, square_name, squares
from envs.checkers.rules import Checkers, State
from jaxgp.printable import show_typed
from jaxgp.search.chance import stepping

TYPED = (
    "the squares of a turn, as in c3-d4, or c3xe5xg7 for two jumps, which may also be typed one by one; "
    "also by number, 11-15 or 22x15x8"
)
"""What `read_turn` accepts, for the help at the table."""
MOST_ROUTES = 2000
"""The most sequences of jumps that are tried to find the one that two squares stand for."""


def read_turn(game: Checkers, state: State, text: str) -> list[int]:
    """Return the moves of a turn, or of its beginning, that are legal one after the other.

    All squares of the turn may be given or, as in PDN, only those that tell it from other turns. In the second case the
    turn is played to its end.

    Args:
        game: the rules.
        state: the position.
        text: as typed.

    Raises:
        ValueError: not a turn, or not a legal one; the message says what is accepted.
    """
    route = read_squares(game, text, "the squares of a turn, as in c3-d4 or c3xe5xg7 or 11-15")
    if bool(state.terminated):
        raise ValueError(f"{show_typed(text)} comes after the end of the game; accepted: no further turn")
    moves, at = _followed(game, state, route)
    if len(moves) == len(route) - 1:
        return moves
    whole = _meant(game, state, route) if bool(state.captures) else []
    if len(whole) == 1:
        return whole[0]
    raise ValueError(f"{show_typed(text)} {_refusal(game, state, at, moves, whole)}")


def follow(game: Checkers, state: State, moves: Sequence[int]) -> State:
    """Return the position after some moves."""
    for action in moves:
        state = stepping(game).step(state, np.int32(action))
    return state


def _followed(game: Checkers, state: State, route: Sequence[int]) -> tuple[list[int], State]:
    """Return the moves along a route as far as they are legal, and the position after them."""
    moves: list[int] = []
    for step in pairwise(route):
        action = next((action for action in _legal(game, state) if squares(game, action) == step), None)
        if action is None:
            break
        moves.append(action)
        if len(moves) < len(route) - 1:
            state = follow(game, state, [action])
    return moves, state


def _meant(game: Checkers, state: State, route: Sequence[int]) -> list[list[int]]:
    """Return the turns that begin and end where a route does and come through its other squares in their order."""
    found = []
    for moves in _turns(
        game, state, [action for action in _legal(game, state) if squares(game, action)[0] == route[0]]
    ):
        through = iter([route[0], *(squares(game, action)[1] for action in moves)])
        if squares(game, moves[-1])[1] == route[-1] and all(square in through for square in route):
            found.append(moves)
    return found


def _turns(game: Checkers, state: State, first: Sequence[int]) -> Iterator[list[int]]:
    """Yield the whole turns that begin with one of some captures; raise ValueError if there are very many."""
    left = MOST_ROUTES
    waiting = [([action], state) for action in first]
    while waiting:
        moves, before = waiting.pop()
        left -= 1
        if not left:
            raise ValueError("there are too many ways to capture; accepted: the jumps one by one")
        after = follow(game, before, moves[-1:])
        if _held(after):
            waiting += [([*moves, action], after) for action in _legal(game, after)]
        else:
            yield moves


def _refusal(game: Checkers, state: State, at: State, moves: list[int], whole: list[list[int]]) -> str:
    """Say why a typed turn is refused after its legal `moves`, which lead to `at`, and what is accepted."""
    if whole:
        return f"can be played in several ways; accepted: {', '.join(_name(game, turn) for turn in whole)}"
    if not moves:
        why = "a capture is forced" if bool(state.captures) else "it is not legal"
        why = "the piece that has captured has to go on" if _held(state) else why
        return f"cannot be played here: {why}; accepted: {', '.join(_name(game, [a]) for a in _legal(game, state))}"
    begun = _name(game, moves)
    if not _held(at):
        return f"cannot be played here: the turn ends with {begun}; accepted: {begun}"
    accepted = [_name(game, [*moves, action]) for action in _legal(game, at)]
    return f"cannot be played here: after {begun} the piece has to go on; accepted: {', '.join(accepted)}"


def _name(game: Checkers, moves: Sequence[int]) -> str:
    """Return what people call some moves of one piece: c3-d4, or c3xe5xg7."""
    if len(moves) == 1:
        return action_name(game, moves[0])
    ends = (squares(game, action)[1] for action in moves)
    return "x".join(square_name(game, at) for at in (squares(game, moves[0])[0], *ends) if at is not None)


def _held(state: State) -> bool:
    """Whether a piece has to go on capturing."""
    return any(map(int, state.held))


def _legal(game: Checkers, state: State) -> list[int]:
    return [int(action) for action in np.flatnonzero(stepping(game).legal(state))]
