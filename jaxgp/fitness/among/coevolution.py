"""Fitness from games of the population among itself and against guides, as in coevolution.

Source: M. Sipper, "Evolved to Win" (2011), section 3.2.8, algorithm 3.2. First come some rounds against each guide, for
individuals whose fitness so far trails the best by at most a cutoff. Then every individual plays others of the
population. A win is worth one point, a draw half a point.

Such fitness values cannot be compared between generations. So the fittest of every generation are also measured against
a fixed panel, and the champion of a run is the best of these.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxgp import arrays
from jaxgp.arrays import comparable
from jaxgp.contracts import Opponent, Plans, Player, Scheme, Standing
from jaxgp.fitness import matches
from jaxgp.fitness.among import coplay
from jaxgp.fitness.evaluation import Absolute, Evaluation, child
from jaxgp.fitness.panel import PLAY, Memories, PanelFitness, check_opponent, check_player
from jaxgp.genotypes.language import Genome, Language, written_in
from jaxgp.options import MAX_GAMES, MAX_WEIGHT, check_like, real, whole
from jaxgp.players.options import Opponent as Options

Tree = TypeVar("Tree")

COUNTED = ("evaluations", "plies", "searches")
"""Metrics that count all games of a generation: those of the population, against guides and against the panel."""


@dataclass(frozen=True)
class Guide:
    """A fixed opponent of a population that otherwise meets itself.

    Attributes:
        opponent: who; its `games` from each seat are a round.
        rounds: how many are played, one after the other.
        cutoff: individuals whose fitness trails the best by more than this before a round sit it out; None: nobody.
        weight: points for a game won.
    """

    opponent: Opponent
    rounds: int = 1
    cutoff: float | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_like(self, Options, "rounds", "cutoff", "weight")


@dataclass(frozen=True)
class CoevolutionFitness(Absolute[Memories]):
    """fitness = points of the games against guides + weight * points of the games against others of the population.

    Attributes:
        player: plays for the population.
        panel: measures the fittest of each generation, with a player of its own.
        guides: met first, one after the other.
        games: games of each individual from each seat against others of the population.
        weight: points for winning such a game.
        opening: random moves at the beginning of such a game.
        measured: how many of the fittest the panel measures.
    """

    player: Player
    panel: PanelFitness
    guides: Sequence[Guide]
    games: int
    weight: float = 1.0
    opening: int = 0
    measured: int = 1

    seats: ClassVar[int] = 2

    def __post_init__(self) -> None:
        check_player(self.panel.game, self.player)
        for guide in self.guides:
            check_opponent(self.panel.game, guide.opponent)
        whole("games", self.games, 0, MAX_GAMES)
        real("weight", self.weight, 0, MAX_WEIGHT)
        whole("opening", self.opening, 0, self.panel.max_plies, "max_plies")
        whole("measured", self.measured, 1)

    @property
    def language(self) -> Language | None:
        """What the player's individuals are written in."""
        return written_in(self.player)

    def check(self, scheme: Scheme[Any]) -> None:
        """Refuse a scheme whose individuals cannot be measured, or that has too few; raises UsageError."""
        super().check(scheme)
        whole("measured", self.measured, 1, scheme.population, "the population")

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """Those of the panel, then the guides."""
        return (*self.panel.opponents, *(guide.opponent for guide in self.guides))

    def init(self, key: Array) -> Memories:
        """Return the memories of all opponents."""
        keys = jax.random.split(key, len(self.opponents))
        return tuple(opponent.init(own) for opponent, own in zip(self.opponents, keys, strict=True))

    def evaluate(self, key: Array, population: Genome, memory: Memories) -> tuple[Evaluation, Memories]:
        """Play all games of a population [P, ...] except those against the panel.

        The points of the result are those of the games among the population, by seat. No two individuals meet the same
        opponents, so there are neither cases nor behaviour to compare.
        """
        key = child(key, PLAY)
        plans = self.player.prepare(population)
        count = self.player.count(plans)
        fitness, games, plies, searches = jnp.zeros(count), jnp.int32(0), jnp.int32(0), jnp.int32(0)
        measured, carried = memory[: len(self.panel.opponents)], []
        for index, (guide, own) in enumerate(zip(self.guides, memory[len(measured) :], strict=True)):
            fitness, own, *counted = self.guided(jax.random.fold_in(key, index), guide, plans, fitness, own)
            games, plies, searches = (a + b for a, b in zip((games, plies, searches), counted, strict=True))
            carried.append(own)
        draw_key, play_key = jax.random.split(jax.random.fold_in(key, len(self.guides)))
        pairs = coplay.draw(draw_key, count, self.games)
        panel = self.panel
        played = coplay.play(play_key, panel.game, self.player, plans, pairs, panel.max_plies, self.opening)
        points = coplay.results(pairs, played.states.returns)
        fitness += self.weight * self.games * points.sum(1)
        metrics = {
            "evaluations": games + jnp.int32(played.plies.size),
            "plies": plies + played.plies.sum(dtype=jnp.int32),
            "searches": searches,
            "drawn": (played.states.returns[..., 0] == 0).mean(),
            "won_first": (played.states.returns[..., 0] > 0).mean(),
        }
        return Evaluation(fitness, points, metrics), (*measured, *carried)

    def guided(
        self, key: Array, guide: Guide, plans: Plans, fitness: Array, memory: Tree
    ) -> tuple[Array, Tree, Array, Array, Array]:
        """Play the rounds against one guide.

        Returns:
            float32[P], the fitness with the points of these rounds; the guide's memory; int32[] games, moves, searches.
        """
        panel = self.panel

        def round_(number: Array, carry: tuple) -> tuple:
            fitness, memory, games, moves, searches = carry
            fit = jnp.full(fitness.shape, True) if guide.cutoff is None else fitness >= fitness.max() - guide.cutoff
            own = jax.random.fold_in(key, number)
            played, (memory,) = matches.play(
                own, panel.game, self.player, plans, (guide.opponent,), (memory,), panel.max_plies, fit
            )
            seat = matches.seats((guide.opponent,))
            mine = jnp.where(seat == 0, played.states.returns[..., 0], played.states.returns[..., 1])
            points = jnp.where(fit, (mine * 0.5 + 0.5).sum(1), 0.0)
            plies = jnp.where(fit[:, None], played.plies, 0).sum(dtype=jnp.int32)
            games += 2 * guide.opponent.games * fit.sum(dtype=jnp.int32)
            return fitness + guide.weight * points, memory, games, moves + plies, searches + played.searches

        counts = jnp.zeros(3, jnp.int32)
        done: tuple[Array, Tree, Array, Array, Array] = lax.fori_loop(
            0, guide.rounds, round_, (fitness, memory, *counts)
        )
        return done

    def standing(
        self, key: Array, result: Evaluation, population: Genome, memory: Memories
    ) -> tuple[Standing, Memories]:
        """Measure the fittest of a population against the panel; the best by this measure stands, then the fitter."""
        fittest = lax.top_k(comparable(result.fitness), self.measured)[1]
        number = len(self.panel.opponents)
        measure_key = jax.random.fold_in(child(key, PLAY), 1)
        found, carried = self.panel.measure(measure_key, arrays.take(population, fittest), memory[:number])
        best = found.fittest
        metrics = {name: result.metrics[name] + found.metrics[name] for name in COUNTED}
        metrics["best_standing"] = found.fitness[best]
        standing = Standing(fittest[best], found.fitness[best], found.points[best], jnp.bool_(False), metrics)
        return standing, (*carried, *memory[number:])

    def again(self, key: Array, genomes: Genome, memory: Memories) -> tuple[Array, Array]:
        """Return float32[K] fitness and float32[K, S] points of individuals [K, ...] in new games against the panel."""
        found, _ = self.panel.measure(key, genomes, memory[: len(self.panel.opponents)])
        return found.fitness, found.points

    def observe(self, memory: Memories, best: Genome, improved: Array) -> Memories:
        """Show every opponent the generation's best individual."""
        pairs = zip(self.opponents, memory, strict=True)
        return tuple(opponent.observe(own, best, improved) for opponent, own in pairs)
