"""Players that choose one move at a time on the host: for the terminal, where a person waits for the answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.bits import lot, pick
from jaxgp.contracts import Player
from jaxgp.genotypes.language import Genome
from jaxgp.host.moves import Move, Stepper
from jaxgp.players.guided import Guide
from jaxgp.players.walk import Walker
from jaxgp.search.alphabeta import AlphaBeta, best_moves

State = Any


def plies(depth: int) -> str:
    """Say how deep a search is."""
    return f"{depth} {'ply' if depth == 1 else 'plies'}"


def _nothing(*_: object) -> None:
    """Do what most agents do beside choosing."""


@dataclass(frozen=True)
class Agent:
    """A player without hands.

    Attributes:
        name: what it is called in announcements.
        choose: state -> its move, or None where it names no legal one.
        attend: told the record of the game, the opening and all moves, before each choice.
        close: called when it is not needed any more.
    """

    name: str
    choose: Callable[[State], int | None]
    attend: Callable[[Sequence[Move]], object] = _nothing
    close: Callable[[], object] = _nothing

    def reply(self, record: Sequence[Move]) -> int | None:
        """Return its move in the position that a record leads to, or None where it names no legal one."""
        self.attend(record)
        return self.choose(record[-1].state)


def random_agent(game: Any, seed: int) -> Agent:
    """Play any legal move with equal probability."""
    rng = np.random.default_rng(seed)

    def choose(state: State) -> int:
        return int(rng.choice(np.flatnonzero(game.legal_actions(state))))

    return Agent("random", choose)


def search_agent(searches: Sequence[AlphaBeta], depth: int, seed: int = 0) -> Agent:
    """Play a best move of an alpha-beta search: the first, or with its `ties` "all" any with equal probability.

    Of several searches one is drawn for every move, all with equal probability.
    """
    rng = np.random.default_rng(seed)

    def move(search: AlphaBeta, state: State, bits: Array) -> Array:
        roots = jax.tree.map(lambda x: x[None], state)
        values = search.search(roots, jnp.full(1, depth, jnp.int32), jnp.int32(1)).values
        return pick(best_moves(values)[0], bits) if search.ties == "all" else jnp.argmax(values[0])

    moves = [jax.jit(partial(move, search)) for search in searches]

    def choose(state: State) -> int:
        drawn, bits = lot(jnp.uint32(rng.integers(2**32)), len(moves))
        return int(moves[int(drawn)](state, bits))

    return Agent(f"minimax, {plies(depth)}", choose)


def program_agent(player: Player, genome: Genome, name: str) -> Agent:
    """Play the moves of one individual: a program, a rule list."""
    plans = jax.jit(player.prepare)(jax.tree.map(lambda x: jnp.asarray(x)[None], genome))

    @jax.jit
    def move(state: State) -> tuple[Array, Array]:
        bits = jnp.zeros((1, 1), jnp.uint32)
        moves, legal = player.act(plans, jax.tree.map(lambda x: x[None, None], state), bits)
        return moves[0, 0], legal[0, 0]

    def choose(state: State) -> int | None:
        action, legal = move(state)
        return int(action) if bool(legal) else None

    return Agent(name, choose)


def walk_agent(walker: Walker | Guide, genome: Genome, name: str) -> Agent:
    """Play the one game of a program that plays alone; it has no move in positions outside that game."""
    actions = [action for action, _ in walker.record(genome)]
    game = walker.game
    *before, _ = Stepper(game).retrace(actions)
    moves = {np.asarray(game.key(move.state)).tobytes(): action for move, action in zip(before, actions, strict=True)}
    return Agent(name, lambda state: moves.get(np.asarray(game.key(state)).tobytes()))
