"""A queue of roots that free-running lanes search: a lane that is done takes the next root in the same iteration.

No lane waits for another before the queue is empty. Once it is, few busy lanes go on in narrower loops.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array, lax

from jaxgp.arrays import take


class Lanes(Protocol):
    """Searches in progress, [L, ...]: a `flax.struct.dataclass` with these fields and a search's own."""

    @property
    def busy(self) -> Array:
        """bool[L]: whether a root is being searched."""

    @property
    def root(self) -> Array:
        """int32[L]: index of the root in the queue."""


L = TypeVar("L", bound=Lanes)
Results = TypeVar("Results")
Begin = Callable[[L, Array, Array], L]
"""(lanes, begins bool[L], roots int32[L]) -> the lanes, of which those that begin have taken these roots."""
Advance = Callable[[L, Array], tuple[L, Array, Any]]
"""(lanes, running bool[]) -> lanes, bool[L], and a tree [L, ...]: one iteration, which lanes have finished, and what
they have found. `running` is true; the compiler must not know that it is.
"""


@struct.dataclass
class _Queue:
    lanes: Any  # [L, ...]
    taken: Array  # int32[]: roots handed out
    results: Any  # a tree [Q, ...]
    iterations: Array  # int32[]


def is_free(lanes: Lanes) -> Array:
    """Return bool[L]: which lanes may be handed a root."""
    return ~lanes.busy


def drain(
    idle: L,
    width: int,
    narrow: int,
    count: Array,
    results: Results,
    begin: Begin[L],
    advance: Advance[L],
    free: Callable[[L], Array] = is_free,
) -> tuple[Results, Array]:
    """Search the first `count` roots of a queue of Q.

    Args:
        idle: one lane that is not busy.
        width: lanes, L.
        narrow: once the queue is empty and few lanes are busy, they go on in a loop a quarter as wide, and so on down
            to this many lanes.
        count: int32[], at most Q.
        results: a tree [Q, ...] of what stands for roots that are not searched.
        begin: hands roots to lanes.
        advance: runs one iteration.
        free: which lanes may be handed a root.

    Returns:
        The results of all roots, and int32[]: iterations.
    """
    length = len(jax.tree.leaves(results)[0])

    def refill(queue: _Queue) -> _Queue:
        """Hand the next roots to the lanes that are free."""
        vacant = free(queue.lanes)
        root = queue.taken + jnp.cumsum(vacant, dtype=jnp.int32) - 1
        begins = vacant & (root < count)
        lanes = begin(queue.lanes, begins, jnp.where(begins, root, 0))
        lanes = replace(lanes, busy=queue.lanes.busy | begins, root=jnp.where(begins, root, queue.lanes.root))  # type: ignore[type-var]
        return replace(queue, lanes=lanes, taken=queue.taken + begins.sum(dtype=jnp.int32))

    def step(queue: _Queue) -> _Queue:
        """Advance all lanes, store the results of finished roots, and hand out the next ones."""
        lanes, finished, found = advance(queue.lanes, queue.taken > 0)
        at = jnp.where(finished, lanes.root, length)  # out of range where nothing is to be stored
        return refill(
            replace(
                queue,
                lanes=replace(lanes, busy=lanes.busy & ~finished),  # type: ignore[type-var]
                results=jax.tree.map(lambda old, new: old.at[at].set(new, mode="drop"), queue.results, found),
                iterations=queue.iterations + 1,
            )
        )

    def more(queue: _Queue, number: int) -> Array:
        """Whether a root waits, or more than `number` lanes are busy."""
        return (queue.taken < count) | (queue.lanes.busy.sum() > number)

    lanes = jax.tree.map(lambda x: jnp.broadcast_to(x, (width, *x.shape)), idle)
    queue = refill(_Queue(lanes, jnp.int32(0), results, jnp.int32(0)))
    while width:
        fewer = width // 4 if width // 4 >= narrow else 0
        queue = lax.while_loop(partial(more, number=fewer), step, queue)
        queue, width = replace(queue, lanes=_busiest(queue.lanes, fewer)), fewer
    return queue.results, queue.iterations


def _busiest(lanes: L, number: int) -> L:
    """Keep `number` lanes, among them all busy ones; at most `number` lanes may be busy."""
    return take(lanes, jnp.argsort(~lanes.busy, stable=True)[:number])
