"""Selection by tournaments of disjoint groups: each individual plays in exactly one, and each group has one winner.

After "Walls" (COEN 352, Concordia University, final project, 2016): "The strategies that participate in a tournament
are not allowed to participate in another tournament. The tournaments repeat until all members of the population have
played."
"""

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import comparable
from jaxgp.operators import draw


def split(key: Array, population: int, size: int) -> Array:
    """Divide a population into groups, all divisions equally likely.

    Args:
        key: typed key[].
        population: P.
        size: g, individuals in each group.

    Returns:
        int32[P / g, g]: the members of each group.

    Raises:
        ValueError: `size` does not divide the population; the message names the sizes that do.
    """
    if population < 1 or size < 1 or population % size:
        nearest = sorted((n for n in range(1, population + 1) if population % n == 0), key=lambda n: abs(n - size))
        options = ", ".join(map(str, sorted(nearest[:6])))
        raise ValueError(f"groups of {size} do not divide a population of {population}; sizes that do: {options}")
    return jax.random.permutation(key, population).astype(jnp.int32).reshape(-1, size)


def winners(key: Array, points: Array, sizes: Array, groups: Array) -> Array:
    """Find the winner of each group: most points, then the smallest genome, then a uniform random draw.

    Args:
        key: typed key[].
        points: float32[P]; NaN counts as the worst there is.
        sizes: int32[P]: rules of each list.
        groups: int32[G, g], indices into the population.

    Returns:
        int32[G]: an index into the population for each group.
    """
    points = comparable(points)[groups]
    sizes = sizes[groups]
    best = points == points.max(1, keepdims=True)
    fewest = jnp.where(best, sizes, jnp.iinfo(jnp.int32).max).min(1, keepdims=True)
    place = jax.vmap(draw.uniform)(draw.words(key, groups.shape[0]), best & (sizes == fewest))
    return jnp.take_along_axis(groups, place[:, None], 1)[:, 0]
