"""A search for mates that two trees guide, in plain Python, one line after the other; exported modules contain it.

It makes the moves that `jaxgp.search.proofs.guided` makes, but for entries of a table that are replaced there.
"""

from collections.abc import Callable, Mapping

from envs.mate.plain import WAYS, Position, checked, moves, start

STRAIGHT, SLANTED, WORTH = "rq", "bq", {"Q": 9, "R": 5, "B": 3, "N": 3, "P": 1, "K": 0}
MATE, STEPS, COARSE = 1000.0, 1000, 4


def men(cells: str, white: bool) -> list[int]:
    """Return where the men of a side stand."""
    return [cell for cell, man in enumerate(cells) if man.isalpha() and man.isupper() == white]


def king(cells: str, white: bool) -> int:
    """Return where the king of a side stands."""
    return cells.index("K" if white else "k")


def reach(cells: str, at: int, kind: str = "") -> list[int]:
    """Return the cells that the man of a cell attacks, or another kind of man would there."""
    man = kind or cells[at]
    if man in "Pp":
        return [at + (-10 if man == "P" else 10) + side for side in (-1, 1)]
    found = []
    for way in WAYS[man.lower()]:
        goal = at + way
        while cells[goal] == "." and man in "BRQbrq":
            found.append(goal)
            goal += way
        found += [goal] if cells[goal] != " " else []
    return found


def attacked(cells: str, white: bool) -> set[int]:
    """Return the cells that a side attacks."""
    return {goal for man in men(cells, white) for goal in reach(cells, man)}


