"""Hints of Morpion Solitaire: the line after which random games get furthest."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.morpion.rules import Morpion, State
from jaxgp.bits import pick
from jaxgp.search.chance import unused_key

GAMES = 30
"""Random games after each line that can be drawn."""


def hints(game: Morpion) -> Callable[[State], tuple[int | None, str]]:
    """Return what answers a request for a hint: the line whose best random game is the longest."""

    def random_game(state: State, key: Array) -> Array:
        def draw(carry: tuple[State, Array]) -> tuple[State, Array]:
            state, key = carry
            key, now = jax.random.split(key)
            move = pick(game.legal_actions(state), jax.random.bits(now))
            return game.step(state, move, unused_key()), key

        ended, _ = lax.while_loop(lambda carry: ~carry[0].terminated, draw, (state, key))
        return game.score(ended)[0]

    @jax.jit
    def longest(state: State, action: Array) -> Array:
        after = game.step(state, action, unused_key())
        return jax.vmap(random_game, (None, 0))(after, jax.random.split(jax.random.key(action), GAMES)).max()

    legal = jax.jit(game.legal_actions)

    def hint(state: State) -> tuple[int | None, str]:
        actions = np.flatnonzero(legal(state))
        if not actions.size:
            return None, "no line can be drawn"
        scores = [float(longest(state, jnp.int32(action))) for action in actions]
        best = int(np.argmax(scores))
        return int(actions[best]), f"the best of {GAMES} random games after it has {scores[best]:g} lines"

    return hint
