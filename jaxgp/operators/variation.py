"""From one generation to the next: elitism, selection, crossover, mutation, reproduction.

The order is the GP Mancala study's: the elites are copied; each other place is filled by a selected parent, which is
crossed with another selected parent with one probability, and mutated with another probability, independently. With
`mutation.exclusive` only children that were not crossed are mutated, more of them, so that the shares of both are the
two probabilities (M. Sipper, "Evolved to Win", 2011, section 10.2.4, has shares that add up to 1 with reproduction).

Each method follows its source in whether the second parent may be the same individual as the first:

- `one_child` crosses with "another member of the previous generation", selected as the first one (GP Mancala study),
  and `one_way` inserts a subtree "into another individual" (M. Sipper, "Evolved to Win", 2011, section 3.2.4). So the
  second parent differs from the first, except in a population of one: it is drawn from all as the first one is, and
  where it is the first one, again from the others.
- `two_children` draws both parents independently (J. Koza, "Genetic Programming", 1992): an individual may mate with
  itself, and its children differ from it, since the nodes are chosen independently.
- `one_or_two_way` pairs members of a parent population in which each is a copy ("Evolved to Win", algorithms 3.1 and
  3.3); two different members may be copies of one individual.
"""

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import apart, comparable, take, where
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.operators import crossover, mutation, selection
from jaxgp.operators.options import Breeding


def _take(population: Programs, index: Array) -> Programs:
    """Gather individuals by index.

    The barrier keeps XLA from repeating the gather inside each consumer, which is two to three times faster on a CPU.
    """
    return jax.lax.optimization_barrier(take(population, index))


def recombine(
    key: Array, primitives: PrimitiveSet, algorithm: Breeding, population: Programs, merits: Array, n: int
) -> tuple[Programs, Array, Array]:
    """Select parents and cross them.

    Args:
        key: typed key[].
        primitives: the primitive set.
        algorithm: options; static.
        population: Programs [P, T, L].
        merits: float32[1 + K, P], as in `selection.select_by_case`.
        n: how many children.

    Returns:
        n children, [n, T, L]; bool[n]: made by crossover (not true of a donor that stays); bool[n]: rejected, hence a
        copy of the receiving parent.
    """
    options = algorithm.crossover
    if options.rule and not primitives.rules:
        raise ValueError(f"crossover.rule={options.rule:g}: accepted: 0, for individuals without rules")
    if options.one_point and primitives.num_trees < 2:
        raise ValueError(f"crossover.one_point={options.one_point:g}: accepted: 0, for individuals of one tree")
    paired = options.method in ("two_children", "one_or_two_way")
    families = (n + 1) // 2 if paired else n
    select_key, chance_key, cross_key, other_key = jax.random.split(key, 4)
    drawn = selection.select_by_case(select_key, algorithm.selection, merits, 2 * families)
    first, second = drawn.reshape(2, families)
    if options.method in ("one_child", "one_way"):
        others = selection.select_by_case(other_key, algorithm.selection, merits, families, but=first)
        # Fused with the gathers below, the choice would be repeated for every node of a program.
        second = apart(lambda drawn, other: jnp.where(drawn == first, other, drawn), second, others)
    if not any(options.weights.values()):  # which goes with a probability of 0 alone
        nobody = jnp.zeros(n, bool)
        return _take(population, jnp.stack([first, second], 1).reshape(-1)[:n] if paired else first), nobody, nobody
    crossed = jax.random.uniform(chance_key, (families,)) < options.probability
    keys = jax.random.split(cross_key, families)
    if options.method == "one_or_two_way":
        return _one_or_two_way(keys, primitives, algorithm, population, merits[0], (first, second), crossed, n)
    if paired:
        mothers, fathers = _take(population, first), _take(population, second)
        one, other, one_rejected, other_rejected = jax.vmap(
            lambda k, a, b: crossover.two_children(k, primitives, options, algorithm.max_depth, a, b)
        )(keys, mothers, fathers)
        pairs = where(crossed, one, mothers), where(crossed, other, fathers)
        children = jax.tree.map(lambda a, b: jnp.stack([a, b], 1).reshape(-1, *a.shape[1:])[:n], *pairs)
        rejected = (jnp.stack([one_rejected, other_rejected], 1) & crossed[:, None]).reshape(-1)[:n]
        return children, jnp.repeat(crossed, 2)[:n], rejected

    if options.method == "one_way":
        # Only crossing puts the less fit in the receiver's place; an uncrossed parent stays the selected one.
        swap = crossed & (merits[0, first] > merits[0, second])
        first, second = jnp.where(swap, second, first), jnp.where(swap, first, second)
    receivers = _take(population, first)
    children, rejected = jax.vmap(
        lambda k, a, b: crossover.one_child(k, primitives, options, algorithm.max_depth, a, b)
    )(keys, receivers, _take(population, second))
    return where(crossed, children, receivers), crossed, rejected & crossed


