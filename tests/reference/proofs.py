"""The searches by hand of `jaxgp.search.proofs.depth` as recursive functions of plain Python, and the toy problem."""

HEAPS = 3


def moves(heaps, order):
    """Return the actions of take the last stone: two stones from each heap, then one; `plain` goes heap by heap."""
    if heaps == (1, 1, 1):
        return []
    found = [a for a in range(2 * HEAPS) if heaps[a % HEAPS] >= 2 - a // HEAPS]
    return sorted(found, key=lambda a: (a % HEAPS, a // HEAPS)) if order == "plain" else found


def play(heaps, action):
    return tuple(h - (2 - action // HEAPS) * (n == action % HEAPS) for n, h in enumerate(heaps))


def won(heaps):
    return not any(heaps)


class Search:
    """One search: what it has is said by its name in the ladder."""

    def __init__(self, method, ladder, limit=10**9):
        at = ladder.index(method)
        self.last, self.table, self.staged, self.few = (
            at >= ladder.index(n) for n in ("last", "table", "staged", "few")
        )
        self.order, self.limit, self.nodes, self.known = "plain" if method == "plain" else "twos", limit, 0, {}

    def make(self):
        if self.nodes >= self.limit:
            raise StopIteration
        self.nodes += 1

    def solve(self, heaps, left, forcing, root=False):
        """Return the winning action of the side to move, or None."""
        key = (heaps, forcing)
        fewest, most = self.known.get(key, (99, 0))
        if self.table and not root and (left >= fewest or left <= most):
            return True if left >= fewest else None
        found, tried = None, moves(heaps, self.order)
        if forcing or (self.last and left == 1):
            tried = [a for a in tried if a < HEAPS]
        if self.few and left > 1:
            replies = []
            for action in tried:
                self.make()
                if won(play(heaps, action)):
                    found = action
                    break
                replies.append((len(moves(play(heaps, action), self.order)), action))
            tried = [a for count, a in sorted(replies, key=lambda one: one[0]) if count] if found is None else []
        for action in tried:
            if not (self.few and left > 1):
                self.make()
            if self.answered(play(heaps, action), left, forcing):
                found = action
                break
        self.known[key] = (min(fewest, left), most) if found is not None else (fewest, max(most, left))
        return found

    def answered(self, heaps, left, forcing):
        replies = moves(heaps, self.order)
        if left == 1 or not replies:
            return won(heaps)
        for action in replies:
            self.make()
            if self.solve(play(heaps, action), left - 1, forcing) is None:
                return False
        return True

    def search(self, heaps, left, told=True):
        """Return the winning action or None, the nodes, and whether the search was cut."""
        try:
            for depth in [left] if told else range(1, left + 1):
                for forcing in [True, False] if self.staged else [False]:
                    found = self.solve(heaps, depth, forcing, root=True)
                    if found is not None:
                        return found, self.nodes, False
        except StopIteration:
            return None, self.nodes, True
        return None, self.nodes, False


class Plain:
    """The rules of the toy problem for the check of proofs; moves are called by heap and stones, as in 0x2."""

    @staticmethod
    def start(text):
        return tuple(int(heap) for heap in text.split())

    @staticmethod
    def moves(heaps):
        return {f"{a % HEAPS}x{2 - a // HEAPS}": play(heaps, a) for a in moves(heaps, "twos")}

    won = staticmethod(won)
