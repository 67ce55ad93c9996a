"""The rules with legal lines in a list against the rules that look for all of them anew."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from envs.morpion.listed import ListedMorpion
from envs.morpion.rules import Morpion, pack
from tests.envs.replays import KEY

GAMES, PLIES, SAMPLE = 16, 90, 50


def listed_lines(listed, state):
    """Return the legal lines, each with the cell of its new cross."""
    lines, cells = np.asarray(state.lines).ravel(), np.asarray(state.cells).ravel()
    found = dict(zip(lines.tolist(), cells.tolist(), strict=True))
    found.pop(listed.num_actions, None)
    assert len(found) == (lines < listed.num_actions).sum(), "a line is there twice"
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("variant", ["5T", pytest.param("5D", marks=pytest.mark.slow)])
def test_lines_are_those_of_the_rules_all_through_random_games(variant):
    game = Morpion(variant)
    listed = ListedMorpion(game)

    def check(one, other):
        options = listed.options(other)
        there = options < game.num_actions
        dense = jnp.zeros(game.num_actions, bool).at[options].set(True, mode="drop")
        legal = game.legal_actions(one)
        # As many as are legal, and the same: each is there once.
        same = (dense == legal).all() & (there.sum() == legal.sum())
        return same & (game.score(one) == listed.score(other)).all() & ~listed.overflow(other)

    def ply(states, share):
        one, other = states
        options = listed.options(other)
        action = options[jnp.argmax(jnp.where(options < game.num_actions, share, -1))]
        one, other = game.step(one, action, KEY), listed.step(other, action)
        return (one, other), check(one, other)

    def play(key):
        start = (game.init(KEY), listed.init())
        (last, _), same = lax.scan(ply, start, jax.random.uniform(key, (PLIES, listed.slots)))
        return last, same.all() & check(*start)

    last, same = jax.jit(jax.vmap(play))(jax.random.split(jax.random.key(0), GAMES))
    assert same.all()
    assert last.terminated.all()


@pytest.mark.thorough
@pytest.mark.parametrize(("variant", "size"), [("5T", 20), pytest.param("5D", 32, marks=pytest.mark.slow)])
def test_moves_on_random_boards_up_to_the_edge_leave_the_lines_of_the_rules(variant, size):
    game = Morpion(variant, size)
    listed = ListedMorpion(game, slots=1024)
    rng, edges = np.random.default_rng(size), 0

    @jax.jit
    @jax.vmap
    def play(board, position, action):
        after = game.step(board, action, KEY)
        return jnp.stack(game.new_cross(board, action)), game.legal_actions(after), listed.step(position, action)

    for density in (0.4, 0.6):
        crosses, used = rng.random((size, size)) < density, rng.random((4, size, size)) < 0.02
        words, marks = (pack(np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 32 - size)])) for x in (crosses, used))
        board = game.init(KEY).replace(
            crosses=words, used=marks, legal=game.find(jnp.asarray(words), jnp.asarray(marks))
        )
        position, lines = listed.position(crosses, used), np.flatnonzero(game.legal_actions(board))
        assert sorted(listed_lines(listed, position)) == lines.tolist()
        lines = rng.choice(lines, SAMPLE)
        both = jax.tree.map(lambda x: jnp.broadcast_to(x, (SAMPLE, *x.shape)), (board, position))
        points, legal, after = jax.device_get(play(*both, lines))
        assert after.last.tolist() == (points[:, 1] * size + points[:, 0]).tolist()
        for n in range(SAMPLE):
            found = listed_lines(listed, jax.tree.map(lambda x, n=n: x[n], after))
            assert sorted(found) == np.flatnonzero(legal[n]).tolist()
        edges += np.isin(points, [0, size - 1]).any(1).sum()
    assert edges > 5


def test_what_may_not_be_drawn_changes_nothing():
    listed = ListedMorpion(Morpion())
    start, step = listed.init(), jax.jit(listed.step)
    for action in (0, listed.num_actions):
        after = step(start, np.int32(action))
        assert listed_lines(listed, after) == listed_lines(listed, start)
        for name in ("crosses", "used", "count", "last", "overflow"):
            assert (getattr(after, name) == getattr(start, name)).all()


def test_lines_without_a_slot_are_noted():
    # A line to the left of the middle is legal. Its cross makes five lines legal in each other direction:
    # two points missing, one of them the middle, then only the other.
    size, middle = 32, 16
    crosses = np.zeros((size, size), bool)
    crosses[middle, middle - 4 : middle] = True
    for dx, dy in ((1, 1), (0, 1), (-1, 1)):
        for k in (-4, -3, -2, 1, 2, 3):
            crosses[middle + k * dy, middle + k * dx] = True
    unused = np.zeros((4, size, size), bool)
    action = jnp.int32(middle * size + middle - 4)
    wide, narrow = (ListedMorpion(Morpion(), slots=slots) for slots in (40, 8))
    before = wide.position(crosses, unused)
    after = jax.jit(wide.step)(before, action)
    assert len(listed_lines(wide, before)) <= 8 < len(listed_lines(wide, after))
    assert not after.overflow
    crammed = jax.jit(narrow.step)(narrow.position(crosses, unused), action)
    assert crammed.overflow
    assert len(listed_lines(narrow, crammed)) == 8
    assert listed_lines(narrow, crammed).items() <= listed_lines(wide, after).items()


def test_settings_that_a_list_does_not_take_are_refused():
    for make, words in (
        (lambda: ListedMorpion(Morpion(size=33)), "game.size=33: accepted"),
        (lambda: ListedMorpion(Morpion(), slots=30), "slots=30: accepted: multiples of 8"),
        (lambda: ListedMorpion(Morpion(), slots=24).init(), "slots=24: accepted: 28 or more"),
    ):
        with pytest.raises(ValueError, match=words):
            make()
