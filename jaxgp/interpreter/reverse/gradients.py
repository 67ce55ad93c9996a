"""Losses of programs, and their gradients by all numbers, block of positions after block."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.reverse.tape import Reverse, Tape, plan_tape, scales


class Examples(NamedTuple):
    """What programs learn from: positions in K blocks of B each.

    Where each of P programs has examples of its own, there is an axis more: [P, K, ...], or [K, P, ...] where they are
    learned from. Only the features of [P, K, ...] may be packed.
    """

    features: Array  # float32[K, F, B]: what a program sees of them
    tree: Array  # int32[K, B]: which tree of an individual values each; beyond the last one, none does
    known: Any  # [K, ...]: what else the loss asks of a block


Loss = Callable[[Array, Any], Array]
"""(float32[B], the values of a program in a block; `known` of it) -> float32[]; the loss is the mean of these."""
Carry = tuple[list[Array], list[Array], Array, Array]


def plan_tapes(primitives: PrimitiveSet, programs: Programs) -> tuple[Tape, ...]:
    """Plan programs [P, T, L]: tapes [P] of each of the trees."""
    trees = (jax.tree.map(lambda x, t=t: x[:, t], programs) for t in range(primitives.num_trees))
    return tuple(jax.vmap(partial(plan_tape, primitives, t))(one) for t, one in enumerate(trees))


def memory_bytes(primitives: PrimitiveSet, programs: int, capacity: int, places: int) -> int:
    """Return the bytes of the rows of so many programs on a block of so many places, both ways together."""
    return 2 * 4 * programs * primitives.num_trees * (primitives.max_arity * capacity + 2) * places


def losses(
    primitives: PrimitiveSet, tapes: tuple[Tape, ...], programs: Programs, examples: Examples, loss: Loss
) -> Array:
    """Return float32[P], the losses of programs; see `loss_and_slopes`."""
    both = _trees(primitives, tapes, programs)
    places = examples.tree.shape[-1]

    def block(carry: tuple[list[Array], Array], one: Examples) -> tuple[tuple[list[Array], Array], None]:
        rows, lost = carry
        rows, values, _ = _forward(both, rows, one)
        return (rows, lost + jax.vmap(loss, (0, _known(one)))(values, one.known)), None

    start = [tree.rows(places) for tree in both], jnp.zeros(len(programs.value), jnp.float32)
    return lax.scan(block, start, examples)[0][1] / len(examples.tree)


def loss_and_slopes(
    primitives: PrimitiveSet, tapes: tuple[Tape, ...], programs: Programs, examples: Examples, loss: Loss
) -> tuple[Array, Array]:
    """Return float32[P], the losses of programs, and float32[P, T, L], the derivatives by their numbers; else 0.

    Memory: `memory_bytes`; the number of blocks does not matter.

    Args:
        primitives: the set.
        tapes: as `plan_tapes` returned them.
        programs: [P, T, L]; numbers may have changed since.
        examples: [K, ...], the same for all programs, or [K, P, ...].
        loss: of a block, differentiable by JAX.
    """
    both = _trees(primitives, tapes, programs)
    places = examples.tree.shape[-1]

    def block(carry: Carry, one: Examples) -> tuple[Carry, None]:
        rows, back, lost, slopes = carry
        rows, values, mine = _forward(both, rows, one)
        each, slope = jax.vmap(jax.value_and_grad(loss), (0, _known(one)))(values, one.known)
        ran = [
            tree.backward(rows[t], back[t], one.features, mine[t].any(), jnp.where(mine[t], slope, 0.0))
            for t, tree in enumerate(both)
        ]
        by_tree = jnp.stack([found for _, found in ran], 1)
        return (rows, [used for used, _ in ran], lost + each, slopes + by_tree), None

    rows = [tree.rows(places) for tree in both]
    start = rows, rows, jnp.zeros(len(programs.value), jnp.float32), jnp.zeros_like(programs.value)
    (_, _, lost, slopes), _ = lax.scan(block, start, examples)
    return lost / len(examples.tree), slopes / len(examples.tree)


def slopes_by_features(
    primitives: PrimitiveSet, tapes: tuple[Tape, ...], programs: Programs, features: Array
) -> tuple[Array, Array]:
    """Return float32[P, T, B], the values of all trees, and float32[P, T, F, B], the derivatives by the features.

    Args:
        primitives: the set.
        tapes: as `plan_tapes` returned them.
        programs: [P, T, L].
        features: float32[F, B], or float32[P, F, B].
    """
    found, slopes, needed = [], [], jnp.bool_(True)
    for tree in _trees(primitives, tapes, programs):
        room = tree.rows(features.shape[-1])
        rows, values = tree.forward(room, features, needed)
        slope = jnp.ones_like(values)
        back, _ = tree.backward(rows, room, features, needed, slope)
        found.append(values)
        slopes.append(tree.by_features(back, features, slope))
    return jnp.stack(found, 1), jnp.stack(slopes, 1)


def _known(one: Examples) -> int | None:
    """Return the axis of programs in what the examples of a block know."""
    return 0 if one.tree.ndim == 2 else None


def _trees(primitives: PrimitiveSet, tapes: tuple[Tape, ...], programs: Programs) -> list[Reverse]:
    scale = scales(primitives, programs)
    return [Reverse(primitives, t, tape, scale[:, t]) for t, tape in enumerate(tapes)]


def _forward(both: list[Reverse], rows: list[Array], one: Examples) -> tuple[list[Array], Array, list[Array]]:
    """Return rows, the values of a block, float32[P, B], and bool[B] or [P, B] for each tree: what it values."""
    mine = [one.tree == t for t in range(len(both))]
    ran = [tree.forward(rows[t], one.features, mine[t].any()) for t, tree in enumerate(both)]
    values = jnp.zeros_like(ran[0][1])
    for own, (_, found) in zip(mine, ran, strict=True):
        values = jnp.where(own, found, values)
    return [filled for filled, _ in ran], values, mine
