"""Folds trees: finds subtrees that are constants, features or copies of other nodes, so that they take no step.

    (ADD (IF_<_DO_ELSE_ 1 (SUB 5 3) (VALUE_AT 4) x) y)        is        (ADD feature-4 y)

A function of constants is a constant. A function that picks one of its arguments is that argument, if the deciding
arguments are constant. A function that reads one feature is that feature, if its arguments are constant. An argument
without influence is not computed. What has an effect is computed, unless an argument that holds it is not picked. All
values are equal bit for bit to those without folding. Trees keep their nodes; folding marks the nodes that take a step.

A factor is multiplied in when its value is read. A value can carry one factor to its reader, but not two: the product
of two factors would be rounded before it meets the value. Such a node takes a step.
"""

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import apply, list_computed, numbers, tables
from jaxgp.interpreter.weights import leaf_values

CONSTANT = -1
"""Source of a constant value."""
ALL, NO = -1, -2
"""Sentinels for the arguments that a function computes: ALL, every one that it does not ignore; NO, none."""


@struct.dataclass
class Folded:
    """The nodes of one tree, [L]."""

    source: Array  # int32[L]: node that computes the value, CONSTANT, or -2 - f where it is feature f
    value: Array  # float32[L]: the value where `source` is CONSTANT; else the weight or factor of the source
    need: Array  # int32[L]: stack rows that the node needs; 0 where it is not computed; see `plan`
    runs: Array  # bool[L]: takes a step


def ranks(needs: Array) -> Array:
    """Return int32[..., A]: the place of each argument in the order of evaluation.

    Needier arguments come first, equally needy ones in declared order.
    """
    mine, other = needs[..., :, None], needs[..., None, :]
    place = jnp.arange(needs.shape[-1])
    ahead = (other > mine) | ((other == mine) & (place[None, :] < place[:, None]))
    return ahead.sum(-1, dtype=jnp.int32)


