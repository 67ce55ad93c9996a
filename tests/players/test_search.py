"""Searched opponents on a board with more actions than one word has bits, against plain minimax in Python."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.othello.opponents import EVALUATORS
from jaxgp.players.search import SearchOpponent
from jaxgp.search.alphabeta import AlphaBeta
from tests.envs.othello.drawings import as_reference, read
from tests.envs.othello.test_opponents import random_positions
from tests.envs.replays import FAST
from tests.reference import othello as reference

GAMES = 24
BLOCKED = "X O . . . . . ." + ". . . . . . . ." * 7
"""White has to pass."""


@pytest.mark.thorough
def test_replies_are_remembered_whichever_word_they_are_in():
    game, states = random_positions(8, GAMES - 1, seed=5)
    states = [*states, read(BLOCKED, to_move=1)[1]]
    value = partial(EVALUATORS["material"], game)
    search = AlphaBeta(game, value, 1, tail=1, lanes=8, narrow=8, ties="all")
    chance = SearchOpponent(search, 1, table_size=2**12, games=GAMES // 2)
    first = replace(chance, search=replace(search, ties="first"))
    batch = jax.tree.map(lambda *x: jnp.stack(x)[None], *states)
    bits = np.random.default_rng(0).integers(0, 2**32, (1, GAMES), np.uint32)

    memory, reply = jax.jit(chance.init)(jax.random.key(0)), jax.jit(chance.reply)
    assert not reply(memory, batch, bits)[1].any()
    think = jax.jit(chance.think, compiler_options=FAST)
    memory, searched = think(memory, batch, jnp.ones((1, GAMES), bool), bits)
    assert searched == GAMES
    drawn, known = reply(memory, batch, bits)
    assert known.all()

    best = []
    for state in states:
        values = reference.move_values(as_reference(game, state), 1, reference.lead)
        best.append([reference.action(8, move) for move, value in values.items() if value == max(values.values())])
    assert drawn[0, :, 0].tolist() == [
        moves[draw % len(moves)] for moves, draw in zip(best, bits[0].tolist(), strict=True)
    ]
    assert jax.jit(first.reply)(memory, batch, bits)[0][0, :, 0].tolist() == [moves[0] for moves in best]
    assert {moves[0] // 32 for moves in best} == {0, 1, 2}
