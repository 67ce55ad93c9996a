"""Uniformly random legal moves: jaxgp's games, and OpenSpiel's stepped from Python."""

import random
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.contracts import Game, States
from jaxgp.players.ply import random_move
from jaxgp.search.chance import unused_key


def openings(game: Game, count: int) -> States:
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (count, *x.shape)), game.init(unused_key()))


def random_moves(
    game: Game, states: States, key: Array, moves: int, choose: Callable[[States, Array], Array] | None = None
) -> States:
    """Play uniformly random legal moves in all games; one that has ended starts again.

    `choose` draws a move for a state and random bits; None: as random players do.
    """
    start = game.init(unused_key())

    def one(state: States, bits: Array) -> States:
        move = random_move(game, state, bits) if choose is None else choose(state, bits)
        state = game.step(state, move, unused_key())
        return jax.tree.map(lambda fresh, old: jnp.where(state.terminated, fresh, old), start, state)

    def each(states: States, key: Array) -> tuple[States, None]:
        return jax.vmap(one)(states, jax.random.bits(key, states.to_move.shape)), None

    return jax.lax.scan(each, states, jax.random.split(key, moves))[0]


def positions(game: Game, seed: int, count: int) -> States:
    """Positions [count] of random games in progress, 1 to 32 moves after the start of the first game."""
    deep = jnp.arange(count) % 32

    def advance(states: States, now: tuple[Array, Array]) -> tuple[States, None]:
        moved, goes_on = random_moves(game, states, now[1], 1), now[0] <= deep
        return jax.vmap(lambda go, a, b: jax.tree.map(lambda x, y: jnp.where(go, x, y), a, b))(
            goes_on, moved, states
        ), None

    steps = jnp.arange(32), jax.random.split(jax.random.key(seed), 32)
    return jax.jit(lambda states: jax.lax.scan(advance, states, steps)[0])(openings(game, count))


def openspiel_moves(seed: int, moves: int, name: str = "mancala") -> Callable[[], int]:
    """Return a function that plays `moves` uniformly random legal moves of a game, again and again, and counts games.

    Raises:
        ImportError: OpenSpiel is not installed.
    """
    import pyspiel

    game = pyspiel.load_game(name)
    rng = random.Random(seed)

    def run() -> int:
        games, state = 0, game.new_initial_state()
        for _ in range(moves):
            if state.is_terminal():
                games, state = games + 1, game.new_initial_state()
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
        return games

    return run
