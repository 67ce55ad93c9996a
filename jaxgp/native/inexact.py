"""Refuses arithmetic with fractions that XLA may compute in another way than it is written.

XLA contracts a product and a sum into one operation that rounds once, whatever stands between them but arithmetic;
divides by a constant by multiplying with its reciprocal; joins constants; and adds up in an order of its own. What is
left is computed alike: any one operation, products and quotients with powers of two, which round nothing, and what
comes after a quotient or a rounding.
"""

from math import frexp

import numpy as np

from jaxgp.native.graph import Node, UntranslatedError

THROUGH = frozenset(
    {
        *("select_n", "broadcast_in_dim", "reshape", "squeeze", "expand_dims", "slice", "concatenate", "stack", "pad"),
        *("transpose", "rev", "tile", "gather", "neg", "abs", "max", "min", "reduce_max", "reduce_min"),
    }
)
"""Operations that stand between arithmetic."""
HARMLESS = frozenset(
    {
        *("given", "carry", "const", "result", "loop", "choice", "enter", "turn", "part", "iota"),
        *("convert_element_type", "bitcast_convert_type", "eq", "ne", "lt", "le", "gt", "ge", "round", "floor"),
        *("ceil", "sign", "dynamic_slice", "dynamic_update_slice", "scatter", "clamp"),
    }
)


def refuse_inexact(node: Node) -> None:
    """Refuse a node whose value XLA may round in another way.

    Raises:
        UntranslatedError: it may.
    """
    floats = [one for one in node.inputs if one.dtype.kind == "f"]
    if node.dtype.kind != "f" or not floats:
        return
    if node.op in ("add", "sub"):
        if any(_has_product(one) for one in floats):
            raise UntranslatedError(f"{node.op} of a product, which XLA may round once for both")
        if any(map(_is_constant, floats)) and any(one.op in ("add", "sub") and _reads_constant(one) for one in floats):
            raise UntranslatedError(f"{node.op} of constants that XLA may join")
    elif node.op == "mul":
        if any(map(_is_constant, floats)) and any(one.op in ("mul", "div") and _reads_constant(one) for one in floats):
            raise UntranslatedError("mul of constants that XLA may join")
    elif node.op == "div":
        if _is_constant(floats[1]) and not _is_power(floats[1]):
            raise UntranslatedError("div by a constant, which XLA takes as a product")
    elif node.op not in THROUGH and node.op not in HARMLESS and not node.op.startswith("jaxgp"):
        raise UntranslatedError(f"{node.op} of fractions")


def _has_product(node: Node) -> bool:
    """Return whether a number is a product that may have been rounded."""
    if node.dtype.kind != "f":
        return False
    if node.op == "mul":
        return not any(_is_power(one) for one in node.inputs)
    if node.op == "div":
        return False
    return node.op in THROUGH and any(map(_has_product, node.inputs))


def _is_constant(node: Node) -> bool:
    while node.op in ("broadcast_in_dim", "reshape", "squeeze", "convert_element_type"):
        node = node.inputs[0]
    return node.op == "const"


def _reads_constant(node: Node) -> bool:
    return any(map(_is_constant, node.inputs))


def _is_power(node: Node) -> bool:
    """Return whether a node is a constant of powers of two."""
    while node.op in ("broadcast_in_dim", "reshape", "squeeze", "convert_element_type"):
        node = node.inputs[0]
    if node.op != "const":
        return False
    entries = np.asarray(node.value, np.float64).reshape(-1).tolist()
    return all(one != 0 and abs(frexp(one)[0]) == 0.5 and abs(frexp(one)[1]) < 100 for one in entries)
