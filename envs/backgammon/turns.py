"""A whole turn of backgammon as people write it, read in a position: 13/7 8/7, 24/13, bar/22, 8/5*(2), 6/off."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.backgammon import whole
from envs.backgammon.render import MOVE, ends, parse_action, point_name, read_point
from envs.backgammon.rules import BAR, OFF, PASS, Backgammon, State
from jaxgp.printable import show_typed

TYPED = (
    "the men of a turn, as in 13/7 8/7, 24/13 for one man with both dice, bar/22, 8/5(2) for two men, 6/off; "
    "or one by one; * for a hit may be added. Type turns to see all turns of the roll"
)
"""What `read_turn` accepts, for the help at the table."""
ALL = "turns"
NAMED = 12
"""Turns that a message names at most."""
MOST_MEN = 4
Hop = tuple[int, int]
"""Where a man starts, and where it has to arrive."""


def read_turn(game: Backgammon, state: State, text: str) -> list[int]:
    """Return the moves of a turn, or of its beginning, that are legal one after the other.

    Args:
        game: the rules.
        state: the position.
        text: as typed; men in any order.

    Raises:
        ValueError: not a turn, or not a legal one; the message says what is accepted. Also for the word `turns`, which
            asks for all turns.
    """
    word = text.strip().lower()
    if bool(state.terminated):
        raise ValueError(f"{show_typed(text)} comes after the end of the game; accepted: no further turn")
    if word == ALL:
        names = turn_names(game, state)
        raise ValueError(f"the roll allows {_counted(names)}: {'; '.join(names)}; type one of them")
    if word == "pass":
        if not np.asarray(state.moves).any():
            return [PASS]
        raise ValueError(
            f"{show_typed(text)} cannot be played here: a man can move; accepted: {_accepted(game, state)}"
        )
    moves = _played(game, state, tuple(_hops(game, text)))
    if moves is None:
        roll = "-".join(map(str, np.asarray(state.dice).tolist()))
        raise ValueError(f"{show_typed(text)} cannot be played here with {roll}; accepted: {_accepted(game, state)}")
    return moves


def turn_names(game: Backgammon, state: State) -> list[str]:
    """Return the names of all whole turns, each of which leads to another position: 24/13, 13/7 8/7, 8/5*(2)."""
    points, dice, count = jax.device_get(_compiled(game).turns(state))
    return [_name(np.asarray(state.other), points[n], dice[n]) for n in range(int(count))]


def turn_name(state: State, code: Array) -> str:
    """Return the name of a turn by its code, uint32[]; see `envs.backgammon.whole`."""
    points, dice = jax.device_get(whole.in_order(state, jnp.uint32(code)))
    return _name(np.asarray(state.other), points, dice)


def _hops(game: Backgammon, text: str) -> list[Hop]:
    """Read the men of a turn and the points on their way; raises ValueError."""
    hops: list[Hop] = []
    for part in text.lower().replace(",", " ").split():
        found = re.fullmatch(r"((?:bar|\d{1,2})(?:\*?/(?:off|\d{1,2}))+)\*?(?:\(([1-4])\))?", part, re.ASCII)
        points = [read_point(one.strip("*")) for one in found[1].split("/")] if found else []
        falling = all(a > b for a, b in pairwise(points))
        if not found or not falling or points[0] > BAR:
            raise ValueError(f"{show_typed(part)} is not a move; accepted: {MOVE}")
        hops += list(pairwise(points)) * int(found[2] or 1)
    if not hops:
        parse_action(game, text)
    if len(hops) > MOST_MEN:
        raise ValueError(f"{show_typed(text)} has {len(hops)} moves; accepted: up to {MOST_MEN}")
    return hops


def _played(game: Backgammon, state: State, hops: tuple[Hop, ...]) -> list[int] | None:
    """Return legal moves, in some order, that bring every man to its place; None if there are none."""
    if not hops:
        return []
    rules = _compiled(game)
    for action in np.flatnonzero(np.asarray(rules.legal(state))).tolist():
        if action == PASS:
            continue
        start, to = ends(action)
        mine = next((hop for hop in hops if hop[0] == start and hop[1] <= to), None)
        if mine is None:
            continue
        rest = list(hops)
        rest.remove(mine)
        if to > mine[1]:
            rest.append((to, mine[1]))
        after = rules.step(state, np.int32(action))
        ended = bool(after.terminated) or int(after.to_move) != int(state.to_move)
        further = ([] if not rest else None) if ended else _played(game, after, tuple(rest))
        if further is not None:
            return [action, *further]
    return None


def _name(other: np.ndarray, points: np.ndarray, dice: np.ndarray) -> str:
    """Return what people call a turn: men that go on are joined, equal ones counted, hits marked by a star."""
    ways: list[list[str | int]] = []  # per man: where it is, then its points in words
    blots = {BAR - at for at in range(1, BAR) if other[at] == 1}
    for point, die in zip(points.tolist(), dice.tolist(), strict=True):
        if point == OFF:
            continue
        to = max(point - die, OFF)
        hit = to in blots and to > OFF
        blots -= {to}
        way = next((one for one in ways if one[0] == point), None)
        if way is None:
            way = [point, point_name(point)]
            ways.append(way)
        elif len(way) > 2 and not str(way[-1]).endswith("*"):
            way.pop()  # a point on the way is named for a hit only
        way[0] = to
        way.append(point_name(to) + "*" * hit)
    names = ["/".join(map(str, way[1:])) for way in ways]
    return " ".join(_times(name, names) for name in dict.fromkeys(names)) or "pass"


def _times(name: str, names: Sequence[str]) -> str:
    count = names.count(name)
    return f"{name}({count})" if count > 1 else name


def _accepted(game: Backgammon, state: State) -> str:
    names = turn_names(game, state)
    more = f" and {len(names) - NAMED} more, which the word {ALL} lists" if len(names) > NAMED else ""
    return "; ".join(names[:NAMED]) + more


def _counted(names: Sequence[str]) -> str:
    return f"{len(names)} turn{'s' * (len(names) > 1)}"


class _Compiled(NamedTuple):
    step: Callable[[State, Any], State]
    legal: Callable[[State], Any]
    turns: Callable[[State], Any]


@cache
def _compiled(game: Backgammon) -> _Compiled:
    """Return the rules as programs for one position; where a turn ends, the dice of the next one mean nothing."""

    def turns(state: State) -> tuple[Array, Array, Array]:
        found = whole.whole_turns(game, state)
        places = jnp.arange(whole.most_turns(game), dtype=jnp.int32)
        points, dice = jax.vmap(lambda place: whole.in_order(state, whole.nth_turn(found, place)))(places)
        return points, dice, found.total

    step = jax.jit(lambda state, action: game.step(state, action, jax.random.key(0)))
    return _Compiled(step, jax.jit(game.legal_actions), jax.jit(turns))
