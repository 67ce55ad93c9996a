"""Writes nodes down as C++: loops over small arrays of fixed size, which a compiler turns into vector instructions.

A node is either laid down in memory, under a name, or written where its only reader needs it, entry by entry. Values
are those of XLA. Whole numbers wrap around; of arithmetic with fractions there is a closed list of forms that XLA
leaves alone, see `jaxgp.native.inexact`. The functions that stand for operations are in `numbers.h`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from jaxgp.native.entries import ENTRIES, entry_of, is_uniform, literal, type_of
from jaxgp.native.graph import Operation, UntranslatedError, in_order
from jaxgp.native.inexact import refuse_inexact
from jaxgp.native.places import AXES, VIEWS, Index, drops, filling, in_memory, keeps_axes, of_dynamic_slice, of_gather

NAMED = ("given", "carry", "enter", "result", "turn")
"""Nodes that lie in memory before anything reads them."""
FUSED = ENTRIES | VIEWS.keys() | {"part"}
"""Operations that can be written where they are read."""
ONCE = FUSED | {"concatenate", "pad", "stack", *(f"reduce_{one}" for one in ("sum", "max", "min", "or", "and", "xor"))}
"""Operations that read each entry of what they are made of once."""
TALLEST = 30
"""So many operations, one inside the other, are written as one expression."""
MOST_BYTES, MOST_LINES = 2**18, 4000
"""What a function may lay down on the stack, and how long it may be: a compiler takes a minute for so many lines."""


@dataclass
class Writer:
    """Writes what nodes need into blocks, one inside the other: block d is the body of the innermost loop d.

    Attributes:
        special: writes nodes of operations that have no place here: (writer, node, name) -> nothing.
        blocks: the lines of each block that is being written.
        names: of the nodes that lie in memory.
        single: those of them that are one number in C++, and no array.
    """

    special: dict[str, Callable[["Writer", Operation, str], None]]
    blocks: list[list[str]] = field(default_factory=lambda: [[]])
    names: dict[Operation, str] = field(default_factory=dict)
    single: set[Operation] = field(default_factory=set)
    _uses: dict[Operation, int] = field(default_factory=dict)
    _kept: set[Operation] = field(default_factory=set)
    _numbers: Any = field(default_factory=count)
    _bytes: int = 0
    _lines: int = 0

    def plan(self, nodes: Sequence[Operation]) -> None:
        """Count who reads what, of all nodes that will be written.

        Raises:
            UntranslatedError: XLA may compute one of them in another way.
        """
        self._kept.update(nodes)
        for node in in_order(nodes, lambda node: [*node.inputs, *node.inner]):
            self._uses[node] = 0
            refuse_inexact(node)
        for node in self._uses:
            for one in node.inner:
                self._uses[one] += 1
            for one in node.inputs:
                self._uses[one] += 1
                again = node.size > one.size and node.op in FUSED
                if node.depth > one.depth or again or node.op not in ONCE:
                    self._kept.add(one)
        heights: dict[Operation, int] = {}
        for node in self._uses:
            below = [heights[one] for one in node.inputs if one in heights and one not in self._kept]
            heights[node] = 1 + max(below, default=0) if node.op in FUSED and self._uses[node] < 2 else 0
            if heights[node] > TALLEST:
                self._kept.add(node)

    @property
    def planned(self) -> Sequence[Operation]:
        """All nodes that will be written."""
        return [*self._uses]

    @property
    def bytes(self) -> int:
        """How much has been laid down on the stack."""
        return self._bytes

    def fresh(self, letter: str = "i") -> str:
        """Return a name that nothing has."""
        return f"{letter}{next(self._numbers)}"

    def line(self, text: str, depth: int | None = None) -> None:
        """Write a line into a block, by default the innermost one."""
        self._lines += 1
        if self._lines > MOST_LINES:
            raise UntranslatedError(f"takes more than {MOST_LINES} lines of C++")
        self.blocks[-1 if depth is None else depth].append(text)

    def declare(self, node: Operation, name: str, size: int | None = None, depth: int | None = None) -> None:
        """Write down that there is an array for the entries of a node."""
        size = node.size if size is None else size
        self._bytes += size * node.dtype.itemsize
        if self._bytes > MOST_BYTES:
            raise UntranslatedError(f"takes more than {MOST_BYTES} bytes of memory")
        self.line(f"{type_of(node)} {name}[{size}];", node.depth if depth is None else depth)

    def each(self, shape: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return the heads of loops over axes, and their indices."""
        heads, places = [], []
        for n in shape:
            places.append(i := self.fresh() if n != 1 else "0")
            if n != 1:
                heads.append(f"for (int {i} = 0; {i} < {n}; ++{i})")
        return heads, places

    def copy(self, node: Operation, name: str, begin: str = "", depth: int | None = None) -> None:
        """Write the entries of a node into an array that C++ knows by a name, from a place on."""
        heads, places = self.each(node.shape)
        value = self.entry(node, places)
        self.line(f"{' '.join(heads)} {name}[{begin}{in_memory(node.shape, places)}] = {value};", depth)

    def name(self, node: Operation) -> str:
        """Lay a node down in memory, if it is not there yet, and return its name."""
        if node not in self.names:
            for one in in_order([node], self._made_of):  # what it is made of comes first: Python nests few calls
                if one not in self.names and (one is node or self._lies(one)):
                    found = self._lay(one)
                    self.names.setdefault(one, found)
        return self.names[node]

    def address(self, node: Operation) -> str:
        """Lay a node down in memory, and return an expression for where its entries begin."""
        name = self.name(node)
        return f"&{name}" if self._is_single(node) else name

    def entry(self, node: Operation, at: Index) -> str:
        """Return an expression for one entry of a node."""
        if node.op == "const" and is_uniform(node):
            return literal(node.value.reshape(-1)[0])
        if self._lies(node):
            name = self.name(node)
            return name if self._is_single(node) else f"{name}[{in_memory(node.shape, at)}]"
        return self._computed(node, at)

    def number(self, node: Operation) -> str:
        """Return an expression for the only entry of a node."""
        return self.entry(node, ["0"] * len(node.shape))

    def _made_of(self, node: Operation) -> Sequence[Operation]:
        """Return what a node, as long as it does not lie in memory, is made of, whatever becomes of it."""
        return () if node in self.names or node.op in (*NAMED, "loop", "choice") else node.inputs

    def _lies(self, node: Operation) -> bool:
        """Return whether a node is laid down in memory."""
        if node.op in NAMED or node in self.names:
            return True
        if node.op == "const":
            return not is_uniform(node)
        if node.op in AXES and (self._lies(node.inputs[0]) or not keeps_axes(node)):
            return True
        if node.op == "iota":
            return False
        cheap = node.op in VIEWS and self._lies(node.inputs[0])
        return node.op not in FUSED or (not cheap and (node in self._kept or self._uses[node] > 1))

    def _is_single(self, node: Operation) -> bool:
        """Return whether a node that has been laid down is one number, and no array."""
        while node.op in AXES and node not in self.single:
            node = node.inputs[0]
        return node in self.single

    def _computed(self, node: Operation, at: Index) -> str:
        """Return an expression for an entry of a node that does not lie in memory."""
        if node.op == "iota":
            return f"({type_of(node)})({at[node.params['dimension']]})"
        if node.op == "part":
            turn, last = self.number(node.inputs[1]), node.params["last"]
            return self.entry(node.inputs[0], [turn if last is None else f"({last} - {turn})", *at])
        if node.op in VIEWS:
            return self.entry(node.inputs[0], VIEWS[node.op](node, at))
        parts = []
        for one in node.inputs:  # operations on entries broadcast axes of size 1
            places = ["0" if n == 1 else i for n, i in zip(one.shape, at, strict=True)] if one.shape else []
            parts.append(self.entry(one, places))
        return entry_of(node, parts)

    def _flat(self, node: Operation, i: str, written: bool = False) -> str | None:
        """Return an expression for entry i of all entries of a node; None: there is none without dividing i.

        Args:
            node: the node.
            i: counts its entries in their order in memory.
            written: it is being laid down, so that its own name is of no use.
        """
        if not written and (self._lies(node) or node.op == "const"):
            if node.op == "const" and is_uniform(node):
                return literal(node.value.reshape(-1)[0])
            name = self.name(node)
            return name if self._is_single(node) else f"{name}[{i}]"
        if node.op == "iota":
            return f"({type_of(node)})({i})" if node.shape[node.params["dimension"]] == node.size else None
        if node.op == "broadcast_in_dim" and node.inputs[0].size == 1:
            return self.number(node.inputs[0])
        if node.op in AXES or (node.op == "broadcast_in_dim" and node.size == node.inputs[0].size):
            return self._flat(node.inputs[0], i)
        if node.op == "slice":
            return self._flat_slice(node, i)
        if node.op not in ENTRIES:
            return None
        parts: list[str] = []
        for one in node.inputs:
            part = self.number(one) if one.size == 1 else self._flat(one, i) if one.size == node.size else None
            if part is None:
                return None
            parts.append(part)
        return entry_of(node, parts)

    def _flat_slice(self, node: Operation, i: str) -> str | None:
        whole, first = node.inputs[0], node.params["start_indices"]
        rows = next((k for k, (a, b) in enumerate(zip(node.shape, whole.shape, strict=True)) if a != 1 or b == 1), 0)
        if any(step != 1 for step in node.params["strides"] or ()) or node.shape[rows + 1 :] != whole.shape[rows + 1 :]:
            return None
        begin = sum(a * int(np.prod(whole.shape[k + 1 :], dtype=int)) for k, a in enumerate(first))
        return self._flat(whole, f"{i} + {begin}" if begin else i)

    def _lay(self, node: Operation) -> str:
        if node.op == "given":
            return str(node.params["name"])
        if node.op in AXES and (self._lies(node.inputs[0]) or not keeps_axes(node)):
            return self.name(node.inputs[0])
        if node.op == "result":
            self.name(node.inputs[0])
            return self.names[node]
        if node.op == "enter" and node.size != 1:
            return self.name(node.inputs[0])
        name = self.fresh("v")
        if node.op == "const":
            entries = ", ".join(literal(x) for x in node.value.reshape(-1))
            self.line(f"static const {type_of(node)} {name}[{node.size}] = {{{entries}}};", 0)
        elif node.op in self.special:
            self.special[node.op](self, node, name)
        elif node.op == "enter":
            self._write(node, name, [], [], self.number(node.inputs[0]))
        elif node.op in FUSED or node.op == "iota":
            self._write_entries(node, name)
        elif node.op == "gather":
            heads, at = self.each(node.shape)
            places, inside = of_gather(node, at, self.entry)
            value = self.entry(node.inputs[0], places)
            if drops(node) and inside:
                value = f"({' && '.join(inside)} ? {value} : {literal(filling(node))})"
            self._write(node, name, heads, at, value)
        elif node.op == "dynamic_slice":
            heads, at = self.each(node.shape)
            value = self.entry(node.inputs[0], of_dynamic_slice(node, at, self.entry))
            self._write(node, name, heads, at, value)
        else:
            raise UntranslatedError(f"{node.op} has no translation")
        return name

    def _write(self, node: Operation, name: str, heads: Sequence[str], places: Index, value: str) -> None:
        if node.size == 1:
            self.single.add(node)
            self.line(f"const {type_of(node)} {name} = {value};", node.depth)
            return
        self.declare(node, name)
        self.line(f"{' '.join(heads)} {name}[{in_memory(node.shape, places)}] = {value};", node.depth)

    def _write_entries(self, node: Operation, name: str) -> None:
        """Lay down the entries of a node one after the other, in one loop if that is possible."""
        i = self.fresh()
        value = self._flat(node, i, written=True) if node.size > 1 else None
        if value is None:
            heads, places = self.each(node.shape)
            self._write(node, name, heads, places, self._computed(node, places))
            return
        self.declare(node, name)
        self.line(f"for (int {i} = 0; {i} < {node.size}; ++{i}) {name}[{i}] = {value};", node.depth)
