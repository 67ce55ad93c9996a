"""The rules in positions that can be checked by hand."""

from math import comb

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.backgammon import whole
from envs.backgammon.render import action_name, parse_action
from tests.envs.backgammon.positions import as_tuple, compiled, full, random_states, reached, state_of

GAME = envs.make("backgammon")
KEY = jax.random.key(7)
OPENING = full(p24=2, p13=5, p8=3, p6=5)


def names(state):
    return {action_name(GAME, action) for action in np.flatnonzero(compiled(GAME)[1](state)).tolist()}


def play(state, *moves):
    for move in moves:
        state = compiled(GAME)[0](state, jnp.int32(parse_action(GAME, move)), KEY)
    return state


def test_the_opening_roll_has_no_doubles_and_the_higher_die_begins():
    states = jax.jit(jax.vmap(GAME.init))(jax.random.split(jax.random.key(0), 3000))
    dice, begins = np.asarray(states.dice), np.asarray(states.to_move)
    assert (dice[:, 0] > dice[:, 1]).all()
    assert len({tuple(row) for row in dice.tolist()}) == 15
    assert abs(begins.mean() - 0.5) < 0.04
    assert as_tuple(states.own[0]) == as_tuple(states.other[0]) == as_tuple(OPENING)


@pytest.mark.thorough
def test_later_rolls_are_uniform():
    start = state_of(GAME, OPENING, OPENING, (2, 1))
    stuck = start.replace(moves=jnp.zeros(2, jnp.uint32))
    after = jax.jit(jax.vmap(lambda key: GAME.step(stuck, jnp.int32(150), key)))(jax.random.split(KEY, 7200))
    dice, counts = np.unique(np.asarray(after.dice), axis=0, return_counts=True)
    assert len(dice) == 21
    for (one, two), count in zip(dice.tolist(), counts.tolist(), strict=True):
        expected = 200 if one == two else 400
        assert abs(count - expected) < 5 * expected**0.5


def test_a_turn_plays_both_dice_in_either_order_and_then_the_other_side_rolls():
    state = state_of(GAME, OPENING, OPENING, (3, 1))
    assert {"8/5", "6/5", "24/21"} <= names(state)
    half = play(state, "8/5")
    assert (int(half.to_move), half.left.tolist()) == (0, [0, 1])
    done = play(half, "6/5")
    assert (int(done.to_move), as_tuple(done.other)) == (1, as_tuple(full(p24=2, p13=5, p8=2, p6=4, p5=2)))


def test_doubles_are_four_moves():
    state = play(state_of(GAME, OPENING, OPENING, (1, 1)), "8/7", "8/7", "6/5")
    assert (int(state.to_move), state.left.tolist()) == (0, [1, 0])
    assert int(play(state, "6/5").to_move) == 1


def test_a_blot_is_hit_and_has_to_enter_first():
    state = play(state_of(GAME, full(p24=2, p13=5, p8=3, p6=5), full(p20=1, p13=5, p6=6, p2=3), (3, 1)), "8/5", "6/5")
    assert (int(state.own[25]), int(state.own[20])) == (1, 0)
    assert names(state) <= {f"bar/{to}" for to in range(19, 25)} | {"pass"}


def test_who_cannot_enter_passes():
    closed = full(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, p7=3)
    state = state_of(GAME, full(bar=1, p13=14), closed, (6, 6))
    assert names(state) == {"pass"}
    after = play(state, "pass")
    assert (int(after.to_move), as_tuple(after.other)) == (1, as_tuple(full(bar=1, p13=14)))


def test_a_move_that_leaves_no_move_to_the_other_die_is_illegal_where_both_can_be_played():
    # The 1 is blocked from 20, 8 and 2. So 8/2 would leave it unplayed, but 20/14/13 plays both dice.
    state = state_of(GAME, full(p20=1, p8=1), full(p6=2, p18=2, p24=2), (6, 1))
    assert names(state) == {"20/14"}
    assert names(play(state, "20/14")) == {"14/13"}


def test_the_larger_die_is_played_where_either_but_not_both_can_be():
    # From 14 and from 18 the other die leads to 12, which is blocked.
    state = state_of(GAME, full(p20=1), full(p13=2), (6, 2))
    assert names(state) == {"20/14"}
    assert int(play(state, "20/14").to_move) == 1


def test_the_smaller_die_is_played_where_the_larger_one_cannot_be():
    state = state_of(GAME, full(p20=1), full(p11=2, p13=2), (6, 2))
    assert names(state) == {"20/18"}
    assert int(play(state, "20/18").to_move) == 1


def test_bearing_off_takes_the_exact_die_or_the_rearmost_man():
    state = state_of(GAME, full(p5=1, p3=1, p2=2), full(p1=2), (6, 3))
    assert names(state) == {"5/off", "3/off", "5/2"}
    assert names(play(state, "5/off")) == {"3/off"}


def test_nobody_bears_off_with_a_man_outside_the_home():
    state = state_of(GAME, full(p7=1, p1=2), full(p1=2), (2, 1))
    assert names(state) == {"7/5", "7/6"}


@pytest.mark.parametrize(
    ("loser", "points"),
    [(full(p18=14), 1), (full(p18=15), 2), (full(p19=1, p10=14), 3), (full(bar=1, p10=14), 3), (full(p24=1), 1)],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_points(loser, points, seat):
    state = play(state_of(GAME, full(p1=1), loser, (2, 1), to_move=seat), "1/off")
    assert bool(state.terminated)
    assert state.returns.tolist() == ([1, -1] if seat == 0 else [-1, 1])
    assert GAME.score(state).tolist() == ([points, 0] if seat == 0 else [0, points])
    without = envs.make("backgammon", gammons=False)
    assert without.score(state).tolist() == ([1, 0] if seat == 0 else [0, 1])


def test_a_forfeit_loses_three_points():
    state = GAME.forfeit(state_of(GAME, OPENING, OPENING, (2, 1), to_move=1))
    assert GAME.score(state).tolist() == [3, 0]


@pytest.mark.thorough
def test_men_are_neither_lost_nor_made_and_never_share_a_point():
    states = random_states(240, 16)
    assert (states.own.sum(1) == 15).all()
    assert (states.other.sum(1) == 15).all()
    assert states.own.min() >= 0
    assert states.other.min() >= 0
    assert not ((states.own[:, 1:25] > 0) & (states.other[:, 24:0:-1] > 0)).any()
    assert states.terminated.any()


@pytest.mark.parametrize(
    ("own", "dice", "least"),
    [
        # Fifteen single men far apart make many turns.
        (full(**{f"p{point}": 1 for point in range(24, 9, -1)}), (6, 6), 500),
        (full(**{f"p{point}": 1 for point in (24, 23, 22, 21, 20, 19, 18, 17, 12, 11, 10, 9, 8, 7, 6)}), (4, 4), 1000),
        (full(**{f"p{point}": 1 for point in range(24, 9, -1)}), (6, 5), 60),
        (full(p6=5, p5=5, p4=5), (2, 1), 1),
    ],
)
def test_the_places_hold_even_the_most_turns(own, dice, least):
    """The bound is that of the argument in `envs.backgammon.whole`, and the rows hold all but the last moves."""
    state = state_of(GAME, own, full(), dice)
    found = reached(GAME, state)
    assert (whole.most_turns(GAME), whole.most_rows(GAME)) == (comb(18, 4), comb(17, 3))
    assert least <= len(set(found)) == len(found) <= (comb(18, 4) if dice[0] == dice[1] else 240)
