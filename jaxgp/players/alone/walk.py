"""Programs with effects: a walk over the leaves of a program from left to right, each of which may move in the game.

The functions of such a set only put their arguments in order, so a program is the sequence of its leaves, and its game
is a loop over leaves. All programs of a population walk side by side, a leaf a step, until the last of them is done.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.bits import extend
from jaxgp.contracts import Game, Metrics, Soloist
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs, live
from jaxgp.genotypes.text import print_leaf
from jaxgp.search.chance import unused_key

State = Any


@struct.dataclass
class Walk:
    """Programs of one tree each, ready to be walked through; batch shape [P]."""

    opcode: Array  # int32[P, L]
    value: Array  # float32[P, L]
    leaf: Array  # int32[P, L + 1]: the first leaf at or after each node; L where there is none


@struct.dataclass
class Walked:
    """The games of P programs at the end of their walks."""

    states: State  # [P]
    plies: Array  # int32[P]: moves made
    behaviour: Array  # uint32[P, 2]: two hashes of them


class Performance(NamedTuple):
    """Results of individuals that play alone.

    Attributes:
        points: float32[P].
        behaviour: uint32[P, W], equal for individuals that do the same.
        metrics: scalars over all individuals.
    """

    points: Array
    behaviour: Array
    metrics: Metrics


@dataclass(frozen=True)
class Walker(Soloist[Walk]):
    """A `Soloist` that walks through programs. The game has no chance, so each program has exactly one game.

    Attributes:
        primitives: the set that the programs are written in; one tree.
        game: the rules.
        act: (state, int32[] opcode, float32[] value, bool[] final leaf, bool[] active) -> the state after a
            leaf, the move (int32[]) and whether it was made (bool[]). A leaf that is not active changes nothing.
    """

    primitives: PrimitiveSet
    game: Game
    act: Callable[[State, Array, Array, Array, Array], tuple[State, Array, Array]]

    def prepare(self, programs: Programs) -> Walk:
        """Find the leaves of programs [P, 1, L]."""
        one = jax.tree.map(lambda x: x[:, 0], programs)
        return jax.vmap(lambda tree: plan(self.primitives, tree))(one)

    def __post_init__(self) -> None:
        if self.game.chance:
            raise ValueError(f"{self.game.name}: programs that are walked through play no games of chance")

    def perform(self, key: Array, walks: Walk) -> Performance:
        """Measure P programs by the scores of their games; `key` is not used."""
        del key
        played = self.play(walks)
        metrics = {
            "plies": played.plies.sum(dtype=jnp.int32),
            "ended": played.states.terminated.sum(dtype=jnp.int32),
        }
        return Performance(jax.vmap(self.game.score)(played.states)[:, 0], played.behaviour, metrics)

    def play(self, walks: Walk) -> Walked:
        """Walk through P programs until each program or its game has ended."""
        count = walks.leaf.shape[0]
        start = jax.tree.map(lambda x: jnp.broadcast_to(x, (count, *x.shape)), self.game.init(unused_key()))

        def step(carry: tuple) -> tuple:
            states, at, plies, behaviour = carry
            states, at, action, made = jax.vmap(self.leaf)(walks, states, at)
            return states, at, plies + made, jnp.where(made[:, None], extend(behaviour, action), behaviour)

        def going(carry: tuple) -> Array:
            return ((carry[1] < walks.opcode.shape[1]) & ~carry[0].terminated).any()

        first = (start, walks.leaf[:, 0], jnp.zeros(count, jnp.int32), jnp.zeros((count, 2), jnp.uint32))
        states, _, plies, behaviour = lax.while_loop(going, step, first)
        return Walked(states, plies, behaviour)

    def leaf(self, walk: Walk, state: State, at: Array) -> tuple[State, Array, Array, Array]:
        """Perform one leaf of one program.

        Args:
            walk: of one program.
            state: the position before.
            at: int32[], the leaf's node; L when there is none left.

        Returns:
            The position after; the next leaf; the move and whether it was made, as `act` returns them.
        """
        capacity = walk.opcode.shape[0]
        following = walk.leaf[jnp.minimum(at + 1, capacity)]
        node, active = jnp.minimum(at, capacity - 1), at < capacity
        state, action, made = self.act(state, walk.opcode[node], walk.value[node], following == capacity, active)
        return state, following, action, made

    def record(self, program: Programs) -> list[tuple[int, int]]:
        """Play one program, [1, L]; return its moves on the host, each with the node of the leaf that made it."""
        walks = jax.jit(self.prepare)(jax.tree.map(lambda x: jnp.asarray(x)[None], program))
        action, node, made = (np.asarray(x) for x in self._follow(jax.tree.map(lambda x: x[0], walks)))
        return list(zip(action[made].tolist(), node[made].tolist(), strict=True))

    def reason(self, program: Programs, node: int) -> str:
        """Return the leaf that made a move."""
        return print_leaf(self.primitives, program, node)

    @cached_property
    def _follow(self) -> Callable[[Walk], tuple[Array, Array, Array]]:
        """Compile: one walk -> the move, the node and whether a move was made, [L] each."""

        def follow(walk: Walk) -> tuple[Array, Array, Array]:
            def step(carry: tuple[State, Array], _: None) -> tuple[tuple[State, Array], tuple[Array, Array, Array]]:
                state, at = carry
                state, following, action, made = self.leaf(walk, state, at)
                return (state, following), (action, at, made)

            first = (self.game.init(unused_key()), walk.leaf[0])
            return lax.scan(step, first, length=walk.opcode.shape[0])[1]

        return jax.jit(follow)


def plan(primitives: PrimitiveSet, tree: Programs) -> Walk:
    """Find the leaves of one tree, [L]; in postfix order they come from left to right."""
    capacity = tree.capacity
    is_leaf = live(tree) & (tree.opcode < primitives.num_terminals)
    here = jnp.where(is_leaf, jnp.arange(capacity, dtype=jnp.int32), capacity)
    leaf = lax.cummin(jnp.append(here, capacity), reverse=True)
    return Walk(tree.opcode.astype(jnp.int32), tree.value, leaf)
