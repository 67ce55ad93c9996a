"""Writes nodes down as C++: loops over small arrays of fixed size, which a compiler turns into vector instructions.

A node is either laid down in memory, under a name, or written where its only reader needs it, entry by entry. Values are
those of XLA. Whole numbers wrap around; of arithmetic with fractions there is a closed list of forms that XLA leaves
alone, see `refuse_inexact`. The functions that stand for operations are in `numbers.h`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from jax.lax import GatherScatterMode

from jaxgp.native.graph import TYPES, Node, UntranslatedError
from jaxgp.native.inexact import refuse_inexact

Index = Sequence[str]
"""An expression of C++ for each axis."""

INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
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
SHIFTS = ("shift_left", "shift_right_logical", "shift_right_arithmetic")
NAMED = ("max", "min", "div", "rem", "abs", "sign", "clz", "population_count", "floor", "ceil", "clamp")
"""Functions of numbers.h that have the name of the operation."""
ENTRIES = (*INFIX, *SHIFTS, *NAMED, "neg", "not", "select_n", "convert_element_type", "round", "square", "integer_pow")
ENTRIES = (*ENTRIES, "bitcast_convert_type")
"""Operations on entries that stand at the same place of all arrays."""
VIEWS = ("broadcast_in_dim", "slice", "squeeze", "reshape", "expand_dims", "rev", "transpose", "iota", "tile", "part")
LOOKS = ("gather", "dynamic_slice")
"""Operations that read entries at other places."""
FOLDS = {
    "reduce_sum": "{0} + {1}",
    "reduce_prod": "{0} * {1}",
    "reduce_max": "maximum<{t}>({0}, {1})",
    "reduce_min": "minimum<{t}>({0}, {1})",
    "reduce_or": "{0} | {1}",
    "reduce_and": "{0} & {1}",
    "reduce_xor": "{0} ^ {1}",
}
SUMS = {"cumsum": FOLDS["reduce_sum"], "cummax": FOLDS["reduce_max"], "cummin": FOLDS["reduce_min"]}


@dataclass
class Writer:
    """Writes what nodes need into blocks, one inside the other: block d is the body of the innermost loop d.

    Attributes:
        blocks: the lines of each block that is being written.
        special: writes nodes of operations that are not JAX's own: (writer, node) -> the name of its array.
    """

    special: dict[str, Callable[["Writer", Node], str]] = field(default_factory=dict)
    blocks: list[list[str]] = field(default_factory=lambda: [[]])
    names: dict[Node, str] = field(default_factory=dict)
    uses: dict[Node, int] = field(default_factory=dict)
    kept: set[Node] = field(default_factory=set)
    single: set[Node] = field(default_factory=set)  # those that are one number in C++, and no array
    numbers: Any = field(default_factory=count)

    def plan(self, nodes: Sequence[Node]) -> None:
        """Count who reads what, of all nodes that will be written."""
        waiting = [*nodes]
        self.kept.update(nodes)
        while waiting:
            node = waiting.pop()
            if node in self.uses:
                continue
            self.uses[node] = 0
            refuse_inexact(node)
            inner = [*node.inputs]
            if node.op == "loop":
                ends = [*node.params["after"], *node.params["gathered"]]
                inner += ends + ([node.params["test"]] if node.params["test"] else [])
            if node.op == "choice":
                inner += [one for branch in node.params["branches"] for one in branch]
            waiting += inner
        for node in self.uses:
            for one in node.inputs:
                self.uses[one] += 1
                again = node.size > one.size and node.op in (*VIEWS, *ENTRIES)
                whole = node.op not in (*ENTRIES, *VIEWS, *FOLDS, "concatenate", "pad", "stack")
                if node.depth > one.depth or again or whole or (node.op == "reshape" and not _same_axes(node)):
                    self.kept.add(one)

    def line(self, text: str, depth: int | None = None) -> None:
        """Write a line into a block, by default the innermost one."""
        self.blocks[-1 if depth is None else depth].append(text)

    def write_to(self, node: Node, name: str) -> None:
        """Write the entries of a node into an array that C++ knows by a name."""
        self._copy_into(node, name, "")

    def lies(self, node: Node) -> bool:
        """Return whether a node is laid down in memory."""
        if node.op in ("given", "carry", "enter", "result", "turn") or node in self.names:
            return True
        if node.op == "const":
            return not _uniform(node)
        if node.op in ("reshape", "squeeze", "expand_dims") and self.lies(node.inputs[0]):
            return True
        if node.op == "iota":
            return False
        cheap = node.op in VIEWS and self.lies(node.inputs[0])
        fused = node.op in ENTRIES or node.op in VIEWS
        return not fused or (not cheap and (node in self.kept or self.uses[node] > 1))

    def name(self, node: Node) -> str:
        """Lay a node down in memory, if it is not there yet, and return its name."""
        if node not in self.names:
            self.names[node] = self._lay(node)
        return self.names[node]

    def entry(self, node: Node, at: Index) -> str:
        """Return an expression for one entry of a node."""
        if node.op == "const" and _uniform(node):
            return _literal(node.value.reshape(-1)[0])
        if self.lies(node):
            name = self.name(node)
            return name if self._is_single(node) else f"{name}[{_flat(node.shape, at)}]"
        return self._computed(node, at)

    def number(self, node: Node) -> str:
        """Return an expression for the only entry of a node."""
        return self.entry(node, ["0"] * len(node.shape))

    def _is_single(self, node: Node) -> bool:
        """Return whether a node that has been laid down is one number, and no array."""
        while node.op in ("reshape", "squeeze", "expand_dims") and node not in self.single:
            node = node.inputs[0]
        return node in self.single

    def flat(self, node: Node, i: str) -> str | None:
        """Return an expression for entry i of a node, counted over all axes; None: there is none without dividing i."""
        if node.op == "const" and _uniform(node):
            return _literal(node.value.reshape(-1)[0])
        if self.lies(node):
            name = self.name(node)
            return name if self._is_single(node) else f"{name}[{i}]"
        if node.op in ("broadcast_in_dim", "tile") and node.inputs[0].size == 1:
            return self.number(node.inputs[0])
        if (
            node.op == "iota"
            and len([s for s in node.shape if s != 1]) == 1
            and node.shape[node.params["dimension"]] != 1
        ):
            return f"({TYPES[str(node.dtype)]})({i})"
        if node.op in ("reshape", "squeeze", "expand_dims") or (
            node.op == "broadcast_in_dim" and node.size == node.inputs[0].size
        ):
            return self.flat(node.inputs[0], i)
        if node.op == "slice":
            return self._flat_slice(node, i)
        if node.op in ENTRIES:
            return self._flat_entry(node, i)
        return None

    def _flat_entry(self, node: Node, i: str) -> str | None:
        parts = [
            self.number(x) if x.size == 1 else self.flat(x, i) if x.size == node.size else None for x in node.inputs
        ]
        return None if None in parts else _expression(node, [str(one) for one in parts])

    def _flat_slice(self, node: Node, i: str) -> str | None:
        whole, first = node.inputs[0], node.params["start_indices"]
        rows = next((k for k, (a, b) in enumerate(zip(node.shape, whole.shape, strict=True)) if a != 1 or b == 1), 0)
        if any(step != 1 for step in node.params["strides"] or ()) or node.shape[rows + 1 :] != whole.shape[rows + 1 :]:
            return None
        begin = sum(a * int(np.prod(whole.shape[k + 1 :], dtype=int)) for k, a in enumerate(first))
        return self.flat(whole, f"{i} + {begin}" if begin else i)

    def _computed(self, node: Node, at: Index) -> str:
        """Return an expression for an entry of a node that does not lie in memory."""
        if node.op in VIEWS:
            return self._viewed(node, at)
        # Operations on entries broadcast axes of size 1.
        places = (
            ["0" if n == 1 else i for n, i in zip(x.shape, at, strict=True)] if x.shape else () for x in node.inputs
        )
        return _expression(node, [self.entry(x, there) for x, there in zip(node.inputs, places, strict=True)])

    def _viewed(self, node: Node, at: Index) -> str:
        """Return an expression for an entry of a view: the same entry of another array, by other places."""
        params = node.params
        if node.op == "iota":
            return f"({TYPES[str(node.dtype)]})({at[params['dimension']]})"
        one = node.inputs[0]
        shape = one.shape
        if node.op == "broadcast_in_dim":
            places = [at[k] if n != 1 else "0" for k, n in zip(params["broadcast_dimensions"], shape, strict=True)]
        elif node.op == "slice":
            steps = params["strides"] or [1] * len(shape)
            whole = zip(at, params["start_indices"], steps, strict=True)
            places = [_linear(i, step, first) for i, first, step in whole]
        elif node.op in ("squeeze", "expand_dims", "reshape"):
            rest = iter([i for i, n in zip(at, node.shape, strict=True) if n != 1])
            places = ["0" if n == 1 else next(rest) for n in shape]
        elif node.op == "rev":
            whole = zip(at, shape, strict=True)
            places = [f"({n - 1} - {i})" if k in params["dimensions"] else i for k, (i, n) in enumerate(whole)]
        elif node.op == "transpose":
            places = ["0"] * len(shape)
            for k, axis in enumerate(params["permutation"]):
                places[axis] = at[k]
        elif node.op == "part":
            turn = self.number(node.inputs[1])
            last = node.params["last"]
            places = [turn if last is None else f"({last} - {turn})", *at]
        else:  # tile
            places = [f"({i} % {n})" if n != 1 else "0" for i, n in zip(at, shape, strict=True)]
        return self.entry(one, places)

    def _lay(self, node: Node) -> str:
        if node.op == "given":
            return str(node.params["name"])
        if node.op in ("reshape", "squeeze", "expand_dims") and self.lies(node.inputs[0]):
            return self.name(node.inputs[0])
        if node.op in self.special:
            return self.special[node.op](self, node)
        name = f"v{next(self.numbers)}"
        if node.op == "enter":
            if node.size > 1:
                return self.name(node.inputs[0])
            self.single.add(node)
            self.line(f"const {_type(node)} {name} = {self.number(node.inputs[0])};", node.depth)
            return name
        if node.op == "const":
            entries = ", ".join(_literal(x) for x in node.value.reshape(-1))
            self.line(f"static const {_type(node)} {name}[{node.size}] = {{{entries}}};", 0)
            return name
        if node.op == "result":
            self.name(node.inputs[0])
            return self.names[node]
        if node.op == "loop":
            self._loop(node, name)
            return name
        if node.op == "choice":
            self._choose(node, name)
            return name
        write = {"concatenate": self._join, "stack": self._join, "pad": self._pad, "scatter": self._scatter}
        write |= {"dynamic_update_slice": self._update, "argmax": self._find, "argmin": self._find}
        write |= dict.fromkeys(FOLDS, self._fold) | dict.fromkeys(SUMS, self._accumulate)
        if node.op.startswith("scatter"):
            write[node.op] = self._scatter
        if node.op in write:
            write[node.op](node, name)
        elif node.op in ENTRIES or node.op in VIEWS:
            self._each(node, name)
        elif node.op in LOOKS:
            look = self._gathered if node.op == "gather" else self._sliced
            lines, places = self._axes(node.shape)
            self._write(node, name, lines, places, look(node, places))
        else:
            raise UntranslatedError(f"{node.op} has no translation")
        return name

    def _declare(self, node: Node, name: str) -> None:
        self.line(f"{_type(node)} {name}[{node.size}];", node.depth)

    def _axes(self, shape: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return the heads of loops over axes, and their indices."""
        heads, places = [], []
        for n in shape:
            if n == 1:
                places.append("0")
                continue
            places.append(i := f"i{next(self.numbers)}")
            heads.append(f"for (int {i} = 0; {i} < {n}; ++{i})")
        return heads, places

    def _write(self, node: Node, name: str, heads: list[str], places: Index, value: str) -> None:
        if node.size == 1:
            self.single.add(node)
            self.line(f"const {_type(node)} {name} = {value};", node.depth)
            return
        self._declare(node, name)
        self.line(f"{' '.join(heads)} {name}[{_flat(node.shape, places)}] = {value};", node.depth)

    def _each(self, node: Node, name: str) -> None:
        """Lay down the entries of a node one after the other, in one loop if that is possible."""
        i = f"i{next(self.numbers)}"
        flat = self._raw(node, i) if node.size > 1 else None
        if flat is None:
            heads, places = self._axes(node.shape)
            value = self._computed(node, places)
            self._write(node, name, heads, places, value)
        else:
            self._declare(node, name)
            self.line(f"for (int {i} = 0; {i} < {node.size}; ++{i}) {name}[{i}] = {flat};", node.depth)

    def _raw(self, node: Node, i: str) -> str | None:
        """As `flat`, of a node that is about to be laid down."""
        if node.op in ENTRIES:
            return self._flat_entry(node, i)
        one = node.inputs[0] if node.inputs else None
        if node.op == "slice":
            return self._flat_slice(node, i)
        if one is not None and node.op in ("reshape", "squeeze", "expand_dims"):
            return self.flat(one, i)
        if one is not None and node.op == "broadcast_in_dim" and one.size in (1, node.size):
            return self.number(one) if one.size == 1 else self.flat(one, i)
        return None

    def _join(self, node: Node, name: str) -> None:
        self._declare(node, name)
        axis, begin = node.params["dimension" if node.op == "concatenate" else "axis"], 0
        for one in node.inputs:
            shape = one.shape if node.op == "concatenate" else (*one.shape[:axis], 1, *one.shape[axis:])
            heads, places = self._axes(shape)
            own = places if node.op == "concatenate" else [*places[:axis], *places[axis + 1 :]]
            at = [*places[:axis], _linear(places[axis], 1, begin), *places[axis + 1 :]]
            value = self.entry(one, own)
            self.line(f"{' '.join(heads)} {name}[{_flat(node.shape, at)}] = {value};", node.depth)
            begin += shape[axis]

    def _pad(self, node: Node, name: str) -> None:
        one, filling = node.inputs
        if any(inner for _, _, inner in node.params["padding_config"]):
            raise UntranslatedError("pads between entries")
        self._declare(node, name)
        i, value = f"i{next(self.numbers)}", self.number(filling)
        self.line(f"for (int {i} = 0; {i} < {node.size}; ++{i}) {name}[{i}] = {value};", node.depth)
        heads, at, own = [], [], []
        for n, whole, (low, _, _) in zip(one.shape, node.shape, node.params["padding_config"], strict=True):
            first, after = max(0, -low), min(n, whole - low)
            own.append(k := f"i{next(self.numbers)}")
            heads.append(f"for (int {k} = {first}; {k} < {after}; ++{k})")
            at.append(_linear(k, 1, low))
        self.line(f"{' '.join(heads)} {name}[{_flat(node.shape, at)}] = {self.entry(one, own)};", node.depth)

    def _fold(self, node: Node, name: str) -> None:
        one, axes = node.inputs[0], node.params["axes"]
        heads, places = self._axes(one.shape)
        first = _literal(_start(node))
        outer = [h for h in heads if any(h.startswith(f"for (int {places[k]} ") for k in _others(one.shape, axes))]
        inner = [h for h in heads if h not in outer]
        value = self.entry(one, places)
        total = f"t{next(self.numbers)}"
        fold = FOLDS[node.op].format(total, value, t=_type(node))
        if node.size == 1:
            self.single.add(node)
            again = FOLDS[node.op].format(name, value, t=_type(node))
            self.line(f"{_type(node)} {name} = {first};", node.depth)
            self.line(f"{' '.join(heads)} {name} = {again};", node.depth)
            return
        self._declare(node, name)
        at = [places[k] for k in _others(one.shape, axes)]
        where = f"{name}[{_flat(node.shape, at)}]"
        if one.ndim - 1 not in axes:  # entry by entry of the last axis, which lie side by side
            i, again = f"i{next(self.numbers)}", FOLDS[node.op].format(where, value, t=_type(node))
            self.line(f"for (int {i} = 0; {i} < {node.size}; ++{i}) {name}[{i}] = {first};", node.depth)
            self.line(f"{' '.join(inner)} {' '.join(outer)} {where} = {again};", node.depth)
            return
        body = f"{{ {_type(node)} {total} = {first}; {' '.join(inner)} {total} = {fold}; {where} = {total}; }}"
        self.line(f"{' '.join(outer)} {body}", node.depth)

    def _accumulate(self, node: Node, name: str) -> None:
        one, axis = node.inputs[0], node.params["axis"]
        self._declare(node, name)
        heads, places = self._axes([1 if k == axis else n for k, n in enumerate(one.shape)])
        k, total = f"i{next(self.numbers)}", f"t{next(self.numbers)}"
        n = one.shape[axis]
        places[axis] = f"({n - 1} - {k})" if node.params["reverse"] else k
        value, where = self.entry(one, places), f"{name}[{_flat(node.shape, places)}]"
        fold = SUMS[node.op].format(total, value, t=_type(node))
        loop = f"for (int {k} = 0; {k} < {n}; ++{k}) {where} = {total} = {fold};"
        self.line(f"{' '.join(heads)} {{ {_type(node)} {total} = {_literal(_start(node))}; {loop} }}", node.depth)

    def _find(self, node: Node, name: str) -> None:
        """Write argmax or argmin: the first of the greatest or least entries along an axis."""
        one, (axis,) = node.inputs[0], node.params["axes"]
        if one.dtype.kind == "f":
            raise UntranslatedError(f"{node.op} of fractions")
        self._declare(node, name)
        heads, places = self._axes([1 if k == axis else n for k, n in enumerate(one.shape)])
        k, best, found = (f"i{next(self.numbers)}" for _ in range(3))
        at = [*places[:axis], *places[axis + 1 :]]
        places[axis] = k
        value = self.entry(one, places)
        sign = ">" if node.op == "argmax" else "<"
        loop = f"for (int {k} = 0; {k} < {one.shape[axis]}; ++{k}) {{ const {_type(one)} x = {value}; "
        loop += f"if ({k} == 0 || x {sign} {best}) {{ {best} = x; {found} = {k}; }} }}"
        body = f"{_type(one)} {best} = 0; {_type(node)} {found} = 0; {loop} {name}[{_flat(node.shape, at)}] = {found};"
        self.line(f"{' '.join(heads)} {{ {body} }}", node.depth)

    def _sliced(self, node: Node, at: Index) -> str:
        one, *firsts = node.inputs
        places = []
        for i, first, n, part in zip(at, firsts, one.shape, node.shape, strict=True):
            places.append(f"(bounded({self.number(first)}, {n - part}) + {i})")
        return self.entry(one, places)

    def _update(self, node: Node, name: str) -> None:
        one, part, *firsts = node.inputs
        self._copy(one, name, node)
        heads, places = self._axes(part.shape)
        at = []
        for i, first, n, m in zip(places, firsts, one.shape, part.shape, strict=True):
            at.append(f"(bounded({self.number(first)}, {n - m}) + {i})")
        self.line(f"{' '.join(heads)} {name}[{_flat(node.shape, at)}] = {self.entry(part, places)};", node.depth)

    def _copy(self, one: Node, name: str, node: Node) -> None:
        self._declare(node, name)
        heads, places = self._axes(one.shape)
        self.line(f"{' '.join(heads)} {name}[{_flat(one.shape, places)}] = {self.entry(one, places)};", node.depth)

    def _gathered(self, node: Node, at: Index) -> str:
        one, indices = node.inputs
        how, sizes = node.params["dimension_numbers"], node.params["slice_sizes"]
        batch = [i for k, i in enumerate(at) if k not in how.offset_dims]
        offsets = iter([at[k] for k in how.offset_dims])
        mode = GatherScatterMode.from_any(node.params["mode"])
        places, inside = [], []
        for axis, n in enumerate(one.shape):
            if axis in how.operand_batching_dims:
                places.append(batch[how.start_indices_batching_dims[how.operand_batching_dims.index(axis)]])
                continue
            place = "0" if axis in how.collapsed_slice_dims else next(offsets)
            if axis in how.start_index_map:
                first = self.entry(indices, [*batch, str(how.start_index_map.index(axis))])
                place = f"(bounded({first}, {n - sizes[axis]}) + {place})"
                inside.append(f"within({first}, {n - sizes[axis]})")
            places.append(place)
        value = self.entry(one, places)
        if mode == GatherScatterMode.FILL_OR_DROP and inside:
            return f"({' && '.join(inside)} ? {value} : {_literal(_filling(node))})"
        return value

    def _scatter(self, node: Node, name: str) -> None:
        one, indices, updates = node.inputs
        ways = {"scatter": "{1}", "scatter-add": "{0} + {1}", "scatter_add": "{0} + {1}"}
        ways |= {"scatter_max": FOLDS["reduce_max"], "scatter_min": FOLDS["reduce_min"]}
        if node.op not in ways or (one.dtype.kind == "f" and "+" in ways[node.op]):
            raise UntranslatedError(f"{node.op} has no translation")
        how = node.params["dimension_numbers"]
        self._copy(one, name, node)
        heads, at = self._axes(updates.shape)
        batch = [i for k, i in enumerate(at) if k not in how.update_window_dims]
        window = iter([at[k] for k in how.update_window_dims])
        clips = GatherScatterMode.from_any(node.params["mode"]) == GatherScatterMode.CLIP
        sizes = iter([updates.shape[k] for k in how.update_window_dims])
        places, inside = [], []
        for axis, n in enumerate(one.shape):
            if axis in how.operand_batching_dims:
                places.append(batch[how.scatter_indices_batching_dims[how.operand_batching_dims.index(axis)]])
                continue
            lone = axis in how.inserted_window_dims
            place, size = ("0", 1) if lone else (next(window), next(sizes))
            if axis in how.scatter_dims_to_operand_dims:
                first = self.entry(indices, [*batch, str(how.scatter_dims_to_operand_dims.index(axis))])
                place = f"(bounded({first}, {n - size}) + {place})"
                inside.append(f"within({first}, {n - size})")
            places.append(place)
        where = f"{name}[{_flat(node.shape, places)}]"
        guard = "" if clips or not inside else f"if ({' && '.join(inside)}) "
        value = _cast(node, ways[node.op].format(where, self.entry(updates, at), t=_type(node)))
        self.line(f"{' '.join(heads)} {guard}{where} = {value};", node.depth)

    def _loop(self, node: Node, name: str) -> None:
        """Write a loop; its results are the arrays that it carries, and those that it gathers."""
        loop, depth = node.params, node.depth
        carried: list[Node] = loop["carried"]
        for k, (one, begin) in enumerate(zip(carried, loop["first"], strict=True)):
            self.names[one] = f"{name}_{k}"
            self._copy_to(begin, f"{name}_{k}", one, depth)
        for k, one in enumerate(loop["gathered"]):
            self.line(f"{_type(one)} {name}_{len(carried) + k}[{one.size * loop['length']}];", depth)
        aside = self._aside(depth)
        self.blocks.append([])
        if loop["length"] is not None:
            turn = f"{name}_t"
            self.names[loop["turn"]] = turn
            self.single.add(loop["turn"])
            head = f"for (int {turn} = 0; {turn} < {loop['length']}; ++{turn}) {{"
        else:
            head = "for (;;) {"
            self.line(f"if (!({self.number(loop['test'])})) break;")
        for k, one in enumerate(loop["gathered"]):
            at = turn if loop["last"] is None else f"({loop['last']} - {turn})"
            self._copy_into(one, f"{name}_{len(carried) + k}", f"{at} * {one.size} + ")
        after = []
        for k, (one, last) in enumerate(zip(loop["after"], carried, strict=True)):
            if one is not last:
                self._copy_to(one, f"{name}_{k}n", last, depth + 1)
                after.append(f"std::memcpy({name}_{k}, {name}_{k}n, sizeof {name}_{k});")
        self.blocks[-1] += after
        body = self.blocks.pop()
        self.blocks[depth] += [head, *body, "}"]
        self.blocks += aside
        self._name_results(node, name)

    def _choose(self, node: Node, name: str) -> None:
        """Write a choice among branches, of which one is computed."""
        branches, depth = node.params["branches"], node.depth
        for k, one in enumerate(branches[0]):
            self.line(f"{_type(one)} {name}_{k}[{one.size}];", depth)
        which = self.number(node.inputs[0])
        aside, texts = self._aside(depth), []
        for number, branch in enumerate(branches):
            self.blocks.append([])
            for k, one in enumerate(branch):
                self._copy_into(one, f"{name}_{k}", "")
            test = f"if (bounded({which}, {len(branches) - 1}) == {number}) {{"
            texts += [test, *self.blocks.pop(), "}"]
        self.blocks[depth] += texts
        self.blocks += aside
        self._name_results(node, name)

    def _aside(self, depth: int) -> list[list[str]]:
        """Take blocks inside block `depth` off, which a loop in that block has nothing to do with."""
        inner = self.blocks[depth + 1 :]
        del self.blocks[depth + 1 :]
        return inner

    def _name_results(self, node: Node, name: str) -> None:
        for one in self.uses:
            if one.op == "result" and one.inputs[0] is node:
                self.names[one] = f"{name}_{one.params['number']}"

    def _copy_to(self, one: Node, name: str, like: Node, depth: int) -> None:
        self.line(f"{_type(like)} {name}[{like.size}];", depth)
        self._copy_into(one, name, "", depth)

    def _copy_into(self, one: Node, name: str, begin: str, depth: int | None = None) -> None:
        heads, places = self._axes(one.shape)
        value = self.entry(one, places)
        self.line(f"{' '.join(heads)} {name}[{begin}{_flat(one.shape, places)}] = {value};", depth)


