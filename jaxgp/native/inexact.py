"""Refuses arithmetic with fractions that XLA may compute in another way than it is written.

XLA contracts a product and a sum into one operation that rounds once, whatever stands between them but arithmetic;
divides by a constant by multiplying with its reciprocal; joins constants; and adds up in an order of its own. What is
left is computed alike: any one operation, products and quotients with powers of two, which round nothing, and what
comes after a quotient or a rounding.
"""

from math import frexp

import numpy as np

from jaxgp.native.graph import Operation, UntranslatedError

THROUGH = frozenset(
    {
        *("select_n", "broadcast_in_dim", "reshape", "squeeze", "expand_dims", "slice", "concatenate", "stack", "pad"),
        *("transpose", "rev", "tile", "gather", "neg", "abs", "max", "min", "reduce_max", "reduce_min"),
        *("dynamic_slice", "dynamic_update_slice", "scatter", "clamp", "bitcast_convert_type", "and", "or", "xor"),
    }
)
"""Operations that stand between arithmetic."""
HARMLESS = frozenset(
    {
        *("given", "carry", "const", "result", "loop", "choice", "enter", "turn", "part", "iota"),
        *("convert_element_type", "eq", "ne", "lt", "le", "gt", "ge", "round", "floor", "ceil", "sign"),
    }
)
SHAPED = ("broadcast_in_dim", "reshape", "squeeze", "expand_dims", "convert_element_type", "transpose", "slice", "rev")
"""Operations that stand between constants, quotients or truth values, and what XLA joins them with."""


def refuse_inexact(node: Operation) -> None:
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
        if any(map(_is_zero, floats)):
            raise UntranslatedError(f"{node.op} of 0, which keeps denormal numbers and the sign of 0 in XLA")
        if frozenset.intersection(*map(_factors, floats)):
            raise UntranslatedError(f"{node.op} of equal multiples, which XLA may join")
    elif node.op in ("mul", "product"):
        if any(_is_truth(one) for one in floats):
            raise UntranslatedError("mul of a truth value, which XLA may take as a choice")
        if any(map(_is_constant, floats)) and any(one.op in ("mul", "div") and _reads_constant(one) for one in floats):
            raise UntranslatedError("mul of constants that XLA may join")
    elif node.op == "div":
        if _is_constant(floats[1]) and not _is_power(floats[1]):
            raise UntranslatedError("div by a constant, which XLA takes as a product")
        if any(_seen_through(one).op == "div" and _seen_through(one).dtype.kind == "f" for one in floats):
            raise UntranslatedError("div of a quotient, which XLA may join")
    elif node.op not in THROUGH and node.op not in HARMLESS and not node.op.startswith("jaxgp"):
        raise UntranslatedError(f"{node.op} of fractions")


def _has_product(node: Operation) -> bool:
    """Return whether a number is a product that may have been rounded."""
    waiting, seen = [node], set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.op == "mul" and one.dtype.kind == "f" and not any(map(_is_power, one.inputs)):
            return True
        waiting += one.inputs if one.op in THROUGH else ()
    return False


def _seen_through(node: Operation) -> Operation:
    """Return what a node is a view of."""
    while node.op in SHAPED:
        node = node.inputs[0]
    return node


def _is_constant(node: Operation) -> bool:
    return _seen_through(node).op == "const"


def _reads_constant(node: Operation) -> bool:
    return any(map(_is_constant, node.inputs))


def _is_power(node: Operation) -> bool:
    """Return whether a node is a constant of powers of two."""
    node = _seen_through(node)
    if node.op != "const":
        return False
    entries = np.asarray(node.value, np.float64).reshape(-1).tolist()
    return all(one != 0 and abs(frexp(one)[0]) == 0.5 and abs(frexp(one)[1]) < 100 for one in entries)


def _is_zero(node: Operation) -> bool:
    """Return whether a node is a constant with an entry 0."""
    node = _seen_through(node)
    return node.op == "const" and not np.all(node.value)


def _is_truth(node: Operation) -> bool:
    """Return whether a number has been a truth value."""
    while node.op in SHAPED and node.dtype != np.bool_:
        node = node.inputs[0]
    return node.dtype == np.bool_ and node.op != "const"


def _factors(node: Operation) -> frozenset[float]:
    """Return the constants that a multiple has been multiplied by."""
    node = _seen_through(node)
    scaled = node.op in ("mul", "div") and node.dtype.kind == "f"
    found = [_seen_through(one) for one in node.inputs[node.op == "div" :]] if scaled else []
    values = [np.asarray(one.value, np.float64).reshape(-1) for one in found if one.op == "const"]
    return frozenset(x for one in values for x in (1 / one if node.op == "div" else one).tolist())
