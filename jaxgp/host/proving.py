"""Problems for people: what a search finds, first move by first move, the proof as text, and lessons at the table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.contracts import Problem
from jaxgp.errors import RunError
from jaxgp.search.proofs import proof as trees
from jaxgp.search.proofs.depth import DepthFirst
from jaxgp.search.proofs.extract import Extractor, Searched
from jaxgp.search.proofs.proof import FirstMove, Proof
from jaxgp.spec import Spec

TOGETHER = 64
SHOWN = 60
"""Lines of a proof that are printed at most."""
HINTS = ("hint", "?")
LEAVING = ("quit", "exit")


@dataclass(frozen=True)
class Solved:
    """A problem that is won."""

    own: int  # moves within which the side to move wins, the fewest
    moves: tuple[FirstMove, ...]  # in the order of the list
    nodes: int  # of the search that found the win
    proof: Proof


class Desk:
    """Searches problems of one game, compiled once."""

    def __init__(
        self, spec: Spec, game: Problem[Any], limit: int, search: Searched | None = None, together: int = TOGETHER
    ) -> None:
        """Prepare.

        Args:
            spec: the game.
            game: its rules.
            limit: nodes of a search.
            search: proves so many problems at once; None: `few`.
            together: how many.
        """
        if spec.proving is None:
            raise RunError(f"game={spec.name}: its problems cannot be told")
        self.game, self._told, self._limit = game, spec.proving, limit
        self.state = jax.device_get(game.init(jax.random.key(0)))
        self.own = int(game.left(self.state))
        found = DepthFirst(game, deepest=self.own, lanes=together, narrow=together)
        self._search = search or jax.jit(found.search)
        self._together = together
        self._extractor = Extractor(game, self._search, together)

    def solve(self) -> Solved:
        """Search the problem; raises RunError where nothing is won, which says what is proved."""
        nodes = 0
        for own in range(1, self.own + 1):
            claims = self._ask([self.game.within(self.state, own)])
            nodes += int(claims.nodes[0])
            if claims.truncated[0]:
                raise RunError(f"no win was found with {nodes:,} nodes; more: limit=NODES")
            if claims.solved[0]:
                break
        else:
            raise RunError(f"none: no first move wins within {self.own} moves, proved with {nodes:,} nodes")
        state = self.game.within(self.state, own)
        found = self._extractor.proof(self.text(self.state), state, self._limit, self._name)
        trees.verify(found, self._told.plain)
        return Solved(own, self._first_moves(state), nodes, found)

    def _first_moves(self, state: Any) -> tuple[FirstMove, ...]:
        [actions] = self._extractor.lists([state])
        after = self._extractor.after([state] * len(actions), actions)
        claims = self._ask(after)
        found = []
        for n, action in enumerate(actions):
            refuted = bool(claims.refuted[n]) and int(claims.chosen[n]) >= 0
            reply = self._name(after[n], int(claims.chosen[n])) if refuted else ""
            name = self._name(state, action)
            found.append(
                FirstMove(name, bool(claims.solved[n]), bool(claims.truncated[n]), reply, int(claims.nodes[n]))
            )
        return tuple(found)

    def answer(self, state: Any) -> tuple[bool, str]:
        """Return whether the solver wins where the other side is to move, and a reply: one that refutes it, if any."""
        claims = self._ask([state])
        if claims.solved[0]:
            [actions] = self._extractor.lists([state])
            return True, self._name(state, actions[0]) if actions else ""
        return False, self._name(state, int(claims.chosen[0])) if claims.chosen[0] >= 0 else ""

    def play(self, state: Any, name: str) -> Any:
        """Return the state after a move."""
        return self._extractor.after([state], [self._told.action(self.game, state, name)])[0]

    def won(self, state: Any) -> str | None:
        """Return a move of the solver that wins here, if there is one."""
        claims = self._ask([state])
        return self._name(state, int(claims.chosen[0])) if claims.solved[0] else None

    def text(self, state: Any) -> str:
        """Return a state in the game's own words."""
        return self._told.text(self.game, state)

    def _name(self, state: Any, action: int) -> str:
        return self._told.name(self.game, state, action)

    def _ask(self, states: list[Any]) -> Any:
        """Return the claims of any number of states."""
        found = []
        for begin in range(0, len(states), self._together):
            rows = [min(n, len(states) - 1) for n in range(begin, begin + self._together)]
            batch = jax.tree.map(lambda *x: np.stack(x), *(states[n] for n in rows))
            limits = jnp.full(self._together, self._limit, jnp.int32)
            claims = jax.device_get(self._search(batch, limits))
            found.append(jax.tree.map(lambda x, begin=begin: x[: len(states) - begin], claims))
        return jax.tree.map(lambda *x: np.concatenate(x), *found)