def _expression(node: Node, x: Sequence[str]) -> str:
    """Return an expression for an entry, of those of the inputs."""
    op, dtype, kind = node.op, node.dtype, node.dtype.kind
    own = _type(node)
    if op in INFIX:
        return _cast(node, f"({x[0]} {INFIX[op]} {x[1]})")
    if op in SHIFTS:
        amount = node.inputs[1]
        sure = amount.op == "const" and _uniform(amount) and 0 <= int(amount.value.reshape(-1)[0]) < dtype.itemsize * 8
        unsigned = f"uint{dtype.itemsize * 8}_t"
        if sure:
            shifted = {
                "shift_left": f"({unsigned})({x[0]}) << {x[1]}",
                "shift_right_logical": f"({unsigned})({x[0]}) >> {x[1]}",
                "shift_right_arithmetic": f"({x[0]}) >> {x[1]}",
            }
            return f"({own})({shifted[op]})"
        return f"({own}){op}<{own}>({x[0]}, {x[1]})"
    if op == "select_n":
        if node.inputs[0].dtype == np.bool_:
            return f"chosen<{own}>({x[0]}, {x[2]}, {x[1]})"
        which, *cases = x
        text = cases[-1]
        for k in range(len(cases) - 2, -1, -1):
            text = f"chosen<{own}>({which} <= {k}, {cases[k]}, {text})"
        return text
    if op == "convert_element_type":
        before = node.inputs[0].dtype
        if dtype == np.bool_:
            return f"(uint8_t)({x[0]} != 0)"
        if before.kind == "f" and kind in "iu":
            return f"truncated<{own}>({x[0]})"
        return f"(({own})({x[0]}))"
    if op == "bitcast_convert_type":
        if node.inputs[0].dtype.itemsize != dtype.itemsize:
            raise UntranslatedError("takes the bits of a number as those of a shorter or longer one")
        return f"same_bits<{own}>(({_type(node.inputs[0])})({x[0]}))"
    if op == "neg":
        return f"({own})(-({x[0]}))"
    if op == "not":
        return f"(uint8_t)(({x[0]}) ^ 1)" if dtype == np.bool_ else f"({own})(~({x[0]}))"
    if op == "square":
        return f"squared<{own}>({x[0]})"
    if op == "integer_pow":
        if node.params["y"] not in (2, 3):
            raise UntranslatedError("integer_pow with another power than 2 or 3")
        return f"({own}){'squared' if node.params['y'] == 2 else 'cubed'}<{own}>({x[0]})"
    if op == "round":
        if int(node.params["rounding_method"]) != 1:
            raise UntranslatedError("rounds halves away from 0")
        return f"rounded({x[0]})"
    named = {"max": "maximum", "min": "minimum", "abs": "absolute", "div": "divided", "rem": "remainder_of"}
    named |= {"clamp": "clamped", "sign": "sign_of"}
    return f"{named.get(op, op)}<{own}>({', '.join(x)})"


