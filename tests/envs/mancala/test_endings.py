"""How games end, and which settings there are: each clause in a drawn position, named after the clause."""

import re

import jax
import jax.numpy as jnp
import pytest

import envs
from tests.envs.mancala.drawings import drawing, sow
from tests.envs.replays import KEY


def test_the_game_ends_when_the_mover_has_emptied_its_side_and_what_is_left_goes_to_its_owner():
    state, cells = sow(
        """
        0 2 0 1 0 0
      9             30
        0 0 0 0 0 1""",
        6,
    )
    assert state.terminated  # although the last stone fell into the store and would give another turn
    assert cells == drawing("""
        0 0 0 0 0 0
      12            31
        0 0 0 0 0 0""")
    assert state.returns.tolist() == [1, -1]
    assert not envs.make("mancala").legal_actions(state).any()


def test_the_game_ends_when_the_opponents_side_is_empty():
    state, cells = sow(
        """
        0 0 5 0 0 0
      30            2
        2 0 0 0 3 1""",
        1,
    )
    assert state.terminated  # the capture takes the opponent's last stones
    assert cells == drawing("""
        0 0 0 0 0 0
      30            13
        0 0 0 0 0 0""")
    assert state.returns.tolist() == [-1, 1]


def test_equal_stores_are_a_draw():
    state, _ = sow(
        """
        0 0 0 0 0 1
      23            23
        0 0 0 0 0 1""",
        6,
    )
    assert state.terminated
    assert state.returns.tolist() == [0, 0]
    assert envs.make("mancala").score(state).tolist() == [24, 24]


def test_the_result_is_by_seat_not_by_mover():
    state, _ = sow(
        """
        0 2 0 1 0 0
      9             30
        0 0 0 0 0 1""",
        6,
        to_move=1,
    )
    assert state.returns.tolist() == [-1, 1]
    assert envs.make("mancala").score(state).tolist() == [12, 31]


def test_ends_mover_goes_on_while_the_player_to_move_has_stones():
    empty_opponent = """
        0 0 0 0 0 0
      30            2
        2 0 0 0 3 1"""
    state, _ = sow(empty_opponent, 1, ends="mover")
    assert state.terminated  # the opponent is to move and has nothing
    state, cells = sow(empty_opponent, 6, ends="mover")
    assert not state.terminated  # another turn for the player who has stones
    assert cells == drawing("""
        0 0 0 0 0 0
      30            3
        2 0 0 0 3 0""")


def test_ends_mover_ends_on_an_extra_turn_without_stones():
    state, cells = sow(
        """
        0 2 0 1 0 0
      9             30
        0 0 0 0 0 1""",
        6,
        ends="mover",
    )
    assert state.terminated
    assert cells.splitlines()[1] == "12 31"
    state, cells = sow(
        """
        0 2 0 1 0 0
      9             30
        0 0 0 0 0 1""",
        6,
        ends="mover",
        extra_turn=False,
    )
    assert not state.terminated  # the opponent is to move and has stones
    assert state.to_move == 1


@pytest.mark.parametrize(
    ("remaining", "stores", "returns"),
    [("owner", "28 8", [-1, 1]), ("opponent", "22 14", [-1, 1]), ("nobody", "22 8", [-1, 1])],
)
def test_remaining_stones_go_to_their_owner_the_opponent_or_nobody(remaining, stores, returns):
    state, cells = sow(
        """
        0 2 3 0 1 0
      22            7
        0 0 0 0 0 1""",
        6,
        remaining=remaining,
    )
    assert state.terminated
    assert cells.splitlines() == ["0 0 0 0 0 0", stores, "0 0 0 0 0 0"]
    assert state.returns.tolist() == returns


def test_remaining_decides_the_winner():
    close = """
        0 2 3 0 1 0
      20            20
        0 0 0 0 0 1"""
    results = {r: sow(close, 6, remaining=r)[0].returns.tolist() for r in ("owner", "opponent", "nobody")}
    assert results == {"owner": [-1, 1], "opponent": [1, -1], "nobody": [1, -1]}


def test_forfeiting_gives_every_other_stone_to_the_opponent():
    game = envs.make("mancala")
    state = jax.jit(
        lambda: game.forfeit(game.step(game.init(KEY), jnp.int32(2), KEY))
    )()  # one stone is in the store of seat 0, who moves again
    assert game.score(state).tolist() == [1, 47]
    assert state.returns.tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pits": 0}, "game.pits=0: accepted: a whole number from 1 to 15"),
        ({"pits": 16}, "game.pits=16: accepted: a whole number from 1 to 15"),
        ({"pits": 6.0}, "game.pits=6.0: accepted: a whole number from 1 to 15"),
        ({"stones": True}, "game.stones=true: accepted: a whole number from 1 to 15"),
        ({"capture": "maybe"}, "game.capture=maybe: accepted: opposite, always, never"),
        ({"ends": "both"}, "game.ends=both: accepted: either, mover"),
        ({"remaining": "bank"}, "game.remaining=bank: accepted: owner, opponent, nobody"),
    ],
)
def test_settings_out_of_range_are_refused_in_words(settings, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        envs.make("mancala", **settings)
    assert str(error.value) == message
