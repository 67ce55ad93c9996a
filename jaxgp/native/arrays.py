"""Writes operations that make arrays of arrays: they join and fill, fold, count on, find, and replace entries."""

from collections.abc import Callable, Sequence

import numpy as np

from jaxgp.native.entries import cast, literal, type_of
from jaxgp.native.graph import Operation, UntranslatedError
from jaxgp.native.places import drops, in_memory, linear, of_dynamic_slice, of_scatter
from jaxgp.native.writer import Writer

FOLDS = {
    "reduce_sum": "{0} + {1}",
    "reduce_prod": "{0} * {1}",
    "reduce_max": "maximum<{t}>({0}, {1})",
    "reduce_min": "minimum<{t}>({0}, {1})",
    "reduce_or": "{0} | {1}",
    "reduce_and": "{0} & {1}",
    "reduce_xor": "{0} ^ {1}",
}
RUNNING = {"cumsum": "reduce_sum", "cumprod": "reduce_prod", "cummax": "reduce_max", "cummin": "reduce_min"}
REPLACING = {
    "scatter": "{1}",
    "scatter-add": FOLDS["reduce_sum"],
    "scatter-sub": "{0} - {1}",
    "scatter-mul": FOLDS["reduce_prod"],
    "scatter-max": FOLDS["reduce_max"],
    "scatter-min": FOLDS["reduce_min"],
}


def _join(writer: Writer, node: Operation, name: str) -> None:
    """Write arrays side by side: `concatenate`, and `stack`, which makes an axis for it."""
    writer.declare(node, name)
    stacks, begin = node.op == "stack", 0
    axis = node.params["axis" if stacks else "dimension"]
    for one in node.inputs:
        shape = (*one.shape[:axis], 1, *one.shape[axis:]) if stacks else one.shape
        heads, places = writer.each(shape)
        own = [*places[:axis], *places[axis + 1 :]] if stacks else places
        at = [*places[:axis], linear(places[axis], 1, begin), *places[axis + 1 :]]
        writer.line(f"{' '.join(heads)} {name}[{in_memory(node.shape, at)}] = {writer.entry(one, own)};", node.depth)
        begin += shape[axis]


def _pad(writer: Writer, node: Operation, name: str) -> None:
    one, filling = node.inputs
    if any(inner for _, _, inner in node.params["padding_config"]):
        raise UntranslatedError("pads between entries")
    writer.declare(node, name)
    i = writer.fresh()
    writer.line(f"for (int {i} = 0; {i} < {node.size}; ++{i}) {name}[{i}] = {writer.number(filling)};", node.depth)
    heads, at, own = [], [], []
    for n, whole, (low, _, _) in zip(one.shape, node.shape, node.params["padding_config"], strict=True):
        own.append(k := writer.fresh())
        heads.append(f"for (int {k} = {max(0, -low)}; {k} < {min(n, whole - low)}; ++{k})")
        at.append(linear(k, 1, low))
    writer.line(f"{' '.join(heads)} {name}[{in_memory(node.shape, at)}] = {writer.entry(one, own)};", node.depth)


def _fold(writer: Writer, node: Operation, name: str) -> None:
    one, axes, own = node.inputs[0], node.params["axes"], type_of(node)
    heads, places = writer.each(one.shape)
    kept = [k for k in range(len(one.shape)) if k not in axes]
    outer = [head for head in heads if any(head.startswith(f"for (int {places[k]} ") for k in kept)]
    inner = [head for head in heads if head not in outer]
    value, first, fold = writer.entry(one, places), literal(_start(node.op, node.dtype)), FOLDS[node.op]
    if node.size == 1:
        writer.single.add(node)
        writer.line(f"{own} {name} = {first};", node.depth)
        writer.line(f"{' '.join(heads)} {name} = {fold.format(name, value, t=own)};", node.depth)
        return
    writer.declare(node, name)
    where = f"{name}[{in_memory(node.shape, [places[k] for k in kept])}]"
    if len(one.shape) - 1 in kept:  # entry by entry of the last axis, which lie side by side
        i, again = writer.fresh(), fold.format(where, value, t=own)
        writer.line(f"for (int {i} = 0; {i} < {node.size}; ++{i}) {name}[{i}] = {first};", node.depth)
        writer.line(f"{' '.join(inner)} {' '.join(outer)} {where} = {again};", node.depth)
        return
    total = writer.fresh("t")
    again = f"{' '.join(inner)} {total} = {fold.format(total, value, t=own)};"
    writer.line(f"{' '.join(outer)} {{ {own} {total} = {first}; {again} {where} = {total}; }}", node.depth)


