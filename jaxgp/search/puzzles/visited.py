"""Sets of the positions that searches have met, one for each lane.

A set is a hash table with open addressing, uint32[T, W + 1]: keys, each with the stamp under which it was written. A
key is in the set if it has the set's stamp. So a set is emptied by raising its stamp, and nothing has to be cleared. T
is a power of two; a set should fill about half of it at most. Entries are compared by whole keys.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.search.table import mix


def create(size: int, words: int) -> Array:
    """Return the table of one empty set, of `size` entries for keys of `words` words. Stamps begin with 1."""
    return jnp.zeros((size, words + 1), jnp.uint32)


def slots(tables: Array, keys: Array) -> Array:
    """Return int32[...]: where in tables (uint32[L, T, W + 1]) keys (uint32[..., W]) are looked up first."""
    return (mix(keys) & np.uint32(tables.shape[1] - 1)).astype(jnp.int32)


def write(tables: Array, stamps: Array, slot: Array, keys: Array, wanted: Array) -> Array:
    """Return the tables with keys (uint32[L, W]) at free slots (int32[L]), in the lanes that are `wanted` (bool[L])."""
    entries = jnp.concatenate([keys, stamps[:, None]], 1)
    return tables.at[jnp.arange(len(slot)), jnp.where(wanted, slot, tables.shape[1])].set(entries, mode="drop")


def find(tables: Array, stamps: Array, keys: Array, wanted: Array) -> tuple[Array, Array]:
    """Look up the keys uint32[L, S, W] that are `wanted` (bool[L, S]) in the sets of stamps uint32[L].

    Returns:
        bool[L, S], which of them are in the sets, and int32[L, S], the free slot of each of the others.
    """
    lane, stamp, entries = _entries(stamps, keys)

    def look(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        slot, pending, found = carry
        there = tables[lane, slot]
        used = there[..., -1] == stamp
        equal = pending & used & (there == entries).all(-1)
        pending &= used & ~equal
        return jnp.where(pending, (slot + 1) & (tables.shape[1] - 1), slot), pending, found | equal

    first = slots(tables, keys), wanted, jnp.zeros_like(wanted)
    slot, _, found = lax.while_loop(lambda carry: carry[1].any(), look, first)
    return found, slot


def add(tables: Array, stamps: Array, keys: Array, wanted: Array) -> tuple[Array, Array]:
    """Write the keys uint32[L, S, W] that are `wanted` (bool[L, S]) into the sets of stamps uint32[L].

    Of equal keys the first one is fresh. Where several keys want one entry, the first one takes it, and the others look
    at it again.

    Returns:
        The tables, and bool[L, S]: which keys are fresh, that is, wanted and not in the sets before.
    """
    lane, stamp, entries = _entries(stamps, keys)
    size, earlier = tables.shape[1], np.tri(wanted.shape[1], k=-1, dtype=bool)

    def look(carry: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        table, slot, pending, fresh = carry
        there = table[lane, slot]
        used = there[..., -1] == stamp
        equal = used & (there == entries).all(-1)
        free = pending & ~used
        contested = ((slot[:, :, None] == slot[:, None, :]) & free[:, None, :] & earlier).any(-1)
        takes = free & ~contested
        table = table.at[lane, jnp.where(takes, slot, size)].set(entries, mode="drop")
        slot = jnp.where(used, (slot + 1) & (size - 1), slot)
        return table, slot, pending & ~equal & ~takes, fresh | takes

    first = tables, slots(tables, keys), wanted, jnp.zeros_like(wanted)
    table, _, _, fresh = lax.while_loop(lambda carry: carry[2].any(), look, first)
    return table, fresh


def _entries(stamps: Array, keys: Array) -> tuple[Array, Array, Array]:
    """Return int32[L, 1] lanes, uint32[L, 1] stamps, and uint32[L, S, W + 1] keys with stamps."""
    stamp = stamps[:, None]
    entries = jnp.concatenate([keys, jnp.broadcast_to(stamp, keys.shape[:-1])[..., None]], -1)
    return jnp.arange(len(stamps))[:, None], stamp, entries
