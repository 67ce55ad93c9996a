"""Where the arrays of a state lie in memory, for C++ that is made from the rules of a game."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.contracts import Packs, States
from jaxgp.native.graph import TYPES, UntranslatedError, given
from jaxgp.native.writer import Writer

ALIGNED = 8
"""Parts of a state begin at multiples of this many bytes."""


class StateLayout:
    """The arrays of a state, one after the other.

    Args:
        make: returns a state; only its shapes matter.
        packs: how states are packed before they are laid down; None: as they are.
    """

    def __init__(self, make: Callable[[], States], packs: Packs | None = None) -> None:
        self.packs = packs
        self.shapes = jax.eval_shape(lambda: self.packed(make()))
        leaves = jax.tree.leaves(self.shapes)
        sizes = [-(-one.size * one.dtype.itemsize // ALIGNED) * ALIGNED for one in leaves]
        self.begins = [int(at) for at in np.cumsum([0, *sizes])]

    @property
    def bytes(self) -> int:
        """Bytes of a state."""
        return self.begins[-1]

    def packed(self, state: States) -> States:
        """Return a state as it is laid down."""
        return self.packs.pack(state) if self.packs else state

    def unpacked(self, packed: States) -> States:
        """Undo `packed`."""
        return self.packs.unpack(packed) if self.packs else packed

    def nodes(self, name: str) -> tuple[States, list[str]]:
        """Return the arrays of a packed state at an address as nodes, and the lines of C++ that name them."""
        leaves, tree = jax.tree.flatten(self.shapes)
        nodes, lines = [], []
        for k, (one, at) in enumerate(zip(leaves, self.begins[:-1], strict=True)):
            own = TYPES.get(str(one.dtype))
            if own is None:
                raise UntranslatedError(f"a state has {one.dtype}")
            lines.append(f"const {own}* {name}_{k} = reinterpret_cast<const {own}*>({name} + {at});")
            nodes.append(given(f"{name}_{k}", one.shape, one.dtype))
        return jax.tree.unflatten(tree, nodes), lines

    def write(self, writer: Writer, packed: States, name: str) -> None:
        """Write the arrays of a packed state, which are nodes, to an address."""
        for k, (one, at) in enumerate(zip(jax.tree.leaves(packed), self.begins[:-1], strict=True)):
            own = TYPES[str(one.dtype)]
            writer.line(f"{own}* {name}_{k} = reinterpret_cast<{own}*>({name} + {at});")
            writer.copy(one, f"{name}_{k}")

    def as_bytes(self, states: States) -> jax.Array:
        """Return uint8[Q, bytes]: states [Q, ...] as they lie in memory."""
        parts, leaves = [], jax.tree.leaves(jax.vmap(self.packed)(states))
        for one, kind, size in zip(leaves, jax.tree.leaves(self.shapes), np.diff(self.begins).tolist(), strict=True):
            number = jnp.uint8 if kind.dtype == jnp.bool_ else kind.dtype
            flat = jax.lax.bitcast_convert_type(one.astype(number), jnp.uint8).reshape(len(one), -1)
            parts.append(jnp.pad(flat, ((0, 0), (0, size - flat.shape[1]))))
        return jnp.concatenate(parts, 1)
