"""Iterative deepening of one puzzle in plain Python, node by node, and a replay of what was found.

A puzzle has, in this form, `moves(state)`, ascending; `play(state, action)`; `solved(state)`; and `key(state)`, a tuple
of unsigned numbers of 32 bits.
"""

from dataclasses import dataclass

import numpy as np

GREATEST = np.float32(np.finfo(np.float32).max)


@dataclass
class Found:
    solved: bool
    nodes: int
    moves: list
    exhausted: bool = False
    expanded: int = 0


class Ended(Exception):  # noqa: N818
    """The search has ended, solved or at its limit."""

    def __init__(self, solved):
        self.solved = solved


def mixed(key):
    """MurmurHash3 of 32-bit words, without the length."""
    code = 0x9747B28C
    for word in key:
        word = word * 0xCC9E2D51 & 0xFFFFFFFF
        word = (word << 15 | word >> 17) * 0x1B873593 & 0xFFFFFFFF
        code ^= word
        code = ((code << 13 | code >> 19) * 5 + 0xE6546B64) & 0xFFFFFFFF
    code = (code ^ code >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    code = (code ^ code >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return code ^ code >> 16


def orderly(value):
    """NaN is the greatest value, and subnormal numbers are zero."""
    value = np.float32(value)
    if np.isnan(value) or value > GREATEST:
        return GREATEST
    return np.float32(0) if abs(value) < np.finfo(np.float32).tiny else value


class Search:
    """One root; `value` is of (child, parent, action, depth of the child, number of siblings), None: blind."""

    def __init__(self, puzzle, limit, table=0, value=None, cost=False):
        self.puzzle, self.limit, self.size, self.value, self.cost = puzzle, limit, table, value, cost
        self.nodes, self.table, self.path = 0, {}, []

    def run(self, root, first, grow, deepest):
        self.bound = np.float32(first)
        try:
            self.deepest = deepest
            while self.cost or self.bound <= deepest:
                self.table, self.cut, self.least = {}, False, np.float32(np.inf)
                self.visit(root, 0)
                if not self.cut:
                    return Found(False, self.nodes, [], exhausted=True)
                if self.cost and self.least == np.inf:
                    break  # depth alone has cut
                self.bound = max(self.bound + np.float32(grow), self.least if self.cost else np.float32(0))
        except Ended as ended:
            return Found(ended.solved, self.nodes, list(self.path) if ended.solved else [])
        return Found(False, self.nodes, [])

    def visit(self, state, depth):
        self.nodes += 1
        if self.nodes >= self.limit:
            raise Ended(False)
        if self.puzzle.solved(state):
            raise Ended(True)
        if depth == (self.deepest if self.cost else self.bound):
            self.cut = True
            return
        if self.size:
            key = self.puzzle.key(state)
            slot = mixed(key) % self.size
            stored = self.table.get(slot)
            if stored and stored[0] == key and stored[1] <= depth:
                return
            self.table[slot] = key, depth
        for action, child in self.children(state, depth + 1):
            self.path.append(action)
            self.visit(child, depth + 1)
            self.path.pop()

    def children(self, state, depth):
        """The children in the order of their visits. Those above the bound of cost are counted here, and left out."""
        actions = self.puzzle.moves(state)
        children = [(action, self.puzzle.play(state, action)) for action in actions]
        winning = [(action, child) for action, child in children if self.puzzle.solved(child)]
        if self.value is None:
            return winning[:1] + [pair for pair in children if pair not in winning[:1]]
        values = [orderly(self.value(child, state, action, depth, len(actions))) for action, child in children]
        if self.cost:
            last = depth == self.deepest
            worth = [
                0 if last or pair in winning else max(value, 0) for pair, value in zip(children, values, strict=True)
            ]
            costs = [np.float32(depth) + np.float32(one) for one in worth]
            above = [cost for cost in costs if cost > self.bound]
            self.cut, self.least = self.cut or bool(above), min([self.least, *above])
            kept = [cost <= self.bound for cost in costs]
            if not (winning and kept[children.index(winning[0])]):
                self.nodes = min(self.nodes + len(above), self.limit)
                if self.nodes >= self.limit:
                    raise Ended(False)
        else:
            kept = [True] * len(children)
        ranked = sorted(range(len(children)), key=lambda at: (children[at] not in winning[:1], values[at]))
        return [children[at] for at in ranked if kept[at]]


def replay(puzzle, state, moves):
    """Return whether legal moves lead from a state to a solved one, which is the first such state."""
    for action in moves:
        if puzzle.solved(state) or action not in puzzle.moves(state):
            return False
        state = puzzle.play(state, action)
    return puzzle.solved(state)
