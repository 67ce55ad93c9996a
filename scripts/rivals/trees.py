"""Random programs of a given size, and the same programs as DEAP trees."""

from math import gcd
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.genotypes.primitives import FLOAT, Floats, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs

if TYPE_CHECKING:
    from deap import gp

ARITHMETIC = PrimitiveSet(
    name="bench-arithmetic",
    terminals=(
        *(Primitive(f"x{i}", feature=i) for i in range(8)),
        Primitive("const", domain=Floats(-1.0, 1.0)),
    ),
    functions=(
        Primitive("add", args=(FLOAT, FLOAT), call=lambda a, b: a + b),
        Primitive("sub", args=(FLOAT, FLOAT), call=lambda a, b: a - b),
        Primitive("mul", args=(FLOAT, FLOAT), call=lambda a, b: a * b),
        Primitive("max", args=(FLOAT, FLOAT), call=jnp.maximum),
    ),
)

_RENAMED = {"IF_<_DO_ELSE_": "IF"}
"""Names that are not Python identifiers."""


def random_programs(seed: int, primitives: PrimitiveSet, count: int, nodes: int) -> Programs:
    """Make Programs [count, L] of exactly `nodes` nodes, or the next smaller size that the arities allow.

    Functions are equally likely where they fit; the nodes below one are divided among its arguments at random.
    """
    rng = np.random.default_rng(seed)
    unit = gcd(*(p.arity for p in primitives.functions))
    nodes -= (nodes - 1) % unit
    trees = [_postfix(rng, primitives, nodes, unit) for _ in range(count)]
    opcode, value, size = np.moveaxis(np.array(trees), 2, 0)
    length = np.full(count, nodes, np.int32)
    fields = opcode.astype(np.int16), value.astype(np.float32), size.astype(np.int16), length
    return jax.tree.map(jnp.asarray, Programs(*fields))


def _postfix(rng: np.random.Generator, primitives: PrimitiveSet, nodes: int, unit: int) -> list[tuple[int, float, int]]:
    """Return (opcode, value, size of the subtree) of each node of one random tree."""
    fitting = [p for p in primitives.functions if p.arity < nodes]
    if not fitting:
        terminal = primitives.terminals[rng.integers(len(primitives.terminals))]
        return [(primitives.opcode(terminal.name), _constant(rng, terminal), 1)]
    root = fitting[rng.integers(len(fitting))]
    spare = (nodes - 1 - root.arity) // unit
    cuts = np.sort(rng.integers(0, spare + 1, root.arity - 1))
    parts = 1 + unit * np.diff([0, *cuts, spare])
    arguments = [node for part in parts for node in _postfix(rng, primitives, int(part), unit)]
    return [*arguments, (primitives.opcode(root.name), 0.0, nodes)]


def _constant(rng: np.random.Generator, terminal: Primitive) -> float:
    if isinstance(terminal.domain, Integers):
        return float(rng.integers(terminal.domain.low, terminal.domain.high + 1))
    return float(rng.uniform(terminal.domain.low, terminal.domain.high)) if terminal.domain else 0.0


def deap_arithmetic() -> "gp.PrimitiveSet":
    """Return `ARITHMETIC` as a DEAP primitive set; raises ImportError without DEAP."""
    import operator

    from deap import gp

    functions = gp.PrimitiveSet("arithmetic", 8, prefix="x")
    for name, call in (("add", operator.add), ("sub", operator.sub), ("mul", operator.mul), ("max", max)):
        functions.addPrimitive(call, 2, name)
    return functions


def deap_trees(
    primitives: PrimitiveSet, functions: "gp.PrimitiveSetTyped", programs: Programs, kind: type = list
) -> list:
    """Write single-tree programs [P, L] as DEAP trees of class `kind` over the DEAP set `functions`."""
    fields = (np.asarray(field) for field in (programs.opcode, programs.value, programs.length))
    return [
        kind(_prefix(primitives, functions, opcode[:length], value[:length]))
        for opcode, value, length in zip(*fields, strict=True)
    ]


def _prefix(primitives: PrimitiveSet, functions: "gp.PrimitiveSetTyped", opcode: np.ndarray, value: np.ndarray) -> list:
    from deap import gp

    whole = all(isinstance(p.domain, Integers) for p in primitives.terminals)
    stack: list[list] = []
    for code, number in zip(opcode, value, strict=True):
        declared = primitives.primitives[int(code)]
        if declared.is_constant:
            kind = int if whole else object
            node = gp.Terminal(int(number) if whole else float(number), False, kind)
        else:
            node = functions.mapping[_RENAMED.get(declared.name, declared.name)]
        first = len(stack) - declared.arity
        arguments = [item for argument in stack[first:] for item in argument]
        stack[first:] = [[node, *arguments]]
    (tree,) = stack
    return tree
