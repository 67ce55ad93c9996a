"""Fitness from tournaments of groups: the winner of each group becomes a parent, and a panel measures the parents.

After "Walls" (COEN 352, Concordia University, final project, 2016). Where its text leaves a choice:

- "if 2 or more have equal points, the strategy with the fewest number of rules is preferred": this decides only among
  those with the most points.
- "one (or more) parent(s) can beat a fixed strategy, in a double-game": it gets more than half of the points of the two
  games, so a win and a draw are enough.

Two additions are off by default. `panel_weight` lets every individual also play the fixed opponents, for points that
count in the tournament. `ties: lot` breaks ties at random; where short lists win ties, a population that draws all its
games shrinks to lists of two or three rules.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import comparable, take
from jaxgp.checks.values import choice, real, whole
from jaxgp.contracts import Scheme
from jaxgp.errors import reject
from jaxgp.fitness.evaluation import Evaluation, OfPlayer, Standing, child
from jaxgp.fitness.panel import Memories, PanelFitness, check_player
from jaxgp.fitness.tournament import round_robin
from jaxgp.genotypes.language import sizes
from jaxgp.genotypes.rulelists import RuleLists
from jaxgp.operators import tournament_groups
from jaxgp.options import MAX_WEIGHT
from jaxgp.players.rules import RulePlayer
from jaxgp.printable import brief

if TYPE_CHECKING:
    from jaxgp.evolution.state import BestSoFar

ORDER, MATCHES, LOTS, PANEL = range(4)
"""The children of a generation's key that each draw of this fitness takes."""


@dataclass(frozen=True)
class GroupFitness(OfPlayer[Memories]):
    """fitness = points of the tournament + panel_weight * fitness against the panel.

    Attributes:
        player: how a rule list plays.
        panel: the fixed opponents; the first is the one to beat.
        size: individuals in a group, which divides the population.
        panel_weight: tournament points for each point of fitness against the panel; 0: only parents play the panel.
        ties: who wins at equal points: `rules`, the fewest rules, then a random draw; `lot`, a random draw.
        stop: the aim: a parent beats the first opponent (`beaten`), or each one (`all_beaten`), in a double game; or
            there is none (`never`).
        chunk: individuals whose groups play at a time, at most; None: all. The panel has a number of its own.
    """

    player: RulePlayer
    panel: PanelFitness
    size: int
    panel_weight: float = 0.0
    ties: str = "rules"
    stop: str = "beaten"
    chunk: int | None = None

    seats: ClassVar[int] = 2

    __repr__ = brief

    def __post_init__(self) -> None:
        check_player(self.panel.game, self.player)
        if not self.panel.opponents:
            reject("panel", "of nobody", "a panel of at least one opponent, the one to beat")
        whole("size", self.size, 2)
        real("panel_weight", self.panel_weight, 0, MAX_WEIGHT)
        choice("ties", self.ties, ("rules", "lot"))
        choice("stop", self.stop, ("beaten", "all_beaten", "never"))

    def check(self, scheme: Scheme) -> None:
        """Refuse a scheme whose individuals cannot be measured, or are no whole groups; raises UsageError."""
        super().check(scheme)
        if scheme.population % self.size:
            reject("size", self.size, f"a divisor of the population, {scheme.population}")

    def init(self, key: Array) -> Memories:
        """Return the memories of the panel."""
        return self.panel.init(key)

    def in_chunks(self, chunk: int | None) -> "GroupFitness":
        """Return the fitness for which this many individuals play at a time; see `chunk`."""
        return replace(self, chunk=chunk, panel=self.panel.in_chunks(chunk))

    def evaluate(self, key: Array, population: RuleLists, memory: Memories) -> tuple[Evaluation, Memories]:
        """Let the groups of a population [P] play their tournaments; their winners are the parents."""
        count = len(population.length)
        # The order of a population means nothing, so it is shuffled, and each group is a run of neighbours.
        order = tournament_groups.split(child(key, ORDER), count, self.size).ravel()
        shuffled = take(population, order)
        game, limit = self.panel.game, self.panel.max_plies
        played = round_robin(child(key, MATCHES), game, self.player, shuffled, self.size, limit, self.chunk)
        points, benchmark = played.points.astype(jnp.float32), None
        if self.panel_weight > 0:
            benchmark, memory = self.panel.measure(child(key, PANEL), shuffled, memory)
            points += self.panel_weight * benchmark.fitness
        price = sizes(shuffled) if self.ties == "rules" else jnp.zeros(count, jnp.int32)
        won = tournament_groups.winners(child(key, LOTS), points, price, jnp.arange(count).reshape(-1, self.size))
        metrics = {
            "plies": played.plies,
            "evaluations": played.games,
            "group_points": played.points[won].mean(dtype=jnp.float32) / (self.size - 1),
        }
        back = jnp.argsort(order)
        if benchmark is not None:
            benchmark = benchmark.of(back)
        result = Evaluation(points[back], points[back, None], metrics, parents=order[won], benchmark=benchmark)
        return result, memory

    def standing(
        self, key: Array, result: Evaluation, population: RuleLists, memory: Memories
    ) -> tuple[Standing, Memories]:
        """Measure the parents against the panel.

        Parents that reach the aim come first, then more fitness, then fewer rules, then the earlier one. The metrics of
        fitness and points are those of the parents.
        """
        assert result.parents is not None
        parents = take(population, result.parents)
        if result.benchmark is not None:
            found = result.benchmark.of(result.parents)
        else:
            found, memory = self.panel.measure(child(key, PANEL), parents, memory)
        assert found.results is not None
        each_beaten = found.results.sum(-1) > 1
        beats, beats_all = each_beaten[:, 0], each_beaten.all(1)
        aim = {"beaten": beats, "all_beaten": beats_all}.get(self.stop, jnp.zeros_like(beats))
        fitness = comparable(found.fitness)
        best = jnp.lexsort((sizes(parents), -fitness, ~aim))[0]
        metrics = {
            "best_fitness": found.fitness[best],
            "mean_fitness": found.fitness.mean(),
            "mean_points": found.points.sum(-1).mean(),
            "beaten": beats.sum(dtype=jnp.int32),
            "all_beaten": beats_all.sum(dtype=jnp.int32),
            **found.metrics,
        }
        metrics |= {name: result.metrics[name] + found.metrics[name] for name in ("plies", "evaluations")}
        return Standing(result.parents[best], fitness[best], found.points[best], aim[best], metrics), memory

    def improves(self, standing: Standing, best: RuleLists, champion: "BestSoFar") -> Array:
        """Return bool[]: the aim is reached, or there is more fitness, or as much with fewer rules."""
        fewer = sizes(best) < sizes(champion.genome)
        return (
            standing.reached
            | super().improves(standing, best, champion)
            | ((standing.fitness == champion.fitness) & fewer)
        )

    def rivals(self, memory: Memories) -> Memories:
        """Return the memories of the panel, which are the whole."""
        return memory

    def observe(self, memory: Memories, best: RuleLists, improved: Array) -> Memories:
        """Show every opponent the generation's best individual."""
        return self.panel.observe(memory, best, improved)
