"""Counts what a compiled program launches, loop by loop, from its text: HLO as XLA leaves it for a GPU.

Every instruction outside of fusions that computes or copies something is one launch, at least: a sort is several. What
only names or arranges values costs nothing. A loop launches its condition and its body in each iteration.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

FREE = {
    *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "partition-id", "replica-id"),
    *("while", "conditional", "call", "opt-barrier", "add-dependency", "domain", "get-dimension-size"),
}
"""Instructions that launch nothing themselves."""
BYTES = {"pred": 1, "s4": 1, "u4": 1, "token": 0}
"""Bytes of an element of the types whose name does not end in its bits."""
_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\) -> .* \{$")
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?([\w.\-]+) = (.*?) ([a-z][a-z0-9\-]*)\((.*)$")
_SHAPE = re.compile(r"\b(pred|token|[a-z]+\d+\w*)\[([\d,]*)\]")
_CALLED = re.compile(
    r"(condition|body|to_apply|calls|branch_computations|true_computation|false_computation)=\{?([^},]*(?:, ?%[^},]*)*)"
)
_TRIPS = re.compile(r'known_trip_count[^0-9]*"(\d+)"')
_NAME = re.compile(r'op_name="([^"]*)"')


class Instruction(NamedTuple):
    """One line of a computation."""

    name: str
    opcode: str
    kind: str  # type of the elements of the result, of the first of several
    size: int  # bytes of the result
    operands: tuple[str, ...]
    called: dict[str, tuple[str, ...]]
    trips: int | None
    path: str


@dataclass
class Loop:
    """A computation that runs again and again, or the whole program.

    Attributes:
        path: where it comes from, as JAX names it; empty for the whole program.
        launches: of one iteration, without those of inner loops.
        bytes: that these read and write, at most.
        trips: iterations, where the compiler knows them.
        inner: loops in it.
    """

    path: str
    launches: int = 0
    bytes: int = 0
    trips: int | None = 1
    inner: list["Loop"] = field(default_factory=list)

    def walk(self, depth: int = 0) -> list[tuple[int, "Loop"]]:
        """Return this loop and all in it, each with its depth."""
        return [(depth, self), *(one for inner in self.inner for one in inner.walk(depth + 1))]


def count(text: str) -> Loop:
    """Return the launches of a program, from the text of its optimised HLO."""
    computations, entry = _parse(text)
    return _loop(computations, [entry], "", 1)


def scatters(text: str) -> list[tuple[str, str, str]]:
    """Return (type of the result, what is done where updates meet, where it comes from) of each scatter."""
    computations, _ = _parse(text)
    found = []
    for body in computations.values():
        for one in body.values():
            if one.opcode == "scatter":
                (applied,) = one.called["to_apply"]
                root = [inner.opcode for inner in computations[applied].values()][-1]
                found.append((one.kind, "set" if root == "parameter" else root, one.path))
    return found


def _parse(text: str) -> tuple[dict[str, dict[str, Instruction]], str]:
    """Return the instructions of each computation by their names, and the name of the first computation to run."""
    computations: dict[str, dict[str, Instruction]] = {}
    entry, here = "", dict[str, Instruction]()
    for line in text.splitlines():
        if found := _COMPUTATION.match(line):
            here = computations[found[2]] = {}
            entry = found[2] if found[1] else entry
        elif found := _INSTRUCTION.match(line):
            name, kind, opcode, rest = found.groups()
            called = {
                key: tuple(one.strip().lstrip("%") for one in names.split(",")) for key, names in _CALLED.findall(rest)
            }
            trips, path = _TRIPS.search(rest), _NAME.search(rest)
            operands = tuple(re.findall(r"%([\w.\-]+)", rest.split(")", 1)[0]))
            shapes = _SHAPE.findall(kind)
            here[name] = Instruction(
                name,
                opcode,
                shapes[0][0] if shapes else "",
                sum(_bytes(*one) for one in shapes),
                operands,
                called,
                int(trips[1]) if trips else None,
                path[1] if path else "",
            )
    return computations, entry


def _bytes(kind: str, sizes: str) -> int:
    bits = re.search(r"\d+", kind)
    each = BYTES.get(kind, int(bits[0]) // 8 if bits else 4)
    count = 1
    for size in filter(None, sizes.split(",")):
        count *= int(size)
    return each * count


def _loop(computations: dict[str, dict[str, Instruction]], names: list[str], path: str, trips: int | None) -> Loop:
    """Count computations that run one after the other."""
    found = Loop(path, trips=trips)
    for name in names:
        body = computations[name]
        for one in body.values():
            if one.opcode == "while":
                inside = [*one.called["condition"], *one.called["body"]]
                found.inner.append(_loop(computations, inside, one.path, one.trips))
            elif one.opcode in ("conditional", "call"):
                called = [inner for key, several in one.called.items() for inner in several]
                # Of the branches of a conditional the dearest is counted.
                each = [_loop(computations, [inner], one.path, 1) for inner in called]
                dearest = max(each, key=lambda loop: sum(inner.launches for _, inner in loop.walk()))
                found.launches += dearest.launches
                found.bytes += dearest.bytes
                found.inner += dearest.inner
            elif one.opcode not in FREE:
                found.launches += 1
                found.bytes += one.size + sum(body[operand].size for operand in one.operands if operand in body)
    return found
