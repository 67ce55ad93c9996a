"""Whole rules of policies change places: between two individuals, which is crossover, or within one, which is mutation.

A policy is an individual of several trees, some of which form rules; see `PrimitiveSet.rules`. All rules have the same
root types, so any rule fits into the place of any other, and no limit of size or depth can break.

Source: M. Sipper, "Evolved to Win" (2011), section 10.2.4: rule-crossover and rule-mutation "swap entire randomly
selected rules between individuals and within the same individual".
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.operators import draw


def swap_between(key: Array, primitives: PrimitiveSet, first: Programs, second: Programs) -> tuple[Programs, Programs]:
    """Exchange a rule of one individual for a rule of another, [T, L] each; each rule is drawn uniformly."""
    words, count = draw.words(key, 2), len(primitives.rules)
    ours, theirs = (rule_trees(primitives, draw.below(word, count)) for word in words)
    return _put(first, ours, second, theirs), _put(second, theirs, first, ours)


def swap_within(key: Array, primitives: PrimitiveSet, individual: Programs) -> Programs:
    """Let two rules of an individual, [T, L], change places; every two different rules are equally likely."""
    words, count = draw.words(key, 2), len(primitives.rules)
    one = draw.below(words[0], count)
    other = (one + 1 + draw.below(words[1], count - 1)) % count
    here, there = rule_trees(primitives, one), rule_trees(primitives, other)
    return _put(_put(individual, here, individual, there), there, individual, here)


def rule_trees(primitives: PrimitiveSet, rule: Array) -> Array:
    """Return int32[R]: the trees that form a rule (int32[])."""
    return jnp.asarray(np.array(primitives.rules, np.int32))[rule]


def _put(receiver: Programs, places: Array, donor: Programs, trees: Array) -> Programs:
    """Put trees of the donor (int32[R]) in the places (int32[R]) of trees of the receiver."""
    return jax.tree.map(lambda ours, theirs: ours.at[places].set(theirs[trees]), receiver, donor)
