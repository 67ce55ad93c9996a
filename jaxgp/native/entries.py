"""Expressions of C++ for single entries: numbers, and what operations make of the entries at one place of arrays."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxgp.native.graph import TYPES, Operation, UntranslatedError

INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "product": "*",
    "and": "&",
    "or": "|",
    "xor": "^",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
NAMED = {
    "max": "maximum",
    "min": "minimum",
    "clamp": "clamped",
    "div": "divided",
    "rem": "remainder_of",
    "abs": "absolute",
    "sign": "sign_of",
    "square": "squared",
    "clz": "clz",
    "population_count": "population_count",
    "floor": "floor",
    "ceil": "ceil",
}
"""Operations that are functions of numbers.h."""
SHIFTS = {"shift_left": "<<", "shift_right_logical": ">>", "shift_right_arithmetic": ">>"}
HALVES_TO_EVEN = 1
"""The rounding of `jnp.round`, as JAX numbers it."""


def entry_of(node: Operation, x: Sequence[str]) -> str:
    """Return an expression for an entry of a node, made of those of its inputs at the same place.

    Raises:
        UntranslatedError: the operation has a form that has no translation.
    """
    if node.op in INFIX:
        return cast(node, f"({x[0]} {INFIX[node.op]} {x[1]})")
    if node.op in NAMED:
        return f"{NAMED[node.op]}<{type_of(node)}>({', '.join(x)})"
    return OTHERS[node.op](node, x)


def _shifted(node: Operation, x: Sequence[str]) -> str:
    own, amount, bits = type_of(node), node.inputs[1], node.dtype.itemsize * 8
    sure = amount.op == "const" and is_uniform(amount) and 0 <= int(amount.value.reshape(-1)[0]) < bits
    if not sure:
        return f"{node.op}<{own}>({x[0]}, {x[1]})"
    shown = "int" if node.op == "shift_right_arithmetic" else "uint"
    return f"({own})(({shown}{bits}_t)({x[0]}) {SHIFTS[node.op]} {x[1]})"


def _selected(node: Operation, x: Sequence[str]) -> str:
    own = type_of(node)
    if node.inputs[0].dtype == np.bool_:
        return f"chosen<{own}>({x[0]}, {x[2]}, {x[1]})"
    which, *cases = x
    text = cases.pop()
    while cases:
        text = f"chosen<{own}>({which} <= {len(cases) - 1}, {cases.pop()}, {text})"
    return text


def _converted(node: Operation, x: Sequence[str]) -> str:
    own, before = type_of(node), node.inputs[0].dtype
    if node.dtype == np.bool_:
        return f"(uint8_t)({x[0]} != 0)"
    if before.kind == "f" and node.dtype.kind in "iu":
        return f"truncated<{own}>({x[0]})"
    return f"(({own})({x[0]}))"


def _same_bits(node: Operation, x: Sequence[str]) -> str:
    return f"same_bits<{type_of(node)}>(({type_of(node.inputs[0])})({x[0]}))"


def _negated(node: Operation, x: Sequence[str]) -> str:
    return f"({type_of(node)})(-({x[0]}))"


def _inverted(node: Operation, x: Sequence[str]) -> str:
    return f"(uint8_t)(({x[0]}) ^ 1)" if node.dtype == np.bool_ else f"({type_of(node)})(~({x[0]}))"


def _raised(node: Operation, x: Sequence[str]) -> str:
    powers = {2: "squared", 3: "cubed"}
    if node.params["y"] not in powers or node.dtype.kind == "f":
        raise UntranslatedError(f"integer_pow with the power {node.params['y']}")
    return f"{powers[node.params['y']]}<{type_of(node)}>({x[0]})"


def _rounded(node: Operation, x: Sequence[str]) -> str:
    if int(node.params["rounding_method"]) != HALVES_TO_EVEN:
        raise UntranslatedError("rounds halves away from 0")
    return f"rounded({x[0]})"


OTHERS: dict[str, Callable[[Operation, Sequence[str]], str]] = {
    **dict.fromkeys(SHIFTS, _shifted),
    "select_n": _selected,
    "convert_element_type": _converted,
    "bitcast_convert_type": _same_bits,
    "neg": _negated,
    "not": _inverted,
    "integer_pow": _raised,
    "round": _rounded,
}
ENTRIES = frozenset({*INFIX, *NAMED, *OTHERS})
"""All operations of this kind. They broadcast axes of size 1."""


def type_of(node: Operation) -> str:
    """Return the type of the entries of a node in C++.

    Raises:
        UntranslatedError: there is none.
    """
    if str(node.dtype) not in TYPES:
        raise UntranslatedError(f"{node.op} gives {node.dtype}")
    return TYPES[str(node.dtype)]


def cast(node: Operation, text: str) -> str:
    """Return an expression as a number of a node; C++ computes with small numbers as with ints."""
    return text if node.dtype in (np.int32, np.uint32, np.float32) else f"({type_of(node)}){text}"


def is_uniform(node: Operation) -> bool:
    """Return whether all entries of a constant are equal to the bit."""
    entries = node.value.reshape(-1)
    return len(entries) > 0 and entries.tobytes() == entries[:1].tobytes() * len(entries)


def literal(value: Any) -> str:
    """Return a number as C++ has it."""
    value = np.asarray(value)
    if value.dtype == np.bool_:
        return str(int(value))
    if value.dtype.kind == "f":
        number = float(value)
        if np.isnan(number):
            return "kNan"
        if np.isinf(number):
            return "kInfinity" if number > 0 else "-kInfinity"
        return f"{number.hex()}f"
    whole = int(value)
    if value.dtype == np.uint32:
        return f"{whole}u"
    return f"({whole})" if whole > -(2**31) else "(-2147483647 - 1)"
