"""Fitness from an individual's own play against a known opponent, in a game whose positions are all written out.

A lesson says how good one decision is with best play after it. What a program sees may not be enough for best play, and
then it has to choose what its own next moves can bring to an end. So here it plays on: a game counts if it is won, and
beside that how near the end it was on average, so that who comes near mate and fails is told from who never does.

What a program sees of positions depends on no program, and many look alike. So all that differs is valued once for
each individual, and its games are look-ups in tables.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.arrays import OnHost, comparable, each
from jaxgp.bits import pick
from jaxgp.contracts import Player
from jaxgp.fitness.evaluation import MEASURE, Evaluation, OfPlayer, child, worth
from jaxgp.genotypes.language import Genome, sizes
from jaxgp.players.taught import DecisionProcess, Learns
from jaxgp.printable import brief

TOGETHER = 2**17
"""Outcomes that are looked at together."""
INSIDE = 2**24
"""Bytes of the largest array that is compiled into the program."""
BESIDE = 64
"""Individuals that play side by side."""


class Different(NamedTuple):
    """What programs see of the outcomes of a process: L different things, and which of them each outcome shows."""

    features: np.ndarray  # float32[F, L]
    tree: np.ndarray  # int32[L]: which tree values it
    number: np.ndarray  # int32[M]


def look(player: Player, process: DecisionProcess) -> Different:
    """Return what programs of a player see of a process, on the host."""
    assert isinstance(player, Learns)
    looks = jax.jit(player.looks)
    count = len(process.won)
    size = min(count, TOGETHER)
    different: dict[bytes, int] = {}
    numbers = []
    for begin in range(0, count, size):
        places = np.minimum(np.arange(begin, begin + size), count - 1)
        of = jax.tree.map(lambda x, places=places: np.asarray(x)[places], (process.states, process.outcomes))
        features, tree = looks(*of)
        rows = np.concatenate([np.asarray(features), np.asarray(tree, np.float32)[None]]).T
        some, at = np.unique(rows, axis=0, return_inverse=True)
        known = [different.setdefault(row.tobytes(), len(different)) for row in some]
        numbers.append(np.array(known, np.int32)[at.reshape(-1)])
    seen = np.array([np.frombuffer(row, np.float32) for row in different])
    return Different(seen[:, :-1].T.copy(), seen[:, -1].astype(np.int32), np.concatenate(numbers)[:count])


@dataclass(frozen=True, eq=False)
class OwnPlay(OfPlayer[Array]):
    """fitness = max(minimum, scale * (share of games won + nearness * mean nearness) - parsimony * size).

    The nearness of a position is 1 at the end of a game that is won, 0 where it cannot be won any more, and falls with
    the fewest moves left, evenly. Its mean is over all moves of all games. Of moves that are valued alike one is played
    by lot, and so is one of equal replies. All individuals have the same starts and lots.

    The memory is the starts of the referee, int32[games].

    Attributes:
        player: how an individual plays.
        process: all decisions and what follows.
        seen: what its programs see of them; see `look`.
        games: from so many starts, drawn anew in each generation.
        moves: after which a game is not won.
        nearness: see above.
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
    """

    player: Player
    process: DecisionProcess
    seen: Different
    games: int
    moves: int = 50
    nearness: float = 0.2
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None

    seats: ClassVar[int] = 1

    __repr__ = brief

    def init(self, key: Array) -> Array:
        """Return the starts of the referee."""
        return self._starts(key)

    def _starts(self, key: Array) -> Array:
        places = np.flatnonzero(self.process.starts).astype(np.int32)
        return jnp.asarray(places)[jax.random.randint(key, (self.games,), 0, len(places))]

    def evaluate(self, key: Array, population: Genome, memory: Array) -> tuple[Evaluation, Array]:
        """Let individuals [P, ...] play from new starts."""
        starts, lots = jax.random.split(child(key, MEASURE))
        return self._played(lots, population, self._starts(starts)), memory

    def measure(self, key: Array, population: Genome, memory: Array) -> tuple[Evaluation, Array]:
        """Let individuals [P, ...] play from the starts of the referee."""
        return self._played(key, population, memory), memory

    def _played(self, key: Array, population: Genome, starts: Array) -> Evaluation:
        won, near = played(self.player, population, self.process, self.seen, key, starts, self.moves)
        size = sizes(population).astype(jnp.float32) if self.parsimony else jnp.float32(0)
        points = won + self.nearness * near
        fitness = worth(points, size, self.scale, self.parsimony, self.minimum)
        best = jnp.argmax(comparable(fitness))
        metrics = {
            "evaluations": jnp.int32(won.size * self.games),
            "won": won.mean(),
            "best_won": won[best],
            "standing_won": won[best],
        }
        return Evaluation(fitness, points[:, None], metrics)


def played(
    player: Player,
    population: Genome,
    process: DecisionProcess,
    seen: Different,
    key: Array,
    starts: Array,
    moves: int,
) -> tuple[Array, Array]:
    """Return float32[P] each: the share of games that individuals [P, ...] win from starts [G], and their nearness."""
    assert isinstance(player, Learns)
    features, tree, number = (jnp.asarray(x) for x in seen)
    values = player.judge(player.prepare(population), features, tree)
    goes, replies, won = _inside(process.moves), _inside(process.replies), jnp.asarray(process.won)
    near = jnp.asarray(np.where(process.left > 0, 1 - process.left / (process.left.max() + 1), 0), jnp.float32)
    lots = jax.random.bits(key, (moves, 2, len(starts)))

    def one(values: Array) -> tuple[Array, Array]:
        def move(state: tuple[Array, Array, Array], lot: Array) -> tuple[tuple[Array, Array, Array], Array]:
            here, done, failed = state
            there = goes[here]
            found = jnp.where(there >= 0, values[number[there]], -jnp.inf)
            best = (there >= 0) & (found == found.max(1, keepdims=True))
            outcome = jnp.take_along_axis(there, pick(best, lot[0])[:, None], 1)[:, 0]
            answers = replies[outcome]
            following = jnp.take_along_axis(answers, pick(answers >= 0, lot[1])[:, None], 1)[:, 0]
            ends = (outcome >= 0) & won[outcome]
            fails = ~ends & ((outcome < 0) | (following < 0))
            done, failed = done | (ends & ~failed), failed | (fails & ~done)
            here = jnp.where(done | failed, here, following)
            return (here, done, failed), jnp.where(done, 1.0, jnp.where(failed, 0.0, near[here]))

        none = jnp.zeros(len(starts), bool)
        (_, done, _), nearness = lax.scan(move, (starts, none, none), lots)
        return done.mean(), nearness.mean()

    return each(one, values, BESIDE)


def _inside(values: np.ndarray) -> Array | OnHost:
    """Return an array for a program, where it stays on the host if it is large."""
    return OnHost(values) if values.nbytes > INSIDE else jnp.asarray(values)
