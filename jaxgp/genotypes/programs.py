"""Linear programs: typed trees in postfix order, as arrays.

    (ADD 7 (VALUE_AT 3))         index    0    1    2         3
                                 opcode   INT  INT  VALUE_AT  ADD
                                 value    7    3    0         0
                                 size     1    1    2         4

The subtree that ends at node i is the slice [i - size[i] + 1, i], so replacing one slice by another is all that
crossover and every subtree mutation need. Nodes from `length` on are padding: all fields zero, so that equal programs
are equal arrays. Functions here take one tree, [L]; callers vmap.
"""

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import where
from jaxgp.genotypes.primitives import PrimitiveSet


@struct.dataclass
class Programs:
    """Programs of any batch shape: one tree [L], an individual of several trees [T, L], a population [P, T, L]."""

    opcode: Array  # int16[..., L]: index into the primitive set; 0 in padding
    value: Array  # float32[..., L]: constant or parameter of a terminal, factor where the set has them; 0 elsewhere
    size: Array  # int16[..., L]: nodes in the subtree that ends here; 0 in padding
    length: Array  # int32[...]: live nodes

    @property
    def capacity(self) -> int:
        """Nodes that a tree can hold, L."""
        return self.opcode.shape[-1]


def empty(shape: tuple[int, ...], capacity: int) -> Programs:
    """Return programs without nodes; batch shape `shape`."""
    return Programs(
        opcode=jnp.zeros((*shape, capacity), jnp.int16),
        value=jnp.zeros((*shape, capacity), jnp.float32),
        size=jnp.zeros((*shape, capacity), jnp.int16),
        length=jnp.zeros(shape, jnp.int32),
    )


def live(tree: Programs) -> Array:
    """Return bool[L]: the nodes in use."""
    return jnp.arange(tree.capacity) < tree.length


def starts(tree: Programs) -> Array:
    """Return int32[L]: first node of the subtree that ends at each node."""
    return jnp.arange(tree.capacity, dtype=jnp.int32) - tree.size + 1


def depths(tree: Programs) -> Array:
    """Return int32[L]: edges from the root to each node; -1 in padding.

    The ancestors of node i are the later nodes whose slice reaches back to i. Exactly the nodes up to i and the
    ancestors of i have slices that start at or before i. So the number of starts up to i, less i + 1, is the depth.
    """
    at = jnp.where(live(tree), starts(tree), tree.capacity)
    begun = jnp.zeros(tree.capacity + 1, jnp.int32).at[at].add(1).cumsum()[:-1]
    return jnp.where(live(tree), begun - jnp.arange(1, tree.capacity + 1), -1)


def depth(tree: Programs) -> Array:
    """Return int32[]: edges on the longest path from the root; 0 for a single terminal."""
    return depths(tree).max()


def count_effects(primitives: PrimitiveSet, tree: Programs) -> Array:
    """Return int32[L]: the nodes with an effect up to and including each node; see `PrimitiveSet.effects`."""
    return jnp.cumsum(live(tree) & jnp.asarray(primitives.acts)[tree.opcode.astype(jnp.int32)], dtype=jnp.int32)


def parent(tree: Programs, node: Array) -> tuple[Array, Array]:
    """Return (int32[], bool[]): the node that has `node` as an argument, and whether there is one (not at the root)."""
    index = jnp.arange(tree.capacity, dtype=jnp.int32)
    above = (index > node) & (starts(tree) <= node) & live(tree)
    return jnp.argmax(above).astype(jnp.int32), above.any()


def slot_type(primitives: PrimitiveSet, root_type: Array, tree: Programs, node: Array) -> Array:
    """Return int32[]: type id of the slot of `node`: `root_type` at the root, else its parent's argument."""
    above, inner = parent(tree, node)
    code = tree.opcode[above].astype(jnp.int32)
    count = jnp.asarray(primitives.arity)[code]
    # Arguments end right before their parent; walk them from the last to the first.
    child, position = above - 1, count - 1
    for _ in range(primitives.max_arity - 1):
        back = child > node
        child, position = jnp.where(back, child - tree.size[child], child), jnp.where(back, position - 1, position)
    return jnp.where(inner, jnp.asarray(primitives.arg_type)[code, position], root_type)


