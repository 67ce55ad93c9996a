"""Evaluates planned programs by one kernel for a GPU: a block runs one program at a time, its threads are positions.

In plain XLA the rows of the stack lie in memory, and every step reads and writes them there. Here they stay in
registers, as a handful of arrays of which a step writes one, and only features are read from memory. All threads of a
block run one program, so that an instruction is decoded once for all of them, and one function is computed, not all.

`jaxgp.interpreter.kernels.choice` says where these kernels are used. Their values are those of
`jaxgp.interpreter.evaluate.evaluate`, to the bit where they are computed by the same processor.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.experimental import pallas
from jax.experimental.pallas import triton

from jaxgp.arrays import product
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.calls import Features, Packed, apply, instructions
from jaxgp.interpreter.plan import CONSTANT, Plan, stack_bound

BLOCK = 128
"""Positions of a block, at most: four warps."""
OWNED = 32
"""Positions of a block where each has a program of its own: one warp."""
WARP = 32
NOBODY = np.iinfo(np.int32).max
"""The owner of a position that does not count."""
FIELDS = 7
"""Fields of a plan that kernels read: all but the effects."""


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


class Code(NamedTuple):
    """One planned program in memory: see `jaxgp.interpreter.plan.Plan`."""

    kind: Callable[[Array], Array]  # step -> int32[]
    operand: Callable[[Array, int], Array]  # step, argument -> int32[]
    constant: Callable[[Array, int], Array]  # step, argument -> float32[]
    slot: Callable[[Array], Array]  # step -> int32[]
    steps: Array
    root: Array
    root_constant: Array


def evaluate_in_kernel(
    primitives: PrimitiveSet, plans: Plan, features: Features, block: int = BLOCK, interpret: bool = False
) -> Array:
    """Evaluate planned programs, each on all of its positions; see `jaxgp.interpreter.evaluate.evaluate`.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P] or [P, T].
        features: float32[P, F, B], or float32[F, B], the same for all programs; or packed.
        block: positions of a block, at most; a power of two.
        interpret: whether JAX runs the kernel step by step on any device, to be tested.

    Returns:
        float32 of shape [P, B] or [P, T, B].
    """
    batch, (apart, cases) = plans.steps.shape, _shape(features)
    trees = plans.steps.size // batch[0]
    flat = jax.tree.map(lambda field: field.reshape(-1, *field.shape[len(batch) :]), _without_effects(plans))
    block = min(block, pallas.next_power_of_2(cases))
    padded = _pad(features, block)
    length, width = flat.operand.shape[1:]

    def seen(rows: int) -> Any:
        if apart:
            return pallas.BlockSpec((None, rows, block), lambda program, part: (program // trees, 0, part))
        return pallas.BlockSpec((rows, block), lambda program, part: (0, part))

    one, line = pallas.BlockSpec((1,), lambda program, part: (program,)), (lambda program, part: (program, 0))
    parts = _parts(padded)
    columns = parts[0].shape[-1]
    values = pallas.pallas_call(
        partial(_block_kernel, primitives, stack_bound(primitives.max_arity, length)),
        grid=(len(flat.steps), columns // block),
        in_specs=[
            pallas.BlockSpec((None, length), line),
            pallas.BlockSpec((None, length, width), lambda program, part: (program, 0, 0)),
            pallas.BlockSpec((None, length, width), lambda program, part: (program, 0, 0)),
            pallas.BlockSpec((None, length), line),
            *(one, one, one),
            *(seen(x.shape[-2]) for x in parts),
        ],
        out_specs=pallas.BlockSpec((None, block), lambda program, part: (program, part)),
        out_shape=jax.ShapeDtypeStruct((len(flat.steps), columns), jnp.float32),
        compiler_params=triton.CompilerParams(num_warps=max(1, block // WARP), num_stages=1),
        interpret=interpret,
        name="interpreter",
    )(flat.kind, flat.operand, flat.constant, flat.slot, flat.steps, flat.root, flat.root_constant, *parts)
    return values[:, :cases].reshape(*batch, cases)


def evaluate_owned_in_kernel(
    primitives: PrimitiveSet,
    plans: Plan,
    owner: Array,
    features: Features,
    needed: Array,
    block: int = OWNED,
    interpret: bool = False,
) -> Array:
    """Evaluate each position by the program that owns it; see `jaxgp.interpreter.evaluate.evaluate_owned`.

    A block runs the programs that own its positions one after the other. Where equal owners are neighbours, few blocks
    have several.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P].
        owner: int32[B].
        features: float32[F, B], or packed.
        needed: int32[], how many of the positions count.
        block: positions of a block, a power of two.
        interpret: whether JAX runs the kernel step by step on any device, to be tested.

    Returns:
        float32[B]; 0 beyond the first `needed`.
    """
    padded, length = _pad(features, block), plans.kind.shape[-1]
    owners = jnp.where(jnp.arange(len(owner)) < needed, owner, NOBODY)
    owners = jnp.pad(owners, (0, -len(owner) % block), constant_values=NOBODY)
    flat, parts = _without_effects(plans), _parts(padded)
    whole = [flat.kind, flat.operand, flat.constant, flat.slot, flat.steps, flat.root, flat.root_constant]

    def all_of(x: Array) -> Any:
        return pallas.BlockSpec(x.shape, lambda part: (0,) * x.ndim)

    values = pallas.pallas_call(
        partial(_owned_kernel, primitives, stack_bound(primitives.max_arity, length)),
        grid=(len(owners) // block,),
        in_specs=[
            *(all_of(x) for x in whole),
            pallas.BlockSpec((block,), lambda part: (part,)),
            *(pallas.BlockSpec((x.shape[0], block), lambda part: (0, part)) for x in parts),
        ],
        out_specs=pallas.BlockSpec((block,), lambda part: (part,)),
        out_shape=jax.ShapeDtypeStruct(owners.shape, jnp.float32),
        compiler_params=triton.CompilerParams(num_warps=max(1, block // WARP), num_stages=1),
        interpret=interpret,
        name="interpreter_of_owners",
    )(*whole, owners, *parts)
    return values[: len(owner)]


def _shape(features: Features) -> tuple[bool, int]:
    """Return whether programs have features of their own, and how many positions there are."""
    numbers = features.numbers if isinstance(features, Packed) else features
    return numbers.ndim == 3, numbers.shape[-1]


def _pad(features: Features, block: int) -> Features:
    """Return features of as many positions as blocks have."""
    padded: Features = jax.tree.map(
        lambda x: jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % block)]), features
    )
    return padded


def _parts(features: Features) -> list[Array]:
    """Return the numbers, and the words if features are packed. Of no numbers there is a row of zeros."""
    if not isinstance(features, Packed):
        return [features]
    numbers, words = features.numbers, features.words
    none = jnp.zeros((*words.shape[:-2], 1, words.shape[-1]), jnp.float32)
    return [numbers if numbers.shape[-2] else none, words]


def _without_effects(plans: Plan) -> Plan:
    return plans.replace(effect=None)  # type: ignore[attr-defined]


def _code(fields: Sequence[Any], *who: Any) -> Code:
    """Return the program that references to the fields of plans have, or that has a place (int32[]) among several."""
    kind, operand, constant, slot, *single = fields
    steps, root, root_constant = (field[who or (0,)] for field in single)
    return Code(
        lambda step: kind[(*who, step)],
        lambda step, place: operand[(*who, step, place)],
        lambda step, place: constant[(*who, step, place)],
        lambda step: slot[(*who, step)],
        steps,
        root,
        root_constant,
    )


def _block_kernel(primitives: PrimitiveSet, stack: int, *references: Any) -> None:
    """Run one program on the positions of a block; references are to its plan, its features and its values."""
    fields, (*parts, values) = references[:FIELDS], references[FIELDS:]
    values[...] = _run(primitives, stack, _code(fields), parts, values.shape)


def _owned_kernel(primitives: PrimitiveSet, stack: int, *references: Any) -> None:
    """Run all programs that own positions of a block; references are to all plans, owners, features and values."""
    fields, (owners, *parts, values) = references[:FIELDS], references[FIELDS:]
    own = owners[...]

    def one(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        who, found = carry
        here = _run(primitives, stack, _code(fields, who), parts, values.shape)
        return jnp.min(jnp.where(own > who, own, NOBODY)), jnp.where(own == who, here, found)

    start = jnp.min(own), jnp.zeros(values.shape, jnp.float32)
    values[...] = lax.while_loop(lambda carry: carry[0] < NOBODY, one, start)[1]


def _run(primitives: PrimitiveSet, stack: int, program: Code, parts: Sequence[Any], shape: tuple[int, ...]) -> Array:
    """Return float32[block], the values of a program at the positions of a block."""
    numbers, words = parts[0], parts[1] if len(parts) > 1 else None
    seen: Any = Rows(numbers)
    functions = instructions(primitives)
    truths = 32 * words.shape[0] if words is not None else 0

    def look(feature: Array) -> Array:
        """Return a feature, float32[block]."""
        row: Array = numbers[jnp.clip(feature - truths, 0, numbers.shape[0] - 1), :]
        if words is None:
            return row
        word = words[jnp.clip(feature >> 5, 0, words.shape[0] - 1), :]
        truth = (word >> (feature & 31).astype(jnp.uint32)) & 1
        return jnp.where(feature < truths, truth.astype(jnp.float32), row)

    def read(rows: tuple[Array, ...], place: Array, number: Array) -> Array:
        """Return what an operand stands for: a constant, a row of the stack or a feature."""
        found = look(place - stack - 1)
        for at, row in enumerate(rows):
            found = jnp.where(place == at, row, found)
        found = product(found, number, place) if primitives.multiplies else found
        return jnp.where(place == CONSTANT, number, found)

    def step(now: Array, rows: tuple[Array, ...]) -> tuple[Array, ...]:
        args = [read(rows, program.operand(now, at), program.constant(now, at)) for at in range(primitives.max_arity)]
        calls = [partial(apply, one, seen, args) for one in functions]
        value = lax.switch(program.kind(now), calls) if len(calls) > 1 else calls[0]()
        slot = program.slot(now)
        return tuple(jnp.where(slot == at, value, row) for at, row in enumerate(rows))

    rows = (jnp.zeros(shape, jnp.float32),) * stack
    if functions:
        rows = lax.fori_loop(0, program.steps, step, rows)
    return read(rows, program.root, program.root_constant)
