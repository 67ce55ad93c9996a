"""What a function of JAX computes, as a graph of nodes that C++ is made from: see `jaxgp.native.writer`.

A function is traced to a jaxpr. Calls are inlined, equal computations become one node, and what is not needed is never
reached. Every node knows the innermost loop that it depends on, so that what a loop does not change is computed before
it.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import numpy as np
from jax.extend.core import Literal

from jaxgp.arrays import PRODUCT

CALLS = (
    *("jit", "pjit", "closed_call", "core_call", "remat", "checkpoint"),
    *("custom_jvp_call", "custom_vjp_call", "custom_vmap_call"),
)
BODIES = ("jaxpr", "call_jaxpr", "fun_jaxpr", "call")
"""What calls name the jaxpr that they run."""
SAME = ("optimization_barrier", "stop_gradient", "copy", "copy_p", "reshard")
TYPES = {
    "bool": "uint8_t",
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "uint16": "uint16_t",
    "int32": "int32_t",
    "uint32": "uint32_t",
    "float32": "float",
}
"""Types of JAX, and those of C++ that stand for them; a truth value is 0 or 1."""


class UntranslatedError(Exception):
    """A function cannot be computed natively; the message says why."""


class Operation:
    """An array that a function computes.

    Attributes:
        op: what makes it, named as JAX names it; `given`, an argument; `const`; `carry` or `part`, what a loop carries
            or takes from an array; `result`, one of the arrays that `inputs[0]` ends with, a loop or a choice.
        inputs: the arrays that it is made of.
        params: how, as JAX has it.
        shape: its axes.
        dtype: the type of its entries.
        depth: of the innermost loop that it depends on.
    """

    __slots__ = ("depth", "dtype", "inputs", "op", "params", "shape")

    def __init__(
        self,
        op: str,
        inputs: Sequence["Operation"],
        params: dict[str, Any],
        shape: Sequence[int],
        dtype: Any,
        depth: int | None = None,
    ) -> None:
        self.op, self.inputs, self.params = op, tuple(inputs), params
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)
        self.depth: int = max((one.depth for one in self.inputs), default=0) if depth is None else depth

    @property
    def size(self) -> int:
        """How many entries it has."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def inner(self) -> Sequence["Operation"]:
        """What a loop, or the branches of a choice, end with."""
        if self.op == "loop":
            test = self.params["test"]
            return [*self.params["after"], *self.params["gathered"], *([test] if test else [])]
        return [one for branch in self.params["branches"] for one in branch] if self.op == "choice" else []

    @property
    def value(self) -> np.ndarray:
        """The entries of a constant."""
        array: np.ndarray = self.params["value"]
        return array


def given(name: str, shape: Sequence[int], dtype: Any, depth: int = 0) -> Operation:
    """Return an argument, an array in memory that C++ knows by a name."""
    return Operation("given", (), {"name": name}, shape, dtype, depth)


def in_order(nodes: Sequence[Operation], before: Callable[[Operation], Sequence[Operation]]) -> list[Operation]:
    """Return nodes and all that comes before them, each once, after what comes before it."""
    found: dict[Operation, None] = {}
    entered: set[Operation] = set()
    waiting = [*nodes]
    while waiting:
        node = waiting[-1]
        if node in entered:
            found.setdefault(waiting.pop())
        else:
            entered.add(node)
            waiting += [one for one in before(node) if one not in entered]
    return [*found]


