"""Fitness from games against a fixed panel: points from both seats, and a price on the size of the program."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import Mesh

from jaxgp.arrays import count_distinct, counter, in_chunks, in_shares, take, total
from jaxgp.checks.values import real, whole
from jaxgp.contracts import Differentiable, Game, Opponent, Player, States
from jaxgp.errors import reject
from jaxgp.fitness.evaluation import MEASURE, Evaluation, OfPlayer, check_worth, child, worth
from jaxgp.fitness.matches import keys_of, mean_by_opponent, play, seats
from jaxgp.fitness.words import POINTS
from jaxgp.genotypes.language import Genome, sizes
from jaxgp.options import MAX_PLIES, MAX_WEIGHT
from jaxgp.printable import brief

Memories = tuple[Any, ...]
"""What each opponent of a panel carries."""


class Counts(NamedTuple):
    """Sums over games, as `jaxgp.arrays.total` has them; see `jaxgp.fitness.matches.Played`."""

    plies: Array
    replies: Array
    searches: Array


class Shown(NamedTuple):
    """What the games of P individuals against O opponents have shown."""

    points: Array  # float32[P, O, 2]: mean points by opponent and seat
    results: Array  # float32[P, O, 2]: mean results; 1 win, 1/2 draw, 0 loss
    won: Array  # float32[P, O, 2]: the share of games won
    behaviour: Array  # uint32[P, 2 G]


def check_player(game: Game, player: Player) -> None:
    """Refuse a player that cannot see the positions of a game; raises UsageError. Nothing is computed."""
    if not hasattr(player, "act"):
        reject("player", type(player).__name__, "a player, such as the actor of a cast")
    look = getattr(player, "look", None)
    if look is None:
        return
    try:
        jax.eval_shape(lambda: look(game.init(jax.random.key(0))))
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        reject("player", type(player).__name__, f"a player of {game.name} as it is set here ({error})")


def check_opponent(game: Game, opponent: Opponent) -> None:
    """Refuse an opponent that plays another game, or the same with other settings; raises UsageError."""
    if not hasattr(opponent, "reply"):
        reject("opponents", type(opponent).__name__, "opponents, such as those that jaxgp.opponent returns")
    if (other := getattr(opponent, "game", game)) != game:
        reject("opponents", f"{type(opponent).__name__} of {other}", f"opponents that play {game}")


@dataclass(frozen=True)
class PanelFitness(OfPlayer[Memories]):
    """fitness = max(minimum, scale * (points + win_bonus * wins) - parsimony * size).

    The points are the mean in the first seat plus the mean in the second, averaged over the opponents by weight. With
    one deterministic opponent this is the sum of two games' scores. Wins are averaged in the same way. Scale 1 without
    parsimony gives the fitness of the GP Mancala study's first run; scale 100, parsimony 1 and minimum 1 give the
    fitness of its second run.

    Attributes:
        game: the rules.
        player: how an individual plays.
        opponents: the panel.
        weights: one for each opponent; empty: all weigh the same.
        points: `score`: the game's own points; `result`: 1 for a win, 1/2 for a draw; `share`: the own points of all
            games against an opponent, divided by those of both sides; 1/2 where neither has any.
        scale: see above, as are `parsimony`, `win_bonus` and `minimum` (None: no bound).
        max_plies: longer games are stopped and scored as they stand.
        paired: whether the n-th games from both seats have the same chance; see `jaxgp.fitness.matches.play`.
        opening: random moves at the beginning of each game.
        chunk: individuals whose games are played at a time, at most; None: all. It changes the memory that this takes,
            and nothing of the result but how often opponents search a position that their tables have lost.
        mesh: of devices that share the individuals; the same holds. Opponents remember what they did on the first one.
        learning: what individuals learn their numbers by, before they are measured; None: they do not.

    Raises:
        UsageError: a value that is not accepted, or a player or an opponent of another game.
    """

    game: Game
    player: Player
    opponents: Sequence[Opponent]
    weights: Sequence[float] = ()
    points: str = "score"
    scale: float = 1.0
    parsimony: float = 0.0
    win_bonus: float = 0.0
    minimum: float | None = None
    max_plies: int = 400
    paired: bool = False
    opening: int = 0
    chunk: int | None = None
    mesh: Mesh | None = None
    learning: Differentiable[Any] | None = None

    seats: ClassVar[int] = 2

    __repr__ = brief

    def __post_init__(self) -> None:
        check_player(self.game, self.player)
        if isinstance(self.opponents, str) or not isinstance(self.opponents, Sequence) or not self.opponents:
            reject("opponents", self.opponents, "a list of one or more opponents, as jaxgp.opponent returns them")
        for opponent in self.opponents:
            check_opponent(self.game, opponent)
        if not self.weights:
            object.__setattr__(self, "weights", (1.0,) * len(self.opponents))
        if len(self.weights) != len(self.opponents):
            reject("weights", self.weights, f"{len(self.opponents)} numbers, one for each opponent; or none")
        for weight in self.weights:
            real("weights", weight, 0, MAX_WEIGHT)
        if self.opponents and not any(self.weights):
            reject("weights", self.weights, "at least one number above 0")
        if self.points not in POINTS:
            reject("points", self.points, ", ".join(POINTS))
        check_worth(self.scale, self.parsimony, self.minimum)
        real("win_bonus", self.win_bonus, 0, MAX_WEIGHT)
        whole("max_plies", self.max_plies, 1, MAX_PLIES)
        whole("opening", self.opening, 0, self.max_plies, "max_plies")
        if self.chunk is not None:
            whole("chunk", self.chunk, 1, or_null=True)

    def init(self, key: Array) -> Memories:
        """Return the memories of the opponents."""
        keys = jax.random.split(key, len(self.opponents))
        return tuple(opponent.init(own) for opponent, own in zip(self.opponents, keys, strict=True))

    def in_chunks(self, chunk: int | None) -> "PanelFitness":
        """Return the fitness that plays the games of this many individuals at a time; see `chunk`."""
        return replace(self, chunk=chunk)

    def shared(self, mesh: Mesh | None) -> "PanelFitness | None":
        """Return the fitness whose individuals are shared by the devices of a mesh; None where they learn."""
        return None if self.learning else replace(self, mesh=mesh)

    def evaluate(self, key: Array, population: Genome, memory: Memories) -> tuple[Evaluation, Memories]:
        """Play all games of a population [P, ...]."""
        return self.measure(child(key, MEASURE), population, memory)

    def measure(self, key: Array, population: Genome, memories: Memories) -> tuple[Evaluation, Memories]:
        """Play all games of a population [P, ...]; `key` must not be used for anything else."""
        size = sizes(population).astype(jnp.float32)
        keys = keys_of(key, len(size), self.opponents)
        none = jnp.zeros((), counter(keys.size * self.max_plies))
        start = memories, Counts(none, none, none)
        own = partial(in_chunks, self._played, most=self.chunk)
        (remembered, counted), shown = in_shares(own, start, (keys, population), self.mesh)
        memories, counts = take(remembered, jnp.int32(0)), jax.tree.map(lambda x: x.sum(0, x.dtype), counted)
        points, won, weights = shown.points, shown.won, jnp.asarray(self.weights, jnp.float32) / sum(self.weights)
        by_seat = (points * weights[:, None]).sum(1)
        wins = (won * weights[:, None]).sum((1, 2))

        def of(points: Array, wins: Array) -> Array:
            return worth(points + self.win_bonus * wins, size, self.scale, self.parsimony, self.minimum)

        fitness = of(by_seat.sum(-1), wins)
        cases = of(*(2.0 * x.reshape(len(x), -1).T for x in (points, won)))
        metrics = {
            "evaluations": jnp.int32(keys.size),
            "plies": counts.plies,
            "searches": counts.searches,
            "table_hit_rate": 1.0 - counts.searches / jnp.where(counts.replies > 0, counts.replies, jnp.nan),
            "unique_behaviours": count_distinct(shown.behaviour),
            "beat_all": (wins > 2 - 1e-6).sum(dtype=jnp.int32),
        }
        return Evaluation(fitness, by_seat, metrics, cases, shown.results, shown.behaviour), memories

    def _played(
        self, carry: tuple[Memories, Counts], part: tuple[Array, Genome]
    ) -> tuple[tuple[Memories, Counts], Shown]:
        """Play the games of some individuals: their keys, key[C, G], and their genomes [C, ...]."""
        (memories, counts), (keys, genomes) = carry, part
        plans = self.player.prepare(genomes)
        played, memories = play(
            keys,
            self.game,
            self.player,
            plans,
            self.opponents,
            memories,
            self.max_plies,
            paired=self.paired,
            opening=self.opening,
        )
        returns = self.of_individual(played.states.returns)
        shown = Shown(
            self.mean_points(played.states),
            mean_by_opponent(self.opponents, returns * 0.5 + 0.5),
            mean_by_opponent(self.opponents, (returns > 0).astype(jnp.float32)),
            played.behaviour.reshape(len(keys), -1),
        )
        counts = Counts(
            counts.plies + total(played.plies, self.max_plies),
            counts.replies + played.replies,
            counts.searches + played.searches,
        )
        return (memories, counts), shown

    def rivals(self, memory: Memories) -> tuple[object, ...]:
        """Return the memories of the opponents, which are the whole."""
        return memory

    def mean_points(self, states: States) -> Array:
        """Return float32[P, O, 2]: the individual's points against each opponent by seat, of ended games [P, G]."""
        if self.points == "result":
            return mean_by_opponent(self.opponents, self.of_individual(states.returns * 0.5 + 0.5))
        scores = jax.vmap(jax.vmap(self.game.score))(states)
        own = mean_by_opponent(self.opponents, self.of_individual(scores))
        if self.points == "score":
            return own
        both = mean_by_opponent(self.opponents, scores.sum(-1)).sum(-1, keepdims=True)
        return jnp.where(both > 0, own / jnp.where(both > 0, both, 1), 0.25)

    def of_individual(self, by_seat: Array) -> Array:
        """Return float32[P, G]: of values by seat, float32[P, G, 2], the one of the individual's seat."""
        return jnp.where(seats(self.opponents) == 0, by_seat[..., 0], by_seat[..., 1])

    def observe(self, memory: Memories, best: Genome, improved: Array) -> Memories:
        """Show every opponent the generation's best individual."""
        pairs = zip(self.opponents, memory, strict=True)
        return tuple(opponent.observe(own, best, improved) for opponent, own in pairs)