def far(a: int, b: int) -> int:
    """Return the king's steps between two cells."""
    return max(abs(a % 10 - b % 10), abs(a // 10 - b // 10))


def edge(cell: int) -> int:
    """Return the distance from the nearest edge."""
    return min(cell % 10 - 1, 8 - cell % 10, cell // 10 - 2, 9 - cell // 10)


class Seen(dict[str, float]):
    """What trees see of a board after a move, by the names of the source; the player is the solver."""

    def __init__(self, before: Position, after: Position, solver: bool, near: int, left: int) -> None:
        super().__init__(Depth=left)
        self.before, self.after, self.solver, self.near = before.cells, after.cells, solver, near
        self.theirs, self.position = after.white != solver, after
        self.king = king(self.after, not solver)

    def __missing__(self, name: str) -> float:
        self[name] = value = float(getattr(self, name)())
        return value

    def opponents(self) -> list[int]:
        """Return the opponent's men but for its king."""
        return [man for man in men(self.after, not self.solver) if man != self.king]

    def close(self, cell: int) -> bool:
        """Return whether a cell is close to the opponent's king."""
        return far(cell, self.king) <= self.near

    def checkers(self) -> list[int]:
        """Return the player's men that attack the king."""
        return [man for man in men(self.after, self.solver) if self.king in reach(self.after, man)]

    def steps(self, cells: str) -> list[int]:
        """Return where the opponent's king may go."""
        at = king(cells, not self.solver)
        without = attacked(cells[:at] + "." + cells[at + 1 :], self.solver)
        own = men(cells, not self.solver)
        return [goal for goal in reach(cells, at) if goal not in own and goal not in without]

    def pinned(self) -> list[int]:
        """Return the opponent's men that are pinned to its king."""
        cells, found = self.after, []
        for way in WAYS["q"]:
            first = self.king + way
            while cells[first] == ".":
                first += way
            second = first + way
            while cells[first] != " " and cells[second] == ".":
                second += way
            kinds = STRAIGHT if way in WAYS["r"] else SLANTED
            if first in self.opponents() and cells[second] in (kinds.upper() if self.solver else kinds):
                found.append(first)
        return found

    def around(self, cells: str) -> int:
        """Return how many of the player's men attack cells beside the king."""
        beside = set(reach(cells, king(cells, not self.solver)))
        return sum(not beside.isdisjoint(reach(cells, man)) for man in men(cells, self.solver))

    def discovered(self) -> list[int]:
        """Return the men that give check and have not moved."""
        stood = men(self.before, self.solver)
        return [man for man in self.checkers() if man in stood] if self.IsCheck() else []

    def IsCheck(self) -> bool:  # noqa: N802
        return self.theirs and checked(self.position)

    def OppKingProximityToEdges(self) -> int:  # noqa: N802
        return 3 - edge(self.king)

    def NumOppPiecesAttacked(self) -> int:  # noqa: N802
        reached = attacked(self.after, self.solver)
        return sum(self.close(man) and man in reached for man in self.opponents())

    def IsCheckFork(self) -> bool:  # noqa: N802
        others = self.opponents()
        return self.IsCheck() and any(goal in others for man in self.checkers() for goal in reach(self.after, man))

    def NumNotMovesOppKing(self) -> int:  # noqa: N802
        return 8 - len(self.steps(self.after))

    def NumNotMovesOppBigger(self) -> bool:  # noqa: N802
        return len(self.steps(self.after)) < len(self.steps(self.before))

    def IsOppKingProtectingPiece(self) -> bool:  # noqa: N802
        return any(far(man, self.king) == 1 for man in self.opponents())

    def EvaluateMaterial(self) -> int:  # noqa: N802
        return sum(
            (1 if side == self.solver else -1) * WORTH[self.after[man].upper()]
            for side in (True, False)
            for man in men(self.after, side)
        )

    def IsMaterialChange(self) -> bool:  # noqa: N802
        return self.before.count(".") != self.after.count(".")

    def IsOppKingStuck(self) -> bool:  # noqa: N802
        return all(edge(goal) < edge(self.king) for goal in self.steps(self.after))

    def IsOppPiecePinned(self) -> bool:  # noqa: N802
        return bool(self.pinned())

    def IsNextMoveForced(self) -> bool:  # noqa: N802
        return self.theirs and len(moves(self.position)) == 1

    def IsNextMoveForcedWithKing(self) -> bool:  # noqa: N802
        count = len(moves(self.position)) if self.theirs else 0
        return count > 0 and count == len(self.steps(self.after))

    def IsPinCloseToKing(self) -> bool:  # noqa: N802
        return any(map(self.close, self.pinned()))

    def NumMyPiecesCanCheck(self) -> int:  # noqa: N802
        return sum(self.can_check(man) for man in men(self.after, self.solver) if self.after[man] not in "Kk")

    def can_check(self, at: int) -> bool:
        """Return whether a man attacks the king, or can go where it does; pins and promotions are not looked at."""
        cells, kind, goals = self.after, self.after[at], reach(self.after, at)
        if self.king in goals:
            return True
        own = men(cells, self.solver)
        if kind in "Pp":
            up, others = (-10 if self.solver else 10), self.opponents()
            goals = [goal for goal in goals if goal in others]
            if cells[at + up] == ".":
                goals.append(at + up)
                if at // 10 == (8 if self.solver else 3) and cells[at + 2 * up] == ".":
                    goals.append(at + 2 * up)
            goals = [goal for goal in goals if goal // 10 not in (2, 9)]
        return any(self.king in reach(cells, goal, kind) for goal in goals if goal not in own)

    def DidNumAttackingKingIncrease(self) -> bool:  # noqa: N802
        return self.around(self.after) > self.around(self.before)

    def IsDiscoveredCheck(self) -> bool:  # noqa: N802
        return bool(self.discovered())

    def IsDiscoveredProtectedCheck(self) -> bool:  # noqa: N802
        reached = attacked(self.after, self.solver)
        return any(man in reached for man in self.discovered())


Tree = Callable[[Mapping[str, float]], float]


def listed(position: Position) -> list[tuple[int, str, Position]]:
    """Return number, name and board of all moves: checks, captures by what is taken, the rest; then by cells."""
    found = []
    other = "qrbnp" if position.white else "QRBNP"
    for name, after in moves(position).items():
        taken = [n for n, man in enumerate(other, 1) if after.cells.count(man) < position.cells.count(man)]
        level = 0 if checked(after) else taken[0] if taken else 6
        a, b = ("abcdefgh".index(name[n]) + 8 * (int(name[n + 1]) - 1) for n in (0, 2))
        a, b = (a, b) if position.white else (a ^ 56, b ^ 56)
        code = 4 * (b - a - 7) + "qrbn".index(name[4]) if name[4:] else b
        found.append((level << 12 | a << 6 | code, name, after))
    return sorted(found, key=lambda one: one[0])


class CutError(Exception):
    """The limit of moves was reached."""


class Searcher:
    """Searches one position; `nodes` are the moves made."""

    def __init__(
        self,
        text: str,
        own: int,
        trees: tuple[Tree | None, Tree | None],
        near: int,
        limit: int,
        equal: str = "list",
    ) -> None:
        self.root, self.own, self.trees, self.near, self.limit = start(text), own, trees, near, limit
        self.equal = (
            equal  # of the solver's moves: by value, then as in the `list` or by `replies`, or value `less` replies
        )
        self.solver, self.nodes = self.root.white, 0
        self.known: dict[tuple[Position, bool], tuple[int, int]] = {}  # fewest moves proved, most refuted

    def search(self, told: bool = True) -> str | None:
        """Return a move that mates, or None: none does, or the limit was reached."""
        try:
            for depth in [self.own] if told else range(1, self.own + 1):
                for forcing in (True, False):
                    if found := self.solve(self.root, depth, forcing):
                        return found
        except CutError:
            pass
        return None

    def make(self) -> None:
        """Pay for a move."""
        if self.nodes >= self.limit:
            raise CutError
        self.nodes += 1

    def value(self, tree: Tree | None, before: Position, after: Position, left: int) -> int:
        """Return what moves are sorted by, the lowest first."""
        found = tree(Seen(before, after, self.solver, self.near, left)) if tree else 0.0
        found = min(MATE, max(-MATE, found)) if found == found else 0.0
        if self.equal == "list":
            return round((MATE - found) * STEPS)
        replies = len(moves(after)) if before.white == self.solver else 0
        if self.equal == "less":
            return round((MATE - found + replies) * COARSE)
        return round((MATE - found) * COARSE) * 256 + replies

    def solve(self, position: Position, left: int, forcing: bool) -> str | None:
        """Return a move by which the solver mates within so many moves."""
        tree, chosen, kept = self.trees[0] if left > 1 else None, None, []
        for number, name, after in listed(position):
            if (forcing or left == 1) and number >> 12:
                break
            self.make()
            replies = moves(after)
            if not replies and checked(after):
                chosen = name
                break
            if left == 1 or not replies:
                continue
            if tree is not None or self.equal != "list":
                kept.append((self.value(tree, position, after, left - 1), name, after))
            elif self.answered(after, left, forcing):
                chosen = name
                break
        if chosen is None:
            for _, name, after in sorted(kept, key=lambda one: one[0]):
                if self.answered(after, left, forcing):
                    chosen = name
                    break
        fewest, most = self.known.get((position, forcing), (255, 0))
        self.known[position, forcing] = (min(fewest, left), most) if chosen else (fewest, max(most, left))
        return chosen

    def answered(self, position: Position, left: int, forcing: bool) -> bool:
        """Return whether every reply leads to a mate within one move less."""
        tree, kept = self.trees[1], []

        def lost(after: Position) -> bool | None:
            """Return whether the solver is known not to mate, or to do so; None: neither is known."""
            fewest, most = self.known.get((after, forcing), (255, 0))
            return True if left - 1 <= most or not moves(after) else False if left - 1 >= fewest else None

        for _, _, after in listed(position):
            self.make()
            known = lost(after)
            if known:
                return False
            if known is None and tree is not None:
                kept.append((self.value(tree, position, after, left - 1), after))
            elif known is None and self.solve(after, left - 1, forcing) is None:
                return False
        for _, after in sorted(kept, key=lambda one: one[0]):
            known = lost(after)
            if known or (known is None and self.solve(after, left - 1, forcing) is None):
                return False
        return True
