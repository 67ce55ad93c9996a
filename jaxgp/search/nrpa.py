"""Nested rollout policy adaptation for games of one player: many independent searches side by side.

Sources: C. D. Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree Search", IJCAI 2011; T. Cazenave, J.-B.
Sevestre and M. Toulemont, "Stabilized Nested Rollout Policy Adaptation", 2020; T. Cazenave, "Generalized Nested Rollout
Policy Adaptation", 2020, for the bias.

A policy has one log-weight for each action. A search of level 0 is a playout: it draws among the legal actions in
proportion to the exponentials of their log-weights. A search of a higher level copies the policy it is given. With the
copy it runs N searches of the level below. After each of them it keeps the best game so far, of equals the later one,
and adapts the copy to that game. At each position of the game, the log-weight of the action that was played grows by
alpha; the log-weight of each legal action shrinks by alpha times the probability that the policy gave it before the
adaptation. Level L plays N ** L games.

There are two additions. With P above 1 every playout is P playouts of one policy; the best counts. A bias is
added to the log-weight of an action in each draw, and is never adapted.

Here the recursion is a loop over playouts, each followed by the levels that it completes. An action has the same
log-weight in all positions. Playouts note what was legal, so nothing is played again to adapt a policy.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.arrays import take, where
from jaxgp.search.listed import LANES, ListedGame, sums_before

STEEPEST = 40.0
"""Log-weights and biases are clipped to +-40 before exp, so that sums stay finite in float32."""
STRETCH = 16
"""Plies of a game whose adaptations are computed as one batch."""

Kinds = Callable[[Any], Array]
"""state -> int32[M]: the kind of each option, its place in a table of biases."""


@struct.dataclass
class Line:
    """One game of each of S searches: the actions played, and the legal actions at each ply."""

    score: Array  # float32[S]; -inf for no game
    actions: Array  # int32[S, T]; A after the end
    length: Array  # int32[S]
    options: Array  # int16 or int32[S, T, M]: legal actions, A in slots without one
    kinds: Array | None  # int32[S, T, M]: kinds of the options, where there are biases
    overflow: Array  # bool[S]: in some playout there were more legal actions than slots


@struct.dataclass
class NRPAState:
    """The state of S searches."""

    number: Array  # int32[]: groups of P playouts that each has played
    policies: Array  # float32[L, S, A + 1]: by level; the last entry is for slots without an action
    best: Line  # [L, S, ...]: by level


@dataclass(frozen=True)
class Nested:
    """Searches for a game of high score.

    Attributes:
        game: a game for one, its legal actions in a list.
        level: L, how deep searches are nested, at least 1.
        iterations: N, searches of the level below within each search.
        alpha: step of adaptation.
        longest: T, moves after which a game is taken as it stands.
        group: P, playouts of one policy; the best counts.
        kinds: the kinds of the options of a position; None: there are no biases.
    """

    game: ListedGame[Any]
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
            biases: float32[S, K], the bias of each kind in each search.
        """
        done = self.advance(key, self.begin(searches), jnp.int32(self.steps), biases)
        return jax.tree.map(lambda x: x[-1], done.best)

    def begin(self, searches: int) -> NRPAState:
        """Return S searches that have played nothing."""
        shape, none = (self.level, searches), self.game.num_actions
        return NRPAState(
            number=jnp.int32(0),
            policies=jnp.zeros((*shape, none + 1)),
            best=Line(
                score=jnp.full(shape, -jnp.inf),
                actions=jnp.full((*shape, self.longest), none, jnp.int32),
                length=jnp.zeros(shape, jnp.int32),
                options=jnp.full((*shape, self.longest, self.game.slots), none, self._narrow),
                kinds=None if self.kinds is None else jnp.zeros((*shape, self.longest, self.game.slots), jnp.int32),
                overflow=jnp.zeros(shape, bool),
            ),
        )

    @cached_property
    def advance(self) -> Callable[[Array, NRPAState, Array, Array | None], NRPAState]:
        """The jitted function (key, search, until, biases) -> search, which goes on to group number `until` (int32[]).

        Key and biases must be the same in all calls for one search. The search that goes in is used up.
        """
        return jax.jit(self._advance, donate_argnums=1)

    def _advance(self, key: Array, search: NRPAState, until: Array, biases: Array | None = None) -> NRPAState:
        def iterate(search: NRPAState) -> NRPAState:
            found = self.playout(jax.random.fold_in(key, search.number), search.policies[0], biases)
            _, _, policies, best = lax.while_loop(
                lambda at: (at[0] < self.level) & ((search.number + 1) % self.iterations ** at[0] == 0),
                partial(self._complete, biases),
                (jnp.int32(0), found, search.policies, search.best),
            )
            return NRPAState(search.number + 1, policies, best)

        return lax.while_loop(lambda search: search.number < until, iterate, search)

    def _complete(
        self, biases: Array | None, carry: tuple[Array, Line, Array, Line]
    ) -> tuple[Array, Line, Array, Line]:
        """Finish one iteration of a level with the game found on the level below.

        The level keeps the better game and adapts its policy to it. The levels below start again from this policy. The
        carry is int32[], the level; the game found; policies and best games of all levels.
        """
        at, found, policies, best = carry
        own = take(best, at)
        overflow = found.overflow | own.overflow
        own = replace(where(found.score >= own.score, found, own), overflow=overflow)
        policy = self.adapt(policies[at], own, biases)
        levels = np.arange(self.level)
        policies = jnp.where((levels <= at)[:, None, None], policy, policies)
        best = jax.tree.map(lambda x, new: x.at[at].set(new), best, own)
        # The levels below start without a game. The top level is never below another, so it keeps its best game.
        best = replace(best, score=jnp.where((levels < at)[:, None], -jnp.inf, best.score))
        return at + 1, own, policies, best

    def playout(self, key: Array, policies: Array, biases: Array | None = None) -> Line:
        """Play a game in each of S searches, the best of P.

        Args:
            key: typed key[].
            policies: float32[S, A + 1].
            biases: float32[S, K].

        Returns:
            S games.
        """
        searches, none = len(policies), self.game.num_actions
        shape = (searches, self.group)
        weights, factors = self._weights(policies), None if biases is None else exponential(biases)
        shares = jax.random.uniform(key, (self.longest, *shape))

        def choose_one(state: object, share: Array, weights: Array, factors: Array | None) -> tuple:
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
            actions, length = put(line.actions, actions), line.length + going
            line = replace(line, actions=actions, length=length, options=options, kinds=kinds)
            return number + 1, states, line, going.any()

        empty = jax.tree.map(
            lambda x: jnp.broadcast_to(x[0, :, None], (searches, self.group, *x.shape[2:])), self.begin(searches).best
        )
        opening = jax.tree.map(lambda x: jnp.broadcast_to(x, (*shape, *x.shape)), self.game.init())
        _, states, line, _ = lax.while_loop(
            lambda carry: (carry[0] < self.longest) & carry[3], ply, (jnp.int32(0), opening, empty, jnp.bool_(True))
        )
        score = jax.vmap(jax.vmap(self.game.score))(states)[..., 0]
        overflow = jax.vmap(jax.vmap(self.game.overflow))(states).any(1, keepdims=True)
        line = replace(line, score=score, overflow=jnp.broadcast_to(overflow, shape))
        if self.group == 1:  # The gather below would copy everything, which takes a tenth of a search.
            return jax.tree.map(lambda x: x[:, 0], line)
        # Of equal games the later one counts, as on all levels.
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

        # After the end of a game only the policy's last entry changes, and no draw reads this entry.
        width = next(width for width in range(min(STRETCH, self.longest), 0, -1) if self.longest % width == 0)
        return lax.fori_loop(0, -(-line.length.max() // width), stretch, policies)

    @property
    def _narrow(self) -> np.dtype:
        """The type in which games store their options, the larger part of their memory."""
        return np.dtype(np.int16 if self.game.num_actions < 2**15 else np.int32)

    @staticmethod
    def _weights(policies: Array) -> Array:
        """Return the weights of log-weights float32[S, A + 1], in the same shape; 0 for slots without an action."""
        return exponential(policies).at[:, -1].set(0)


def exponential(logarithms: Array) -> Array:
    """Return the exponentials of float32[...], in the same shape; all are finite and positive."""
    return jnp.exp(logarithms.clip(-STEEPEST, STEEPEST))


def draw(weights: Array, share: Array) -> Array:
    """Draw one index in proportion to weights.

    Args:
        weights: float32[N]; an index of weight zero is never drawn, unless all weights are zero.
        share: float32[], uniform in [0, 1).

    Returns:
        int32[].
    """
    table = columns_of(weights)
    # Rounding can make a sum slightly smaller than the one before it; then the later of the two weights is drawn.
    begun = (sums_before(table) <= share * table.sum(0).sum()) & (table > 0)
    order = np.arange(table.size).reshape(LANES, -1).T
    last = jnp.where(begun, order, 0).max()
    return (last % len(table) * LANES + last // len(table)).clip(0, len(weights) - 1)


def columns_of(weights: Array) -> Array:
    """Lay float32[..., N] out in columns, float32[..., R, 8], filled up with zeros."""
    room = [(0, 0)] * (weights.ndim - 1) + [(0, -weights.shape[-1] % LANES)]
    return jnp.pad(weights, room).reshape(*weights.shape[:-1], -1, LANES)


def _chances(weights: Array, factors: Array | None, options: Array, kinds: Array | None) -> Array:
    """Return float32[..., M]: the weights by which options (int32[..., M]) are drawn, 0 in slots without one."""
    return weights[options] if factors is None or kinds is None else weights[options] * factors[kinds]
