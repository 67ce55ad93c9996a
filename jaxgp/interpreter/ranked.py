"""Evaluates many programs on few positions each, as games and simulations need it: one lane for a tree and a position.

Trees are ranked by descending number of steps. When three quarters of them are done, the loop goes on with the rest,
and so on; so no tree runs much longer than it needs. The instructions lie step by step, so that all lanes read their
own in one sweep, and step i of every tree writes row i: no value is ever overwritten, and no lane chooses where it
writes, which a CPU would do lane by lane. Ranking takes as long as some evaluations: it is done once for many of them.
All values are equal bit for bit to those of `jaxgp.interpreter.evaluate`.
"""

import math

import jax.numpy as jnp
from flax import struct
from jax import Array, lax

from jaxgp.arrays import longest_first, product
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.calls import apply, instructions
from jaxgp.interpreter.plan import CONSTANT, Plan, stack_bound

LEAST = 16
"""Trees that get no loop of their own, however short they are beside the others."""
NARROWS = 4
"""How many times as many trees a loop begins with as it ends with."""


@struct.dataclass
class Ranked:
    """Planned trees [N] = [P * T], longest first.

    Operands are rows: row i has the value of step i, and the features follow from row L on.
    """

    place: Array  # int32[P, T] or [P]: where each tree of each program stands here
    order: Array  # int32[N]: the place of each among the trees [P * T]
    steps: Array  # int32[N]
    kind: Array  # int32[L, N]; instructions beyond the steps of a tree are unspecified
    operand: Array  # int32[L, A, N]: row of each argument, or CONSTANT
    constant: Array  # float32[L, A, N]
    root: Array  # int32[N]: row of the result, or CONSTANT
    root_constant: Array  # float32[N]


def rank(primitives: PrimitiveSet, plans: Plan, who: Array | None = None) -> Ranked:
    """Rank the trees of programs [P] or [P, T], or of some of these: `who`, int32[C]; None: all."""
    shape = plans.steps.shape[1:]
    trees, length, arity = math.prod(shape), *plans.operand.shape[-2:]
    who = jnp.arange(len(plans.steps), dtype=jnp.int32) if who is None else who
    mine = (who[:, None] * trees + jnp.arange(trees)).reshape(-1)
    steps, order = longest_first(plans.steps.reshape(-1)[mine])
    which, count = mine[order], len(order)
    kind, slot = plans.kind.reshape(-1, length), plans.slot.reshape(-1, length)
    operand, constant = plans.operand.reshape(-1, length, arity), plans.constant.reshape(-1, length, arity)
    spare = stack_bound(primitives.max_arity, length)
    rows = jnp.arange(spare)[:, None]

    def named(writer: Array, row: Array) -> Array:
        """Return operands for those of a plan, int32[K, N]; `writer`, int32[S, N]: the last step of each stack row."""
        last = jnp.take_along_axis(writer, jnp.clip(row, 0, spare - 1), 0)
        return jnp.where(row > spare, length + row - spare - 1, jnp.where(row < 0, CONSTANT, last))

    def fetch(i: Array, carry: tuple[Array, ...]) -> tuple[Array, ...]:
        """Lay out the instructions of step `i`: there are many more places for instructions than steps."""
        writer, *found = carry
        read = kind[which, i], named(writer, operand[which, i].T), constant[which, i].T
        laid = (lax.dynamic_update_index_in_dim(x, y, i, 0) for x, y in zip(found, read, strict=True))
        return jnp.where(rows == slot[which, i], i, writer), *laid

    start = (
        jnp.zeros((spare, count), jnp.int32),
        jnp.zeros((length, count), jnp.int32),
        jnp.zeros((length, arity, count), jnp.int32),
        jnp.zeros((length, arity, count), jnp.float32),
    )
    writer, kinds, operands, constants = lax.fori_loop(0, steps[0], fetch, start)
    root, root_constant = plans.root.reshape(-1)[which], plans.root_constant.reshape(-1)[which]
    place = jnp.argsort(order).astype(jnp.int32).reshape(-1, *shape)
    return Ranked(place, order, steps, kinds, operands, constants, named(writer, root[None])[0], root_constant)


def evaluate_ranked(primitives: PrimitiveSet, ranked: Ranked, features: Array) -> Array:
    """Evaluate ranked trees, each on all of its program's positions.

    Args:
        primitives: the set that the programs were planned with; without weights.
        ranked: the T trees of each of P programs.
        features: float32[P, F, M].

    Returns:
        float32[P, T, M], or [P, M] where programs are single trees.
    """
    (programs, _, cases), trees = features.shape, len(ranked.order)
    seen = features[ranked.order // (trees // programs)].swapaxes(0, 1).reshape(features.shape[1], -1)
    rows = jnp.concatenate([jnp.zeros((len(ranked.kind), trees * cases), jnp.float32), seen])
    width, done = trees, jnp.int32(0)
    while width and instructions(primitives):
        rest = width // NARROWS if width // NARROWS >= LEAST else 0
        rows = _run(primitives, ranked, rows, width * cases, done, ranked.steps[rest])
        width, done = rest, ranked.steps[rest]
    found = _read(primitives, rows, *_by_lane(cases, ranked.root, ranked.root_constant))
    return found.reshape(trees, cases)[ranked.place]


def _run(primitives: PrimitiveSet, ranked: Ranked, rows: Array, lanes: int, first: Array, last: Array) -> Array:
    """Run some steps in the first lanes; `rows`, float32[L + F, N * M], holds the values of all steps and features."""
    length, trees = ranked.kind.shape
    cases = rows.shape[1] // trees

    def write(i: Array, rows: Array, value: Array) -> Array:
        return lax.dynamic_update_slice(rows, value[None], (i, 0))

    def step(i: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        # The value of a step is written at the beginning of the next one. If it were written at the end of its own,
        # XLA would fuse the writing with the reading, and then copy all rows.
        rows = write(jnp.maximum(i - 1, 0), *carry)
        here = (
            lax.dynamic_slice(x, (i, *(0,) * (x.ndim - 1)), (1, *x.shape[1:-1], lanes // cases))[0]
            for x in (ranked.kind, ranked.operand, ranked.constant)
        )
        kind, operand, constant = _by_lane(cases, *here)
        args = [_read(primitives, rows, operand[k], constant[k]) for k in range(primitives.max_arity)]
        found = [apply(one, rows[length:, :lanes], args) for one in instructions(primitives)]
        return rows, lax.select_n(kind, *found) if len(found) > 1 else found[0]

    begun = rows, rows[jnp.maximum(first - 1, 0), :lanes]
    return write(jnp.maximum(last - 1, 0), *lax.fori_loop(first, last, step, begun))


def _by_lane(cases: int, *of_trees: Array) -> list[Array]:
    """Repeat what trees [..., W] have for each of their positions: [..., W * M]."""
    return [jnp.repeat(x, cases, axis=-1) for x in of_trees]


def _read(primitives: PrimitiveSet, rows: Array, operand: Array, constant: Array) -> Array:
    """Return float32[W]: what operands of the first W lanes (int32[W]) name, times their factors, or constants."""
    lane = jnp.maximum(operand, 0) * rows.shape[1] + jnp.arange(len(operand), dtype=jnp.int32)
    value = rows.reshape(-1).at[lane].get(mode="promise_in_bounds")
    value = product(value, constant, operand) if primitives.multiplies else value
    return jnp.where(operand < 0, constant, value)
