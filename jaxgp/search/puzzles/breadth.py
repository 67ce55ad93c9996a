"""Breadth-first search of one puzzle with a set of the visited states: exact, and limited by memory alone.

It proves the least number of moves, or that there is no solution. On a CPU it runs in C++, where that can be made of
the rules. Elsewhere only the expansion of states runs on the device, many states of a level at once; the set is on the
host. All counts are those of a search that takes one state after the other
in the order in which they were reached, and its moves in ascending order of actions.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import Position, Puzzle, States
from jaxgp.search.chance import refuse_chance
from jaxgp.search.puzzles.children import pack, unpack
from jaxgp.search.puzzles.native.run import explorer

CHUNK = 256
"""States that are expanded together."""


@dataclass(frozen=True)
class Explored:
    """What is known of the states that can be reached from a root.

    Attributes:
        distance: moves from the root to the nearest goal; -1: none was reached.
        moves: the actions of one shortest solution.
        states: distinct states met, the root and the goals among them.
        goals: distinct goals reached. A goal is not expanded.
        expanded: states whose moves were tried.
        complete: whether the search found what it was asked for; False: it visited as many states as it may, and others
            may be left.
    """

    distance: int
    moves: tuple[int, ...]
    states: int
    goals: int
    expanded: int
    complete: bool


def explore(puzzle: Puzzle, state: Position, most: int = 1_000_000, nearest: bool = False) -> Explored:
    """Search from a root, breadth first.

    Args:
        puzzle: the rules.
        state: the root, unbatched.
        most: the search ends incomplete where it meets more states.
        nearest: end at the first goal; otherwise meet all states that can be reached.

    Raises:
        ValueError: a puzzle with chance, or `most` below 1.
    """
    refuse_chance(puzzle)
    if most < 1:
        raise ValueError(f"most={most}: accepted: 1 or more")
    native = explorer(puzzle, most, nearest)
    if native is not None:
        numbers, moves = jax.device_get(native(state))
        distance, states, goals, expanded, complete = numbers.tolist()
        if distance <= len(moves):
            return Explored(
                distance, tuple(moves[: max(distance, 0)].tolist()), states, goals, expanded, bool(complete)
            )
    root = jax.tree.map(lambda x: jnp.asarray(x)[None], state)
    found = _Found(most, nearest)
    found.meet(np.asarray(puzzle.key(state)).tobytes(), -1, -1, bool(puzzle.solved(state)))
    level, numbers = pack(puzzle, root), [0]
    while numbers and not found.ended:
        level, numbers = _expand(puzzle, level, numbers, found)
    return found.explored()


@dataclass
class _Found:
    """The visited states, by number, in the order in which they were reached."""

    most: int
    nearest: bool
    keys: set[bytes] = field(default_factory=set)
    before: list[int] = field(default_factory=list)  # the parent of each state; -1: the root
    actions: list[int] = field(default_factory=list)  # the move to each
    goals: list[int] = field(default_factory=list)
    expanded: int = 0
    complete: bool = True
    ended: bool = False

    def meet(self, key: bytes, parent: int, action: int, solved: bool) -> bool:
        """Note a state; return whether it has to be expanded."""
        if key in self.keys:
            return False
        if len(self.keys) == self.most:
            self.complete, self.ended = False, True
            return False
        if solved:
            self.goals.append(len(self.keys))
            self.ended = self.nearest or parent < 0
        self.keys.add(key)
        self.before.append(parent)
        self.actions.append(action)
        return not solved

    def explored(self) -> Explored:
        moves, at = [], self.goals[0] if self.goals else 0
        while self.before[at] >= 0:
            moves.append(self.actions[at])
            at = self.before[at]
        distance = len(moves) if self.goals else -1
        counted = len(self.keys), len(self.goals), self.expanded
        return Explored(distance, tuple(reversed(moves)), *counted, self.complete)


def _expand(puzzle: Puzzle, level: States, numbers: list[int], found: _Found) -> tuple[States, list[int]]:
    """Meet the children of one level, packed [N, ...]; return those that have to be expanded, and their numbers."""
    slots, kept, fresh = puzzle.most_choices, [], []
    for begin in range(0, len(numbers), CHUNK):
        some = numbers[begin : begin + CHUNK]
        # The last chunk is filled up with copies of its last state.
        parents = _rows(level, np.minimum(np.arange(begin, begin + CHUNK), len(numbers) - 1))
        children, actions, keys, solved, there = jax.tree.map(np.asarray, _children(puzzle)(parents))
        rows, done = np.flatnonzero(there[: len(some)]), found.expanded
        given = (rows.tolist(), actions.ravel()[rows].tolist(), _bytes(keys[rows]), solved.ravel()[rows].tolist())
        new = []
        for row, action, key, goal in zip(*given, strict=True):
            found.expanded = done + row // slots + 1
            if found.meet(key, some[row // slots], action, goal):
                fresh.append(len(found.before) - 1)
                new.append(row)
            if found.ended:
                return level, []
        found.expanded = done + len(some)
        kept.append(_rows(children, np.array(new, int)))
    return jax.tree.map(lambda *x: np.concatenate(x), *kept), fresh


@lru_cache(maxsize=16)
def _children(puzzle: Puzzle) -> Callable[[States], tuple[States, Array, Array, Array, Array]]:
    """Return a compiled function: packed states [B, ...] -> of their children packed [B * S, ...], int32[B, S] actions,
    uint32[B * S, W] keys, bool[B, S], which are solved, and bool[B, S], which there are.
    """
    places = jnp.arange(puzzle.most_choices, dtype=jnp.int32)

    def of_one(state: Position) -> tuple[States, Array, Array, Array, Array]:
        actions = jax.vmap(lambda place: puzzle.choice(state, place))(places)
        states = jax.vmap(lambda action: puzzle.advance(state, action))(actions)
        keys, solved = jax.vmap(puzzle.key)(states), jax.vmap(puzzle.solved)(states)
        return pack(puzzle, states), actions, keys, solved, places < puzzle.choices(state)

    def children(packed: States) -> tuple[States, Array, Array, Array, Array]:
        states, actions, keys, solved, there = jax.vmap(of_one)(unpack(puzzle, packed))
        states, keys = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), (states, keys))
        return states, actions, keys, solved, there

    return jax.jit(children)


def _rows(tree: States, index: np.ndarray) -> States:
    """Return rows of a tree of arrays [N, ...] on the host."""
    return jax.tree.map(lambda x: np.asarray(x)[index], tree)


def _bytes(rows: np.ndarray) -> list[bytes]:
    """Return the rows of uint32[N, W] as bytes."""
    return [row.tobytes() for row in rows]
