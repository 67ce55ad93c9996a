"""Values as int32 codes in the order of the floats they stand for.

One below a code is the next smaller float, and the complement of a code stands for the negated value.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.contracts import Position

# Codes of floats lie strictly between these two, and each is the complement of the other.
LOWEST = np.int32(-(2**31) + 1)
HIGHEST = np.int32(2**31 - 2)
NEVER = np.int32(-(2**31))  # code of a move that is illegal or already searched
_GREATEST = np.float32(3e38)


def encode(value: Array) -> Array:
    """Map float32[...] to int32[...] in the same order.

    Both zeros and all subnormals have one code. Infinities are clipped to -3e38 and 3e38. NaN is not allowed.
    """
    value = jnp.clip(value, -_GREATEST, _GREATEST)
    bits = lax.bitcast_convert_type(jnp.where(jnp.abs(value) < np.finfo(np.float32).tiny, 0.0, value), jnp.int32)
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


def decode(code: Array) -> Array:
    """Map int32[...] back to float32[...]; the complement of the code of zero is zero too."""
    value = lax.bitcast_convert_type(code ^ ((code >> 31) & 0x7FFFFFFF), jnp.float32)
    return jnp.where((code == 0) | (code == -1), 0.0, value)


def side(state: Position) -> Array:
    """Return int32[]: what to XOR a code with to turn it from the view of seat 0 to the mover's, or back."""
    return -state.to_move.astype(jnp.int32)