class Graph:
    """Makes nodes of functions; equal ones are made once."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}
        self.least = 0  # the depth of the innermost branch: loops in it, even of constants, run nowhere else

    def trace(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the tree of nodes that a function returns.

        Args:
            function: of trees of arrays.
            arguments: trees of nodes.

        Raises:
            UntranslatedError: the function does something that has no translation.
        """
        nodes = jax.tree.leaves(arguments)
        shapes = jax.tree.map(lambda one: jax.ShapeDtypeStruct(one.shape, one.dtype), arguments)
        try:
            closed, out = jax.make_jaxpr(function, return_shape=True)(*shapes)
        except UntranslatedError:
            raise
        except Exception as error:  # whatever a function raises: plain XLA will say it
            raise UntranslatedError(f"cannot be traced alone ({type(error).__name__})") from error
        return jax.tree.unflatten(jax.tree.structure(out), self._run(closed.jaxpr, closed.consts, nodes))

    def const(self, value: Any) -> Operation:
        """Return a constant."""
        array = np.asarray(value)
        key = ("const", array.dtype.str, array.shape, array.tobytes())
        return self._once(key, lambda: Operation("const", (), {"value": array}, array.shape, array.dtype))

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def _run(self, jaxpr: Any, consts: Sequence[Any], arguments: Sequence[Operation]) -> list[Operation]:
        """Go through the equations of a jaxpr, and return what it returns."""
        known: dict[Any, Operation] = dict(zip(jaxpr.invars, arguments, strict=True))
        known |= {v: self.const(c) for v, c in zip(jaxpr.constvars, consts, strict=True)}

        def read(v: Any) -> Operation:
            shape: Any = v.aval
            return self.const(np.asarray(v.val, shape.dtype)) if isinstance(v, Literal) else known[v]

        for equation in _read(jaxpr):
            found = self._equation(equation, [read(v) for v in equation.invars])
            known |= dict(zip(equation.outvars, found, strict=True))
        return [read(v) for v in jaxpr.outvars]

    def _equation(self, equation: Any, inputs: list[Operation]) -> Sequence[Operation]:
        name, params = equation.primitive.name, equation.params
        outs: list[Any] = [v.aval for v in equation.outvars]
        for out in outs:
            if str(out.dtype) not in TYPES:
                raise UntranslatedError(f"{name} gives {out.dtype}")
        if name in CALLS and params.get("name") == PRODUCT:
            both = inputs[:2]
            made = partial(Operation, "product", both, {}, outs[0].shape, outs[0].dtype)
            return [self._once((PRODUCT, *map(id, both)), made)]
        if name in CALLS:
            inner = next(params[one] for one in BODIES if params.get(one))
            closed = hasattr(inner, "jaxpr")
            return self._run(inner.jaxpr if closed else inner, inner.consts if closed else (), inputs)
        if name in SAME:
            return inputs
        if name in LOOPS:
            return LOOPS[name](self, params, inputs, outs)
        if name == "platform_index":
            return [self.const(np.int32(_of_cpu(params["platforms"])))]
        if name == "split":
            return self._split(params["axis"], params["sizes"], inputs[0])
        if name == "unstack":
            parts = self._split(params["axis"], [1] * len(outs), inputs[0])
            return [self._reshaped(part, out.shape) for part, out in zip(parts, outs, strict=True)]
        if len(outs) != 1:
            raise UntranslatedError(f"{name} has no translation")
        if name == "bitcast_convert_type" and inputs[0].dtype.itemsize != outs[0].dtype.itemsize:
            raise UntranslatedError("takes the bits of a number as those of a shorter or longer one")
        if name in FOLDED and inputs[0].op == "const" and not _cuts(inputs[0], outs[0]):
            return [self.const(FOLDED[name](inputs[0].value, outs[0], params))]
        key = (name, tuple(map(id, inputs)), _told(params))
        return [self._once(key, lambda: Operation(name, inputs, params, outs[0].shape, outs[0].dtype))]

    def _reshaped(self, node: Operation, shape: Sequence[int]) -> Operation:
        key = ("reshape", (id(node),), tuple(shape))
        return self._once(key, partial(Operation, "reshape", (node,), {}, shape, node.dtype))

    def _split(self, axis: int, sizes: Sequence[int], whole: Operation) -> list[Operation]:
        begin, parts = 0, []
        for size in sizes:
            first, last = [0] * len(whole.shape), list(whole.shape)
            first[axis], last[axis] = begin, begin + size
            begin += size
            shape = [b - a for a, b in zip(first, last, strict=True)]
            bounds = {"start_indices": tuple(first), "limit_indices": tuple(last), "strides": None}
            key = ("slice", (id(whole),), _told(bounds))
            parts.append(self._once(key, partial(Operation, "slice", (whole,), bounds, shape, whole.dtype)))
        return parts

    def _inside(self, inputs: Sequence[Operation]) -> int:
        """Return the depth of what lies inside a loop or a choice."""
        return 1 + max([self.least, *(one.depth for one in inputs)])

    def _while(self, params: dict[str, Any], inputs: list[Operation], outs: list[Any]) -> list[Operation]:
        tests, bodies = params["cond_nconsts"], params["body_nconsts"]
        for_test, for_body, first = inputs[:tests], inputs[tests : tests + bodies], inputs[tests + bodies :]
        depth = self._inside(inputs)
        carried = [Operation("carry", (), {}, one.shape, one.dtype, depth) for one in first]
        test, body = params["cond_jaxpr"], params["body_jaxpr"]
        (goes_on,) = self._run(test.jaxpr, test.consts, [*for_test, *carried])
        after = self._run(body.jaxpr, body.consts, [*for_body, *carried])
        if goes_on.shape:  # `vmap` made it: each lane stays as it is when its own loop has ended
            after = [_where(goes_on, one, last) for one, last in zip(after, carried, strict=True)]
            goes_on = Operation("reduce_or", (goes_on,), {"axes": tuple(range(len(goes_on.shape)))}, (), np.bool_)
        loop = {"carried": carried, "test": goes_on, "after": after, "length": None, "first": first, "gathered": []}
        return _results(Operation("loop", inputs, loop, (), np.bool_, depth - 1), outs)

    def _scan(self, params: dict[str, Any], inputs: list[Operation], outs: list[Any]) -> list[Operation]:
        # Counted by shapes, as versions of JAX name these numbers in other ways: one turn sees what is carried as it is
        # and of what a scan goes over, or gathers, one part.
        body = params["jaxpr"]
        carries = sum(len(out.shape) == len(v.aval.shape) for out, v in zip(outs, body.jaxpr.outvars, strict=True))
        parted = sum(len(one.shape) != len(v.aval.shape) for one, v in zip(inputs, body.jaxpr.invars, strict=True))
        consts = len(inputs) - carries - parted
        fixed, first, over = inputs[:consts], inputs[consts : consts + carries], inputs[consts + carries :]
        if params["length"] == 1:  # XLA makes no loop of it either
            shapes = [one.shape[1:] for one in over]
            parts = [Operation("reshape", (one,), {}, own, one.dtype) for one, own in zip(over, shapes, strict=True)]
            found = self._run(body.jaxpr, body.consts, [*fixed, *first, *parts])
            rows = [Operation("reshape", (one,), {}, (1, *one.shape), one.dtype) for one in found[carries:]]
            return [*found[:carries], *rows]
        depth = self._inside(inputs)
        carried = [Operation("carry", (), {}, one.shape, one.dtype, depth) for one in first]
        turn = Operation("turn", (), {}, (), np.int32, depth)
        back = {"last": params["length"] - 1 if params["reverse"] else None}
        parts = [Operation("part", (one, turn), back, one.shape[1:], one.dtype) for one in over]
        found = self._run(body.jaxpr, body.consts, [*fixed, *carried, *parts])
        loop = {
            "carried": carried,
            "test": None,
            "after": found[:carries],
            "length": params["length"],
            "turn": turn,
            "first": first,
            "gathered": found[carries:],
            **back,
        }
        return _results(Operation("loop", inputs, loop, (), np.bool_, depth - 1), outs)

    def _cond(self, params: dict[str, Any], inputs: list[Operation], outs: list[Any]) -> list[Operation]:
        operands = inputs[1:]
        if params.get("branches_platforms"):
            inputs = [self.const(np.int32(_of_cpu(params["branches_platforms"])))]
        if inputs[0].op == "const":
            branch = params["branches"][int(inputs[0].value)]
            return self._run(branch.jaxpr, branch.consts, operands)
        depth, outer = self._inside(inputs), self.least
        branches = []
        for branch in params["branches"]:
            entered = [Operation("enter", (one,), {}, one.shape, one.dtype, depth) for one in operands]
            self.least = depth
            branches.append(self._run(branch.jaxpr, branch.consts, entered))
            self.least = outer
        return _results(Operation("choice", inputs, {"branches": branches}, (), np.bool_, depth - 1), outs)


