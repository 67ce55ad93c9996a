"""Calls the native interpreter: the entry points that take the place of those of plain XLA.

Handlers have axes of a batch before those of each array, and an axis of size 1 stands for all. So programs [P, T] on
features of P of them are one call, and so are runs side by side: `vmap` adds an axis.
"""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.calls import Features, Packed
from jaxgp.interpreter.native.translate import Functions, translate
from jaxgp.interpreter.plan import Plan, stack_bound
from jaxgp.native.build import Library, Source, library

EACH, OWNED = "JaxgpRunEach", "JaxgpRunOwned"
"""The functions of the library."""
HEADERS = ("jaxgp/native/numbers.h", "jaxgp/native/share.h", "jaxgp/interpreter/native/machine.h")
SOURCE = Source("interpreter", Path(__file__).with_name("interpreter.cc").read_text("utf-8"), HEADERS, (EACH, OWNED))


def why_not(primitives: PrimitiveSet, features: Features) -> str:
    """Return why a set is not evaluated natively on a CPU; an empty text: it is.

    Args:
        primitives: the set that programs are written in.
        features: that they are evaluated on.

    Raises:
        UsageError: the variable that switches the native interpreter off has an unknown value.
    """
    numbers = features.numbers if isinstance(features, Packed) else features
    if isinstance(translated := translate(primitives), str):
        return translated
    if numbers.dtype != jnp.float32:
        return f"features are {numbers.dtype}"
    if numbers.shape[-2] < translated.features:
        return f"functions read {translated.features} features; there are {numbers.shape[-2]}"
    there = library(SOURCE)  # last, since it may have to be compiled
    return there if isinstance(there, str) else ""


def evaluate_natively(primitives: PrimitiveSet, plans: Plan, features: Features) -> Array:
    """Evaluate planned programs, each on all of its positions; see `jaxgp.interpreter.evaluate.evaluate`."""
    batch = plans.steps.ndim
    numbers, words = _parts(features)
    if numbers.ndim == 3:  # programs [P, T] see the features of P
        wide = [x.reshape(x.shape[0], *(1,) * (batch - 1), *x.shape[1:]) for x in (numbers, words)]
    else:
        wide = [x.reshape((1,) * batch + x.shape) for x in (numbers, words)]
    shape = (*plans.steps.shape, numbers.shape[-1])
    return _call(EACH, primitives, shape, plans, *wide)


def evaluate_owned_natively(
    primitives: PrimitiveSet, plans: Plan, owner: Array, features: Features, needed: Array
) -> Array:
    """Evaluate each position by its program; see `jaxgp.interpreter.evaluate.evaluate_owned`. 0 where none counts."""
    counts = jnp.asarray(needed, jnp.int32)
    return _call(OWNED, primitives, owner.shape, plans, *_parts(features), owner.astype(jnp.int32), counts)


def _parts(features: Features) -> tuple[Array, Array]:
    """Return the numbers, of at least one row, and the words, of none if features are not packed."""
    if not isinstance(features, Packed):
        return features, jnp.zeros((*features.shape[:-2], 0, features.shape[-1]), jnp.uint32)
    numbers, words = features.numbers, features.words
    none = jnp.zeros((*words.shape[:-2], 1, words.shape[-1]), jnp.float32)
    return (numbers if numbers.shape[-2] else none), words


def _call(function: str, primitives: PrimitiveSet, shape: tuple[int, ...], plans: Plan, *seen: Array) -> Array:
    """Return float32 of a shape, what a function of the library makes of plans and what they see."""
    there, functions = library(SOURCE), translate(primitives)
    assert isinstance(there, Library)
    assert isinstance(functions, Functions), "by why_not"
    fields = (plans.kind, plans.operand, plans.constant, plans.slot, plans.steps, plans.root, plans.root_constant)
    result = jax.ShapeDtypeStruct(shape, jnp.float32)
    call: Any = jax.ffi.ffi_call(there.target(function), result, vmap_method="expand_dims")
    values: Array = call(
        *fields,
        *seen,
        starts=functions.starts,
        arities=functions.arities,
        micros=functions.micros,
        literals=functions.literals,
        between=np.int64(functions.between),
        multiplies=primitives.multiplies,
        stack=np.int64(stack_bound(primitives.max_arity, plans.kind.shape[-1])),
    )
    return values
