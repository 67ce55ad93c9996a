"""One tree as text, and what is wrong with it, for tests of programs."""

from dataclasses import replace

import jax
import numpy as np

from jaxgp.genotypes.text import parse_program


def parse_tree(primitives, text, capacity, root_type=0):
    """Read one tree into NumPy arrays, [L]; `root_type` is the type id that the root has to fill."""
    alone = replace(primitives, roots=(primitives.types[root_type],), rules=())
    return jax.tree.map(lambda x: x[0], parse_program(alone, text, capacity))


def problems(primitives, tree, root_type):
    """Say in words what is wrong with one tree ([L], on the host); an empty list means that it is valid."""
    opcode, value, size = (np.asarray(field) for field in (tree.opcode, tree.value, tree.size))
    length, found = int(tree.length), []
    if not 1 <= length <= len(opcode):
        return [f"length {length} is not from 1 to {len(opcode)}"]
    if opcode[length:].any() or value[length:].any() or size[length:].any():
        found.append("padding is not zero")
    stack = []  # (type id, size) of each finished subtree
    for i in range(length):
        code = int(opcode[i])
        if not 0 <= code < len(primitives.primitives):
            return [*found, f"node {i}: opcode {code} is not in the primitive set"]
        primitive = primitives.primitives[code]
        if len(stack) < primitive.arity:
            return [*found, f"node {i}: {primitive.name} lacks arguments"]
        args = stack[len(stack) - primitive.arity :]
        del stack[len(stack) - primitive.arity :]
        for k, (have, _) in enumerate(args):
            if not primitives.accepts[primitives.arg_type[code, k], have]:
                found.append(f"node {i}: argument {k + 1} of {primitive.name} has type {primitives.types[have]}")
        if primitives.scaled[code]:
            if not np.isfinite(value[i]):
                found.append(f"node {i}: {primitive.name} {value[i]:g} is not a finite number")
        elif primitive.domain is not None and float(value[i]) not in primitive.domain:
            found.append(f"node {i}: {primitive.name} {value[i]:g} is not {primitive.domain}")
        elif primitive.domain is None and value[i]:
            found.append(f"node {i}: {primitive.name} carries a value")
        nodes = 1 + sum(n for _, n in args)
        if size[i] != nodes:
            found.append(f"node {i}: size {size[i]} should be {nodes}")
        stack.append((int(primitives.return_type[code]), nodes))
    if (acting := int(primitives.acts[opcode[:length]].sum())) > primitives.effects:
        found.append(f"{acting} nodes have an effect, {primitives.effects} may")
    if len(stack) != 1:
        found.append(f"{len(stack)} roots instead of one")
    elif not primitives.accepts[root_type, stack[0][0]]:
        found.append(f"the root has type {primitives.types[stack[0][0]]}, not {primitives.types[root_type]}")
    return found
