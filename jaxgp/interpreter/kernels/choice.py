"""Where kernels are used: for programs whose functions they can compute, on a GPU and on a CPU with a C++ compiler.

On an H200 they are 2.7 to 7.2 times as fast as plain XLA, with equal values (docs/gpu.md); the native interpreter of a
CPU is in `jaxgp.interpreter.native`.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.calls import Features, Packed
from jaxgp.interpreter.kernels.blocks import OWNED, evaluate_owned_in_kernel
from jaxgp.interpreter.native.run import why_not
from jaxgp.interpreter.plan import Plan

MANY = 1024
"""Features of the trial of a set; no set reads as many."""


def by_kernel(
    primitives: PrimitiveSet, features: Features, cpu: Callable[..., Any], cuda: Callable[..., Any] | None = None
) -> dict[str, Callable[..., Any]]:
    """Return what `lax.platform_dependent` is given for the device at hand: its kernel, or nothing if there is none.

    Args:
        primitives: the set that programs are written in.
        features: that they are evaluated on; kernels compute with float32 alone.
        cpu: what would be used on a CPU. The host of a GPU computes in plain XLA.
        cuda: what would be used on a GPU; None: nothing.
    """
    backend = jax.default_backend()
    if backend == "cpu":
        return {} if why_not(primitives, features) else {"cpu": cpu}
    numbers = features.numbers if isinstance(features, Packed) else features
    if cuda is None or backend != "gpu" or numbers.dtype != jnp.float32 or not can_run(primitives):
        return {}
    return {"cuda": cuda}


@lru_cache(maxsize=64)
def can_run(primitives: PrimitiveSet) -> bool:
    """Say whether JAX can lower a kernel with the functions of a set, for the GPU that there is."""
    arguments = jax.eval_shape(partial(_trial, primitives.max_arity))
    try:
        jax.jit(partial(evaluate_owned_in_kernel, primitives)).trace(*arguments).lower(lowering_platforms=("cuda",))
    except (NotImplementedError, ValueError, RuntimeError):  # a function, or a GPU, that the compiler does not know
        return False
    return True


def _trial(arity: int) -> tuple[Plan, Array, Array, Array]:
    """Return a program of one step, and the owner and the features of the positions of a block."""
    one, wide = jnp.zeros((1, 1), jnp.int32), jnp.zeros((1, 1, arity))
    plans = Plan(one, wide.astype(jnp.int32), wide, one, one[0], one[0], wide[0, 0, :1])
    return plans, jnp.zeros(OWNED, jnp.int32), jnp.zeros((MANY, OWNED)), jnp.int32(0)
