"""Start, moves, stalling and the end: each clause of the rules in a drawn position, named after the clause."""

import jax.numpy as jnp
import pytest

import envs
from jaxgp.errors import show
from tests.envs.walls.drawings import compiled, draw, drawing, idle, play, read

OPEN = """
    .  .  .  .  .
    .  .  .  .  .
    .  A< .  B> .
    .  .  .  .  .
    .  .  .  .  ."""


def test_players_start_on_both_sides_of_the_centre_and_face_outward():
    game = envs.make("walls")
    state = game.init()
    assert draw(game, state) == drawing(OPEN)
    assert state.to_move == 0
    assert not state.terminated
    assert idle(state) == (0, 0)
    assert game.legal_actions(state).tolist() == [True] * 3


def test_on_the_smallest_board_they_start_at_the_edge():
    game = envs.make("walls", size=3)
    assert draw(game, game.init()) == drawing("""
        .  .  .
        A< .  B>
        .  .  .""")


def test_the_player_who_begins_may_stand_on_the_right():
    game = envs.make("walls", size=3, first="right")
    assert draw(game, game.init()) == drawing("""
        .  .  .
        B< .  A>
        .  .  .""")


@pytest.mark.parametrize("size", [3, 5, 7, 9, 21])
def test_any_odd_board_has_room_for_every_square(size):
    game = envs.make("walls", size=size)
    state = game.init()
    assert (int(state.own.row), int(state.own.column)) == (size // 2, size // 2 - 1)
    assert (int(state.other.row), int(state.other.column)) == (size // 2, size // 2 + 1)
    assert game.score(game.forfeit(state)).tolist() == [0, size**2]


def test_players_take_turns():
    state, _ = play(OPEN, "forward")
    assert state.to_move == 1
    state, _ = play(OPEN, "forward", "left")
    assert state.to_move == 0


def test_going_forward_leaves_a_brick_on_the_square_it_came_from():
    state, after = play(OPEN, "forward", "forward")
    assert after == drawing("""
        .  .  .  .  .
        .  .  .  .  .
        A< a  .  b  B>
        .  .  .  .  .
        .  .  .  .  .""")
    assert idle(state) == (0, 0)


@pytest.mark.parametrize(("heading", "left", "right"), ["^<>", ">^v", "v><", "<v^"])
def test_turns_are_by_a_quarter_and_stay_on_the_square(heading, left, right):
    board = """
        .  .  .
        {}  .  B>
        .  .  ."""
    for move, expected in (("left", left), ("right", right)):
        state, after = play(board.format(f"A{heading}"), move)
        assert after == drawing(board.format(f"A{expected}"))
        assert idle(state) == (1, 0)


@pytest.mark.parametrize(("heading", "row", "column"), [("^", 0, 1), (">", 1, 2), ("v", 2, 1), ("<", 1, 0)])
def test_forward_is_where_the_player_faces(heading, row, column):
    state, _ = play(
        f"""
        .  .  .
        .  A{heading} .
        .  .  B>""",
        "forward",
    )
    assert (int(state.other.row), int(state.other.column)) == (row, column)


@pytest.mark.parametrize(
    "board",
    [
        """
        A^ .  .
        .  .  .
        .  .  B>""",
        """
        .  .  A>
        .  .  .
        .  .  B>""",
        """
        .  .  .
        .  .  .
        .  Av B>""",
        """
        .  .  .
        A< .  .
        .  .  B>""",
        """
        .  .  .
        A> b  .
        .  .  B>""",
        """
        .  .  .
        A> B> .
        .  .  .""",
        """
        .  .  .
        A> bB> .
        .  .  .""",
    ],
    ids=["north edge", "east edge", "south edge", "west edge", "brick", "player", "player on its brick"],
)
def test_a_blocked_player_stays_lays_nothing_and_has_used_its_move(board):
    state, after = play(board, "forward")
    assert after == drawing(board)
    assert state.to_move == 1
    assert idle(state) == (1, 0)


def test_a_square_with_an_own_brick_may_be_entered():
    state, after = play(
        """
        .  .  .
        A> a  .
        .  .  B>""",
        "forward",
    )
    assert after == drawing("""
        .  .  .
        a  aA> .
        .  .  B>""")
    assert idle(state) == (0, 0)


def test_leaving_a_square_that_has_a_brick_lays_no_other():
    state, after = play(
        """
        .  .  .
        .  aA> .
        .  .  B>""",
        "forward",
        idle=(3, 5),
    )
    assert after == drawing("""
        .  .  .
        .  a  A>
        .  .  B>""")
    assert idle(state) == (4, 5)


def test_only_an_own_new_brick_starts_the_count_of_idle_moves_again():
    state, _ = play(OPEN, "forward", idle=(8, 8))
    assert idle(state) == (0, 8)


def test_nine_idle_moves_stall_a_player_and_the_other_moves_alone():
    state, _ = play(OPEN, "left", idle=(8, 4))
    assert state.to_move == 1
    assert not state.terminated
    state, after = play(OPEN, "left", "forward", "left", "left", idle=(8, 4))
    assert state.to_move == 1
    assert after == drawing("""
        .  .  .  .  .
        .  .  .  .  .
        .  Av .  b  B<
        .  .  .  .  .
        .  .  .  .  .""")
    assert idle(state) == (9, 2)


def test_eight_idle_moves_do_not():
    state, _ = play(OPEN, "left", "left", idle=(7, 0))
    assert state.to_move == 0


def test_the_number_of_idle_moves_is_a_setting():
    state, _ = play(OPEN, "left", "left", stall=1)
    assert state.terminated
    assert state.returns.tolist() == [0, 0]


def test_the_game_ends_when_both_players_are_stalled():
    board = """
        a  a  .
        A< .  b
        .  .  B>"""
    state, after = play(board, "forward", idle=(8, 9))
    assert after == drawing(board)
    assert state.terminated
    assert state.returns.tolist() == [1, -1]
    game, _ = read(board)
    assert game.score(state).tolist() == [2, 1]
    assert not game.legal_actions(state).any()


def test_equal_bricks_are_a_draw():
    state, _ = play(
        """
        a  .  .
        A< .  b
        .  .  B>""",
        "left",
        idle=(8, 9),
    )
    assert state.terminated
    assert state.returns.tolist() == [0, 0]


def test_the_game_ends_when_every_square_has_a_brick():
    state, after = play(
        """
        a  a  a
        A^ b  b
        b  b  bB>""",
        "forward",
    )
    assert after == drawing("""
        aA^ a  a
        a   b  b
        b   b  bB>""")
    assert state.terminated
    assert state.returns.tolist() == [-1, 1]


def test_a_square_under_a_player_has_no_brick_yet():
    state, _ = play(
        """
        a  a  a
        a  aA^ b
        b  b  B>""",
        "forward",
    )
    assert not state.terminated


def test_a_majority_does_not_end_the_game_unless_the_settings_say_so():
    board = """
        a  a  .
        a  a  .
        A> .  B>"""
    state, _ = play(board, "forward")
    assert not state.terminated
    assert state.returns.tolist() == [0, 0]
    state, _ = play(board, "forward", majority_ends=True)
    assert state.terminated
    assert state.returns.tolist() == [1, -1]


def test_exactly_half_is_no_majority_of_an_odd_board():
    state, _ = play(
        """
        a  a  .
        a  .  .
        A> .  B>""",
        "forward",
        majority_ends=True,
    )
    assert not state.terminated


def test_forfeiting_gives_the_whole_board_to_the_opponent():
    game, state = read(
        """
        a  a  a
        a  a  .
        A> .  B>""",
    )
    ended = game.forfeit(state)
    assert ended.terminated
    assert ended.returns.tolist() == [-1, 1]
    assert game.score(ended).tolist() == [0, 9]


def test_after_the_end_a_step_changes_nothing():
    game, state = read(OPEN, idle=(8, 9))
    ended = compiled(game)(state, jnp.int32(1))
    assert ended.terminated
    for action in range(3):
        assert draw(game, compiled(game)(ended, jnp.int32(action))) == draw(game, ended)


@pytest.mark.parametrize("size", [1, 2, 4, 0, -3, 1001, 5.0, True, "5"])
def test_a_board_that_cannot_be_is_refused(size):
    with pytest.raises(ValueError, match=rf"^game\.size={show(size)}: accepted: an odd number from 3 to 999$"):
        envs.make("walls", size=size)


@pytest.mark.parametrize(
    ("setting", "accepted"),
    [
        ({"stall": 0}, r"game\.stall=0: accepted: a whole number from 1 to 999"),
        ({"first": "top"}, r"game\.first=top: accepted: left, right"),
        ({"majority_ends": "yes"}, r"game\.majority_ends=yes: accepted: true or false"),
    ],
)
def test_other_settings_are_checked_too(setting, accepted):
    with pytest.raises(ValueError, match=accepted):
        envs.make("walls", **setting)
