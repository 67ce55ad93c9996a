"""What takes a step in a program, and how it is called."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.genotypes.primitives import BOOL, Primitive, PrimitiveSet


def instructions(primitives: PrimitiveSet) -> tuple[Primitive, ...]:
    """Return the primitives that take a step: functions, and parametrised terminals."""
    return tuple(p for p in primitives.primitives if p.call is not None)


def tables(primitives: PrimitiveSet) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return bool[N] (takes a step), int32[N] (its kind, else 0), int32[N] (the feature it reads, else -1)."""
    steps = instructions(primitives)
    takes_step = np.array([p.call is not None for p in primitives.primitives])
    kinds = np.array([steps.index(p) if p.call is not None else 0 for p in primitives.primitives], np.int32)
    feature = np.array([-1 if p.feature is None else p.feature for p in primitives.primitives], np.int32)
    return takes_step, kinds, feature


def apply(primitive: Primitive, features: Array, args: Sequence[Array]) -> Array:
    """Call one function or parametrised terminal on arguments as they lie on the stack.

    Args:
        primitive: has a `call`.
        features: float32[F, B].
        args: float32[B] each; a parametrised terminal gets its parameter.

    Returns:
        float32[B].
    """
    passed = [arg != 0 if kind == BOOL else arg for arg, kind in zip(args, primitive.args, strict=False)]
    passed = passed if primitive.args else list(args[:1])
    if primitive.reads_features or not primitive.args:
        passed = [features, *passed]
    assert primitive.call is not None
    return jnp.broadcast_to(jnp.asarray(primitive.call(*passed), jnp.float32), features.shape[1:])
