"""Random bits of JAX on a CPU, in a form that compiles sooner and runs faster; importing this module chooses it.

JAX draws by the hash function Threefry-2x32. For a CPU it writes the rounds as a loop, whose kernels take XLA 0.2 s of
processor time for each draw of a new shape. The rounds one after the other are one kernel, which takes a fifth of that.
Fused with its users, it would be computed again for each of them; so it is a function that XLA does not inline. The
bits are the same.

Source: J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC11).
"""

import jax
import numpy as np
from jax import Array, lax
from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend.random import threefry2x32_p
from jax.interpreters import mlir

ROTATIONS = (13, 15, 26, 6), (17, 29, 16, 24)
PARITY = np.uint32(0x1BD11BDA)


@jax.jit
def threefry(key1: Array, key2: Array, high: Array, low: Array) -> Array:
    """Hash counters of two words by keys of two words: uint32[...] each, which broadcast, to uint32[2, ...]."""
    keys = key1, key2, key1 ^ key2 ^ PARITY
    first, second = high + keys[0], low + keys[1]
    for group in range(5):
        for bits in ROTATIONS[group % 2]:
            first = first + second
            second = first ^ (second << np.uint32(bits) | second >> np.uint32(32 - bits))
        first = first + keys[(group + 1) % 3]
        second = second + keys[(group + 2) % 3] + np.uint32(group + 1)
    # One array, so that one kernel computes both words.
    shape = (2, *first.shape)
    both = (lax.broadcast_in_dim(word, shape, range(1, len(shape))) for word in (first, second))
    return lax.select(lax.eq(lax.broadcasted_iota(np.int32, shape, 0), np.int32(0)), *both)


def _called(*words: Array) -> tuple[Array, Array]:
    with set_xla_metadata(inlineable="false"):
        hashed = threefry(*words)
    return hashed[0], hashed[1]


mlir.register_lowering(threefry2x32_p, mlir.lower_fun(_called, multiple_results=True), platform="cpu")
