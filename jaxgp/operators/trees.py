"""Operators that move or redraw whole trees of individuals. Trees fit their places, so no limit of size can break.

- `rule`: whole rules change places, between two individuals, which is crossover, or within one, which is mutation. A
  policy is an individual some of whose trees form rules; see `PrimitiveSet.rules`. All rules have the same root types.
- `one_point`, crossover: the trees from a random place on change places between two individuals.
- `genes`, mutation: each tree is replaced by a random one with a probability of its own.

With the last two an individual of single constants evolves as the vector of numbers of a genetic algorithm does.

Sources: M. Sipper, "Evolved to Win" (2011), section 10.2.4: rule-crossover and rule-mutation "swap entire randomly
selected rules between individuals and within the same individual". J. Holland, "Adaptation in natural and artificial
systems" (1975), for the others, as in "Evolved to Win", section 11.2.3.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.arrays import where
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.operators import draw
from jaxgp.operators.creation import Request, generate
from jaxgp.operators.options import Breeding


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


def one_point(key: Array, primitives: PrimitiveSet, first: Programs, second: Programs) -> tuple[Programs, Programs]:
    """Exchange the trees of two individuals, [T, L] each, from a place on; 1 to T - 1 are equally likely."""
    count = primitives.num_trees
    cut = 1 + draw.below(draw.words(key, 1)[0], count - 1)
    before = jnp.arange(count) < cut
    return where(before, first, second), where(before, second, first)


def redrawn(keys: Array, primitives: PrimitiveSet, algorithm: Breeding, individuals: Programs) -> Programs:
    """Replace each tree of individuals [B, T, L] by a random one, with probability `mutation.gene_probability`.

    Args:
        keys: key[B].
        primitives: the primitive set.
        algorithm: options; new trees are at most `mutation.max_depth` deep, and at most `max_depth`.
        individuals: [B, T, L]. Those of empty trees stay empty.

    Returns:
        [B, T, L].
    """
    mutation, (count, trees), capacity = algorithm.mutation, individuals.length.shape, individuals.capacity
    deepest = mutation.max_depth if algorithm.max_depth is None else min(mutation.max_depth, algorithm.max_depth)
    words = jax.vmap(lambda key: draw.words(key, trees, capacity + 1, 3))(keys)
    wanted = (draw.fraction(words[:, :, 0, 0]) < mutation.gene_probability) & (individuals.length > 0)

    def each(value: np.ndarray | int) -> Array:
        return jnp.broadcast_to(jnp.asarray(value, jnp.int32), (count, trees)).reshape(-1)

    requests = Request(
        slot=each(primitives.root_type),
        depth=each(deepest),
        room=each(capacity),
        root=each(-1),
        full=jnp.zeros(count * trees, jnp.bool_),
        wanted=wanted.reshape(-1),
    )
    grown = words[:, :, 1:].reshape(-1, capacity, 3)
    new = generate(grown, primitives, requests, deepest, algorithm.creation.terminal_probability)
    new = jax.tree.map(lambda field: field.reshape(count, trees, *field.shape[1:]), new)
    return where(new.length > 0, new, individuals)
