"""Writes the searches of a puzzle in C++: its rules and an order of nodes, translated, for the loops of `search.h`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.contracts import Packs, Puzzle, States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.native.marked import OWNED, marking
from jaxgp.interpreter.native.run import HEADERS as INTERPRETER
from jaxgp.interpreter.native.translate import Functions, translate
from jaxgp.interpreter.plan import stack_bound
from jaxgp.native.arrays import WRITTEN
from jaxgp.native.build import CAREFUL, Source
from jaxgp.native.graph import TYPES, Graph, Operation, UntranslatedError, given
from jaxgp.native.writer import Writer
from jaxgp.search.chance import unused_key
from jaxgp.search.lookahead import Contexts
from jaxgp.search.puzzles.children import Child, Lister, Order

BEST_FIRST, DEEPENING, BREADTH = "JaxgpBestFirst", "JaxgpDeepening", "JaxgpBreadth"
"""The functions of a library."""
OWN = ("search.h", "bestfirst.h", "deepening.h", "breadth.h", "handlers.h")
HEADERS = (*INTERPRETER, *(f"jaxgp/search/puzzles/native/{name}" for name in OWN))
ALIGNED = 8
"""Parts of a state begin at multiples of this many bytes."""


@dataclass(frozen=True)
class Generated:
    """The searches of a puzzle by an order.

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


