"""Writes the searches of a problem in C++: its rules, and what moves are sorted by, translated, for `depth.h`."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.contracts import Problem, States
from jaxgp.native.arrays import WRITTEN
from jaxgp.native.build import CAREFUL, Source
from jaxgp.native.graph import Graph, given
from jaxgp.native.writer import Writer
from jaxgp.search.chance import unused_key
from jaxgp.search.lookahead import Contexts
from jaxgp.search.native.contexts import HEADERS as CONTEXTS
from jaxgp.search.native.contexts import ContextLayout, Generated, function
from jaxgp.search.native.layout import StateLayout

DEPTH_FIRST = "JaxgpDepthFirst"
"""The function of a library."""
HEADERS = (*CONTEXTS, "jaxgp/native/hash.h", "jaxgp/search/proofs/native/depth.h")
Sort = Callable[[Contexts, States, Array, States, Any], Array]
"""(contexts [1, ...], before, action, after, look) -> int32[] below 2^21, what a move is sorted by."""


def layout_of(problem: Problem[Any]) -> StateLayout:
    """Return where the arrays of a state of a problem lie."""
    return StateLayout(lambda: problem.init(unused_key()))


def generate(problem: Problem[Any], orders: tuple[str, str], sort: Sort | None, contexts: Contexts) -> Generated:
    """Return the searches of a problem.

    Args:
        problem: the rules.
        orders: of the moves of the solver, and of those of the other side.
        sort: says what moves are sorted by; None: they are not sorted.
        contexts: [C, ...], arrays or their shapes, for `sort`; only the shapes behind the first axis matter.

    Raises:
        UntranslatedError: the problem or the order does something that has no translation.
    """
    layout, context = layout_of(problem), ContextLayout(contexts)
    looks = StateLayout(lambda: problem.look(problem.init(unused_key())))
    key = jax.eval_shape(lambda: problem.key(problem.init(unused_key())))
    functions = [
        _root(layout, looks, problem),
        _facts(looks),
        *(_following(looks, problem, *one) for one in zip(("move", "reply"), orders, strict=True)),
        _play(layout, looks, problem),
        _key(layout, problem),
        _code(layout, looks, sort, context),
    ]
    text = TEMPLATE.format(
        function=DEPTH_FIRST,
        name=type(problem).__name__,
        state=layout.bytes,
        look=looks.bytes,
        key=key.size,
        moves=problem.most_choices,
        arrays=context.arrays,
        functions="\n\n".join(functions),
        programs=context.functions(),
    )
    source = Source(f"search-{type(problem).__name__}", text, HEADERS, (DEPTH_FIRST,), CAREFUL)
    return Generated(source, context.at, context.arity)


def _root(layout: StateLayout, looks: StateLayout, problem: Problem[Any]) -> str:
    """Write what is asked of a root."""
    graph, writer = Graph(), Writer(WRITTEN)
    state, lines = layout.nodes("state")
    side, left = graph.trace(lambda state: (state.to_move, problem.left(state)), state)
    told, numbers = Writer(WRITTEN), Writer(WRITTEN)
    told.plan([side])
    told.line(f"return {told.number(side)} == 0;")
    numbers.plan([left])
    numbers.line(f"return {numbers.number(left)};")
    seen = graph.trace(problem.look, state)
    writer.plan(jax.tree.leaves(seen))
    looks.write(writer, seen, "to")
    return "\n\n".join(
        [
            function("static bool own_side(const uint8_t* state) {", [*lines, *told.blocks[0]]),
            function("static int32_t left(const uint8_t* state) {", [*lines, *numbers.blocks[0]]),
            function("static void look(const uint8_t* state, uint8_t* to) {", [*lines, *writer.blocks[0]]),
        ]
    )


def _facts(looks: StateLayout) -> str:
    graph, writer = Graph(), Writer(WRITTEN)
    look, lines = looks.nodes("look")
    found = graph.trace(lambda look: (look.count, look.forcing, look.won), look)
    writer.plan(found)
    count, forcing, won = map(writer.number, found)
    writer.line(f"return {{{count}, {forcing}, {won} != 0}};")
    return function("static Facts facts(const uint8_t* look) {", [*lines, *writer.blocks[0]])


def _following(looks: StateLayout, problem: Problem[Any], name: str, order: str) -> str:
    graph, writer = Graph(), Writer(WRITTEN)
    look, lines = looks.nodes("look")
    action = given("action", (), jnp.int32)
    found = graph.trace(lambda look, action: problem.following(look, action, order), look, action)
    writer.single.add(action)
    writer.plan([found])
    writer.line(f"return {writer.number(found)};")
    return function(f"static int32_t {name}(const uint8_t* look, int32_t action) {{", [*lines, *writer.blocks[0]])


def _play(layout: StateLayout, looks: StateLayout, problem: Problem[Any]) -> str:
    graph, writer = Graph(), Writer(WRITTEN)
    state, lines = layout.nodes("state")
    action = given("action", (), jnp.int32)

    def play(state: States, action: Any) -> tuple[States, Any]:
        after = problem.advance(state, action)
        return after, problem.look(after)

    after, seen = graph.trace(play, state, action)
    writer.single.add(action)
    writer.plan(jax.tree.leaves((after, seen)))
    layout.write(writer, after, "after")
    looks.write(writer, seen, "look")
    head = "static void play(const uint8_t* state, int32_t action, uint8_t* after, uint8_t* look) {"
    return function(head, [*lines, *writer.blocks[0]])


def _key(layout: StateLayout, problem: Problem[Any]) -> str:
    graph, writer = Graph(), Writer(WRITTEN)
    state, lines = layout.nodes("state")
    key = graph.trace(problem.key, state)
    writer.plan([key])
    writer.copy(key, "words")
    return function("static void key(const uint8_t* state, uint32_t* words) {", [*lines, *writer.blocks[0]])


def _code(layout: StateLayout, looks: StateLayout, sort: Sort | None, context: ContextLayout) -> str:
    lines: list[str] = []
    body = ["return 0;"]
    if sort is not None:
        graph, writer = Graph(), Writer(context.special)
        (before, one), (after, two), (look, three) = (
            each.nodes(name) for each, name in ((layout, "before"), (layout, "after"), (looks, "look"))
        )
        action = given("action", (), jnp.int32)
        found = graph.trace(sort, context.nodes, before, action, after, look)
        writer.single.add(action)
        writer.plan([found])
        writer.line(f"return {writer.number(found)};")
        lines, body = [*one, *two, *three, *context.lines], writer.blocks[0]
    states = "const uint8_t* before, int32_t action, const uint8_t* after, const uint8_t* look"
    head = f"static int32_t code({states}, const Context& context) {{"
    return function(head, [*lines, *body])


TEMPLATE = """\
// The searches of {name}, written by jaxgp/search/proofs/native/generate.py.

#include "jaxgp/native/numbers.h"
#include "jaxgp/search/proofs/native/depth.h"

namespace {{

using namespace jaxgp;

struct Rules {{
  static constexpr int kState = {state}, kLook = {look}, kKey = {key}, kMoves = {moves}, kArrays = {arrays};
  using Context = ContextOf<kArrays>;

{programs}

{functions}
}};

}}  // namespace

JAXGP_DEPTH_FIRST(Rules, {function})
"""
