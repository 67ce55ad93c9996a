"""Sowing, extra turns and captures: each clause of the rules in a drawn position, named after the clause."""

import dataclasses

import jax.numpy as jnp
import pytest

import envs
from tests.envs.mancala.drawings import draw, drawing, read, sow
from tests.envs.replays import KEY


def test_each_pit_begins_with_four_stones_and_seat_0_moves_first():
    game = envs.make("mancala")
    state = game.init(KEY)
    assert draw(state.board.tolist()) == drawing("""
        4 4 4 4 4 4
      0             0
        4 4 4 4 4 4""")
    assert state.to_move == 0
    assert not state.terminated
    assert game.legal_actions(state).tolist() == [True] * 6


def test_size_and_stones_of_the_board_are_settings():
    state = envs.make("mancala", pits=3, stones=2).init(KEY)
    assert draw(state.board.tolist()) == drawing("""
        2 2 2
      0       0
        2 2 2""")


def test_a_pit_without_stones_cannot_be_chosen():
    game = envs.make("mancala", pits=3)
    board = read("""
        1 1 1
      0       0
        0 2 0""")
    state = dataclasses.replace(game.init(KEY), board=jnp.asarray(board, jnp.int8))
    assert game.legal_actions(state).tolist() == [False, True, False]


def test_stones_are_sown_one_by_one_counter_clockwise():
    state, cells = sow(
        """
        4 4 4 4 4 4
      0             0
        4 4 4 4 4 4""",
        1,
    )
    assert cells == drawing("""
        4 4 4 4 4 4
      0             0
        0 5 5 5 5 4""")
    assert state.to_move == 1


def test_sowing_passes_the_own_store_and_goes_on_along_the_opponents_side():
    state, cells = sow(
        """
        4 4 4 4 4 4
      0             0
        4 4 4 4 4 4""",
        6,
    )
    assert cells == drawing("""
        4 4 4 5 5 5
      0             1
        4 4 4 4 4 0""")
    assert state.to_move == 1


def test_sowing_skips_the_store_of_the_opponent():
    _, cells = sow(
        """
        1 1 1 1 1 1
      5             0
        1 1 1 1 1 9""",
        6,
    )
    assert cells == drawing("""
        2 2 2 2 2 2
      5             1
        2 2 1 1 1 0""")


def test_the_second_player_sows_from_its_own_side():
    state, cells = sow(
        """
        1 1 1 1 1 1
      5             0
        1 1 1 1 1 9""",
        6,
        to_move=1,
    )
    assert cells.endswith("2 2 1 1 1 0")
    assert state.to_move == 0
    assert envs.make("mancala").score(state).tolist() == [5, 1]


def test_a_last_stone_in_the_own_store_gives_another_turn():
    state, cells = sow(
        """
        4 4 4 4 4 4
      0             0
        4 4 4 4 4 4""",
        3,
    )
    assert cells == drawing("""
        4 4 4 4 4 4
      0             1
        4 4 0 5 5 5""")
    assert state.to_move == 0


def test_without_extra_turns_the_turn_passes():
    state, cells = sow(
        """
        4 4 4 4 4 4
      0             0
        4 4 4 4 4 4""",
        3,
        extra_turn=False,
    )
    assert cells == drawing("""
        4 4 4 4 4 4
      0             1
        4 4 0 5 5 5""")
    assert state.to_move == 1


@pytest.mark.parametrize("capture", ["opposite", "always"])
def test_a_last_stone_in_an_own_empty_pit_captures_it_and_the_stones_opposite(capture):
    state, cells = sow(
        """
        1 1 7 1 1 1
      0             2
        2 0 0 0 3 1""",
        1,
        capture=capture,
    )
    assert cells == drawing("""
        1 1 0 1 1 1
      0             10
        0 1 0 0 3 1""")
    assert state.to_move == 1


def test_a_capture_is_no_extra_turn_and_may_be_switched_off():
    state, cells = sow(
        """
        1 1 7 1 1 1
      0             2
        2 0 0 0 3 1""",
        1,
        capture="never",
    )
    assert cells == drawing("""
        1 1 7 1 1 1
      0             2
        0 1 1 0 3 1""")
    assert state.to_move == 1


def test_with_nothing_opposite_the_last_stone_stays():
    _, cells = sow(
        """
        1 1 0 1 1 1
      0             2
        2 0 0 0 3 1""",
        1,
    )
    assert cells == drawing("""
        1 1 0 1 1 1
      0             2
        0 1 1 0 3 1""")


def test_capture_always_takes_a_last_stone_with_nothing_opposite():
    _, cells = sow(
        """
        1 1 0 1 1 1
      0             2
        2 0 0 0 3 1""",
        1,
        capture="always",
    )
    assert cells == drawing("""
        1 1 0 1 1 1
      0             3
        0 1 0 0 3 1""")


def test_a_last_stone_in_an_own_pit_with_stones_captures_nothing():
    _, cells = sow(
        """
        1 1 7 1 1 1
      0             2
        2 0 1 0 3 1""",
        1,
    )
    assert cells == drawing("""
        1 1 7 1 1 1
      0             2
        0 1 2 0 3 1""")


def test_a_last_stone_in_an_empty_pit_of_the_opponent_captures_nothing():
    _, cells = sow(
        """
        1 1 1 1 0 1
      0             2
        2 1 1 1 1 3""",
        6,
    )
    assert cells == drawing("""
        1 1 1 1 1 2
      0             3
        2 1 1 1 1 0""")


def test_thirteen_stones_go_all_the_way_round_and_capture_in_the_pit_they_came_from():
    state, cells = sow(
        """
        0 0 2 0 0 0
      0             0
        1 0 13 0 0 0""",
        3,
    )
    assert cells == drawing("""
        1 1 0 1 1 1
      0             5
        2 1 0 1 1 1""")
    assert state.to_move == 1


def test_more_than_thirteen_stones_pass_their_own_pit_and_fill_it_again():
    _, cells = sow(
        """
        0 0 2 0 0 0
      3             0
        1 0 16 0 0 0""",
        3,
    )
    assert cells == drawing("""
        1 1 3 1 1 1
      3             1
        2 1 1 2 2 2""")


def test_two_laps_are_sown_like_one():
    state, cells = sow(
        """
        1 0 0
      3       0
        1 15 0""",
        2,
    )
    assert cells == drawing("""
        3 2 2
      3       2
        3 2 3""")
    assert state.to_move == 1
