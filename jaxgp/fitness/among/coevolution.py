"""Fitness from games of the population among itself and against guides, as in coevolution.

Source: M. Sipper, "Evolved to Win" (2011), section 3.2.8, algorithm 3.2. First come some rounds against each guide, for
individuals whose fitness so far trails the best by at most a cutoff. Then every individual plays others of the
population. A win is worth one point, a draw half a point.

Such fitness values cannot be compared between generations, so a referee has to measure the fittest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxgp.arrays import counter, total
from jaxgp.checks.values import real, whole
from jaxgp.contracts import Differentiable, Game, Opponent, Plans, Player
from jaxgp.errors import reject
from jaxgp.fitness import matches
from jaxgp.fitness.among import coplay
from jaxgp.fitness.evaluation import MEASURE, Evaluation, OfPlayer, child
from jaxgp.fitness.panel import Memories, check_opponent, check_player
from jaxgp.fitness.words import COUNTED
from jaxgp.genotypes.language import Genome
from jaxgp.options import MAX_GAMES, MAX_WEIGHT, check_like
from jaxgp.printable import brief
from jaxgp.seats.options import GuideOptions

Tree = TypeVar("Tree")

OWN = 2**31
"""The `fold_in` number of the guides' first key; the panel splits the same key, which takes 0, 1, 2 and so on."""


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
        check_like(self, GuideOptions, "rounds", "cutoff", "weight")


@dataclass(frozen=True)
class CoevolutionFitness(OfPlayer[Memories]):
    """fitness = points of the games against guides + weight * points of the games against others of the population.

    Attributes:
        game: the rules.
        player: how an individual plays.
        games: games of each individual from each seat against others of the population.
        guides: met first, one after the other.
        weight: points for winning a game against another individual.
        opening: random moves at the beginning of such a game.
        max_plies: longer games are stopped and scored as they stand.
        counted: what all these games count; see `jaxgp.fitness.matches.points`.
        learning: what individuals learn their numbers by, before they are measured; None: they do not.
    """

    game: Game
    player: Player
    games: int
    guides: Sequence[Guide] = ()
    weight: float = 1.0
    opening: int = 0
    max_plies: int = 400
    counted: str = "result"
    learning: Differentiable[Any] | None = None

    seats: ClassVar[int] = 2

    __repr__ = brief

    def __post_init__(self) -> None:
        check_player(self.game, self.player)
        for guide in self.guides:
            if not isinstance(guide, Guide):
                reject("guides", type(guide).__name__, "jaxgp.Guide values, each around an opponent")
            check_opponent(self.game, guide.opponent)
        whole("games", self.games, 0 if self.guides else 1, MAX_GAMES, "" if self.guides else "there are no guides")
        real("weight", self.weight, 0, MAX_WEIGHT)
        whole("opening", self.opening, 0, self.max_plies, "max_plies")
        if self.counted not in COUNTED:
            reject("counted", self.counted, ", ".join(COUNTED))

    def keys(self, key: Array) -> tuple[Array, Array]:
        """Return the keys that a referee and the guides begin with."""
        return key, jax.random.fold_in(key, OWN)

    def init(self, key: Array) -> Memories:
        """Return the memories of the guides."""
        keys = jax.random.split(key, len(self.guides))
        return tuple(guide.opponent.init(own) for guide, own in zip(self.guides, keys, strict=True))

    def evaluate(self, key: Array, population: Genome, memory: Memories) -> tuple[Evaluation, Memories]:
        """Play all games of a population [P, ...].

        The points of the result are those of the games among the population, by seat. No two individuals meet the same
        opponents, so there are neither cases nor behaviour to compare.
        """
        key = child(key, MEASURE)
        plans = self.player.prepare(population)
        count = self.player.count(plans)
        met = self.games + sum(2 * guide.opponent.games * guide.rounds for guide in self.guides)
        none = jnp.zeros((), counter(count * met * self.max_plies))
        fitness, games, plies, searches = jnp.zeros(count), jnp.int32(0), none, none
        carried = []
        for index, (guide, own) in enumerate(zip(self.guides, memory, strict=True)):
            fitness, own, *counted = self.guided(jax.random.fold_in(key, index), guide, plans, fitness, own)
            games, plies, searches = (a + b for a, b in zip((games, plies, searches), counted, strict=True))
            carried.append(own)
        draw_key, play_key = jax.random.split(jax.random.fold_in(key, len(self.guides)))
        pairs = coplay.draw(draw_key, count, self.games)
        played = coplay.play(play_key, self.game, self.player, plans, pairs, self.max_plies, self.opening)
        points = coplay.totals(pairs, matches.points(self.game, played.states, self.counted))
        fitness += self.weight * points.sum(1)
        metrics = {
            "evaluations": games + jnp.int32(played.plies.size),
            "plies": plies + total(played.plies, self.max_plies),
            "searches": searches,
            "drawn": (played.states.returns[..., 0] == 0).mean(),
            "won_first": (played.states.returns[..., 0] > 0).mean(),
        }
        return Evaluation(fitness, points / self.games, metrics), tuple(carried)

    def guided(
        self, key: Array, guide: Guide, plans: Plans, fitness: Array, memory: Tree
    ) -> tuple[Array, Tree, Array, Array, Array]:
        """Play the rounds against one guide.

        Returns:
            float32[P], the fitness with the points of these rounds; the guide's memory; the numbers of games, moves and
            searches.
        """

        def round_(number: Array, carry: tuple) -> tuple:
            fitness, memory, games, moves, searches = carry
            fit = jnp.full(fitness.shape, True) if guide.cutoff is None else fitness >= fitness.max() - guide.cutoff
            own = jax.random.fold_in(key, number)
            played, (memory,) = matches.play(
                own, self.game, self.player, plans, (guide.opponent,), (memory,), self.max_plies, fit
            )
            seat = matches.seats((guide.opponent,))
            worth = matches.points(self.game, played.states, self.counted)
            points = jnp.where(fit, jnp.where(seat == 0, worth[..., 0], worth[..., 1]).sum(1), 0.0)
            plies = total(jnp.where(fit[:, None], played.plies, 0), self.max_plies)
            games += 2 * guide.opponent.games * fit.sum(dtype=jnp.int32)
            return fitness + guide.weight * points, memory, games, moves + plies, searches + played.searches

        most = 2 * guide.opponent.games * guide.rounds * len(fitness) * self.max_plies
        counts = jnp.int32(0), *jnp.zeros(2, counter(most))
        done: tuple[Array, Tree, Array, Array, Array] = lax.fori_loop(
            0, guide.rounds, round_, (fitness, memory, *counts)
        )
        return done

    def observe(self, memory: Memories, best: Genome, improved: Array) -> Memories:
        """Show every guide the generation's best individual."""
        pairs = zip(self.guides, memory, strict=True)
        return tuple(guide.opponent.observe(own, best, improved) for guide, own in pairs)
