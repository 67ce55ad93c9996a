"""Alpha-beta search of a game in C++, in place of the lanes of plain XLA on a CPU.

The rules of the game and the evaluator of leaves are translated; the search itself is in `alphabeta.h`.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.arrays import differs
from jaxgp.contracts import Position, States
from jaxgp.interpreter.native.marked import marking
from jaxgp.native.arrays import WRITTEN
from jaxgp.native.build import CAREFUL, Library, Source, library
from jaxgp.native.graph import Graph, UntranslatedError, given
from jaxgp.native.writer import Writer
from jaxgp.search.chance import unused_key
from jaxgp.search.lookahead import Contexts, FullWidth, LegalOnly
from jaxgp.search.native.contexts import HEADERS as CONTEXTS
from jaxgp.search.native.contexts import ContextLayout, Generated, function, kinds_of, shapes_of
from jaxgp.search.native.layout import StateLayout

ALPHABETA = "JaxgpAlphaBeta"
"""The function of a library."""
HEADERS = (*CONTEXTS, "jaxgp/search/native/alphabeta.h")
Ahead = LegalOnly | FullWidth
Found = tuple[Array, Array, Array]
"""Codes by slot, int32[Q, S]; nodes, int32[Q]; iterations, int32[]."""
Search = Callable[..., Found]
"""(roots [Q, ...], depths int32[Q], how many are searched int32[], contexts, that of each root int32[Q]) -> `Found`."""


def why_not(ahead: Ahead, state: States, contexts: Contexts = ()) -> str:
    """Return why a game is not searched natively on a CPU; an empty text: it is.

    Args:
        ahead: the rules, and the evaluator of leaves.
        state: a state that is searched, or its shapes.
        contexts: [C, ...], of the evaluator.

    Raises:
        UsageError: the variable that switches native code off has an unknown value.
    """
    made = _of(ahead, state, contexts)
    if isinstance(made, str):
        return made
    there = library(made.source)
    return there if isinstance(there, str) else ""


def searched(plain: Search, ahead: Ahead, tail: int, most: int, ties: bool, *roots: Any) -> Found:
    """Return what a search finds: in C++ on a CPU if there is a way, else by `plain`.

    Args:
        plain: the search in lanes.
        ahead: the rules, and the evaluator of leaves.
        tail: last plies that are searched full width.
        most: the greatest depth of any root.
        ties: whether all best moves are looked for.
        roots: what a `Search` is given.
    """
    states, _, _, contexts, _ = roots
    one = jax.eval_shape(lambda: jax.tree.map(lambda x: x[0], states))
    if jax.default_backend() != "cpu" or any(map(differs, jax.tree.leaves(roots))) or why_not(ahead, one, contexts):
        return plain(*roots)
    found: Found = lax.platform_dependent(*roots, cpu=partial(_natively, ahead, tail, most, ties), default=plain)
    return found


def _natively(
    ahead: Ahead,
    tail: int,
    most: int,
    ties: bool,
    states: Position,
    depth: Array,
    count: Array,
    contexts: Contexts,
    whose: Array,
) -> Found:
    one = jax.eval_shape(lambda: jax.tree.map(lambda x: x[0], states))
    made = _of(ahead, one, contexts)
    assert isinstance(made, Generated), "by why_not"
    there = library(made.source)
    assert isinstance(there, Library), "by why_not"
    kinds = jax.ShapeDtypeStruct((len(depth), ahead.slots), jnp.int32), jax.ShapeDtypeStruct(depth.shape, jnp.int32)
    call: Any = jax.ffi.ffi_call(there.target(ALPHABETA), kinds, vmap_method="sequential")
    codes, nodes = call(
        StateLayout(lambda: one).as_bytes(states),
        depth.astype(jnp.int32),
        jnp.asarray(count, jnp.int32),
        whose.astype(jnp.int32),
        *jax.tree.leaves(contexts),
        stack=np.int64(made.stack(contexts)),
        most=np.int64(most),
        tail=np.int64(tail),
        all=ties,
    )
    return codes, nodes, jnp.int32(0)


def _of(ahead: Ahead, state: States, contexts: Contexts) -> Generated | str:
    """Return the search of a game, or why there is none."""
    kinds = kinds_of(contexts)
    if isinstance(kinds, str):
        return kinds
    leaves, tree = jax.tree.flatten(state)
    return _made(ahead, tree, tuple((jnp.shape(x), jnp.result_type(x)) for x in leaves), *kinds)


@lru_cache(maxsize=64)
def _made(ahead: Ahead, tree: Any, arrays: Any, context_tree: Any, context_kinds: Any) -> Generated | str:
    state = jax.tree.unflatten(tree, [jax.ShapeDtypeStruct(*one) for one in arrays])
    try:
        return generate(ahead, state, shapes_of(context_tree, context_kinds))
    except UntranslatedError as why:
        return str(why)


def generate(ahead: Ahead, state: States, contexts: Contexts) -> Generated:
    """Return the search of a game by an evaluator.

    Args:
        ahead: the rules, and the evaluator of leaves.
        state: a state, or its shapes.
        contexts: [C, ...], arrays or their shapes; only the shapes behind the first axis matter.

    Raises:
        UntranslatedError: the game or the evaluator does something that has no translation.
    """
    layout, context = StateLayout(lambda: state), ContextLayout(contexts)
    functions = [
        _look(layout),
        _value(layout, ahead, context),
        _moves(layout, ahead, context, "children"),
        _moves(layout, ahead, context, "leaves"),
    ]
    name = type(ahead.rules).__name__
    text = TEMPLATE.format(
        function=ALPHABETA,
        name=name,
        state=layout.bytes,
        slots=ahead.slots,
        arrays=context.arrays,
        functions="\n\n".join(functions),
        programs=context.functions(),
    )
    return Generated(Source(f"search-{name}", text, HEADERS, (ALPHABETA,), CAREFUL), context.at, context.arity)


def _glance(state: Position) -> tuple[Any, Any]:
    return state.to_move, state.terminated


def _look(layout: StateLayout) -> str:
    graph, writer = Graph(), Writer(WRITTEN)
    state, lines = layout.nodes("state")
    side, ended = graph.trace(_glance, state)
    writer.plan([side, ended])
    writer.line(f"return {{{writer.number(side)}, {writer.number(ended)} != 0}};")
    return function("static Glance look(const uint8_t* state) {", [*lines, *writer.blocks[0]])


def _worth(ahead: Ahead, state: Position, context: Any) -> Any:
    """Return float32[]: what a state is worth to the side to move."""
    with marking():
        alone = jax.tree.map(lambda x: x[None], state)
        return ahead.leaf_evaluator(context, jnp.zeros(1, jnp.int32), alone, jnp.int32(1))[0]


def _value(layout: StateLayout, ahead: Ahead, context: ContextLayout) -> str:
    graph, writer = Graph(), Writer(context.special)
    state, lines = layout.nodes("state")
    worth = graph.trace(partial(_worth, ahead), state, context.nodes)
    writer.plan([worth])
    writer.line(f"return {writer.number(worth)};")
    head = "static float value(const uint8_t* state, const Context& context) {"
    return function(head, [*lines, *context.lines, *writer.blocks[0]])


def _moves(layout: StateLayout, ahead: Ahead, context: ContextLayout, name: str) -> str:
    """Write the loop over the legal moves of a state, which keeps the children or only values the leaves."""
    keeps = name == "children"
    graph, writer = Graph(), Writer(context.special)
    state, lines = layout.nodes("state")
    place = given("place", (), jnp.int32, depth=1)

    def play(state: Position, place: Any, context: Any) -> Any:
        child = ahead.rules.step(state, ahead.action(state, place), unused_key())
        return child if keeps else (), child.to_move, child.terminated, _worth(ahead, child, context)

    listed = graph.trace(ahead.rules.choices if isinstance(ahead, LegalOnly) else ahead.rules.legal_actions, state)
    child, side, ended, worth = graph.trace(play, state, place, context.nodes)
    writer.single.add(place)
    writer.plan([listed, *jax.tree.leaves(child), side, worth, *([ended] if keeps else [])])
    if isinstance(ahead, LegalOnly):
        writer.line(f"const int32_t number = std::min<int32_t>({writer.number(listed)}, {ahead.slots});")
        head = ["for (int32_t place = 0; place < number; ++place) {"]
    else:
        legal = writer.entry(listed, ["place"])
        head = [f"for (int32_t place = 0; place < {ahead.slots}; ++place) {{", f"if (!{legal}) continue;"]
    writer.blocks.append([])
    if keeps:
        writer.line("uint8_t* child = visit.room();")
        layout.write(writer, child, "child")
        writer.line(f"if (!visit.keep(place, {{{writer.number(side)}, {writer.number(ended)} != 0}})) break;")
        writer.line("if constexpr (Visit::kValues) {")
    writer.line(f"if (!visit.worth({writer.number(side)}, {writer.number(worth)})) break;")
    writer.line("}" if keeps else "")
    inner = writer.blocks.pop()
    body = [*lines, *context.lines, *writer.blocks[0], *head, *inner, "}"]
    given_to = "const uint8_t* state, const Context& context, Visit& visit"
    return function(f"template <typename Visit>\n  static void {name}({given_to}) {{", body)


TEMPLATE = """\
// The search of {name}, written by jaxgp/search/native/games.py.

#include "jaxgp/native/numbers.h"
#include "jaxgp/search/native/alphabeta.h"

namespace {{

using namespace jaxgp;

struct Rules {{
  static constexpr int kState = {state}, kSlots = {slots}, kArrays = {arrays};
  using Context = ContextOf<kArrays>;

{programs}

{functions}
}};

}}  // namespace

JAXGP_ALPHABETA(Rules, {function})
"""
