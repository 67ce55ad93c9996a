"""Small operations on arrays and on trees of arrays that many rooms need, each written once."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax

if TYPE_CHECKING:
    from jaxgp.contracts import Position

Tree = TypeVar("Tree")
State = TypeVar("State", bound="Position")
Result = TypeVar("Result")


def take(tree: Tree, index: Array) -> Tree:
    """Return the items of a tree of arrays [N, ...] at `index` (int32[...])."""
    return jax.tree.map(lambda x: x[index], tree)


def where(condition: Array, yes: Tree, no: Tree) -> Tree:
    """Choose between two trees of arrays [*B, ...] by bool[*B]: whole items of `yes` where it holds, else of `no`."""

    def one(a: Array, b: Array) -> Array:
        return jnp.where(condition.reshape(condition.shape + (1,) * (jnp.ndim(a) - condition.ndim)), a, b)

    return jax.tree.map(one, yes, no)


def freeze(before: State, after: State) -> State:
    """Return `before` if its game has ended, else `after`: what a step of an ended game has to return."""
    return where(before.terminated, before, after)


def win_loss(scores: Array) -> Array:
    """Turn float32[2] scores into returns: 1 for the higher, -1 for the lower, 0 and 0 where they are equal."""
    sign = jnp.sign(scores[0] - scores[1])
    return jnp.stack([sign, -sign]).astype(jnp.float32)


def comparable(values: Array) -> Array:
    """Return float32[...]: the same, with NaN as the worst there is."""
    return jnp.where(jnp.isnan(values), -jnp.inf, values)


def groups(rows: Array) -> tuple[Array, Array]:
    """Sort uint32[P, W]: int32[P] group of equals at each place, from 0 on, and int32[P] the sorting order."""
    order = jnp.lexsort(rows.T)
    ordered = rows[order]
    fresh = (ordered[1:] != ordered[:-1]).any(-1)
    return jnp.concatenate([jnp.zeros(1, jnp.int32), jnp.cumsum(fresh, dtype=jnp.int32)]), order


def count_distinct(rows: Array) -> Array:
    """Return int32[]: how many distinct rows uint32[P, W] has."""
    return groups(rows)[0][-1] + 1


def apart(function: Callable[..., Result], *args: object, running: Array | None = None) -> Result:
    """Call `function` so that XLA's CPU compiler does not fuse it with what uses its result.

    The compiler would compute the whole chain anew for each array that depends on it. An optimization barrier alone
    does not stop it. A conditional does, if the compiler cannot know that its condition is true.

    Args:
        function: of arrays.
        args: its arguments.
        running: bool[], true; None: a constant behind a barrier.
    """

    def conditional(*args: object) -> Result:
        shapes = jax.eval_shape(function, *args)

        def nothing(*_: object) -> Result:
            # Made in here: from outside, the zeros would be an operand, written whenever the function is called.
            return jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)

        condition = lax.optimization_barrier(jnp.bool_(True)) if running is None else running
        return lax.cond(condition, function, nothing, *args)

    return lax.platform_dependent(*args, cpu=conditional, default=function)
