"""Other ways to evaluate a population, for the benchmark alone. They all give what `evaluate` gives.

A layout is a pair. `prepare(primitives, programs [P, L])` runs once per generation. `run(primitives, prepared,
features float32[P, F, B]) -> float32[P, B]` runs at every move. `LAYOUTS` names them all.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.genotypes import programs as lp
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import apply, called, numbers, tables
from jaxgp.interpreter.evaluate import evaluate, evaluate_together, uneven_by_halves
from jaxgp.interpreter.plan import CONSTANT, argument_roots, plan


class Layout(NamedTuple):
    """How to evaluate a population: see the module."""

    prepare: Callable[[PrimitiveSet, Programs], Any]
    run: Callable[[PrimitiveSet, Any, Array], Array]


@struct.dataclass
class Levels:
    """Instructions of all programs, lowest height first: N = P * L places, A arguments.

    An operand is the place of another instruction, CONSTANT, or -2 - f for feature f.
    """

    kind: Array  # int32[N]
    program: Array  # int32[N]: whose features it reads
    operand: Array  # int32[N, A]
    constant: Array  # float32[N, A]
    end: Array  # int32[N]: first place after the instruction's level
    total: Array  # int32[]: places in use
    root: Array  # int32[P]: operand of each program's result
    root_constant: Array  # float32[P]


def prepare_levels(primitives: PrimitiveSet, programs: Programs) -> Levels:
    """Sort the instructions of programs [P, L] by height: instructions of one height are independent."""
    count, capacity = programs.opcode.shape
    width = primitives.max_arity
    _check_plain(primitives)
    takes_step, kinds, feature = (jnp.asarray(table) for table in tables(primitives, called(primitives)))
    code = programs.opcode.astype(jnp.int32)
    runs = jax.vmap(lp.live)(programs) & takes_step[code]
    arity = jnp.where(runs, jnp.asarray(primitives.arity)[code], 0)
    children = jax.vmap(lambda s, a: argument_roots(s.astype(jnp.int32), a, width))(programs.size, arity)

    def visit(i: Array, height: Array) -> Array:
        def one(height: Array, child: Array, runs: Array) -> Array:
            below = jnp.where(child[i] >= 0, height[child[i]], 0).max()
            return height.at[i].set(jnp.where(runs[i], 1 + below, 0))

        return jax.vmap(one)(height, children, runs)

    height = jax.lax.fori_loop(0, programs.length.max(), visit, jnp.zeros_like(code)).reshape(-1)
    key = jnp.where(height > 0, height, capacity + 1)
    order = jnp.argsort(key)
    place = jnp.zeros_like(order).at[order].set(jnp.arange(order.shape[0], dtype=order.dtype))
    leaf = jnp.where(feature[code] >= 0, -2 - feature[code], CONSTANT).reshape(-1)
    row = jnp.where(runs.reshape(-1), place, leaf).astype(jnp.int32)
    base = (jnp.arange(count, dtype=jnp.int32) * capacity)[:, None, None]
    child = jnp.where(children >= 0, children + base, -1).reshape(-1, width)[order]
    value = numbers(primitives, programs).reshape(-1)
    parameter = value[order][:, None] * (jnp.arange(width) == 0)
    ranked = key[order]
    last = jnp.arange(count) * capacity + programs.length - 1
    return Levels(
        kind=kinds[code].reshape(-1)[order],
        program=(order // capacity).astype(jnp.int32),
        operand=jnp.where(child >= 0, row[child], CONSTANT),
        constant=jnp.where(child >= 0, value[child], parameter),
        end=jnp.searchsorted(ranked, ranked, side="right").astype(jnp.int32),
        total=runs.sum(dtype=jnp.int32),
        root=row[last],
        root_constant=value[last],
    )


def run_levels(primitives: PrimitiveSet, levels: Levels, features: Array, block: int = 1024) -> Array:
    """Evaluate blocks of independent instructions, of all programs together.

    The number of steps depends on the greatest height, not on the longest program. But every value is kept: memory
    grows with P * L * B.
    """
    count, width, cases = features.shape
    places = levels.kind.shape[0]
    block = min(block, places)
    kinds = called(primitives)
    seen = features.reshape(count * width, cases)

    def read(values: Array, program: Array, operand: Array, constant: Array) -> Array:
        found = jnp.where((operand == CONSTANT)[:, None], constant[:, None], values[jnp.maximum(operand, 0)])
        if any(p.feature is not None for p in primitives.terminals):
            of_position = seen[program * width + jnp.maximum(-2 - operand, 0)]
            found = jnp.where((operand < CONSTANT)[:, None], of_position, found)
        return found

    def step(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        start, values = carry

        def here(name: str) -> Array:
            return jax.lax.dynamic_slice_in_dim(padded[name], start, block)

        kind, program, operand, constant = (here(name) for name in ("kind", "program", "operand", "constant"))
        args = [read(values, program, operand[:, k], constant[:, k]) for k in range(primitives.max_arity)]
        made = [jax.vmap(lambda f, *a, p=p: apply(p, f, a))(features[program], *args) for p in kinds]
        chosen = jnp.broadcast_to(kind[:, None], made[0].shape)
        value = jax.lax.select_n(chosen, *made) if len(made) > 1 else made[0]
        values = jax.lax.dynamic_update_slice_in_dim(values, value, start, 0)
        return jnp.minimum(start + block, levels.end[start]), values

    # A block at the very end reaches past the last place.
    padded = {
        name: jnp.pad(field, [(0, block)] + [(0, 0)] * (field.ndim - 1))
        for name, field in (
            ("kind", levels.kind),
            ("program", levels.program),
            ("operand", levels.operand),
            ("constant", levels.constant),
        )
    }
    values = jnp.zeros((places + block, cases), jnp.float32)
    if kinds:
        _, values = jax.lax.while_loop(lambda carry: carry[0] < levels.total, step, (jnp.int32(0), values))
    return read(values, jnp.arange(count), levels.root, levels.root_constant)


def run_switch(primitives: PrimitiveSet, programs: Programs, features: Array) -> Array:
    """Evaluate node by node with a switch over the whole set, cases under `vmap`: what most libraries do."""
    arity, index = jnp.asarray(primitives.arity), primitives.primitives

    def one(tree: Programs, position: Array) -> Array:
        number = numbers(primitives, tree)

        def visit(i: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
            top, stack = carry  # values of the finished subtrees; `top` of them
            code = tree.opcode[i].astype(jnp.int32)
            bottom = top - arity[code]
            args = [stack[bottom + k] for k in range(primitives.max_arity)]

            def branch(k: int) -> Callable[[], Array]:
                p = index[k]
                if p.feature is not None:
                    return lambda: position[p.feature]
                if p.call is None:
                    return lambda: number[i]
                taken = args[: p.arity] if p.args else [tree.value[i]]
                return lambda: apply(p, position[:, None], [a[None] for a in taken])[0]

            value = jax.lax.switch(code, [branch(k) for k in range(len(index))])
            here = i < tree.length
            return jnp.where(here, bottom + 1, top), jnp.where(here, stack.at[bottom].set(value), stack)

        # Left to right, a tree may hold nearly all of its nodes on the stack at once.
        stack = jnp.zeros(tree.capacity + primitives.max_arity, jnp.float32)
        return jax.lax.fori_loop(0, bound, visit, (jnp.int32(0), stack))[1][0]

    bound = programs.length.max()
    return jax.vmap(lambda tree, seen: jax.vmap(one, (None, 1))(tree, seen))(programs, features)


def prepare_switch(primitives: PrimitiveSet, programs: Programs) -> Programs:
    """Take programs [P, L] as they are."""
    _check_plain(primitives)
    return programs


def _check_plain(primitives: PrimitiveSet) -> None:
    if primitives.weighted or primitives.factored:
        raise ValueError(f"primitive set {primitives.name}: this layout knows neither weights nor factors")


LAYOUTS = {
    "planned": Layout(plan, evaluate),
    "together": Layout(plan, evaluate_together),
    "halves": Layout(plan, uneven_by_halves),
    "levels": Layout(prepare_levels, run_levels),
    "switch": Layout(prepare_switch, run_switch),
}
