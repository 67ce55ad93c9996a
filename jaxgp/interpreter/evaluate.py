"""Evaluates planned programs on batches of positions: one loop over instructions for the whole population."""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import apply, instructions
from jaxgp.interpreter.plan import CONSTANT, Plan, plan, stack_bound


@struct.dataclass
class Packed:
    """Features of which the first are truth values, 32 in a word: of many squares they are a fraction of all rows."""

    words: Array  # uint32[..., W, B]: feature f < 32 W is bit f % 32 of word f // 32
    numbers: Array  # float32[..., N, B]: the features from 32 W on

    def unpacked(self) -> Array:
        """Return float32[..., 32 W + N, B]."""
        bits = (self.words[..., :, None, :] >> jnp.arange(32, dtype=jnp.uint32)[:, None]) & 1
        truths = bits.reshape(*self.words.shape[:-2], -1, self.words.shape[-1]).astype(jnp.float32)
        return jnp.concatenate([truths, self.numbers], -2)


Features = Array | Packed

SEGMENT = 64
"""Positions that a program is run for at the same time, where programs take turns."""


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


def evaluate_where(primitives: PrimitiveSet, plans: Plan, features: Array, active: Array, least: int = 64) -> Array:
    """Evaluate each program on the few of its positions that matter now.

    All pairs of a program and a position are sorted by falling steps; when seven eighths of them are done, the loop
    goes on with the others alone, and so on. So short programs do not wait for long ones, nor for games of no interest.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P, T].
        features: float32[P, F, B].
        active: bool[P, B], which positions matter.
        least: pairs with which the loop is not narrowed any more.

    Returns:
        float32[P, T, B]; anything where `active` is False.
    """
    (population, trees), cases = plans.steps.shape, active.shape[1]
    steps = jnp.where(active[:, None], plans.steps[:, :, None], 0).reshape(-1)
    flat = jax.tree.map(lambda field: field.reshape(population * trees, *field.shape[2:]), plans)
    program = jnp.arange(len(steps)) // cases

    def see(pairs: Array) -> Array:
        return features.swapaxes(1, 2)[pairs // cases // trees, pairs % cases, :, None]

    return _by_steps(primitives, flat, program, steps, see, least).reshape(population, trees, cases)


def _by_steps(
    primitives: PrimitiveSet, plans: Plan, program: Array, steps: Array, see: Callable[[Array], Features], least: int
) -> Array:
    """Return float32[K]: what program [K] of the plans [P] says of its features after so many steps.

    They are sorted by falling steps; when seven eighths are done, the loop goes on with the others, down to `least`.
    `see` gives the features [K, F, 1] in an order, int32[K].
    """
    order = jnp.argsort(-steps)
    steps, program, seen = steps[order], program[order], see(order)
    rows = jax.vmap(lambda one: start_rows(primitives, plans.kind.shape[-1], one))(seen)
    values: list[Array] = []
    width, done = len(order), jnp.int32(0)
    while width:
        rest = width // 8 if width // 8 >= least else 0
        busy, shown = program[:width], jax.tree.map(lambda x, n=width: x[:n], seen)

        def step(i: Array, rows: Array, busy: Array = busy, shown: Features = shown) -> Array:
            fetched = tuple(field[busy, i] for field in (plans.kind, plans.operand, plans.constant, plans.slot))
            return jax.vmap(lambda *one: _call(primitives, one[:4], *one[4:]))(*fetched, shown, rows)

        if instructions(primitives):
            rows = jax.lax.fori_loop(done, steps[rest], step, rows)
        root, constant = plans.root[busy[rest:]], plans.root_constant[busy[rest:]]
        last = jax.tree.map(lambda x, n=rest: x[n:], shown)
        values.insert(0, jax.vmap(partial(_read, primitives))(last, rows[rest:], root, constant)[:, 0])
        rows, done, width = rows[:rest], steps[rest], rest
    ranked = jnp.concatenate(values)
    return jnp.zeros_like(ranked).at[order].set(ranked)


def narrowing(primitives: PrimitiveSet, plans: Plan, features: Features, least: int = 32) -> Array:
    """Evaluate single trees on all their positions, so that short ones do not wait for long ones.

    They are sorted by falling steps, and whenever half of them are done the loop goes on with the others.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P].
        features: float32[P, F, B], or packed.
        least: programs with which the loop is not narrowed any more.

    Returns:
        float32[P, B].
    """
    order = jnp.argsort(-plans.steps)
    plans, features = jax.tree.map(lambda field: field[order], (plans, features))
    rows = jax.vmap(lambda seen: start_rows(primitives, plans.kind.shape[-1], seen))(features)
    values: list[Array] = []
    width, done = plans.steps.shape[0], jnp.int32(0)
    while width:
        rest = width // 2 if width // 2 >= least else 0
        live, seen = jax.tree.map(lambda field, n=width: field[:n], (plans, features))

        def step(i: Array, rows: Array, live: Plan = live, seen: Features = seen) -> Array:
            return jax.vmap(lambda p, f, r: run_step(primitives, i, p, f, r))(live, seen, rows)

        if instructions(primitives):
            rows = jax.lax.fori_loop(done, plans.steps[rest], step, rows)
        ready, shown = jax.tree.map(lambda field, n=rest: field[n:], (live, seen))
        values.insert(0, jax.vmap(partial(read_root, primitives))(ready, shown, rows[rest:]))
        rows, width, done = rows[:rest], rest, plans.steps[rest]
    ranked = jnp.concatenate(values)
    return jnp.zeros_like(ranked).at[order].set(ranked)


def in_segments(primitives: PrimitiveSet, plans: Plan, whose: Array, features: Features, needed: Array) -> Array:
    """Evaluate single trees one after the other, each on the positions that are its own, some of them at a time: for a
    CPU, which then runs no instruction for nothing.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P].
        whose: int32[B], whose each position is; of the first `needed` they ascend, beyond they may be anyone's.
        features: float32[F, B], or packed.
        needed: int32[], how many of the positions count.

    Returns:
        float32[B]; anything beyond the first `needed`.
    """
    together = min(SEGMENT, len(whose))
    needed = jnp.minimum(needed, len(whose))

    def some(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        first, values = carry
        at = jnp.minimum(first, len(whose) - together)
        here = at + jnp.arange(together, dtype=jnp.int32)
        seen = jax.tree.map(lambda x: jax.lax.dynamic_slice_in_dim(x, at, together, axis=-1), features)
        # The others' positions in the slice are evaluated too: those before keep what they have, those after come next.
        others = jax.lax.dynamic_slice_in_dim(whose, at, together)
        program = whose[first]
        one = jax.tree.map(lambda field: field[program], plans)
        before = jax.lax.dynamic_slice_in_dim(values, at, together)
        said = jnp.where(here >= first, _run(primitives, one, seen, one.steps), before)
        own = (here >= first) & (here < needed) & (others == program)
        return first + own.sum(dtype=jnp.int32), jax.lax.dynamic_update_slice_in_dim(values, said, at, 0)

    start = jnp.int32(0), jnp.zeros(len(whose), jnp.float32)
    return jax.lax.while_loop(lambda carry: carry[0] < needed, some, start)[1]


def each_its_own(primitives: PrimitiveSet, plans: Plan, whose: Array, features: Features, needed: Array) -> Array:
    """Evaluate each position by its own program, all at the same time: for a GPU.

    Arguments and result are those of `in_segments`.
    """
    steps = jnp.where(jnp.arange(len(whose)) < needed, plans.steps[whose], 0)

    def see(order: Array) -> Features:
        seen: Features = jax.tree.map(lambda x: jnp.moveaxis(x, -1, 0)[order, ..., None], features)
        return seen

    return _by_steps(primitives, plans, whose, steps, see, least=64)


def evaluate_programs(primitives: PrimitiveSet, programs: Programs, features: Array) -> Array:
    """Plan and evaluate at once; shapes as in `evaluate`."""
    return evaluate(primitives, plan(primitives, programs), features)


def start_rows(primitives: PrimitiveSet, capacity: int, features: Features) -> Array:
    """Return float32[rows, B]: an empty stack, a spare row for padding, and the features where operands read them.

    With packed features they are the bits of all that, int32[rows, B], the words last: every operand is then read from
    one array.
    """
    numbers = _numbers(features)
    rows = jnp.zeros((stack_bound(primitives.max_arity, capacity) + 1, numbers.shape[1]), jnp.float32)
    if any(p.feature is not None or p.reads_one for p in primitives.primitives):
        rows = jnp.concatenate([rows, numbers])
    return jnp.concatenate([_bits(rows), _bits(features.words)]) if isinstance(features, Packed) else rows


def run_step(primitives: PrimitiveSet, i: Array, plans: Plan, features: Features, rows: Array) -> Array:
    """Run instruction `i` of one program."""
    # Unsigned, so that there is nothing to count from the end: that takes a CPU a call of its own.
    at = i.astype(jnp.uint32)
    fields = (plans.kind, plans.operand, plans.constant, plans.slot)
    instruction = tuple(jax.lax.dynamic_index_in_dim(field, at, 0, keepdims=False) for field in fields)
    return _call(primitives, instruction, features, rows)


def read_root(primitives: PrimitiveSet, plans: Plan, features: Features, rows: Array) -> Array:
    """Return float32[B]: the value of one program after all its steps."""
    return _read(primitives, features, rows, plans.root, plans.root_constant)


def _call(primitives: PrimitiveSet, instruction: tuple[Array, ...], features: Features, rows: Array) -> Array:
    """Run an instruction (kind, operands, constants, slot): all functions are computed, one is kept."""
    kind, operand, constant, slot = instruction
    args = [_read(primitives, features, rows, operand[k], constant[k]) for k in range(primitives.max_arity)]
    values = [apply(p, _numbers(features), args) for p in instructions(primitives)]
    value = jax.lax.select_n(kind, *values) if len(values) > 1 else values[0]
    if isinstance(features, Packed):
        return jax.lax.dynamic_update_index_in_dim(rows, _bits(value), slot.astype(jnp.uint32), 0)
    return rows.at[slot].set(value)


def _read(primitives: PrimitiveSet, features: Features, rows: Array, operand: Array, constant: Array) -> Array:
    row = _unpacked_row(features, rows, operand) if isinstance(features, Packed) else rows[operand]
    row = row * constant if primitives.weighted or primitives.factored else row
    return jnp.where(operand == CONSTANT, constant, row)


def _numbers(features: Features) -> Array:
    return features.numbers if isinstance(features, Packed) else features


def _bits(values: Array) -> Array:
    return jax.lax.bitcast_convert_type(values, jnp.int32)


def _unpacked_row(features: Packed, rows: Array, operand: Array) -> Array:
    """Return float32[B]: a row of the stack or a feature, of which the first are truth values."""
    words = features.words.shape[0]
    truths = 32 * words
    feature = operand - (rows.shape[0] - features.numbers.shape[0] - words)
    is_truth = (feature >= 0) & (feature < truths)
    word = rows.shape[0] - words + (feature >> 5)
    at = jnp.where(is_truth, word, jnp.where(feature < 0, operand, operand - truths))
    row = jax.lax.dynamic_index_in_dim(rows, at.astype(jnp.uint32), 0, keepdims=False)
    truth = (row >> (feature & 31)) & 1
    return jnp.where(is_truth, truth.astype(jnp.float32), jax.lax.bitcast_convert_type(row, jnp.float32))


def _run(primitives: PrimitiveSet, plans: Plan, features: Features, bound: Array | int) -> Array:
    """Evaluate one planned tree on features [F, B]."""
    rows = start_rows(primitives, plans.kind.shape[-1], features)
    if instructions(primitives):
        rows = jax.lax.fori_loop(0, bound, lambda i, rows: run_step(primitives, i, plans, features, rows), rows)
    return read_root(primitives, plans, features, rows)
