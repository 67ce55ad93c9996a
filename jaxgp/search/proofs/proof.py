"""The proof of a problem as a tree, and a check of it on the host by rules that share nothing with the search.

A proof has one move of the solver at each of its positions, all replies of the other side at each of its own, and ends
in won positions.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

LARGEST = 1 << 20
"""The most moves of a proof that is read."""


class PlainRules(Protocol):
    """Rules in plain Python, by which a proof is checked. A position is any value."""

    def start(self, text: str) -> Any:
        """Return the position of a problem; raises ValueError."""

    def moves(self, position: Any) -> Mapping[str, Any]:
        """Return the positions after all legal moves, by the names of the moves."""

    def won(self, position: Any) -> bool:
        """Return whether the side that has just moved has won."""


@dataclass(frozen=True)
class FirstMove:
    """What has come of a first move of the solver.

    Attributes:
        name: of the move.
        wins: whether it is a key.
        open: whether the search was cut, so that nothing is known.
        reply: of the other side, by which a move that does not win is refuted; empty: there is none.
        nodes: that the search of this move took.
    """

    name: str
    wins: bool
    open: bool
    reply: str
    nodes: int


@dataclass(frozen=True)
class Proof:
    """A tree of moves, parents first.

    Attributes:
        problem: the position, in the game's own words.
        own: moves within which the solver wins.
        parents: int32[N], the move before each; -1: made at the root.
        names: of the moves.
    """

    problem: str
    own: int
    parents: np.ndarray
    names: tuple[str, ...]

    @property
    def depths(self) -> np.ndarray:
        """int32[N]: the ply in which each move is made, from 0 on."""
        found = np.zeros(len(self.parents), np.int32)
        for n, parent in enumerate(self.parents.tolist()):
            found[n] = found[parent] + 1 if parent >= 0 else 0
        return found

    @property
    def children(self) -> list[list[int]]:
        """The moves after each move; those at the root come last."""
        found: list[list[int]] = [[] for _ in range(len(self.parents) + 1)]
        for n, parent in enumerate(self.parents.tolist()):
            found[parent].append(n)
        return found

    def line(self, node: int) -> list[str]:
        """Return the names of the moves from the root to a move."""
        found = []
        while node >= 0:
            found.append(self.names[node])
            node = int(self.parents[node])
        return found[::-1]


def write(proof: Proof) -> str:
    """Return a proof as JSON."""
    moves = [[int(parent), name] for parent, name in zip(proof.parents, proof.names, strict=True)]
    return json.dumps({"problem": proof.problem, "own": proof.own, "moves": moves})


def read(text: str) -> Proof:
    """Read a proof that `write` has written.

    Raises:
        ValueError: it is none; the message says what is wrong.
    """
    try:
        held = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from error
    if not isinstance(held, dict) or set(held) != {"problem", "own", "moves"}:
        raise ValueError("no proof; accepted: an object of problem, own and moves")
    problem, own, moves = held["problem"], held["own"], held["moves"]
    if not isinstance(problem, str) or not isinstance(own, int) or isinstance(own, bool) or not isinstance(moves, list):
        raise ValueError("problem, own or moves is of another type; accepted: text, a whole number, a list")
    if len(moves) > LARGEST:
        raise ValueError(f"the proof has {len(moves)} moves; accepted: {LARGEST} at most")
    for number, move in enumerate(moves):
        fits = isinstance(move, list) and len(move) == 2 and isinstance(move[1], str)
        if not fits or not isinstance(move[0], int) or not -1 <= move[0] < number:
            raise ValueError(f"move {number} is no parent and a name; accepted: a number below {number}, and text")
    return Proof(problem, own, np.array([move[0] for move in moves], np.int32), tuple(move[1] for move in moves))


def verify(proof: Proof, rules: PlainRules) -> None:
    """Check a proof by plain rules.

    Raises:
        ValueError: it proves nothing; the message says where and why.
    """
    children, depths = proof.children, proof.depths
    positions: dict[int, Any] = {-1: rules.start(proof.problem)}
    if len(children[-1]) != 1:
        raise ValueError(f"the root has {len(children[-1])} moves; accepted: 1")
    for node in _breadth(children):
        before = positions[int(proof.parents[node])]
        legal = rules.moves(before)
        if proof.names[node] not in legal:
            raise ValueError(f"{_words(proof, node)}: the move is not legal")
        after = positions[node] = legal[proof.names[node]]
        own = depths[node] % 2 == 0
        if own and depths[node] // 2 >= proof.own:
            raise ValueError(f"{_words(proof, node)}: there are more than {proof.own} moves of the solver")
        answers = [proof.names[child] for child in children[node]]
        if len(set(answers)) != len(answers):
            raise ValueError(f"{_words(proof, node)}: a move stands there twice")
        if not own and len(answers) != 1:
            raise ValueError(f"{_words(proof, node)}: the solver has {len(answers)} moves; accepted: 1")
        if own:
            replies = rules.moves(after)
            if set(answers) != set(replies):
                missing = sorted(set(replies) - set(answers))
                raise ValueError(f"{_words(proof, node)}: not answered: {', '.join(missing) or 'none'}")
            if not replies and not rules.won(after):
                raise ValueError(f"{_words(proof, node)}: the play ends without a win")


def _breadth(children: list[list[int]]) -> Iterable[int]:
    """Yield all moves, those of a ply after those of the ply before."""
    row = children[-1]
    while row:
        yield from row
        row = [child for node in row for child in children[node]]


def _words(proof: Proof, node: int) -> str:
    return " ".join(proof.line(node))
