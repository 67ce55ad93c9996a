"""Turns the functions of a primitive set into operations of the native interpreter, or says why it cannot.

A function is traced once, to a jaxpr, whose equations become operations of `OPERATIONS`. The values have to be those of
plain XLA to the bit, and XLA changes arithmetic: it contracts a product and a sum into one operation that rounds once,
divides by multiplying with the reciprocal, drops a sum with 0, and merges what constants do one after the other. So
arithmetic has a closed list of forms that it leaves alone; a set with any other is refused, and runs in plain XLA.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import frexp, isfinite
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Literal

from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.interpreter.calls import FEATURE_AT, apply, instructions
from jaxgp.native.graph import UntranslatedError

OPERATIONS = (
    *("copy", "look", "look_at", "select_n", "neg", "abs", "not"),
    *("add", "sub", "mul", "div", "max", "min", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "xor"),
)
"""In the order of `Op` in interpreter.cc, named as JAX names them, but for the first three."""
SUMS, PRODUCTS = ("add", "sub"), ("mul", "div")
LOGIC = ("not", "and", "or", "xor")
SAME = ("broadcast_in_dim", "squeeze", "reshape", "copy", "stop_gradient")
"""Equations that give an array another shape, of the same numbers in the same order."""
CALLS = ("jit", "pjit", "closed_call")
FEATURES, CASES = 1024, 7
"""Features and positions of the trial of a function. No set reads as many features."""
MOST = 2**24
"""Whole numbers up to this one are float32s."""


@dataclass(frozen=True)
class Functions:
    """The functions of a set, as the native interpreter runs them."""

    starts: np.ndarray  # int32[functions + 1]: where the operations of each begin
    arities: np.ndarray  # int32[functions]: how many arguments each has
    micros: np.ndarray  # int32[5 * operations]: operation, result, operands; see `Micro` in interpreter.cc
    literals: np.ndarray  # float32[literals]
    between: int  # rows for what lies between operations
    features: int  # how many features they read by themselves, all numbers


class Number(NamedTuple):
    """A literal, one number for all positions."""

    value: float


class Feature(NamedTuple):
    """A row of the features."""

    row: int


class Many(NamedTuple):
    """Values in one array, one to a row."""

    values: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Value:
    """The value of an argument or of an operation.

    Attributes:
        at: number of the argument; -1: of an operation.
        truth: it is 0 or 1.
        made: what arithmetic it depends on: `sum` of others, `product` for any other, or none.
    """

    at: int = -1
    truth: bool = False
    made: str = ""


WHOLE = "features"
"""Stands for the array of all features."""


@lru_cache(maxsize=64)
def translate(primitives: PrimitiveSet) -> Functions | str:
    """Return the functions of a set, or why they cannot be computed natively."""
    traced = []
    for one in instructions(primitives):
        try:
            traced.append(_Trace(one, primitives.max_arity))
        except UntranslatedError as why:
            return f"{one.name}: {why}"
    return _number(primitives, traced)


class _Trace:
    """What one function does: operations, each with its operands, and the values that they give."""

    def __init__(self, primitive: Primitive, width: int) -> None:
        self.operations: list[tuple[str, Value, tuple[Any, ...], int]] = []
        self.arguments = primitive.arity or 1  # a parametrised terminal gets its parameter
        self.features = 0
        shown = jax.ShapeDtypeStruct((FEATURES, CASES), jnp.float32)
        given = [jax.ShapeDtypeStruct((CASES,), jnp.float32)] * width
        try:
            closed = jax.make_jaxpr(lambda features, *args: apply(primitive, features, args))(shown, *given)
        except Exception as error:  # whatever a function raises: plain XLA will say it, or shows it other features
            raise UntranslatedError(f"cannot be traced alone ({type(error).__name__})") from error
        (found,) = self._run(closed, [WHOLE, *(Value(at) for at in range(width))])
        self.result = self._operate("copy", [found]) if not self._is_last(found) else found

    def _is_last(self, found: Any) -> bool:
        return bool(self.operations) and self.operations[-1][1] is found

    def _run(self, closed: Any, given: Sequence[Any]) -> list[Any]:
        """Go through the equations of a closed jaxpr, and return what it returns."""
        known: dict[Any, Any] = dict(zip(closed.jaxpr.invars, given, strict=True))
        known |= {v: _literal(c) for v, c in zip(closed.jaxpr.constvars, closed.consts, strict=True)}

        def read(v: Any) -> Any:
            return _literal(v.val) if isinstance(v, Literal) else known[v]

        for equation in closed.jaxpr.eqns:
            found = self._equation(equation, [read(v) for v in equation.invars])
            known |= dict(zip(equation.outvars, found, strict=True))
        return [read(v) for v in closed.jaxpr.outvars]

    def _equation(self, equation: Any, given: list[Any]) -> list[Any]:
        name, (out, *_) = equation.primitive.name, equation.outvars
        if name in CALLS:
            if equation.params.get("name") == FEATURE_AT:
                return [self._look_at(given)]
            return self._run(equation.params["jaxpr"], given)
        truths = name == "convert_element_type" and equation.invars[0].aval.dtype == jnp.bool_  # 0 and 1 of any type
        if out.aval.dtype not in (jnp.float32, jnp.bool_) and not truths:
            raise UntranslatedError(f"{name} gives {out.aval.dtype}")
        if name == "slice":
            return [_rows(equation, given[0])]
        if name == "stack" and equation.params["axis"] == 0:
            return [Many(tuple(given))]
        if name in ("reduce_and", "reduce_or") and isinstance(given[0], Many) and equation.params["axes"] == (0,):
            first, *others = given[0].values
            for one in others:
                first = self._operate(name.removeprefix("reduce_"), [first, one])
            return [first]
        if any(isinstance(x, Many) or x is WHOLE for x in given):
            raise UntranslatedError(f"{name} of several values at once")
        if name in SAME and equation.invars[0].aval.size in (1, out.aval.size) and out.aval.size in (1, CASES):
            return [given[0]]
        if name == "convert_element_type":
            return [_converted(equation, given[0])]
        return [self._computed(name, equation, given)]

    def _computed(self, name: str, equation: Any, given: list[Any]) -> Any:
        truths = equation.outvars[0].aval.dtype == jnp.bool_
        if name not in OPERATIONS or (name in LOGIC) > truths:
            raise UntranslatedError(f"{name} is none of the operations")
        if name == "select_n" and (equation.invars[0].aval.dtype != jnp.bool_ or len(given) != 3):
            raise UntranslatedError("it chooses by a number")
        if name == "ne" and given[1] == Number(0) and isinstance(given[0], Value) and given[0].truth:
            return given[0]
        return self._operate(name, given, truths)

    def _look_at(self, given: list[Any]) -> Value:
        """Return the feature whose number is computed, of the first ones."""
        number, *rows = given
        if rows != [Feature(row) for row in range(len(rows))]:
            raise UntranslatedError("reads others than the first features by a computed number")
        self.features = max(self.features, len(rows))
        return self._operate("look_at", [number], row=len(rows))

    def _operate(self, name: str, given: Sequence[Any], truth: bool = False, row: int = 0) -> Value:
        operands = tuple(self._seen(x) if isinstance(x, Feature) else x for x in given)
        truth = truth or name in LOGIC
        if name == "select_n":
            truth = all(getattr(x, "truth", False) for x in operands[1:])
        made = Value(truth=truth, made=_arithmetic(name, operands))
        self.operations.append((name, made, operands, row))
        return made

    def _seen(self, feature: Feature) -> Value:
        self.features = max(self.features, feature.row + 1)
        return self._operate("look", [], row=feature.row)


def _literal(value: Any) -> Any:
    """Return what a constant of a jaxpr is, a number unless it is an array."""
    array = np.asarray(value)
    if array.size != 1:
        raise UntranslatedError("computes with an array of constants")
    if array.dtype.kind in "iu" and abs(int(array.reshape(()))) > MOST:
        raise UntranslatedError(f"{array.reshape(())} is no float32")
    return Number(float(array.reshape(())))


def _rows(equation: Any, whole: Any) -> Feature:
    """Return the one feature that an equation slices."""
    first, after, steps = (equation.params[key] for key in ("start_indices", "limit_indices", "strides"))
    if whole is not WHOLE or first[1] or after[1] != CASES or after[0] - first[0] != 1 or steps not in (None, (1, 1)):
        raise UntranslatedError("slices others than one feature")
    return Feature(first[0])


def _converted(equation: Any, given: Any) -> Any:
    """Return a value as a number; a truth value is one already."""
    before, after = equation.invars[0].aval.dtype, equation.outvars[0].aval.dtype
    exact = isinstance(given, Number) or (isinstance(given, Value) and given.truth)
    if before == after or before == jnp.bool_ or (exact and after == jnp.float32):
        return given
    raise UntranslatedError(f"turns {before} into {after}")


def _arithmetic(name: str, operands: Sequence[Any]) -> str:
    """Return what arithmetic the value of an operation depends on; refuse what XLA may compute in another way."""
    before = {x.made for x in operands if isinstance(x, Value) and not x.truth} - {""}
    literals = [x.value for x in operands if isinstance(x, Number)]
    if name in ("select_n", "copy", "abs", "max", "min"):
        return "product" if "product" in before else "sum" if before else ""
    if name == "neg" and before:
        raise UntranslatedError("negates what it computes, where XLA may turn a difference round")
    if name not in SUMS + PRODUCTS:
        return "product" if name == "neg" else ""
    if before and (literals or name in PRODUCTS or "product" in before):
        raise UntranslatedError(f"{name} of what it computes: XLA may round once for both, or join constants")
    if len(literals) > 1 or not all(_harmless(name, operands, x) for x in literals):
        raise UntranslatedError(f"{name} with {literals[0]:g}, which XLA computes in another way")
    return "sum" if name in SUMS and not literals else "product"


def _harmless(name: str, operands: Sequence[Any], literal: float) -> bool:
    """Return whether XLA computes an operation with this literal as it stands, or to the same bits."""
    if not isfinite(literal) or literal == 0 or (name in PRODUCTS and abs(literal) == 1):
        return False
    half, power = frexp(abs(literal))
    return name != "div" or operands[0] == Number(literal) or (half == 0.5 and abs(power) < 100)


def _number(primitives: PrimitiveSet, traced: Sequence[_Trace]) -> Functions:
    """Return traced functions with numbers for what they name: operations, registers and features."""
    literals: dict[bytes, int] = {}  # by their bits: -0 is not 0
    micros, starts, between = [], [0], 0
    first = primitives.max_arity
    for one in traced:
        for _, _, operands, _ in one.operations:
            for x in operands:
                if isinstance(x, Number):
                    literals.setdefault(_bits(x), first + len(literals))
    for one in traced:
        places = {made: k for k, (_, made, *_) in enumerate(one.operations)}

        def register(x: Number | Value, places: dict[Value, int] = places) -> int:
            if isinstance(x, Number):
                return literals[_bits(x)]
            return x.at if x.at >= 0 else first + len(literals) + places[x]

        for name, made, operands, row in one.operations:
            to = -1 if made is one.result else register(made)
            read = [*map(register, operands)]
            read += [0] * (2 - len(read)) + [row] * (len(read) < 3)
            micros += [OPERATIONS.index(name), to, *read]
        starts.append(len(micros) // 5)
        between = max(between, len(one.operations) - 1)
    return Functions(
        np.array(starts, np.int32),
        np.array([one.arguments for one in traced], np.int32),
        np.array(micros, np.int32),
        np.frombuffer(b"".join(literals), np.float32),
        between,
        max((one.features for one in traced), default=0),
    )


def _bits(number: Number) -> bytes:
    return np.float32(number.value).tobytes()
