"""Best-first search of one puzzle with a set of the states met: soon at a solution, which need not be a short one.

States wait in a queue, the lowest value first and among equal ones the first that was met. Some of them are expanded at
once on the device; queue and set are on the host.
"""

import heapq
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import Position, Puzzle
from jaxgp.search.chance import refuse_chance
from jaxgp.search.children import bytes_of, expander, pack, rows_of

CHUNK = 32
"""States that are expanded together."""


def best_first(
    puzzle: Puzzle, state: Position, value: Callable[[Any], Array], most: int
) -> tuple[tuple[int, ...] | None, bool]:
    """Search from a root.

    Args:
        puzzle: the rules.
        state: the root, unbatched.
        value: state -> float32[]: those with the lowest are expanded first. It is compiled once for each function.
        most: the search ends where it has met so many states.

    Returns:
        The actions of a solution; None: none was found. And whether all states that can be reached were met.

    Raises:
        ValueError: a puzzle with chance, or `most` below 1.
    """
    refuse_chance(puzzle)
    if most < 1:
        raise ValueError(f"most={most}: accepted: 1 or more")
    if bool(puzzle.solved(state)):
        return (), True
    expand = expander(puzzle, value)
    root = jax.tree.map(lambda x: jnp.asarray(x)[None], state)
    packed = [rows_of(pack(puzzle, root), np.array([0]))]
    seen = {np.asarray(puzzle.key(state)).tobytes()}
    before, actions, where, queue = [-1], [-1], [(0, 0)], [(0.0, 0)]
    while queue and len(seen) < most:
        some = [heapq.heappop(queue)[1] for _ in range(min(CHUNK, len(queue)))]
        parents = [rows_of(packed[block], np.array([row])) for block, row in map(where.__getitem__, some)]
        parents += parents[-1:] * (CHUNK - len(some))
        found = expand(jax.tree.map(lambda *x: np.concatenate(x), *parents))
        children, moves, keys, solved, values, there = jax.tree.map(np.asarray, found)
        rows, slots = np.flatnonzero(there[: len(some)]), puzzle.most_choices
        given = (rows.tolist(), moves.ravel()[rows].tolist(), bytes_of(keys[rows]), values.ravel()[rows].tolist())
        new: list[int] = []
        for row, action, key, worth in zip(*given, strict=True):
            if key in seen:
                continue
            seen.add(key)
            before.append(some[row // slots])
            actions.append(action)
            if solved.ravel()[row]:
                return _path(before, actions), False
            where.append((len(packed), len(new)))
            heapq.heappush(queue, (worth, len(before) - 1))
            new.append(row)
        packed.append(rows_of(children, np.array(new, int)))
    return None, not queue


def _path(before: list[int], actions: list[int]) -> tuple[int, ...]:
    """Return the actions from the root to the last state met."""
    found, at = [], len(before) - 1
    while before[at] >= 0:
        found.append(actions[at])
        at = before[at]
    return tuple(reversed(found))
