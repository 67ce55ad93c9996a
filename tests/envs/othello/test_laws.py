"""What holds in every game of Othello, over any sequence of moves that Hypothesis thinks of."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import envs
from jaxgp.bits import pick
from tests.envs.replays import FAST, KEY

SIZES = (4, 6, 8, 10)
SYMMETRIES = [
    lambda x, k=k, f=f: np.rot90(x.swapaxes(-1, -2) if f else x, k, (-2, -1)) for k in range(4) for f in (0, 1)
]

sizes = st.sampled_from(SIZES)
lines = st.integers(0, 2**32 - 1).flatmap(
    lambda seed: st.tuples(st.just(seed), st.lists(st.integers(0, 20), max_size=30))
)


@cache
def replay(size):
    """Compile: choices [T] -> actions [T], and every state [T + 1] with its discs by seat, legal actions and key."""
    game = envs.make("othello", size=size)

    def see(state):
        discs = jnp.stack([game.squares(state.own), game.squares(state.other)])
        discs = jnp.where(state.to_move == 0, discs, discs[::-1])
        return state, discs, game.legal_actions(state), game.key(state), game.score(state)

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


def played(size, line):
    """Hypothesis chooses the first moves, so that it can shrink them; a seed the rest."""
    seed, chosen = line
    game, run = replay(size)
    rest = np.random.default_rng(seed).integers(0, 2**32, size**2 + 12)
    choices = np.array([*chosen, *rest][: size**2 + 12], np.uint32)
    return game, *jax.tree.map(np.asarray, run(choices))


@pytest.mark.thorough
@given(sizes, lines)
@settings(max_examples=15, deadline=None)
def test_a_move_adds_one_disc_turns_at_least_one_and_a_pass_none(size, line):
    game, actions, states, discs, _, _, _ = played(size, line)
    total = discs.sum((1, 2))
    live, passes = ~states.terminated[:-1], actions == game.area
    assert np.array_equal(np.diff(total), live & ~passes)
    mover = states.to_move[:-1]
    own = np.diff(discs.sum(2).astype(int), axis=0)
    moved = np.flatnonzero(live & ~passes)
    assert (own[moved, mover[moved]] >= 2).all()
    assert (own[moved, 1 - mover[moved]] == 1 - own[moved, mover[moved]]).all()
    assert not (discs[:, 0] & discs[:, 1]).any()


@pytest.mark.thorough
@given(sizes, lines)
@settings(max_examples=15, deadline=None)
def test_a_disc_is_placed_on_an_empty_square_and_stays(size, line):
    game, actions, states, discs, _, _, _ = played(size, line)
    taken = discs.any(1)
    assert (taken[1:] >= taken[:-1]).all()
    moved = np.flatnonzero(~states.terminated[:-1] & (actions != game.area))
    assert not taken[moved, actions[moved]].any()
    assert discs[moved + 1, states.to_move[moved], actions[moved]].all()


@pytest.mark.thorough
@given(sizes, lines)
@settings(max_examples=15, deadline=None)
def test_corners_are_never_turned(size, line):
    _, _, _, discs, _, _, _ = played(size, line)
    corners = discs.reshape(-1, 2, size, size)[:, :, [0, 0, -1, -1], [0, -1, 0, -1]]
    assert (corners[1:] >= corners[:-1]).all()


@pytest.mark.thorough
@given(sizes, lines)
@settings(max_examples=15, deadline=None)
def test_turns_alternate_every_game_ends_and_then_nothing_changes(size, line):
    game, actions, states, discs, legal, keys, scores = played(size, line)
    live = ~states.terminated[:-1]
    assert np.array_equal(states.to_move[1:][live], 1 - states.to_move[:-1][live])
    assert states.terminated[-1]
    assert not (live[1:] & (actions[1:] == game.area) & (actions[:-1] == game.area)).any()  # no two passes in a row
    last = states.terminated.argmax()
    assert all((x[last:] == x[last]).all() for x in jax.tree.leaves((states, discs, legal, keys, scores)))
    lead = np.sign(scores[last, 0] - scores[last, 1])
    assert states.returns[last].tolist() == [lead, -lead]


@pytest.mark.thorough
@given(sizes, lines, st.integers(0, 7))
@settings(max_examples=60, deadline=None)
def test_a_turned_or_mirrored_position_has_the_turned_or_mirrored_moves(size, line, number):
    _, _, states, discs, _, _, _ = played(size, line)
    at = int(np.random.default_rng(line[0]).integers(states.terminated.argmax()))
    mover = states.to_move[at]
    own, other = (discs[at, seat].reshape(size, size) for seat in (mover, 1 - mover))
    shown = SYMMETRIES[number]
    expected = shown(squares_of(size, own, other))
    assert np.array_equal(squares_of(size, shown(own), shown(other)), expected)


@cache
def finder(size):
    game = envs.make("othello", size=size)
    return jax.jit(lambda own, other: game.squares(game.placeable(own, other)), compiler_options=FAST)


def squares_of(size, own, other):
    """Where a side may play, bool[size, size], for boards bool[size, size]."""
    packed = []
    for side in (own, other):
        flat = np.pad(side.ravel(), (0, -(size**2) % 32)).reshape(-1, 32)
        packed.append(tuple((flat << np.arange(32, dtype=np.uint64)).sum(1).astype(np.uint32)))
    return np.asarray(finder(size)(*packed)).reshape(size, size)


@pytest.mark.few(1)
@pytest.mark.parametrize("size", SIZES)
def test_keys_are_equal_for_equal_positions_only(size):
    """Two positions are equal if all discs of both sides are, as the side to move sees them."""
    by_key, by_discs = {}, {}
    for seed in range(20):
        _, _, states, discs, _, keys, _ = played(size, (seed, []))
        seen = np.where(states.to_move[:, None, None] == 0, discs, discs[:, ::-1])
        for key, both in zip(map(bytes, keys), map(bytes, seen), strict=True):
            assert by_key.setdefault(key, both) == both
            assert by_discs.setdefault(both, key) == key
    assert len(by_key) > 100
