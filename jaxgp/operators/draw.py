"""Random draws that every operator shares: from a mask, by integer weights, from a primitive's domain.

An operator turns its key into a few random words at once, uint32 each, and lets each word decide one thing: a key per
decision costs several times as much, in time and in compile time.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from jaxgp.genotypes.primitives import Domain, Floats, Integers, Levels, Points, PrimitiveSet


def words(key: Array, *shape: int) -> Array:
    """Draw uint32[shape], independent and uniform.

    They are drawn as one flat array: the words are the same, but this compiles six times and runs three times as fast.
    """
    return jax.random.bits(key, (math.prod(shape),), jnp.uint32).reshape(shape)


def below(word: Array, n: Array | int) -> Array:
    """Turn a word into int32[]: a whole number from 0 to n - 1, or 0 for n = 0; all equally likely to within 2**-32.

    This is word * n // 2**32, multiplied by hand in halves: 64-bit integers are off by default.
    """
    n = jnp.asarray(n).astype(jnp.uint32)
    high, low, n_high, n_low = word >> 16, word & 0xFFFF, n >> 16, n & 0xFFFF
    middle = high * n_low + (low * n_low >> 16)
    carry = (middle & 0xFFFF) + low * n_high
    return (high * n_high + (middle >> 16) + (carry >> 16)).astype(jnp.int32)


def fraction(word: Array) -> Array:
    """Turn a word into float32[]: uniform in [0, 1), a multiple of 2**-24."""
    return (word >> 8).astype(jnp.float32) * 2.0**-24


def uniform(word: Array, mask: Array) -> Array:
    """Turn a word into int32[]: the index of a true entry of `mask` (bool[N]), all equally likely; N - 1 without any.

    It takes the r-th true entry for a uniform whole number r. So counts are exact, and no draw is rejected.
    """
    count = jnp.cumsum(mask, dtype=jnp.int32)
    return jnp.minimum((count <= below(word, count[-1])).sum(dtype=jnp.int32), mask.shape[0] - 1)


def distinct(words: Array, n: int) -> Array:
    """Turn words (uint32[K], K at most n) into int32[K]: different whole numbers from 0 to n - 1, in the order drawn.

    All sequences are equally likely. The time depends on K alone, where a permutation takes that of sorting n numbers.
    """
    found: list[Array] = []
    for word in words:
        number = below(word, n - len(found))
        for earlier in jnp.sort(jnp.stack(found)) if found else ():
            number += number >= earlier
        found.append(number)
    return jnp.stack(found)


def weighted(word: Array, weights: Array) -> Array:
    """Turn a word into int32[]: an index with probability `weights` / sum (int32[N], >= 0, sum from 1 below 2**24).

    Whole weights make the running sum exact, so that an index of weight zero is never drawn.
    """
    total = jnp.cumsum(weights)
    # A fraction is at most 1 - 2**-24, so the product stays below the sum.
    at = jnp.floor(fraction(word) * total[-1].astype(jnp.float32)).astype(jnp.int32)
    return jnp.minimum((total <= at).sum(dtype=jnp.int32), weights.shape[0] - 1)


def whole_weights(primitives: PrimitiveSet) -> np.ndarray:
    """Return int32[N]: the weights of the primitives, scaled to a sum of about 2**20; positive ones stay positive."""
    weight = primitives.weight.astype(np.float64)
    whole = np.round(weight / max(weight.sum(), 1e-30) * 2**20).astype(np.int32)
    return np.where(weight > 0, np.maximum(whole, 1), 0).astype(np.int32)


def primitive(word: Array, primitives: PrimitiveSet, candidates: Array) -> Array:
    """Turn a word into int32[]: one of the candidates (bool[N]) by weight; uniform where all of them weigh nothing."""
    weights = jnp.where(candidates, whole_weights(primitives), 0)
    return weighted(word, jnp.where(weights.any(), weights, candidates.astype(jnp.int32)))


def value(word: Array, primitives: PrimitiveSet, opcode: Array) -> Array:
    """Turn a word into float32[]: the number of a fresh node.

    It is uniform over the domain of the primitive. Without a domain it is 1 for a primitive with a factor, else 0.
    """
    kinds, which = _domains(primitives)
    plain = jnp.asarray(primitives.factors)[opcode].astype(jnp.float32)
    return jnp.stack([plain, *(_from(word, domain) for domain in kinds)])[which[opcode]]


def near(word: Array, primitives: PrimitiveSet, opcode: Array, value: Array) -> Array:
    """Turn a word into float32[]: a constant in the domain of a primitive, close to `value`.

    A whole number moves to one of the two next to it, a point to one of the eight around it, all equally likely. A real
    number is drawn from a normal distribution around `value`, whose deviation is a tenth of the domain, and clipped to
    the domain, widened to hold `value`. Where there is nothing close, or no domain, `value` is returned.
    """
    kinds, which = _domains(primitives)
    return jnp.stack([value, *(_near(word, domain, value) for domain in kinds)])[which[opcode]]


def moved(words: Array, primitives: PrimitiveSet, opcode: Array, value: Array, share: Array) -> Array:
    """Turn words uint32[...] into float32[...]: real constants and factors close to `value`; other numbers stay.

    They are drawn from normal distributions. The deviation of a constant is a share (float32[...]) of its domain, to
    which it is clipped, widened to hold `value`; that of a factor is the share of its magnitude, at least of 1.
    """
    real = [
        p.domain if isinstance(p.domain, Floats) and not scaled else None
        for p, scaled in zip(primitives.primitives, primitives.scaled, strict=True)
    ]
    low = np.array([_inward(d.low, d.high) if d else -np.inf for d in real], np.float32)
    high = np.array([_inward(d.high, d.low) if d else np.inf for d in real], np.float32)
    width = np.array([d.high - d.low if d else 0.0 for d in real], np.float32)
    least, most, wide = (jnp.asarray(one)[opcode] for one in (low, high, width))
    wide = jnp.where(jnp.asarray(primitives.scaled)[opcode], jnp.maximum(1.0, jnp.abs(value)), wide)
    largest = np.finfo(np.float32).max
    least, most = (jnp.clip(one, -largest, largest) for one in (least, most))
    return _widened(value + share * wide * normal(words), value, least, most)


def nudged(word: Array, number: Array) -> Array:
    """Turn a word into float32[]: a finite number close to `number` (float32[]).

    It is drawn from a normal distribution around `number`. The deviation is a tenth of its magnitude, at least 0.1.
    """
    largest = np.finfo(np.float32).max
    return jnp.clip(number + 0.1 * jnp.maximum(1.0, jnp.abs(number)) * normal(word), -largest, largest)


def normal(word: Array) -> Array:
    """Turn a word into float32[]: standard normal, to a resolution of 2**-24 in probability."""
    # The middle of each step of 2**-24: a fraction of 0 would give minus infinity.
    return jax.scipy.special.ndtri(fraction(word) + 2.0**-25)


def _domains(primitives: PrimitiveSet) -> tuple[list[Domain], Array]:
    """Return all domains, and int32[N]: for each primitive 1 + the place of its domain among them, or 0 without one."""
    kinds = list(dict.fromkeys(p.domain for p in primitives.primitives if p.domain is not None))
    own = [0 if p.domain is None else 1 + kinds.index(p.domain) for p in primitives.primitives]
    return kinds, jnp.asarray(own, jnp.int32)


def _near(word: Array, domain: Domain, value: Array) -> Array:
    if isinstance(domain, Floats):
        spread = (domain.high - domain.low) / 10
        low, high = _inward(domain.low, domain.high), _inward(domain.high, domain.low)
        return _widened(value + spread * normal(word), value, low, high)
    if isinstance(domain, Levels):
        place = jnp.argmin(jnp.abs(np.asarray(domain.values, np.float32) - value))
        beside = place + jnp.where(word & 1 == 0, 1, -1)
        last = len(domain.values) - 1
        beside = jnp.where(beside < 0, min(1, last), jnp.where(beside > last, max(0, last - 1), beside))
        return jnp.asarray(domain.values, jnp.float32)[beside]
    width = domain.width if isinstance(domain, Points) else domain.high - domain.low + 1
    steps = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0)]
    across, up = np.array(steps).T
    number = value.astype(jnp.int32) - domain.low
    column, row = number % width + across, number // width + up
    inside = (column >= 0) & (column < width) & (row >= 0) & (row * width + column <= domain.high - domain.low)
    chosen = uniform(word, inside)
    moved = domain.low + row[chosen] * width + column[chosen]
    return jnp.where(inside.any(), moved.astype(jnp.float32), value)


def _widened(moved: Array, value: Array, low: ArrayLike, high: ArrayLike) -> Array:
    """Clip to bounds that are widened to hold `value`."""
    return jnp.clip(moved, jnp.minimum(low, value), jnp.maximum(high, value))


def _from(word: Array, domain: Domain) -> Array:
    """Turn a word into a number of the domain, float32[]."""
    if isinstance(domain, Integers):
        return (domain.low + below(word, domain.high - domain.low + 1)).astype(jnp.float32)
    if isinstance(domain, Levels):
        return jnp.asarray(domain.values, jnp.float32)[below(word, len(domain.values))]
    # Rounding to float32 may put the bounds, and the sum, slightly outside the domain.
    low, high = _inward(domain.low, domain.high), _inward(domain.high, domain.low)
    return jnp.clip(low + fraction(word) * (high - low), low, high)


def _inward(bound: float, other: float) -> np.float32:
    """Return the float32 next to `bound` on the side of `other`, or `bound` itself where it is one."""
    near = np.float32(bound)
    outside = near < bound if bound <= other else near > bound
    return np.nextafter(near, np.float32(other)) if outside else near
