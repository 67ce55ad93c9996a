"""Evaluates planned programs on batches of positions: one loop over instructions for many programs at once.

Five entry points give the same values. They differ in the positions that each program is evaluated on:

- `evaluate`: each program on all of its positions, [P, B].
- `evaluate_active`: the same for games that go on; only positions marked as active count.
- `evaluate_uneven`: the same for single trees of very different lengths.
- `evaluate_owned`: positions [B] of which each has a program of its own, as the leaves of many searches have.
- `evaluate_programs`: plans the programs first, then `evaluate`.

Each chooses its method by the device and the shapes. For most sets a CPU has the native interpreter
(`jaxgp.interpreter.native`) and a GPU a kernel (`jaxgp.interpreter.kernels`). Without the former a CPU takes programs
in chunks, so that their rows stay in the cache, and runs each chunk for as long as its longest program needs; without
the latter programs run in lockstep. `evaluate_together`, `active_by_pairs`, `uneven_by_halves` and `owned_by_pairs` are
such methods; the last three drop finished programs from the loop.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxgp.arrays import differs, longest_first, product
from jaxgp.errors import reject
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import Features, Packed, apply, instructions
from jaxgp.interpreter.kernels.blocks import evaluate_in_kernel, evaluate_owned_in_kernel
from jaxgp.interpreter.kernels.choice import by_kernel
from jaxgp.interpreter.native import marked
from jaxgp.interpreter.native.run import evaluate_natively, evaluate_owned_natively
from jaxgp.interpreter.plan import CONSTANT, Plan, plan, stack_bound

SEGMENT = 128
"""Positions that `owned_in_segments` evaluates at a time.

Measured as `jaxgp.players.searched.LANES` is: 128 and 256 are alike, 64 takes 1.1 to 1.3 times as long."""

CHUNK = 128 * 1024
"""Bytes of rows that a CPU works on at a time.

