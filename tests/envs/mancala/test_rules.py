"""Each clause of the rules in a drawn position, named after the clause.

A drawing shows the board from the mover's side, as it lies on a table: the opponent's pits in the upper row (from right
to left), the own ones in the lower; between them the opponent's store on the left and the own on the right.
"""

import dataclasses
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs


def read(drawing):
    """Read a drawing into cells: own pits, own store, the opponent's pits from its left, its store."""
    upper, stores, lower = ([int(n) for n in row.split()] for row in drawing.strip().splitlines())
    assert len(upper) == len(lower)
    assert len(stores) == 2
    return [*lower, stores[1], *upper[::-1], stores[0]]


def draw(cells):
    """Draw cells; the reverse of `read`."""
    half = len(cells) // 2
    rows = cells[half:-1][::-1], (cells[-1], cells[half - 1]), cells[: half - 1]
    return "\n".join(" ".join(map(str, row)) for row in rows)


def sow(drawing, pit, to_move=0, **settings):
    """Sow the pit of this number, 1 being the leftmost.

    Returns:
        The new state, and its drawing from the side of the player who has sown.
    """
    before = read(drawing)
    game = envs.make("mancala", pits=len(before) // 2 - 1, **settings)
    start = game.init()
    board = jnp.asarray(before, start.board.dtype)
    state = jax.jit(game.step)(dataclasses.replace(start, board=board, to_move=jnp.int32(to_move)), jnp.int32(pit - 1))
    cells = np.asarray(state.board).tolist()
    half = len(cells) // 2
    return state, draw(cells if state.to_move == to_move else cells[half:] + cells[:half])


def drawing(text):
    """Normalise spaces, so that drawings may be aligned."""
    return "\n".join(" ".join(row.split()) for row in text.strip().splitlines())


def test_each_pit_begins_with_four_stones_and_seat_0_moves_first():
    game = envs.make("mancala")
    state = game.init()
    assert draw(state.board.tolist()) == drawing("""
        4 4 4 4 4 4
      0             0
        4 4 4 4 4 4""")
    assert state.to_move == 0
    assert not state.terminated
    assert game.legal_actions(state).tolist() == [True] * 6


def test_size_and_stones_of_the_board_are_settings():
    state = envs.make("mancala", pits=3, stones=2).init()
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
    state = dataclasses.replace(game.init(), board=jnp.asarray(board, jnp.int8))
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
        lambda: game.forfeit(game.step(game.init(), jnp.int32(2)))
    )()  # one stone is in the store of seat 0, who moves again
    assert game.score(state).tolist() == [1, 47]
    assert state.returns.tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pits": 0}, "game.pits=0: accepted: a whole number from 1 to 15"),
        ({"pits": 16}, "game.pits=16: accepted: a whole number from 1 to 15"),
        ({"pits": 6.0}, "game.pits=6.0: accepted: a whole number from 1 to 15"),
        ({"stones": True}, "game.stones=True: accepted: a whole number from 1 to 15"),
        ({"capture": "maybe"}, "game.capture=maybe: accepted: opposite, always, never"),
        ({"ends": "both"}, "game.ends=both: accepted: either, mover"),
        ({"remaining": "bank"}, "game.remaining=bank: accepted: owner, opponent, nobody"),
    ],
)
def test_settings_out_of_range_are_refused_in_words(settings, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        envs.make("mancala", **settings)
    assert str(error.value) == message
