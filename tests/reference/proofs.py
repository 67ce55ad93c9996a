"""The searches by hand of `jaxgp.search.proofs` as recursive functions of plain Python, and the toy problem."""

from dataclasses import dataclass

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


INFINITE = 1 << 29


@dataclass
class Entry:
    """What is known of a position with moves left."""

    pn: int = 1
    dn: int = 1
    children: list | None = None


class Numbers:
    """Depth-first search by proof numbers."""

    def __init__(self, by_replies, limit=10**9):
        self.by_replies, self.limit, self.nodes, self.distinct, self.known = by_replies, limit, 0, 0, {}

    def make(self):
        if self.nodes >= self.limit:
            raise StopIteration
        self.nodes += 1

    def meet(self, heaps, left, mine):
        key = (heaps, left, mine)
        if key not in self.known:
            one = self.known[key] = Entry()
            replies = len(moves(heaps, "twos"))
            if not mine and won(heaps):
                one.pn, one.dn = 0, INFINITE
            elif left == 0 or (not mine and not replies):
                one.pn, one.dn = INFINITE, 0
            elif not mine and self.by_replies:
                one.pn = replies
        return key

    def visit(self, key, most_pn, most_dn):
        heaps, left, mine = key
        here = self.known[key]
        if here.children is None:
            tried = moves(heaps, "twos")
            children = []
            for action in [a for a in tried if a < HEAPS] if mine and left == 1 else tried:
                self.make()
                size = len(self.known)
                below = self.meet(play(heaps, action), left - mine, not mine)
                self.distinct += len(self.known) - size
                children.append((action, below))
                if (self.known[below].pn if mine else self.known[below].dn) == 0:
                    break
            here.children = children
        while True:
            below = [self.known[key] for _, key in here.children]
            own, other = ([one.pn for one in below], [one.dn for one in below])[:: 1 if mine else -1]
            low, high = min(own, default=INFINITE), min(INFINITE, sum(other))
            here.pn, here.dn = (low, high) if mine else (high, low)
            if 0 in (here.pn, here.dn):
                here.pn, here.dn = (0, INFINITE) if here.pn == 0 else (INFINITE, 0)
            if here.pn >= most_pn or here.dn >= most_dn or not below:
                return
            best = own.index(min(own))
            low = min(most_pn if mine else most_dn, min([*own[:best], *own[best + 1 :], INFINITE + 1]) + 1)
            high = most_dn - here.dn + below[best].dn if mine else most_pn - here.pn + below[best].pn
            self.make()
            self.visit(here.children[best][1], *((low, high) if mine else (high, low)))

    def search(self, heaps, left, told=True):
        """Return the winning action or None, the nodes, and whether the search was cut."""
        try:
            for depth in [left] if told else range(1, left + 1):
                key = self.meet(heaps, depth, True)
                self.visit(key, INFINITE, INFINITE)
                if self.known[key].pn == 0:
                    first = next(action for action, below in self.known[key].children if self.known[below].pn == 0)
                    return first, self.nodes, False
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
