"""Marks the evaluation of programs in what is traced to be computed natively.

While a function is traced under `marking`, `evaluate_owned` becomes one operation, which keeps its arguments, and which
native code computes by the interpreter.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.core import ShapedArray
from jax.extend.core import Primitive as Operation

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.calls import Features
from jaxgp.interpreter.plan import Plan
from jaxgp.native.graph import UntranslatedError

OWNED = "jaxgp_evaluate_owned"
PARTS = 7
"""Arrays of a `Plan` without effects."""
_owned = Operation(OWNED)
_marks: ContextVar[bool] = ContextVar("marks", default=False)


@contextmanager
def marking() -> Iterator[None]:
    """Mark what is traced inside."""
    token = _marks.set(True)
    try:
        yield
    finally:
        _marks.reset(token)


def marks() -> bool:
    """Return whether evaluations are marked now."""
    return _marks.get()


def mark(primitives: PrimitiveSet, plans: Plan, owner: Array, features: Features) -> Array:
    """Return what stands for the values of `evaluate_owned`, float32[B].

    Its arguments are the PARTS of plans, owners, the words, if features are packed, and numbers.

    Raises:
        UntranslatedError: programs have effects.
    """
    if plans.effect is not None:
        raise UntranslatedError("programs have effects")
    values: Array = _owned.bind(*jax.tree.leaves(plans), owner, *jax.tree.leaves(features), primitives=primitives)
    return values


@_owned.def_abstract_eval
def _shape(*arrays: Any, primitives: PrimitiveSet) -> ShapedArray:
    del primitives
    return ShapedArray(arrays[-1].shape[-1:], jnp.float32)
