"""Fitness from games against a fixed panel: points from both seats, and a price on the size of the program."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.fitness.matches import mean_by_opponent, play, seats
from jaxgp.genotypes.programs import Programs
from jaxgp.players.opponent import Memory, Opponent
from jaxgp.players.program import ProgramPlayer


@struct.dataclass
class Evaluation:
    """What a generation's games say about each of P individuals."""

    fitness: Array  # float32[P]
    points: Array  # float32[P, 2]: mean points from the first and from the second seat, over the panel
    metrics: dict[str, Array]


@dataclass(frozen=True)
class PanelFitness:
    """fitness = max(minimum, scale * points - parsimony * nodes).

    The points are the mean in the first seat plus the mean in the second, averaged over the opponents by weight; with
    one deterministic opponent that is the sum of two games' scores. Scale 1 and no parsimony give the fitness of the
    GP Mancala study's first run; scale 100, parsimony 1 and minimum 1 that of its second.

    Attributes:
        game: the rules.
        player: how a program plays.
        opponents: the panel.
        weights: one for each opponent.
        points: `score`: the game's own points; `result`: 1 for a win, 1/2 for a draw.
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
        max_plies: longer games are stopped and count as they stand.
    """

    game: Any
    player: ProgramPlayer
    opponents: Sequence[Opponent]
    weights: Sequence[float]
    points: str = "score"
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None
    max_plies: int = 400

    def init(self, keys: Array) -> tuple[Memory, ...]:
        """Return what the opponents carry; `keys` is one key for each."""
        return tuple(opponent.init(key) for opponent, key in zip(self.opponents, keys, strict=True))

    def evaluate(
        self, key: Array, population: Programs, memories: tuple[Memory, ...]
    ) -> tuple[Evaluation, tuple[Memory, ...]]:
        """Play all games of a population [P, T, L]."""
        plans = self.player.prepare(population)
        played, memories = play(key, self.game, self.player, plans, self.opponents, memories, self.max_plies)
        points = mean_by_opponent(self.opponents, self.game_points(played.states))
        weights = jnp.asarray(self.weights, jnp.float32) / sum(self.weights)
        by_seat = (points * weights[:, None]).sum(1)
        nodes = population.length.sum(-1).astype(jnp.float32)
        fitness = self.scale * by_seat.sum(-1) - self.parsimony * nodes
        if self.minimum is not None:
            fitness = jnp.maximum(fitness, self.minimum)
        metrics = {
            "evaluations": jnp.int32(played.plies.size),
            "plies": played.plies.sum(dtype=jnp.int32),
            "searches": played.searches,
            "table_hit_rate": 1.0 - played.searches / jnp.maximum(played.replies, 1),
        }
        return Evaluation(fitness, by_seat, metrics), memories

    def game_points(self, states: Any) -> Array:
        """Return float32[P, G]: the individual's points in each ended game."""
        seat = seats(self.opponents)
        by_seat = states.returns * 0.5 + 0.5
        if self.points == "score":
            by_seat = jax.vmap(jax.vmap(self.game.score))(states)
        return jnp.where(seat == 0, by_seat[..., 0], by_seat[..., 1])

    def observe(self, memories: tuple[Memory, ...], best: Programs, improved: Array) -> tuple[Memory, ...]:
        """Show every opponent the generation's best individual."""
        pairs = zip(self.opponents, memories, strict=True)
        return tuple(opponent.observe(memory, best, improved) for opponent, memory in pairs)
