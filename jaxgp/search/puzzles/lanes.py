"""What the lanes of all searches of puzzles share: a root, a limit of nodes, and what has been found."""

from dataclasses import replace
from typing import Any, Self

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

FEWEST = 2
"""Lanes of a search that keeps many positions. Where there is one alone, XLA copies them in each iteration."""


@struct.dataclass
class Lane:
    """One search in progress; the base of each search's own lane. Functions take and return lanes [L, ...]."""

    busy: Array  # bool[]
    root: Array  # int32[]: index of the root in the queue
    limit: Array  # int32[]: of nodes
    nodes: Array  # int32[]
    over: Array  # bool[]: the search has ended
    solved: Array  # bool[]
    exhausted: Array  # bool[]
    length: Array  # int32[]: moves of the solution; -1: none
    path: Array  # int16[deepest]: its actions, unspecified beyond

    @classmethod
    def idle(cls, deepest: int, **own: Any) -> Self:
        """Return one lane that is not busy; `own` are the fields of the search's own lane."""
        zero, no = jnp.int32(0), jnp.bool_(False)
        return cls(
            busy=no,
            root=zero,
            limit=zero,
            nodes=zero,
            over=no,
            solved=no,
            exhausted=no,
            length=jnp.int32(-1),
            path=jnp.full(deepest, -1, jnp.int16),
            **own,
        )

    def begin(self, begins: Array, solved: Array, limit: Array) -> Self:
        """Count the roots of the lanes that begin (bool[L]): whether each is solved (bool[L]), its limit (int32[L]).

        A limit of one node ends the search unsolved, before the root is looked at.
        """
        won = (limit > 1) & solved
        return replace(
            self,
            limit=jnp.where(begins, limit, self.limit),
            nodes=jnp.where(begins, 1, self.nodes),
            over=jnp.where(begins, (limit <= 1) | solved, self.over),
            solved=jnp.where(begins, won, self.solved),
            exhausted=self.exhausted & ~begins,
            length=jnp.where(begins, jnp.where(won, 0, -1), self.length),
        )

    def found(self) -> dict[str, Array]:
        """Return the fields of `Solutions` that each root has, by name, and those that the search adds."""
        moves = jnp.where(np.arange(self.path.shape[-1]) < self.length[..., None], self.path, -1)
        return {
            "solved": self.solved,
            "nodes": self.nodes,
            "length": self.length,
            "moves": moves,
            "exhausted": self.exhausted,
        }


def make_unsearched(idle: Lane, roots: int) -> dict[str, Array]:
    """Return what stands for `roots` roots that are not searched: what an idle lane has found, for each."""
    return {name: jnp.broadcast_to(x, (roots, *x.shape)) for name, x in idle.found().items()}