Measured on an EPYC with 1 MiB of L2 cache for each core (4,096 programs x 16 positions to 512 x 2,048; 22 and 14 rows):
64 to 220 KiB are alike, and twice as fast as all rows at once. From 350 KiB on most of the gain is gone."""
SMALL = 2 * CHUNK
"""Bytes of rows up to which all programs are one chunk."""
FEW = 8
"""Positions of each program below which chunks gain nothing: a step costs more than its rows."""


def evaluate(primitives: PrimitiveSet, plans: Plan, features: Features) -> Array:
    """Evaluate planned programs, each on all of its positions.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P], [P, T] (individuals of several trees), or [] (one tree).
        features: float32[P, F, B], B positions for each program, or float32[F, B], the same for all of them; or packed.

    Returns:
        float32 of shape [P, B], [P, T, B] or [B]; true is 1 and false is 0.
    """
    together, native = partial(evaluate_together, primitives), partial(evaluate_natively, primitives)
    if plans.steps.ndim == 0:
        return _by_platform(by_kernel(primitives, features, native), together, plans, features)
    ways = by_kernel(primitives, features, native, partial(evaluate_in_kernel, primitives))
    count = _chunk(primitives, plans, features)
    if count < len(plans.steps):
        ways = {"cpu": partial(_evaluate_in_chunks, primitives, count=count), **ways}
    return _by_platform(ways, together, plans, features)


def _by_platform(ways: Mapping[str, Callable[..., Any]], default: Callable[..., Array], *given: Any) -> Array:
    """Return what the way of the platform that a program is compiled for makes of arguments.

    Kernels do not say that what they return differs between devices; where `shard_map` checks that, the default runs.
    """
    if not ways or any(map(differs, jax.tree.leaves(given))):
        return default(*given)
    values: Array = lax.platform_dependent(*given, default=default, **ways)
    return values


def evaluate_together(primitives: PrimitiveSet, plans: Plan, features: Features) -> Array:
    """Evaluate plans in one loop, as long as the longest of them; arguments are those of `evaluate`."""
    bound = plans.steps.max()
    if plans.steps.ndim == 0:
        return _run(primitives, plans, features, bound)

    def run(one: Plan, seen: Features) -> Array:
        return _run(primitives, one, seen, bound)

    if plans.steps.ndim == 2:
        run = jax.vmap(run, (0, None))
    return jax.vmap(run, (0, 0 if _numbers(features).ndim == 3 else None))(plans, features)


def _evaluate_in_chunks(primitives: PrimitiveSet, plans: Plan, features: Features, count: int) -> Array:
    """Evaluate plans [P] or [P, T] in chunks of `count` programs, each in a loop as long as its longest program.

    If the population is no multiple of the chunk, the last chunk starts earlier and repeats some programs.
    """
    population, apart = len(plans.steps), _numbers(features).ndim == 3

    def chunk(i: Array, values: Array) -> Array:
        first = jnp.minimum(i * count, population - count)
        some, seen = jax.tree.map(
            lambda x: lax.dynamic_slice_in_dim(x, first, count), (plans, features if apart else None)
        )
        found = evaluate_together(primitives, some, seen if apart else features)
        return lax.dynamic_update_slice_in_dim(values, found, first, 0)

    values = jnp.zeros((*plans.steps.shape, _numbers(features).shape[-1]), jnp.float32)
    return lax.fori_loop(0, -(-population // count), chunk, values)


def _chunk(primitives: PrimitiveSet, plans: Plan, features: Features) -> int:
    """Return how many of the programs [P] or [P, T] a CPU evaluates at a time, P where chunks gain nothing."""
    population, cases = len(plans.steps), _numbers(features).shape[-1]
    each = _row_bytes(primitives, plans, features)
    if cases < FEW or population * each <= SMALL:
        return population
    chunks = -(-population // max(1, CHUNK // each))
    return -(-population // chunks)  # chunks of equal size repeat the fewest programs


def _row_bytes(primitives: PrimitiveSet, plans: Plan, features: Features) -> int:
    """Return the bytes of the rows that one program [] or [T] needs for all of its positions."""
    cases = _numbers(features).shape[-1]
    seen = sum(x.shape[-2] for x in jax.tree.leaves(features))
    rows = stack_bound(primitives.max_arity, plans.kind.shape[-1]) + 1 + seen
    return 4 * rows * cases * math.prod(plans.steps.shape[1:])


def evaluate_active(primitives: PrimitiveSet, plans: Plan, features: Array, active: Array) -> Array:
    """Evaluate each program on those of its positions that matter now.

    A CPU evaluates all positions, but skips programs without an active one, as kernels do. With few positions for each
    of many programs plain XLA goes by pairs.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P, T].
        features: float32[P, F, B].
        active: bool[P, B], which positions matter.

    Returns:
        float32[P, T, B]; unspecified where `active` is False.
    """

    def whole_programs(plans: Plan, features: Array, active: Array) -> Array:
        steps = jnp.where(active.any(-1)[:, None], plans.steps, 0)
        return evaluate(primitives, dataclasses.replace(plans, steps=steps), features)

    by_pairs = partial(active_by_pairs, primitives)
    few = active.shape[1] < FEW and len(active) * _row_bytes(primitives, plans, features) > SMALL
    ways: dict[str, Callable[..., Any]] = {} if few else {"cpu": whole_programs}
    ways |= by_kernel(primitives, features, whole_programs, whole_programs)
    return _by_platform(ways, by_pairs, plans, features, active)


def active_by_pairs(primitives: PrimitiveSet, plans: Plan, features: Array, active: Array, least: int = 64) -> Array:
    """Evaluate as `evaluate_active` does, with a lane for each pair of a tree and a position.

    Pairs are sorted by descending number of steps; inactive ones have none. When seven eighths of them are done, the
    loop goes on with the rest alone, and so on down to `least` pairs. So no pair runs much longer than it needs.
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
    """Return the values of K pairs, float32[K]; a pair is a program and a position.

    Pairs are sorted by descending number of steps. When seven eighths are done, the loop goes on with the rest, and so
    on down to `least` pairs.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P].
        program: int32[K], the program of each pair.
        steps: int32[K], the steps to run for each pair.
        see: int32[K] -> features [K, F, 1] of the pairs in that order.
        least: the smallest number of pairs that gets a loop of its own.
    """
    steps, order = longest_first(steps)
    program, seen = program[order], see(order)
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
            rows = lax.fori_loop(done, steps[rest], step, rows)
        root, constant = plans.root[busy[rest:]], plans.root_constant[busy[rest:]]
        last = jax.tree.map(lambda x, n=rest: x[n:], shown)
        values.insert(0, jax.vmap(partial(_read, primitives))(last, rows[rest:], root, constant)[:, 0])
        rows, done, width = rows[:rest], steps[rest], rest
    ranked = jnp.concatenate(values)
    return jnp.zeros_like(ranked).at[order].set(ranked)


def evaluate_uneven(primitives: PrimitiveSet, plans: Plan, features: Features) -> Array:
    """Evaluate single trees on all their positions, so that short ones do not wait for long ones.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P].
        features: float32[P, F, B], or packed.

    Returns:
        float32[P, B].
    """
    whole_programs = partial(evaluate, primitives)
    ways: dict[str, Callable[..., Any]] = {
        "cpu": whole_programs,
        **by_kernel(primitives, features, whole_programs, whole_programs),
    }
    return _by_platform(ways, partial(uneven_by_halves, primitives), plans, features)


