"""Programs as players: the value of each tree at the position, turned into a move by the game's own rule."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import where
from jaxgp.checks.values import whole
from jaxgp.contracts import Game, InPacks, Player
from jaxgp.genotypes.language import Genome
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.evaluate import evaluate, evaluate_active
from jaxgp.interpreter.plan import Plan, plan
from jaxgp.interpreter.ranked import Ranked, evaluate_ranked, rank
from jaxgp.options import MAX_GAMES
from jaxgp.printable import brief

State = Any


@dataclass(frozen=True)
class ProgramPlayer(InPacks[Plan | Ranked]):
    """Direct control: one evaluation, one move.

    Attributes:
        primitives: the set that the programs are written in.
        features: state -> float32[F].
        decide: (state, float32[T] values of the trees) -> (int32[] move, bool[] legal).
    """

    primitives: PrimitiveSet
    features: Callable[[State], Array]
    decide: Callable[[State, Array], tuple[Array, Array]]

    random: ClassVar[bool] = False

    __repr__ = brief

    def prepare(self, programs: Programs) -> Plan:
        """Derive the evaluation order of programs [P, T, L], once for all their games."""
        return plan(self.primitives, programs)

    def count(self, plans: Plan | Ranked) -> int:
        """Return P."""
        return len(plans.place if isinstance(plans, Ranked) else plans.steps)

    def length(self, plans: Plan) -> Array:
        """Return int32[P]: steps of the longest tree."""
        return plans.steps.max(-1)

    def some(self, plans: Plan, who: Array) -> Ranked:
        """Return the trees of some individuals, int32[C], by length."""
        return rank(self.primitives, plans, who)

    def look(self, state: State) -> Array:
        """Return float32[F], what a program sees of one state."""
        return self.features(state)

    def act(self, plans: Plan | Ranked, states: State, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M, 1] moves and bool[P, M] whether each is legal, for the states [P, M] of P programs.

        Only the moves in `active` (bool[P, M], None: all) states need be right; few of them take less time.
        """
        del bits
        features = jax.vmap(jax.vmap(self.features))(states).swapaxes(1, 2)
        if isinstance(plans, Ranked):
            values = evaluate_ranked(self.primitives, plans, features)
        elif active is None:
            values = evaluate(self.primitives, plans, features)
        else:
            values = evaluate_active(self.primitives, plans, features, active)
        moves, legal = jax.vmap(jax.vmap(self.decide))(states, values.swapaxes(1, 2))
        return moves[..., None], legal


@struct.dataclass
class SeatedPrograms:
    """The opponents' genomes, ready to play."""

    programs: Genome  # [C, ...]
    plans: Any  # [C, ...]
    newest: Array  # int32[]: place of the latest champion


@dataclass(frozen=True)
class ProgramOpponent:
    """Fixed genomes as opponents, programs or rule lists: drawn at the start, or the latest champions.

    An illegal move of an opponent is replaced by the first legal one. With `forfeits` it loses the game instead.

    Attributes:
        game: for its legal moves.
        player: how a genome plays.
        create: makes the genomes at the start, (key, count) -> genomes [count, ...].
        count: number of genomes; every individual meets each of them `rounds` times from each seat.
        rounds: see `count`.
        champions: replace the oldest program by each new champion.
        forfeits: whether an illegal move loses the game.
    """

    game: Game
    player: Player
    create: Callable[[Array, int], Genome]
    count: int
    rounds: int = 1
    champions: bool = False
    forfeits: bool = False
    thinks: bool = False

    __repr__ = brief

    def __post_init__(self) -> None:
        whole("count", self.count, 1, MAX_GAMES)
        whole("rounds", self.rounds, 1, MAX_GAMES)

    @property
    def random(self) -> bool:
        return self.player.random

    @property
    def games(self) -> int:
        return self.count * self.rounds

    def init(self, key: Array) -> SeatedPrograms:
        return self.seat(self.create(key, self.count))

    def seat(self, programs: Genome) -> SeatedPrograms:
        """Return a bench with these genomes [C, ...] as the opponents."""
        return SeatedPrograms(programs, self.player.prepare(programs), jnp.int32(0))

    def reply(
        self, memory: SeatedPrograms, states: State, bits: Array, active: Array | None = None
    ) -> tuple[Array, Array]:
        shape = (len(bits), 2 * self.rounds, self.count)

        def by_program(x: Array) -> Array:
            return jnp.moveaxis(x.reshape(*shape, *x.shape[2:]), 2, 0).reshape(self.count, -1, *x.shape[2:])

        states = jax.tree.map(by_program, states)
        mine = None if active is None else by_program(active)
        moves, is_legal = self.player.act(memory.plans, states, by_program(bits), mine)
        legal = jax.vmap(jax.vmap(self.game.legal_actions))(states)
        instead = -1 if self.forfeits else jnp.argmax(legal, -1)
        alone = jnp.where(np.arange(moves.shape[-1]) == 0, jnp.asarray(instead)[..., None], -1)
        moves = jnp.where(is_legal[..., None], moves, alone).astype(jnp.int32)
        moves = jnp.moveaxis(moves.reshape(self.count, *shape[:2], -1), 0, 2).reshape(*bits.shape, -1)
        return moves, jnp.ones(bits.shape, bool)

    def think(self, memory: SeatedPrograms, states: State, waiting: Array, bits: Array) -> tuple[SeatedPrograms, Array]:
        del states, waiting, bits
        return memory, jnp.int32(0)

    def observe(self, memory: SeatedPrograms, best: Genome, improved: Array) -> SeatedPrograms:
        if not self.champions:
            return memory
        place = jnp.where(improved, (memory.newest + 1) % self.count, memory.newest)
        here = (jnp.arange(self.count) == place) & improved
        programs = where(
            here, jax.tree.map(lambda x: jnp.broadcast_to(x, (self.count, *x.shape)), best), memory.programs
        )
        return SeatedPrograms(programs, self.player.prepare(programs), place)
