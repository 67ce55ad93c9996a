"""Fitness from games against a fixed panel: points from both seats, and a price on the size of the program."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.fitness.matches import mean_by_opponent, play, seats
from jaxgp.genotypes.language import Genome, sizes
from jaxgp.operators.selection import comparable
from jaxgp.operators.sharing import groups
from jaxgp.players.opponent import Memory, Opponent
from jaxgp.players.player import Player


@struct.dataclass
class Evaluation:
    """What a generation's games say about each of P individuals."""

    fitness: Array  # float32[P]
    points: Array  # float32[P, 2]: mean points from the first and from the second seat, over the panel
    cases: Array  # float32[2 O, P]: what the fitness were if all games went like those of one opponent and seat
    results: Array  # float32[P, O, 2]: mean result against each opponent from each seat; 1 win, 1/2 draw, 0 loss
    behaviour: Array  # uint32[P, W]: equal for individuals that made exactly the same moves in all their games
    metrics: dict[str, Array]

    @property
    def fittest(self) -> Array:
        """Return int32[]: the individual with the highest fitness, the first of equals."""
        return jnp.argmax(comparable(self.fitness)).astype(jnp.int32)

    def of(self, index: Array) -> "Evaluation":
        """Pick individuals, int32[K]; the metrics stay those of all."""
        return self.replace(  # type: ignore[attr-defined]
            fitness=self.fitness[index],
            points=self.points[index],
            cases=self.cases[:, index],
            results=self.results[index],
            behaviour=self.behaviour[index],
        )


@dataclass(frozen=True)
class PanelFitness:
    """fitness = max(minimum, scale * (points + win_bonus * wins) - parsimony * size).

    The points are the mean in the first seat plus the mean in the second, averaged over the opponents by weight; with
    one deterministic opponent that is the sum of two games' scores; the wins are averaged likewise.
    Scale 1 and no parsimony give the fitness of the
    GP Mancala study's first run; scale 100, parsimony 1 and minimum 1 that of its second.

    Attributes:
        game: the rules.
        player: how an individual plays.
        opponents: the panel.
        weights: one for each opponent.
        points: `score`: the game's own points; `result`: 1 for a win, 1/2 for a draw.
        scale: see above, as are `parsimony`, `win_bonus` and `minimum` (None: no bound).
        max_plies: longer games are stopped and count as they stand.
    """

    game: Any
    player: Player
    opponents: Sequence[Opponent]
    weights: Sequence[float]
    points: str = "score"
    scale: float = 1.0
    parsimony: float = 0.0
    win_bonus: float = 0.0
    minimum: float | None = None
    max_plies: int = 400

    seats: ClassVar[int] = 2

    def init(self, keys: Array) -> tuple[Memory, ...]:
        """Return what the opponents carry; `keys` is one key for each."""
        return tuple(opponent.init(key) for opponent, key in zip(self.opponents, keys, strict=True))

    def evaluate(
        self, key: Array, population: Genome, memories: tuple[Memory, ...]
    ) -> tuple[Evaluation, tuple[Memory, ...]]:
        """Play all games of a population [P, ...]."""
        plans = self.player.prepare(population)
        played, memories = play(key, self.game, self.player, plans, self.opponents, memories, self.max_plies)
        weights = (jnp.asarray(self.weights, jnp.float32) / sum(self.weights))[:, None]
        points = mean_by_opponent(self.opponents, self.game_points(played.states))
        results = mean_by_opponent(self.opponents, self.of_individual(played.states.returns * 0.5 + 0.5))
        won = mean_by_opponent(self.opponents, (self.of_individual(played.states.returns) > 0).astype(jnp.float32))
        by_seat, wins = (points * weights).sum(1), (won * weights).sum((1, 2))
        size = sizes(population).astype(jnp.float32)

        def worth(points: Array, wins: Array) -> Array:
            value = self.scale * (points + self.win_bonus * wins) - self.parsimony * size
            return value if self.minimum is None else jnp.maximum(value, self.minimum)

        fitness = worth(by_seat.sum(-1), wins)
        cases = worth(*(2.0 * x.reshape(len(x), -1).T for x in (points, won)))
        metrics = {
            "evaluations": jnp.int32(played.plies.size),
            "plies": played.plies.sum(dtype=jnp.int32),
            "searches": played.searches,
            "table_hit_rate": 1.0 - played.searches / jnp.where(played.replies > 0, played.replies, jnp.nan),
        }
        behaviour = played.conduct.reshape(len(fitness), -1)
        metrics["unique_behaviours"] = groups(behaviour)[0][-1] + 1
        metrics["beat_all"] = (wins > 2 - 1e-6).sum(dtype=jnp.int32)
        return Evaluation(fitness, by_seat, cases, results, behaviour, metrics), memories

    def standing(
        self, key: Array, result: Evaluation, population: Genome, memories: tuple[Memory, ...]
    ) -> tuple[Array, Array, Array, tuple[Memory, ...]]:
        """Return the fittest (int32[]), its fitness (float32[]) and points (float32[2]), which are known already."""
        del key, population
        best = result.fittest
        return best, result.fitness[best], result.points[best], memories

    def game_points(self, states: Any) -> Array:
        """Return float32[P, G]: the individual's points in each ended game."""
        if self.points == "score":
            return self.of_individual(jax.vmap(jax.vmap(self.game.score))(states))
        return self.of_individual(states.returns * 0.5 + 0.5)

    def of_individual(self, by_seat: Array) -> Array:
        """Pick the individual's own of float32[P, G, 2] by seat: float32[P, G]."""
        return jnp.where(seats(self.opponents) == 0, by_seat[..., 0], by_seat[..., 1])

    def observe(self, memories: tuple[Memory, ...], best: Genome, improved: Array) -> tuple[Memory, ...]:
        """Show every opponent the generation's best individual."""
        pairs = zip(self.opponents, memories, strict=True)
        return tuple(opponent.observe(memory, best, improved) for opponent, memory in pairs)
