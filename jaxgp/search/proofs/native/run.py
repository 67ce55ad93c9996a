"""Calls searches of problems in C++: what takes the place of the lanes of plain XLA on a CPU."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp

from jaxgp.contracts import Problem
from jaxgp.native.graph import UntranslatedError
from jaxgp.search.lookahead import Contexts
from jaxgp.search.native.calls import by_platform, call, refusal
from jaxgp.search.native.contexts import Generated, kinds_of, shapes_of
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.native.generate import DEPTH_FIRST, Sort, generate, layout_of

Searched = tuple[Problem[Any], tuple[str, str], Sort | None]
"""The rules; in which orders moves are made, of the solver and of the other side; what moves are sorted by."""


def why_not(searched: Searched, contexts: Contexts = ()) -> str:
    """Return why a problem is not searched natively on a CPU; an empty text: it is.

    Args:
        searched: what is searched, and how.
        contexts: [C, ...], that moves are sorted by.

    Raises:
        UsageError: the variable that switches native code off has an unknown value.
    """
    return refusal(_of(searched, contexts))


def claimed(plain: Callable[..., Claims], searched: Searched, options: Mapping[str, int | bool], *given: Any) -> Claims:
    """Return what a search claims: in C++ on a CPU if there is a way, else by `plain`.

    Args:
        plain: the search in lanes.
        searched: what is searched, and how.
        options: of the search, by the names that the library has for them.
        given: see `jaxgp.search.native.calls.Given`.
    """
    make = partial(_of, searched, given[3])
    return by_platform(make, partial(_natively, searched[0], options), plain, *given)


def _natively(problem: Problem[Any], options: Mapping[str, int | bool], made: Generated, *given: Any) -> Claims:
    _, limits, *_ = given
    queue = limits.shape
    numbers, truths = jax.ShapeDtypeStruct(queue, jnp.int32), jax.ShapeDtypeStruct(queue, jnp.bool_)
    kinds = {
        **{"chosen": numbers, "solved": truths, "refuted": truths},
        **{"nodes": numbers, "truncated": truths, "deepest": numbers},
    }
    found = call(DEPTH_FIRST, made, layout_of(problem), [*kinds.values()], options, given)
    scores, distinct = jnp.zeros((*queue, 0), jnp.float32), jnp.full(queue, -1, jnp.int32)
    return Claims(**dict(zip(kinds, found, strict=True)), scores=scores, distinct=distinct)


def _of(searched: Searched, contexts: Contexts) -> Generated | str:
    """Return the searches of a problem, or why there are none."""
    kinds = kinds_of(contexts)
    return kinds if isinstance(kinds, str) else _made(*searched, *kinds)


@lru_cache(maxsize=64)
def _made(problem: Problem[Any], orders: tuple[str, str], sort: Sort | None, tree: Any, kinds: Any) -> Generated | str:
    try:
        return generate(problem, orders, sort, shapes_of(tree, kinds))
    except UntranslatedError as why:
        return str(why)
