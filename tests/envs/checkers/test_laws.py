"""What holds in every game of checkers, over any sequence of moves that Hypothesis thinks of."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import envs
from envs.checkers.rules import Pieces
from jaxgp.bits import has, pick
from tests.envs.checkers.drawings import compiled, read
from tests.envs.replays import FAST, KEY

PLIES = 256
GAMES = [(6, 2, 12, False), (8, 3, 40, True)]

games = st.sampled_from(GAMES)
lines = st.integers(0, 2**32 - 1).flatmap(
    lambda seed: st.tuples(st.just(seed), st.lists(st.integers(0, 20), max_size=30))
)


@cache
def replay(size, rows, quiet_plies, lose):
    """Compile: choices [PLIES] -> actions [PLIES], and every state [PLIES + 1] with its pieces by seat, moves and key.

    Pieces are bool[PLIES + 1, seat, men or kings, square].
    """
    game = envs.make("checkers", size=size, rows=rows, quiet_plies=quiet_plies, lose=lose)

    def see(state):
        own, other, kings = (has(bits, np.arange(game.area)) for bits in (state.own, state.other, state.kings))
        pieces = jnp.stack([jnp.stack([side & ~kings, side & kings]) for side in (own, other)])
        pieces = jnp.where(state.to_move == 0, pieces, pieces[::-1])
        return state, pieces, game.legal_actions(state), game.key(state)

    def run(choices):
        def ply(state, bits):
            action = pick(game.legal_actions(state), bits)
            after = game.step(state, action, KEY)
            return after, (after, action)

        first = game.init(KEY)
        _, (states, actions) = jax.lax.scan(ply, first, choices)
        states = jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, states)
        return actions, *jax.vmap(see)(states)

    return game, jax.jit(run, compiler_options=FAST)


def played(case, line):
    """Hypothesis chooses the first moves, so that it can shrink them; a seed the rest."""
    seed, chosen = line
    game, run = replay(*case)
    rest = np.random.default_rng(seed).integers(0, 2**32, PLIES)
    return game, *jax.tree.map(np.asarray, run(np.array([*chosen, *rest][:PLIES], np.uint32)))


@pytest.mark.thorough
@given(games, lines)
@settings(max_examples=20, deadline=None)
def test_a_capture_takes_one_piece_of_the_opponent_and_a_step_takes_none(case, line):
    game, actions, states, pieces, _, _ = played(case, line)
    live = ~states.terminated[:-1]
    taken = -np.diff(pieces.sum((2, 3)).astype(int), axis=0)
    mover = states.to_move[:-1]
    jumps = live & (actions >= game.num_actions // 2)
    rows = np.arange(PLIES)
    assert np.array_equal(taken[rows, 1 - mover], jumps)
    assert not taken[rows, mover].any()
    assert jumps.any()


@given(games, lines)
@settings(max_examples=20, deadline=None)
def test_men_are_crowned_in_the_last_row_one_at_a_time_and_only_there(case, line):
    game, _, _, pieces, _, _ = played(case, line)
    men = pieces[:, :, 0].reshape(PLIES + 1, 2, game.size, game.width)
    assert not men[:, 0, -1].any()
    assert not men[:, 1, 0].any()
    crowned = np.maximum(np.diff(pieces[:, :, 1].sum(2).astype(int), axis=0), 0).sum(1)
    assert set(crowned) <= {0, 1}


@given(games, lines)
@settings(max_examples=20, deadline=None)
def test_the_same_side_moves_again_only_to_go_on_with_the_piece_that_captured(case, line):
    game, actions, states, _, legal, _ = played(case, line)
    again = ~states.terminated[:-1] & (states.to_move[1:] == states.to_move[:-1])
    held = sum(np.bitwise_count(word).astype(int) for word in states.held)
    assert np.array_equal(held[1:][~states.terminated[:-1]], again[~states.terminated[:-1]])
    for ply in np.flatnonzero(again):
        assert actions[ply] >= game.num_actions // 2
        following = np.flatnonzero(legal[ply + 1])
        assert len({action % game.area for action in following}) == 1
        assert (following >= game.num_actions // 2).all()


@given(games, lines)
@settings(max_examples=20, deadline=None)
def test_every_game_ends_and_then_nothing_changes(case, line):
    game, _, states, pieces, legal, keys = played(case, line)
    if not states.terminated[-1]:
        assert game.quiet_plies == 40  # the longer draw rule may take longer than the test
        return
    last = states.terminated.argmax()
    assert all((x[last:] == x[last]).all() for x in jax.tree.leaves((states, pieces, legal, keys)))
    assert not states.returns[:last].any()
    result = states.returns[last]
    if states.quiet[last] >= game.quiet_plies:
        assert not result.any()
    else:
        assert result[states.to_move[last]] == (1 if game.lose else -1)


@pytest.mark.thorough
@given(games, lines)
@settings(max_examples=40, deadline=None)
def test_a_board_turned_round_with_colours_exchanged_has_the_moves_turned_round(case, line):
    game, _, states, pieces, legal, _ = played(case, line)
    at = int(np.random.default_rng(line[0]).integers(states.terminated.argmax() or PLIES))
    turned = pieces[at, ::-1, :, ::-1]
    seat = 1 - int(states.to_move[at])
    number = sum(int(word[at]) << 32 * w for w, word in enumerate(states.held))
    held = [game.area - number.bit_length()] if number else []
    own, other = (game.constant(np.flatnonzero(turned[s].any(0)).tolist()) for s in (seat, 1 - seat))
    kings = game.constant(np.flatnonzero(turned[:, 1].any(0)).tolist())
    state = compiled(game)[1](Pieces(own, other, kings), game.constant(held), jnp.int32(0), jnp.int32(seat))
    shown = np.asarray(compiled(game)[2](state)).reshape(2, 4, game.area)
    assert np.array_equal(shown, legal[at].reshape(2, 4, game.area)[:, ::-1, ::-1])


def test_keys_are_equal_for_equal_positions_only():
    """Positions are equal if pieces, side to move, held piece and plies without a capture are.

    Where a capture is forced the plies do not count.
    """
    by_key, by_position, same = {}, {}, 0
    for case in GAMES:
        by_key.clear()
        by_position.clear()
        for seed in range(30):
            _, _, states, pieces, _, keys = played(case, (seed, []))
            for ply in range(int(states.terminated.argmax()) or PLIES):
                quiet = 0 if states.captures[ply] else int(states.quiet[ply])
                held = tuple(int(word[ply]) for word in states.held)
                position = pieces[ply].tobytes(), int(states.to_move[ply]), held, quiet
                key = keys[ply].tobytes()
                same += key in by_key
                assert by_key.setdefault(key, position) == position
                assert by_position.setdefault(position, key) == key
        assert len(by_key) > 500
    assert same > 50


FORCED = """
    . . . .
    w . . .
    . w . .
    b . . .
"""
FREE = """
    . . . w
    . . . .
    . . . .
    b . . .
"""


@pytest.mark.parametrize(("text", "equal"), [(FORCED, True), (FREE, False)], ids=["capture", "no capture"])
def test_plies_without_a_capture_do_not_count_where_one_is_forced(text, equal):
    keys = [game.key(state).tolist() for game, state in (read(text, quiet=quiet) for quiet in (3, 7))]
    assert (keys[0] == keys[1]) == equal
