"""Trees of arrays in rows of words, so that a stack of them is one array, and moving one is one operation."""

from dataclasses import dataclass
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax


@dataclass(frozen=True)
class Packing:
    """How a tree of arrays of 32 bits, 16 bits, 8 bits and booleans is laid out, a word for each number.

    Attributes:
        structure: of the tree.
        shapes: shape and type of each leaf.
    """

    structure: Any
    shapes: tuple[tuple[tuple[int, ...], Any], ...]

    @classmethod
    def of(cls, tree: Any) -> "Packing":
        """Return the layout of trees like this one, which may be of shapes alone."""
        leaves, structure = jax.tree.flatten(tree)
        return cls(structure, tuple((tuple(leaf.shape), jnp.dtype(leaf.dtype)) for leaf in leaves))

    @property
    def words(self) -> int:
        """Words of a row."""
        return sum(prod(shape) for shape, _ in self.shapes)

    def pack(self, tree: Any) -> Array:
        """Return uint32[W]."""
        rows = [
            lax.bitcast_convert_type(leaf, jnp.uint32) if leaf.dtype.itemsize == 4 else leaf.astype(jnp.uint32)
            for leaf in jax.tree.leaves(tree)
        ]
        return jnp.concatenate([row.reshape(-1) for row in rows])

    def unpack(self, row: Array) -> Any:
        """Return the tree of a row, uint32[W]."""
        leaves, start = [], 0
        for shape, dtype in self.shapes:
            part = row[start : start + prod(shape)].reshape(shape)
            start += prod(shape)
            leaves.append(lax.bitcast_convert_type(part, dtype) if dtype.itemsize == 4 else part.astype(dtype))
        return jax.tree.unflatten(self.structure, leaves)
