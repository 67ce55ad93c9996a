"""Staged deepening of one puzzle in plain Python: recursion, a set, and a dictionary from values to boards.

Puzzles have the form of those of `tests.reference.deepening`.
"""

from dataclasses import dataclass

from tests.reference.deepening import Ended, orderly


@dataclass
class Found:
    solved: bool
    nodes: int
    moves: list
    exhausted: bool
    dropped: int
    full: bool


class Search:
    """One root; `value` is of (child, parent, action, depth of the child, number of siblings)."""

    def __init__(self, puzzle, limit, value, *, variant, k, visited, queue, room, deepest, widest):
        self.puzzle, self.limit, self.value = puzzle, limit, value
        self.variant, self.visited, self.size, self.room, self.deepest = variant, visited, queue, room, deepest
        self.away = {"heineman": k + 1, "papers": k}[variant]
        self.widest, self.most = widest, 1
        while self.most < visited + widest + 1:
            self.most *= 2
        self.nodes, self.met, self.queue, self.dropped, self.lost = 0, set(), {}, 0, False

    def run(self, root):
        try:
            self.count()
            if self.puzzle.solved(root):
                return self.found(True, [])
            board, path, searched = root, [], 0
            while True:
                searched += 1
                self.visit(board, path, 0)
                if not self.queue:
                    return self.found(False, [], exhausted=not self.lost)
                if searched == self.room:
                    return self.found(False, [], full=True)
                board, path = self.queue.pop(min(self.queue))
        except Ended as ended:
            return self.found(ended.solved, self.path if ended.solved else [])

    def found(self, solved, moves, exhausted=False, full=False):
        return Found(solved, self.nodes, moves, exhausted, self.dropped, full)

    def count(self):
        self.nodes += 1
        if self.nodes >= self.limit:
            raise Ended(False)

    def visit(self, state, path, depth):
        """Visit the children of a node, `depth` moves from the board that is searched."""
        if self.too_many(depth):
            self.met.clear()
        actions = self.puzzle.moves(state)
        for action in actions:
            child, way = self.puzzle.play(state, action), [*path, action]
            self.count()
            key = self.puzzle.key(child)
            if key in self.met:
                continue
            self.met.add(key)
            if self.puzzle.solved(child):
                self.path = way
                raise Ended(True)
            if depth + 1 < self.away:
                self.visit(child, way, depth + 1)
            elif len(way) + self.away > self.deepest:
                self.lost = True
            else:
                self.store(child, way, orderly(self.value(child, state, action, len(way), len(actions))))

    def too_many(self, depth):
        if self.variant == "heineman":
            return len(self.met) > self.visited
        return (depth == 0 and len(self.met) >= self.visited) or len(self.met) + self.widest > self.most

    def store(self, board, path, value):
        self.lost |= value in self.queue
        self.queue[value] = board, path
        if len(self.queue) > self.size:
            del self.queue[max(self.queue)]
            self.dropped += 1
            self.lost = True
