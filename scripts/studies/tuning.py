"""Tune the constants of programs by CMA-ES: what the studies of several games share."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.config import arguments
from jaxgp.evolution.cma import SeparableCMA
from jaxgp.evolution.options import CMAOptions
from jaxgp.genotypes.primitives import Floats, Primitive, PrimitiveSet
from jaxgp.library.evolving import AskTell

EVERY = 20
"""Generations between two lines that are printed."""


class Numbers(NamedTuple):
    """The constants and factors of one program."""

    constants: np.ndarray  # float32[N]
    programs: Callable[[Array], Any]  # float32[P, N] -> the program with these instead, [P]


def numbers(language: PrimitiveSet, genome: Any) -> Numbers:
    """Return the numbers of a program without a population axis: constants, and factors where the set has them."""
    number = np.array([p.has_number for p in language.primitives]) | language.scaled
    opcode, length = np.asarray(genome.opcode), np.asarray(genome.length)
    live = np.arange(opcode.shape[1]) < length[:, None]
    tree, node = np.nonzero(number[opcode.astype(int)] & live)

    def programs(x: Array) -> Any:
        many = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (len(x), *leaf.shape)), genome)
        return many.replace(value=jnp.asarray(many.value).at[:, tree, node].set(x))

    return Numbers(np.asarray(genome.value)[tree, node], programs)


def search(
    fitness: Callable[[Array, Array], Array],
    low: np.ndarray,
    high: np.ndarray,
    population: int,
    generations: int,
    seed: int,
) -> np.ndarray:
    """Return the mean of the distribution that CMA-ES ends with, float32[N].

    Args:
        fitness: of float32[P, N] numbers in what a key draws, float32[P].
        low: float[N], below which no number goes.
        high: float[N], above which none does; the search begins in the middle.
        population: individuals of a generation.
        generations: of the search.
        seed: of the search, and of what fitness draws.
    """
    domains = [
        Primitive(f"c{n}", returns=f"n{n}", domain=Floats(float(a), float(b)))
        for n, (a, b) in enumerate(zip(low, high, strict=True))
    ]
    vectors = PrimitiveSet("constants", tuple(domains), (), roots=tuple(one.returns for one in domains))
    walk = AskTell(SeparableCMA(vectors, CMAOptions(population=population, generations=generations, start=0.5)))
    measure = jax.jit(fitness)
    for number, key in enumerate(jax.random.split(jax.random.key(seed), generations)):
        ask, draw, tell = jax.random.split(key, 3)
        people = walk.ask(ask)
        found = measure(people.value[:, :, 0], draw)
        walk.tell(tell, people, found)
        if number % EVERY == 0 or number == generations - 1:
            arguments.say(f"generation {number}: best {float(found.max()):.3f}, mean of all {float(found[0]):.3f}")
    mean: np.ndarray = np.asarray(walk.ask(ask).value[0, :, 0])
    return mean
