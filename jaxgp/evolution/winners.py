"""The winners of tournaments of groups stay and have children; immigrants replace some children at fixed intervals.

After "Walls" (COEN 352, Concordia University, final project, 2016). Where its text leaves a choice:

- "On an alternating basis, 2 parents will be recombined to generate 2 children, and then 2 other parents which will
  each be mutated to generate 2 children": four different parents, drawn uniformly for each alternation, give four
  children, two by recombination and one by mutating each of the other two.
- Immigrants, "every 5 or so evolutionary cycles", come in the fifth cycle, the tenth and so on, in place of the last
  children.

One addition is off by default: `restart_every` begins again with random lists, since a population that has converged
on one way to play seldom leaves it.
"""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxgp.arrays import count_unique, take
from jaxgp.checks.values import check_parts
from jaxgp.contracts import Metrics
from jaxgp.evolution.generational import size_metrics
from jaxgp.evolution.options import GroupsOptions, check_alone
from jaxgp.fitness.evaluation import Evaluation, child
from jaxgp.genotypes.rulelists import RuleLanguage, RuleLists
from jaxgp.operators import draw, rulelists

ALTERNATION = 4
"""Parents that one alternation needs, and children that it makes."""
FEW = 256
"""Parents up to which each alternation shuffles them all, which costs next to nothing. With many, all alternations
together would take the square of the population: of 65,535 lists, nearly the whole time of a generation."""
BREED = 4
"""The child of a generation's key that variation takes."""


@dataclass(frozen=True)
class Winners:
    """The parents that the fitness chose, and their children.

    Attributes:
        language: what the rules are written in.
        options: of creation, mutation, immigrants and restarts.
    """

    language: RuleLanguage
    options: GroupsOptions

    def __post_init__(self) -> None:
        check_parts(self, language=RuleLanguage, options=GroupsOptions)
        check_alone(self.options)

    @property
    def population(self) -> int:
        """P."""
        return self.options.population

    @property
    def kept(self) -> int:
        """The parents, which come first in the next population."""
        return self.options.population // self.options.group_size

    def init(self) -> Array:
        """Return int32[], the number of the cycle, which decides when immigrants and restarts come."""
        return jnp.int32(0)

    def breed(
        self, key: Array, population: RuleLists, result: Evaluation, memory: Array
    ) -> tuple[RuleLists, Array, Metrics]:
        """Return the next population [P]: parents, children, and immigrants in their cycles.

        In the cycle of a restart it is random lists alone.

        Raises:
            ValueError: the fitness chooses no parents.
        """
        if result.parents is None:
            raise ValueError("algorithm.kind=groups: accepted: with a fitness that chooses parents, as that of groups")
        options, cycle = self.options, memory + 1
        parents = take(population, result.parents)
        child_key, new_key, restart_key = jax.random.split(child(key, BREED), 3)
        count = options.population - len(result.parents)
        children, kinds, possible = self.children(child_key, parents, count)
        new = options.immigrants
        metrics = {
            "impossible_mutations": (~possible).sum(dtype=jnp.int32),
            **{f"mutations_{kind}": (kinds == k).sum(dtype=jnp.int32) for k, kind in enumerate(rulelists.KINDS)},
        }
        if new:
            due = cycle % options.immigrants_every == 0
            strangers = self.create(new_key, new)
            last = jax.tree.map(lambda a, b: jnp.where(due, a, b[count - new :]), strangers, children)
            children = jax.tree.map(lambda a, b: jnp.concatenate([a[: count - new], b]), children, last)
            metrics["immigrants"] = jnp.where(due, new, 0)
        following = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), parents, children)
        if options.restart_every:
            due = cycle % options.restart_every == 0
            create = partial(self.create, restart_key, options.population)
            following = lax.cond(due, create, lambda: following)
            metrics["restart"] = due.astype(jnp.int32)
        return following, cycle, metrics

    def describe(self, population: RuleLists, best: Array) -> Metrics:
        """Return the sizes of lists in rules, and how many are distinct."""
        return size_metrics(population, best) | {"unique_lists": count_unique(population)}

    def children(self, key: Array, parents: RuleLists, count: int) -> tuple[RuleLists, Array, Array]:
        """Make children in alternations.

        Args:
            key: typed key[].
            parents: [G], at least four.
            count: C, children to make; if it is no multiple of four, the last alternation is cut short.

        Returns:
            The children [C], the four of each alternation side by side; the kind of each mutation, int32[M], and
            whether it was possible, bool[M].
        """
        options, turns = self.options, -(-count // ALTERNATION)
        total = len(parents.length)

        def alternate(key: Array) -> tuple[RuleLists, Array, Array]:
            draw_key, deal_key, *mutate_keys = jax.random.split(key, 4)
            if total <= FEW:
                chosen = jax.random.choice(draw_key, total, (ALTERNATION,), replace=False)
            else:
                chosen = draw.distinct(draw.words(draw_key, ALTERNATION), total)
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
        options, keys = self.options, jax.random.split(key, count)
        return jax.vmap(lambda k: rulelists.create(k, self.language, options.creation, options.capacity))(keys)
