"""Islands: rings that each evolve a part of the population and now and then send each other copies of individuals.

Source: M. Sipper, "Evolved to Win" (2011), section 7.4: 50 islands; "Starting at generation 10, for each generation n,
every Island i that satisfied i mod 10 = n mod 10 migrated 4 individuals to each of the 3 adjacent neighbors (a total of
12). Individuals were selected for migration based on fitness using tournament selection with repeats." Where its text
leaves a choice:

- The islands stand in a circle. The neighbours of one are the nearest: the next, the one before, the next but one, the
  one before the last, and so on.
- The source is "asynchronous". Here all islands have the same generation, so that a run can be repeated.
- Migrants are copies, drawn from the generation that was just measured. They come into the next generation of the
  neighbour, in place of children drawn uniformly among those that are not elites, or not parents that stay. There they
  are measured with everybody else.

Every island is a whole `Ring`, or `Pair`: whoever plays others of the population plays those of the same island. All
islands begin with the same memory of the fitness, so random opponents are the same for all. From then on each has a
memory of its own, so what happens on an island depends on what is sent to it and on nothing else.

Islands are computed one after the other on a device, or several side by side. Devices of a mesh share them. What an
island computes depends on neither, and everything that concerns all islands is computed on every device from the same
arrays [I, ...]. So the result is the same, bit for bit, for every number of devices and processes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax
from jax.sharding import NamedSharding, PartitionSpec

from jaxgp import arrays
from jaxgp.arrays import PARTS, WHOLE, comparable, take
from jaxgp.contracts import Genomes, Metrics
from jaxgp.evolution import candidates, options
from jaxgp.evolution.pair import Pair
from jaxgp.evolution.ring import ManyPopulations, Outcome, Ring, put, stagnation
from jaxgp.evolution.state import BestSoFar, EvolutionState
from jaxgp.operators import selection

Tree = TypeVar("Tree")

MIGRATION = np.uint32(2**32 - 2)
"""The `fold_in` number reserved for the migrations of an island; no generation reaches it."""
APART = PartitionSpec(PARTS)


@struct.dataclass
class Own:
    """What each island has beside its population and the memory of its fitness."""

    keys: Array  # typed key[I]
    carried: Any  # [I, ...]: what the scheme carries along
    champions: BestSoFar  # [I, ...]: the best individual of each island so far
    finished: Array  # bool[I]


def offsets(neighbours: int) -> np.ndarray:
    """Return int32[K]: how far the neighbours of an island are ahead of it in the circle: 1, -1, 2, -2, and so on."""
    number = np.arange(neighbours)
    return np.where(number % 2 == 0, number // 2 + 1, -(number // 2 + 1)).astype(np.int32)


def sends(asked: options.MigrationOptions, island: Array, generation: Array) -> Array:
    """Return bool[...]: whether islands (int32[...], counted from 0) send migrants in a generation (int32[])."""
    turn = island % asked.every if asked.staggered else 0 * island
    return (generation >= asked.first) & (generation % asked.every == turn)


def settle(key: Array, population: Genomes, migrants: Genomes, due: Array, kept: int) -> Genomes:
    """Put migrants in the places of individuals drawn uniformly without replacement, all but the first ones.

    Args:
        key: typed key[].
        population: [P, ...].
        migrants: [M, ...], at most P - kept.
        due: bool[M], which of them come.
        kept: how many individuals, the first ones of the population, stay.

    Returns:
        [P, ...].
    """
    count = len(jax.tree.leaves(population)[0])
    places = jax.random.permutation(key, count - kept)[: len(due)] + kept
    # Those that do not come are put beyond the end, which drops them.
    places = jnp.where(due, places, count)
    return jax.tree.map(lambda x, new: x.at[places].set(new, mode="drop"), population, migrants)


def overall(found: Metrics, leader: Array) -> Metrics:
    """Return the metrics of all islands together, from those of each, [I] by name.

    Those whose names begin with `best` are of the island `leader` (int32[]); of those that begin with `max` it is the
    greatest. Numbers of other kinds are counts, which are added up, or else real numbers, of which it is the mean.
    """

    def one(name: str, values: Array) -> Array:
        if name.startswith("best"):
            return values[leader]
        if name.startswith("max") or name in SAME:
            return values.max()
        counted = name in COUNTS or jnp.issubdtype(values.dtype, jnp.integer)
        return values.sum() if counted else values.mean()

    return {name: one(name, values) for name, values in found.items()}


COUNTS = ("plies", "searches", "steps")
"""Metrics that are counts even where they are real numbers, as `jaxgp.arrays.counter` has them where they are great."""
SAME = ("generation", "limit", "phase")
"""Metrics that are no counts: islands have the same, or the greatest of them says most."""


@dataclass(frozen=True, repr=False)
class Islands(ManyPopulations):
    """I rings side by side; each island is a part.

    Its states have an axis of islands: `population` and `memory` are those of the rings, [I, ...], and `carried` is
    `Own`. The champion and the candidates are of all islands.

    Attributes:
        ring: of one island; it keeps no candidates.
        options: how many islands, and who sends whom how many. The devices of a mesh divide this number.
        candidates: see `Ring`, as are `last` and `stagnation`; of all islands together.
    """

    ring: Ring | Pair
    options: options.MigrationOptions
    candidates: int = 0
    last: bool = False
    stagnation: int | None = None

    def init(self, key: Array) -> EvolutionState:
        """Return the state before generation 0: random populations, the same memory on all islands."""
        run_key, create_key, memory_key = jax.random.split(key, 3)
        count = self.options.count
        keys, create_keys = jax.random.split(run_key, count), jax.random.split(create_key, count)
        one = jax.vmap(self.ring.begin, in_axes=(0, 0, None))(keys, create_keys, memory_key)
        own = Own(keys, one.carried, one.champion, one.finished)
        nobody: BestSoFar = jax.tree.map(lambda x: x[0], one.champion)
        places = self.scheme.population * count if self.last else self.candidates
        best = candidates.nobody(nobody, places) if places else None
        start = one.generation[0]
        return EvolutionState(start, run_key, one.population, one.memory, own, nobody, jnp.bool_(False), best)

    def step(self, state: EvolutionState) -> tuple[EvolutionState, Metrics]:
        """Measure the waiting generation of every island, breed the next, and let migrants come into it."""
        whole = replace(state, population=None, memory=None, carried=None)
        parts = state.population, state.memory, state.carried, jnp.arange(self.options.count, dtype=jnp.int32)
        run: Callable[..., Any] = self._part
        if self.mesh is not None:
            run = jax.shard_map(
                run, mesh=self.mesh, in_specs=(APART, WHOLE), out_specs=(APART, WHOLE, WHOLE), check_vma=False
            )
        (population, memory, own), whole, metrics = run(parts, whole)
        return replace(whole, population=population, memory=memory, carried=own), metrics

    def again(self, state: EvolutionState, number: Array) -> tuple[Array, Array]:
        """Let the candidates play another round of new games; see `Ring.again`. The memory is that of island 0."""
        return self.ring.again(replace(state, memory=self.memory(state)), number)

    def memory(self, state: EvolutionState) -> object:
        """Return the memory of the fitness on island 0."""
        return jax.tree.map(lambda x: x[0], state.memory)

    def place(self, state: EvolutionState) -> EvolutionState:
        """Return a state of `init`, or of a checkpoint, on the devices of the mesh."""
        if self.mesh is None:
            return state
        parts = put((state.population, state.memory, state.carried), NamedSharding(self.mesh, APART))
        rest = replace(state, population=None, memory=None, carried=None)
        whole: EvolutionState = put(rest, NamedSharding(self.mesh, WHOLE))
        return replace(whole, population=parts[0], memory=parts[1], carried=parts[2])

    def _part(
        self, parts: tuple[Genomes, object, object, Array], whole: EvolutionState
    ) -> tuple[tuple[Genomes, object, object], EvolutionState, Metrics]:
        """Compute the islands of one device: a generation, migration, and what concerns all islands.

        Args:
            parts: population, memory and own of these islands, and their numbers, int32[N].
            whole: the state without these.
        """
        *mine, numbers = parts
        generation = whole.generation
        following, found, outcome, leaving = arrays.each(partial(self._island, generation), tuple(mine), self.together)
        measured, (population, memory, own) = (outcome.measured, outcome.fitness), following
        outcome = outcome.standing, outcome.challenger
        # From here on all devices have the same of all islands.
        found, outcome, leaving = self._everywhere((found, outcome, leaving))
        population = self._arrive(population, own.keys, numbers, leaving, generation)
        standing, challenger = outcome
        leader = jnp.lexsort((-comparable(standing.fitness), ~standing.reached))[0]
        best = take((standing, challenger), leader)
        improved = self.fitness.improves(best[0], best[1].genome, whole.champion)
        kept = whole.candidates
        if self.last:
            everybody, fitness = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), self._everywhere(measured))
            kept = candidates.generation(everybody, fitness, take(challenger, jnp.int32(0)))
        elif kept is not None:
            kept = lax.scan(_enter, kept, challenger)[0]
        champion = arrays.where(improved, best[1], whole.champion)
        ends, stood = stagnation(self.stagnation, generation, champion)
        sent = sends(self.options, jnp.arange(self.options.count), generation).sum(dtype=jnp.int32)
        metrics = {
            **overall(found, leader),
            "migrants": sent * self.options.neighbours * self.options.migrants,
            "islands_leader": best[0].fitness,
            "islands_best": standing.fitness,
            "islands_mean": found["mean_fitness"],
            **stood,
        }
        whole = replace(
            whole,
            generation=generation + 1,
            champion=champion,
            finished=whole.finished | best[0].reached | ends,
            candidates=kept,
        )
        return (population, memory, own), whole, metrics

    def _island(self, generation: Array, mine: tuple) -> tuple:
        """Compute a generation of one island; return its state, metrics, standing, and the migrants that it sends."""
        population, memory, own = mine
        state = EvolutionState(generation, own.keys, population, memory, own.carried, own.champions, own.finished)
        following, metrics, outcome = self.ring.cycle(state)
        leaving = self._leave(own.keys, outcome, generation)
        outcome = outcome._replace(measured=outcome.measured if self.last else None, born=None)
        own = Own(own.keys, following.carried, following.champion, following.finished)
        return (following.population, following.memory, own), metrics, outcome, leaving

    def _leave(self, key: Array, outcome: Outcome, generation: Array) -> Genomes:
        """Return copies [K, M, ...] of individuals of one island, drawn by tournaments for each of K neighbours."""
        asked = self.options
        draw_key, _ = _migration(key, generation)
        count = asked.neighbours * asked.migrants
        drawn = selection.tournament(draw_key, outcome.fitness, asked.tournament_size, count)
        return take(outcome.born, drawn.reshape(asked.neighbours, asked.migrants))

    def _arrive(self, population: Genomes, keys: Array, numbers: Array, leaving: Genomes, generation: Array) -> Genomes:
        """Let migrants come into the next generation of some islands.

        Args:
            population: [N, P, ...], of these islands.
            keys: typed key[N].
            numbers: int32[N].
            leaving: [I, K, M, ...], of all islands.
            generation: int32[], the one that was measured.
        """
        asked = self.options
        ahead = offsets(asked.neighbours)

        def one(key: Array, number: Array, population: Genomes) -> Genomes:
            senders = (number - ahead) % asked.count
            due = jnp.repeat(sends(asked, senders, generation), asked.migrants)
            arriving = jax.tree.map(lambda x: x[senders, np.arange(len(ahead))].reshape(-1, *x.shape[3:]), leaving)
            _, place_key = _migration(key, generation)
            return settle(place_key, population, arriving, due, self.scheme.kept)

        return jax.vmap(one)(keys, numbers, population)

    def _everywhere(self, tree: Tree) -> Tree:
        """Return arrays of all islands, [I, ...], on every device, from those of each device's own islands."""
        return tree if self.mesh is None else jax.tree.map(lambda x: lax.all_gather(x, PARTS, tiled=True), tree)


def _enter(kept: candidates.Candidates, challenger: BestSoFar) -> tuple[candidates.Candidates, None]:
    return candidates.enter(kept, challenger), None


def _migration(key: Array, generation: Array) -> Array:
    """Return key[2] of an island in a generation: one draws migrants, one the places of those that arrive."""
    return jax.random.split(jax.random.fold_in(jax.random.fold_in(key, MIGRATION), generation))
