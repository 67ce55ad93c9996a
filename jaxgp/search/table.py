"""A bounded table of a player's best moves by position, and the removal of duplicates from a batch of positions.

A fixed opponent meets the same positions again and again. `unique` removes duplicates within a batch, the table across
batches, so that each position is searched once. Both compare whole keys. A hash only says where to look, so a collision
costs a search and never gives a wrong answer.

Keys are rows of uint32 words, as `Game.key` makes them. No result depends on the order in which a scatter writes.
"""

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.bits import mix


@struct.dataclass
class HashTable:
    """Direct-mapped: each key has one slot, and the last key written there owns it."""

    keys: Array  # uint32[N, W]
    payload: Array  # uint32[N, V]: what is stored, for players the best moves as bits
    used: Array  # bool[N]


def create(size: int, words: int, payload: int = 1) -> HashTable:
    """Return an empty table of `size` slots, a power of two, for keys of `words` words with `payload` words each."""
    if size < 1 or size & (size - 1):
        raise ValueError(f"size={size}: accepted: powers of two")
    if words < 1 or payload < 1:
        raise ValueError(f"words={words}, payload={payload}: accepted: 1 or more")
    keys, stored = (jnp.zeros((size, width), jnp.uint32) for width in (words, payload))
    return HashTable(keys, stored, jnp.zeros(size, jnp.bool_))


def lookup(table: HashTable, keys: Array) -> tuple[Array, Array]:
    """Look up keys (uint32[B, W]); return bool[B], whether each is stored, and uint32[B, V], its payload or 0."""
    slot = _slot(table, keys)
    found = table.used[slot] & (table.keys[slot] == keys).all(-1)
    return found, jnp.where(found[:, None], table.payload[slot], 0)


def insert(table: HashTable, keys: Array, payload: Array, mask: Array) -> HashTable:
    """Store the rows of uint32[B, W] keys and uint32[B, V] payload where `mask` (bool[B]) holds.

    A row overwrites the previous entry of its slot. Of several rows with one slot the first is stored.
    """
    size = table.used.shape[0]
    slot = jnp.where(mask, _slot(table, keys), size)
    order = jnp.argsort(slot, stable=True)
    ordered = slot[order]
    first = jnp.concatenate([jnp.ones(1, jnp.bool_), ordered[1:] != ordered[:-1]])
    # Losers and masked rows go out of range and are dropped, so that no slot is written twice.
    at = jnp.where(first, ordered, size)
    return HashTable(
        keys=table.keys.at[at].set(keys[order], mode="drop"),
        payload=table.payload.at[at].set(payload[order].astype(jnp.uint32), mode="drop"),
        used=table.used.at[at].set(True, mode="drop"),
    )


def unique(keys: Array, mask: Array) -> tuple[Array, Array, Array]:
    """Find the distinct keys among the rows of uint32[B, W] where `mask` (bool[B]) holds, in O(B log B).

    Returns:
        order: int32[B]. `order[:count]` are the first rows to hold each distinct key, in the order of the keys (as
            `numpy.unique` sorts them); the rest is padding, valid row indices without meaning.
        count: int32[], number of distinct keys.
        group: int32[B]. `keys[order[group[b]]] == keys[b]` for every row of the mask; 0 elsewhere.
    """
    rows = keys.shape[0]
    # The last key of a lexsort is the primary one: live rows come first, then rows in the order of their words.
    by_key = jnp.lexsort((*keys.T[::-1], ~mask)).astype(jnp.int32)
    sorted_keys, live = keys[by_key], mask[by_key]
    fresh = jnp.concatenate([jnp.ones(1, jnp.bool_), (sorted_keys[1:] != sorted_keys[:-1]).any(-1)]) & live
    rank = jnp.cumsum(fresh, dtype=jnp.int32) - 1
    order = jnp.zeros(rows, jnp.int32).at[jnp.where(fresh, rank, rows)].set(by_key, mode="drop")
    group = jnp.zeros(rows, jnp.int32).at[by_key].set(jnp.where(live, rank, 0))
    return order, fresh.sum(dtype=jnp.int32), group


def _slot(table: HashTable, keys: Array) -> Array:
    """Return int32[B]: the slot of each key."""
    return (mix(keys) & np.uint32(table.used.shape[0] - 1)).astype(jnp.int32)
