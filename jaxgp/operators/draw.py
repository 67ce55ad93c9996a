"""Random draws that every operator shares: from a mask, by integer weights, from a primitive's domain."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.genotypes.primitives import Domain, PrimitiveSet


def uniform(key: Array, mask: Array) -> Array:
    """Draw int32[]: the index of a true entry of `mask` (bool[N]), all equally likely; 0 if there is none.

    The r-th true entry for a uniform whole r: counting is exact, and no draw is ever rejected.
    """
    count = jnp.cumsum(mask, dtype=jnp.int32)
    rank = jax.random.randint(key, (), 0, jnp.maximum(count[-1], 1))
    return jnp.argmax(count > rank).astype(jnp.int32)


def weighted(key: Array, weights: Array) -> Array:
    """Draw int32[]: an index with probability `weights` / sum (int32[N], >= 0, sum below 2**23); 0 if all are zero.

    Whole weights make the running sum exact, so that an index of weight zero is never drawn.
    """
    total = jnp.cumsum(weights)
    # A uniform float32 is at most 1 - 2**-23, so the product stays below the sum.
    at = jnp.floor(jax.random.uniform(key) * total[-1].astype(jnp.float32)).astype(jnp.int32)
    return jnp.argmax(total > at).astype(jnp.int32)


def whole_weights(primitives: PrimitiveSet) -> np.ndarray:
    """int32[N]: the weights of the primitives as whole numbers, to 20 bits; positive ones stay positive."""
    weight = primitives.weight.astype(np.float64)
    whole = np.round(weight / max(weight.sum(), 1e-30) * 2**20).astype(np.int32)
    return np.where(weight > 0, np.maximum(whole, 1), 0).astype(np.int32)


def primitive(key: Array, primitives: PrimitiveSet, candidates: Array) -> Array:
    """Draw int32[]: an opcode among the candidates (bool[N]) by weight; uniform where all of them weigh nothing."""
    weights = jnp.where(candidates, whole_weights(primitives), 0)
    return weighted(key, jnp.where(weights.any(), weights, candidates.astype(jnp.int32)))


def value(key: Array, primitives: PrimitiveSet, opcode: Array) -> Array:
    """Draw float32[]: a constant or parameter for the primitive from its domain; 0 where it takes none."""
    domains: list[Domain] = list(dict.fromkeys(p.domain for p in primitives.terminals if p.domain is not None))
    which = np.zeros(len(primitives.primitives), np.int32)
    for code, terminal in enumerate(primitives.terminals):
        if terminal.domain is not None:
            which[code] = 1 + domains.index(terminal.domain)
    return jnp.stack([jnp.float32(0), *(domain.sample(key) for domain in domains)])[jnp.asarray(which)[opcode]]