def uneven_by_halves(primitives: PrimitiveSet, plans: Plan, features: Features, least: int = 32) -> Array:
    """Evaluate as `evaluate_uneven` does, longest programs first.

    Whenever half of the programs are done, the loop goes on with the other half, down to `least` programs.
    """
    steps, order = longest_first(plans.steps)
    plans, features = jax.tree.map(lambda field: field[order], (plans, features))
    rows = jax.vmap(lambda seen: start_rows(primitives, plans.kind.shape[-1], seen))(features)
    values: list[Array] = []
    width, done = steps.shape[0], jnp.int32(0)
    while width:
        rest = width // 2 if width // 2 >= least else 0
        live, seen = jax.tree.map(lambda field, n=width: field[:n], (plans, features))

        def step(i: Array, rows: Array, live: Plan = live, seen: Features = seen) -> Array:
            return jax.vmap(lambda p, f, r: run_step(primitives, i, p, f, r))(live, seen, rows)

        if instructions(primitives):
            rows = lax.fori_loop(done, steps[rest], step, rows)
        ready, shown = jax.tree.map(lambda field, n=rest: field[n:], (live, seen))
        values.insert(0, jax.vmap(partial(read_root, primitives))(ready, shown, rows[rest:]))
        rows, width, done = rows[:rest], rest, steps[rest]
    ranked = jnp.concatenate(values)
    return jnp.zeros_like(ranked).at[order].set(ranked)


def evaluate_owned(primitives: PrimitiveSet, plans: Plan, owner: Array, features: Features, needed: Array) -> Array:
    """Evaluate each position by the program that owns it.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P].
        owner: int32[B], the program that owns each position. Positions of one program are best neighbours, as they are
            evaluated together.
        features: float32[F, B], or packed.
        needed: int32[], how many of the positions count.

    Returns:
        float32[B]; unspecified beyond the first `needed`.
    """
    if marked.marks():
        return marked.mark(primitives, plans, owner, features)
    in_segments, by_pairs = partial(owned_in_segments, primitives), partial(owned_by_pairs, primitives)
    native, kernel = (partial(one, primitives) for one in (evaluate_owned_natively, evaluate_owned_in_kernel))
    ways: dict[str, Callable[..., Any]] = {"cpu": in_segments, **by_kernel(primitives, features, native, kernel)}
    return _by_platform(ways, by_pairs, plans, owner, features, needed)


