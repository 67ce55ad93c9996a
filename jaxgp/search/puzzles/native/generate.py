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
from jaxgp.interpreter.native.run import HEADERS
from jaxgp.interpreter.native.translate import Functions, translate
from jaxgp.interpreter.plan import stack_bound
from jaxgp.native.build import Source
from jaxgp.native.emit import Writer
from jaxgp.native.graph import TYPES, Graph, Node, UntranslatedError, given
from jaxgp.search.chance import unused_key
from jaxgp.search.lookahead import Contexts
from jaxgp.search.puzzles.children import Child, Lister, Order

BEST_FIRST, DEEPENING = "JaxgpBestFirst", "JaxgpDeepening"
"""The functions of a library."""
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


class Layout:
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
        parts = []
        for one, at, end in zip(
            jax.tree.leaves(jax.vmap(self.packed)(states)), self.begins[:-1], self.begins[1:], strict=True
        ):
            plain = one.astype(jnp.uint8) if one.dtype == jnp.bool_ else one
            flat = jax.lax.bitcast_convert_type(plain, jnp.uint8).reshape(len(one), -1)
            parts.append(jnp.pad(flat, ((0, 0), (0, end - at - flat.shape[1]))))
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
    layout, programs = Layout(puzzle), _Programs()
    words = int(jax.eval_shape(lambda: puzzle.key(puzzle.init(unused_key()))).shape[0])
    context, lines = _context(contexts if order is not None else ())
    special = {OWNED: programs.write}
    functions = [
        _step(layout, puzzle),
        _look(layout, puzzle),
        _children(layout, puzzle, order, context, lines, special),
    ]
    text = TEMPLATE.format(
        best_first=BEST_FIRST,
        deepening=DEEPENING,
        name=type(puzzle).__name__,
        state=layout.bytes,
        key=words,
        valued=str(order is not None).lower(),
        leaves=len(jax.tree.leaves(context)),
        functions="\n".join(functions),
        programs=programs.text(),
        machine=programs.machine(),
        made="context_.machine = &machine_;" if programs.functions else "",
    )
    headers = ("jaxgp/native/numbers.h", *HEADERS, "jaxgp/search/puzzles/native/search.h")
    source = Source(f"search-{type(puzzle).__name__}", text, headers, (BEST_FIRST, DEEPENING))
    return Generated(source, programs.at, programs.arity)


class _Programs:
    """What evaluates programs in the C++ of an order: one set of functions, of one plan for each context."""

    def __init__(self) -> None:
        self.functions: Functions | None = None
        self.at, self.arity = -1, 0
        self.primitives: PrimitiveSet | None = None

    def write(self, writer: Writer, node: Node) -> str:
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
        seen, name = writer.name(features), f"v{next(writer.numbers)}"
        writer.line(f"float {name}[1];", node.depth)
        shown = f"{{{seen}, nullptr, 0, {features.shape[0]}, 1}}"
        writer.line(f"context.machine->run({program}, {shown}, 0, 1, {name});", node.depth)
        return name

    def text(self) -> str:
        """Return the set of functions as C++."""
        if self.functions is None:
            return ""
        kinds = (("starts", "int32_t"), ("arities", "int32_t"), ("micros", "int32_t"), ("literals", "float"))
        lines = []
        for field, kind in kinds:
            entries = getattr(self.functions, field).tolist()
            told = ", ".join(f"{float(x).hex()}f" if kind == "float" else str(x) for x in entries)
            lines.append(f"const {kind} k_{field}[] = {{{told or 0}}};")
        return "\n" + "\n".join(lines) + "\n"

    def machine(self) -> str:
        """Return the lines that make what runs programs."""
        if self.functions is None:
            return ""
        spans = ", ".join(
            f"{{k_{field}, static_cast<size_t>({len(getattr(self.functions, field))})}}"
            for field in ("starts", "arities", "micros", "literals")
        )
        return (
            f"\n  const Functions functions_{{{spans}, {self.arity}, stack_, {self.functions.between}}};\n"
            "  Machine machine_{functions_, 1};"
        )


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


def _step(layout: Layout, puzzle: Puzzle) -> str:
    graph, writer = Graph(), Writer()
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
        writer.write_to(one, f"after_{k}")
    head = "static void step(const uint8_t* before, int32_t action, uint8_t* after) {"
    return _function(head, [*lines, *writer.blocks[0]])


def _look(layout: Layout, puzzle: Puzzle) -> str:
    graph, writer = Graph(), Writer()
    state, lines = layout.nodes("state")

    def look(packed: States) -> Any:
        whole = layout.unpacked(packed)
        return puzzle.solved(whole), puzzle.key(whole)

    solved, key = graph.trace(look, state)
    writer.plan([solved, key])
    writer.write_to(key, "key")
    writer.line(f"return {writer.number(solved)};")
    return _function("static bool look(const uint8_t* state, uint32_t* key) {", [*lines, *writer.blocks[0]])


