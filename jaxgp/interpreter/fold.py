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
ALL, NO = -1, -2
"""Of the arguments that a function has computed; otherwise it is the one at a place."""


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

    def visit(i: Array, state: tuple[Array, ...]) -> tuple[Array, ...]:
        source, value, need, keeps = state
        child = children[i]
        sources, needs = jnp.where(child >= 0, source[child], CONSTANT), jnp.where(child >= 0, need[child], 0)
        values = value[child].at[0].set(jnp.where(child[0] >= 0, value[child[0]], number[i]))
        each = [_value(p, i, sources, values) for p in calls]
        new_source, new_value, kept = (
            jax.lax.select_n(kind[i], *some) if len(some) > 1 else some[0] for some in zip(*each, strict=True)
        )
        rows = jnp.where(needs > 0, needs + ranks(needs), 1).max()
        rows = jnp.where(new_source == i, rows, jnp.where(new_source >= 0, need[new_source], 0))
        return (
            source.at[i].set(jnp.where(runs[i], new_source, leaf[i])),
            value.at[i].set(jnp.where(runs[i], new_value, number[i])),
            need.at[i].set(jnp.where(runs[i], rows, 0)),
            keeps.at[i].set(kept),
        )

    state = leaf, number, jnp.zeros_like(code), jnp.full_like(code, ALL)
    source, value, need, keeps = jax.lax.fori_loop(0, bound, visit, state) if calls else state
    dead = _dropped(children, tree.size.astype(jnp.int32), runs, keeps)
    return Folded(source, value, jnp.where(dead, 0, need), runs & (source == index) & ~dead)


def _value(primitive: Primitive, node: Array, sources: Array, values: Array) -> tuple[Array, Array, Array]:
    """Fold a function at `node`, given the sources and values of its arguments, [A].

    Returns:
        int32[] source, float32[] value, and int32[]: which argument is computed, ALL of them or NO one.
    """
    known = sources == CONSTANT
    arity, nothing = primitive.arity, jnp.float32(0)
    probe = jnp.arange(1, primitive.reads_one + 1, dtype=jnp.float32)[:, None]

    def call(arguments: Array) -> Array:
        return apply(primitive, probe, [argument[None] for argument in arguments])[0]

    if primitive.reads_one:  # the probe's entries tell which one it is; 0: none of them, and the value is 0
        decided = known[:arity].all()
        source = jnp.where(decided, CONSTANT - call(values).astype(jnp.int32), node)
        return source, nothing, jnp.where(decided, NO, ALL)
    if primitive.picks:  # each argument to pick from is stood for by its own place
        first = arity - primitive.picks
        picked = call(jnp.where(jnp.arange(len(values)) < first, values, jnp.arange(len(values)))).astype(jnp.int32)
        decided = known[:first].all()
        return jnp.where(decided, sources[picked], node), values[picked], jnp.where(decided, picked, ALL)
    if primitive.reads_features or not primitive.args:
        return node, nothing, jnp.int32(ALL)
    decided = known[:arity].all()
    return jnp.where(decided, CONSTANT, node), call(values), jnp.where(decided, NO, ALL)


def _dropped(children: Array, size: Array, runs: Array, keeps: Array) -> Array:
    """Return bool[L]: nodes below arguments that are not computed.

    A subtree is a slice: add one at its first node, take it away after its last, and sum up.
    """
    place = jnp.arange(children.shape[1])
    drops = (runs & (keeps != ALL))[:, None] & (keeps[:, None] != place) & (children >= 0)
    nowhere = len(size)
    first = jnp.where(drops, children - size[children] + 1, nowhere)
    after = jnp.where(drops, children + 1, nowhere)
    edges = jnp.zeros(nowhere, jnp.int32).at[first].add(1, mode="drop").at[after].add(-1, mode="drop")
    return jnp.cumsum(edges) > 0