def owned_in_segments(primitives: PrimitiveSet, plans: Plan, owner: Array, features: Features, needed: Array) -> Array:
    """Evaluate as `evaluate_owned` does, one program after the other, each on up to SEGMENT of its positions at a time.

    No segment runs longer than its own program, which suits a CPU.
    """
    together = min(SEGMENT, len(owner))
    needed = jnp.minimum(needed, len(owner))

    def some(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        first, values = carry
        at = jnp.minimum(first, len(owner) - together)
        here = at + jnp.arange(together, dtype=jnp.int32)
        seen = jax.tree.map(lambda x: lax.dynamic_slice_in_dim(x, at, together, axis=-1), features)
        # Positions of other programs in the slice are evaluated too. Earlier ones keep their values, later ones are
        # evaluated again.
        owners = lax.dynamic_slice_in_dim(owner, at, together)
        program = owner[first]
        one = jax.tree.map(lambda field: field[program], plans)
        before = lax.dynamic_slice_in_dim(values, at, together)
        said = jnp.where(here >= first, _run(primitives, one, seen, one.steps), before)
        others = jnp.cumsum((here >= first) & (owners != program))  # a run ends where another program's begins
        own = (here >= first) & (here < needed) & (others == 0)
        return first + own.sum(dtype=jnp.int32), lax.dynamic_update_slice_in_dim(values, said, at, 0)

    start = jnp.int32(0), jnp.zeros(len(owner), jnp.float32)
    return lax.while_loop(lambda carry: carry[0] < needed, some, start)[1]


def owned_by_pairs(primitives: PrimitiveSet, plans: Plan, owner: Array, features: Features, needed: Array) -> Array:
    """Evaluate as `evaluate_owned` does, with a lane for each position, which suits a GPU."""
    steps = jnp.where(jnp.arange(len(owner)) < needed, plans.steps[owner], 0)

    def see(order: Array) -> Features:
        seen: Features = jax.tree.map(lambda x: jnp.moveaxis(x, -1, 0)[order, ..., None], features)
        return seen

    return _by_steps(primitives, plans, owner, steps, see, least=64)


def evaluate_programs(primitives: PrimitiveSet, programs: Programs, features: Array) -> Array:
    """Plan and evaluate at once; shapes as in `evaluate`.

    Raises:
        UsageError: there are fewer features than the primitives read, or they are of another shape.
    """
    least = 1 + max((p.feature for p in primitives.primitives if p.feature is not None), default=-1)
    shape = jnp.shape(features)
    if len(shape) not in (2, 3) or shape[-2] < least:
        reject("features", f"float32{list(shape)}", f"float32[F, B] or float32[P, F, B], F from {least}")
    return evaluate(primitives, plan(primitives, programs), features)


def start_rows(primitives: PrimitiveSet, capacity: int, features: Features) -> Array:
    """Return float32[rows, B]: an empty stack, a spare row for padding, and the features, if operands read them.

    With packed features the rows are int32[rows, B]: the same rows bit for bit, then the packed words. So every operand
    is read from one array.
    """
    numbers = _numbers(features)
    rows = jnp.zeros((stack_bound(primitives.max_arity, capacity) + 1, numbers.shape[1]), jnp.float32)
    if any(p.feature is not None or p.reads_one for p in primitives.primitives):
        rows = jnp.concatenate([rows, numbers])
    return jnp.concatenate([_bits(rows), _bits(features.words)]) if isinstance(features, Packed) else rows


def run_step(primitives: PrimitiveSet, i: Array, plans: Plan, features: Features, rows: Array) -> Array:
    """Run instruction `i` of one program."""
    # Unsigned: for a signed index, JAX tests whether it is negative, which costs a CPU an extra call.
    at = i.astype(jnp.uint32)
    fields = (plans.kind, plans.operand, plans.constant, plans.slot)
    instruction = tuple(lax.dynamic_index_in_dim(field, at, 0, keepdims=False) for field in fields)
    return _call(primitives, instruction, features, rows)


def read_root(primitives: PrimitiveSet, plans: Plan, features: Features, rows: Array) -> Array:
    """Return float32[B]: the value of one program after all its steps."""
    return _read(primitives, features, rows, plans.root, plans.root_constant)


def _call(primitives: PrimitiveSet, instruction: tuple[Array, ...], features: Features, rows: Array) -> Array:
    """Run an instruction (kind, operands, constants, slot): compute all functions, keep the value of one."""
    kind, operand, constant, slot = instruction
    args = [_read(primitives, features, rows, operand[k], constant[k]) for k in range(primitives.max_arity)]
    values = [apply(p, _numbers(features), args) for p in instructions(primitives)]
    value = lax.select_n(kind, *values) if len(values) > 1 else values[0]
    if isinstance(features, Packed):
        return lax.dynamic_update_index_in_dim(rows, _bits(value), slot.astype(jnp.uint32), 0)
    return rows.at[slot].set(value)


def _read(primitives: PrimitiveSet, features: Features, rows: Array, operand: Array, constant: Array) -> Array:
    row = _unpacked_row(features, rows, operand) if isinstance(features, Packed) else rows[operand]
    row = product(row, constant, operand) if primitives.multiplies else row
    return jnp.where(operand == CONSTANT, constant, row)


def _numbers(features: Features) -> Array:
    return features.numbers if isinstance(features, Packed) else features


def _bits(values: Array) -> Array:
    return lax.bitcast_convert_type(values, jnp.int32)


def _unpacked_row(features: Packed, rows: Array, operand: Array) -> Array:
    """Return float32[B]: a stack row or a feature; the first features are truth values, packed into words."""
    words = features.words.shape[0]
    truths = 32 * words
    feature = operand - (rows.shape[0] - features.numbers.shape[0] - words)
    is_truth = (feature >= 0) & (feature < truths)
    word = rows.shape[0] - words + (feature >> 5)
    at = jnp.where(is_truth, word, jnp.where(feature < 0, operand, operand - truths))
    row = lax.dynamic_index_in_dim(rows, at.astype(jnp.uint32), 0, keepdims=False)
    truth = (row >> (feature & 31)) & 1
    return jnp.where(is_truth, truth.astype(jnp.float32), lax.bitcast_convert_type(row, jnp.float32))


def _run(primitives: PrimitiveSet, plans: Plan, features: Features, bound: Array | int) -> Array:
    """Evaluate one planned tree on features [F, B]."""
    rows = start_rows(primitives, plans.kind.shape[-1], features)
    if instructions(primitives):
        rows = lax.fori_loop(0, bound, lambda i, rows: run_step(primitives, i, plans, features, rows), rows)
    return read_root(primitives, plans, features, rows)
