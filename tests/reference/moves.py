"""What programs that make moves compute, in plain recursive Python; boards are those of any rules, such as chess.

Rules are an object with: `moves(board)`, the list in its order; `make(board, move)`, a new board; `mine(board)`,
whether it is the solver's turn; `won(board)`, whether the side that has just moved has won; `forcing(board, move)`;
`see(name, before, move, board)`, the value of a terminal, or of what a move is passed over for; `key(board)`, which
equal boards share.

Programs are nested tuples: (name, argument, ...), a name, or a number.
"""

from dataclasses import dataclass, field

PASSED = {
    "IfCaptureCloseToKingMove": "CapturesClose",
    "IfPinCloseToKingMove": "PinsClose",
    "IfAttackingKingMove": "AttacksKing",
    "IfClearingWayMove": "ClearsWay",
    "IfSuicideCheck": "SuicideCheck",
}
MOVERS = {
    "IfMyMoveExistsSuchThat": True,
    "MyMoveIter": True,
    "IfExistsCheckingMove": True,
    **dict.fromkeys(PASSED, True),
    "IfForAllOpponentMoves": False,
    "IfKingMustMove": False,
    "MakeBestMove": None,
    "MakeAllMovesSuchThat": None,
}
"""Whose turn each function is for: the solver's, the other's, or either."""


def read(text: str):
    """Read an S-expression."""
    words = text.replace("(", " ( ").replace(")", " ) ").split()

    def one():
        word = words.pop(0)
        if word != "(":
            return float(word) if word.lstrip("-")[0].isdigit() else word
        made = []
        while words[0] != ")":
            made.append(one())
        words.pop(0)
        return tuple(made)

    return one()


def reads(node) -> bool:
    """Whether the value depends on a board."""
    if isinstance(node, tuple):
        return node[0] in MOVERS or any(map(reads, node[1:]))
    return isinstance(node, str)


@dataclass
class Place:
    """A board, and how it came about."""

    board: object
    before: object
    move: object
    left: int
    paid: bool = False
    name: tuple = ()
    up: "Place | None" = None