def report(spec: Spec, solved: Solved) -> list[str]:
    """Return what is told of a solved problem: the keys, the proof, and what refutes the other first moves."""
    told = spec.proving
    assert told is not None
    start = told.plain.start(solved.proof.problem)
    names = ", ".join(told.written(start, move.name) for move in solved.moves if move.wins)
    return [
        f"Won in {solved.own} by {names}: {solved.nodes:,} nodes; a proof of {len(solved.proof.names)} moves, checked.",
        "",
        *tree(spec, solved.proof),
        "",
        *refutations(spec, solved),
    ]


def refutations(spec: Spec, solved: Solved) -> list[str]:
    """Return a line for each first move that is no key: what refutes it, and how many nodes that took."""
    told = spec.proving
    assert told is not None
    start = told.plain.start(solved.proof.problem)
    after = told.plain.moves(start)
    lines = []
    for move in solved.moves:
        if move.wins:
            continue
        written = told.written(start, move.name)
        why = "not settled" if move.open else "no reply: it ends without a win"
        if move.reply:
            why = f"refuted by {told.written(after[move.name], move.reply)}"
        lines.append(f"  {written:8} {why} ({move.nodes:,} nodes)")
    return lines


def tree(spec: Spec, proof: Proof, whole: bool = False) -> list[str]:
    """Return a proof as text: a line for each reply, indented by moves; only the first ones unless it is `whole`."""
    told, children = spec.proving, proof.children
    assert told is not None
    lines: list[str] = []

    def write(node: int, position: Any, number: int) -> None:
        """Write what follows a move of the solver."""
        for reply in children[node]:
            name = proof.names[reply]
            after = told.plain.moves(position)[name]
            own = children[reply][0]
            answer = proof.names[own]
            lines.append(f"{'  ' * number}{told.written(position, name)} {number + 1}. {told.written(after, answer)}")
            write(own, told.plain.moves(after)[answer], number + 1)

    start = told.plain.start(proof.problem)
    key = children[-1][0]
    lines.append(f"1. {told.written(start, proof.names[key])}")
    write(key, told.plain.moves(start)[proof.names[key]], 1)
    more = len(lines) - SHOWN
    return lines if more <= 0 or whole else [*lines[:SHOWN], f"... {more} more lines; save=FILE keeps them"]


def teach(spec: Spec, desk: Desk, ask: Callable[[str], str], say: Callable[[str], None]) -> bool:
    """Give a person a problem; answer each try by what refutes it; return whether it was solved."""
    told, state, number = spec.proving, desk.state, 1
    assert told is not None
    while True:
        position = told.plain.start(desk.text(state))
        say(spec.drawing.text(desk.game, state))
        wins = desk.won(state)
        typed = ask(f"Move {number} (or hint, quit): ")
        if typed.strip() in LEAVING:
            return False
        if typed.strip() in HINTS:
            say(_hint(told.written(position, wins)) if wins else "There is no way to win any more.")
            continue
        try:
            name = told.typed(position, typed)
        except ValueError as error:
            say(str(error))
            continue
        after_position, after = told.plain.moves(position)[name], desk.play(state, name)
        if told.plain.won(after_position):
            say(f"{told.written(position, name)} wins. Solved.")
            return True
        holds, reply = desk.answer(after)
        if not holds:
            refuted = f"{told.written(after_position, reply)} refutes it" if reply else "the play ends without a win"
            say(f"{told.written(position, name)}: {refuted}. Try again.")
            continue
        say(f"{told.written(position, name)} is right; the answer is {told.written(after_position, reply)}.")
        state, number = desk.play(after, reply), number + 1


def _hint(written: str) -> str:
    """Return what kind of move wins."""
    if written.endswith(("+", "#")):
        return "The move gives check."
    return "The move is a capture." if "x" in written else "The move is quiet."