Top = tuple[int | str, ...]
"""A preset top over the trees of an individual, in postfix order: names of functions, and trees by number, from 0."""


def join(primitives: PrimitiveSet, trees: Programs, top: Top) -> Programs:
    """Put the trees of one individual below a preset top.

    Args:
        primitives: the set that the trees are written in.
        trees: [T, L].
        top: names every tree once. The factors of its functions are 1.

    Returns:
        One tree, [T * L + functions of the top].
    """
    capacity = trees.opcode.size + sum(isinstance(item, str) for item in top)
    made, end = empty((), capacity), jnp.int32(0)
    places, sizes = jnp.arange(trees.capacity), list[Array]()
    for item in top:
        if isinstance(item, str):
            code = primitives.opcode(item)
            arity = primitives.primitives[code].arity
            sizes[-arity:] = [sum(sizes[-arity:], jnp.int32(1))]
            factor = 1.0 if primitives.scaled[code] else 0.0
            at, new = end, (code, factor, sizes[-1].astype(jnp.int16))
            end += 1
        else:
            one = jax.tree.map(lambda x, t=item: x[t], trees)
            at, new = jnp.where(places < one.length, end + places, capacity), (one.opcode, one.value, one.size)
            end += one.length
            sizes.append(one.length)
        opcode, value, size = (
            old.at[at].set(part, mode="drop")
            for old, part in zip((made.opcode, made.value, made.size), new, strict=True)
        )
        made = Programs(opcode, value, size, end)
    return made


def whole(primitives: PrimitiveSet, trees: Programs, top: Top | None) -> Programs:
    """Return the one tree that an individual, [T, L], stands for; `top` None: it has one tree."""
    return jax.tree.map(lambda x: x[0], trees) if top is None else join(primitives, trees, top)


def replace(tree: Programs, node: Array, donor: Programs, root: Array) -> tuple[Programs, Array]:
    """Put the subtree of `donor` that ends at `root` in the place of the subtree of `tree` that ends at `node`.

    Returns:
        The new tree, and bool[]: whether it fits the capacity. Where it does not fit, the old tree is returned.
    """
    capacity = tree.capacity
    index = jnp.arange(capacity, dtype=jnp.int32)
    old = tree.size[node].astype(jnp.int32)
    new = donor.size[root].astype(jnp.int32)
    start, source = node - old + 1, root - new + 1
    length = tree.length + new - old
    fits = length <= capacity
    inside = (index >= start) & (index < start + new)
    kept = jnp.where(index < start, index, index - new + old)
    here = jnp.clip(kept, 0, capacity - 1)
    there = jnp.clip(source + index - start, 0, capacity - 1)

    def splice(ours: Array, theirs: Array) -> Array:
        return jnp.where(inside, theirs[there], ours[here])

    # The ancestors of the replaced node, and only they, grow by the difference.
    grown = jnp.where((index > node) & (starts(tree) <= node) & (tree.size > 0), new - old, 0)
    size = splice((tree.size + grown).astype(jnp.int16), donor.size)
    alive = index < length
    made = Programs(
        opcode=jnp.where(alive, splice(tree.opcode, donor.opcode), 0),
        value=jnp.where(alive, splice(tree.value, donor.value), 0.0),
        size=jnp.where(alive, size, 0),
        length=length,
    )
    return where(fits, made, tree), fits