def _children(
    layout: Layout,
    puzzle: Puzzle,
    order: Order | None,
    context: Any,
    context_lines: Sequence[str],
    special: dict[str, Callable[[Writer, Node], str]],
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
    writer.line(f"{{ uint32_t words[{key.size}];")
    writer.write_to(key, "words")
    writer.line("wants = visit.key(words); }")
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
    head = (
        "template <typename Visit>\n  static void children(const uint8_t* state, int32_t depth, const Context& context, "
        "Visit& visit) {"
    )
    return _function(head, body)


STOPS = "if (wants != Wants::kMore) { if (wants == Wants::kNext) continue; break; }"


def _function(head: str, body: Sequence[str]) -> str:
    return "\n".join([f"  {head}", *(f"    {line}" for line in body), "  }"])


TEMPLATE = """\
// The searches of {name}, written by jaxgp/search/puzzles/native/generate.py.

#include "jaxgp/native/numbers.h"
#include "jaxgp/interpreter/native/machine.h"
#include "jaxgp/search/puzzles/native/search.h"

namespace {{

using namespace jaxgp;
{programs}
// The arrays that an order is given for one root, and what runs programs.
struct Context {{
  const uint8_t* leaves[{leaves} + 1];
  Machine* machine;
}};

struct Rules {{
  static constexpr int kState = {state}, kKey = {key};
  static constexpr bool kValued = {valued};
  using Context = ::Context;

{functions}
}};

// The arrays [C, ...] of all contexts.
class Contexts {{
 public:
  Contexts(ffi::RemainingArgs arrays, int64_t stack) : stack_(stack) {{
    for (size_t k = 0; k < {leaves}; ++k) {{
      const auto array = arrays.get<ffi::AnyBuffer>(k).value();
      first_[k] = static_cast<const uint8_t*>(array.untyped_data());
      count_[k] = array.dimensions().front();
      bytes_[k] = array.size_bytes() / std::max<int64_t>(count_[k], 1);
    }}
    {made}
  }}

  // Like XLA, this takes the last context for one that is not there.
  const Context& at(int64_t whose) {{
    for (size_t k = 0; k < {leaves}; ++k)
      context_.leaves[k] = first_[k] + bytes_[k] * std::clamp<int64_t>(whose, 0, count_[k] - 1);
    return context_;
  }}

 private:
  const uint8_t* first_[{leaves} + 1];
  int64_t count_[{leaves} + 1], bytes_[{leaves} + 1];
  const int64_t stack_;
  Context context_{{}};{machine}
}};

ffi::Error RunBestFirst(Bytes roots, Ints limits, Ints count, Ints whose, ffi::RemainingArgs arrays,
                        ffi::Result<Truths> solved, ffi::Result<Ints> nodes, ffi::Result<Ints> length,
                        ffi::Result<Shorts> moves, ffi::Result<Truths> exhausted, ffi::Result<Ints> expanded,
                        int64_t stack, int64_t deepest, int64_t room, bool by_cost) {{
  Contexts contexts(arrays, stack);
  BestFirst<Rules> search(deepest, room, by_cost);
  search_all<Rules>(search, roots, limits, count, whose, contexts, {{solved, nodes, length, moves, exhausted, expanded}});
  return ffi::Error::Success();
}}

ffi::Error RunDeepening(Bytes roots, Ints limits, Ints count, Ints whose, ffi::RemainingArgs arrays,
                        ffi::Result<Truths> solved, ffi::Result<Ints> nodes, ffi::Result<Ints> length,
                        ffi::Result<Shorts> moves, ffi::Result<Truths> exhausted, ffi::Result<Ints> expanded,
                        int64_t stack, int64_t deepest, int64_t first, int64_t grow, int64_t table, bool by_cost) {{
  Contexts contexts(arrays, stack);
  Deepening<Rules> search(first, grow, deepest, table, by_cost);
  search_all<Rules>(search, roots, limits, count, whose, contexts, {{solved, nodes, length, moves, exhausted, expanded}});
  return ffi::Error::Success();
}}

#define SEARCH                                                                                             \\
  ffi::Ffi::Bind().Arg<Bytes>().Arg<Ints>().Arg<Ints>().Arg<Ints>().RemainingArgs().Ret<Truths>().Ret<Ints>() \\
      .Ret<Ints>().Ret<Shorts>().Ret<Truths>().Ret<Ints>().Attr<int64_t>("stack").Attr<int64_t>("deepest")

}}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL({best_first}, RunBestFirst, SEARCH.Attr<int64_t>("room").Attr<bool>("by_cost"));
XLA_FFI_DEFINE_HANDLER_SYMBOL({deepening}, RunDeepening,
                              SEARCH.Attr<int64_t>("first").Attr<int64_t>("grow").Attr<int64_t>("table")
                                  .Attr<bool>("by_cost"));
"""
