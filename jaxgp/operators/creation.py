"""Random programs: full, grow, and ramped half-and-half (J. Koza, "Genetic Programming", 1992, section 6.2).

Types are respected as in STGP (D. Montana, "Strongly Typed Genetic Programming", 1995), where tables say which
primitives can still be completed. Here tables give the least number of nodes that completes a slot within a depth. So
a tree is only begun if it can be finished within its depth limit and room: creation never fails and never retries.

All trees of a batch grow side by side, one node a step. The root comes first, then its last argument. Read backwards,
this is postfix order with the arguments in declared order.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.genotypes.primitives import UNREACHABLE, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.operators import draw
from jaxgp.operators.options import CreationOptions

Growth = tuple[Array, Array, Array, Array, Array, Array, Array | None]
"""The carry of the loop that grows trees."""


@struct.dataclass
class Request:
    """Which tree to make; one request per tree, unbatched here."""

    slot: Array  # int32[]: type id of the slot that it fills
    depth: Array  # int32[]: depth limit; 0 is a single terminal
    room: Array  # int32[]: nodes that it may have
    root: Array  # int32[]: opcode of its root, which must fit the slot; -1 leaves it to chance
    full: Array  # bool[]: functions wherever they fit, so that all leaves lie at the depth limit
    wanted: Array  # bool[]: make none where false
    effects: Array | None = None  # int32[]: nodes with an effect that it may have; None: as many as the set allows


def least_sizes(primitives: PrimitiveSet, max_depth: int) -> tuple[Any, Any]:
    """Tabulate the nodes of the smallest tree no deeper than d, for d from 0 to max_depth.

    Depth and size belong in one table: the shallowest tree of a type need not be its smallest. No effects are below the
    root, since a tree may have only so many.

    Returns:
        int32[max_depth + 1, types] for a slot, and int32[max_depth + 1, N] under each primitive; UNREACHABLE where no
        tree is that shallow. They are traced if what the set allows is.
    """
    fills = primitives.fills & ~primitives.acts
    xp: Any = np if isinstance(fills, np.ndarray) else jnp
    never, none = np.int32(UNREACHABLE), np.int32(0)
    argument = np.arange(primitives.max_arity) < primitives.arity[:, None]
    of_slot: list[Any] = [np.full(len(primitives.types), never)]  # of trees that are shallower than a terminal
    of_primitive: list[Any] = []
    for _ in range(max_depth + 1):
        below = xp.where(argument, of_slot[-1][primitives.arg_type], none).sum(1, dtype=np.int32)
        of_primitive.append(xp.minimum(never, 1 + below))
        of_slot.append(xp.where(fills, of_primitive[-1], never).min(1))
    return xp.stack(of_slot[1:]), xp.stack(of_primitive)


def generate(
    words: Array,
    primitives: PrimitiveSet,
    requests: Request,
    max_depth: int,
    terminal_probability: float | None = None,
) -> Programs:
    """Make a random tree for each request.

    Every node is drawn by weight from the primitives that fit the slot and can be completed within the depth and the
    room that the other open slots leave.

    The stack of open slots holds the top slot and, for each function on the path to it, at most max_arity - 1 arguments
    not yet begun: 1 + max_depth * (max_arity - 1) slots in all. Each open slot needs at least one node, and together
    they never need more than the room, so `capacity` is a second bound.

    Args:
        words: random uint32[B, L, 3], three for each node that may be made.
        primitives: the primitive set.
        requests: fields [B]; depth limits up to `max_depth`, rooms up to `capacity`.
        max_depth: bound of the depth limits; it sizes the stack.
        terminal_probability: chance of a terminal where both a terminal and a function fit; None: all by weight.

    Returns:
        Programs [B, L]; length 0 where none is wanted, or where depth and room allow none.
    """
    batch, capacity, _ = words.shape
    slot_size, primitive_size = (jnp.asarray(t) for t in least_sizes(primitives, max_depth))
    arity, arg_type = jnp.asarray(primitives.arity), jnp.asarray(primitives.arg_type)
    fills, weighs = jnp.asarray(primitives.fills), jnp.asarray(primitives.weight > 0)
    acts = jnp.asarray(primitives.acts)
    function = jnp.arange(len(primitives.primitives)) >= primitives.num_terminals
    types, widest = len(primitives.types), primitives.max_arity
    # Each function writes `widest` arguments, whatever its arity; `widest` spare slots hold the surplus above the top.
    slots = min(capacity, 1 + max_depth * (widest - 1)) + widest

    def begin(request: Request) -> tuple[Array, Array, Array]:
        limit = jnp.clip(request.depth, 0, max_depth)
        least = jnp.where(request.root >= 0, primitive_size[limit, request.root], slot_size[limit, request.slot])
        stack = jnp.zeros(slots, jnp.int32).at[0].set(request.slot)
        count = (request.wanted & (least <= request.room)).astype(jnp.int32)
        return stack, count, slot_size[limit, request.slot]

    def place(
        word: Array, request: Request, stack: Array, count: Array, owed: Array, acted: Array | None, step: Array
    ) -> tuple[Array, Array, Array, Array | None, Array]:
        """Fill the slot on top of the stack with the tree's node number `step`."""
        slot, depth = stack[count - 1] % types, stack[count - 1] // types
        left = jnp.clip(request.depth - depth, 0, max_depth)
        others = owed - slot_size[left, slot]
        fits = fills[slot] & (primitive_size[left] <= request.room - step - others)
        if acted is not None:
            fits &= ~acts | (acted < (primitives.effects if request.effects is None else request.effects))
        fits = jnp.where((fits & weighs).any(), fits & weighs, fits)
        kind, decided = function, request.full
        if terminal_probability is not None:
            kind = function == (request.full | (draw.fraction(word[0]) >= terminal_probability))
            decided = jnp.bool_(True)
        fits = jnp.where(decided & (fits & kind).any(), fits & kind, fits)
        code = draw.primitive(word[1], primitives, fits)
        code = jnp.where((step == 0) & (request.root >= 0), request.root, code)
        stack = jax.lax.dynamic_update_slice(stack, arg_type[code] + types * (depth + 1), (count - 1,))
        alive = count > 0
        count = jnp.where(alive, count - 1 + arity[code], count)
        acted = None if acted is None else acted + (alive & acts[code])
        owed = others + primitive_size[left, code] - 1
        return stack, count, owed, acted, jnp.where(alive, code, 0).astype(jnp.int16)

    def advance(state: Growth) -> Growth:
        step, stack, count, owed, codes, length, acted = state
        length = length + (count > 0)
        stack, count, owed, acted, code = jax.vmap(partial(place, step=step))(
            words[:, step], requests, stack, count, owed, acted
        )
        # All lanes place their nodes in the same step, so this writes one row; per lane it would be a scatter.
        return step + 1, stack, count, owed, codes.at[step].set(code), length, acted

    stack, count, owed = jax.vmap(begin)(requests)
    codes, nobody = jnp.zeros((capacity, batch), jnp.int16), jnp.zeros(batch, jnp.int32)
    # The invariant owed <= room - step, which `begin` establishes, ends the loop within `capacity` steps.
    acted = nobody if primitives.effects else None
    steps, *_, codes, length, _ = jax.lax.while_loop(
        lambda state: (state[2] > 0).any(), advance, (jnp.int32(0), stack, count, owed, codes, nobody, acted)
    )

    def measure(step: Array, state: tuple[Array, ...]) -> tuple[Array, ...]:
        """Read the nodes in postfix order, and keep the sizes of the finished subtrees on stacks."""
        sizes, stack, count = state
        at = steps - 1 - step
        node = arity[codes[at]]
        first = jnp.where(node == 0, step, jnp.take_along_axis(stack, (count - node)[:, None], 1)[:, 0])
        alive = at < length
        count = jnp.where(alive, count - node, count)
        stack = jnp.where(jnp.arange(slots) == count[:, None], first[:, None], stack)
        return sizes.at[at].set(jnp.where(alive, step - first + 1, 0).astype(jnp.int16)), stack, count + alive

    # The stacks of finished subtrees are as deep as the stacks of open slots, since they follow the same paths.
    sizes, *_ = jax.lax.fori_loop(0, steps, measure, (jnp.zeros_like(codes), jnp.zeros_like(stack), nobody))

    def finish(word: Array, codes: Array, sizes: Array, length: Array) -> Programs:
        index = jnp.arange(capacity)
        live = index < length
        at = jnp.clip(length - 1 - index, 0, capacity - 1)
        opcode, size = jnp.where(live, codes[at], 0), jnp.where(live, sizes[at], 0)
        values = jax.vmap(lambda w, code: draw.value(w, primitives, code))(word[:, 2], opcode.astype(jnp.int32))
        return Programs(opcode, jnp.where(live, values, 0.0), size, length)

    return jax.vmap(finish, in_axes=(0, 1, 1, 0))(words, codes, sizes, length)


