"""Searches by hand of problems, depth first: one order of moves, and what is added to it, step by step.

    plain       every first move that all replies leave won; moves by their numbers
    captures    captures first
    checks      forcing moves first, in the order of the list
    last        and on the last move forcing moves alone, where every move that wins is forcing
    table       and an exact table of positions that are proved or refuted within a number of moves
    staged      and forcing moves alone to the whole depth first, then all
    few         and moves with the fewest replies first; each is made once to see its replies, and kept

Each has what stands before it, but for the order of moves. `plain` is algorithm 6.1 of M. Sipper, "Evolved to Win"
(2011), with two things mended: stalemate is no mate, and only the side that replies is asked whether it is mated.

Replies are tried in the same order as moves. Where a search is not told the number of moves, it deepens from 1 and
counts all moves that it makes.

A CPU searches in C++ that is made from the rules (`jaxgp.search.proofs.native`), if it can; else lanes search one root
each (`jaxgp.search.proofs.lanes`). Claims and nodes are the same.
"""

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import take
from jaxgp.contracts import Problem, States
from jaxgp.search.lookahead import Contexts
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.lanes import DepthLane, DepthLanes
from jaxgp.search.proofs.native.generate import Sort
from jaxgp.search.proofs.native.run import Searched, claimed, why_not

LADDER = ("plain", "captures", "checks", "last", "table", "staged", "few")


@dataclass(frozen=True)
class DepthFirst(DepthLanes):
    """Searches roots depth first, each up to a limit of nodes.

    Attributes:
        problem: the rules.
        method: a name of `LADDER`.
        told: whether searches know the number of moves, or deepen from 1.
        deepest: the most own moves of a root; None: as many as the problem allows.
        replies: the order of replies, one of the problem's; None: that of moves.
        entries: entries of the table of each search, a power of two. Each key has one slot, and the last key written
            there owns it.
        lanes: searches in progress at the same time.
        narrow: the fewest lanes to which the loop is narrowed once the queue is empty.

    Raises:
        ValueError: an unknown method or order, or a number out of range.
    """

    problem: Problem[Any]
    method: str = "few"
    told: bool = True
    deepest: int | None = None
    replies: str | None = None
    entries: int = 4096
    lanes: int = 256
    narrow: int = 256

    def __post_init__(self) -> None:
        if self.method not in LADDER:
            raise ValueError(f"method={self.method}: accepted: {', '.join(LADDER)}")
        for order in self.orders:
            if order not in self.problem.orders:
                accepted = f"orders of {self.problem.name}: {', '.join(self.problem.orders)}"
                raise ValueError(f"method={self.method} needs the order {order}; accepted: {accepted}")
        self._check_numbers()

    def has(self, step: str) -> bool:
        """Whether the method has what a name of the ladder adds."""
        return LADDER.index(self.method) >= LADDER.index(step)

    @property
    def orders(self) -> tuple[str, str]:
        """The orders of moves of the solver and of the other side."""
        own = self.method if self.method in ("plain", "captures") else self.problem.orders[0]
        return own, self.replies or own

    @property
    def sorts(self) -> bool:
        """Whether some moves are made, sorted by what is seen after them, and visited then."""
        return self.has("few")

    @property
    def sort(self) -> Sort:
        """What moves are sorted by; searches that sort alike have equal ones."""
        return by_replies

    @property
    def contexts(self) -> tuple[Contexts, Array | None]:
        """What moves are sorted by beside boards, [C, ...], and which of it at each root, int32[Q]; None: nothing."""
        return (), None

    def code(self, lane: DepthLane, before: States, action: Array, after: States, seen: Any) -> Array:
        """Return int32[] below 2^21: what moves are sorted by, the lowest first."""
        contexts, whose = self.contexts
        own = contexts if whose is None else take(contexts, whose[lane.root][None])
        return self.sort(own, before, action, after, seen)

    @property
    def _natively(self) -> Searched | str:
        """What C++ searches, or why it does not."""
        if type(self).sees is not DepthFirst.sees or type(self).code is not DepthFirst.code:
            return "a form of the search sorts moves in a way of its own"
        return self.problem, self.orders, self.sort if self.sorts else None

    def why_in_lanes(self, contexts: Contexts = ()) -> str:
        """Return why a CPU searches in lanes and not in C++; an empty text: it searches in C++.

        Args:
            contexts: [C, ...], that moves are sorted by.

        Raises:
            UsageError: the variable that switches native code off has an unknown value.
        """
        found = self._natively
        return found if isinstance(found, str) else why_not(found, contexts)

    def search(self, states: States, limit: Array, count: Array | None = None) -> Claims:
        """Search the first `count` of `states`; see `RootSearch`."""
        number = jnp.int32(len(limit)) if count is None else jnp.asarray(count, jnp.int32)
        found, (contexts, whose) = self._natively, self.contexts
        if isinstance(found, str):
            return self.in_lanes(states, limit, number)
        options = {
            **{"most": self._most, "entries": self.entries if self.has("table") else 0, "told": self.told},
            **{"last": self.has("last"), "staged": self.has("staged"), "sorts": self.sorts},
        }
        own = jnp.zeros_like(limit) if whose is None else whose

        def plain(states: States, limit: Array, count: Array, *_: Any) -> Claims:
            return self.in_lanes(states, limit, count)

        return claimed(plain, found, options, states, limit, number, contexts, own)


def by_replies(contexts: Contexts, before: States, action: Array, after: States, seen: Any) -> Array:
    """Return int32[]: the number of replies."""
    del contexts, before, action, after
    count: Array = seen.count
    return count
