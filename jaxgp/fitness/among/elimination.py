"""Fitness from a single-elimination tournament of the population.

Source: M. Sipper, "Evolved to Win" (2011), section 7.4. The individuals are divided into arbitrary pairs, and each pair
plays a match. Losers of a round of n individuals get the fitness 1 / n; winners are divided into pairs again. The
winner of the last match gets 1.

The source does not say who wins a match of equal points. Here a random draw decides, or the size before it: that is
lexicographic parsimony pressure, after S. Luke and L. Panait (2002).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxgp.arrays import counter, total
from jaxgp.contracts import Game, Plans, Player, States
from jaxgp.fitness.among import coplay
from jaxgp.fitness.evaluation import Evaluation, Memoryless, child
from jaxgp.genotypes.language import Genome, sizes
from jaxgp.printable import brief

MATCHES = 2
"""The child of a generation's key that matches take; that of a referee is another."""


@dataclass(frozen=True)
class EliminationFitness(Memoryless):
    """fitness = 1 / n, where n individuals were left in the round of the defeat; 1 for the winner.

    The population is a power of two.

    Attributes:
        game: the rules.
        player: how an individual plays.
        games: of a match, from each seat.
        points: what wins a match: the game's own points (`score`), or games won and half of those drawn (`result`).
        opening: random moves at the beginning of a game.
        paired: whether the two games of a pair, with seats changed, have the same chance.
        max_plies: longer games are stopped and scored as they stand.
        smaller: whether the smaller individual wins a match of equal points, and a lot decides between equal sizes.
    """

    game: Game
    player: Player
    games: int
    points: str = "score"
    opening: int = 0
    paired: bool = False
    max_plies: int = 400
    smaller: bool = False

    seats: ClassVar[int] = 2

    __repr__ = brief

    def keys(self, key: Array) -> tuple[Array, Array]:
        """Return the key for both: only a referee draws from it."""
        return key, key

    def evaluate(self, key: Array, population: Genome, memory: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Play the tournament of a population [P, ...].

        The points of the result are the mean results of each individual in all of its matches, by seat.
        """
        key = child(key, MATCHES)
        plans = self.player.prepare(population)
        count = self.player.count(plans)
        size = sizes(population) if self.smaller else jnp.zeros(count, jnp.int32)

        def round_(number: Array, carry: tuple[Array, ...]) -> tuple[Array, ...]:
            order, fitness, points, met, games, plies, drawn, first = carry
            left = count >> number
            entered = jnp.zeros(count, bool).at[order].set(jnp.arange(count) < left)
            rival = jnp.zeros(count, jnp.int32).at[order].set(order[jnp.arange(count) ^ 1])
            lot_key, play_key = jax.random.split(jax.random.fold_in(key, number + 1))
            played, pairs = self.match(play_key, plans, rival, entered)
            own = match_points(pairs, self.values(played.states))
            lots = jax.random.permutation(lot_key, count)
            beats = surpasses((own, -size, lots), rival)
            fitness = jnp.where(entered & ~beats, 1 / left, fitness)
            points += jnp.where(entered[:, None], coplay.totals(pairs, played.states.returns * 0.5 + 0.5), 0)
            returns = jnp.where(entered[:, None], played.states.returns[..., 0], jnp.nan)
            counts = [entered.sum(dtype=jnp.int32) * self.games]
            counts += [total(jnp.where(entered[:, None], played.plies, 0), self.max_plies)]
            counts += [(returns == 0).sum(), (returns > 0).sum()]
            totals = [a + b.astype(a.dtype) for a, b in zip((games, plies, drawn, first), counts, strict=True)]
            return following(order, beats, left), fitness, points, met + entered, *totals

        zero = jnp.int32(0)
        order = jax.random.permutation(jax.random.fold_in(key, 0), count).astype(jnp.int32)
        rounds = (count - 1).bit_length()
        none = jnp.zeros((), counter(2 * count * self.games * self.max_plies))  # half as many play in each later round
        start = order, jnp.ones(count), jnp.zeros((count, 2)), jnp.zeros(count, jnp.int32), zero, none, zero, zero
        _, fitness, points, met, games, plies, drawn, first = lax.fori_loop(0, rounds, round_, start)
        metrics = {
            "evaluations": games,
            "plies": plies,
            "drawn": drawn / games,
            "won_first": first / games,
        }
        return Evaluation(fitness, points / (self.games * met[:, None]), metrics), memory

    def match(self, key: Array, plans: Plans, rival: Array, entered: Array) -> tuple[coplay.Coplayed, coplay.Pairs]:
        """Play the matches of a round; `rival` is int32[P], `entered` bool[P]."""
        both = jnp.broadcast_to(rival[:, None], (len(rival), self.games))
        pairs = coplay.Pairs(both, both)
        played = coplay.play(
            key,
            self.game,
            self.player,
            plans,
            pairs,
            self.max_plies,
            self.opening,
            entered,
            self.paired,
        )
        return played, pairs

    def values(self, states: States) -> Array:
        """Return float32[P, N, 2]: what ended games [P, N] count in a match, by seat."""
        if self.points == "result":
            value: Array = states.returns * 0.5 + 0.5
            return value
        return jax.vmap(jax.vmap(self.game.score))(states)


def match_points(pairs: coplay.Pairs, values: Array) -> Array:
    """Return float32[P]: the points of each individual in its match, of games [P, N, 2] by seat."""
    return values[..., 0].sum(1) + values[pairs.first[:, 0], :, 1].sum(1)


def surpasses(values: Sequence[Array], rival: Array) -> Array:
    """Return bool[P]: who has more of the first of the values [P] in which the two of a match differ.

    `rival` is int32[P], the other one of each match.
    """
    more = jnp.zeros(rival.shape, bool)
    for value in reversed(values):
        more = (value > value[rival]) | ((value == value[rival]) & more)
    return more


def following(order: Array, beats: Array, left: Array) -> Array:
    """Return int32[P]: the order of the next round: winners of neighbours, then those who lost, then all others.

    Args:
        order: int32[P], a permutation; the first `left` (int32[]) take part, and each two neighbours met.
        beats: bool[P], whether each individual has won.
        left: a power of two.
    """
    place, half = jnp.arange(len(order)), left // 2
    match = 2 * jnp.where(place < half, place, place - half) % len(order)
    one, other = order[match], order[match ^ 1]
    won = jnp.where(beats[one], one, other)
    lost = jnp.where(beats[one], other, one)
    return jnp.where(place < half, won, jnp.where(place < left, lost, order))
