"""Nested rollout policy adaptation for games of one player: many independent searches side by side.

Source: C. D. Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree Search", IJCAI 2011.

A policy has one weight, as a logarithm, for each action. A search of level 0 is a playout: it draws among the legal
actions in proportion to the exponentials of their weights. A search of a level above copies the policy it is given and
N times searches on the level below with it, keeps the best game so far, the later one of equals, and adapts its copy to
that game: at each position of it the weight of the action that was played grows by alpha, and the weight of each legal
action shrinks by alpha times the probability that the policy gave it before any of this. Level L plays N ** L games.

Here the recursion is a loop over playouts, each followed by the levels that it completes. An action stands for itself
in the policy, whatever the position.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

State = Any

STEEPEST = 40.0
"""Weights further from 0 are drawn by as if they were there: beyond it, sums of exponentials leave float32."""


@struct.dataclass
class Line:
    """Games of S searches, as actions."""

    score: Array  # float32[S]; -inf for no game
    actions: Array  # int32[S, T]
    length: Array  # int32[S]


@dataclass(frozen=True)
class Nested:
    """Searches for a game of high score.

    Attributes:
        game: the rules, of a game for one whose steps do nothing after its end.
        level: L, how deep searches are nested, at least 1.
        iterations: N, searches of the level below within each search.
        alpha: step of adaptation.
        longest: T, moves after which a game is taken as it stands.
    """

    game: Any
    level: int
    iterations: int = 100
    alpha: float = 1.0
    longest: int = 256

    @property
    def playouts(self) -> int:
        """Games that one search plays."""
        return self.iterations**self.level

    def search(self, key: Array, searches: int) -> Line:
        """Run independent searches from the opening; return the best game of each.

        Args:
            key: typed key[].
            searches: S.
        """
        return self._search(key, searches)

    @cached_property
    def _search(self) -> Any:
        return jax.jit(self._nested, static_argnums=1)

    def _nested(self, key: Array, searches: int) -> Line:
        start = self.game.init()
        states = jax.tree.map(lambda x: jnp.broadcast_to(x, (searches, *x.shape)), start)
        policies = jnp.zeros((self.level, searches, self.game.num_actions))
        none = Line(
            jnp.full((self.level, searches), -jnp.inf),
            jnp.zeros((self.level, searches, self.longest), jnp.int32),
            jnp.zeros((self.level, searches), jnp.int32),
        )

        def iterate(carry: tuple[Array, Array, Line]) -> tuple[Array, Array, Line]:
            number, policies, best = carry
            found = self.playout(jax.random.fold_in(key, number), policies[0], states)
            _, _, policies, best = lax.while_loop(
                lambda at: (at[0] < self.level) & ((number + 1) % self.iterations ** at[0] == 0),
                partial(self._complete, states),
                (jnp.int32(0), found, policies, best),
            )
            return number + 1, policies, best

        _, _, best = lax.while_loop(lambda carry: carry[0] < self.playouts, iterate, (jnp.int32(0), policies, none))
        return jax.tree.map(lambda x: x[-1], best)

    def _complete(self, states: State, carry: tuple[Array, Line, Array, Line]) -> tuple[Array, Line, Array, Line]:
        """Hand the result of the level below to a level, which goes on from it; the levels below begin anew."""
        at, found, policies, best = carry
        own = jax.tree.map(lambda x: x[at], best)
        better = found.score >= own.score
        own = jax.tree.map(lambda a, b: jnp.where(better.reshape(-1, *[1] * (a.ndim - 1)), a, b), found, own)
        policy = self.adapt(policies[at], own, states)
        levels = np.arange(self.level)
        policies = jnp.where((levels <= at)[:, None, None], policy, policies)
        best = jax.tree.map(lambda x, new: x.at[at].set(new), best, own)
        # What is below has been handed on by now. The last level is never below, and keeps its game.
        best = best.replace(score=jnp.where((levels < at)[:, None], -jnp.inf, best.score))
        return at + 1, own, policies, best

    def playout(self, key: Array, policies: Array, states: State) -> Line:
        """Play S games to their ends.

        Args:
            key: typed key[].
            policies: float32[S, A].
            states: [S], where games begin.
        """
        weights, searches = self.exponential(policies), len(policies)

        def ply(carry: tuple[Array, State, Line]) -> tuple[Array, State, Line]:
            number, states, line = carry
            going = ~states.terminated
            share = jax.random.uniform(jax.random.fold_in(key, number), (searches,))
            legal = jax.vmap(self.game.legal_actions)(states)
            actions = jax.vmap(draw)(jnp.where(legal, weights, 0), share)
            states = jax.vmap(self.game.step)(states, actions)
            return (
                number + 1,
                states,
                Line(line.score, line.actions.at[:, number].set(jnp.where(going, actions, 0)), line.length + going),
            )

        first = Line(
            jnp.zeros(searches), jnp.zeros((searches, self.longest), jnp.int32), jnp.zeros(searches, jnp.int32)
        )
        _, states, line = lax.while_loop(
            lambda carry: (carry[0] < self.longest) & ~carry[1].terminated.all(), ply, (jnp.int32(0), states, first)
        )
        return line.replace(score=jax.vmap(self.game.score)(states)[:, 0])  # type: ignore[attr-defined]

    def adapt(self, policies: Array, line: Line, states: State) -> Array:
        """Move policies towards games.

        Args:
            policies: float32[S, A].
            line: S games.
            states: [S], where they begin.

        Returns:
            float32[S, A].
        """
        weights = self.exponential(policies)

        def ply(carry: tuple[Array, State, Array]) -> tuple[Array, State, Array]:
            number, states, change = carry
            going, actions = number < line.length, line.actions[:, number]
            legal = jax.vmap(self.game.legal_actions)(states) & going[:, None]
            chances = jnp.where(legal, weights, 0)
            total = jnp.maximum(jax.vmap(total_of)(chances), jnp.finfo(jnp.float32).tiny)
            played = (np.arange(policies.shape[1]) == actions[:, None]) & going[:, None]
            change += played - chances * (1 / total)[:, None]
            # Games that are over go on in place: what a step does to them is not looked at.
            return number + 1, jax.vmap(self.game.step)(states, actions), change

        _, _, change = lax.while_loop(
            lambda carry: carry[0] < line.length.max(), ply, (jnp.int32(0), states, jnp.zeros_like(policies))
        )
        return policies + self.alpha * change

    @staticmethod
    def exponential(policies: Array) -> Array:
        """Return what actions are drawn in proportion to, of the same shape; finite and positive."""
        return jnp.exp(policies.clip(-STEEPEST, STEEPEST))


def draw(weights: Array, share: Array) -> Array:
    """Draw one index in proportion to weights: first a column of the square they fill, then a place in it.

    Args:
        weights: float32[A], zero where nothing is to be drawn; some index is returned if all are.
        share: float32[], uniform in [0, 1).

    Returns:
        int32[].
    """
    square = _square(weights)
    columns = square.sum(0)
    column, rest = _pass(columns, share * columns.sum())
    row, _ = _pass(square[:, column], rest)
    return (row * len(square) + column).astype(jnp.int32)


def total_of(weights: Array) -> Array:
    """Return float32[]: the sum of float32[A], by columns, since a CPU adds up a last axis one by one."""
    return _square(weights).sum(0).sum()


def _square(weights: Array) -> Array:
    """Return float32[R, R], filled up with zeros."""
    width = int(np.ceil(np.sqrt(len(weights))))
    return jnp.pad(weights, (0, width**2 - len(weights))).reshape(width, width)


def _pass(weights: Array, share: Array) -> tuple[Array, Array]:
    """Return the first index up to which more than `share` is summed, and the part of `share` that is left for it."""
    triangle = np.triu(np.ones((len(weights), len(weights)), np.float32))
    sums = jnp.dot(weights, triangle, precision=lax.Precision.HIGHEST)
    beyond = (sums > share) & (weights > 0)
    # Rounding can leave no sum beyond the share; the greatest weight is then as good as any.
    index = jnp.where(beyond.any(), jnp.argmax(beyond), jnp.argmax(weights))
    return index, share - (sums[index] - weights[index])
