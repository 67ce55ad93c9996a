"""Fitness from games of the population among itself and against guides, as in coevolution.

Source: M. Sipper, "Evolved to Win" (2011), section 3.2.8, algorithm 3.2: some rounds against each guide, for those
whose fitness so far trails the best by no more than a cutoff, then games of everybody against others of the population;
a game won is worth a point, one drawn half a point.

Such a fitness says nothing from one generation to the next. So the fittest of every generation are measured against a
fixed panel as well, and the champion of a run is the best of those.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxgp.fitness import coplay, matches
from jaxgp.fitness.panel import Evaluation, PanelFitness
from jaxgp.genotypes.language import Genome
from jaxgp.operators.selection import comparable
from jaxgp.players.opponent import Memory, Opponent
from jaxgp.players.player import Player


@dataclass(frozen=True)
class Guide:
    """A fixed opponent of a population that otherwise meets itself.

    Attributes:
        opponent: who; its `games` from each seat are a round.
        rounds: one after the other.
        cutoff: individuals whose fitness before a round is further from the best than this sit it out; None: nobody.
        weight: what a game won is worth.
    """

    opponent: Opponent
    rounds: int = 1
    cutoff: float | None = None
    weight: float = 1.0


@dataclass(frozen=True)
class CoevolutionFitness:
    """fitness = points of the games against guides + weight * points of the games against others of the population.

    Attributes:
        player: plays for the population.
        panel: measures the fittest of each generation, with a player of its own.
        guides: met first, one after the other.
        games: that each individual plays from each seat against others of the population.
        weight: what such a game won is worth.
        opening: random moves at the beginning of such a game.
        measured: how many of the fittest are measured.
    """

    player: Player
    panel: PanelFitness
    guides: Sequence[Guide]
    games: int
    weight: float = 1.0
    opening: int = 0
    measured: int = 1

    seats: ClassVar[int] = 2

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """Those of the panel, then the guides."""
        return (*self.panel.opponents, *(guide.opponent for guide in self.guides))

    def init(self, keys: Array) -> tuple[Memory, ...]:
        """Return what all opponents carry; `keys` is one key for each."""
        return tuple(opponent.init(key) for opponent, key in zip(self.opponents, keys, strict=True))

    def evaluate(
        self, key: Array, population: Genome, memories: tuple[Memory, ...]
    ) -> tuple[Evaluation, tuple[Memory, ...]]:
        """Play all games of a population [P, ...]; the points of the result are those against each other, by seat."""
        plans = self.player.prepare(population)
        count = self.player.count(plans)
        fitness, plies, searches = jnp.zeros(count), jnp.int32(0), jnp.int32(0)
        measured, carried = memories[: len(self.panel.opponents)], []
        for index, (guide, memory) in enumerate(zip(self.guides, memories[len(measured) :], strict=True)):
            own = jax.random.fold_in(key, index)
            fitness, memory, moves, thought = self.guided(own, guide, plans, fitness, memory)
            plies, searches = plies + moves, searches + thought
            carried.append(memory)
        draw_key, play_key = jax.random.split(jax.random.fold_in(key, len(self.guides)))
        pairs = coplay.draw(draw_key, count, self.games)
        panel = self.panel
        played = coplay.play(play_key, panel.game, self.player, plans, pairs, panel.max_plies, self.opening)
        points = coplay.results(pairs, played.states.returns)
        fitness += self.weight * self.games * points.sum(1)
        metrics = {
            "evaluations": jnp.int32(played.plies.size),
            "plies": plies + played.plies.sum(dtype=jnp.int32),
            "searches": searches,
            "drawn": (played.states.returns[..., 0] == 0).mean(),
            "won_first": (played.states.returns[..., 0] > 0).mean(),
        }
        # No two meet the same opponents, so no two behave alike.
        behaviour = jnp.stack([jnp.arange(count, dtype=jnp.uint32)] * 2, 1)
        none = jnp.zeros((0, count), jnp.float32)
        result = Evaluation(fitness, points, none, jnp.zeros((count, 0, 2)), behaviour, metrics)
        return result, (*measured, *carried)

    def guided(
        self, key: Array, guide: Guide, plans: object, fitness: Array, memory: Memory
    ) -> tuple[Array, Memory, Array, Array]:
        """Play the rounds against one guide.

        Returns:
            float32[P], the fitness with the points of these rounds; the guide's memory; int32[] moves and searches.
        """
        panel = self.panel

        def round_(number: Array, carry: tuple) -> tuple:
            fitness, memory, moves, searches = carry
            fit = jnp.full(fitness.shape, True) if guide.cutoff is None else fitness >= fitness.max() - guide.cutoff
            own = jax.random.fold_in(key, number)
            played, (memory,) = matches.play(
                own, panel.game, self.player, plans, (guide.opponent,), (memory,), panel.max_plies, fit
            )
            seat = matches.seats((guide.opponent,))
            mine = jnp.where(seat == 0, played.states.returns[..., 0], played.states.returns[..., 1])
            points = jnp.where(fit, (mine * 0.5 + 0.5).sum(1), 0.0)
            plies = jnp.where(fit[:, None], played.plies, 0).sum(dtype=jnp.int32)
            return fitness + guide.weight * points, memory, moves + plies, searches + played.searches

        zero = jnp.int32(0)
        done: tuple[Array, Memory, Array, Array] = lax.fori_loop(0, guide.rounds, round_, (fitness, memory, zero, zero))
        return done

    def standing(
        self, key: Array, result: Evaluation, population: Genome, memories: tuple[Memory, ...]
    ) -> tuple[Array, Array, Array, tuple[Memory, ...]]:
        """Measure the fittest of a population against the panel.

        Returns:
            int32[], the best of them, by this measure and then by fitness; its float32[] fitness and float32[2] points,
            as of `PanelFitness`, and what the opponents carry.
        """
        fittest = lax.top_k(comparable(result.fitness), self.measured)[1]
        number = len(self.panel.opponents)
        found, carried = self.panel.evaluate(key, jax.tree.map(lambda x: x[fittest], population), memories[:number])
        best = found.fittest
        return fittest[best], found.fitness[best], found.points[best], (*carried, *memories[number:])

    def observe(self, memories: tuple[Memory, ...], best: Genome, improved: Array) -> tuple[Memory, ...]:
        """Show every opponent the generation's best individual."""
        pairs = zip(self.opponents, memories, strict=True)
        return tuple(opponent.observe(memory, best, improved) for opponent, memory in pairs)
