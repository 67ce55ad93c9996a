"""Evaluates planned programs on batches of positions: one loop over instructions for the whole population."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.genotypes.primitives import BOOL, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.plan import CONSTANT, Plan, instructions, plan, stack_bound


def evaluate(primitives: PrimitiveSet, plans: Plan, features: Array, bound: Array | int | None = None) -> Array:
    """Evaluate planned programs.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P], [P, T] (individuals of several trees), or [] (one tree).
        features: float32[P, F, B], B positions for each program, or float32[F, B], the same for all of them.
        bound: int[], at least the longest `plans.steps`; by default just that. Give it where an outer `vmap` would
            make it a batched value, since a loop with a batched bound is slow.

    Returns:
        float32 of shape [P, B], [P, T, B] or [B]; true is 1 and false is 0.
    """
    bound = plans.steps.max() if bound is None else bound

    def run(one: Plan, seen: Array) -> Array:
        return _run(primitives, one, seen, bound)

    if plans.steps.ndim == 2:
        run = jax.vmap(run, (0, None))
    if plans.steps.ndim >= 1:
        run = jax.vmap(run, (0, 0 if features.ndim == 3 else None))
    return run(plans, features)


def evaluate_programs(primitives: PrimitiveSet, programs: Programs, features: Array) -> Array:
    """Plan and evaluate at once; shapes as in `evaluate`."""
    return evaluate(primitives, plan(primitives, programs), features)


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


def start_rows(primitives: PrimitiveSet, capacity: int, features: Array) -> Array:
    """Return float32[rows, B]: an empty stack, a spare row for padding, and the features where operands read them."""
    stack = jnp.zeros((stack_bound(primitives.max_arity, capacity) + 1, features.shape[1]), jnp.float32)
    if any(p.feature is not None for p in primitives.terminals):
        return jnp.concatenate([stack, features])
    return stack


def run_step(primitives: PrimitiveSet, i: Array, plans: Plan, features: Array, rows: Array) -> Array:
    """Run instruction `i` of one program: all its functions are computed, one is kept."""
    args = [_read(rows, plans.operand[i, k], plans.constant[i, k]) for k in range(primitives.max_arity)]
    values = [apply(p, features, args) for p in instructions(primitives)]
    value = jax.lax.select_n(plans.kind[i], *values) if len(values) > 1 else values[0]
    return rows.at[plans.slot[i]].set(value)


def read_root(plans: Plan, rows: Array) -> Array:
    """Return float32[B]: the value of one program after all its steps."""
    return _read(rows, plans.root, plans.root_constant)


def _read(rows: Array, operand: Array, constant: Array) -> Array:
    return jnp.where(operand == CONSTANT, constant, rows[operand])


def _run(primitives: PrimitiveSet, plans: Plan, features: Array, bound: Array | int) -> Array:
    """Evaluate one planned tree on features [F, B]."""
    rows = start_rows(primitives, plans.kind.shape[-1], features)
    if instructions(primitives):
        rows = jax.lax.fori_loop(0, bound, lambda i, rows: run_step(primitives, i, plans, features, rows), rows)
    return read_root(plans, rows)
