"""Programs as weighted sums of terms.

The top of a program are the nodes that are reached from its root through additions and subtractions alone. A term is a
node (* c t) of the top, c a constant; it adds to the value of the program, or is subtracted. A node x of the top that
becomes (+ x (* c t)) or (- x (* c t)) gives the program another term.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.arrays import where
from jaxgp.genotypes import programs
from jaxgp.genotypes.primitives import Floats, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.nodes import children
from jaxgp.operators import draw


class Sum(NamedTuple):
    """Opcodes of what makes sums in a tree, and the limits of its constants."""

    plus: int
    minus: int
    times: int
    constant: int
    high: float


class Terms(NamedTuple):
    """The terms of a program [L], room for K of them."""

    node: Array  # int32[K]: the products; L where there is none
    factor: Array  # int32[K]: roots of what is multiplied by the constants; L where there is none
    constant: Array  # int32[K]: the constants; L where there is none
    sign: Array  # float32[K]: -1 where the term is subtracted, else 1
    weight: Array  # float32[K]: the constant times the sign; 0 where there is none
    parent: Array  # int32[K]: the node that adds or subtracts the term as its second argument; L for none


def find(primitives: PrimitiveSet, tree: int) -> Sum | None:
    """Return what makes sums in a tree of an individual; None: its set names nothing."""
    names = [p.name for p in primitives.primitives]
    for some in primitives.sums:
        plus, minus, times, constant = (names.index(name) for name in some)
        domain = primitives.primitives[constant].domain
        if primitives.return_type[plus] == primitives.root_type[tree] and isinstance(domain, Floats):
            return Sum(plus, minus, times, constant, domain.high)
    return None


def top(primitives: PrimitiveSet, made: Sum, tree: Programs) -> tuple[Array, Array, Array]:
    """Return (nodes bool[L], subtracted bool[L], parents int32[L]) of the sum at the top of a program [L].

    The parent of a node that is no second argument in the top is L.
    """
    code, roots, nowhere = tree.opcode.astype(jnp.int32), children(primitives, tree), tree.capacity

    def visit(back: Array, carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        reached, taken, parent = carry
        node = tree.length - 1 - back
        inner = reached[node] & ((code[node] == made.plus) | (code[node] == made.minus))
        first, second = (jnp.where(inner, roots[node, k], nowhere) for k in (0, 1))
        reached = reached.at[first].set(True, mode="drop").at[second].set(True, mode="drop")
        taken = taken.at[first].set(taken[node], mode="drop")
        taken = taken.at[second].set(taken[node] ^ (code[node] == made.minus), mode="drop")
        return reached, taken, parent.at[second].set(node, mode="drop")

    root = jnp.arange(nowhere) == tree.length - 1
    start = root, jnp.zeros_like(root), jnp.full(nowhere, nowhere, jnp.int32)
    return lax.fori_loop(0, tree.length, visit, start)


def terms(primitives: PrimitiveSet, made: Sum, tree: Programs, room: int) -> Terms:
    """Return the first `room` terms of a program [L]."""
    nowhere, code, roots = tree.capacity, tree.opcode.astype(jnp.int32), children(primitives, tree)
    reached, taken, parent = top(primitives, made, tree)
    constant, factor = roots[:, 0], roots[:, 1]
    weighted = reached & (code == made.times) & (code[jnp.minimum(constant, nowhere - 1)] == made.constant)
    node = jnp.nonzero(weighted, size=room, fill_value=nowhere)[0].astype(jnp.int32)
    there, at = node < nowhere, jnp.minimum(node, nowhere - 1)
    here = [jnp.where(there, x[at], nowhere) for x in (factor, constant, parent)]
    number = tree.value[jnp.minimum(here[1], nowhere - 1)]
    sign = jnp.where(there & taken[at], -1.0, 1.0)
    return Terms(node, here[0], here[1], sign, jnp.where(there, sign * number, 0), here[2])


def with_weights(made: Sum, tree: Programs, found: Terms, weights: Array) -> Programs:
    """Return a program [L] whose terms have other weights, float32[K], within the domain of the constants.

    A term whose weight changes its sign is subtracted where it was added, and the other way round. That is not possible
    for a first argument; its weight becomes 0.
    """
    turned = weights * found.sign < 0
    code = tree.opcode[jnp.minimum(found.parent, tree.capacity - 1)]
    other = jnp.where(code == made.plus, made.minus, made.plus).astype(tree.opcode.dtype)
    size = jnp.where(turned & (found.parent == tree.capacity), 0, jnp.minimum(jnp.abs(weights), made.high))
    opcode = tree.opcode.at[jnp.where(turned, found.parent, tree.capacity)].set(other, mode="drop")
    return Programs(opcode, tree.value.at[found.constant].set(size, mode="drop"), tree.size, tree.length)


def with_term(
    word: Array, primitives: PrimitiveSet, made: Sum, program: Programs, term: Programs, weight: Array
) -> Programs:
    """Give a program another term, at a random node of its top.

    Args:
        word: uint32[], chooses the node; all are equally likely, so the depth grows slowly.
        primitives: the set.
        made: what makes sums in this tree.
        program: [L].
        term: [L], what is multiplied by the weight.
        weight: float32[]; below 0 it is subtracted.

    Returns:
        [L]; the program as it was, if there is no room.
    """
    reached, taken, _ = top(primitives, made, program)
    node = draw.uniform(word, reached)
    framed = _frame(made, program, node, term, jnp.abs(weight), (weight < 0) ^ taken[node])
    changed, fits = programs.replace(program, node, framed, framed.length - 1)
    return where(fits, changed, program)


def as_term(made: Sum, program: Programs) -> Programs:
    """Return a program p [L] as (+ 0 (* 1 p)), a sum of one term; as it was, if there is no room."""
    zero = jnp.arange(program.capacity) < 1
    base = Programs(
        jnp.where(zero, made.constant, 0).astype(jnp.int16),
        jnp.zeros_like(program.value),
        zero.astype(jnp.int16),
        jnp.int32(1),
    )
    framed = _frame(made, base, jnp.int32(0), program, jnp.float32(1), jnp.bool_(False))
    return where(framed.length == program.length + 4, framed, program)


def weigh_leaf(primitives: PrimitiveSet, made: Sum, program: Programs) -> Programs:
    """Return a program [L] with (* 1 x) in the place of one leaf x of its top that is no term; constants stay."""
    nowhere, code = program.capacity, program.opcode.astype(jnp.int32)
    reached, _, _ = top(primitives, made, program)
    factor = children(primitives, program)[:, 0]
    term = (code == made.times) & (code[jnp.minimum(factor, nowhere - 1)] == made.constant)
    loose = reached & ~term & (code != made.plus) & (code != made.minus) & (code != made.constant)
    node = jnp.argmax(loose)
    index = jnp.arange(nowhere)
    codes = jnp.where(index < 3, jnp.array([made.constant, made.constant, made.times])[jnp.minimum(index, 2)], 0)
    sizes = jnp.where(index < 3, jnp.asarray(np.array([1, 1, 3]))[jnp.minimum(index, 2)], 0)
    ones = jnp.where(index == 0, 1.0, 0.0).astype(jnp.float32)
    product = Programs(codes.astype(jnp.int16), ones, sizes.astype(jnp.int16), jnp.int32(3))
    product, fits = programs.replace(product, jnp.int32(1), program, node)
    changed, fits_too = programs.replace(program, node, product, product.length - 1)
    return where(loose.any() & fits & fits_too, changed, program)


def _frame(made: Sum, program: Programs, node: Array, term: Programs, weight: Array, minus: Array) -> Programs:
    """Return (+ x (* c t)), x the subtree of a program at a node, or with a minus; x alone, if there is no room."""
    capacity = program.capacity
    # x c t (* c t) (+ x ...), with a constant in the places of x and t at first.
    codes = jnp.array([made.constant, made.constant, made.constant, made.times, made.plus])
    codes = codes.at[4].set(jnp.where(minus, made.minus, made.plus))
    index = jnp.arange(capacity)

    def nodes(few: Array) -> Array:
        return jnp.where(index < 5, few[jnp.minimum(index, 4)], 0).astype(jnp.int16)

    values = jnp.where(index == 1, jnp.minimum(weight, made.high), 0.0).astype(jnp.float32)
    frame = Programs(nodes(codes), values, nodes(jnp.asarray(np.array([1, 1, 1, 3, 5]))), jnp.int32(5))
    with_factor, fits = programs.replace(frame, jnp.int32(2), term, term.length - 1)
    whole, fits_too = programs.replace(with_factor, jnp.int32(0), program, node)
    return where(fits & fits_too, whole, programs.subtree(program, node))
