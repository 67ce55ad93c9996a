"""The table of `edgar_like`: the games that it is learned from, move by move, and what is learned from them."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.config import arguments
from studies import othello_learn as learn
from studies.othello_learn import Options
from tests.envs.othello.drawings import as_reference
from tests.envs.othello.test_opponents import random_positions
from tests.envs.replays import FAST
from tests.reference import othello as reference

pytestmark = pytest.mark.thorough

GAMES = 8
WEIGHTS = np.random.default_rng(0).integers(-2, 3, (60, 64))
"""Few different ones, so that many moves are equal."""


def signs(position):
    """What is recorded of a position, int[64]."""
    board = np.zeros(64, int)
    for square, seat in position.discs.items():
        board[reference.action(8, square)] = 1 - 2 * seat
    return board


def greedy(position):
    """The position after the first move by which the weighted discs of the mover are most."""
    sign, row = 1 - 2 * position.seat, WEIGHTS[min(len(position.discs) - 4, 59)]
    after = [reference.play(position, move) for move in reference.moves(position)]
    return after[int(np.argmax([sign * int(row @ signs(a)) for a in after]))]


def test_moves_are_the_best_by_the_weights():
    game, states = random_positions(8, 40, seed=7)
    batch = jax.tree.map(lambda *x: jnp.stack(x), *states)
    weights = jnp.asarray(WEIGHTS, jnp.float32)
    best = jax.jit(jax.vmap(partial(learn.best_move, weights)), compiler_options=FAST)(batch)
    for state, action in zip(states, best.tolist(), strict=True):
        position = as_reference(game, state)
        (move,) = [move for move in reference.moves(position) if reference.action(8, move) == action]
        assert reference.play(position, move) == greedy(position)


def test_games_are_recorded_and_moves_are_random_as_often_as_asked():
    run = jax.jit(partial(learn.play, games=GAMES, chance=0.5), compiler_options=FAST)
    seen, results = map(np.asarray, run(WEIGHTS.astype(np.float32), jax.random.key(1)))
    best = []
    for game in range(GAMES):
        position = reference.start()
        while not reference.over(position):
            if reference.moves(position) == [reference.PASS]:  # not recorded
                position = reference.play(position, reference.PASS)
            after = [reference.play(position, move) for move in reference.moves(position)]
            (found,) = [a for a in after if (signs(a) == seen[len(a.discs) - 5, game]).all()]
            if len(after) > 1:
                best.append(found == greedy(position))
            position = found
        assert not seen[len(position.discs) - 4 :, game].any()
        assert results[game] == np.sign(reference.lead(position))
    # Half of the moves are drawn, of which about every eighth is the best one too.
    assert len(best) > 300
    assert 0.46 < np.mean(best) < 0.72


def test_tables_are_learned_by_seed():
    first, again, other = (learn.learn(Options(games=8, batch=4, chance=1.0, seed=seed)) for seed in (3, 3, 4))
    assert first.shape == (60, 64)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.slow
def test_corners_are_found_to_be_worth_most_by_seed():
    options = Options(games=1000, batch=200, chance=1.0, seed=3)
    table = learn.learn(options).reshape(60, 8, 8)
    corners = table[20:50, [0, 0, -1, -1], [0, -1, 0, -1]].mean()
    assert corners > 2 * np.abs(table[20:50, 2:6, 2:6]).mean()
    assert corners > 2 * table[20:50, [1, 1, -2, -2], [1, -2, 1, -2]].mean()
    np.testing.assert_array_equal(table, learn.learn(options).reshape(60, 8, 8))
    assert (table != learn.learn(Options(games=200, batch=200, chance=1.0, seed=4)).reshape(60, 8, 8)).any()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("batch=0", "batch=0: accepted: a whole number from 1 to 1000000"),
        ("games=300", "games=300: accepted: a multiple of batch=200"),
        ("chance=1.5", "chance=1.5: accepted: a number from 0 to 1"),
        ("seed=-1", "seed=-1: accepted: a whole number from 0 to 4294967295"),
        ("save=no/such/folder/x", "save=no/such/folder/x: cannot be written (No such file or directory)"),
    ],
)
def test_wrong_options_are_named(given, said, capsys):
    assert arguments.main(Options, learn.task, "", [given]) == 2
    assert capsys.readouterr().err == f"error: {said}\n"
