"""Finds what need not be computed move after move: subtrees that are constants, features or copies of other nodes.

    (ADD (IF_<_DO_ELSE_ 1 (SUB 5 3) (VALUE_AT 4) x) y)        is        (ADD feature-4 y)

A function of constants is a constant; a function that picks one of its arguments is that argument, where what it picks
by is constant; a function that reads one feature is that feature, where its arguments are constant. All values are the
very floats that the interpreter would find. Trees keep their nodes; what is left over is only marked.
"""

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import apply, instructions, tables
from jaxgp.interpreter.weights import leaf_values

CONSTANT = -1
"""Source of a value that is known."""


@struct.dataclass
class Folded:
    """The nodes of one tree, [L]."""

    source: Array  # int32[L]: node that computes the value, CONSTANT, or -2 - f where it is feature f
    value: Array  # float32[L]: the value where `source` is CONSTANT; with weights, the weight where it is a feature
    need: Array  # int32[L]: stack rows that the node needs, 0 where it is not computed; see `plan`
    runs: Array  # bool[L]: takes a step


def ranks(needs: Array) -> Array:
    """Return int32[..., A]: when each argument is evaluated, the needier the earlier, equals in declared order."""
    mine, other = needs[..., :, None], needs[..., None, :]
    place = jnp.arange(needs.shape[-1])
    ahead = (other > mine) | ((other == mine) & (place[None, :] < place[:, None]))
    return ahead.sum(-1, dtype=jnp.int32)


def fold(primitives: PrimitiveSet, tree: Programs, children: Array, bound: Array | int) -> Folded:
    """Fold one tree [L], whose arguments are rooted at `children` (int32[L, A], -1: none), in one pass."""
    number = leaf_values(primitives, tree, children, bound) if primitives.weighted else tree.value
    takes_step, kinds, feature = (jnp.asarray(table) for table in tables(primitives))
    code, index = tree.opcode.astype(jnp.int32), jnp.arange(tree.capacity, dtype=jnp.int32)
    live = index < tree.length
    runs, kind = live & takes_step[code], kinds[code]
    leaf = jnp.where(feature[code] >= 0, -2 - feature[code], CONSTANT)
    calls = instructions(primitives)

    def visit(i: Array, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        source, value, need = state
        child = children[i]
        sources, needs = jnp.where(child >= 0, source[child], CONSTANT), jnp.where(child >= 0, need[child], 0)
        values = value[child].at[0].set(jnp.where(child[0] >= 0, value[child[0]], number[i]))
        each = [_value(p, i, sources, values) for p in calls]
        new_source, new_value = (
            jax.lax.select_n(kind[i], *some) if len(some) > 1 else some[0] for some in zip(*each, strict=True)
        )
        rows = jnp.where(needs > 0, needs + ranks(needs), 1).max()
        rows = jnp.where(new_source == i, rows, jnp.where(new_source >= 0, need[new_source], 0))
        return (
            source.at[i].set(jnp.where(runs[i], new_source, leaf[i])),
            value.at[i].set(jnp.where(runs[i], new_value, number[i])),
            need.at[i].set(jnp.where(runs[i], rows, 0)),
        )

    state = leaf, number, jnp.zeros_like(code)
    source, value, need = jax.lax.fori_loop(0, bound, visit, state) if calls else state
    dead = _dropped(source, tree.size.astype(jnp.int32), runs)
    return Folded(source, value, jnp.where(dead, 0, need), runs & (source == index) & ~dead)


def _value(primitive: Primitive, node: Array, sources: Array, values: Array) -> tuple[Array, Array]:
    """Return int32[] source and float32[] value of a function at `node`, given those of its arguments, [A]."""
    known = sources == CONSTANT
    arity, nothing = primitive.arity, jnp.float32(0)
    probe = jnp.arange(1, primitive.reads_one + 1, dtype=jnp.float32)[:, None]

    def call(arguments: Array) -> Array:
        return apply(primitive, probe, [argument[None] for argument in arguments])[0]

    if primitive.reads_one:  # the probe's entries tell which one it is; 0: none of them, and the value is 0
        return jnp.where(known[:arity].all(), CONSTANT - call(values).astype(jnp.int32), node), nothing
    if primitive.picks:  # each argument to pick from is stood for by its own place
        first = arity - primitive.picks
        picked = call(jnp.where(jnp.arange(len(values)) < first, values, jnp.arange(len(values)))).astype(jnp.int32)
        return jnp.where(known[:first].all(), sources[picked], node), values[picked]
    if primitive.reads_features or not primitive.args:
        return node, nothing
    return jnp.where(known[:arity].all(), CONSTANT, node), call(values)


def _dropped(source: Array, size: Array, runs: Array) -> Array:
    """Return bool[L]: nodes of folded subtrees, but for those of a subtree that a folded one is a copy of.

    Both are slices: add one at the first node of what is dropped, take it away after the last, and sum up.
    """
    index = jnp.arange(len(source), dtype=jnp.int32)
    nowhere = len(source)
    folded, copies = runs & (source != index), runs & (source != index) & (source >= 0)
    edges = jnp.zeros(nowhere, jnp.int32)
    for where, at, step in (
        (folded, index - size + 1, 1),
        (copies, source - size[source] + 1, -1),
        (copies, source + 1, 1),
        (folded, index, -1),
    ):
        edges = edges.at[jnp.where(where, at, nowhere)].add(step, mode="drop")
    return jnp.cumsum(edges) > 0
