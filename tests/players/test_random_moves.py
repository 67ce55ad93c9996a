"""Random moves: uniform, and the same whether a game lists its moves or marks them."""

from functools import partial

import jax
import numpy as np
import pytest
from scipy import stats

import envs
from jaxgp.bits import pick
from jaxgp.players.ply import random_move
from jaxgp.search.chance import unused_key

DRAWS = 4000


@pytest.mark.parametrize(("name", "options"), [("othello", {"size": 4}), ("mancala", {"pits": 3, "stones": 2})])
def test_legal_moves_are_drawn_equally_often(name, options):
    game = envs.make(name, **options)
    bits = jax.random.bits(jax.random.key(1), (DRAWS,))

    @jax.jit
    def drawn(bits):
        state = game.init(unused_key())
        legal = game.legal_actions(state)
        return legal, jax.vmap(partial(random_move, game, state))(bits), jax.vmap(partial(pick, legal))(bits)

    legal, moves, marked = map(np.asarray, drawn(bits))
    assert np.array_equal(moves, marked)
    counts = np.bincount(moves, minlength=len(legal))
    assert not counts[~legal].any()
    assert stats.chisquare(counts[legal]).pvalue > 0.001