def _cast(node: Node, text: str) -> str:
    return text if node.dtype in (np.int32, np.uint32, np.float32) else f"({_type(node)}){text}"


def _type(node: Node) -> str:
    return TYPES[str(node.dtype)]


def _uniform(node: Node) -> bool:
    """Return whether all entries of a constant are equal to the bit."""
    entries = node.value.reshape(-1)
    return len(entries) > 0 and entries.tobytes() == entries[:1].tobytes() * len(entries)


def _literal(value: Any) -> str:
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


def _linear(index: str, step: int, first: int) -> str:
    scaled = index if step == 1 or index == "0" else f"{step} * {index}"
    if not first:
        return scaled
    return str(first) if scaled == "0" else f"({scaled} + {first})"


def _flat(shape: Sequence[int], at: Index) -> str:
    """Return the place of an entry in memory."""
    terms, size = [], 1
    for n, i in zip(reversed(shape), reversed(at), strict=True):
        if i != "0":
            terms.append(i if size == 1 else f"{i} * {size}")
        size *= n
    return " + ".join(reversed(terms)) or "0"


def _others(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
    return [k for k in range(len(shape)) if k not in axes]


def _start(node: Node) -> np.ndarray:
    """Return what a fold or a running one begins with."""
    dtype, op = node.dtype, node.op.removeprefix("reduce_").removeprefix("cum")
    if op in ("max", "min") and dtype != np.bool_:
        low, high = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return np.array(low if op == "max" else high, dtype)
    whole = {"and": True if dtype == np.bool_ else -1, "prod": 1, "min": True}
    return np.array(whole.get(op, 0)).astype(dtype)


def _filling(node: Node) -> np.ndarray:
    """Return what a gather gives for places that there are not."""
    value, dtype = node.params["fill_value"], node.dtype
    if value is None:
        if dtype.kind == "f":
            value = np.nan
        elif dtype.kind == "b":
            value = True
        else:
            value = np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max
    return np.array(value, dtype)


def _same_axes(node: Node) -> bool:
    """Return whether a reshape does no more than to add or drop axes of size 1."""
    return [n for n in node.shape if n != 1] == [n for n in node.inputs[0].shape if n != 1]
