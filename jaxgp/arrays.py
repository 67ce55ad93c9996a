"""Small operations on arrays and on trees of arrays that many rooms need, each written once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.sharding import Mesh, PartitionSpec

import jaxgp.threefry  # noqa: F401  Here, as what draws random numbers imports this module.

if TYPE_CHECKING:
    from jaxgp.contracts import Position

Tree = TypeVar("Tree")
State = TypeVar("State", bound="Position")
Given = TypeVar("Given")
Result = TypeVar("Result")
Carry = TypeVar("Carry")


def suited(cpu: Given, other: Given) -> Given:
    """Return what suits the device for which programs are traced: a CPU, or another one.

    A CPU wants little at a time, which stays in its caches. A GPU wants few and wide steps, since each costs a launch.
    """
    return cpu if jax.default_backend() == "cpu" else other


@dataclass(frozen=True, eq=False)
class OnHost:
    """An array of NumPy, too large to be compiled into a program, that programs on a device read by places."""

    values: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.values.shape

    def __getitem__(self, places: Array) -> Array:
        """Return the values [*B, ...] at places int32[*B] of the first axis; beyond an end those at it."""
        found = jax.ShapeDtypeStruct((*places.shape, *self.shape[1:]), self.values.dtype)
        return jax.pure_callback(self._read, found, places, vmap_method="broadcast_all")

    def _read(self, places: Array) -> np.ndarray:
        found: np.ndarray = self.values[np.clip(np.asarray(places), 0, len(self.values) - 1)]
        return found


def product(value: Array, factor: Array | float, whole: Array) -> Array:
    """Return the product of two real numbers, rounded by itself.

    XLA joins a product and a sum into one operation that rounds once, on a CPU that has one, and the values would be
    those of this kind of CPU.

    Args:
        value: float32 or float64.
        factor: of the same type, of a shape that broadcasts with that of `value`.
        whole: int32, likewise, from 0 on. Where it is below 0 the product is unspecified. It is one that a program is
            given: of one that it computes, as of a population count, a compiler may know the sign.
    """
    value, factor, whole = jnp.broadcast_arrays(value, jnp.asarray(factor, value.dtype), whole)
    return _jaxgp_product(value, factor, whole)


@jax.jit
def _jaxgp_product(value: Array, factor: Array, whole: Array) -> Array:
    """Return a product that XLA cannot see through. Native code knows this function by its name."""
    found = value * factor
    bits = lax.bitcast_convert_type(found, jnp.int32 if found.dtype.itemsize == 4 else jnp.int64)
    # The sign of what is not below 0 is 0. XLA does not know that, and has to compute the product alone.
    return lax.bitcast_convert_type(bits ^ (whole >> 31).astype(bits.dtype), found.dtype)


PRODUCT = "_jaxgp_product"
MOST = np.iinfo(np.int32).max


def take(tree: Tree, index: Array | np.ndarray) -> Tree:
    """Return the items of a tree of arrays [N, ...] at `index` (int32[...])."""
    return jax.tree.map(lambda x: x[index], tree)


def each(function: Callable[[Tree], Result], items: Tree, together: int | None = None) -> Result:
    """Return what a function makes of each item of a tree of arrays [N, ...], as a tree of arrays [N, ...].

    Args:
        function: of one item.
        items: the tree.
        together: how many items are computed side by side; None: all.
    """
    most = together or len(jax.tree.leaves(items)[0])
    return lax.map(function, items, batch_size=None if most == 1 else most)


def in_chunks(
    function: Callable[[Carry, Tree], tuple[Carry, Result]], carry: Carry, items: Tree, most: int | None
) -> tuple[Carry, Result]:
    """Compute the items of a tree of arrays [N, ...] in equal chunks, one after the other.

    Args:
        function: (carry, items [C, ...]) -> (carry, results [C, ...]), of each chunk.
        carry: what the first chunk is given; each other one gets what the one before returned.
        items: the tree.
        most: items of a chunk, at most: the largest divisor of N that is no greater is taken; None: all are one chunk.

    Returns:
        What the last chunk returned, and the results of all items, [N, ...].
    """
    count = len(jax.tree.leaves(items)[0])
    size = next(size for size in range(min(count, most or count), 0, -1) if count % size == 0)
    if size == count:
        return function(carry, items)
    chunks = jax.tree.map(lambda x: x.reshape(-1, size, *x.shape[1:]), items)
    carry, found = lax.scan(function, carry, chunks)
    return carry, jax.tree.map(lambda x: x.reshape(count, *x.shape[2:]), found)


PARTS = "parts"
"""The name of the axis of a mesh whose devices share the islands, the runs or the individuals."""
WHOLE = PartitionSpec()
"""Of what all devices of a mesh have."""


def in_shares(
    function: Callable[[Given, Tree], tuple[Carry, Result]], given: Given, items: Tree, mesh: Mesh | None
) -> tuple[Carry, Result]:
    """Compute the items of a tree of arrays [N, ...] on the D devices of a mesh, each of them N / D.

    What surrounds it is computed by every device, from the same arrays.

    Args:
        function: (given, items [N / D, ...]) -> (what the share comes to as a whole, results [N / D, ...]). All arrays
            that it needs are given, or known while it is compiled.
        given: what all devices are given.
        items: the tree.
        mesh: with one axis, `PARTS`, whose size divides N; None: one device has all.

    Returns:
        What all shares come to, [D, ...], and the results of all items, [N, ...].
    """

    def share(given: Given, items: Tree) -> tuple[Carry, Result]:
        assert mesh is not None
        here = lax.axis_index(PARTS)
        own = jax.tree.map(lambda x: x.reshape(mesh.size, -1, *x.shape[1:])[here], items)
        whole, found = function(given, own)
        everywhere = partial(lax.all_gather, axis_name=PARTS)
        return jax.tree.map(everywhere, whole), jax.tree.map(partial(everywhere, tiled=True), found)

    if mesh is None:
        whole, found = function(given, items)
        return jax.tree.map(lambda x: x[None], whole), found
    # Items come whole and are cut inside, so that nothing before and after is shared, and sums are the same.
    return jax.shard_map(share, mesh=mesh, in_specs=WHOLE, out_specs=WHOLE, check_vma=False)(given, items)


def where(condition: Array, yes: Tree, no: Tree) -> Tree:
    """Choose between two trees of arrays [*B, ...] by bool[*B]: whole items of `yes` where it holds, else of `no`."""

    def one(a: Array, b: Array) -> Array:
        return jnp.where(condition.reshape(condition.shape + (1,) * (jnp.ndim(a) - condition.ndim)), a, b)

    return jax.tree.map(one, yes, no)


def freeze(before: State, after: State, legal: Array | bool = True) -> State:
    """Return `after`; `before` if its game has ended, or the action was not `legal` (bool[])."""
    return where(before.terminated | ~jnp.asarray(legal), before, after)


def given_up(state: State, returns: Array) -> State:
    """Return a state that ends as it stands, with returns (float32[seats]); one that has ended stays as it is."""
    return freeze(state, replace(cast(Any, state), terminated=jnp.bool_(True), returns=returns))


def lost(side: Array) -> Array:
    """Return float32[2], the returns of a game for two that a seat (int32[]) has lost."""
    return jnp.where(np.arange(2) == side, -1.0, 1.0).astype(jnp.float32)


def is_legal(legal: Array, action: Array) -> Array:
    """Return bool[]: whether an action (int32[]), which may be any number, is one of the legal ones (bool[A])."""
    return (legal & (np.arange(len(legal)) == action)).any()


def win_loss(scores: Array) -> Array:
    """Turn float32[2] scores into returns: 1 for the higher, -1 for the lower, 0 and 0 where they are equal."""
    sign = jnp.sign(scores[0] - scores[1])
    return jnp.stack([sign, -sign]).astype(jnp.float32)


def comparable(values: Array) -> Array:
    """Return `values` (float32[...]) with NaN replaced by -inf, so that NaN compares as the worst value."""
    return jnp.where(jnp.isnan(values), -jnp.inf, values)


def longest_first(steps: Array) -> tuple[Array, Array]:
    """Sort int32[N] in descending order, equal ones by their places; return them and int32[N], their places.

    The barrier keeps the sorted values where nobody reads them: XLA ends the process where its partitioner meets such a
    sort without them on devices that share a run.
    """
    first, order = lax.optimization_barrier(lax.sort((-steps, jnp.arange(len(steps), dtype=jnp.int32)), num_keys=1))
    return -first, order


def in_groups(run: Callable[[Any], Tree], items: Any, lengths: Array, together: int) -> Tree:
    """Apply a function to items of like length, so many at a time, one group after the other; return a tree [P, ...].

    Args:
        run: (tree [together, ...]) -> tree [together, ...], item by item.
        items: tree [P, ...].
        lengths: int32[P].
        together: items of a group; the last one is filled up.
    """
    count = len(lengths)
    _, order = longest_first(lengths)
    order = jnp.pad(order, (0, -count % together), mode="edge")
    grouped = jax.tree.map(lambda x: x.reshape(-1, together, *x.shape[1:]), take(items, order))
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), lax.map(run, grouped))
    placed: Tree = jax.tree.map(lambda x: jnp.zeros((count, *x.shape[1:]), x.dtype).at[order].set(x), flat)
    return placed


def divide(a: Array, b: Array) -> Array:
    """Return a / b, 0 where b is 0."""
    return jnp.where(b == 0, 0.0, a / jnp.where(b == 0, 1.0, b))


def finite(numbers: Array) -> Array:
    """Return float32[...]: numbers, and 0 for those that are not finite."""
    return jnp.where(jnp.isfinite(numbers), numbers, 0.0)


def counter(most: int) -> np.dtype:
    """Return the type of a count of at most `most`: int32, or float32 where int32 could wrap."""
    return np.dtype(np.int32 if most <= MOST else np.float32)


def total(counts: Array, most: int) -> Array:
    """Return the sum of counts, int32[...], each of at most `most`, in the type that `counter` has for it.

    As many counts as surely fit are added up as whole numbers first, so that float32 rounds large sums alone.
    """
    together = max(1, MOST // max(1, most))
    if counts.size <= together:
        return counts.sum(dtype=jnp.int32)
    flat = jnp.pad(counts.reshape(-1), (0, -counts.size % together))
    return flat.reshape(-1, together).sum(1, dtype=jnp.int32).astype(jnp.float32).sum()


def groups(rows: Array) -> tuple[Array, Array]:
    """Sort the rows of uint32[P, W].

    Returns:
        int32[P], the sorted rows' groups: equal rows share a number, counted from 0; and int32[P], the sorting order.
    """
    order = jnp.lexsort(rows.T)
    ordered = rows[order]
    fresh = (ordered[1:] != ordered[:-1]).any(-1)
    return jnp.concatenate([jnp.zeros(1, jnp.int32), jnp.cumsum(fresh, dtype=jnp.int32)]), order


def count_distinct(rows: Array) -> Array:
    """Return int32[]: how many distinct rows uint32[P, W] has."""
    return groups(rows)[0][-1] + 1


def digests(tree: Tree) -> Array:
    """Return uint32[P, 2]: two hashes of each item of a tree of arrays [P, ...].

    Two of 65,536 different items share both with a probability of about 1e-10.
    """
    generator = np.random.default_rng(0)
    leaves = jax.tree.leaves(tree)
    odd = [generator.integers(0, 2**31, (2, 2, *leaf.shape[1:]), np.uint32) * 2 + 1 for leaf in leaves]

    def digest(number: int) -> Array:
        found = jnp.zeros(len(leaves[0]), jnp.uint32)
        for leaf, (first, second) in zip(leaves, (one[number] for one in odd), strict=True):
            float32 = jnp.issubdtype(leaf.dtype, jnp.floating)
            word = lax.bitcast_convert_type(leaf, jnp.uint32) if float32 else leaf.astype(jnp.uint32)
            # Multiplying and folding the high half down lets every bit of a constant count.
            word = word * first
            word = (word ^ word >> 16) * np.uint32(0x85EBCA6B)
            found += ((word ^ word >> 13) * second).sum(range(1, leaf.ndim), dtype=jnp.uint32)
        return found

    return jnp.stack([digest(0), digest(1)], 1)


def count_unique(tree: Tree) -> Array:
    """Return int32[]: how many distinct items a tree of arrays [P, ...] has, by their `digests`."""
    return count_distinct(digests(tree))


def leaders(tree: Tree) -> Array:
    """Return int32[P]: for each item of a tree of arrays [P, ...] the first one that equals it, by their `digests`."""
    group, order = groups(digests(tree))
    place = jnp.arange(len(order), dtype=jnp.int32)
    fresh = group != jnp.roll(group, 1)
    begins = lax.cummax(jnp.where(fresh, place, 0))
    return jnp.zeros_like(place).at[order].set(order[begins].astype(jnp.int32))


def apart(function: Callable[..., Result], *args: object, running: Array | None = None) -> Result:
    """Call `function` behind a fusion barrier: XLA's CPU compiler does not fuse it with the users of its result.

    Fused, the whole chain would be computed again for each array that depends on it. An optimization barrier alone
    does not prevent this. A conditional does, if the compiler cannot know that its condition is true.

    Args:
        function: takes and returns arrays.
        args: its arguments.
        running: bool[], true but unknown to the compiler; None: a constant behind an optimization barrier.
    """
    # Traced once, and mapped once, for all branches and however often calls are nested in each other.
    call = jax.jit(lambda *args: function(*args))
    shapes = jax.eval_shape(call, *args)

    def conditional(*args: object) -> Result:
        def nothing(*_: object) -> Result:
            # The zeros are made here. Made outside, they would be an operand that every call has to write.
            return jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)

        condition = lax.optimization_barrier(jnp.bool_(True)) if running is None else running
        return lax.cond(condition, call, nothing, *args)

    return lax.platform_dependent(*args, cpu=conditional, default=call)


def differs(x: Array) -> bool:
    """Return whether a `shard_map` that checks it knows an array to differ between devices."""
    return bool(getattr(getattr(jax.typeof(x), "manual_axis_type", None), "varying", ()))
