"""Sets of visited positions, one for each lane of a search.

A set is a hash table with open addressing, uint32[T, W + 1]: keys, each with the stamp under which it was written. A
key is in the set if it has the set's stamp. So a set is emptied by raising its stamp, and nothing has to be cleared. T
is a power of two; a set should fill about half of it at most. Entries are compared by whole keys.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.bits import mix


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


def add(tables: Array, stamps: Array, lane: Array, keys: Array, wanted: Array, near: int) -> tuple[Array, Array]:
    """Write the keys uint32[B, W] that are `wanted` (bool[B]) into the sets `lane` (int32[B]) of stamps uint32[L].

    Of equal keys the first one is fresh. Where several keys want one entry, the first one takes it, and the others look
    at it again. Keys of one set are at most `near` places apart.

    Returns:
        The tables, and bool[B]: which keys are fresh, that is, wanted and not in the sets before.
    """
    size, stamp = tables.shape[1], stamps[lane]
    entries = jnp.concatenate([keys, stamp[:, None]], 1)

    def probe(table: Array, slot: Array, pending: Array) -> tuple[Array, Array]:
        """Go on from slots to the entries that have the keys, or to free ones; return them, and which are free."""

        def look(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            slot, looking, free = carry
            there = table[lane, slot]
            used = there[:, -1] == stamp
            free |= looking & ~used
            looking &= used & (there != entries).any(1)
            return jnp.where(looking, (slot + 1) & (size - 1), slot), looking, free

        slot, _, free = lax.while_loop(lambda carry: carry[1].any(), look, (slot, pending, jnp.zeros_like(pending)))
        return slot, free

    def write(carry: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
        table, slot, pending, fresh = carry
        slot, free = probe(table, slot, pending)
        takes = free & ~_follows(jnp.where(free, lane * size + slot, -1), near)
        table = table.at[lane, jnp.where(takes, slot, size)].set(entries, mode="drop")
        return table, slot, free & ~takes, fresh | takes

    first = tables, (mix(keys) & np.uint32(size - 1)).astype(jnp.int32), wanted, jnp.zeros_like(wanted)
    table, _, _, fresh = lax.while_loop(lambda carry: carry[2].any(), write, first)
    return table, fresh


def _follows(numbers: Array, near: int) -> Array:
    """Return bool[B]: which of the numbers (int32[B]) stand among the `near` ones before them too."""
    before = jnp.concatenate([jnp.full(near, -2, jnp.int32), numbers])
    follows = jnp.zeros(len(numbers), jnp.bool_)
    for place in range(near):
        follows |= before[place : place + len(numbers)] == numbers
    return follows


def _entries(stamps: Array, keys: Array) -> tuple[Array, Array, Array]:
    """Return int32[L, 1] lanes, uint32[L, 1] stamps, and uint32[L, S, W + 1] keys with stamps."""
    stamp = stamps[:, None]
    entries = jnp.concatenate([keys, jnp.broadcast_to(stamp, keys.shape[:-1])[..., None]], -1)
    return jnp.arange(len(stamps))[:, None], stamp, entries