class StateLayout:
    """Where the arrays of a state lie in memory, one after the other."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.shapes = jax.eval_shape(lambda: self.packed(puzzle.init(unused_key())))
        leaves = jax.tree.leaves(self.shapes)
        sizes = [-(-one.size * one.dtype.itemsize // ALIGNED) * ALIGNED for one in leaves]
        self.begins = [int(at) for at in np.cumsum([0, *sizes])]

    @property
    def bytes(self) -> int:
        """Bytes of a state."""
        return self.begins[-1]

    def packed(self, state: States) -> States:
        """Return a state as the puzzle packs it."""
        return self.puzzle.pack(state) if isinstance(self.puzzle, Packs) else state

    def unpacked(self, packed: States) -> States:
        """Undo `packed`."""
        return self.puzzle.unpack(packed) if isinstance(self.puzzle, Packs) else packed

    def nodes(self, name: str) -> tuple[States, list[str]]:
        """Return the arrays of a packed state at an address as nodes, and the lines of C++ that name them."""
        leaves, tree = jax.tree.flatten(self.shapes)
        nodes, lines = [], []
        for k, (one, at) in enumerate(zip(leaves, self.begins[:-1], strict=True)):
            own = TYPES.get(str(one.dtype))
            if own is None:
                raise UntranslatedError(f"a state has {one.dtype}")
            lines.append(f"const {own}* {name}_{k} = reinterpret_cast<const {own}*>({name} + {at});")
            nodes.append(given(f"{name}_{k}", one.shape, one.dtype))
        return jax.tree.unflatten(tree, nodes), lines

    def as_bytes(self, states: States) -> jax.Array:
        """Return uint8[Q, bytes]: states [Q, ...] as they lie in memory."""
        parts, leaves = [], jax.tree.leaves(jax.vmap(self.packed)(states))
        for one, kind, size in zip(leaves, jax.tree.leaves(self.shapes), np.diff(self.begins).tolist(), strict=True):
            number = jnp.uint8 if kind.dtype == jnp.bool_ else kind.dtype
            flat = jax.lax.bitcast_convert_type(one.astype(number), jnp.uint8).reshape(len(one), -1)
            parts.append(jnp.pad(flat, ((0, 0), (0, size - flat.shape[1]))))
        return jnp.concatenate(parts, 1)


def generate(puzzle: Puzzle, order: Order | None, contexts: Contexts) -> Generated:
    """Return the searches of a puzzle by an order of nodes; None: a blind search.

    Args:
        puzzle: the rules.
        order: values children.
        contexts: [C, ...], arrays or their shapes; only the shapes behind the first axis matter.

    Raises:
        UntranslatedError: the puzzle or the order does something that has no translation.
    """
    layout, programs = StateLayout(puzzle), _Programs()
    words = int(jax.eval_shape(lambda: puzzle.key(puzzle.init(unused_key()))).shape[0])
    context, lines = _context(contexts if order is not None else ())
    special = {**WRITTEN, OWNED: programs.write}
    functions = [
        _step(layout, puzzle),
        _look(layout, puzzle),
        _children(layout, puzzle, order, context, lines, special),
    ]
    text = TEMPLATE.format(
        best_first=BEST_FIRST,
        deepening=DEEPENING,
        breadth=BREADTH,
        name=type(puzzle).__name__,
        state=layout.bytes,
        key=words,
        valued=str(order is not None).lower(),
        arrays=len(jax.tree.leaves(context)),
        functions="\n".join(functions),
        programs=programs.text(),
    )
    source = Source(f"search-{type(puzzle).__name__}", text, HEADERS, (BEST_FIRST, DEEPENING, BREADTH), CAREFUL)
    return Generated(source, programs.at, programs.arity)


class _Programs:
    """What evaluates programs in the C++ of an order: one set of functions, of one plan for each context."""

    def __init__(self) -> None:
        self.functions: Functions | None = None
        self.at, self.arity = -1, 0
        self.primitives: PrimitiveSet | None = None

    def write(self, writer: Writer, node: Operation, name: str) -> None:
        """Write the evaluation of the program of the context on one position; see `marked.mark`."""
        *plan, _, features = node.inputs
        primitives = node.params["primitives"]
        if len(plan) != 7 or any(one.op != "given" for one in plan):
            raise UntranslatedError("programs are none of the contexts as they are")
        if self.primitives not in (None, primitives):
            raise UntranslatedError("programs of two sets are evaluated")
        functions = translate(primitives)
        if isinstance(functions, str):
            raise UntranslatedError(functions)
        if features.shape[0] < functions.features:
            raise UntranslatedError(f"functions read {functions.features} features; there are {features.shape[0]}")
        self.functions, self.primitives, self.arity = functions, primitives, primitives.max_arity
        names = [str(one.params["name"]) for one in plan]
        self.at = int(names[0].removeprefix("c"))
        kind, operand, constant, slot, steps, root, root_constant = names
        program = f"{{{kind}, {operand}, {constant}, {slot}, {steps}[0], {root}[0], {root_constant}[0]}}"
        seen = writer.name(features)
        writer.line(f"float {name}[1];", node.depth)
        shown = f"{{{seen}, nullptr, 0, {features.shape[0]}, 1}}"
        writer.line(f"context.machine->run({program}, {shown}, 0, 1, {name});", node.depth)

    def text(self) -> str:
        """Return what runs programs, as C++: the set of functions."""
        kinds = {"starts": "int32_t", "arities": "int32_t", "micros": "int32_t", "literals": "float"}
        lines, spans = [], []
        for field, kind in kinds.items():
            entries = [] if self.functions is None else getattr(self.functions, field).tolist()
            told = ", ".join(f"{float(x).hex()}f" if kind == "float" else str(x) for x in entries)
            lines.append(f"static constexpr {kind} {field}[] = {{{told or 0}}};")
            spans.append(f"{{{field}, static_cast<size_t>({len(entries)})}}")
        between = 0 if self.functions is None else self.functions.between
        lines.append(f"return {{{', '.join(spans)}, {max(self.arity, 1)}, stack, {between}}};")
        return _function("static Functions functions(int64_t stack) {", lines)


def _context(contexts: Contexts) -> tuple[Any, list[str]]:
    """Return the arrays of one context [1, ...] as nodes, and the lines of C++ that name them."""
    leaves, tree = jax.tree.flatten(contexts)
    nodes, lines = [], []
    for k, one in enumerate(leaves):
        own = TYPES.get(str(one.dtype))
        if own is None:
            raise UntranslatedError(f"contexts have {one.dtype}")
        lines.append(f"const {own}* c{k} = reinterpret_cast<const {own}*>(context.leaves[{k}]);")
        nodes.append(given(f"c{k}", (1, *one.shape[1:]), one.dtype))
    return jax.tree.unflatten(tree, nodes), lines


def _step(layout: StateLayout, puzzle: Puzzle) -> str:
    graph, writer = Graph(), Writer(WRITTEN)
    before, lines = layout.nodes("before")

    def step(packed: States, action: Any) -> States:
        return layout.packed(Lister(puzzle, None, 0).step(layout.unpacked(packed), action))

    action = given("action", (), jnp.int32)
    after = jax.tree.leaves(graph.trace(step, before, action))
    writer.single.add(action)
    writer.plan(after)
    for k, (one, at) in enumerate(zip(after, layout.begins[:-1], strict=True)):
        own = TYPES[str(one.dtype)]
        writer.line(f"{own}* after_{k} = reinterpret_cast<{own}*>(after + {at});")
        writer.copy(one, f"after_{k}")
    head = "static void step(const uint8_t* before, int32_t action, uint8_t* after) {"
    return _function(head, [*lines, *writer.blocks[0]])


def _look(layout: StateLayout, puzzle: Puzzle) -> str:
    graph, writer = Graph(), Writer(WRITTEN)
    state, lines = layout.nodes("state")

    def look(packed: States) -> Any:
        whole = layout.unpacked(packed)
        return puzzle.solved(whole), puzzle.key(whole)

    solved, key = graph.trace(look, state)
    writer.plan([solved, key])
    writer.copy(key, "key")
    writer.line(f"return {writer.number(solved)};")
    return _function("static bool look(const uint8_t* state, uint32_t* key) {", [*lines, *writer.blocks[0]])


def _children(
    layout: StateLayout,
    puzzle: Puzzle,
    order: Order | None,
    context: Any,
    context_lines: Sequence[str],
    special: dict[str, Callable[[Writer, Operation, str], None]],
) -> str:
    graph, writer = Graph(), Writer(special)
    state, lines = layout.nodes("state")
    depth, siblings = given("depth", (), jnp.int32), given("number", (), jnp.int32)

    def expand(packed: States) -> Any:
        return puzzle.choices(layout.unpacked(packed))

    def play(packed: States, place: Any, depth: Any, siblings: Any, context: Any) -> Any:
        before = layout.unpacked(packed)
        action = puzzle.choice(before, place)
        child = Lister(puzzle, None, 0).step(before, action)
        found = action, puzzle.solved(child), puzzle.key(child)
        if order is None:
            return *found, jnp.float32(0)
        node = jax.tree.map(lambda x: x[None], Child(child, before, action, depth + 1, siblings))
        with marking():
            return *found, order(context, jnp.zeros(1, jnp.int32), node, jnp.int32(1))

    count = graph.trace(expand, state)
    place = given("place", (), jnp.int32, depth=1)
    action, solved, key, worth = graph.trace(play, state, place, depth, siblings, context)
    writer.single.update([place, depth, siblings])
    writer.plan([count, action, solved, key, worth])
    writer.line(f"const int32_t number = {writer.number(count)};")
    writer.line("visit.begin(number);")
    writer.blocks.append([])
    move = writer.number(action)
    writer.line(f"wants = visit.solved({move}, {writer.number(solved)});")
    writer.line(STOPS)
    writer.line(f"uint32_t words[{key.size}];")
    writer.copy(key, "words")
    writer.line("wants = visit.key(words);")
    writer.line(STOPS)
    writer.line(f"visit.value({writer.number(worth)});")
    inner = writer.blocks.pop()
    body = [
        "Wants wants;",
        *lines,
        *context_lines,
        *writer.blocks[0],
        "for (int32_t place = 0; place < number; ++place) {",
        *inner,
        "}",
    ]
    given_to = "const uint8_t* state, int32_t depth, const Context& context, Visit& visit"
    return _function(f"template <typename Visit>\n  static void children({given_to}) {{", body)


STOPS = "if (wants != Wants::kMore) { if (wants == Wants::kNext) continue; break; }"


def _function(head: str, body: Sequence[str]) -> str:
    return "\n".join([f"  {head}", *(f"    {line}" for line in body), "  }"])


TEMPLATE = """\
// The searches of {name}, written by jaxgp/search/puzzles/native/generate.py.

#include "jaxgp/native/numbers.h"
#include "jaxgp/search/puzzles/native/handlers.h"

namespace {{

using namespace jaxgp;

struct Rules {{
  static constexpr int kState = {state}, kKey = {key}, kArrays = {arrays};
  static constexpr bool kValued = {valued};
  using Context = ContextOf<kArrays>;

{programs}

{functions}
}};

}}  // namespace

JAXGP_SEARCHES(Rules, {best_first}, {deepening}, {breadth})
"""
