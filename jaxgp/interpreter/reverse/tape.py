"""Programs as tapes: every argument of a function has a row of its own, where reverse mode finds it again.

The interpreter keeps few rows and folds constants away, which forgets what a derivative needs. Here the functions of a
program are planned once, in the order of its nodes, and all values are kept. Then the loop runs backwards (A. Griewank
and A. Walther, "Evaluating Derivatives", 2008, chapter 3). A node has one reader, so nothing is ever added up. Rows
belong to the arguments of steps: a value is written where its reader finds it, and what a step passes back is read
from the same place. So each step finds its arguments at one place for all programs, which is what XLA is fast at.

Numbers are constants and, in a set with factors, the factors of all nodes. What a function passes back is declared with
it: `jaxgp.genotypes.primitives.Primitive.gradient`.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs, live
from jaxgp.interpreter.calls import apply, instructions, tables
from jaxgp.interpreter.nodes import children, read_leaves


@struct.dataclass
class Tape:
    """The steps of trees of any batch shape [...]; A is the largest arity.

    Argument k of step i has row k * L + i, the value of the whole tree row A * L, and row A * L + 1 is for padding.
    """

    kind: Array  # int32[..., L]: place of the function in `calls_of`
    node: Array  # int32[..., L, A]: of each argument; L where there is none
    feature: Array  # int32[..., L, A]: what an argument that is a terminal reads; -1: a number
    base: Array  # float32[..., L, A]: of a number, what its factor multiplies; 1 for a constant
    given: Array  # float32[..., L]: parameter of a terminal that takes a step
    reader: Array  # int32[..., L]: row that takes the value of each step
    owner: Array  # int32[..., L]: node of each step; L in padding
    steps: Array  # int32[...]: functions of the tree
    last: Array  # int32[...]: node of the root
    root_feature: Array  # int32[...]: as `feature` and `base`, of the root
    root_base: Array  # float32[...]
    numbers: Array  # int32[...]: nodes with a number that steps can change
    number: Array  # int32[..., L]: these nodes; L in padding
    number_reader: Array  # int32[..., L]: the rows of their values


@lru_cache
def calls_of(primitives: PrimitiveSet, tree: int) -> tuple[Primitive, ...]:
    """Return what may take a step in one of the trees of an individual: what the type of its root leads to."""
    met, slots = set[str](), [int(primitives.root_type[tree])]
    for slot in slots:
        for code in np.flatnonzero(primitives.fills[slot]):
            p = primitives.primitives[code]
            if p.name not in met:
                met.add(p.name)
                slots += [primitives.types.index(kind) for kind in p.args]
    return tuple(p for p in instructions(primitives) if p.name in met)


@lru_cache
def unfit(primitives: PrimitiveSet) -> str:
    """Say in a few words why no gradient reaches the numbers of these programs; empty: one does."""
    if not primitives.tunable.any():
        return "its programs have no real numbers"
    if primitives.weighted or primitives.effects:
        return "its leaves have weights, or its functions effects"
    if not any(p.gradient for p in primitives.functions):
        return "none of its functions has a gradient"
    return ""


def plan_tape(primitives: PrimitiveSet, tree: int, program: Programs) -> Tape:
    """Plan tree number `tree` of an individual, [L]."""
    calls, width = calls_of(primitives, tree), primitives.max_arity
    runs, kinds, _ = (jnp.asarray(table) for table in tables(primitives, calls))
    code, capacity = program.opcode.astype(jnp.int32), program.capacity
    steps = live(program) & runs[code]
    order, used = _listed(steps)
    read, _ = read_leaves(primitives, program)
    # A terminal that reads a feature, and is asked for one that there is not, is 0.
    fixed = np.array(
        [1.0 - bool(p.reads_one) if p.fixed is None else p.fixed for p in primitives.primitives], np.float32
    )
    base = jnp.asarray(fixed)[code]
    child = jnp.where(used[:, None], children(primitives, program)[order], capacity)
    at = jnp.minimum(child, capacity - 1)
    rows = np.arange(width, dtype=np.int32) * capacity + np.arange(capacity, dtype=np.int32)[:, None]
    reader = jnp.full(capacity, width * capacity, jnp.int32).at[child].set(rows, mode="drop")
    changing, counted = _listed(live(program) & jnp.asarray(primitives.tunable)[code])
    last = program.length - 1
    return Tape(
        kind=jnp.where(used, kinds[code[order]], 0),
        node=child,
        feature=jnp.where(child < capacity, read[at], -1),
        base=jnp.where(child < capacity, base[at], 1.0),
        given=jnp.where(used, program.value[order], 0.0),
        reader=jnp.where(used, reader[order], width * capacity + 1),
        owner=jnp.where(used, order, capacity),
        steps=steps.sum(dtype=jnp.int32),
        last=last,
        root_feature=read[last],
        root_base=base[last],
        numbers=counted.sum(dtype=jnp.int32),
        number=jnp.where(counted, changing, capacity),
        number_reader=reader[changing],
    )


def _listed(there: Array) -> tuple[Array, Array]:
    """Return int32[L], the places where `there` (bool[L]) holds, and then others; and bool[L], which of these count."""
    places = jnp.nonzero(there, size=len(there), fill_value=len(there) - 1)[0].astype(jnp.int32)
    return places, jnp.arange(len(there)) < there.sum()


def scales(primitives: PrimitiveSet, program: Programs) -> Array:
    """Return float32[..., L]: what the value of each node is multiplied by, a constant being a multiple of 1."""
    carries = primitives.scaled | np.array([p.is_constant for p in primitives.primitives])
    return jnp.where(jnp.asarray(carries)[program.opcode.astype(jnp.int32)], program.value, 1.0)


class Reverse:
    """Both ways through one tree of P programs, on one block of positions [F, B].

    Both fill float32[P, A * L + 2, B], `rows`: the way forward with the values of arguments, before they are multiplied
    by their numbers, and the way back with the derivatives by these products.
    """

    def __init__(self, primitives: PrimitiveSet, tree: int, tapes: Tape, scale: Array) -> None:
        """Take the tapes [P] of tree number `tree`, and what their nodes are multiplied by, float32[P, L]."""
        self.calls, self.tapes, self.scale = calls_of(primitives, tree), tapes, scale
        self.width, self.capacity = tapes.node.shape[-1], scale.shape[1]
        by_step = _of_nodes(scale, tapes.node)
        # A terminal that takes a step has its parameter in the place of its first argument.
        alone = (tapes.node == self.capacity).all(-1)
        self.by_step = by_step.at[..., 0].set(jnp.where(alone, tapes.given, by_step[..., 0]))
        self.own = _of_nodes(scale, tapes.owner)
        self.by_root = jnp.take_along_axis(scale, tapes.last[:, None], 1)

    def rows(self, places: int) -> Array:
        """Return room for one way through a block of B positions."""
        return jnp.zeros((len(self.scale), self.width * self.capacity + 2, places))

    def forward(self, rows: Array, features: Array, needed: Array) -> tuple[Array, Array]:
        """Return the rows, filled, and float32[P, B], the values of the programs.

        Args:
            rows: with any content.
            features: float32[F, B], or float32[P, F, B] where each program sees others.
            needed: bool[], whether the values matter; else no step is taken.
        """
        root, steps = self.width * self.capacity, jnp.where(needed, self.tapes.steps.max(), 0)

        def read(i: Array, rows: Array) -> Array:
            for k in range(self.width):
                value = _leaf(features, _at(self.tapes.feature, i)[:, k], _at(self.tapes.base, i)[:, k])
                rows = lax.dynamic_update_index_in_dim(rows, value, k * self.capacity + i, 1)
            return rows

        def step(i: Array, rows: Array) -> Array:
            args = self._arguments(i, rows)
            value = _select(_at(self.tapes.kind, i), [self._call(p, features, args) for p in self.calls])
            return jax.vmap(lambda mine, to, own: mine.at[to].set(own))(rows, _at(self.tapes.reader, i), value)

        rows = lax.dynamic_update_index_in_dim(
            rows, _leaf(features, self.tapes.root_feature, self.tapes.root_base), root, 1
        )
        if self.calls:
            # Values of functions come to their places later.
            rows = lax.fori_loop(0, steps, step, lax.fori_loop(0, steps, read, rows))
        return rows, rows[:, root] * self.by_root

    def backward(self, rows: Array, back: Array, features: Array, needed: Array, slope: Array) -> tuple[Array, Array]:
        """Return other rows, filled, and float32[P, L]: the derivative by the number of each node.

        Args:
            rows: as `forward` returned them.
            back: the other rows, with any content.
            features: as `forward` had them.
            needed: likewise; where it does not hold, all derivatives are 0.
            slope: float32[P, B], the derivative by the values of the programs.
        """
        steps, numbers = (jnp.where(needed, x.max(), 0) for x in (self.tapes.steps, self.tapes.numbers))
        back = lax.dynamic_update_index_in_dim(back, slope, self.width * self.capacity, 1)

        def step(number: Array, back: Array) -> Array:
            i = steps - 1 - number
            args = self._arguments(i, rows)
            here = _row(back, _at(self.tapes.reader, i)) * _at(self.own, i)[:, None]
            passed = [self._pull(p, features, args, here) for p in self.calls]
            for k, each in enumerate(zip(*passed, strict=True)):
                value = _select(_at(self.tapes.kind, i), list(each))
                back = lax.dynamic_update_index_in_dim(back, value, k * self.capacity + i, 1)
            return back

        if self.calls:
            back = lax.fori_loop(0, steps, step, back)

        def add_up(j: Array, slopes: Array) -> Array:
            reader = _at(self.tapes.number_reader, j)
            found = (_row(back, reader) * _row(rows, reader)).sum(-1)
            return jax.vmap(lambda mine, to, own: mine.at[to].set(own, mode="drop"))(
                slopes, _at(self.tapes.number, j), found
            )

        return back, lax.fori_loop(0, numbers, add_up, jnp.zeros_like(self.scale))

    def by_features(self, back: Array, features: Array, slope: Array) -> Array:
        """Return float32[P, F, B]: the derivatives by the features that terminals read.

        What functions read of features themselves counts for nothing.

        Args:
            back: as `backward` returned them.
            features: as `forward` had them.
            slope: as `backward` had it.
        """
        count, places = features.shape[-2:]
        wide = jnp.zeros((len(self.scale), count + 1, places))  # the last row takes what is no feature

        def add(found: Array, feature: Array, slopes: Array) -> Array:
            at = jnp.where(feature < 0, count, feature)
            return jax.vmap(lambda mine, to, own: mine.at[to].add(own))(found, at, slopes)

        def step(i: Array, found: Array) -> Array:
            scale, feature = _at(self.by_step, i), _at(self.tapes.feature, i)
            for k in range(self.width):
                slopes = lax.dynamic_index_in_dim(back, k * self.capacity + i, 1, keepdims=False)
                found = add(found, feature[:, k], slopes * scale[:, k, None])
            return found

        found = add(wide, self.tapes.root_feature, slope * self.by_root)
        return lax.fori_loop(0, self.tapes.steps.max(), step, found)[:, :count]

    def _arguments(self, i: Array, rows: Array) -> list[Array]:
        """Return the arguments of step `i`, float32[P, B] each."""
        scale = _at(self.by_step, i)
        each = [lax.dynamic_index_in_dim(rows, k * self.capacity + i, 1, keepdims=False) for k in range(self.width)]
        return [one * scale[:, k, None] for k, one in enumerate(each)]

    def _call(self, p: Primitive, features: Array, args: Sequence[Array]) -> Array:
        seen = 0 if features.ndim == 3 else None
        return jax.vmap(lambda see, one: apply(p, see, one), (seen, 0))(features, args)

    def _pull(self, p: Primitive, features: Array, args: Sequence[Array], slope: Array) -> list[Array]:
        """Return the derivatives by the arguments of a function, float32[P, B] each, from that by its value."""
        nothing = [jnp.zeros_like(slope)] * len(args)
        if p.gradient is None or not p.args:
            return nothing
        call: Callable[..., Array] = lambda *own: self._call(p, features, own)  # noqa: E731
        if callable(by := p.gradient):
            call = lambda *own: jnp.broadcast_to(by(*own), slope.shape)  # noqa: E731
        _, pull = jax.vjp(call, *args[: p.arity])
        return [*pull(slope), *nothing[p.arity :]]


def _of_nodes(scale: Array, node: Array) -> Array:
    """Return float32[P, ...]: what nodes (int32[P, ...]) are multiplied by, from float32[P, L]; 1 where none is."""
    wide = jnp.pad(scale, ((0, 0), (0, 1)), constant_values=1.0)
    return jnp.take_along_axis(wide, node.reshape(len(wide), -1), 1).reshape(node.shape)


def _select(kind: Array, values: Sequence[Array]) -> Array:
    """Return float32[P, B]: of values [P, B] by kind those that each program asks for, int32[P]."""
    if len(values) == 1:
        return values[0]
    return lax.select_n(jnp.broadcast_to(kind[:, None], values[0].shape), *values)


def _at(field: Array, i: Array) -> Array:
    """Return [P, ...]: what a field [P, L, ...] has for step `i`."""
    return lax.dynamic_index_in_dim(field, i, 1, keepdims=False)


def _row(rows: Array, place: Array) -> Array:
    """Return float32[P, B]: of rows [P, N, B], or [N, B] that all share, the one at the place of each program."""

    def one(mine: Array, at: Array) -> Array:
        # Unsigned: for a signed index, JAX tests whether it is negative, which costs a CPU an extra call.
        return lax.dynamic_index_in_dim(mine, jnp.maximum(at, 0).astype(jnp.uint32), 0, keepdims=False)

    return jax.vmap(one, (0 if rows.ndim == 3 else None, 0))(rows, place)


def _leaf(features: Array, feature: Array, base: Array) -> Array:
    """Return float32[P, B]: a feature (int32[P]) of positions [F, B] or [P, F, B], or a number where that is -1."""
    number = jnp.broadcast_to(base[:, None], (len(base), features.shape[-1]))
    return jnp.where((feature < 0)[:, None], number, _row(features, feature)) if features.shape[-2] else number
