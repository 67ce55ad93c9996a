"""Children of a program by one operator of mutation, and their matches with it."""

from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.evolution.options import GPOptions
from jaxgp.fitness.among.elimination import EliminationFitness
from jaxgp.genotypes.language import parse, to_text
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.measure.champions import Loaded
from jaxgp.operators.mutation import mutate
from jaxgp.operators.options import MutationOptions
from jaxgp.players.ply import differ
from jaxgp.statistics.intervals import share_of_points

RATE = 0.05
"""The false discovery rate among the children of one operator."""
ROOM = 64
"""Nodes that a child may have more than its parent."""
TRIES = 64
"""Children that are drawn for each that is wanted, where one tree alone is to change."""


class Parent:
    """A program, its children and their games."""

    def __init__(self, loaded: Loaded, pairs: int, opening: int, max_plies: int) -> None:
        """Take a champion; `pairs` of games are a match, each after `opening` random moves.

        Raises:
            ValueError: it is no program, its game is for one, or all of its games would be alike.
        """
        cast = loaded.cast
        if not isinstance(cast.language, PrimitiveSet):
            raise ValueError("accepted: a champion that is a program")
        if cast.simulated or cast.game.seats == 1:
            raise ValueError(f"{cast.spec.name} is no game for two; accepted: champions of such games")
        if not (differ(cast.game, opening) or cast.game.chance or cast.actor.random):
            raise ValueError("all games of a match are alike without chance; accepted: opening above 0")
        self._language = cast.language
        self._match = EliminationFitness(cast.game, cast.actor, pairs, "score", opening, True, max_plies)
        capacity = int(np.max(loaded.genome.length)) + ROOM
        self._genome: Programs = parse(cast.language, loaded.content.text, capacity)

    def study(self, children: Programs, seed: int) -> dict[str, Any]:
        """Return what the table has of the games of children with their parent; the best child plays again."""
        first, again = (jax.random.fold_in(jax.random.key(seed), which) for which in range(2))
        own, against = self.points(first, children)
        better, worse = judge(own - against)
        best = int(np.argmax((own - against).mean(1)))
        chosen = jax.tree.map(lambda x: x[best : best + 1], children)
        (own_again,), (against_again,) = self.points(again, chosen)
        share, low, high = share_of_points(own_again, own_again + against_again)
        return {
            "children": len(own),
            "games": 2 * own.shape[1],
            "same": int((own == against).all(1).sum()),
            "better": better,
            "worse": worse,
            "best": share,
            "low": max(0.0, low),
            "high": min(1.0, high),
            "text": to_text(self._language, jax.tree.map(lambda x: np.asarray(x[0]), chosen)),
        }

    def born(self, key: Array, operator: str, max_depth: int, tree: int | None, count: int) -> Programs:
        """Return `count` children, Programs [count, T, L]; with `tree`, those that differ from the parent there alone.

        Raises:
            ValueError: programs of this language have no children by this operator, or no such tree, or too few of the
                children that were drawn are of that kind.
        """
        if tree is not None and tree >= self._language.num_trees:
            raise ValueError(f"tree={tree}: accepted: below {self._language.num_trees}, the trees of an individual")
        tries = count if tree is None else TRIES * count
        drawn = jax.jit(lambda key: self._children(key, operator, max_depth, tries))(key)
        if tree is None:
            return drawn
        changed = np.asarray(_differ(drawn, self._genome))
        others = np.delete(changed, tree, axis=1).any(1)
        (places,) = np.nonzero(changed[:, tree] & ~others)
        if len(places) < count:
            found = f"{operator} changes tree {tree} alone in {len(places)} of {tries} children"
            raise ValueError(f"{found}; accepted: tree=null, operators that do so more often, or fewer children")
        return jax.tree.map(lambda x: x[places[:count]], drawn)

    def points(self, key: Array, children: Programs) -> tuple[np.ndarray, np.ndarray]:
        """Return float[P, pairs] twice: the points of each child in each pair of games, and those of its parent."""
        own, against = self._play(key, children)
        return np.asarray(own, float), np.asarray(against, float)

    @cached_property
    def _play(self) -> Any:
        def play(key: Array, children: Programs) -> tuple[Array, Array]:
            parent = jax.tree.map(jnp.asarray, self._genome)
            both = jax.tree.map(lambda x, y: _alternate(x, jnp.broadcast_to(y, x.shape)), children, parent)
            rows = both.length.shape[0]
            plans = self._match.player.prepare(both)
            played, _ = self._match.match(key, plans, jnp.arange(rows) ^ 1, jnp.ones(rows, bool))
            values = self._match.values(played.states)
            # A row has the games in which its owner begins: its points in a pair are those from both seats.
            own, against = values[0::2, :, 0] + values[1::2, :, 1], values[1::2, :, 0] + values[0::2, :, 1]
            return own, against

        return jax.jit(play)

    def _children(self, key: Array, operator: str, max_depth: int, count: int) -> Programs:
        mutation = MutationOptions(probability=1.0, max_depth=max_depth)
        for kind in mutation.weights:
            setattr(mutation, kind, float(kind == operator))
        algorithm = GPOptions(capacity=self._genome.capacity, mutation=mutation)
        alike = jax.tree.map(lambda x: jnp.broadcast_to(jnp.asarray(x), (count, *np.shape(x))), self._genome)
        return mutate(key, self._language, algorithm, alike, jnp.ones(count, bool))


def judge(differences: np.ndarray) -> tuple[int, int]:
    """Return how many rows are above 0, and how many below, by t-tests of one side each with a false discovery rate.

    Args:
        differences: float[P, N], of points in pairs of games. A row that is one number throughout is above or below
            without a test, unless it is 0.
    """
    from scipy.stats import ttest_1samp
    from statsmodels.stats.multitest import multipletests

    constant = np.ptp(differences, axis=1) == 0
    found = []
    for side, sign in (("greater", 1), ("less", -1)):
        p = np.where(sign * differences[:, 0] > 0, 0.0, 1.0)
        if not constant.all():
            p[~constant] = ttest_1samp(differences[~constant], 0, axis=1, alternative=side).pvalue
        found.append(int(multipletests(p, RATE, method="fdr_bh")[0].sum()))
    return found[0], found[1]


def _alternate(one: Array, other: Array) -> Array:
    """Return the rows of two arrays [P, ...] by turns, [2P, ...]."""
    return jnp.stack([one, other], 1).reshape(-1, *one.shape[1:])


def _differ(children: Programs, parent: Programs) -> Array:
    """Return bool[P, T]: which trees of the children are not those of the parent."""
    different = (children.opcode != parent.opcode) | (children.value != parent.value)
    return different.any(-1) | (children.length != parent.length)