def _one_or_two_way(
    keys: Array,
    primitives: PrimitiveSet,
    algorithm: Breeding,
    population: Programs,
    merit: Array,
    parents: tuple[Array, Array],
    crossed: Array,
    n: int,
) -> tuple[Programs, Array, Array]:
    """Cross pairs of parents, with each parent in one pair; see `recombine`.

    If the first of a pair is at least as fit as the second, it stays unchanged and the second takes a subtree of it;
    else they swap subtrees. Parents are drawn independently, so pairing them in order is random pairing. If n is odd,
    the last parent has no partner and is copied.

    Source: A. Benbassat and M. Sipper, "Evolving board-game players with genetic programming" (2011), algorithm 3.1 of
    M. Sipper, "Evolved to Win" (2011).
    """
    first, second = parents
    known = comparable(merit)
    both = crossed & (jnp.arange(len(first)) < n // 2)
    swap = both & ~(known[first] >= known[second])
    donors, receivers = _take(population, first), _take(population, second)
    one, other, one_rejected, other_rejected = jax.vmap(
        lambda k, a, b: crossover.two_children(k, primitives, algorithm.crossover, algorithm.max_depth, a, b)
    )(keys, receivers, donors)
    families = where(swap, other, donors), where(both, one, receivers)

    def in_turn(a: Array, b: Array) -> Array:
        return jnp.stack([a, b], 1).reshape(-1, *a.shape[1:])[:n]

    rejected = in_turn(other_rejected & swap, one_rejected & both)
    return jax.tree.map(in_turn, *families), in_turn(swap, both), rejected


def _mutated(key: Array, algorithm: Breeding, crossed: Array) -> Array:
    """Return bool[n]: which children to mutate; `crossed` is bool[n]."""
    probability, drawn = algorithm.mutation.probability, jax.random.uniform(key, crossed.shape)
    if not algorithm.mutation.exclusive:
        return drawn < probability
    rest = 1 - algorithm.crossover.probability
    return ~crossed & (drawn < probability / max(rest, 1e-9))


def breed(
    key: Array,
    primitives: PrimitiveSet,
    algorithm: Breeding,
    population: Programs,
    fitness: Array,
    merits: Array | None = None,
) -> tuple[Programs, dict[str, Array]]:
    """Make the next generation, of the same size.

    Args:
        key: typed key[].
        primitives: the primitive set.
        algorithm: options; static.
        population: Programs [P, T, L].
        fitness: float32[P], more is better; it chooses the elites.
        merits: float32[1 + K, P], what parents are selected by, as in `selection.select_by_case`; by default the
            fitness itself.

    Returns:
        Programs [P, T, L]: the elites, best first and unchanged, then the children. And int32[] counts: `crossovers`
        and `mutations`, the children that each was applied to; `rejected_offspring`, the crossed children that broke a
        limit or found no fitting subtree in the donor, and so are copies of their receiving parent.
    """
    size = fitness.shape[0]
    kept = min(algorithm.elites, size)
    recombine_key, chance_key, mutate_key = jax.random.split(key, 3)
    best = _take(population, selection.elites(fitness, kept))
    if kept == size:
        zero = jnp.int32(0)
        return best, {"crossovers": zero, "mutations": zero, "rejected_offspring": zero}
    children, crossed, rejected = recombine(
        recombine_key, primitives, algorithm, population, fitness[None] if merits is None else merits, size - kept
    )
    mutated = _mutated(chance_key, algorithm, crossed)
    if algorithm.mutation.probability > 0:
        children = mutation.mutate(mutate_key, primitives, algorithm, children, mutated)
    counts = {"crossovers": crossed, "mutations": mutated, "rejected_offspring": rejected}
    following = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), best, children)
    return following, {name: mask.sum(dtype=jnp.int32) for name, mask in counts.items()}