def _run_on(writer: Writer, node: Operation, name: str) -> None:
    """Write a running sum, product, maximum or minimum along an axis."""
    one, axis, own = node.inputs[0], node.params["axis"], type_of(node)
    writer.declare(node, name)
    heads, places = writer.each([1 if k == axis else n for k, n in enumerate(one.shape)])
    k, total, n = writer.fresh(), writer.fresh("t"), one.shape[axis]
    places[axis] = f"({n - 1} - {k})" if node.params["reverse"] else k
    again = FOLDS[RUNNING[node.op]].format(total, writer.entry(one, places), t=own)
    loop = f"for (int {k} = 0; {k} < {n}; ++{k}) {name}[{in_memory(node.shape, places)}] = {total} = {again};"
    first = literal(_start(RUNNING[node.op], node.dtype))
    writer.line(f"{' '.join(heads)} {{ {own} {total} = {first}; {loop} }}", node.depth)


def _find(writer: Writer, node: Operation, name: str) -> None:
    """Write argmax or argmin: the first of the greatest or least entries along an axis."""
    one, (axis,) = node.inputs[0], node.params["axes"]
    if one.dtype.kind == "f":
        raise UntranslatedError(f"{node.op} of fractions")
    writer.declare(node, name)
    heads, places = writer.each([1 if k == axis else n for k, n in enumerate(one.shape)])
    k, x, best, found = (writer.fresh() for _ in range(4))
    at = [*places[:axis], *places[axis + 1 :]]
    places[axis] = k
    better = f"{x} {'>' if node.op == 'argmax' else '<'} {best}"
    loop = (
        f"for (int {k} = 0; {k} < {one.shape[axis]}; ++{k}) {{ const {type_of(one)} {x} = {writer.entry(one, places)}; "
    )
    loop += f"if ({k} == 0 || {better}) {{ {best} = {x}; {found} = {k}; }} }}"
    body = f"{type_of(one)} {best} = 0; {type_of(node)} {found} = 0; {loop}"
    writer.line(f"{' '.join(heads)} {{ {body} {name}[{in_memory(node.shape, at)}] = {found}; }}", node.depth)


def _update(writer: Writer, node: Operation, name: str) -> None:
    """Write an array with a part of it replaced, which begins at computed places."""
    one, part, *_ = node.inputs
    writer.declare(node, name)
    writer.copy(one, name, depth=node.depth)
    heads, places = writer.each(part.shape)
    at = of_dynamic_slice(node, places, writer.entry)
    writer.line(f"{' '.join(heads)} {name}[{in_memory(node.shape, at)}] = {writer.entry(part, places)};", node.depth)


def _scatter(writer: Writer, node: Operation, name: str) -> None:
    """Write an array with entries replaced at computed places, one after the other."""
    one, _, updates = node.inputs
    _refuse_functions(node)
    writer.declare(node, name)
    writer.copy(one, name, depth=node.depth)
    heads, at = writer.each(updates.shape)
    places, inside = of_scatter(node, at, writer.entry)
    where = f"{name}[{in_memory(node.shape, places)}]"
    guard = f"if ({' && '.join(inside)}) " if drops(node) and inside else ""
    way = REPLACING[node.op.replace("scatter_", "scatter-")]
    value = cast(node, f"({way.format(where, writer.entry(updates, at), t=type_of(node))})")
    writer.line(f"{' '.join(heads)} {guard}{where} = {value};", node.depth)


def _refuse_functions(node: Operation) -> None:
    """Refuse a scatter that applies a function to entries. JAX tells it from one that replaces them by no name."""
    way = node.params["update_jaxpr"]
    if node.op == "scatter" and way is not None and (way.eqns or way.outvars[0] is not way.invars[1]):
        raise UntranslatedError("scatter applies a function")


