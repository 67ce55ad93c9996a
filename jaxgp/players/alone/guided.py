"""Programs that guide a nested search of a game for one: they bias which moves are sampled.

Each legal move belongs to one of K kinds, which the game defines by cheap features. A program is evaluated once for
each kind. Its values are the biases of the search (`jaxgp.search.nrpa`), which also adapts weights of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.arrays import digests, groups
from jaxgp.bits import extend
from jaxgp.contracts import Game, Soloist, States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.evaluate import evaluate_programs
from jaxgp.players.alone.walk import Performance, Walked
from jaxgp.search.chance import unused_key
from jaxgp.search.nrpa import STEEPEST, Line, Nested


@dataclass(frozen=True, eq=False)
class GuidedSoloist(Soloist[Any]):
    """A `Soloist`: a nested search guided by a program plays the game.

    Every generation searches with new random numbers, so the score of a program varies. Programs of one generation with
    equal guidance share the mean of all their searches, so copies of a program are not independent attempts.

    Attributes:
        primitives: the set that the programs are written in; one tree.
        game: the rules.
        nested: one search, with kinds.
        features: float32[F, K], the features of each kind.
        searches: searches that measure a program; the best of their games is shown.
        shared: R, classes of positions; the kinds of all moves of one position are equal modulo R.
    """

    primitives: PrimitiveSet
    game: Game
    nested: Nested
    features: np.ndarray
    searches: int
    shared: int = 1

    def prepare(self, programs: Programs) -> Array:
        """Return the biases of programs [P, 1, L]: float32[P, K]."""
        values = evaluate_programs(self.primitives, programs, jnp.asarray(self.features))[:, 0]
        return jnp.nan_to_num(values).clip(-STEEPEST, STEEPEST)

    def perform(self, key: Array, biases: Array) -> Performance:
        """Measure P programs by the mean score of their searches."""
        line, count = self.search(key, biases), len(biases)
        signature = behaviour(biases, self.shared)
        ranked, order = groups(signature)
        group = jnp.zeros(count, jnp.int32).at[order].set(ranked)
        means = line.score.reshape(count, -1).mean(1)
        sums = jnp.zeros((count, 2)).at[group].add(jnp.stack([means, jnp.ones(count)], 1))
        metrics = {
            "plies": line.length.sum(dtype=jnp.int32),
            "ended": (line.length < self.nested.longest).sum(dtype=jnp.int32),
            "best_score": line.score.max(),
            "crowded": line.overflow.sum(dtype=jnp.int32),
        }
        return Performance((sums[:, 0] / sums[:, 1])[group], signature, metrics)

    def search(self, key: Array, biases: Array) -> Line:
        """Search with the biases of P programs; return lines [P * searches], those of one program side by side."""
        lanes = len(biases) * self.searches
        return self.nested.search(key, lanes, jnp.repeat(biases, self.searches, 0))

    def play(self, biases: Array, key: Array | None = None) -> Walked:
        """Return the best game that the searches of each of P programs find; without a key, always the same games."""
        line = self.search(jax.random.key(0) if key is None else key, biases)
        best = line.score.reshape(len(biases), -1).argmax(1) + np.arange(len(biases)) * self.searches

        def follow(actions: Array, length: Array) -> Walked:
            def step(number: Array, carry: tuple[States, Array]) -> tuple[States, Array]:
                state, behaviour = carry
                after = self.game.step(state, actions[number], unused_key())
                return after, extend(behaviour, actions[number])

            first = (self.game.init(unused_key()), jnp.zeros(2, jnp.uint32))
            state, behaviour = lax.fori_loop(0, length, step, first)
            return Walked(state, length, behaviour)

        return jax.vmap(follow)(line.actions[best], line.length[best])

    def record(self, program: Programs) -> list[tuple[int, int]]:
        """Return the moves of one program, [1, L], each with the program's root as the node that made it."""
        line = jax.device_get(self._lines(jax.tree.map(lambda x: jnp.asarray(x)[None], program)))
        best = int(line.score.argmax())
        root = int(program.length[0]) - 1
        return [(action, root) for action in line.actions[best, : line.length[best]].tolist()]

    def reason(self, program: Programs, node: int) -> str:
        """Say what made a move."""
        del program, node
        return f"best of {self.searches} guided searches"

    def by(self, level: int, iterations: int, group: int = 1) -> "GuidedSoloist":
        """Return a guide of searches with another level, number of iterations and group."""
        return replace(self, nested=replace(self.nested, level=level, iterations=iterations, group=group))

    @cached_property
    def _lines(self) -> Callable[[Programs], Line]:
        return jax.jit(lambda programs: self.search(jax.random.key(0), self.prepare(programs)))


def behaviour(biases: Array, shared: int) -> Array:
    """Return uint32[P, 2], hashes of biases (float32[P, K]) that are equal if they lead to equal move probabilities.

    Adding a constant to all biases, or to all biases of one of the `shared` classes, does not change the hash.
    """
    table = biases.reshape(len(biases), -1, shared)
    # Rounded, since adding a constant and subtracting it again leaves rounding errors.
    return digests(jnp.round((table - table[:, :1]) * 1024).astype(jnp.int32))
