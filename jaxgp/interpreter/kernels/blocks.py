"""Evaluates planned programs by one kernel for a GPU: a block is a program, its threads are positions.

In plain XLA the rows of the stack lie in memory, and every step reads and writes them there. Here they stay in
registers, as a handful of arrays of which a step writes one, and only features are read from memory. All threads of a
block run one program, so that an instruction is decoded once for all of them, and one function is computed, not all.

Nothing uses it by default: whether it is faster is for a device to say. `scripts/bench.py part=gpu` measures both. Its
values are those of `jaxgp.interpreter.evaluate.evaluate`, to the bit where they are computed by the same processor.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from jax.experimental import pallas
from jax.experimental.pallas import triton

from jaxgp.errors import reject
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.calls import apply, instructions
from jaxgp.interpreter.plan import CONSTANT, Plan, stack_bound

BLOCK = 128
"""Positions of a block, at most: four warps. Not measured."""
WARP = 32


class Rows:
    """Features float32[F, B] in memory, of which functions read single rows by whole numbers.

    A function that computes with all of them, or by numbers that it has computed, gets them as an array; that works in
    interpret mode, and cannot be lowered for a GPU.
    """

    def __init__(self, reference: Any) -> None:
        self._reference = reference
        self.shape, self.dtype = reference.shape, reference.dtype

    def __getitem__(self, place: Any) -> Array:
        found: Array = self._reference[place, :] if isinstance(place, int) else self.__jax_array__()[place]
        return found

    def __jax_array__(self) -> Array:
        whole: Array = self._reference[...]
        return whole


def evaluate_in_kernel(
    primitives: PrimitiveSet, plans: Plan, features: Array, block: int = BLOCK, interpret: bool = False
) -> Array:
    """Evaluate planned programs, each on all of its positions; see `jaxgp.interpreter.evaluate.evaluate`.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P] or [P, T].
        features: float32[P, F, B], or float32[F, B], the same for all programs; not packed.
        block: positions of a block, at most; a power of two.
        interpret: whether JAX runs the kernel step by step on any device, to be tested.

    Returns:
        float32 of shape [P, B] or [P, T, B].

    Raises:
        UsageError: features that are no array of numbers.
    """
    if not isinstance(features, jax.Array) or features.ndim not in (2, 3):
        reject("features", type(features).__name__, "float32[F, B] or float32[P, F, B]")
    batch, cases = plans.steps.shape, features.shape[-1]
    trees = plans.steps.size // batch[0]
    flat = jax.tree.map(lambda field: field.reshape(-1, *field.shape[len(batch) :]), plans)
    block = min(block, pallas.next_power_of_2(cases))
    padded = jnp.pad(features, [(0, 0)] * (features.ndim - 1) + [(0, -cases % block)])
    length, width = flat.operand.shape[1:]
    rows = padded.shape[-2]
    of_program = (
        pallas.BlockSpec((None, rows, block), lambda program, part: (program // trees, 0, part))
        if features.ndim == 3
        else pallas.BlockSpec((rows, block), lambda program, part: (0, part))
    )
    one, line = pallas.BlockSpec((1,), lambda program, part: (program,)), (lambda program, part: (program, 0))
    values = pallas.pallas_call(
        partial(_kernel, primitives, stack_bound(primitives.max_arity, length)),
        grid=(len(flat.steps), padded.shape[-1] // block),
        in_specs=[
            pallas.BlockSpec((None, length), line),
            pallas.BlockSpec((None, length, width), lambda program, part: (program, 0, 0)),
            pallas.BlockSpec((None, length, width), lambda program, part: (program, 0, 0)),
            pallas.BlockSpec((None, length), line),
            *(one, one, one),
            of_program,
        ],
        out_specs=pallas.BlockSpec((None, block), lambda program, part: (program, part)),
        out_shape=jax.ShapeDtypeStruct((len(flat.steps), padded.shape[-1]), jnp.float32),
        compiler_params=triton.CompilerParams(num_warps=max(1, block // WARP), num_stages=1),
        interpret=interpret,
        name="interpreter",
    )(flat.kind, flat.operand, flat.constant, flat.slot, flat.steps, flat.root, flat.root_constant, padded)
    return values[:, :cases].reshape(*batch, cases)


def _kernel(
    primitives: PrimitiveSet,
    stack: int,
    kind: Any,
    operand: Any,
    constant: Any,
    slot: Any,
    steps: Any,
    root: Any,
    root_constant: Any,
    features: Any,
    values: Any,
) -> None:
    """Run one program on the positions of a block; arguments refer to its plan, its features and its values."""
    seen, functions = Rows(features), instructions(primitives)
    scaled = primitives.weighted or primitives.factored

    def read(rows: tuple[Array, ...], place: Array, number: Array) -> Array:
        """Return what an operand stands for: a constant, a row of the stack or a feature."""
        feature = place - stack - 1
        found = features[jnp.clip(feature, 0, features.shape[0] - 1), :]
        for at, row in enumerate(rows):
            found = jnp.where(place == at, row, found)
        found = found * number if scaled else found
        return jnp.where(place == CONSTANT, number, found)

    def step(now: Array, rows: tuple[Array, ...]) -> tuple[Array, ...]:
        args = [read(rows, operand[now, place], constant[now, place]) for place in range(primitives.max_arity)]
        calls = [partial(apply, one, seen, args) for one in functions]
        value = lax.switch(kind[now], calls) if len(calls) > 1 else calls[0]()
        return tuple(jnp.where(slot[now] == at, value, row) for at, row in enumerate(rows))

    rows = (jnp.zeros(values.shape, jnp.float32),) * stack
    if functions:
        rows = lax.fori_loop(0, steps[0], step, rows)
    values[...] = read(rows, root[0], root_constant[0])
