"""A program node by node: the value of each node at each position, where it runs, and what a change of it changes.

What runs is told as if conditionals were lazy: of the arguments that a function picks from (`Primitive.picks`) only the
picked one runs, and ignored arguments (`Primitive.ignores`) never run. Every other argument of a node that runs does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.genotypes.primitives import BOOL, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import apply
from jaxgp.interpreter.weights import LARGEST, divisors

HUGE = np.float32(1e30)
"""A number beyond all that programs reckon with; sums of a few of them are finite."""
WHOLE = 16
"""Some replacements are whole numbers from -WHOLE to WHOLE, as programs use for indices and counts."""


@dataclass(frozen=True)
class Tree:
    """One tree on the host, in postfix order.

    Attributes:
        primitives: the set that it is written in.
        codes: opcode of each node.
        values: number of each node.
        sizes: nodes of the subtree that ends at each node.
        weights: what the value of each node is multiplied by if it is a leaf of a set with weights.
    """

    primitives: PrimitiveSet
    codes: tuple[int, ...]
    values: tuple[float, ...]
    sizes: tuple[int, ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, primitives: PrimitiveSet, tree: Programs) -> "Tree":
        """Return one tree, [L]."""
        fields = (np.asarray(x)[: int(tree.length)].tolist() for x in (tree.opcode, tree.value, tree.size))
        codes, values, sizes = map(tuple, fields)
        shares = divisors(primitives, tree)
        return cls(primitives, codes, values, sizes, tuple(1 / n if n < LARGEST else 0.0 for n in shares))

    def __len__(self) -> int:
        return len(self.codes)

    def primitive(self, node: int) -> Primitive:
        return self.primitives.primitives[self.codes[node]]

    @cached_property
    def args(self) -> list[list[int]]:
        """The nodes of the arguments of each node, in declared order."""
        found: list[list[int]] = []
        stack: list[int] = []
        for node in range(len(self)):
            first = len(stack) - self.primitive(node).arity
            found.append(stack[first:])
            stack[first:] = [node]
        return found

    @cached_property
    def parents(self) -> list[tuple[int, int]]:
        """The parent of each node, and its place among the arguments of the parent; -1 and 0 at the root."""
        found = [(-1, 0)] * len(self)
        for node, args in enumerate(self.args):
            for place, arg in enumerate(args):
                found[arg] = node, place
        return found

    @cached_property
    def depths(self) -> list[int]:
        """Edges from the root to each node."""
        found = [0] * len(self)
        for node in range(len(self) - 2, -1, -1):
            found[node] = found[self.parents[node][0]] + 1
        return found

    @property
    def depth(self) -> int:
        """Edges from the root to the deepest node."""
        return max(self.depths)

    def factor(self, node: int) -> np.float32:
        return np.float32(self.values[node] if self.primitives.factors[self.codes[node]] else 1.0)


class Tracer:
    """Evaluates the nodes of programs of one set at given positions.

    Attributes:
        primitives: the set.
        features: float32[F, N], what the programs see of N positions.
    """

    def __init__(self, primitives: PrimitiveSet, features: np.ndarray, seed: int = 0) -> None:
        self.primitives, self.features = primitives, jnp.asarray(features)
        self._random = np.random.default_rng(seed)
        self._calls: dict[int, Callable[..., jax.Array]] = {}
        self._varied: dict[int, Callable[..., jax.Array]] = {}

    @property
    def positions(self) -> int:
        return int(self.features.shape[1])

    def values(self, tree: Tree) -> np.ndarray:
        """Return float32[L, N]: the value of each node at each position; true is 1 and false is 0."""
        found = np.zeros((len(tree), self.positions), np.float32)
        for node, args in enumerate(tree.args):
            p, factor = tree.primitive(node), tree.factor(node) * np.float32(tree.weights[node])
            if p.feature is not None:
                found[node] = np.asarray(self.features[p.feature]) * factor
            elif p.call is None:
                found[node] = np.float32(p.fixed if p.fixed is not None else tree.values[node]) * factor
            else:
                given = found[args] if args else np.full((1, self.positions), tree.values[node], np.float32)
                found[node] = self._call(tree.codes[node], given) * tree.factor(node)
        return found

    def picked(self, tree: Tree, node: int, values: np.ndarray) -> np.ndarray:
        """Return int[N]: the place of the argument that a function with `picks` picks; `values` is float32[L, N]."""
        p = tree.primitive(node)
        places = np.arange(p.arity, dtype=np.float32)[:, None]
        deciding = np.arange(p.arity)[:, None] < p.arity - p.picks
        return self._call(tree.codes[node], np.where(deciding, values[tree.args[node]], places)).astype(int)

    def runs(self, tree: Tree, values: np.ndarray) -> np.ndarray:
        """Return bool[L, N]: where each node runs; `values` is float32[L, N]."""
        found = np.zeros(values.shape, bool)
        found[-1] = True
        for node in range(len(tree) - 1, -1, -1):
            p, args = tree.primitive(node), tree.args[node]
            chosen = self.picked(tree, node, values) if p.picks else None
            for place, arg in enumerate(args[: p.arity - p.ignores]):
                option = chosen is not None and place >= p.arity - p.picks
                found[arg] = found[node] & (chosen == place) if option else found[node]
        return found

    def matters(self, tree: Tree, values: np.ndarray) -> np.ndarray:
        """Return bool[L]: whether the value of the tree was seen to change when that of each node was replaced.

        A truth value is replaced by its opposite, a number by `replacements`. If a node matters, so do its ancestors.
        """
        found = np.zeros(len(tree), bool)
        found[-1] = True
        for node in range(len(tree) - 1):
            if not found[node] and self._reaches(tree, values, node):
                while node >= 0 and not found[node]:
                    found[node], node = True, tree.parents[node][0]
        return found

    def replacements(self, tree: Tree, node: int, values: np.ndarray) -> np.ndarray:
        """Return float32[R, N]: what the value of a node is replaced by.

        Numbers: very large ones of both signs, 0 and 1, the values of the node and of the whole tree at other
        positions, and random ones, whole and real.
        """
        if tree.primitive(node).returns == BOOL:
            return 1 - values[node][None]
        ones, draw, size = np.ones(self.positions, np.float32), self._random, self.positions
        spread = np.float32(1 + np.abs(np.nan_to_num(values[node], posinf=0, neginf=0)).mean())
        return np.stack(
            [
                -HUGE * ones,
                HUGE * ones,
                0 * ones,
                ones,
                draw.permutation(values[node]),
                draw.permutation(values[-1]),
                draw.integers(-WHOLE, WHOLE + 1, size).astype(np.float32),
                draw.normal(0, spread, size).astype(np.float32),
            ]
        )

    def _reaches(self, tree: Tree, values: np.ndarray, node: int) -> bool:
        """Return whether a replacement of the value of a node changes that of the tree."""
        made = self.replacements(tree, node, values)
        while True:
            above, place = tree.parents[node]
            if above < 0:
                return True
            given = jnp.asarray(values[tree.args[above]])
            code = tree.codes[above]
            if code not in self._varied:
                self._varied[code] = self._compiled_varied(code)
            made = np.asarray(self._varied[code](self.features, given, made, place)) * tree.factor(above)
            old = values[above]
            if ((made == old) | (np.isnan(made) & np.isnan(old))).all():
                return False
            node = above

    def _call(self, code: int, args: np.ndarray) -> np.ndarray:
        """Call a primitive on float32[A, N]."""
        if code not in self._calls:
            p = self.primitives.primitives[code]
            self._calls[code] = jax.jit(lambda features, given: apply(p, features, list(given)))
        return np.asarray(self._calls[code](self.features, args))

    def _compiled_varied(self, code: int) -> Callable[..., jax.Array]:
        """Return the call of a function on float32[A, N], with R replacements of one argument: float32[R, N]."""
        p = self.primitives.primitives[code]

        def call(features: jax.Array, given: jax.Array, made: jax.Array, place: jax.Array) -> jax.Array:
            one = lambda row: apply(p, features, list(given.at[place].set(row)))  # noqa: E731
            return jax.vmap(one)(made)

        return jax.jit(call)


def subtree(tree: Tree, node: int) -> Sequence[int]:
    """Return the nodes of a subtree."""
    return range(node - tree.sizes[node] + 1, node + 1)
