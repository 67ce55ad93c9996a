"""Drawing parents by fitness, and finding elites.

Roulette and truncation follow J. Koza, "Genetic Programming" (1992), section 6.4; linear ranking follows J. Baker,
"Adaptive selection methods for genetic algorithms" (1985). A NaN counts as the worst fitness there is.
"""

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.operators.options import Selection

METHODS = ("roulette", "rank", "tournament", "truncation")


def comparable(fitness: Array) -> Array:
    """Return fitness (float32[...]) that can be ordered: NaN is the worst there is."""
    return jnp.where(jnp.isnan(fitness), -jnp.inf, fitness)


def proportional(key: Array, weights: Array, n: int) -> Array:
    """Draw int32[n] with replacement: index i with probability `weights[i]` / sum (float32[P], >= 0, not all zero).

    The weights are summed pairwise into a binary tree, and every draw walks down from the root with a fresh uniform
    number at each fork. A running sum would lose the small weights of a large population to rounding; here each
    fork is exact to 2**-23, and a branch that weighs nothing is never taken.
    """
    levels = max(weights.shape[0] - 1, 1).bit_length()
    sums = [jnp.pad(weights, (0, 2**levels - weights.shape[0]))]
    for _ in range(levels):
        sums.append(sums[-1].reshape(-1, 2).sum(1))
    # Node i of the heap has the children 2 i and 2 i + 1; the root is node 1, entry 0 is not used.
    heap = jnp.concatenate([jnp.zeros(1), *reversed(sums)])
    chance = jax.random.uniform(key, (levels, n))

    def descend(level: Array, at: Array) -> Array:
        left, right = heap[2 * at], heap[2 * at + 1]
        # With left = 0 the comparison holds, with right = 0 it does not, since chance < 1.
        return 2 * at + (chance[level] * (left + right) >= left)

    return jax.lax.fori_loop(0, levels, descend, jnp.ones(n, jnp.int32)) - 2**levels


def roulette_weights(fitness: Array) -> Array:
    """Return float32[P]: fitness over the greatest; negative and NaN count as 0; all ones where nothing is left."""
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


def tournament(key: Array, fitness: Array, size: int, n: int, distinct: bool = False) -> Array:
    """Draw int32[n]: each the best of `size` drawn with replacement, or of as many different ones.

    The drawn are in random order, so that the first of equals is a fair choice among them.
    """
    population = fitness.shape[0]
    drawn = different(key, population, size, n) if distinct else jax.random.randint(key, (n, size), 0, population)
    known = comparable(fitness)
    return jnp.take_along_axis(drawn, jnp.argmax(known[drawn], axis=1)[:, None], axis=1)[:, 0]


def different(key: Array, population: int, size: int, n: int) -> Array:
    """Draw int32[n, size]: in each row different numbers below `population`, all orders equally likely.

    A row has the whole population where `size` is larger.
    """
    size = min(size, population)
    drawn = jax.random.randint(key, (n, size), 0, population - jnp.arange(size), jnp.int32)
    # Each is its place among those that are left: count on past those taken, from the lowest on.
    rows: list[Array] = []
    for place in range(size):
        number = drawn[:, place]
        if rows:
            for taken in jnp.sort(jnp.stack(rows), axis=0):
                number = number + (number >= taken)
        rows.append(number)
    return jnp.stack(rows, 1)


def truncation(key: Array, fitness: Array, fraction: float, n: int) -> Array:
    """Draw int32[n] uniformly from the best `fraction` (at least one); ties at the cut are broken at random."""
    cut_key, draw_key = jax.random.split(key)
    population = fitness.shape[0]
    kept = min(population, max(1, round(fraction * population)))
    shuffled = jax.random.permutation(cut_key, population)
    best = shuffled[jnp.argsort(-fitness[shuffled], stable=True)]  # NaN comes last
    return best[jax.random.randint(draw_key, (n,), 0, kept)].astype(jnp.int32)


def select(key: Array, config: Selection, fitness: Array, n: int) -> Array:
    """Draw int32[n]: the indices of parents, by their fitness (float32[P]).

    Raises:
        ValueError: an unknown method.
    """
    if config.method == "roulette":
        return proportional(key, roulette_weights(fitness), n)
    if config.method == "rank":
        weights = rank_weights(fitness, config.rank_pressure)
        # A single individual under pressure 2 has rank 0, hence weight 0.
        return proportional(key, jnp.where(weights.any(), weights, 1.0), n)
    if config.method == "tournament":
        return tournament(key, fitness, config.tournament_size, n, config.distinct)
    if config.method == "truncation":
        return truncation(key, fitness, config.truncation_fraction, n)
    raise ValueError(f"selection.method={config.method}: accepted: {', '.join(METHODS)}")


def select_by_case(key: Array, config: Selection, merits: Array, n: int) -> Array:
    """Draw int32[n]: most parents by their merit in general, a share `config.by_case` by that in one case, drawn anew.

    After J. Schaffer, "Multiple objective optimization with vector evaluated genetic algorithms" (ICGA 1985), whose
    population is drawn in equal parts by each objective.

    Args:
        key: typed key[].
        config: how parents are drawn; static.
        merits: float32[1 + K, P]: in general, and in each of K cases.
        n: how many.
    """
    if len(merits) == 1:
        return select(key, config, merits[0], n)
    draw_key, chance_key, case_key = jax.random.split(key, 3)
    drawn = jax.vmap(lambda k, merit: select(k, config, merit, n))(jax.random.split(draw_key, len(merits)), merits)
    case = jax.random.randint(case_key, (n,), 1, len(merits))
    row = jnp.where(jax.random.uniform(chance_key, (n,)) < config.by_case, case, 0)
    return drawn[row, jnp.arange(n)]


def elites(fitness: Array, n: int) -> Array:
    """Return int32[n]: the indices of the best, best first; ties go to the lower index, NaN comes last."""
    return jnp.argsort(-fitness, stable=True)[:n].astype(jnp.int32)
