"""Fitness sharing: individuals that behave alike share what one of them would get.

After D. Goldberg and J. Richardson, "Genetic algorithms with sharing for multimodal function optimization" (ICGA 1987),
with a niche of exactly equal behaviour. With a memory, individuals of earlier generations count as well, multiplied by
a fixed factor for each generation since. So a behaviour that was frequent earlier is penalised even if it is rare now.
"""

import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import groups

COUNTERS = 2**17
"""Counters in each of the two rows of a memory; long runs meet some ten thousand behaviours."""


def init(memory: float) -> Array:
    """Return float32[2, S]: no behaviour counted yet; S is 1 without a memory."""
    return jnp.zeros((2, COUNTERS if memory > 0 else 1), jnp.float32)


def count(visits: Array, behaviour: Array, memory: float) -> tuple[Array, Array]:
    """Count how many individuals behave, or have behaved, like each one.

    Args:
        visits: float32[2, S], the counters so far.
        behaviour: uint32[P, W], W >= 2; individuals behave alike if their rows are equal.
        memory: the factor that multiplies older counts in each generation; 0: only the present generation counts.

    Returns:
        The counters, and float32[P] counts, at least 1. With a memory they come from a count-min sketch (G. Cormode and
        S. Muthukrishnan, 2005) of two rows: if two behaviours collide in both rows, both get the greater count.
    """
    here = count_equal(behaviour).astype(jnp.float32)
    if memory == 0:
        return visits, here
    mixed = jnp.zeros((2, len(behaviour)), jnp.uint32)
    for word in range(behaviour.shape[1]):
        mixed = (mixed ^ behaviour[:, word]) * jnp.array([[0x9E3779B1], [0x85EBCA77]], jnp.uint32)
        mixed = mixed ^ (mixed >> 15)
    row, place = jnp.arange(2)[:, None], (mixed % visits.shape[1]).astype(jnp.int32)
    faded = visits * memory
    # Equal behaviours write equal values, and the maximum does not depend on the order of the others.
    visits = faded.at[row, place].max(faded[row, place] + here)
    return visits, visits[row, place].min(0)


def count_equal(rows: Array) -> Array:
    """Return int32[P]: how many of the rows of uint32[P, W] equal each row, itself included."""
    group, order = groups(rows)
    size = jnp.searchsorted(group, group, side="right") - jnp.searchsorted(group, group, side="left")
    return jnp.zeros(len(rows), jnp.int32).at[order].set(size.astype(jnp.int32))


def share(fitness: Array, counts: Array, power: float, sharing: float) -> Array:
    """Return float32[..., P]: (fitness / greatest |fitness|) ** power / counts ** sharing.

    Args:
        fitness: float32[..., P]; NaN stays NaN. Negative values keep their sign and are multiplied by counts ** sharing
            instead, so that a larger niche never helps.
        counts: float32[P], at least 1.
        power: power scaling of the fitness (A. Gillies, "Machine learning procedures for generating image domain
            feature detectors", 1985); 1: none.
        sharing: 0: none; 1: a niche together gets what one individual would get.
    """
    if power == 1 and sharing == 0:
        return fitness
    greatest = jnp.nanmax(jnp.where(jnp.isfinite(fitness), jnp.abs(fitness), jnp.nan), axis=-1, keepdims=True)
    relative = fitness / jnp.where(greatest > 0, greatest, 1.0)
    sharpened = jnp.sign(relative) * jnp.abs(relative) ** power
    price = counts**sharing
    return jnp.where(sharpened >= 0, sharpened / price, sharpened * price)
