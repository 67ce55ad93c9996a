"""Calls searches of puzzles in C++: what takes the place of the lanes of plain XLA on a CPU."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import Position, Puzzle
from jaxgp.native.graph import UntranslatedError
from jaxgp.search.lookahead import Contexts
from jaxgp.search.native.calls import by_platform, call, compiled, refusal
from jaxgp.search.native.contexts import Generated, kinds_of, shapes_of
from jaxgp.search.puzzles.children import Order
from jaxgp.search.puzzles.native.generate import BREADTH, generate, layout_of
from jaxgp.search.puzzles.solutions import Solutions


def why_not(puzzle: Puzzle, order: Order | None, contexts: Contexts = ()) -> str:
    """Return why a puzzle is not searched natively on a CPU; an empty text: it is.

    Args:
        puzzle: the rules.
        order: that children are visited in.
        contexts: [C, ...], that the order is given.

    Raises:
        UsageError: the variable that switches native code off has an unknown value.
    """
    return refusal(_of(puzzle, order, contexts))


LONGEST = 2**15
"""Moves of a solution, at most, that a search breadth first writes down."""


def searched(
    function: str,
    plain: Callable[..., Solutions],
    puzzle: Puzzle,
    order: Order | None,
    options: Mapping[str, int | bool],
    *given: Any,
) -> Solutions:
    """Return what a search finds: in C++ on a CPU if there is a way, else by `plain`.

    Args:
        function: of the library, which says how.
        plain: the search in lanes.
        puzzle: the rules.
        order: that children are visited in.
        options: of the search, by the names that the library has for them; `deepest` is one.
        given: see `Given`.
    """
    make = partial(_of, puzzle, order, given[3])
    return by_platform(make, partial(_search, function, puzzle, order, options), plain, *given)


def explorer(puzzle: Puzzle, most: int, nearest: bool) -> Callable[[Position], tuple[Array, Array]] | None:
    """Return a search of one root, breadth first, in C++; None: there is none, or no CPU computes.

    It returns int32[5], distance, states, goals, expanded and complete, and int16[M], the moves, as
    `jaxgp.search.puzzles.breadth.Explored` has them; no moves if there are more than M = `LONGEST`.
    """
    if jax.default_backend() != "cpu":
        return None
    made = _of(puzzle, None, ())
    if isinstance(made, str) or refusal(made):
        return None
    return _explorer(puzzle, most, nearest, compiled(made).target(BREADTH))


@lru_cache(maxsize=16)
def _explorer(puzzle: Puzzle, most: int, nearest: bool, target: str) -> Callable[[Position], tuple[Array, Array]]:
    kinds = jax.ShapeDtypeStruct((5,), jnp.int32), jax.ShapeDtypeStruct((min(most, LONGEST),), jnp.int16)

    def explore(state: Position) -> tuple[Array, Array]:
        root = jax.tree.map(lambda x: jnp.asarray(x)[None], state)
        call: Any = jax.ffi.ffi_call(target, kinds)
        numbers, moves = call(layout_of(puzzle).as_bytes(root)[0], most=np.int64(most), nearest=nearest)
        return numbers, moves

    return jax.jit(explore)


def _search(
    function: str,
    puzzle: Puzzle,
    order: Order | None,
    options: Mapping[str, int | bool],
    made: Generated,
    *given: Any,
) -> Solutions:
    states, limits, count, contexts, whose = given
    queue = len(limits)
    kinds = {
        "solved": jax.ShapeDtypeStruct((queue,), jnp.bool_),
        "nodes": jax.ShapeDtypeStruct((queue,), jnp.int32),
        "length": jax.ShapeDtypeStruct((queue,), jnp.int32),
        "moves": jax.ShapeDtypeStruct((queue, options["deepest"]), jnp.int16),
        "exhausted": jax.ShapeDtypeStruct((queue,), jnp.bool_),
        "expanded": jax.ShapeDtypeStruct((queue,), jnp.int32),
    }
    roots = states, limits, count, contexts if order is not None else (), whose
    found = call(function, made, layout_of(puzzle), [*kinds.values()], options, roots)
    return Solutions(**dict(zip(kinds, found, strict=True)), iterations=jnp.int32(0))


def _of(puzzle: Puzzle, order: Order | None, contexts: Contexts) -> Generated | str:
    """Return the searches of a puzzle, or why there are none."""
    kinds = kinds_of(contexts if order is not None else ())
    return kinds if isinstance(kinds, str) else _made(puzzle, order, *kinds)


@lru_cache(maxsize=64)
def _made(puzzle: Puzzle, order: Order | None, tree: Any, kinds: tuple[tuple[tuple[int, ...], Any], ...]) -> Any:
    try:
        return generate(puzzle, order, shapes_of(tree, kinds))
    except UntranslatedError as why:
        return str(why)
