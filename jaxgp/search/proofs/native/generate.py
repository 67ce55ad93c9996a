"""Writes the searches of a problem in C++: its rules, and what moves are sorted by, translated, for `depth.h`."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.contracts import Problem, States
from jaxgp.native.build import CAREFUL, Source
from jaxgp.native.graph import Graph, given
from jaxgp.native.writer import Writer
from jaxgp.search.chance import unused_key
from jaxgp.search.lookahead import Contexts
from jaxgp.search.native.contexts import HEADERS as CONTEXTS
from jaxgp.search.native.contexts import ContextLayout, Generated, function, written
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
    state, lines = layout.nodes("state")
    graph = Graph()
    side, left = graph.trace(lambda state: (state.to_move, problem.left(state)), state)
    seen = graph.trace(problem.look, state)
    whole = jax.tree.leaves(seen)
    functions = [
        ("bool own_side(const uint8_t* state)", [side], lambda to: to.line(f"return {to.number(side)} == 0;")),
        ("int32_t left(const uint8_t* state)", [left], lambda to: to.line(f"return {to.number(left)};")),
        ("void look(const uint8_t* state, uint8_t* to)", whole, lambda to: looks.write(to, seen, "to")),
    ]
    return "\n\n".join(written(f"static {head} {{", lines, nodes, write) for head, nodes, write in functions)


def _facts(looks: StateLayout) -> str:
    look, lines = looks.nodes("look")
    found = Graph().trace(lambda look: (look.count, look.forcing, look.won), look)

    def write(writer: Writer) -> None:
        count, forcing, won = map(writer.number, found)
        writer.line(f"return {{{count}, {forcing}, {won} != 0}};")

    return written("static Facts facts(const uint8_t* look) {", lines, found, write)


def _following(looks: StateLayout, problem: Problem[Any], name: str, order: str) -> str:
    look, lines = looks.nodes("look")
    action = given("action", (), jnp.int32)
    found = Graph().trace(lambda look, action: problem.following(look, action, order), look, action)
    head = f"static int32_t {name}(const uint8_t* look, int32_t action) {{"
    return written(head, lines, [found], lambda to: to.line(f"return {to.number(found)};"), numbers=[action])


def _play(layout: StateLayout, looks: StateLayout, problem: Problem[Any]) -> str:
    state, lines = layout.nodes("state")
    action = given("action", (), jnp.int32)

    def play(state: States, action: Any) -> tuple[States, Any]:
        after = problem.advance(state, action)
        return after, problem.look(after)

    after, seen = Graph().trace(play, state, action)

    def write(writer: Writer) -> None:
        layout.write(writer, after, "after")
        looks.write(writer, seen, "look")

    head = "static void play(const uint8_t* state, int32_t action, uint8_t* after, uint8_t* look) {"
    return written(head, lines, jax.tree.leaves((after, seen)), write, numbers=[action])


def _key(layout: StateLayout, problem: Problem[Any]) -> str:
    state, lines = layout.nodes("state")
    key = Graph().trace(problem.key, state)
    head = "static void key(const uint8_t* state, uint32_t* words) {"
    return written(head, lines, [key], lambda to: to.copy(key, "words"))


def _code(layout: StateLayout, looks: StateLayout, sort: Sort | None, context: ContextLayout) -> str:
    states = "const uint8_t* before, int32_t action, const uint8_t* after, const uint8_t* look"
    head = f"static int32_t code({states}, const Context& context) {{"
    if sort is None:
        return function(head, ["return 0;"])
    (before, one), (after, two), (look, three) = (
        each.nodes(name) for each, name in ((layout, "before"), (layout, "after"), (looks, "look"))
    )
    action = given("action", (), jnp.int32)
    found = Graph().trace(sort, context.nodes, before, action, after, look)
    lines, write = [*one, *two, *three, *context.lines], lambda to: to.line(f"return {to.number(found)};")
    return written(head, lines, [found], write, context.special, [action])


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