def subtree(tree: Programs, root: Array) -> Programs:
    """Return the subtree that ends at `root` as a tree of its own."""
    new = tree.size[root].astype(jnp.int32)
    index = jnp.arange(tree.capacity, dtype=jnp.int32)
    there = jnp.clip(root - new + 1 + index, 0, tree.capacity - 1)

    def cut(field: Array) -> Array:
        return jnp.where(index < new, field[there], jnp.zeros_like(field))

    return Programs(cut(tree.opcode), cut(tree.value), cut(tree.size), new)


def fault(programs: Programs, primitives: PrimitiveSet | None = None) -> str:
    """Say what is wrong with programs that were read from a file, on the host; empty: nothing.

    Args:
        programs: of any batch shape, [..., L], or [..., T, L] where the set is given.
        primitives: the set that they are written in; None: it is not known, so only the form of the arrays is checked.
    """
    opcode, value, size, length = (
        np.asarray(one) for one in (programs.opcode, programs.value, programs.size, programs.length)
    )
    if ((length < 0) | (length > opcode.shape[-1])).any():
        return f"length: accepted: 0 to {opcode.shape[-1]}"
    place = np.arange(opcode.shape[-1])
    live = place < length[..., None]
    if any(field[~live].any() for field in (opcode, value, size)):
        return "padding: accepted: zeros"
    if not np.isfinite(value).all():
        return "value: accepted: finite numbers"
    known = np.iinfo(opcode.dtype).max if primitives is None else len(primitives.primitives) - 1
    if ((opcode < 0) | (opcode > known)).any():
        return f"opcode: accepted: 0 to {known}"
    if ((size < 1) | (size > place + 1))[live].any():
        return "size: accepted: 1 to the nodes up to there"
    return "" if primitives is None else _misshapen(primitives, opcode, value, size, length)


def _misshapen(
    primitives: PrimitiveSet, opcode: np.ndarray, value: np.ndarray, size: np.ndarray, length: np.ndarray
) -> str:
    """Say where arrays within their bounds are no trees of a set, [..., T, L]; empty: nowhere."""
    place = np.arange(opcode.shape[-1])
    live = place < length[..., None]
    arity, kind = primitives.arity[opcode], primitives.return_type[opcode]
    whole, child = np.ones_like(arity), np.broadcast_to(place - 1, opcode.shape)
    for back in range(primitives.max_arity):  # arguments end right before their function, the last one first
        there = live & (back < arity)
        at = np.where(there, child, 0)
        if (at < 0).any():
            return "size: accepted: arguments before their function"
        slot = primitives.arg_type[opcode, np.maximum(arity - 1 - back, 0)]
        if not primitives.accepts[slot, np.take_along_axis(kind, at, -1)][there].all():
            return "opcode: accepted: arguments of the types that functions take"
        whole, child = (
            np.where(there, one + sign * np.take_along_axis(size, at, -1).astype(np.int32), one)
            for one, sign in ((whole, 1), (child, -1))
        )
    root = np.maximum(length - 1, 0)[..., None]
    if (size != whole)[live].any() or (np.take_along_axis(size, root, -1)[..., 0] != length).any():
        return "size: accepted: the nodes of each subtree"
    fits = primitives.accepts[primitives.root_type, np.take_along_axis(kind, root, -1)[..., 0]]
    if not fits[length > 0].all():
        return "opcode: accepted: roots of the types that trees have"
    if ((primitives.acts[opcode] & live).sum(-1) > primitives.effects).any():
        return f"opcode: accepted: at most {primitives.effects} nodes with an effect in a tree"
    plain = ~(primitives.factors | np.array([one.has_number for one in primitives.primitives]))
    if value[live & plain[opcode]].any():
        return "value: accepted: 0 of nodes without a number"
    for code, one in enumerate(primitives.primitives):
        if one.domain is not None and one.has_number and not (one.is_constant and primitives.scaled[code]):
            given = value[live & (opcode == code)]
            if not all(number in one.domain for number in np.unique(given).tolist()):
                return f"value of {one.name}: accepted: {one.domain}"
    return ""