def fold(primitives: PrimitiveSet, tree: Programs, children: Array, uses: Array, bound: Array | int) -> Folded:
    """Fold one tree [L] in one pass.

    Args:
        primitives: the set that it is written in.
        tree: [L].
        children: int32[L, A], the roots of the arguments of each node, -1: none.
        uses: int32[L], as `argument_uses` returns them.
        bound: int32[], nodes, at least as many as the tree has.
    """
    calls = list_computed(primitives)
    takes_step, kinds, feature = (jnp.asarray(table) for table in tables(primitives, calls))
    code, index = tree.opcode.astype(jnp.int32), jnp.arange(tree.capacity, dtype=jnp.int32)
    live, place = index < tree.length, jnp.arange(children.shape[1])
    number = leaf_values(primitives, tree, children, bound) if primitives.weighted else numbers(primitives, tree)
    if primitives.factored:
        factor = jnp.where(jnp.asarray(primitives.factors)[code], tree.value, 1.0)
        number = jnp.where(feature[code] >= 0, factor, number)
    computed = np.array([p.arity - p.ignores for p in primitives.primitives], np.int32)
    ignored = place >= jnp.asarray(computed)[code][:, None]
    runs, kind = live & takes_step[code], kinds[code]
    leaf = jnp.where(feature[code] >= 0, -2 - feature[code], CONSTANT)

    def visit(i: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        child = children[i]
        found, value = (x[jnp.maximum(child, 0)] for x in state)
        sources, needs = (jnp.where(child >= 0, found[:, k], none) for k, none in ((0, CONSTANT), (1, 0)))
        values = jnp.where(child >= 0, value, number[i])  # what has no arguments is called with its own number
        each = [_value(p, i, sources, values) for p in calls]
        new_source, new_value, kept = (
            jax.lax.select_n(kind[i], *_alike(some, x)) if len(some) > 1 else some[0]
            for some, x in zip(zip(*each, strict=True), (sources, value, sources), strict=True)
        )
        if primitives.factored:
            single = (new_source == i) | (new_source == CONSTANT) | (new_value == 1) | (factor[i] == 1)
            new_source, new_value = jnp.where(single, new_source, i), jnp.where(single, new_value, 1.0) * factor[i]
        picked = jnp.where(place == kept, needs, 0).sum(dtype=jnp.int32)  # a node that is an argument needs as much
        needs = jnp.where(jnp.where(kept == ALL, ignored[i], place != kept), 0, needs)
        rows = jnp.where(needs > 0, needs + ranks(needs), 1).max()
        rows = jnp.where(new_source == i, rows, jnp.where(new_source >= 0, picked, 0))
        made = jnp.stack([new_source.astype(jnp.int32), rows.astype(jnp.int32), kept.astype(jnp.int32)])
        made = jnp.where(runs[i], made, jnp.stack([leaf[i], jnp.int32(0), kept.astype(jnp.int32)]))
        new = made, jnp.where(runs[i], new_value, number[i])
        first, second = (jax.lax.dynamic_update_index_in_dim(x, y, i, 0) for x, y in zip(state, new, strict=True))
        return first, second

    start = jnp.stack([leaf, jnp.zeros_like(code), jnp.full_like(code, ALL)], 1), number
    found, value = jax.lax.fori_loop(0, bound, visit, start) if calls else start
    source, need, keeps = found.T
    drops = runs[:, None] & jnp.where(keeps[:, None] == ALL, ignored, place != keeps[:, None])
    dead = add_along_paths(of_arguments(drops.astype(jnp.int32), uses), tree.size.astype(jnp.int32)) > 0
    return Folded(source, value, jnp.where(dead, 0, need), runs & (source == index) & ~dead)


def _alike(values: tuple[Array, ...], like: Array) -> list[Array]:
    """Return values of the type of another one: in 64 bits, plain integers are wider than nodes are."""
    return [x if x.dtype == like.dtype else x.astype(like.dtype) for x in values]


def _value(primitive: Primitive, node: Array, sources: Array, values: Array) -> tuple[Array, Array, Array]:
    """Fold a function at `node`, given the sources and values of its arguments, [A].

    Returns:
        int32[] source; float32[] value; int32[], the place of the one argument that is computed, or ALL, or NO.
    """
    arity, one = primitive.arity, jnp.asarray(1, values.dtype)
    known = (sources == CONSTANT) | (jnp.arange(len(sources)) >= arity - primitive.ignores)
    probe = jnp.arange(1, primitive.reads_one + 1, dtype=values.dtype)[:, None]

    def call(arguments: Array) -> Array:
        return apply(primitive, probe, [argument[None] for argument in arguments])[0]

    if primitive.reads_one:  # feature f of the probe is f + 1, so the result tells which one is read; 0: none
        decided = known[:arity].all()
        source = jnp.where(decided, CONSTANT - call(values).astype(jnp.int32), node)
        return source, jnp.where(source == CONSTANT, 0.0, one), jnp.where(decided, NO, ALL)
    if primitive.picks:  # the arguments to pick from are replaced by their places
        first = arity - primitive.picks
        picked = call(jnp.where(jnp.arange(len(values)) < first, values, jnp.arange(len(values)))).astype(jnp.int32)
        decided = known[:first].all()
        source, value = jnp.where(decided, sources[picked], node), jnp.where(decided, values[picked], one)
        return source, value, jnp.where(decided, picked, ALL)
    if primitive.reads_features or primitive.effect or not primitive.args:
        return node, one, jnp.int32(ALL)
    decided = known[:arity].all()
    return jnp.where(decided, CONSTANT, node), jnp.where(decided, call(values), one), jnp.where(decided, NO, ALL)


def argument_uses(children: Array, arity: Array) -> Array:
    """Return int32[L]: for the argument `a` of node `n`, n * A + a; -1 for the root of the tree, and padding.

    Args:
        children: int32[L, A], the roots of the arguments of each node, -1: none.
        arity: int32[L], 0 in padding.
    """
    length, width = children.shape
    place = jnp.arange(length * width, dtype=jnp.int32).reshape(length, width)
    # The last argument ends right before its function: no scatter, which on a CPU is a loop, is needed for it.
    after = jnp.pad(arity[1:], (0, 1))
    last = jnp.where(after > 0, (jnp.arange(length, dtype=jnp.int32) + 1) * width + after - 1, -1)
    others = jnp.where(children >= 0, children, length)[:, : width - 1]
    return last.at[others].set(place[:, : width - 1], mode="drop")


def of_arguments(values: Array, uses: Array) -> Array:
    """Return [L], for each node what its function has for this argument in `values`, [L, A]; 0 for the others."""
    return jnp.where(uses >= 0, values.reshape(-1)[jnp.maximum(uses, 0)], 0)


def add_along_paths(weights: Array, size: Array) -> Array:
    """Return int32[L]: the sum of the weights (int32[L]) of each node and of all nodes above it.

    A subtree is a slice: add the weight at its first node, subtract it after its last, and take prefix sums.
    """
    first = jnp.where(size > 0, jnp.arange(len(size), dtype=jnp.int32) - size + 1, len(size))
    edges = jnp.pad(-weights[:-1], (1, 0)).at[first].add(weights, mode="drop")
    return jnp.cumsum(edges)
