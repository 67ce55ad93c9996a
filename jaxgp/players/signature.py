"""What an individual did in its games, in two words: equal for individuals that made the same moves."""

import jax.numpy as jnp
import numpy as np
from jax import Array

FACTORS = np.array([0x9E3779B1, 0x85EBCA77], np.uint32)


def extend(behaviour: Array, action: Array) -> Array:
    """Let one more move (int32[...]) into the hashes (uint32[..., 2]) of the moves so far."""
    mixed = (behaviour ^ (action[..., None].astype(jnp.uint32) + 1)) * FACTORS
    return mixed ^ (mixed >> 15)
