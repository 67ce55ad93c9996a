"""Writes the searches of a puzzle in C++: its rules and an order of nodes, translated, for the loops of `search.h`."""

from typing import Any

import jax
import jax.numpy as jnp

from jaxgp.contracts import Packs, Puzzle, States
from jaxgp.interpreter.native.marked import marking
from jaxgp.native.build import CAREFUL, Source
from jaxgp.native.graph import Graph, given
from jaxgp.native.writer import Writer
from jaxgp.search.chance import unused_key
from jaxgp.search.lookahead import Contexts
from jaxgp.search.native.contexts import HEADERS as CONTEXTS
from jaxgp.search.native.contexts import ContextLayout, Generated, function, written
from jaxgp.search.native.layout import StateLayout
from jaxgp.search.puzzles.children import Child, Lister, Order

BEST_FIRST, DEEPENING, BREADTH = "JaxgpBestFirst", "JaxgpDeepening", "JaxgpBreadth"
"""The functions of a library."""
OWN = ("search.h", "bestfirst.h", "deepening.h", "breadth.h", "handlers.h")
HEADERS = (*CONTEXTS, "jaxgp/native/hash.h", *(f"jaxgp/search/puzzles/native/{name}" for name in OWN))


def layout_of(puzzle: Puzzle) -> StateLayout:
    """Return where the arrays of a state of a puzzle lie; a puzzle that packs its states packs them."""
    return StateLayout(lambda: puzzle.init(unused_key()), puzzle if isinstance(puzzle, Packs) else None)


def generate(puzzle: Puzzle, order: Order | None, contexts: Contexts) -> Generated:
    """Return the searches of a puzzle by an order of nodes; None: a blind search.

    Args:
        puzzle: the rules.
        order: values children.
        contexts: [C, ...], arrays or their shapes; only the shapes behind the first axis matter.

    Raises:
        UntranslatedError: the puzzle or the order does something that has no translation.
    """
    layout, context = layout_of(puzzle), ContextLayout(contexts if order is not None else ())
    words = int(jax.eval_shape(lambda: puzzle.key(puzzle.init(unused_key()))).shape[0])
    functions = [_step(layout, puzzle), _look(layout, puzzle), _children(layout, puzzle, order, context)]
    text = TEMPLATE.format(
        best_first=BEST_FIRST,
        deepening=DEEPENING,
        breadth=BREADTH,
        name=type(puzzle).__name__,
        state=layout.bytes,
        key=words,
        valued=str(order is not None).lower(),
        arrays=context.arrays,
        functions="\n".join(functions),
        programs=context.functions(),
    )
    source = Source(f"search-{type(puzzle).__name__}", text, HEADERS, (BEST_FIRST, DEEPENING, BREADTH), CAREFUL)
    return Generated(source, context.at, context.arity)


def _step(layout: StateLayout, puzzle: Puzzle) -> str:
    before, lines = layout.nodes("before")

    def step(packed: States, action: Any) -> States:
        return layout.packed(Lister(puzzle, None, 0).step(layout.unpacked(packed), action))

    action = given("action", (), jnp.int32)
    after = jax.tree.leaves(Graph().trace(step, before, action))
    head = "static void step(const uint8_t* before, int32_t action, uint8_t* after) {"
    return written(head, lines, after, lambda to: layout.write(to, after, "after"), numbers=[action])


def _look(layout: StateLayout, puzzle: Puzzle) -> str:
    state, lines = layout.nodes("state")

    def look(packed: States) -> Any:
        whole = layout.unpacked(packed)
        return puzzle.solved(whole), puzzle.key(whole)

    solved, key = Graph().trace(look, state)

    def write(writer: Writer) -> None:
        writer.copy(key, "key")
        writer.line(f"return {writer.number(solved)};")

    return written("static bool look(const uint8_t* state, uint32_t* key) {", lines, [solved, key], write)


def _children(layout: StateLayout, puzzle: Puzzle, order: Order | None, context: ContextLayout) -> str:
    graph, writer = Graph(), Writer(context.special)
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
    action, solved, key, worth = graph.trace(play, state, place, depth, siblings, context.nodes)
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
        *context.lines,
        *writer.blocks[0],
        "for (int32_t place = 0; place < number; ++place) {",
        *inner,
        "}",
    ]
    given_to = "const uint8_t* state, int32_t depth, const Context& context, Visit& visit"
    return function(f"template <typename Visit>\n  static void children({given_to}) {{", body)


STOPS = "if (wants != Wants::kMore) { if (wants == Wants::kNext) continue; break; }"


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
