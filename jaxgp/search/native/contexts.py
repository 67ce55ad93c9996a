"""What the functions of a search are given beside states: contexts, and programs, which the interpreter runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.native.marked import OWNED, PARTS
from jaxgp.interpreter.native.run import HEADERS as INTERPRETER
from jaxgp.interpreter.native.translate import Functions, translate
from jaxgp.interpreter.plan import stack_bound
from jaxgp.native.arrays import WRITTEN
from jaxgp.native.build import Source
from jaxgp.native.graph import TYPES, Operation, UntranslatedError, given
from jaxgp.native.writer import Writer
from jaxgp.search.lookahead import Contexts

HEADERS = (
    *INTERPRETER,
    "jaxgp/interpreter/native/prepared.h",
    "jaxgp/search/native/codes.h",
    "jaxgp/search/native/contexts.h",
)
"""What is included for contexts."""


@dataclass(frozen=True)
class Generated:
    """Searches that have been written down.

    Attributes:
        source: what they are compiled from.
        plans: where among the leaves of the contexts the instructions of plans are; -1: no programs are evaluated.
        arity: the largest of the set that programs are written in.
    """

    source: Source
    plans: int
    arity: int

    def stack(self, contexts: Contexts) -> int:
        """Return the rows of the stack that programs need."""
        return 0 if self.plans < 0 else stack_bound(self.arity, jax.tree.leaves(contexts)[self.plans].shape[-1])


class ContextLayout:
    """The arrays of the contexts, of which C++ sees those of one root, and the programs among them.

    Attributes:
        nodes: the contexts [1, ...] as nodes.
        lines: of C++ that name them.
        at: where among the arrays the instructions of plans are; -1: no programs have been written down.
        arity: the largest of the set that programs are written in.

    Args:
        contexts: [C, ...], arrays or their shapes; only the shapes behind the first axis matter.

    Raises:
        UntranslatedError: contexts of a type that C++ does not know.
    """

    def __init__(self, contexts: Contexts) -> None:
        leaves, tree = jax.tree.flatten(contexts)
        nodes, self.lines = [], []
        for k, one in enumerate(leaves):
            own = TYPES.get(str(one.dtype))
            if own is None:
                raise UntranslatedError(f"contexts have {one.dtype}")
            self.lines.append(f"const {own}* c{k} = reinterpret_cast<const {own}*>(context.leaves[{k}]);")
            nodes.append(given(f"c{k}", (1, *one.shape[1:]), one.dtype))
        self.arrays, self.nodes = len(leaves), jax.tree.unflatten(tree, nodes)
        self.at, self.arity = -1, 0
        self._programs: _Programs | None = None

    @cached_property
    def special(self) -> dict[str, Callable[[Writer, Operation, str], None]]:
        """What a writer writes by functions of its own: arrays, and the evaluation of programs."""
        return {**WRITTEN, OWNED: self._evaluation}

    def _evaluation(self, writer: Writer, node: Operation, name: str) -> None:
        """Write the evaluation of the program of the context on one position; see `marked.mark`."""
        plan, (_, *packed, features) = node.inputs[:PARTS], node.inputs[PARTS:]
        primitives = node.params["primitives"]
        if any(one.op != "given" for one in plan):
            raise UntranslatedError("programs are none of the contexts as they are")
        functions, truths = translate(primitives), 32 * sum(one.shape[0] for one in packed)
        if isinstance(functions, str):
            raise UntranslatedError(functions)
        if features.shape[0] < functions.features:
            raise UntranslatedError(f"functions read {functions.features} features; there are {features.shape[0]}")
        names = tuple(str(one.params["name"]) for one in plan)
        own = _Programs(primitives, functions, names, truths, features.shape[0])
        if self._programs not in (None, own):
            raise UntranslatedError("programs of two kinds are evaluated")
        self._programs, self.arity, self.at = own, primitives.max_arity, int(names[0].removeprefix("c"))
        words = writer.address(packed[0]) if packed else "nullptr"
        seen = f"{{{writer.address(features)}, {words}}}"
        writer.line(f"const float {name}[1] = {{context.program->run({seen})}};", node.depth)

    def functions(self) -> str:
        """Return what tells of programs, as C++; see `Contexts` in contexts.h."""
        own = self._programs or _Programs()
        constants = f"kTruths = {own.truths}, kNumbers = {own.numbers}"
        told = f"  static constexpr int {constants};\n  static constexpr bool kPrograms = {_truth(bool(own.plan))};"
        return "\n".join([told, own.set(), own.program(self.lines)])


@dataclass(frozen=True)
class _Programs:
    """The programs of contexts.

    Attributes:
        primitives: the set that they are written in; None: there are none.
        functions: those of the set.
        plan: names of the arrays of a plan.
        truths: truth values that they see.
        numbers: numbers that they see.
    """

    primitives: PrimitiveSet | None = None
    functions: Functions | None = field(default=None, compare=False)
    plan: tuple[str, ...] = ()
    truths: int = 0
    numbers: int = 0

    def set(self) -> str:
        """Return a function of C++ that returns the set."""
        kinds = {"starts": "int32_t", "arities": "int32_t", "micros": "int32_t", "literals": "float"}
        lines, spans = [], []
        for part, kind in kinds.items():
            entries = [] if self.functions is None else getattr(self.functions, part).tolist()
            told = ", ".join(f"{float(x).hex()}f" if kind == "float" else str(x) for x in entries)
            lines.append(f"static constexpr {kind} {part}[] = {{{told or 0}}};")
            spans.append(f"{{{part}, static_cast<size_t>({len(entries)})}}")
        between = 0 if self.functions is None else self.functions.between
        arity, multiplies = (
            (1, False) if self.primitives is None else (self.primitives.max_arity, self.primitives.multiplies)
        )
        numbers = f"{max(arity, 1)}, stack, {between}, {_truth(multiplies)}"
        lines.append(f"return {{{', '.join(spans)}, {numbers}}};")
        return function("static Functions functions(int64_t stack) {", lines)

    def program(self, lines: Sequence[str]) -> str:
        """Return a function of C++ that returns the program of a context, after lines that name its arrays."""
        body = ["return {};"]
        if self.plan:
            kind, operand, constant, slot, steps, root, root_constant = self.plan
            whole = f"{kind}, {operand}, {constant}, {slot}, {steps}[0], {root}[0], {root_constant}[0]"
            body = [*lines, f"return {{{whole}}};"]
        return function("static Program program(const Context& context) {", body)


def _truth(x: bool) -> str:
    return "true" if x else "false"


def function(head: str, body: Sequence[str]) -> str:
    """Return a function of C++."""
    return "\n".join([f"  {head}", *(f"    {line}" for line in body), "  }"])


def written(
    head: str,
    lines: Sequence[str],
    nodes: Sequence[Operation],
    write: Callable[[Writer], None],
    special: Mapping[str, Any] = WRITTEN,
    numbers: Sequence[Operation] = (),
) -> str:
    """Return a function of C++ that computes nodes.

    Args:
        head: of the function.
        lines: that name its arguments.
        nodes: what it computes.
        write: writes what becomes of these.
        special: see `Writer`.
        numbers: arguments that are one number each.
    """
    writer = Writer(dict(special))
    writer.single.update(numbers)
    writer.plan(nodes)
    write(writer)
    return function(head, [*lines, *writer.blocks[0]])


def kinds_of(contexts: Contexts) -> tuple[Any, tuple[tuple[tuple[int, ...], Any], ...]] | str:
    """Return what tells contexts [C, ...] apart for C++, hashable, or why they have no place in it."""
    leaves, tree = jax.tree.flatten(contexts)
    if not all(map(jnp.ndim, leaves)):
        return "contexts have numbers that are the same for all"
    return tree, tuple((jnp.shape(one)[1:], jnp.result_type(one)) for one in leaves)


def shapes_of(tree: Any, kinds: Sequence[tuple[tuple[int, ...], Any]]) -> Contexts:
    """Return the shapes of contexts [1, ...] that `kinds_of` tells apart."""
    return jax.tree.unflatten(tree, [jax.ShapeDtypeStruct((1, *shape), dtype) for shape, dtype in kinds])
