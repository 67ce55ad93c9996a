"""Items that go on a pack at a time, so that what they need stays in the cache of a CPU, and few wait for others."""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxgp.arrays import take

Items = TypeVar("Items")


def in_packs(
    advance: Callable[[Array, Items, Array, Array], tuple[Items, Array]],
    items: Items,
    more: Array,
    order: Array,
    size: int,
) -> Items:
    """Let items go on until none of them can.

    A pack is left when half of its items cannot go on. When all packs were left, the others form new packs, half as
    many, until there is one, which goes on to the end. So no more than half of a pack waits.

    Args:
        advance: (int32[C] which items, items [C, ...], bool[C] which of them go on, int32[] until) -> (items [C, ...],
            bool[C] which of them can go on), where no more than `until` can. Each step must depend on nothing but the
            item.
        items: a tree of arrays [P, ...].
        more: bool[P], which items may be able to go on.
        order: int32[P], the order in which they are taken.
        size: C, from 1 to P.
    """
    count = len(order)

    def once(carry: tuple[Items, Array]) -> tuple[Items, Array]:
        items, more = carry
        left = more.sum(dtype=jnp.int32)
        ahead = jnp.pad(order[jnp.argsort(~more[order], stable=True)], (0, size), constant_values=count)

        def pack(number: Array, carry: tuple[Items, Array]) -> tuple[Items, Array]:
            items, more = carry
            first = number * size
            who = lax.dynamic_slice_in_dim(ahead, first, size)
            here = first + jnp.arange(size, dtype=jnp.int32) < left
            until = jnp.where(left > size, jnp.minimum(size, left - first) // 2, 0)
            place = jnp.minimum(who, count - 1)
            moved, still = advance(place, take(items, place), here, until)
            at = jnp.where(here, who, count)
            items = jax.tree.map(lambda x, y: x.at[at].set(y, mode="drop"), items, moved)
            return items, more.at[at].set(still, mode="drop")

        return lax.fori_loop(0, -(-left // size), pack, (items, more))

    return lax.while_loop(lambda carry: carry[1].any(), once, (items, more))[0]