@dataclass
class Run:
    """One program on one problem."""

    rules: object
    tree: object
    budget: int
    reply: str = "first"
    iter: str = "all"
    made: bool = False
    stop: bool = False
    cutoff: bool = False
    remember: bool = False
    nodes: int = 0
    passed: int = 0
    reserve: int = 0
    truncated: bool = False
    refused: int = 0
    deepest: int = 0
    made_moves: list = field(default_factory=list)
    known: dict = field(default_factory=dict)

    def solve(self, root, left: int):
        """Return the value of each first move, and the place of the best."""
        firsts = self.rules.moves(root)
        self.reserve, scores = len(firsts), []
        for move in firsts:
            self.reserve -= 1
            here = self.after(Place(root, None, None, left), move)
            self.pay(here)
            value = self.value(self.tree, here, here.left)
            scores.append(max(-1000.0, min(1000.0, value)))
            if self.stop and scores[-1] == 1000:
                break
        return scores, max(range(len(scores)), key=lambda n: scores[n]) if scores else -1

    def spent(self) -> bool:
        return self.nodes + self.reserve >= self.budget or self.weary()

    def weary(self) -> bool:
        return self.passed >= 2 * self.budget

    def after(self, place: Place, move) -> Place:
        left = place.left - self.rules.mine(place.board)
        board = self.rules.make(place.board, move)
        return Place(board, place.board, move, left, name=(*place.name, move), up=place)

    def pay(self, place: Place) -> None:
        if not place.paid:
            place.paid = True
            self.nodes += 1
            self.deepest = max(self.deepest, len(place.name))
            self.made_moves.append(place.name)

    def on(self, node, place: Place, entry: int) -> float:
        """Value an argument after a move, which is made if the argument reads a board."""
        if reads(node):
            self.pay(place)
        return self.value(node, place, entry)

    def value(self, node, at: Place, entry: int) -> float:
        if isinstance(node, float):
            return node
        if node == "Depth":
            return float(at.left)
        if node == "IsMateInOneOrLess":
            return self.mate_in_one(at)
        if node == "Again":
            left = min(at.left, entry - 1)
            if left <= 0:
                return 1000.0 if self.mated(at) else -1000.0
            return self.again(Place(at.board, at.before, at.move, left, True, at.name, at.up))
        if isinstance(node, str):
            return float(self.rules.see(node, at.before, at.move, at.board))
        if node[0] in MOVERS:
            return float(self.mover(node[0], node[1:], at, entry))
        return float(self.plain(node[0], node[1:], at, entry))

    def again(self, at: Place) -> float:
        """Return what the whole tree is worth on a board; with `remember`, what it was worth there before."""
        if not self.remember:
            return self.value(self.tree, at, at.left)
        key = self.rules.key(at.board), self.rules.mine(at.board), at.left
        if key not in self.known:
            value = self.value(self.tree, at, at.left)
            if self.truncated:
                return value
            self.known[key] = value
        return self.known[key]

    def plain(self, name, args, at, entry):
        def of(node):
            return self.value(node, at, entry)

        if name == "If3":
            return of(args[1]) if of(args[0]) else of(args[2])
        if name.startswith("And"):
            return all(of(one) != 0 for one in args)
        if name.startswith("Or"):
            return any(of(one) != 0 for one in args)
        if name == "Not":
            return of(args[0]) == 0
        first, second = map(of, args)
        return {"Smaller": first < second, "Equal": first == second}[name]

    def mated(self, at) -> bool:
        return self.rules.won(at.board) and not self.rules.mine(at.board)

    def mate_in_one(self, at) -> float:
        moves = self.rules.moves(at.board)
        if not self.rules.mine(at.board) or not moves or at.left == 0:
            self.refused += bool(moves) and self.rules.mine(at.board)
            return float(self.mated(at))
        if self.spent():
            self.truncated = True
            return 0.0
        for number, move in enumerate(one for one in moves if self.rules.forcing(at.board, one)):
            if number and self.spent():
                self.truncated = True
                return 0.0
            child = self.after(at, move)
            self.pay(child)
            if self.mated(child):
                return 1.0
        return 0.0

    def mover(self, name, args, at, entry):
        rules, last = self.rules, args[-1]
        moves, mine = rules.moves(at.board), rules.mine(at.board)
        here = not self.made and name in ("IfExistsCheckingMove", "IfClearingWayMove", "IfSuicideCheck")
        if MOVERS[name] not in (None, mine):
            return self.value(last, at, entry)
        if not moves:
            won = name == "IfForAllOpponentMoves" and self.mated(at)
            return self.value(args[1] if won else last, at, entry)
        if at.left == 0:
            self.refused += 1
            return self.value(last, at, entry)
        if name == "IfKingMustMove" and not rules.see("KingMustMove", at.before, at.move, at.board):
            return self.value(last, at, entry)
        if name == "IfExistsCheckingMove":
            moves = [one for one in moves if rules.forcing(at.board, one)]
            if not moves:
                return self.value(last, at, entry)
        if self.spent() and not here:
            self.truncated = True
            return self.value(last, at, entry)
        if name in ("MakeBestMove", "MakeAllMovesSuchThat"):
            return self.best(name, args, moves, at, entry, max if mine else min)
        if name == "IfForAllOpponentMoves":
            return self.every(args, moves, at, entry)
        if name == "IfSuicideCheck":
            moves = [one for one in moves if rules.forcing(at.board, one)]
        conditions = {"IfMyMoveExistsSuchThat": 1, "MyMoveIter": 2, "IfSuicideCheck": 1}.get(name, 0)
        if conditions and not reads(args[0]) and not self.value(args[0], at, entry):
            return self.value(last, at, entry)
        for number, move in enumerate(moves):
            if number and (self.weary() if here else self.spent()):
                self.truncated = True
                break
            child = self.after(at, move)
            if name in PASSED and not rules.see(PASSED[name], at.board, move, child.board):
                self.passed += 1
                continue
            if here:
                held = all(self.value(one, at, entry) for one in args[:conditions])
                return self.value(args[conditions] if held else last, at, entry)
            if conditions and not self.on(args[0], child, entry):
                continue
            if name == "MyMoveIter" and not self.replies(args[1], child, entry):
                if self.iter == "first":
                    break
                continue
            return self.on(args[conditions], child, entry)
        return self.value(last, at, entry)

    def replies(self, condition, at, entry) -> bool:
        """Whether a condition holds after every reply; the move before them is made for them."""
        self.pay(at)
        moves = self.rules.moves(at.board)
        if not moves:
            return self.mated(at)
        if at.left == 0:
            self.refused += 1
            return False
        return self.all_hold(condition, moves, at, entry)

    def all_hold(self, condition, moves, at, entry) -> bool:
        for move in moves:
            if self.spent():
                self.truncated = True
                return False
            if not reads(condition):
                return self.value(condition, at, entry) != 0
            if not self.on(condition, self.after(at, move), entry):
                return False
        return True

    def every(self, args, moves, at, entry):
        if not self.all_hold(args[0], moves, at, entry):
            return self.value(args[2], at, entry)
        if not reads(args[1]):
            return self.value(args[1], at, entry)
        if self.spent():
            self.truncated = True
            return self.value(args[2], at, entry)
        if self.reply == "worst":
            return self.best("MakeBestMove", (args[1], args[2]), moves, at, entry, min)
        return self.on(args[1], self.after(at, moves[0]), entry)

    def best(self, name, args, moves, at, entry, choose):
        condition = args[0] if name == "MakeAllMovesSuchThat" else 1.0
        node = args[1] if name == "MakeAllMovesSuchThat" else args[0]
        found = []
        bare = name == "MakeBestMove" and not reads(node)
        if bare or (not reads(condition) and not self.value(condition, at, entry)):
            moves = ()
        for number, move in enumerate(moves):
            if number and self.spent():
                self.truncated = True
                break
            child = self.after(at, move)
            if self.on(condition, child, entry):
                found.append(self.on(node, child, entry))
                if self.cutoff and found[-1] * (1 if choose is max else -1) >= 1000:
                    break
        return choose(found) if found else self.value(args[-1], at, entry)
