"""Breadth-first search against plain Python, which takes one state after the other from a queue."""

from collections import deque

import jax
import numpy as np
import pytest

from jaxgp.search.puzzles.breadth import CHUNK, Explored, explore
from tests.reference.deepening import replay
from tests.search.puzzles import Lamps, PackedLamps, PlainLamps, instances, states

SEED, NUMBER = 3, 12


def plainly(puzzle, root, most, nearest):
    """What has to be found: the length, and the counts."""
    depth, queue, goals, expanded = {root: 0}, deque([root]), [], 0
    if puzzle.solved(root):
        return 0, 1, 1, 0, True
    while queue:
        state = queue.popleft()
        expanded += 1
        for child in (puzzle.play(state, action) for action in puzzle.moves(state)):
            if child in depth:
                continue
            if len(depth) == most:
                return (depth[goals[0]] if goals else -1), len(depth), len(goals), expanded, False
            depth[child] = depth[state] + 1
            if not puzzle.solved(child):
                queue.append(child)
                continue
            goals.append(child)
            if nearest:
                return depth[child], len(depth), 1, expanded, True
    return (depth[goals[0]] if goals else -1), len(depth), len(goals), expanded, True


@pytest.mark.parametrize("nearest", [False, True])
@pytest.mark.parametrize("most", [1, 40, 10**6])
def test_equals_plain_python_in_distance_and_counts(most, nearest, way):
    lit, wires = instances(NUMBER, SEED)
    lit[0] = 0
    batch, solved, largest = states(lit, wires), 0, 0
    for at in range(NUMBER):
        plain = PlainLamps(wires[at])
        puzzle = PackedLamps() if at % 2 else Lamps()
        found = explore(puzzle, jax.tree.map(lambda x, at=at: x[at], batch), most, nearest)
        counts = found.distance, found.states, found.goals, found.expanded, found.complete
        assert counts == plainly(plain, int(lit[at]), most, nearest)
        assert found.distance < 0 or found.distance == len(found.moves)
        assert found.distance < 0 or replay(plain, int(lit[at]), found.moves)
        solved, largest = solved + (found.distance > 1), max(largest, found.states)
    if most == 10**6:
        assert solved > 3
        assert nearest or largest > 2 * CHUNK


def test_says_what_it_has_not_found(way):
    lit, wires = instances(1, SEED)
    root = jax.tree.map(lambda x: x[0], states(lit | 1, np.zeros_like(wires)))
    assert explore(Lamps(), root) == Explored(-1, (), 1, 0, 1, True)
    with pytest.raises(ValueError, match="most=0: accepted: 1 or more"):
        explore(Lamps(), root, most=0)
