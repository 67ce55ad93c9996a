"""Calls searches of puzzles in C++: what takes the place of the lanes of plain XLA on a CPU."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.arrays import differs
from jaxgp.contracts import Position, Puzzle
from jaxgp.native.build import Library, library
from jaxgp.native.graph import UntranslatedError
from jaxgp.search.lookahead import Contexts
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
    made = _of(puzzle, order, contexts)
    if isinstance(made, str):
        return made
    there = library(made.source)
    return there if isinstance(there, str) else ""


LONGEST = 2**15
"""Moves of a solution, at most, that a search breadth first writes down."""
Given = tuple[Position, Array, Array, Contexts, Array]
"""Roots [Q, ...], their limits int32[Q], how many are searched int32[], contexts, and that of each root int32[Q]."""
Search = Callable[..., Solutions]
"""(*`Given`) -> what has been found."""


def natively(
    function: str, puzzle: Puzzle, order: Order | None, contexts: Contexts, options: Mapping[str, int | bool]
) -> Search | None:
    """Return a search on a CPU in C++; None: there is none, or no CPU computes.

    Args:
        function: of the library, which says how.
        puzzle: the rules.
        order: that children are visited in.
        contexts: [C, ...], that the order is given.
        options: of the search, by the names that the library has for them; `deepest` is one.
    """
    if jax.default_backend() != "cpu" or why_not(puzzle, order, contexts):
        return None
    return partial(_search, function, puzzle, order, options)


def by_platform(native: Search | None, plain: Search, *given: Any) -> Solutions:
    """Return what the native search finds on a CPU, if there is one, else the plain one. `given`: see `Given`."""
    if native is None or any(map(differs, jax.tree.leaves(given))):
        return plain(*given)
    found: Solutions = lax.platform_dependent(*given, cpu=native, default=plain)
    return found


def explorer(puzzle: Puzzle, most: int, nearest: bool) -> Callable[[Position], tuple[Array, Array]] | None:
    """Return a search of one root, breadth first, in C++; None: there is none, or no CPU computes.

    It returns int32[5], distance, states, goals, expanded and complete, and int16[M], the moves, as
    `jaxgp.search.puzzles.breadth.Explored` has them; no moves if there are more than M = `LONGEST`.
    """
    if jax.default_backend() != "cpu" or why_not(puzzle, None):
        return None
    return _explorer(puzzle, most, nearest, _library(puzzle, None, ()).target(BREADTH))


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
    function: str, puzzle: Puzzle, order: Order | None, options: Mapping[str, int | bool], *given: Any
) -> Solutions:
    states, limits, count, contexts, whose = given
    made, there = _of(puzzle, order, contexts), _library(puzzle, order, contexts)
    assert isinstance(made, Generated), "by why_not"
    queue = len(limits)
    kinds = {
        "solved": jax.ShapeDtypeStruct((queue,), jnp.bool_),
        "nodes": jax.ShapeDtypeStruct((queue,), jnp.int32),
        "length": jax.ShapeDtypeStruct((queue,), jnp.int32),
        "moves": jax.ShapeDtypeStruct((queue, options["deepest"]), jnp.int16),
        "exhausted": jax.ShapeDtypeStruct((queue,), jnp.bool_),
        "expanded": jax.ShapeDtypeStruct((queue,), jnp.int32),
    }
    call: Any = jax.ffi.ffi_call(there.target(function), tuple(kinds.values()), vmap_method="sequential")
    found = call(
        layout_of(puzzle).as_bytes(states),
        limits.astype(jnp.int32),
        jnp.asarray(count, jnp.int32),
        whose.astype(jnp.int32),
        *(jax.tree.leaves(contexts) if order is not None else ()),
        stack=np.int64(made.stack(contexts)),
        **{name: value if isinstance(value, bool) else np.int64(value) for name, value in options.items()},
    )
    return Solutions(**dict(zip(kinds, found, strict=True)), iterations=jnp.int32(0))


def _library(puzzle: Puzzle, order: Order | None, contexts: Contexts) -> Library:
    made = _of(puzzle, order, contexts)
    assert isinstance(made, Generated), "by why_not"
    there = library(made.source)
    assert isinstance(there, Library)
    return there


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
