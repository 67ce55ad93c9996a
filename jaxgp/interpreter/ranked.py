"""Evaluates many programs on few positions each, as the drivers of simulations do: one lane for each tree.

Trees are ranked by descending number of steps. When half of them are done, the loop goes on with the other half, and so
on; so no tree runs much longer than it needs. The instructions lie step by step, so that all lanes read their own in
one sweep. Ranking takes as long as some steps: it is done once for many evaluations. All values are equal bit for bit
to those of `jaxgp.interpreter.evaluate`.
"""

from collections.abc import Sequence

import jax.numpy as jnp
from flax import struct
from jax import Array, lax

from jaxgp.arrays import longest_first
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.calls import apply, instructions
from jaxgp.interpreter.plan import Plan, stack_bound

LEAST = 16
"""Trees that get no loop of their own, however short they are beside the others."""


@struct.dataclass
class Ranked:
    """Planned trees [N], longest first; rows are those of a `Plan`."""

    order: Array  # int32[N]: the place of each among the trees [P * T]
    steps: Array  # int32[N]
    kind: Array  # int32[L, N]; instructions beyond the steps of the longest tree are unspecified
    slot: Array  # int32[L, N]
    operand: Array  # int16[L, A, N]
    constant: Array  # float32[L, A, N]
    root: Array  # int32[N]
    root_constant: Array  # float32[N]


def rank(plans: Plan) -> Ranked:
    """Rank the trees of programs [P, T]."""
    trees = plans.steps.size
    length, arity = plans.operand.shape[-2:]
    steps = plans.steps.reshape(-1)
    steps, order = longest_first(steps)
    kind, slot = plans.kind.reshape(trees, length), plans.slot.reshape(trees, length)
    operand = plans.operand.reshape(trees, length, arity)
    constant = plans.constant.reshape(trees, length, arity)

    def fetch(i: Array, found: tuple[Array, ...]) -> tuple[Array, ...]:
        """Lay out the instructions of step `i`: there are many more places for instructions than steps."""
        read = kind[order, i], slot[order, i], operand[order, i].T.astype(jnp.int16), constant[order, i].T
        return tuple(lax.dynamic_update_index_in_dim(x, y, i, 0) for x, y in zip(found, read, strict=True))

    empty = (
        jnp.zeros((length, trees), jnp.int32),
        jnp.zeros((length, trees), jnp.int32),
        jnp.zeros((length, arity, trees), jnp.int16),
        jnp.zeros((length, arity, trees), jnp.float32),
    )
    laid = lax.fori_loop(0, steps.max(), fetch, empty)
    roots, constants = (one.reshape(-1)[order] for one in (plans.root, plans.root_constant))
    return Ranked(order, steps, laid[0], laid[1], laid[2], laid[3], roots, constants)


def evaluate_ranked(primitives: PrimitiveSet, ranked: Ranked, features: Array) -> Array:
    """Evaluate ranked trees, each on all of its program's positions.

    Args:
        primitives: the set that the programs were planned with; without weights.
        ranked: the T trees of each of P programs.
        features: float32[P, F, M].

    Returns:
        float32[P, T, M].
    """
    programs, cases, trees = len(features), features.shape[-1], len(ranked.order)
    spare = stack_bound(primitives.max_arity, ranked.kind.shape[0])
    seen = features[ranked.order // (trees // programs)].swapaxes(0, 1)
    # The row that padding writes is left out: no lane runs beyond its steps by more than it may write in vain.
    rows = jnp.concatenate([jnp.zeros((spare, trees, cases), jnp.float32), seen])
    values: list[Array] = []
    width, done = trees, jnp.int32(0)
    while width:
        rest = width // 2 if width // 2 >= LEAST else 0
        rows = _run(primitives, ranked, rows, spare, done, ranked.steps[rest])
        value = _read(primitives, rows, spare, ranked.root[:width], ranked.root_constant[:width])
        values.insert(0, value[rest:])
        rows, done, width = rows[:, :rest], ranked.steps[rest], rest
    found = jnp.concatenate(values)
    return jnp.zeros_like(found).at[ranked.order].set(found).reshape(programs, trees // programs, cases)


def _run(primitives: PrimitiveSet, ranked: Ranked, rows: Array, spare: int, first: Array, last: Array) -> Array:
    """Run some steps of the trees that have a place in `rows`, float32[rows, W, M]."""
    width = rows.shape[1]
    place = jnp.arange(rows.shape[0])[:, None, None]

    def written(rows: Array, value: Array, slot: Array) -> Array:
        # As a scatter this would be a loop over the lanes.
        return jnp.where((place == slot[:, None]) & (place < spare), value, rows)

    def step(i: Array, carry: tuple[Array, Array, Array]) -> tuple[Array, ...]:
        # The value of a step is written at the beginning of the next one: it is computed once, and not for each row.
        rows = written(*carry)
        kind, slot, operand, constant = (
            lax.dynamic_slice(x, (i, *(0,) * (x.ndim - 1)), (1, *x.shape[1:-1], width))[0]
            for x in (ranked.kind, ranked.slot, ranked.operand, ranked.constant)
        )
        args = [
            _read(primitives, rows, spare, operand[k].astype(jnp.int32), constant[k]).reshape(-1)
            for k in range(primitives.max_arity)
        ]
        found = [apply(one, rows[spare:].reshape(len(rows) - spare, -1), args) for one in instructions(primitives)]
        return rows, _chosen(kind, found, rows.shape[1:]), slot

    begun = rows, jnp.zeros(rows.shape[1:], jnp.float32), jnp.full(width, -1, jnp.int32)
    return written(*lax.fori_loop(first, last, step, begun)) if instructions(primitives) else rows


def _chosen(kind: Array, values: Sequence[Array], shape: tuple[int, ...]) -> Array:
    each = [value.reshape(shape) for value in values]
    return lax.select_n(jnp.broadcast_to(kind[:, None], shape), *each) if len(each) > 1 else each[0]


def _read(primitives: PrimitiveSet, rows: Array, spare: int, operand: Array, constant: Array) -> Array:
    """Return float32[W, M]: the rows that operands (int32[W]) name, times their factors, or constants."""
    width, cases = rows.shape[1:]
    row = jnp.maximum(operand - (operand > spare), 0)  # the features follow the spare row of the plan
    lane = (row * width + jnp.arange(width))[:, None] * cases + jnp.arange(cases)
    value = rows.reshape(-1).at[lane].get(mode="promise_in_bounds")
    value = value * constant[:, None] if primitives.factored else value
    return jnp.where(operand[:, None] < 0, constant[:, None], value)