def _least(config: CreationOptions) -> int:
    """Return the least depth limit."""
    return config.min_depth if config.method == "ramped" else config.max_depth


def check(primitives: PrimitiveSet, config: CreationOptions, capacity: int) -> None:
    """Raise a ValueError for limits within which some tree cannot exist."""
    sizes, least = least_sizes(primitives, config.max_depth)[0], _least(config)
    for name, slot in zip(primitives.roots, primitives.root_type, strict=True):
        if sizes[least, slot] > capacity:
            raise ValueError(f"creation: no tree of type {name} fits depth {least} and {capacity} nodes")


def create(key: Array, primitives: PrimitiveSet, config: CreationOptions, population: int, capacity: int) -> Programs:
    """Make the first generation.

    `ramped` spreads the depth limits evenly over min_depth..max_depth by the index of the individual, and alternates
    `full` and `grow` from one round of limits to the next.

    Returns:
        Programs [P, T, L], every tree within max_depth and `capacity`.

    Raises:
        ValueError: limits within which some tree cannot exist, unless what the set allows is traced; see `check`.
    """
    if isinstance(primitives.allowed, np.ndarray):
        check(primitives, config, capacity)
    least = _least(config)
    index = np.arange(population)
    limits = config.max_depth - least + 1
    full = {"grow": index < 0, "full": index >= 0, "ramped": index // limits % 2 == 0}[config.method]
    trees = primitives.num_trees
    requests = Request(
        slot=jnp.tile(jnp.asarray(primitives.root_type), population),
        depth=jnp.repeat(jnp.asarray(least + index % limits, jnp.int32), trees),
        room=jnp.full(population * trees, capacity, jnp.int32),
        root=jnp.full(population * trees, -1, jnp.int32),
        full=jnp.repeat(jnp.asarray(full), trees),
        wanted=jnp.ones(population * trees, bool),
    )
    words = jax.vmap(lambda k: draw.words(k, capacity, 3))(jax.random.split(key, population * trees))
    made = generate(words, primitives, requests, config.max_depth, config.terminal_probability)
    return jax.tree.map(lambda field: field.reshape(population, trees, *field.shape[1:]), made)
