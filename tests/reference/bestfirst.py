"""Best-first search of one puzzle in plain Python, with a heap and a set.

Puzzles have the form of those of `tests.reference.deepening`.
"""

import heapq

import numpy as np

from tests.reference.deepening import Found, orderly


def search(puzzle, root, limit, deepest, room, value=None, by="cost"):
    """Search one root; `value` is of (child, parent, action, depth of the child, number of siblings), None: 0."""
    nodes, expanded, cut = 1, 0, False
    if nodes >= limit or puzzle.solved(root):
        return Found(nodes < limit, nodes, [])
    met, seen, heap = [(root, 0, [])], {puzzle.key(root)}, [(np.float32(0), 0)]
    while heap:
        state, depth, path = met[heapq.heappop(heap)[1]]
        expanded += 1
        actions = puzzle.moves(state)
        children = [(action, puzzle.play(state, action)) for action in actions]
        solving = [action for action, child in children if puzzle.solved(child)]
        nodes = min(nodes + (1 if solving else len(actions)), limit)
        if nodes == limit:
            return Found(False, nodes, [], expanded=expanded)
        if solving:
            return Found(True, nodes, [*path, solving[0]], expanded=expanded)
        for action, child in children:
            key = puzzle.key(child)
            if key in seen:
                continue
            if len(met) == room:
                return Found(False, nodes, [], expanded=expanded)
            worth = np.float32(0) if value is None else orderly(value(child, state, action, depth + 1, len(actions)))
            priority = np.float32(depth + 1) + max(worth, np.float32(0)) if by == "cost" else worth
            if depth + 1 < deepest:
                heapq.heappush(heap, (priority, len(met)))
            else:
                cut = True
            seen.add(key)
            met.append((child, depth + 1, [*path, action]))
    return Found(False, nodes, [], exhausted=not cut, expanded=expanded)
