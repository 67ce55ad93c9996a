"""Alpha-beta search of a game in C++, in place of the lanes of plain XLA on a CPU.

The rules of the game and the evaluator of leaves are translated; the search itself is in `alphabeta.h`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.contracts import Position, States
from jaxgp.interpreter.native.marked import marking
from jaxgp.native.build import CAREFUL, Source
from jaxgp.native.graph import Graph, Operation, UntranslatedError, given
from jaxgp.native.writer import Writer
from jaxgp.search.chance import unused_key
from jaxgp.search.lookahead import Contexts, FullWidth, LegalOnly
from jaxgp.search.native.calls import by_platform, call, refusal
from jaxgp.search.native.contexts import HEADERS as CONTEXTS
from jaxgp.search.native.contexts import ContextLayout, Generated, function, kinds_of, shapes_of, written
from jaxgp.search.native.layout import StateLayout

ALPHABETA = "JaxgpAlphaBeta"
"""The function of a library."""
HEADERS = (*CONTEXTS, "jaxgp/search/native/alphabeta.h")
MOST_CHILDREN, MOST_FRAME = 2**24, 2**16
"""Bytes of all children of a node, and of what a call lays down on the stack, at most; as many calls nest as plies."""
Ahead = LegalOnly | FullWidth
Found = tuple[Array, Array, Array]
"""Codes by slot, int32[Q, S]; nodes, int32[Q]; iterations, int32[]."""
Search = Callable[..., Found]
"""(*`Given`) -> what has been found."""


def why_not(ahead: Ahead, state: States, contexts: Contexts = ()) -> str:
    """Return why a game is not searched natively on a CPU; an empty text: it is.

    Args:
        ahead: the rules, and the evaluator of leaves.
        state: a state that is searched, or its shapes.
        contexts: [C, ...], of the evaluator.

    Raises:
        UsageError: the variable that switches native code off has an unknown value.
    """
    return refusal(_of(ahead, state, contexts))


def searched(plain: Search, ahead: Ahead, options: Mapping[str, int | bool], *given: Any) -> Found:
    """Return what a search finds: in C++ on a CPU if there is a way, else by `plain`.

    Args:
        plain: the search in lanes.
        ahead: the rules, and the evaluator of leaves.
        options: `tail`, the last plies that are searched full width; `most`, the greatest depth of any root; `all`,
            whether all best moves are looked for.
        given: see `Given`.
    """
    states, _, _, contexts, _ = given
    one = jax.eval_shape(lambda: jax.tree.map(lambda x: x[0], states))
    return by_platform(partial(_of, ahead, one, contexts), partial(_natively, ahead, options), plain, *given)


def _natively(ahead: Ahead, options: Mapping[str, int | bool], made: Generated, *given: Any) -> Found:
    states, depth, *_ = given
    layout = StateLayout(lambda: jax.tree.map(lambda x: x[0], states))
    kinds = jax.ShapeDtypeStruct((len(depth), ahead.slots), jnp.int32), jax.ShapeDtypeStruct(depth.shape, jnp.int32)
    codes, nodes = call(ALPHABETA, made, layout, kinds, options, given)
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
    if ahead.slots * layout.bytes > MOST_CHILDREN:
        raise UntranslatedError(f"the children of a state take more than {MOST_CHILDREN} bytes")
    functions = [
        _look(layout),
        _value(layout, ahead, context),
        _children(layout, ahead, context),
        _leaves(layout, ahead, context),
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
    state, lines = layout.nodes("state")
    side, ended = Graph().trace(_glance, state)

    def write(writer: Writer) -> None:
        writer.line(f"return {{{writer.number(side)}, {writer.number(ended)} != 0}};")

    return written("static Glance look(const uint8_t* state) {", lines, [side, ended], write)


def _worth(ahead: Ahead, state: Position, context: Any) -> Any:
    """Return float32[]: what a state is worth to the side to move."""
    with marking():
        alone = jax.tree.map(lambda x: x[None], state)
        return ahead.leaf_evaluator(context, jnp.zeros(1, jnp.int32), alone, jnp.int32(1))[0]


def _value(layout: StateLayout, ahead: Ahead, context: ContextLayout) -> str:
    state, lines = layout.nodes("state")
    worth = Graph().trace(partial(_worth, ahead), state, context.nodes)
    head, lines = "static float value(const uint8_t* state, const Context& context) {", [*lines, *context.lines]
    return written(head, lines, [worth], lambda to: to.line(f"return {to.number(worth)};"), context.special)


class _Moves:
    """A function of C++ that plays the legal moves of a state, one after the other.

    Attributes:
        writer: of what it consists of.
        child: the state after a move, as nodes.
        side: the side that moves then.
        ended: whether the game has ended there.
        worth: of the child to that side.
    """

    def __init__(self, layout: StateLayout, ahead: Ahead, context: ContextLayout) -> None:
        self.ahead, self.context, self.writer = ahead, context, Writer(context.special)
        graph, place = Graph(), given("place", (), jnp.int32, depth=1)
        state, self.lines = layout.nodes("state")
        self.writer.single.add(place)
        listed = ahead.rules.choices if isinstance(ahead, LegalOnly) else ahead.rules.legal_actions
        self.listed: Operation = graph.trace(listed, state)
        self.child, self.side, self.ended, self.worth = graph.trace(self._played, state, place, context.nodes)

    def _played(self, state: Position, slot: Any, context: Any) -> Any:
        child = self.ahead.rules.step(state, self.ahead.action(state, slot), unused_key())
        return child, child.to_move, child.terminated, _worth(self.ahead, child, context)

    def function(self, name: str, used: Sequence[Operation], body: Callable[[], None]) -> str:
        """Return it under a name.

        Args:
            name: of the function.
            used: what `body` writes.
            body: writes what is done with a child.

        Raises:
            UntranslatedError: it takes much of the stack.
        """
        writer, slots = self.writer, self.ahead.slots
        writer.plan([self.listed, *used])
        if isinstance(self.ahead, LegalOnly):
            writer.line(f"const int32_t number = std::min<int32_t>({writer.number(self.listed)}, {slots});")
            head = ["for (int32_t place = 0; place < number; ++place) {"]
        else:
            legal = writer.entry(self.listed, ["place"])
            head = [f"for (int32_t place = 0; place < {slots}; ++place) {{", f"if (!{legal}) continue;"]
        writer.blocks.append([])
        body()
        inner = writer.blocks.pop()
        if writer.bytes > MOST_FRAME:
            raise UntranslatedError(f"the moves of a state take more than {MOST_FRAME} bytes of the stack")
        whole = [*self.lines, *self.context.lines, *writer.blocks[0], *head, *inner, "}"]
        given_to = "const uint8_t* state, const Context& context, Visit& visit"
        return function(f"template <typename Visit>\n  static void {name}({given_to}) {{", whole)


def _children(layout: StateLayout, ahead: Ahead, context: ContextLayout) -> str:
    moves = _Moves(layout, ahead, context)
    writer, side = moves.writer, moves.side

    def body() -> None:
        writer.line("uint8_t* child = visit.room();")
        layout.write(writer, moves.child, "child")
        writer.line(f"if (!visit.keep(place, {{{writer.number(side)}, {writer.number(moves.ended)} != 0}})) break;")
        writer.line("if constexpr (Visit::kValues) {")
        writer.line(f"if (!visit.worth({writer.number(side)}, {writer.number(moves.worth)})) break;")
        writer.line("}")

    return moves.function("children", [*jax.tree.leaves(moves.child), side, moves.ended, moves.worth], body)


def _leaves(layout: StateLayout, ahead: Ahead, context: ContextLayout) -> str:
    moves = _Moves(layout, ahead, context)
    writer, side = moves.writer, moves.side

    def body() -> None:
        writer.line(f"if (!visit.worth({writer.number(side)}, {writer.number(moves.worth)})) break;")

    return moves.function("leaves", [side, moves.worth], body)


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
