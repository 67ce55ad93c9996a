"""Values of all nodes of a program.

The interpreter keeps a small stack, in an order of its own, and computes only what the result needs. An
analysis of the parts of a program needs the value of every node. So a program is evaluated here node by node in the
order of its genome, in which arguments come before their function.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs, live
from jaxgp.interpreter.calls import Features, Packed, apply, numbers
from jaxgp.interpreter.plan import argument_roots


def traceable(primitives: PrimitiveSet) -> bool:
    """Return whether nodes of this set have values of their own, and nothing else.

    So it has no weights, factors or effects, and features in terminals alone.
    """
    looks = any(p.reads_features and p.args for p in primitives.primitives)
    unknown = any(p.call is not None and not p.args and not p.reads_one for p in primitives.primitives)
    return not (primitives.weighted or primitives.factored or primitives.effects or looks or unknown)


def children(primitives: PrimitiveSet, tree: Programs) -> Array:
    """Return int32[L, A]: the roots of the arguments of each node of a program [L]; L where there is none."""
    arity = jnp.where(live(tree), jnp.asarray(primitives.arity)[tree.opcode.astype(jnp.int32)], 0)
    roots = argument_roots(tree.size.astype(jnp.int32), arity, primitives.max_arity)
    return jnp.where(roots >= 0, roots, tree.capacity)


def values(primitives: PrimitiveSet, tree: Programs, features: Features) -> Array:
    """Return float32[L, B]: the value of each node of a program [L]; unspecified in padding.

    Args:
        primitives: the set that the program is written in, `traceable`.
        tree: [L].
        features: float32[F, B], or packed.
    """
    seen, capacity = unpack_features(features), tree.capacity
    functions = [p for p in primitives.primitives if p.args]
    which = np.array([functions.index(p) if p.args else -1 for p in primitives.primitives], np.int32)
    kinds = jnp.asarray(which)[tree.opcode.astype(jnp.int32)]
    runs, roots = live(tree) & (kinds >= 0), children(primitives, tree)
    read, number = read_leaves(primitives, tree)
    found = jnp.where((read >= 0)[:, None], seen[jnp.maximum(read, 0)], number[:, None])
    if not functions:
        return found
    order = jnp.nonzero(runs, size=capacity, fill_value=0)[0].astype(jnp.int32)

    def step(i: Array, found: Array) -> Array:
        node = order[i]
        args = [found[jnp.minimum(root, capacity - 1)] for root in roots[node]]
        every = [apply(p, seen, args) for p in functions]
        value = lax.select_n(kinds[node], *every) if len(every) > 1 else every[0]
        return found.at[node].set(value)

    return lax.fori_loop(0, runs.sum(dtype=jnp.int32), step, found)


def unpack_features(features: Features) -> Array:
    """Return float32[F, B]: features as plain rows."""
    if not isinstance(features, Packed):
        return features
    places = jnp.arange(32, dtype=jnp.uint32)[None, :, None]
    truths = (features.words[:, None] >> places & 1).astype(jnp.float32)
    return jnp.concatenate([truths.reshape(-1, truths.shape[-1]), features.numbers])


def read_leaves(primitives: PrimitiveSet, tree: Programs) -> tuple[Array, Array]:
    """Return int32[L], the feature that each terminal reads, -1 where it is a number; and float32[L], these numbers."""
    code = tree.opcode.astype(jnp.int32)
    feature = np.array([-1 if p.feature is None else p.feature for p in primitives.primitives], np.int32)
    read, number = jnp.asarray(feature)[code], numbers(primitives, tree)
    for opcode, p in enumerate(primitives.primitives):
        if p.args or not p.reads_one:
            continue
        assert p.call is not None
        # Feature f of the probe is f + 1, so the result tells which one is read; 0: none.
        probe = jnp.broadcast_to(jnp.arange(1, p.reads_one + 1, dtype=jnp.float32)[:, None], (p.reads_one, len(code)))
        asked = jnp.asarray(p.call(probe, tree.value)).astype(jnp.int32) - 1
        read, number = jnp.where(code == opcode, asked, read), jnp.where(code == opcode, 0, number)
    return read, number
