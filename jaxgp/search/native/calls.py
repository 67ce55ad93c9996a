"""Calls searches in C++: whether there are any, and what a CPU runs in place of the lanes of plain XLA."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.arrays import differs
from jaxgp.contracts import Position
from jaxgp.native.build import Library, library
from jaxgp.search.lookahead import Contexts
from jaxgp.search.native.contexts import Generated
from jaxgp.search.native.layout import StateLayout

Result = TypeVar("Result")
Given = tuple[Position, Array, Array, Contexts, Array]
"""Roots [Q, ...], depths or limits int32[Q], how many are searched int32[], contexts, that of each root int32[Q]."""


def refusal(made: Generated | str) -> str:
    """Return why searches are not made natively on a CPU; an empty text: they are.

    Args:
        made: the searches, or why they have no translation.

    Raises:
        UsageError: the variable that switches native code off has an unknown value.
    """
    there = made if isinstance(made, str) else library(made.source)
    return there if isinstance(there, str) else ""


def compiled(made: Generated) -> Library:
    """Return the library of searches that nothing refuses."""
    there = library(made.source)
    assert isinstance(there, Library), there
    return there


def by_platform(
    make: Callable[[], Generated | str], native: Callable[..., Result], plain: Callable[..., Result], *given: Any
) -> Result:
    """Return what the native search finds on a CPU, if there is one, else the plain one.

    Args:
        make: returns the searches, or why there are none; it is called where a CPU may run them.
        native: (the searches, *given) -> what they find.
        plain: finds the same.
        given: what both are given: see `Given`.
    """
    if jax.default_backend() != "cpu" or any(map(differs, jax.tree.leaves(given))):
        return plain(*given)
    made = make()
    if isinstance(made, str) or refusal(made):
        return plain(*given)
    found: Result = lax.platform_dependent(*given, cpu=partial(native, made), default=plain)
    return found


def call(
    function: str,
    made: Generated,
    layout: StateLayout,
    kinds: Sequence[jax.ShapeDtypeStruct],
    options: Mapping[str, int | bool],
    given: Given,
) -> Sequence[Array]:
    """Return what a function of a library finds.

    Args:
        function: of the library.
        made: the searches.
        layout: of the roots.
        kinds: shapes of what is found.
        options: of the search, by the names that the library has for them.
        given: the roots.
    """
    states, amount, count, contexts, whose = given
    search: Any = jax.ffi.ffi_call(compiled(made).target(function), tuple(kinds), vmap_method="sequential")
    found: Sequence[Array] = search(
        layout.as_bytes(states),
        amount.astype(jnp.int32),
        jnp.asarray(count, jnp.int32),
        whose.astype(jnp.int32),
        *jax.tree.leaves(contexts),
        stack=np.int64(made.stack(contexts)),
        **{name: value if isinstance(value, bool) else np.int64(value) for name, value in options.items()},
    )
    return found
