"""Choosing among masked moves, written once."""

import jax.numpy as jnp
from jax import Array


def pick(mask: Array, bits: Array) -> Array:
    """Draw one of the marked moves uniformly.

    Args:
        mask: bool[..., A], at least one marked; index 0 is returned where none is.
        bits: uint32[...], uniform. With A far below 2**32 the bias of the remainder is below A / 2**32.

    Returns:
        int32[...].
    """
    count = jnp.maximum(mask.sum(-1, dtype=jnp.uint32), 1)
    rank = (bits % count).astype(jnp.int32)
    return jnp.argmax(jnp.cumsum(mask, -1, dtype=jnp.int32) > rank[..., None], -1).astype(jnp.int32)
