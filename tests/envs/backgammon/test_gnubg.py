"""GNU Backgammon as a judge: whose view it takes, what it adds up, and that it stands in a device program."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.backgammon import lessons, network
from envs.backgammon.rules import Backgammon
from tests.envs.backgammon.positions import full

pytest.importorskip("gnubg_nn", reason="the extra gnubg is not installed")

GAME = envs.make("backgammon")
OPENING = full(p24=2, p13=5, p8=3, p6=5)
LAST_MAN, TWO_LEFT = full(p1=1, off=14), full(p6=2, off=13)


def test_who_has_one_man_left_and_is_not_on_roll_expects_what_the_other_side_leaves():
    sides = np.array([LAST_MAN, TWO_LEFT]), np.array([TWO_LEFT, LAST_MAN])
    ahead, behind = lessons.equities(*sides, gammons=True)
    # Two men on point 6 need 6-6, 5-5, 4-4 or 3-3 to be borne off in one roll: 4 of 36, so 1 - 2 * 4 / 36.
    assert ahead == pytest.approx(1 - 2 * 4 / 36, abs=0.01)
    assert behind == -1


def test_the_side_that_is_not_on_roll_expects_to_lose_a_little_at_the_opening():
    for gammons in (False, True):
        value = lessons.equities(np.array(OPENING), np.array(OPENING), gammons)
        assert value.shape == ()
        assert -0.12 < value < -0.03


def test_gammons_count_where_the_rules_count_them():
    ahead, behind = full(p1=2, off=13), full(bar=2, p24=5, p20=4, p19=4)
    without, counted = (
        float(lessons.equities(np.array(ahead), np.array(behind), gammons)) for gammons in (False, True)
    )
    assert without == pytest.approx(1, abs=0.01)
    assert counted > 1.9


def test_a_judge_stands_in_a_device_program_and_knows_exact_results():
    found = lessons.gnubg(GAME, network.player(GAME))
    own = jnp.asarray([[OPENING, LAST_MAN], [full(off=15), full(off=15)]], jnp.int8)
    other = jnp.asarray([[OPENING, TWO_LEFT], [full(p6=15), full(p20=1, p6=14)]], jnp.int8)
    values = jax.jit(jax.vmap(jax.vmap(lambda a, b: found.judge(None, a, b))))(own, other)
    expected = lessons.equities(np.asarray(own[0]), np.asarray(other[0]), gammons=True)
    np.testing.assert_array_equal(values[0], expected)
    assert values[1].tolist() == [2, 3]


def test_without_gammons_every_win_counts_one():
    game = Backgammon(gammons=False)
    found = lessons.gnubg(game, network.player(game))
    won = found.judge(None, jnp.asarray(full(off=15), jnp.int8), jnp.asarray(full(p6=15), jnp.int8))
    assert float(won) == 1
