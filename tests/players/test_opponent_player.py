"""Opponents in the place of individuals."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.players.panel import OpponentPlayer, RandomOpponent, strategy
from jaxgp.players.search import SearchOpponent
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.spec import Fixed
from tests.envs.replays import FAST, KEY
from tests.players.keyed_nim import KeyedNim

GAME = KeyedNim((2, 2))
STEP, LEGAL = jax.jit(GAME.step), jax.jit(GAME.legal_actions)


def after_first_moves():
    """The positions after each of the legal first moves, states [1, M]."""
    opening = jax.jit(GAME.init)(KEY)
    states = [STEP(opening, jnp.int32(move), KEY) for move in np.flatnonzero(LEGAL(opening))]
    return jax.tree.map(lambda *x: jnp.stack(x)[None], *states)


def first_best(state):
    """The first of the moves with the best result one ply later."""
    moves = np.flatnonzero(LEGAL(state))
    worth = [float(STEP(state, jnp.int32(move), KEY).returns[state.to_move]) for move in moves]
    return int(moves[np.argmax(worth)])


@pytest.mark.thorough
def test_a_search_moves_as_it_does_as_an_opponent_also_where_positions_take_each_other_s_slot():
    states = after_first_moves()
    number = states.to_move.shape[1]
    search = AlphaBeta(GAME, lambda state: state.returns[state.to_move], 1, tail=1, lanes=4, narrow=4)
    opponent = SearchOpponent(search, 1, table_size=1)
    player, bits = OpponentPlayer(opponent), jnp.zeros((1, number), jnp.uint32)
    plans = player.prepare(jax.tree.map(lambda x: x[None], opponent.init(KEY)))
    moves, legal = jax.jit(player.act, compiler_options=FAST)(plans, states, bits)
    each = [jax.tree.map(lambda x, place=place: x[0, place], states) for place in range(number)]
    assert legal.all()
    assert moves[0, :, 0].tolist() == list(map(first_best, each))
    assert (player.count(plans), player.random) == (1, False)


@pytest.mark.thorough
def test_random_moves_are_those_of_the_opponent():
    states, bits = after_first_moves(), jax.random.bits(jax.random.key(1), (1, 4), jnp.uint32)
    opponent = RandomOpponent(GAME)
    player = OpponentPlayer(opponent)
    moves, legal = player.act(player.prepare(()), jax.tree.map(lambda x: x[:, :4], states), bits)
    assert player.random
    assert legal.all()
    assert moves.tolist() == opponent.reply((), jax.tree.map(lambda x: x[:, :4], states), bits)[0].tolist()


def last_legal(state, bits):
    """A strategy of Mancala that is a function: the last pit that has stones."""
    del bits
    return (5 - jnp.argmax(envs.make("mancala").legal_actions(state)[::-1])).astype(jnp.int32)


@pytest.mark.thorough
def test_a_strategy_can_be_a_function():
    game = envs.make("mancala")
    spec = dataclasses.replace(envs.spec("mancala"), fixed=Fixed(("last",), lambda name, game: last_legal))
    seated = strategy(spec, game, "last")
    start = jax.jit(game.init)(jax.random.key(0))
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (3, 2, *x.shape)), start)
    moves, known = seated.reply(seated.init(jax.random.key(0)), states, jnp.zeros((3, 2), jnp.uint32))
    assert moves.tolist() == [[[5], [5]]] * 3
    assert known.all()
