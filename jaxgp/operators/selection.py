"""Drawing parents by fitness, and finding elites.

Roulette and truncation follow J. Koza, "Genetic Programming" (1992), section 6.4; linear ranking follows J. Baker,
"Adaptive selection methods for genetic algorithms" (1985). A NaN counts as the worst fitness there is.

Every method can exclude one individual from each draw (`but`, int32[n]). The others then compete as if that one did not
exist. In a population of one nobody is excluded. A second parent that must differ from the first is drawn from all, as
the first one is; where it is the first one, it is drawn again, from the others.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.arrays import comparable
from jaxgp.operators.options import SelectionOptions


def proportional(key: Array, weights: Array, n: int, but: Array | None = None) -> Array:
    """Draw int32[n] with replacement: index i with probability `weights[i]` / sum (float32[P], >= 0, not all zero).

    The weights are summed pairwise into a binary tree, and every draw walks down from the root with a fresh uniform
    number at each fork. A running sum would lose the small weights of a large population to rounding; here each
    fork is exact to 2**-23, and a branch that weighs nothing is never taken.

    Args:
        key: typed key[].
        weights: float32[P].
        n: how many.
        but: int32[n], an index excluded from each draw. If all others have weight zero, they are equally likely.
    """
    population = weights.shape[0]
    levels = max(population - 1, 1).bit_length()
    sums = [jnp.pad(weights, (0, 2**levels - population))]
    for _ in range(levels):
        sums.append(sums[-1].reshape(-1, 2).sum(1))
    # Node i of the heap has the children 2 i and 2 i + 1; the root is node 1, entry 0 is not used.
    heap = jnp.concatenate([jnp.zeros(1), *reversed(sums)])
    chance = jax.random.uniform(key, (levels, n))
    if but is None:
        return _walk(chance, lambda node, depth: heap[node])
    # By depth: the ancestors of the excluded leaf, and their weights without it, the sums of the siblings below them.
    path = (but + 2**levels) >> np.arange(levels, -1, -1)[:, None]
    rest = jnp.concatenate([jnp.cumsum(heap[path[:0:-1] ^ 1], 0)[::-1], jnp.zeros((1, n))])
    drawn = _walk(chance, lambda node, depth: jnp.where(node == path[depth], rest[depth], heap[node]))
    any_other = _past(jnp.floor(chance[0] * (population - 1)).astype(jnp.int32), but)
    return jnp.where(rest[0] > 0, drawn, any_other)


def _walk(chance: Array, weight: Callable[[Array, Array], Array]) -> Array:
    """Walk down a heap from the root, n times.

    Args:
        chance: float32[levels, n], uniform in [0, 1), one number for each fork.
        weight: (nodes int32[n], their depth int32[]) -> float32[n].

    Returns:
        int32[n]: leaves, counted from the first one.
    """
    levels, n = chance.shape

    def descend(level: Array, at: Array) -> Array:
        left, right = weight(2 * at, level + 1), weight(2 * at + 1, level + 1)
        # With left = 0 the comparison holds, with right = 0 it does not, since chance < 1.
        return 2 * at + (chance[level] * (left + right) >= left)

    return jax.lax.fori_loop(0, levels, descend, jnp.ones(n, jnp.int32)) - 2**levels


def _past(place: Array, but: Array) -> Array:
    """Return int32[...]: the number at a place among all numbers without `but`."""
    return place + (place >= but)


def roulette_weights(fitness: Array) -> Array:
    """Return float32[P]: fitness / greatest fitness; negative and NaN count as 0; all ones if none is positive."""
    kept = jnp.clip(jnp.where(jnp.isnan(fitness), 0.0, fitness), 0.0, jnp.finfo(jnp.float32).max)
    greatest = kept.max()
    return jnp.where(greatest > 0, kept / jnp.where(greatest > 0, greatest, 1.0), 1.0)


def rank_weights(fitness: Array, pressure: float) -> Array:
    """Return float32[P]: expected copies under linear ranking, `pressure` for the best; ties share their mean rank."""
    known = comparable(fitness)
    ordered = jnp.sort(known)
    below = jnp.searchsorted(ordered, known, side="left")
    rank = (below + jnp.searchsorted(ordered, known, side="right") - 1) / 2  # 0 is the worst
    return 2.0 - pressure + 2.0 * (pressure - 1.0) * rank / max(fitness.shape[0] - 1, 1)


def tournament(
    key: Array, fitness: Array, size: int, n: int, distinct: bool = False, but: Array | None = None
) -> Array:
    """Draw int32[n]: tournament selection, each the best of `size` individuals drawn with replacement.

    With `distinct` they are drawn without replacement. Their order is random, so taking the first of equals is fair.
    `but` (int32[n]) is never drawn.
    """
    population = fitness.shape[0] - (but is not None)
    drawn = different(key, population, size, n) if distinct else jax.random.randint(key, (n, size), 0, population)
    drawn = drawn if but is None else _past(drawn, but[:, None])
    known = comparable(fitness)
    return jnp.take_along_axis(drawn, jnp.argmax(known[drawn], axis=1)[:, None], axis=1)[:, 0]


def different(key: Array, population: int, size: int, n: int) -> Array:
    """Draw int32[n, size]: rows of numbers below `population`, without replacement, all orders equally likely.

    If `size` exceeds the population, a row is a permutation of the population.
    """
    size = min(size, population)
    drawn = jax.random.randint(key, (n, size), 0, population - jnp.arange(size), jnp.int32)
    # Each number is a place among the numbers not yet taken: step over the taken ones in ascending order.
    rows: list[Array] = []
    for place in range(size):
        number = drawn[:, place]
        if rows:
            for taken in jnp.sort(jnp.stack(rows), axis=0):
                number = number + (number >= taken)
        rows.append(number)
    return jnp.stack(rows, 1)


def truncation(key: Array, fitness: Array, fraction: float, n: int, but: Array | None = None) -> Array:
    """Draw int32[n] uniformly from the best `fraction` (at least one); ties at the cut are broken at random.

    If `but` (int32[n]) is among these, the draw is from the others there; if there are none, it is the next best.
    """
    cut_key, draw_key = jax.random.split(key)
    population = fitness.shape[0]
    kept = min(population, max(1, round(fraction * population)))
    shuffled = jax.random.permutation(cut_key, population)
    best = shuffled[jnp.argsort(-fitness[shuffled], stable=True)].astype(jnp.int32)  # NaN comes last
    if but is None:
        return best[jax.random.randint(draw_key, (n,), 0, kept)]
    place = jnp.argsort(best)[but]
    room = jnp.maximum(kept - (place < kept), 1)
    return best[_past(jax.random.randint(draw_key, (n,), 0, room), place)]


def select(key: Array, config: SelectionOptions, fitness: Array, n: int, but: Array | None = None) -> Array:
    """Draw int32[n]: the indices of parents, by their fitness (float32[P]), none of them `but` (int32[n]).

    Raises:
        ValueError: an unknown method.
    """
    but = None if fitness.shape[0] == 1 else but
    if config.method == "roulette":
        return proportional(key, roulette_weights(fitness), n, but)
    if config.method == "rank":
        weights = rank_weights(fitness, config.rank_pressure)
        # A single individual under pressure 2 has rank 0, hence weight 0.
        return proportional(key, jnp.where(weights.any(), weights, 1.0), n, but)
    if config.method == "tournament":
        return tournament(key, fitness, config.tournament_size, n, config.distinct, but)
    return truncation(key, fitness, config.truncation_fraction, n, but)


def select_by_case(key: Array, config: SelectionOptions, merits: Array, n: int, but: Array | None = None) -> Array:
    """Draw int32[n]: a share `config.by_case` of parents by merit in one random case, the others by general merit.

    After J. Schaffer, "Multiple objective optimization with vector evaluated genetic algorithms" (ICGA 1985), whose
    population is drawn in equal parts by each objective.

    Args:
        key: typed key[].
        config: how parents are drawn; static.
        merits: float32[1 + K, P]: in general, and in each of K cases.
        n: how many.
        but: int32[n], whom each draw leaves out.
    """
    if len(merits) == 1:
        return select(key, config, merits[0], n, but)
    draw_key, chance_key, case_key = jax.random.split(key, 3)
    keys = jax.random.split(draw_key, len(merits))
    drawn = jax.vmap(lambda k, merit: select(k, config, merit, n, but))(keys, merits)
    case = jax.random.randint(case_key, (n,), 1, len(merits))
    row = jnp.where(jax.random.uniform(chance_key, (n,)) < config.by_case, case, 0)
    return drawn[row, jnp.arange(n)]


def elites(fitness: Array, n: int) -> Array:
    """Return int32[n]: the indices of the best, best first; ties go to the lower index, NaN comes last."""
    return jnp.argsort(-fitness, stable=True)[:n].astype(jnp.int32)