def _start(op: str, dtype: np.dtype) -> np.ndarray:
    """Return what a fold begins with."""
    kind = op.removeprefix("reduce_")
    if kind in ("max", "min") and dtype != np.bool_:
        low, high = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return np.array(low if kind == "max" else high, dtype)
    starts = {"and": True if dtype == np.bool_ else -1, "prod": 1, "min": True}
    return np.array(starts.get(kind, 0)).astype(dtype)


def _loop(writer: Writer, node: Operation, name: str) -> None:
    """Write a loop; its results are the arrays that it carries, and those that it gathers."""
    loop, depth = node.params, node.depth
    carried: Sequence[Operation] = loop["carried"]
    for k, (one, first) in enumerate(zip(carried, loop["first"], strict=True)):
        writer.names[one] = f"{name}_{k}"
        writer.declare(one, f"{name}_{k}", depth=depth)
        writer.copy(first, f"{name}_{k}", depth=depth)
    for k, one in enumerate(loop["gathered"], len(carried)):
        writer.declare(one, f"{name}_{k}", one.size * loop["length"], depth)
    aside = _set_aside(writer, depth)
    writer.blocks.append([])
    turn = f"{name}_t"
    head = "for (;;) {"
    if loop["length"] is None:
        writer.line(f"if (!({writer.number(loop['test'])})) break;")
    else:
        writer.names[loop["turn"]] = turn
        writer.single.add(loop["turn"])
        head = f"for (int {turn} = 0; {turn} < {loop['length']}; ++{turn}) {{"
    for k, one in enumerate(loop["gathered"], len(carried)):
        at = turn if loop["last"] is None else f"({loop['last']} - {turn})"
        writer.copy(one, f"{name}_{k}", f"{at} * {one.size} + ")
    moves = []
    for k, (one, last) in enumerate(zip(loop["after"], carried, strict=True)):
        if one is not last:
            writer.declare(last, f"{name}_{k}n")
            writer.copy(one, f"{name}_{k}n")
            moves.append(f"std::memcpy({name}_{k}, {name}_{k}n, sizeof {name}_{k});")
    body = writer.blocks.pop()
    writer.blocks[depth] += [head, *body, *moves, "}"]
    writer.blocks += aside
    _name_results(writer, node, name)


def _choose(writer: Writer, node: Operation, name: str) -> None:
    """Write a choice among branches, of which one is computed."""
    branches, depth = node.params["branches"], node.depth
    for k, one in enumerate(branches[0]):
        writer.declare(one, f"{name}_{k}", depth=depth)
    which = writer.number(node.inputs[0])
    aside, lines = _set_aside(writer, depth), []
    for number, branch in enumerate(branches):
        writer.blocks.append([])
        for k, one in enumerate(branch):
            writer.copy(one, f"{name}_{k}")
        head = f"if (bounded({which}, {len(branches) - 1}) == {number}) {{"
        lines += [head, *writer.blocks.pop(), "}"]
    writer.blocks[depth] += lines
    writer.blocks += aside
    _name_results(writer, node, name)


def _set_aside(writer: Writer, depth: int) -> list[list[str]]:
    """Take blocks inside block `depth` off, which a loop in that block has nothing to do with."""
    inner = writer.blocks[depth + 1 :]
    del writer.blocks[depth + 1 :]
    return inner


def _name_results(writer: Writer, node: Operation, name: str) -> None:
    for one in writer.planned:
        if one.op == "result" and one.inputs[0] is node:
            writer.names[one] = f"{name}_{one.params['number']}"


WRITTEN: dict[str, Callable[[Writer, Operation, str], None]] = {
    "concatenate": _join,
    "stack": _join,
    "pad": _pad,
    **dict.fromkeys(FOLDS, _fold),
    **dict.fromkeys(RUNNING, _run_on),
    "argmax": _find,
    "argmin": _find,
    "dynamic_update_slice": _update,
    **{name.replace("-", sign): _scatter for name in REPLACING for sign in "-_"},
    "loop": _loop,
    "choice": _choose,
}
"""What writes the operations that a `Writer` has no place for."""
