"""Positions of a game on which programs are compared: distinct ones with a choice of moves, from whole games.

In half of the games both sides move at random. In the others the champion plays one side; if it searches, it does so
`SHALLOW` plies deep at the most, which takes little time. A game for one whose programs guide a search has no
positions: there are the kinds of moves, all of them.
"""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.arrays import take
from jaxgp.contracts import Player, States
from jaxgp.errors import UsageError
from jaxgp.games.casting import Cast
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.calls import Packed
from jaxgp.interpreter.evaluate import evaluate_programs
from jaxgp.players.alone.guided import GuidedSoloist
from jaxgp.players.greedy import ChosenPlayer, GreedyPlayer
from jaxgp.players.ply import random_move
from jaxgp.players.program import ProgramPlayer
from jaxgp.players.searched import SearchedPlayer

LANES = 256
"""Games, and decisions, that are computed at a time."""
ROUNDS = 50
"""Rounds of games after which no further positions are looked for."""
LONGEST = 2000
"""Plies after which a game is left."""
SHALLOW = 2
"""The deepest search with which the champion plays games of its own."""


class Decider:
    """A game, a champion and how programs decide in it, compiled once for all positions.

    Attributes:
        cast: the game, and how programs play it.
        program: the champion, [T, L]; programs that are compared with it have as much room.
    """

    def __init__(self, cast: Cast, program: Programs) -> None:
        self.cast, self.program = cast, program
        if not isinstance(cast.actor, ProgramPlayer | GreedyPlayer | ChosenPlayer | SearchedPlayer | GuidedSoloist):
            accepted = "programs that name a move, value moves or the leaves of a search, guide a search, or are walked"
            raise UsageError(f"run: the programs of {cast.game.name} are of another kind; accepted: {accepted} through")

    @property
    def guides(self) -> bool:
        """Whether programs guide a search, so that they see kinds of moves in place of positions."""
        return isinstance(self.cast.actor, GuidedSoloist)

    @cached_property
    def shallow(self) -> Any:
        """How the champion plays games of its own: as it always does, but without a deep search."""
        actor = self.cast.actor
        if not isinstance(actor, SearchedPlayer) or actor.depth <= SHALLOW:
            return actor
        return self.cast.at_depth(SHALLOW, "depth").actor

    def positions(self, count: int, seed: int) -> States:
        """Return up to `count` distinct positions, [N], on the host, in random order; fewer where no more are met."""
        key, kept, found = jax.random.key(seed), dict[bytes, States](), 0
        for number in range(ROUNDS):
            before = len(kept)
            self._play(jax.random.fold_in(key, number), kept)
            found = len(kept)
            if found >= count or (number > 0 and found - before < count // 100 + 1):
                break
        drawn = np.random.default_rng(seed).permutation(found)[:count]
        states = list(kept.values())
        return jax.tree.map(lambda *leaves: np.stack(leaves), *(states[n] for n in drawn))

    def _play(self, key: Array, kept: dict[bytes, States]) -> None:
        """Play a round of games and keep their positions, by the keys of the game."""
        start, moves = jax.random.split(key)
        states = jax.jit(jax.vmap(self.cast.game.init))(jax.random.split(start, LANES))
        for number in range(LONGEST):
            keys, choices = map(np.asarray, self._looks(states))
            if np.asarray(states.terminated).all():
                return
            host = jax.device_get(states)
            for lane in np.flatnonzero(choices > 1):
                code = keys[lane].tobytes()
                if code not in kept:
                    kept[code] = jax.tree.map(lambda leaf, lane=lane: leaf[lane], host)
            states = self._step(jax.random.fold_in(moves, number), states)

    @cached_property
    def _looks(self) -> Callable[[States], tuple[Array, Array]]:
        """Compile: the keys of positions, and how many moves there are; none after the end."""
        game = self.cast.game
        return jax.jit(jax.vmap(lambda state: (game.key(state), game.legal_actions(state).sum())))

    @cached_property
    def _step(self) -> Callable[[Array, States], States]:
        """Compile: one ply of all games that go on."""
        game, lanes = self.cast.game, jnp.arange(LANES)
        side = jnp.where(lanes < LANES // 2, -1, lanes % 2)

        def step(key: Array, states: States) -> States:
            draw, chance = jax.random.split(key)
            bits = jax.random.bits(draw, (LANES,), jnp.uint32)
            own, right = self._act(self.shallow, self.program, states)
            drawn = jax.vmap(partial(random_move, game))(states, bits)
            move = jnp.where((states.to_move == side) & right, own, drawn)
            return jax.vmap(game.step)(states, move, jax.random.split(chance, LANES))

        return jax.jit(step)

    def _act(self, actor: Player, program: Programs, states: States) -> tuple[Array, Array]:
        """Return int32[N] moves and bool[N], whether they are legal, of one program at states [N]."""
        genomes, games = jax.tree.map(lambda x: jnp.asarray(x)[None], (program, states))
        bits = jnp.zeros((1, len(states.to_move)), jnp.uint32)
        move, legal = actor.act(actor.prepare(genomes), games, bits)
        return move[0, :, 0], legal[0]

    def features(self, states: States, seed: int = 0) -> np.ndarray:
        """Return float32[F, N], what programs see: of each position, or after one of its moves if they value moves.

        Programs that guide a search see each kind of move; `states` is not used.
        """
        actor: Any = self.cast.actor
        if isinstance(actor, GuidedSoloist):
            return np.asarray(actor.features)
        if isinstance(actor, GreedyPlayer):
            place = np.random.default_rng(seed).integers(0, 2**20, len(states.to_move)).astype(np.int32)
            return np.asarray(jax.jit(jax.vmap(lambda *at: actor.outcome(*at)[1], out_axes=1))(states, place))
        if isinstance(actor, ChosenPlayer):
            place = np.random.default_rng(seed).integers(0, 2**20, len(states.to_move)).astype(np.int32)
            after = jax.jit(jax.vmap(lambda *at: actor.view(actor.outcome(*at)), out_axes=-1))
            return unpack_truths(after(states, place))
        view = actor.features if isinstance(actor, ProgramPlayer) else actor.view
        return unpack_truths(jax.jit(jax.vmap(view, out_axes=1))(states))

    def decisions(self, program: Programs, states: States) -> np.ndarray:
        """Return what a program decides: its moves at positions [N]; of a guide the bias of each kind of move."""
        if self.guides:
            return np.asarray(self._biases(program))
        return np.concatenate([self._moves(program, some)[:count] for some, count in batches(states)])

    @cached_property
    def _moves(self) -> Callable[[Programs, States], np.ndarray]:
        acting = jax.jit(lambda *given: jnp.stack(self._act(self.cast.actor, *given), 1))
        return lambda program, states: np.asarray(acting(program, states))

    @cached_property
    def _biases(self) -> Callable[[Programs], Array]:
        return jax.jit(
            lambda program: self.cast.actor.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], program))[0]
        )

    @cached_property
    def values(self) -> Callable[[Programs, np.ndarray], Array]:
        """Compile: (a program, float32[F, N]) -> float32[T, N], its values."""
        return jax.jit(lambda *given: evaluate_programs(self.cast.language, *given))


def batches(states: States) -> list[tuple[States, int]]:
    """Return states [N] in batches of `LANES`, the last one filled up by its first state, and how many count."""
    total, made = len(states.to_move), []
    for first in range(0, total, LANES):
        rows = np.arange(first, first + LANES)
        made.append((take(states, jnp.asarray(np.where(rows < total, rows, first))), min(LANES, total - first)))
    return made


def unpack_truths(features: Array | Packed) -> np.ndarray:
    """Return features as float32[F, N]; a packed truth value becomes 0 or 1."""
    if not isinstance(features, Packed):
        return np.asarray(features)
    words, numbers = np.asarray(features.words), np.asarray(features.numbers)
    bits = (words[:, None] >> np.arange(32, dtype=np.uint32)[:, None]) & np.uint32(1)
    return np.concatenate([bits.reshape(-1, bits.shape[-1]).astype(np.float32), numbers])
