"""What the functions of a search are given beside states: contexts, and programs, which the interpreter runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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

HEADERS = (*INTERPRETER, "jaxgp/search/native/codes.h", "jaxgp/search/native/contexts.h")
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
        self._functions: Functions | None = None
        self._primitives: PrimitiveSet | None = None

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
        if self._primitives not in (None, primitives):
            raise UntranslatedError("programs of two sets are evaluated")
        functions = translate(primitives)
        if isinstance(functions, str):
            raise UntranslatedError(functions)
        if features.shape[0] < functions.features:
            raise UntranslatedError(f"functions read {functions.features} features; there are {features.shape[0]}")
        self._functions, self._primitives, self.arity = functions, primitives, primitives.max_arity
        names = [str(one.params["name"]) for one in plan]
        self.at = int(names[0].removeprefix("c"))
        kind, operand, constant, slot, steps, root, root_constant = names
        program = f"{{{kind}, {operand}, {constant}, {slot}, {steps}[0], {root}[0], {root_constant}[0]}}"
        seen = writer.address(features)
        words, truths = (writer.address(packed[0]), 32 * packed[0].shape[0]) if packed else ("nullptr", 0)
        writer.line(f"float {name}[1];", node.depth)
        shown = f"{{{seen}, {words}, {truths}, {features.shape[0]}, 1}}"
        writer.line(f"context.machine->run({program}, {shown}, 0, 1, {name});", node.depth)

    def functions(self) -> str:
        """Return what runs programs, as C++: the set of functions."""
        kinds = {"starts": "int32_t", "arities": "int32_t", "micros": "int32_t", "literals": "float"}
        lines, spans = [], []
        for field, kind in kinds.items():
            entries = [] if self._functions is None else getattr(self._functions, field).tolist()
            told = ", ".join(f"{float(x).hex()}f" if kind == "float" else str(x) for x in entries)
            lines.append(f"static constexpr {kind} {field}[] = {{{told or 0}}};")
            spans.append(f"{{{field}, static_cast<size_t>({len(entries)})}}")
        between = 0 if self._functions is None else self._functions.between
        multiplies = "true" if self._primitives is not None and self._primitives.multiplies else "false"
        lines.append(f"return {{{', '.join(spans)}, {max(self.arity, 1)}, stack, {between}, {multiplies}}};")
        return function("static Functions functions(int64_t stack) {", lines)


def function(head: str, body: Sequence[str]) -> str:
    """Return a function of C++."""
    return "\n".join([f"  {head}", *(f"    {line}" for line in body), "  }"])


def kinds_of(contexts: Contexts) -> tuple[Any, tuple[tuple[tuple[int, ...], Any], ...]] | str:
    """Return what tells contexts [C, ...] apart for C++, hashable, or why they have no place in it."""
    leaves, tree = jax.tree.flatten(contexts)
    if not all(map(jnp.ndim, leaves)):
        return "contexts have numbers that are the same for all"
    return tree, tuple((jnp.shape(one)[1:], jnp.result_type(one)) for one in leaves)


def shapes_of(tree: Any, kinds: Sequence[tuple[tuple[int, ...], Any]]) -> Contexts:
    """Return the shapes of contexts [1, ...] that `kinds_of` tells apart."""
    return jax.tree.unflatten(tree, [jax.ShapeDtypeStruct((1, *shape), dtype) for shape, dtype in kinds])
