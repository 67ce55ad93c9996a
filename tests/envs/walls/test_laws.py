"""What holds in every game of Walls, over any sequence of actions that Hypothesis thinks of."""

import dataclasses
import itertools
from functools import cache

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import envs
from tests.envs.replays import FAST, KEY, follow
from tests.envs.walls.drawings import squares

PLIES = 128
GAMES = [(3, 9), (5, 2), (5, 9), (7, 4)]

games = st.sampled_from(GAMES)
lines = st.integers(0, 2**32 - 1).flatmap(
    lambda seed: st.tuples(st.just(seed), st.lists(st.integers(0, 2), max_size=PLIES), st.sampled_from([0.33, 0.8]))
)


@cache
def replay(size, stall, first):
    """Compile: actions [PLIES] -> every state [PLIES + 1], its key, score and each player's count of bricks."""
    game = envs.make("walls", size=size, stall=stall, first=first)

    def run(actions):
        states = follow(game, actions)
        return states, jax.vmap(game.key)(states), jax.vmap(game.score)(states)

    return game, jax.jit(run, compiler_options=FAST)


def actions_of(line):
    """Hypothesis chooses the first actions, so that it can shrink them; a seed and a chance of walking the rest."""
    seed, chosen, walk = line
    rng = np.random.default_rng(seed)
    rest = np.where(rng.random(PLIES) < walk, 0, rng.integers(1, 3, PLIES))
    return np.array([*chosen, *rest][:PLIES], np.int32)


def at(tree, ply):
    return jax.tree.map(lambda x: np.asarray(x)[ply], tree)


@pytest.mark.thorough
@given(games, lines)
@settings(max_examples=60, deadline=None)
def test_bricks_are_laid_one_by_one_and_never_lost(case, line):
    game, run = replay(*case, "left")
    states, _, scores = jax.tree.map(np.asarray, run(actions_of(line)))
    assert (np.diff(scores, axis=0) >= 0).all()
    assert (np.diff(scores.sum(1)) <= 1).all()
    assert (scores.sum(1) <= game.area).all()
    assert not (states.own.bricks & states.other.bricks).any()


@pytest.mark.thorough
@given(games, lines)
@settings(max_examples=60, deadline=None)
def test_players_stay_on_the_board_apart_and_off_each_others_bricks(case, line):
    game, run = replay(*case, "left")
    states, _, _ = jax.tree.map(np.asarray, run(actions_of(line)))
    for player in (states.own, states.other):
        assert (np.minimum(player.row, player.column) >= 0).all()
        assert (np.maximum(player.row, player.column) < game.size).all()
        assert ((player.idle >= 0) & (player.idle <= game.stall)).all()
    where = [player.row * game.size + player.column for player in (states.own, states.other)]
    assert (where[0] != where[1]).all()
    for ply in range(0, PLIES, 9):
        assert where[0][ply] not in squares(states.other.bricks[ply])
        assert where[1][ply] not in squares(states.own.bricks[ply])


@pytest.mark.thorough
@given(games, lines)
@settings(max_examples=60, deadline=None)
def test_turns_alternate_until_a_player_is_stalled_who_moves_no_more(case, line):
    game, run = replay(*case, "left")
    states, _, _ = jax.tree.map(np.asarray, run(actions_of(line)))
    for ply in range(PLIES):
        before, after = at(states, ply), at(states, ply + 1)
        if before.terminated:
            break
        assert before.own.idle < game.stall
        if not after.terminated:
            assert (after.to_move == before.to_move) == (before.other.idle == game.stall)


@given(games, lines)
@settings(max_examples=60, deadline=None)
def test_the_end_comes_in_time_and_nothing_changes_after_it(case, line):
    """A new brick buys a player at most `stall` moves, so no game is longer than this."""
    game, run = replay(*case, "left")
    states, keys, scores = jax.tree.map(np.asarray, run(actions_of(line)))
    ended = states.terminated
    longest = game.stall * (game.area + 2)
    assert ended[-1] or longest > PLIES
    if ended[-1]:
        last = ended.argmax()
        assert all((x[last:] == x[last]).all() for x in jax.tree.leaves((states, keys, scores)))
        assert states.returns[last, 0] == np.sign(scores[last, 0] - scores[last, 1])


@pytest.mark.thorough
@given(games, lines)
@settings(max_examples=60, deadline=None)
def test_the_mirrored_game_is_the_same_game(case, line):
    """Whoever begins on the right and turns the other way plays the picture in a mirror."""
    game, run = replay(*case, "left")
    _, mirrored = replay(*case, "right")
    actions = actions_of(line)
    states, _, scores = jax.tree.map(np.asarray, run(actions))
    others, _, other_scores = jax.tree.map(np.asarray, mirrored(np.array([0, 2, 1])[actions].astype(np.int32)))
    assert np.array_equal(scores, other_scores)
    for field in ("to_move", "terminated", "returns"):
        assert np.array_equal(getattr(states, field), getattr(others, field))
    for one, two in ((states.own, others.own), (states.other, others.other)):
        assert np.array_equal(one.row, two.row)
        assert np.array_equal(one.column, game.size - 1 - two.column)
        assert np.array_equal(one.heading, -two.heading % 4)
        assert np.array_equal(one.idle, two.idle)
        for ply in range(0, PLIES, 16):
            flipped = {s - s % game.size + game.size - 1 - s % game.size for s in squares(two.bricks[ply])}
            assert squares(one.bricks[ply]) == flipped


@given(games, st.lists(lines, min_size=2, max_size=4))
@settings(max_examples=40, deadline=None)
def test_keys_are_equal_for_equal_positions_only(case, several):
    """Two positions are equal if everything but the seat to move is."""
    _, run = replay(*case, "left")
    by_key, by_position = {}, {}
    for line in several:
        states, keys, _ = jax.tree.map(np.asarray, run(actions_of(line)))
        fields = jax.tree.leaves(dataclasses.replace(states, to_move=0, terminated=0, returns=0))
        codes = np.concatenate([np.reshape(x, (PLIES + 1, -1)) for x in fields if np.ndim(x)], 1)
        for key, code in zip(map(bytes, keys), map(bytes, codes), strict=True):
            assert by_key.setdefault(key, code) == code
            assert by_position.setdefault(code, key) == key
    assert len(by_key) == len(by_position)


def test_keys_take_two_words_for_the_players_once_one_is_too_small():
    for size, words in ((3, 1 + 1 + 1), (5, 3), (7, 5), (39, 2 * 48 + 1), (41, 2 * 53 + 2)):
        game = envs.make("walls", size=size)
        assert jax.eval_shape(game.key, game.init(KEY)).shape == (words,)


def test_keys_tell_all_players_apart_at_the_limit_of_one_word():
    """Every square, heading and count of idle moves of a player has its own code."""
    game = envs.make("walls", size=39)
    start = game.init(KEY)
    grid = np.array(list(itertools.product((0, 17, 38), (0, 20, 38), range(4), range(10))), np.int32)

    @jax.jit
    @jax.vmap
    def key(own, other):
        players = [dataclasses.replace(start.own, row=p[0], column=p[1], heading=p[2], idle=p[3]) for p in (own, other)]
        return game.key(dataclasses.replace(start, own=players[0], other=players[1]))[-1]

    rng = np.random.default_rng(0)
    pairs = np.unique(rng.integers(0, len(grid), (20_000, 2)), axis=0)
    assert len(np.unique(key(grid[pairs[:, 0]], grid[pairs[:, 1]]))) == len(pairs)
