"""Opponents that value positions by another evaluator at every move."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxgp.bits import lot
from jaxgp.players.search import AlternatingOpponent, SearchOpponent
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.seats.agents import search_agent
from tests.envs.replays import FAST, KEY
from tests.players.keyed_nim import KeyedNim

GAME = KeyedNim((2, 2))
GAMES = 1000
LEFT, BOTH = 1, [0, 2]
"""Moves: both stones of the left heap; one of either."""


def tastes():
    """Of the first evaluator the best move empties the left heap; by the second one takes a stone from either."""
    left = lambda state: (state.cells[0] == 0).astype(jnp.float32) * -1  # noqa: E731
    one = lambda state: -(state.cells.sum() == 3).astype(jnp.float32)  # noqa: E731
    return left, one


@cache
def replies():
    """Moves in many games at the opening after thinking, by bits; whether they were known before, and after."""
    searches = [AlphaBeta(GAME, taste, 1, tail=1, lanes=4, narrow=4, ties="all") for taste in tastes()]
    opponent = AlternatingOpponent(tuple(SearchOpponent(search, 1, 64, games=GAMES // 2) for search in searches))

    def run(bits, waiting):
        shape = (1, GAMES)
        states = jax.tree.map(lambda x: jnp.broadcast_to(x, (*shape, *jnp.shape(x))), GAME.init(KEY))
        memory = opponent.init(jax.random.key(0))
        _, before = opponent.reply(memory, states, bits)
        memory, searched = opponent.think(memory, states, waiting, bits)
        moves, after = opponent.reply(memory, states, bits)
        again, _ = opponent.reply(memory, states, bits)
        return moves[0, :, 0], before[0], after[0], again[0, :, 0], searched, lot(bits, 2)[0][0]

    return jax.jit(run, compiler_options=FAST)


def drawn(seed):
    return jax.random.bits(jax.random.key(seed), (1, GAMES), jnp.uint32)


@pytest.mark.slow
def test_each_evaluator_moves_half_of_the_time_and_ties_are_drawn_uniformly():
    moves, before, after, again, searched, who = map(np.asarray, replies()(drawn(0), np.ones((1, GAMES), bool)))
    assert not before.any()
    assert after.all()
    assert (moves == again).all()
    assert searched == 2  # the one position, by each of the two
    assert set(moves[who == 0].tolist()) == {LEFT}
    assert set(moves[who == 1].tolist()) == set(BOTH)
    assert stats.chisquare(np.bincount(who, minlength=2)).pvalue > 0.001
    ties = [int((moves[who == 1] == move).sum()) for move in BOTH]
    assert stats.chisquare(ties).pvalue > 0.001


@pytest.mark.thorough
def test_what_one_evaluator_thought_is_not_known_to_the_other():
    bits = drawn(1)
    everybody = replies()(bits, np.ones((1, GAMES), bool))
    who = np.asarray(everybody[-1])
    moves, _, after, _, searched, _ = map(np.asarray, replies()(bits, (who == 0)[None]))
    assert searched == 1
    assert (after == (who == 0)).all()
    assert (moves[after] == LEFT).all()


def test_a_reply_that_was_waited_for_is_there_after_thinking():
    """A game that waits does so for the evaluator that its bits will draw, whichever others wait."""
    bits = drawn(2)
    for game in range(4):
        waiting = np.arange(GAMES)[None] == game
        assert bool(replies()(bits, waiting)[2][game])


def test_more_than_two_take_turns_alike():
    search = SearchOpponent(AlphaBeta(GAME, tastes()[0], 1, tail=1), 1, 64, games=3)
    opponent = AlternatingOpponent((search,) * 3)
    counts = np.bincount(np.asarray(lot(drawn(3), 3)[0])[0], minlength=3)
    assert stats.chisquare(counts).pvalue > 0.001
    assert opponent.games == 3


@pytest.mark.thorough
def test_searches_of_one_agent_move_by_lot_and_each_breaks_its_ties_uniformly():
    searches = [AlphaBeta(GAME, taste, 1, tail=1, lanes=1, ties="all") for taste in tastes()]
    agent = search_agent(searches, 1)
    moves = [agent.choose(GAME.init(KEY), bits) for bits in np.asarray(drawn(5))[0, :200]]
    counts = [moves.count(move) for move in (LEFT, *BOTH)]
    assert sum(counts) == 200
    assert stats.chisquare(counts, [100, 50, 50]).pvalue > 0.001
