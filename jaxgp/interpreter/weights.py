"""Weights of leaves: each is the inverse of a whole number that follows from the leaf's path.

Source: T. Bellin and G. Gasperin, "Genetic Programming and Othello". A path from the root spells a bit string, empty at
the root. A step to the left argument of a function appends 0, a step to the right one 1. A no-op, a function of one
argument that does nothing else, appends its own bits. The weight of a leaf is 1 / n, where n is the string at the leaf
in binary, and 1 where n = 0. With weights `noops` only no-ops append bits.

    (+ (* X Y) Z)  with 010 at the +       X 01000, 1/8       Y 01001, 1/9       Z 0101, 1/5

Numbers are float32: exact up to 2**24, with a relative error of about 1e-7 beyond. From 2**126 on, which takes paths of
more than a hundred bits, the weight is 0. Weights are part of a plan; each position costs one multiplication where a
leaf is read. The source gives weights to features; here constants have weights as well.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import numbers

LARGEST = 2.0**126
"""The inverse of a larger number is not a normal float32."""


def steps(primitives: PrimitiveSet) -> tuple[np.ndarray, np.ndarray]:
    """Return scale, float32[N], and added, float32[N, A].

    If the string at a node means n, the string at its argument means n * scale + added.
    """
    scale = np.ones(len(primitives.primitives), np.float32)
    added = np.zeros((len(primitives.primitives), primitives.max_arity), np.float32)
    for code, p in enumerate(primitives.primitives):
        if p.bits:
            scale[code], added[code, 0] = 2.0 ** len(p.bits), int(p.bits, 2)
        elif p.arity == 2 and primitives.weighting == "path":
            scale[code], added[code, 1] = 2.0, 1.0
    return scale, added


def leaf_values(primitives: PrimitiveSet, tree: Programs, children: Array, bound: Array | int) -> Array:
    """Return float32[L]: the weighted value of each constant, the weight of each feature.

    Args:
        primitives: a set with weights.
        tree: [L].
        children: int32[L, A], the roots of the arguments; -1: none.
        bound: int[], at least the length.
    """
    scale, added = (jnp.asarray(table) for table in steps(primitives))
    code = tree.opcode.astype(jnp.int32)
    nowhere = tree.capacity

    def visit(k: Array, number: Array) -> Array:
        i = bound - 1 - k  # a parent comes after its arguments
        below = number[i] * scale[code[i]] + added[code[i]]
        return number.at[jnp.where(children[i] >= 0, children[i], nowhere)].set(below, mode="drop")

    number = jax.lax.fori_loop(0, bound, visit, jnp.zeros(tree.capacity, jnp.float32))
    weight = jnp.where(number == 0, 1.0, jnp.where(number < LARGEST, 1.0 / number, 0.0))
    constant = np.array([p.is_constant or p.fixed is not None for p in primitives.primitives])
    return jnp.where(jnp.asarray(constant)[code], numbers(primitives, tree) * weight, weight)


def divisors(primitives: PrimitiveSet, tree: Programs) -> list[int]:
    """Return the whole number by which each node of one tree would be divided if it were a leaf; on the host."""
    code, size = np.asarray(tree.opcode).astype(int).tolist(), np.asarray(tree.size).astype(int).tolist()
    numbers = [0] * int(tree.length)
    if primitives.weighted:
        for i in range(len(numbers) - 1, -1, -1):
            p, child = primitives.primitives[code[i]], i - 1
            for place in range(p.arity - 1, -1, -1):
                two = p.arity == 2 and primitives.weighting == "path"
                numbers[child] = int(f"{numbers[i]:b}{p.bits}{place if two else ''}", 2)
                child -= size[child]
    return [number or 1 for number in numbers]
