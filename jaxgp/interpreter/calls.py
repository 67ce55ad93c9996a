"""Which primitives take a step in a program, and how they are called."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.genotypes.primitives import BOOL, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs


@struct.dataclass
class Packed:
    """Features of which the first are truth values, packed 32 to a word."""

    words: Array  # uint32[..., W, B]: feature f < 32 W is bit f % 32 of word f // 32
    numbers: Array  # float32[..., N, B]: the features from 32 W on


Features = Array | Packed


def list_computed(primitives: PrimitiveSet) -> tuple[Primitive, ...]:
    """Return the primitives that are computed: functions, and parametrised terminals."""
    return tuple(p for p in primitives.primitives if p.call is not None)


def instructions(primitives: PrimitiveSet) -> tuple[Primitive, ...]:
    """Return the primitives that may still cost a step after folding.

    A terminal that reads one feature never does: it is an operand.
    """
    return tuple(p for p in list_computed(primitives) if p.args or not p.reads_one)


def tables(primitives: PrimitiveSet, among: Sequence[Primitive]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return three tables by opcode.

    Returns:
        bool[N]: whether `among` holds the primitive; int32[N]: its place there, else 0; int32[N]: the feature of a
        terminal, else -1.
    """
    chosen = np.array([p in among for p in primitives.primitives])
    kinds = np.array([among.index(p) if p in among else 0 for p in primitives.primitives], np.int32)
    feature = np.array([-1 if p.feature is None else p.feature for p in primitives.primitives], np.int32)
    return chosen, kinds, feature


def numbers(primitives: PrimitiveSet, programs: Programs) -> Array:
    """Return float32[..., L]: the constant or fixed value of each terminal, or the parameter of a parametrised one.

    The number of any other node is unspecified.
    """
    known = np.array([p.fixed is not None for p in primitives.terminals])
    if not known.any():
        return programs.value
    fixed = np.array([p.fixed or 0 for p in primitives.primitives], np.float32)
    code = programs.opcode.astype(jnp.int32)
    number = jnp.asarray(fixed)[code]
    if primitives.factored:
        number = jnp.where(jnp.asarray(primitives.factors)[code], number * programs.value, number)
    return jnp.where(jnp.asarray(np.pad(known, (0, len(fixed) - len(known))))[code], number, programs.value)


def apply(primitive: Primitive, features: Array, args: Sequence[Array]) -> Array:
    """Call one function or parametrised terminal on arguments from the stack.

    Args:
        primitive: has a `call`.
        features: float32[F, B].
        args: float32[B] each; a parametrised terminal gets its parameter.

    Returns:
        float32[B], or float64 where the features are.

    Raises:
        Exception: what the `call` raises, with a note that names the primitive.
    """
    passed = [arg != 0 if kind == BOOL else arg for arg, kind in zip(args, primitive.args, strict=False)]
    passed = passed if primitive.args else list(args[:1])
    if primitive.reads_features or not primitive.args:
        passed = [features, *passed]
    assert primitive.call is not None
    try:
        return jnp.broadcast_to(jnp.asarray(primitive.call(*passed), features.dtype), features.shape[1:])
    except Exception as error:
        error.add_note(
            f"This is the call of the primitive {primitive.name}: an elementwise function of {len(passed)} arrays, "
            "written with JAX operations."
        )
        raise


def feature_at(features: Array, number: Array, count: int) -> Array:
    """Return the feature that a computed number names, as functions that read features do.

    Args:
        features: float32[F, B].
        number: float32[B].
        count: of the first features that may be named.

    Returns:
        float32[B], 0 where the number is no whole number from 0 to `count` - 1.
    """
    # One `where` for each feature fuses into the interpreter's step, which a gather or a sum does not: 2 to 7 times as
    # fast on a CPU.
    return _jaxgp_feature_at(number, *(features[place] for place in range(count)))


@jax.jit
def _jaxgp_feature_at(number: Array, *rows: Array) -> Array:
    """Return the row of this number, 0 where there is none. The native interpreter knows this function by its name."""
    found = jnp.zeros_like(number)
    for place, row in enumerate(rows):
        found = jnp.where(number == place, row, found)
    return found


FEATURE_AT = "_jaxgp_feature_at"
