"""Nested rollout policy adaptation for games of one player: many independent searches side by side.

Sources: C. D. Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree Search", IJCAI 2011; T. Cazenave, J.-B.
Sevestre and M. Toulemont, "Stabilized Nested Rollout Policy Adaptation", 2020; T. Cazenave, "Generalized Nested Rollout
Policy Adaptation", 2020, for the bias.

A policy has one weight, as a logarithm, for each action. A search of level 0 is a playout: it draws among the legal
actions in proportion to the exponentials of their weights. A search of a level above copies the policy it is given and
N times searches on the level below with it, keeps the best game so far, the later one of equals, and adapts its copy to
that game: at each position of it the weight of the action that was played grows by alpha, and the weight of each legal
action shrinks by alpha times the probability that the policy gave it before any of this. Level L plays N ** L games.

Two things can be added. With P above 1 every playout is P playouts of one policy, of which the best counts. A bias is
added to the weight of an action whenever it is drawn by, and is never adapted.

Here the recursion is a loop over playouts, each followed by the levels that it completes. An action stands for itself
in the policy, whatever the position. Playouts note what was legal, so nothing is played again to adapt a policy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.search.listed import LANES, ListedGame, sums_before

STEEPEST = 40.0
"""Weights and biases further from 0 are drawn by as if they were there: beyond it, sums would leave float32."""
STRETCH = 16
"""Plies that are adapted to at once."""

Kinds = Callable[[Any], Array]


@struct.dataclass
class Line:
    """Games of S searches, as actions, with what else could have been played."""

    score: Array  # float32[S]; -inf for no game
    actions: Array  # int32[S, T]; A after the end
    length: Array  # int32[S]
    options: Array  # int16 or int32[S, T, M]: legal actions, A in slots without one
    kinds: Array | None  # int32[S, T, M]: places of the options in the table of biases, if there is one
    crowded: Array  # bool[S]: in some playout, legal actions were missing


@struct.dataclass
class Search:
    """S searches under way."""

    number: Array  # int32[]: playouts, or groups of P, that each has played
    policies: Array  # float32[L, S, A + 1]: by level; the last entry is of slots without an action
    best: Line  # [L, S, ...]: by level


@dataclass(frozen=True)
class Nested:
    """Searches for a game of high score.

    Attributes:
        game: a listed game for one.
        level: L, how deep searches are nested, at least 1.
        iterations: N, searches of the level below within each search.
        alpha: step of adaptation.
        longest: T, moves after which a game is taken as it stands.
        group: P, playouts of one policy, of which the best counts.
        kinds: says of a position the place of each option in a table of biases, int32[M]; None: there are no biases.
    """

    game: ListedGame
    level: int
    iterations: int = 100
    alpha: float = 1.0
    longest: int = 256
    group: int = 1
    kinds: Kinds | None = None

    @property
    def playouts(self) -> int:
        """Games that one search plays."""
        return self.steps * self.group

    @property
    def steps(self) -> int:
        """Groups of games that one search plays."""
        return self.iterations**self.level

    def search(self, key: Array, searches: int, biases: Array | None = None) -> Line:
        """Run independent searches from the opening; return the best game of each.

        Args:
            key: typed key[].
            searches: S.
            biases: float32[S, K], each search's table.
        """
        done = self.advance(key, self.begin(searches), jnp.int32(self.steps), biases)
        return jax.tree.map(lambda x: x[-1], done.best)

    def begin(self, searches: int) -> Search:
        """Return S searches that have played nothing."""
        shape, none = (self.level, searches), self.game.num_actions
        return Search(
            number=jnp.int32(0),
            policies=jnp.zeros((*shape, none + 1)),
            best=Line(
                score=jnp.full(shape, -jnp.inf),
                actions=jnp.full((*shape, self.longest), none, jnp.int32),
                length=jnp.zeros(shape, jnp.int32),
                options=jnp.full((*shape, self.longest, self.game.slots), none, self._narrow),
                kinds=None if self.kinds is None else jnp.zeros((*shape, self.longest, self.game.slots), jnp.int32),
                crowded=jnp.zeros(shape, bool),
            ),
        )

    @cached_property
    def advance(self) -> Callable[[Array, Search, Array, Array | None], Search]:
        """Go on until so many groups have been played (int32[]); key and biases are the same all the way."""
        return jax.jit(self._advance, donate_argnums=1)

    def _advance(self, key: Array, search: Search, until: Array, biases: Array | None = None) -> Search:
        def iterate(search: Search) -> Search:
            found = self.playout(jax.random.fold_in(key, search.number), search.policies[0], biases)
            _, _, policies, best = lax.while_loop(
                lambda at: (at[0] < self.level) & ((search.number + 1) % self.iterations ** at[0] == 0),
                partial(self._complete, biases),
                (jnp.int32(0), found, search.policies, search.best),
            )
            return Search(search.number + 1, policies, best)

        return lax.while_loop(lambda search: search.number < until, iterate, search)

    def _complete(
        self, biases: Array | None, carry: tuple[Array, Line, Array, Line]
    ) -> tuple[Array, Line, Array, Line]:
        """Hand the result of the level below to a level, which goes on from it; the levels below begin anew."""
        at, found, policies, best = carry
        own = jax.tree.map(lambda x: x[at], best)
        crowded = found.crowded | own.crowded
        own = choose(found.score >= own.score, found, own).replace(crowded=crowded)  # type: ignore[attr-defined]
        policy = self.adapt(policies[at], own, biases)
        levels = np.arange(self.level)
        policies = jnp.where((levels <= at)[:, None, None], policy, policies)
        best = jax.tree.map(lambda x, new: x.at[at].set(new), best, own)
        # What is below has been handed on by now. The last level is never below, and keeps its game.
        best = best.replace(score=jnp.where((levels < at)[:, None], -jnp.inf, best.score))
        return at + 1, own, policies, best

    def playout(self, key: Array, policies: Array, biases: Array | None = None) -> Line:
        """Play S games to their ends, each the best of P.

        Args:
            key: typed key[].
            policies: float32[S, A + 1].
            biases: float32[S, K].
        """
        searches, none = len(policies), self.game.num_actions
        shape = (searches, self.group)
        weights, factors = self._weights(policies), None if biases is None else exponential(biases)
        shares = jax.random.uniform(key, (self.longest, *shape))

        def choose_one(state: Any, share: Array, weights: Array, factors: Array | None) -> tuple:
            options = self.game.options(state)
            kinds = None if self.kinds is None else self.kinds(state)
            action = options[draw(_chances(weights, factors, options, kinds), share)]
            return self.game.step(state, action), action, options.astype(self._narrow), kinds

        def ply(carry: tuple) -> tuple:
            number, states, line, _ = carry
            ply_of_group = jax.vmap(choose_one, in_axes=(0, 0, None, None))
            states, actions, *noted = jax.vmap(ply_of_group)(states, shares[number], weights, factors)
            going = actions < none
            put = lambda x, new: x.at[:, :, number].set(new)  # noqa: E731
            options, kinds = jax.tree.map(put, [line.options, line.kinds], noted)
            line = line.replace(
                actions=put(line.actions, actions), length=line.length + going, options=options, kinds=kinds
            )
            return number + 1, states, line, going.any()

        empty = jax.tree.map(
            lambda x: jnp.broadcast_to(x[0, :, None], (searches, self.group, *x.shape[2:])), self.begin(searches).best
        )
        opening = jax.tree.map(lambda x: jnp.broadcast_to(x, (*shape, *x.shape)), self.game.init())
        _, states, line, _ = lax.while_loop(
            lambda carry: (carry[0] < self.longest) & carry[3], ply, (jnp.int32(0), opening, empty, jnp.bool_(True))
        )
        line = line.replace(
            score=jax.vmap(jax.vmap(self.game.score))(states)[..., 0],
            crowded=jnp.broadcast_to(jax.vmap(jax.vmap(self.game.crowded))(states).any(1, keepdims=True), shape),
        )
        if self.group == 1:  # To gather what is all there takes a tenth of a search.
            return jax.tree.map(lambda x: x[:, 0], line)
        # The later one of equals, as everywhere.
        last = self.group - 1 - jnp.argmax(line.score[:, ::-1], 1)
        return jax.tree.map(lambda x: jax.vmap(lambda games, place: games[place])(x, last), line)

    def adapt(self, policies: Array, line: Line, biases: Array | None = None) -> Array:
        """Move policies towards games.

        Args:
            policies: float32[S, A + 1].
            line: S games.
            biases: float32[S, K].

        Returns:
            float32[S, A + 1].
        """
        weights, factors = self._weights(policies), None if biases is None else exponential(biases)

        def adapt_one(
            policy: Array, weights: Array, factors: Array | None, actions: Array, options: Array, kinds: Array | None
        ) -> Array:
            chances = _chances(weights, factors, options.astype(jnp.int32), kinds)
            share = self.alpha / jnp.maximum(columns_of(chances).sum((-2, -1)), jnp.finfo(jnp.float32).tiny)
            return policy.at[options].add(-chances * share[:, None]).at[actions].add(self.alpha)

        def stretch(number: Array, policies: Array) -> Array:
            def cut(x: Array) -> Array:
                return lax.dynamic_slice_in_dim(x, number * width, width, 1)

            kinds = None if line.kinds is None else cut(line.kinds)
            return jax.vmap(adapt_one)(policies, weights, factors, cut(line.actions), cut(line.options), kinds)

        # After the end of a game, only the last entry changes, which nothing is drawn by.
        width = next(width for width in range(min(STRETCH, self.longest), 0, -1) if self.longest % width == 0)
        return lax.fori_loop(0, -(-line.length.max() // width), stretch, policies)

    @property
    def _narrow(self) -> Any:
        """The type of options in games that are kept, which are many."""
        return jnp.int16 if self.game.num_actions < 2**15 else jnp.int32

    @staticmethod
    def _weights(policies: Array) -> Array:
        """Return what actions are drawn in proportion to, of the same shape; 0 for slots without an action."""
        return exponential(policies).at[:, -1].set(0)


def exponential(logarithms: Array) -> Array:
    """Return float32 of the same shape; finite and positive."""
    return jnp.exp(logarithms.clip(-STEEPEST, STEEPEST))


def choose(which: Array, first: Line, second: Line) -> Line:
    """Return of each of S games the first where bool[S] says so, otherwise the second."""
    return jax.tree.map(lambda a, b: jnp.where(which.reshape(-1, *[1] * (a.ndim - 1)), a, b), first, second)


def draw(weights: Array, share: Array) -> Array:
    """Draw one index in proportion to weights.

    Args:
        weights: float32[N], zero where nothing is to be drawn; some index is returned if all are.
        share: float32[], uniform in [0, 1).

    Returns:
        int32[].
    """
    table = columns_of(weights)
    # Rounding can put sums out of order by a trace; the last weight that begins up to the share is then one of two.
    begun = (sums_before(table) <= share * table.sum(0).sum()) & (table > 0)
    order = np.arange(table.size).reshape(LANES, -1).T
    last = jnp.where(begun, order, 0).max()
    return (last % len(table) * LANES + last // len(table)).clip(0, len(weights) - 1)


def columns_of(weights: Array) -> Array:
    """Return float32[..., R, 8] of float32[..., N], filled up with zeros."""
    room = [(0, 0)] * (weights.ndim - 1) + [(0, -weights.shape[-1] % LANES)]
    return jnp.pad(weights, room).reshape(*weights.shape[:-1], -1, LANES)


def _chances(weights: Array, factors: Array | None, options: Array, kinds: Array | None) -> Array:
    """Return float32[..., M]: what options are drawn in proportion to, 0 in slots without one."""
    return weights[options] if factors is None or kinds is None else weights[options] * factors[kinds]
