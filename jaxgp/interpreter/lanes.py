"""Evaluates one tree in each lane, with the effects of its evaluation: drivers whose programs act now and then.

Values flow through a program in an order of the interpreter's own. Effects keep the written order all the same. Each
node hands up, beside its value, which effects its evaluation had: a set of bits, one for each node with an effect,
numbered in the written order. The sets of two arguments have no bit in common, so their union is a sum. A function that
picks an argument hands up the sets of those that decide, and that of the one picked: its own `call` picks it.
"""

from functools import partial

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array, lax

from jaxgp.arrays import longest_first
from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.interpreter.calls import apply, instructions
from jaxgp.interpreter.plan import Plan, stack_bound

LEAST = 16
"""The smallest number of lanes that gets a loop of its own."""
SHARE = 2
"""When all lanes but one in so many are done, the loop goes on with the rest."""


@struct.dataclass
class Effects:
    """What evaluations did beside giving a value; Q is `PrimitiveSet.effects`."""

    amounts: Array  # float32[..., Q]: above 0, in the order of execution; 0 beyond `count`
    count: Array  # int32[...]


@struct.dataclass
class _Rows:
    """What lanes [W] remember between steps."""

    values: Array  # float32[R, W]: the stack, the row that padding writes, and the features
    done: Array  # float32[S + 1, W]: the set of effects below each stack row, bit by bit; without effects [0, W]
    amounts: Array  # float32[Q, W]: of the effects, by number


def evaluate_lanes(
    primitives: PrimitiveSet, plans: Plan, tree: Array, features: Array, active: Array
) -> tuple[Array, Effects]:
    """Evaluate in each lane the tree that it names.

    Lanes are sorted by the steps of their trees, and the loop drops those that are done.

    Args:
        primitives: the set the plans were made with; without weights and factors.
        plans: of batch shape [N].
        tree: int32[K], from 0 to N - 1.
        features: float32[F, K]; or float64, with plans of programs whose values are float64.
        active: bool[K], the lanes that matter.

    Returns:
        float32[K] values, and effects [K]; unspecified where a lane is not active.
    """
    steps = jnp.where(active, plans.steps[tree], 0)
    steps, order = longest_first(steps)
    tree = tree[order]
    spare, lanes = stack_bound(primitives.max_arity, plans.kind.shape[-1]) + 1, len(order)
    empty = partial(jnp.zeros, dtype=features.dtype)
    values = jnp.concatenate([empty((spare, lanes)), features[:, order]])
    rows = _Rows(values, empty((spare * bool(primitives.effects), lanes)), empty((primitives.effects, lanes)))
    found: list[tuple[Array, Array, Array]] = []
    width, begun = lanes, jnp.int32(0)
    while width:
        rest = width // SHARE if width // SHARE >= LEAST else 0
        step = partial(_step, primitives, plans, tree[:width])
        if instructions(primitives):
            rows = lax.fori_loop(begun, steps[rest], step, rows)
        found.insert(0, _results(plans, tree[rest:width], jax.tree.map(lambda x, n=rest: x[:, n:], rows)))
        rows, begun, width = jax.tree.map(lambda x, n=rest: x[:, :n], rows), steps[rest], rest
    back = jnp.argsort(order)
    value, done, amounts = (jnp.concatenate(one, -1)[..., back] for one in zip(*found, strict=True))
    return value, _in_order(done, amounts)


def _step(primitives: PrimitiveSet, plans: Plan, tree: Array, i: Array, rows: _Rows) -> _Rows:
    """Run step `i` of the trees that lanes [W] name."""
    kind, slot = plans.kind[tree, i], plans.slot[tree, i]
    operand, constant = plans.operand[tree, i].T, plans.constant[tree, i].T
    spare = stack_bound(primitives.max_arity, plans.kind.shape[-1]) + 1
    args = [_read(rows.values, one, number) for one, number in zip(operand, constant, strict=True)]
    among = instructions(primitives)
    value = _select(kind, [apply(p, rows.values[spare:], args) for p in among])
    stack = jnp.arange(spare)[:, None] == slot
    values = rows.values.at[:spare].set(jnp.where(stack, value, rows.values[:spare]))
    if plans.effect is None:
        return _Rows(values, rows.done, rows.amounts)
    below = [_read(rows.done, jnp.where(one < spare, one, -1), 0.0) for one in operand]
    amount = _select(kind, [_amount(p, args) for p in among])
    effect = plans.effect[tree, i]
    bit = jnp.left_shift(1, jnp.maximum(effect, 0)).astype(value.dtype)
    done = _select(kind, [_union(p, rows.values[spare:], args, below) for p in among]) + jnp.where(amount > 0, bit, 0)
    amounts = jnp.where(jnp.arange(len(rows.amounts))[:, None] == effect, amount, rows.amounts)
    return _Rows(values, jnp.where(stack, done, rows.done), amounts)


def _results(plans: Plan, tree: Array, rows: _Rows) -> tuple[Array, Array, Array]:
    """Return the values, the sets of effects and the amounts of lanes that are done."""
    root = plans.root[tree]
    done = _read(rows.done, jnp.where(root < len(rows.done), root, -1), 0.0) if len(rows.done) else jnp.zeros_like(root)
    return _read(rows.values, root, plans.root_constant[tree]), done, rows.amounts


def _read(rows: Array, operand: Array, constant: Array | float) -> Array:
    """Return float32[W]: the row that each operand (int32[W]) names; the constant where it names none."""
    lane = jnp.maximum(operand, 0) * rows.shape[1] + jnp.arange(rows.shape[1])
    return jnp.where(operand < 0, constant, rows.reshape(-1).at[lane].get(mode="promise_in_bounds"))


def _select(kind: Array, values: list[Array]) -> Array:
    return lax.select_n(kind, *values) if len(values) > 1 else values[0]


def _amount(primitive: Primitive, args: list[Array]) -> Array:
    """Return float32[W]: what a function does beside giving a value; 0: nothing."""
    if primitive.effect is None:
        return jnp.zeros_like(args[0])
    return jnp.asarray(primitive.effect(*args[: primitive.arity]), args[0].dtype)


def _union(primitive: Primitive, features: Array, args: list[Array], below: list[Array]) -> Array:
    """Return float32[W]: the effects below a function, from those below its arguments."""
    decide = primitive.arity - primitive.picks
    union = sum(below[:decide], jnp.zeros_like(args[0]))
    if primitive.picks:
        union += apply(primitive, features, [*args[:decide], *below[decide : primitive.arity]])
    return union


def _in_order(done: Array, amounts: Array) -> Effects:
    """Return the effects [K] of which the sets tell that they happened, from the amounts [Q, K] of all."""
    place = jnp.arange(len(amounts))[:, None]
    happened = (done.astype(jnp.int32) >> place & 1) > 0
    rank = jnp.cumsum(happened, 0, dtype=jnp.int32) - 1
    at = happened & (rank == place[:, None])  # [new place, number, lane]
    return Effects(jnp.where(at, amounts, 0).sum(1).T, happened.sum(0, dtype=jnp.int32))
