"""The cycle of rule lists: tournaments of groups, parents, children, immigrants. A pure function of the state.

After "Walls" (COEN 352, Concordia University, final project, 2016). Where its text leaves a choice:

- "On an alternating basis, 2 parents will be recombined to generate 2 children, and then 2 other parents which will
  each be mutated to generate 2 children": four different parents, drawn uniformly for each alternation, give four
  children, two by recombination and one by mutating each of the other two.
- "if 2 or more have equal points, the strategy with the fewest number of rules is preferred", among the first only.
- Immigrants, "every 5 or so evolutionary cycles", come in the fifth cycle, the tenth and so on, in place of the last
  children.
- "one (or more) parent(s) can beat a fixed strategy, in a double-game": it gets more than half of the points of the two
  games, so a win and a draw are enough.

Beyond the text, and off where it is followed to the letter: `panel_weight` lets everybody play the fixed opponents as
well, for points that count in the tournament; `ties: lot` leaves short lists no advantage, under which a population
that draws all its games shrinks to lists of two or three rules; `restart_every` begins again with random lists, since a
population that has converged on one way to play seldom leaves it.

Generation g uses `fold_in(key, g)` and nothing else that is random: a run that is resumed is the run that went on.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.evolution.state import Champion, EvolutionState
from jaxgp.fitness.panel import Evaluation, PanelFitness
from jaxgp.fitness.tournament import round_robin
from jaxgp.genotypes.language import sizes
from jaxgp.genotypes.rulelists import RuleLanguage, RuleLists
from jaxgp.operators import groups, rulelists, sharing
from jaxgp.operators.selection import comparable

Metrics = dict[str, Array]

ALTERNATION = 4
"""Parents that one alternation needs, and children that it makes."""


@dataclass(frozen=True)
class GroupCycle:
    """One evolutionary cycle.

    Attributes:
        language: what the rules are written in.
        algorithm: the options, as in `jaxgp.config.Groups`.
        fitness: the fixed panel that parents are measured by; its first opponent is the one to beat.
    """

    language: Any
    algorithm: Any
    fitness: PanelFitness

    @property
    def parents(self) -> int:
        """Winners of a cycle."""
        return int(self.algorithm.population // self.algorithm.group_size)

    def init(self, key: Array) -> EvolutionState:
        """Return the state before generation 0: a random population [P, R], nobody measured."""
        run_key, create_key, memory_key = jax.random.split(key, 3)
        population = self.create(create_key, self.algorithm.population)
        nobody = Champion(
            genome=jax.tree.map(lambda x: x[0], population),
            fitness=jnp.float32(-jnp.inf),
            points=jnp.zeros(2, jnp.float32),
            generation=jnp.int32(-1),
        )
        memory = self.fitness.init(jax.random.split(memory_key, len(self.fitness.opponents)))
        return EvolutionState(jnp.int32(0), run_key, population, memory, (), nobody, jnp.bool_(False))

    def step(self, state: EvolutionState) -> tuple[EvolutionState, Metrics]:
        """Let the waiting generation play its tournaments, measure the winners and breed the next."""
        keys = jax.random.split(jax.random.fold_in(state.key, state.generation), 5)
        options, rules = self.algorithm, sizes(state.population)
        # The order of a population means nothing: shuffled, its groups are runs of neighbours.
        order = groups.split(keys[0], options.population, options.group_size).ravel()
        population = jax.tree.map(lambda x: x[order], state.population)
        played = round_robin(
            keys[1], self.fitness.game, self.fitness.player, population, options.group_size, self.fitness.max_plies
        )
        points, everybody = played.points.astype(jnp.float32), options.panel_weight > 0
        if everybody:
            result, memory = self.fitness.evaluate(keys[3], population, state.memory)
            points += options.panel_weight * result.fitness
        neighbours = jnp.arange(options.population).reshape(-1, options.group_size)
        price = sizes(population) if options.ties == "rules" else jnp.zeros_like(rules)
        won = groups.winners(keys[2], points, price, neighbours)
        parents = jax.tree.map(lambda x: x[won], population)
        if everybody:
            result = result.of(won)
        else:
            result, memory = self.fitness.evaluate(keys[3], parents, state.memory)
        each_beaten = result.results.sum(-1) > 1
        beats, beats_all = each_beaten[:, 0], each_beaten.all(1)
        aim = {"beaten": beats, "all_beaten": beats_all}.get(options.stop, jnp.zeros_like(beats))
        champion, best, improved = self.crown(state, parents, result, aim)
        memory = self.fitness.observe(memory, jax.tree.map(lambda x: x[best], parents), improved)
        following, bred = self.breed(keys[4], parents, state.generation)
        metrics = {
            "generation": state.generation,
            "best_fitness": result.fitness[best],
            "mean_fitness": result.fitness.mean(),
            "best_points": result.points[best].sum(),
            "best_points_first": result.points[best, 0],
            "best_points_second": result.points[best, 1],
            "mean_points": result.points.sum(-1).mean(),
            "group_points": played.points[won].mean(dtype=jnp.float32) / (options.group_size - 1),
            "beaten": beats.sum(dtype=jnp.int32),
            "all_beaten": beats_all.sum(dtype=jnp.int32),
            "best_size": sizes(parents)[best],
            "mean_size": rules.mean(dtype=jnp.float32),
            "max_size": rules.max(),
            "unique_lists": count_unique(state.population),
            **bred,
            **result.metrics,
        }
        metrics["plies"] += played.plies
        metrics["evaluations"] += played.games
        finished = state.finished | aim.any()
        return EvolutionState(
            state.generation + 1, state.key, following, memory, state.visits, champion, finished
        ), metrics

    def crown(
        self, state: EvolutionState, parents: RuleLists, result: Evaluation, aim: Array
    ) -> tuple[Champion, Array, Array]:
        """Find the best parent, int32[], and the champion so far; say whether that is a new one, bool[].

        More fitness against the panel comes first, then fewer rules, then the earlier one. Parents that reach the aim
        of the run, bool[G], at which it stops, come before all others.
        """
        fitness = comparable(result.fitness)
        best = jnp.lexsort((sizes(parents), -fitness, ~aim))[0]
        one = jax.tree.map(lambda x: x[best], parents)
        old = state.champion
        fewer = sizes(one) < sizes(old.genome)
        improved = aim[best] | (fitness[best] > old.fitness) | ((fitness[best] == old.fitness) & fewer)
        challenger = Champion(one, fitness[best], result.points[best], state.generation)
        return jax.tree.map(lambda a, b: jnp.where(improved, a, b), challenger, old), best, improved

    def breed(self, key: Array, parents: RuleLists, generation: Array) -> tuple[RuleLists, Metrics]:
        """Return the next population [P]: parents, children, and where it is time new random lists, or only these."""
        child_key, new_key, restart_key = jax.random.split(key, 3)
        count = self.algorithm.population - self.parents
        children, kinds, possible = self.children(child_key, parents, count)
        new = self.algorithm.immigrants
        metrics = {
            "impossible_mutations": (~possible).sum(dtype=jnp.int32),
            **{f"mutations_{kind}": (kinds == k).sum(dtype=jnp.int32) for k, kind in enumerate(rulelists.KINDS)},
        }
        if new:
            due = (generation + 1) % self.algorithm.immigrants_every == 0
            strangers = self.create(new_key, new)
            last = jax.tree.map(lambda a, b: jnp.where(due, a, b[count - new :]), strangers, children)
            children = jax.tree.map(lambda a, b: jnp.concatenate([a[: count - new], b]), children, last)
            metrics["immigrants"] = jnp.where(due, new, 0)
        following = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), parents, children)
        if self.algorithm.restart_every:
            due = (generation + 1) % self.algorithm.restart_every == 0
            create = partial(self.create, restart_key, self.algorithm.population)
            following = lax.cond(due, create, lambda: following)
            metrics["restart"] = due.astype(jnp.int32)
        return following, metrics

    def children(self, key: Array, parents: RuleLists, count: int) -> tuple[RuleLists, Array, Array]:
        """Make children in alternations.

        Args:
            key: typed key[].
            parents: [G], at least four.
            count: C, children to make; the last alternation is cut short where four do not divide it.

        Returns:
            The children [C], four of an alternation after each other; the kind of each mutation, int32[M], and whether
            it could be made, bool[M].
        """
        options, turns = self.algorithm, -(-count // ALTERNATION)
        total = len(parents.length)

        def alternate(key: Array) -> tuple[RuleLists, Array, Array]:
            draw_key, deal_key, *mutate_keys = jax.random.split(key, 4)
            chosen = jax.random.choice(draw_key, total, (ALTERNATION,), replace=False)
            first, second, *others = (jax.tree.map(lambda x, i=i: x[i], parents) for i in chosen)
            dealt = rulelists.recombine(deal_key, first, second)
            changed = [
                rulelists.mutate(k, self.language, options.mutation, options.creation.dont_care, one)
                for k, one in zip(mutate_keys, others, strict=True)
            ]
            made = jax.tree.map(lambda *x: jnp.stack(x), *dealt, *(one for one, _, _ in changed))
            return made, jnp.stack([kind for _, kind, _ in changed]), jnp.stack([done for _, _, done in changed])

        made, kinds, possible = jax.vmap(alternate)(jax.random.split(key, turns))
        return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:])[:count], made), kinds.ravel(), possible.ravel()

    def create(self, key: Array, count: int) -> RuleLists:
        """Return `count` random lists."""
        language: RuleLanguage = self.language
        keys = jax.random.split(key, count)
        return jax.vmap(lambda k: rulelists.create(k, language, self.algorithm.creation, self.algorithm.capacity))(keys)


def count_unique(population: RuleLists) -> Array:
    """Return int32[]: distinct lists among [P], by two 32-bit hashes of all their rules."""
    fields = [population.condition.reshape(len(population.length), -1), population.action, population.length[:, None]]
    code = jnp.concatenate([field.astype(jnp.uint32) for field in fields], 1)
    odd = np.random.default_rng(0).integers(0, 2**31, (2, code.shape[1]), np.uint32) * 2 + 1
    mixed = [((code + 2) * row ^ ((code + 2) * row >> 15)) * row for row in odd]
    group, _ = sharing.groups(jnp.stack([one.sum(1, dtype=jnp.uint32) for one in mixed], 1))
    return group[-1] + 1