def _read(jaxpr: Any) -> Sequence[Any]:
    """Return the equations of a jaxpr that its results are made of, in order: the others need no translation."""
    wanted = {v for v in jaxpr.outvars if not isinstance(v, Literal)}
    found = []
    for equation in reversed(jaxpr.eqns):
        if not wanted.isdisjoint(equation.outvars):
            found.append(equation)
            wanted.update(v for v in equation.invars if not isinstance(v, Literal))
    return found[::-1]


def _where(which: Operation, one: Operation, other: Operation) -> Operation:
    """Return the entries of one of two arrays, as truth values say that lie along their first axes."""
    axes = {"broadcast_dimensions": tuple(range(len(which.shape)))}
    wide = Operation("broadcast_in_dim", (which,), axes, one.shape, np.bool_)
    return Operation("select_n", (wide, other, one), {}, one.shape, one.dtype)


def _results(whole: Operation, outs: Sequence[Any]) -> list[Operation]:
    return [Operation("result", (whole,), {"number": k}, out.shape, out.dtype) for k, out in enumerate(outs)]


def _of_cpu(platforms: Sequence[Sequence[str] | None]) -> int:
    """Return which of the ways to compute something by platform a CPU takes; None stands for all that are left."""
    return next(k for k, some in enumerate(platforms) if some is None or "cpu" in some)


def _cuts(node: Operation, out: Any) -> bool:
    """Return whether fractions become whole numbers, which NumPy takes otherwise than XLA beyond the ends."""
    return node.dtype.kind == "f" and np.dtype(out.dtype).kind in "iu"


def _broadcast(value: np.ndarray, out: Any, params: dict[str, Any]) -> np.ndarray:
    shape = [1] * len(out.shape)
    for axis, size in zip(params["broadcast_dimensions"], value.shape, strict=True):
        shape[axis] = size
    return np.broadcast_to(value.reshape(shape), out.shape)


FOLDED: dict[str, Callable[[np.ndarray, Any, dict[str, Any]], np.ndarray]] = {
    "broadcast_in_dim": _broadcast,
    "reshape": lambda value, out, params: value.reshape(out.shape),
    "squeeze": lambda value, out, params: value.reshape(out.shape),
    "convert_element_type": lambda value, out, params: value.astype(out.dtype),
}
"""Operations on constants that give constants."""
LOOPS = {"while": Graph._while, "scan": Graph._scan, "cond": Graph._cond}


def _told(params: dict[str, Any]) -> str:
    return repr(sorted(params.items(), key=lambda item: item[0]))
