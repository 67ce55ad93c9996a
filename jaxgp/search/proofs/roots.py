"""What searches of many roots of a problem in lanes have in common, whatever they look at first."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.contracts import Problem, States
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.words import Packing
from jaxgp.search.queue import Lanes, drain

L = TypeVar("L", bound=Lanes)


class RootSearch:
    """Base of searches whose lanes have one root each, frames of a state and its look, and a bounded table.

    The attributes are fields of the searches, which are dataclasses.
    """

    problem: Problem[Any]
    deepest: int | None
    entries: int
    lanes: int
    narrow: int

    def search(self, states: States, limit: Array, count: Array | None = None) -> Claims:
        """Search the first `count` of `states`. The states are a batch: do not vmap this method.

        Args:
            states: roots [Q, ...]; `left` of each is at most `deepest`. Where the other side is to move, the claim is
                whether it loses whatever it does, and a reply by which it does not is `chosen` where it is refuted.
            limit: int32[Q]: nodes after which a search ends, truncated.
            count: int32[], may be traced; None: all.
        """
        raise NotImplementedError

    def _check_numbers(self) -> None:
        """Refuse numbers that are out of range; raises ValueError."""
        if self.deepest is not None and not 1 <= self.deepest <= self.problem.deepest:
            raise ValueError(f"deepest={self.deepest}: accepted: 1 to {self.problem.deepest}")
        if self.entries < 1 or self.entries & (self.entries - 1):
            raise ValueError(f"entries={self.entries}: accepted: powers of two")
        if self.lanes < 1 or self.narrow < 1:
            raise ValueError(f"lanes={self.lanes}, narrow={self.narrow}: accepted: 1 or more")

    @cached_property
    def _most(self) -> int:
        return self.deepest or self.problem.deepest

    @cached_property
    def _packing(self) -> Packing:
        """The layout of a frame."""

        def frame() -> tuple[Any, Any]:
            state = self.problem.init(jax.random.key(0))
            return state, self.problem.look(state)

        return Packing.of(jax.eval_shape(frame))

    def _drain(
        self,
        idle: L,
        nothing: Claims,
        queue: int,
        count: Array | None,
        begin: Callable[[L, Array, Array], L],
        advance: Callable[[L, Array], tuple[L, Array, Claims]],
    ) -> Claims:
        """Return what lanes claim of the first `count` of `queue` roots; see `jaxgp.search.queue.drain`.

        Args:
            idle: a lane without a root.
            nothing: what such a lane claims.
            queue: Q.
            count: see `search`.
            begin: see `drain`.
            advance: see `drain`.
        """
        claims = jax.tree.map(lambda x: jnp.repeat(x[None], queue, 0), nothing)
        total = jnp.int32(queue) if count is None else jnp.minimum(jnp.asarray(count, jnp.int32), queue)
        return drain(idle, min(self.lanes, queue), self.narrow, total, claims, begin, advance)[0]
