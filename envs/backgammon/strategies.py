"""The fixed players of backgammon, and hints: what is expected over the rolls of the reply."""

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.backgammon import language, network, pubeval, whole
from envs.backgammon.rules import OFF, Backgammon, State
from envs.backgammon.turns import turn_name
from jaxgp.errors import reject
from jaxgp.spec import Choice

ROLLS = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], np.int32)
"""The distinct rolls, the larger die first."""
CHANCES = np.where(ROLLS[:, 0] == ROLLS[:, 1], 1, 2) / 36
TOGETHER = 128
"""Replies that are valued together."""
TRIED = 8
"""Turns, the best before the reply, whose replies are looked at."""

PLAYERS: Mapping[str, Callable[[Backgammon], Choice]] = {"pubeval": pubeval.player, "network": network.player}
"""By name, the default first; each raises UsageError for rules that it is not made for."""


def strategy(name: str, game: Backgammon) -> Choice:
    """Return a fixed player.

    Raises:
        UsageError: no such strategy, or rules that it is not made for.
    """
    if name not in PLAYERS:
        reject("strategy", name, ", ".join(PLAYERS))
    return PLAYERS[name](game)


def hints(game: Backgammon) -> Callable[[State], tuple[int | None, str]]:
    """Return what answers a request for a hint: the turn with the greatest expectation over the rolls of the reply.

    The best turns are valued by the best reply to each roll: by the learned network where it knows the game, and else
    by the pips that both sides have to go.
    """
    learned = game.men == network.MEN

    def value(own: Array, other: Array) -> Array:
        """Return float32[N]: what positions (int8[N, 26] twice) are worth to the side that has just played."""
        if learned:
            return network.value(game, jax.tree.map(jnp.asarray, network.read_learned()), own, other)
        ahead = (language.pips(other.T) - language.pips(own.T)) / (game.men * 25)
        return jnp.where(own[..., OFF] == game.men, 1.0, ahead)

    def positions(state: State, turns: whole.Turns, places: Array) -> tuple[Array, Array]:
        return jax.vmap(lambda place: whole.play_turn(state, whole.nth_turn(turns, place)))(places)

    def best_reply(state: State) -> Array:
        """Return float32[]: what the best turn of a position is worth to the side to move."""
        turns = whole.whole_turns(game, state)

        def some(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            first, best = carry
            places = first + jnp.arange(TOGETHER, dtype=jnp.int32)
            worth = jnp.where(places < turns.total, value(*positions(state, turns, places)), -jnp.inf)
            return first + TOGETHER, jnp.maximum(best, worth.max())

        start = (jnp.int32(0), jnp.float32(-jnp.inf))
        return lax.while_loop(lambda carry: carry[0] < turns.total, some, start)[1]

    @jax.jit
    def choose(state: State) -> tuple[Array, Array, Array]:
        turns = whole.whole_turns(game, state)
        places = jnp.arange(whole.most_turns(game), dtype=jnp.int32)
        worth = jnp.where(places < turns.total, value(*positions(state, turns, places)), -jnp.inf)
        best = lax.top_k(worth, TRIED)[1].astype(jnp.int32)
        own, other = positions(state, turns, best)
        pairs = jnp.arange(TRIED * len(ROLLS))

        def replied(pair: Array) -> Array:
            turn, roll = pair // len(ROLLS), pair % len(ROLLS)
            return best_reply(game.turn(other[turn], own[turn], jnp.asarray(ROLLS)[roll], 1 - state.to_move))

        expected = -(lax.map(replied, pairs).reshape(TRIED, -1) * CHANCES).sum(-1)
        expected = jnp.where(own[:, OFF] == game.men, value(own, other), expected)
        chosen = jnp.where(best < turns.total, expected, -jnp.inf).argmax()
        return whole.nth_turn(turns, best[chosen]), expected[chosen], jnp.minimum(turns.total, TRIED)

    def hint(state: State) -> tuple[int | None, str]:
        code, expected, tried = jax.device_get(choose(state))
        unit = "points by the network" if learned else "of all pips ahead"
        turn = turn_name(state, code)
        says = f"of {tried} turns {turn} expects most over the {len(ROLLS)} rolls of the reply: {expected:+.2f} {unit}"
        return int(whole.actions(state, jnp.uint32(code))[0]), says

    return hint
