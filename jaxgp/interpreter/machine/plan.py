"""Cuts programs that make moves into what is evaluated on every new board, and what waits in frames.

A node whose subtree makes no move is pure: its value follows from the board alone. The machine computes all pure nodes
of a program when a board is new, in the written order, and keeps their values for as long as the board stands. The
other nodes are frames: each waits for the values of its arguments, on this board or on the boards after moves.

    (If3 IsCheck (MakeBestMove EvaluateMaterial) 0)        node  0  IsCheck            pure
                                                                 1  EvaluateMaterial   pure
                                                                 2  MakeBestMove       frame; on its child boards: 1
                                                                 3  0                  pure
                                                                 4  If3                frame; on its own board: 0, 2
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.genotypes import programs as lp
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import numbers
from jaxgp.interpreter.plan import argument_roots


@struct.dataclass
class FramePlan:
    """Programs of batch shape [P]; L nodes, A = the largest arity."""

    code: Array  # int16[P, L]: opcodes
    argument: Array  # int16[P, L, A]: the node of each argument; -1: none
    pure: Array  # bool[P, L]
    reads: Array  # bool[P, L]: the value depends on the board
    feature: Array  # int16[P, L]: of a terminal that reads one; -1: it has a number
    number: Array  # float32[P, L]
    order: Array  # int16[P, L]: the pure functions, in the written order
    steps: Array  # int32[P]: how many these are
    root: Array  # int16[P]
    frames: Array  # int32[P]: the most frames that wait for each other in one evaluation of the tree
    again: Array  # bool[P]: whether the tree asks for itself


def plan_frames(primitives: PrimitiveSet, programs: Programs) -> FramePlan:
    """Plan valid programs [P, L], of one tree each."""
    return jax.vmap(partial(_plan, primitives))(programs)


def _plan(primitives: PrimitiveSet, tree: Programs) -> FramePlan:
    among = primitives.primitives
    moves = np.array([p.moves is not None for p in among])
    fixed = np.array([p.is_constant or p.fixed is not None for p in among])
    computed = np.array([bool(p.args) and p.moves is None for p in among])
    feature = np.array([-1 if p.feature is None else p.feature for p in among], np.int16)
    # A function that waits for replies has a second frame for them.
    cost = np.array([0 if p.moves is None else 1 + (p.moves.replies is not None) for p in among], np.int32)
    alive, code = lp.live(tree), tree.opcode.astype(jnp.int32)
    size = tree.size.astype(jnp.int32)
    index = jnp.arange(tree.capacity, dtype=jnp.int32)

    def below(counted: Array) -> Array:
        """Return int32[L]: how many nodes of each subtree are counted (bool[L])."""
        total = jnp.cumsum(counted & alive, dtype=jnp.int32)
        return total - jnp.where(size <= index, total[index - size], 0)

    pure = below(jnp.asarray(moves)[code]) == 0
    # The frames that wait above a node are those of its ancestors; see `jaxgp.interpreter.plan` for the sums.
    weight = jnp.where(alive & ~pure, jnp.maximum(jnp.asarray(cost)[code], 1), 0)
    first = jnp.where(alive, index - size + 1, tree.capacity)
    edges = jnp.zeros(tree.capacity + 1, jnp.int32).at[first].add(weight).at[index + 1].add(-weight)
    runs = alive & pure & jnp.asarray(computed)[code]
    place = jnp.where(runs, jnp.cumsum(runs) - 1, tree.capacity)
    arity = jnp.where(alive, jnp.asarray(primitives.arity)[code], 0)
    return FramePlan(
        code=tree.opcode,
        argument=argument_roots(size, arity, primitives.max_arity).astype(jnp.int16),
        pure=pure,
        reads=below(~jnp.asarray(fixed)[code] & (jnp.asarray(primitives.arity)[code] == 0) | jnp.asarray(moves)[code])
        > 0,
        feature=jnp.asarray(feature)[code],
        number=numbers(primitives, tree),
        order=jnp.zeros(tree.capacity, jnp.int16).at[place].set(index.astype(jnp.int16), mode="drop"),
        steps=runs.sum(dtype=jnp.int32),
        root=(tree.length - 1).astype(jnp.int16),
        frames=jnp.cumsum(edges)[:-1].max(),
        again=(alive & jnp.asarray([p.moves is not None and p.moves.how == "again" for p in among])[code]).any(),
    )


def most_frames(plans: FramePlan, deepest: int) -> Array:
    """Return int32[P]: how many frames programs need, those of the first level included.

    Args:
        plans: of the programs.
        deepest: moves that the solver may make; a tree is evaluated in itself for each but two of them.
    """
    return 1 + plans.frames * jnp.where(plans.again, max(1, deepest - 1), 1) + plans.again
