"""Every clause of the rules as a drawn position."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.errors import show
from tests.envs.checkers.drawings import compiled, draw, drawing, legal, play, read
from tests.envs.replays import KEY


def result(state):
    assert bool(state.terminated)
    return np.asarray(state.returns).tolist()


def test_black_begins_with_twelve_men_and_seven_moves():
    game = envs.make("checkers")
    state = game.init(KEY)
    assert draw(game, state) == drawing("""
        . w . w . w . w
        w . w . w . w .
        . w . w . w . w
        . . . . . . . .
        . . . . . . . .
        b . b . b . b .
        . b . b . b . b
        b . b . b . b .
    """)
    assert legal(game, state) == ["a3-b4", "c3-b4", "c3-d4", "e3-d4", "e3-f4", "g3-f4", "g3-h4"]
    assert int(state.to_move) == 0


@pytest.mark.few(1)
@pytest.mark.parametrize(("settings", "men"), [({"size": 4, "rows": 1}, 2), ({"size": 10}, 15), ({"size": 16}, 24)])
def test_the_rows_nearest_to_each_side_are_filled(settings, men):
    game = envs.make("checkers", **settings)
    rows = draw(game, game.init(KEY)).splitlines()
    assert ["".join(rows).count(mark) for mark in "bw"] == [men, men]
    assert "b" in rows[-game.rows]
    assert "b" not in rows[-game.rows - 1]


@pytest.mark.parametrize("size", [0, 2, 7, 18, True, "8", None, 8.5])
def test_other_sizes_are_refused_in_words(size):
    with pytest.raises(ValueError, match=rf"^game\.size={show(size)}: accepted: an even number from 4 to 16$"):
        envs.make("checkers", size=size)


@pytest.mark.parametrize(("size", "rows", "most"), [(8, 4, 3), (6, 3, 2), (4, 2, 1)])
def test_two_rows_stay_empty(size, rows, most):
    said = (
        rf"^game\.rows={rows}: accepted: a whole number from 1 to {most} \(two rows of game\.size={size} stay empty\)"
    )
    with pytest.raises(ValueError, match=said):
        envs.make("checkers", size=size, rows=rows)


@pytest.mark.parametrize(("to_move", "moves"), [(0, ["c3-b4", "c3-d4"]), (1, ["d6-c5", "d6-e5"])])
def test_men_step_forward(to_move, moves):
    game, state = read(
        """
        . . . . . . . .
        . . . . . . . .
        . . . w . . . .
        . . . . . . . .
        . . . . . . . .
        . . b . . . . .
        . . . . . . . .
        . . . . . . . .
        """,
        to_move,
    )
    assert legal(game, state) == moves


def test_a_king_moves_one_square_in_any_direction():
    game, state = read("""
        . . . . . .
        . . . . . .
        . . . . . w
        . . B . . .
        . . . . . .
        . . . . . .
    """)
    assert legal(game, state) == ["c3-b2", "c3-b4", "c3-d2", "c3-d4"]


def test_a_capture_is_forced():
    game, state = read("""
        . . . . . w
        . . . . . .
        . . . w . .
        . . b . . .
        . . . . . .
        b . . . . .
    """)
    assert legal(game, state) == ["c3xe5"]
    after = play(game, state, "c3xe5")
    assert draw(game, after) == drawing("""
        . . . . . w
        . . . . b .
        . . . . . .
        . . . . . .
        . . . . . .
        b . . . . .
    """)
    assert int(after.to_move) == 1


def test_captures_are_chosen_freely_also_the_shorter_one():
    game, state = read("""
        . . . . . . . .
        . . . . . . . .
        . . . . . w . .
        . . . . . . . .
        . w . w . . . .
        . . b . . . . .
        . . . . . . . .
        . . . . . . . .
    """)
    assert legal(game, state) == ["c3xa5", "c3xe5"]
    assert int(play(game, state, "c3xa5").to_move) == 1
    assert int(play(game, state, "c3xe5").to_move) == 0


def test_the_piece_that_captured_goes_on_and_no_other():
    game, state = read("""
        . . . . . . . .
        . . . . . . . .
        . . . . . w . .
        . . . . . . . .
        . . . w . . . w
        . . b . . . b .
        . . . . . . . .
        . . . . . . . .
    """)
    state = play(game, state, "c3xe5")
    assert int(state.to_move) == 0
    assert legal(game, state) == ["e5xg7"]
    state = play(game, state, "e5xg7")
    assert (int(state.to_move), draw(game, state).count("w")) == (1, 1)


def test_another_piece_that_could_capture_has_to_wait():
    game, state = read("""
        . . . . . . . .
        . . . . . . . .
        . . . . . w . .
        . . . . . . . .
        . . . w . w . .
        . . b . . . b .
        . . . . . . . .
        . . . . . . . .
    """)
    assert legal(game, state) == ["c3xe5", "g3xe5"]
    assert legal(game, play(game, state, "c3xe5")) == ["e5xg7"]


def test_men_capture_forward_and_kings_in_any_direction():
    board = """
        . . . . . . . .
        . . . . . . . .
        . w . w . . . .
        . . {} . . . . .
        . w . w . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
    """
    assert legal(*read(board.format("b"))) == ["c5xa7", "c5xe7"]
    assert legal(*read(board.format("B"))) == ["c5xa3", "c5xa7", "c5xe3", "c5xe7"]


def test_a_king_may_capture_its_way_back_and_takes_no_piece_twice():
    game, state = read("""
        . . . . . . . w
        . . . . . . . .
        . . . . . . . .
        . . w . w . . .
        . B . . . . . .
        . . w . w . . .
        . . . . . . . .
        . . . . . . . .
    """)
    assert legal(game, state) == ["b4xd2", "b4xd6"]
    state = play(game, state, "b4xd6", "d6xf4", "f4xd2", "d2xb4")
    assert draw(game, state).split() == ["."] * 7 + ["w"] + ["."] * 25 + ["B"] + ["."] * 30
    assert int(state.to_move) == 1


def test_a_man_that_is_crowned_by_a_jump_stops():
    game, state = read("""
        . . . . . . . .
        . . . . w . w .
        . . . b . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
    """)
    after = play(game, state, "d6xf8")
    assert int(after.to_move) == 1
    assert draw(game, after).splitlines()[:2] == [". . . . . B . .", ". . . . . . w ."]


def test_a_king_goes_on_from_the_last_row():
    game, state = read("""
        . . . . . . . .
        . . . . w . w .
        . . . B . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
    """)
    assert legal(game, play(game, state, "d6xf8")) == ["f8xh6"]


def test_a_step_to_the_last_row_crowns():
    game, state = read("""
        . . . .
        w . b .
        . . . .
        . . . .
    """)
    assert draw(game, play(game, state, "c3-d4")) == drawing("""
        . . . B
        w . . .
        . . . .
        . . . .
    """)


BLOCKING = """
    . . . .
    w . . .
    . . . .
    b . b .
"""
"""After a1-b2 white has a man, but no move."""
RESULTS = [pytest.param(False, [1, -1], id="checkers"), pytest.param(True, [-1, 1], id="lose checkers")]


@pytest.mark.parametrize(("lose", "returns"), RESULTS)
def test_a_side_without_a_piece_loses_and_in_lose_checkers_wins(lose, returns):
    game, state = read(
        """
        . . . .
        . . . .
        . w . .
        b . . .
        """,
        lose=lose,
    )
    after = play(game, state, "a1xc3")
    assert result(after) == returns
    assert game.score(after).tolist() == [(1 + one) / 2 for one in returns]
    assert legal(game, after) == []


@pytest.mark.parametrize(("lose", "returns"), RESULTS)
def test_a_side_without_a_move_loses_and_in_lose_checkers_wins(lose, returns):
    assert result(play(*read(BLOCKING, lose=lose), "a1-b2")) == returns


@pytest.mark.parametrize(("quiet", "ended"), [(37, False), (38, False), (39, True)])
def test_a_game_is_drawn_after_forty_plies_without_a_capture(quiet, ended):
    game, state = read(
        """
        . . . . . W
        . . . . . .
        . . . . . .
        . . . . . .
        . . . . . .
        B . . . . .
        """,
        quiet=quiet,
    )
    after = play(game, state, "a1-b2")
    assert bool(after.terminated) == ended
    assert np.asarray(after.returns).tolist() == [0, 0]
    if ended:
        assert game.score(after).tolist() == [0.5, 0.5]
        assert legal(game, after) == []


@pytest.mark.parametrize(("lose", "points"), [(False, [0.25, 0.75]), (True, [0.75, 0.25])])
def test_a_draw_can_count_by_who_has_more_pieces(lose, points):
    board = """
        . . . . . W
        . . . . W .
        . . . . . W
        . . . . . .
        . . . . . .
        B . . . . .
        """
    game, state = read(board, quiet=39, lose=lose)
    game = dataclasses.replace(game, lead=0.125)
    after = play(game, state, "a1-b2")
    assert np.asarray(after.returns).tolist() == [0, 0]
    assert game.score(after).tolist() == points
    assert game.score(state).tolist() == [0.5, 0.5]  # a game that goes on counts for nobody


def test_steps_of_men_count_as_plies_without_a_capture_and_captures_begin_anew():
    game, state = read(
        """
        . . . . . w
        . . . . . .
        . . . . . .
        . . . . . .
        . w . . . .
        b . . . . .
        """,
        quiet=39,
    )
    after = play(game, state, "a1xc3")
    assert (bool(after.terminated), int(after.quiet)) == (False, 0)
    assert int(play(game, after, "f6-e5").quiet) == 1


def test_without_the_draw_rule_plies_are_not_counted():
    game = envs.make("checkers", quiet_plies=0)
    after = play(game, game.init(KEY), "c3-d4", "b6-a5")
    assert int(after.quiet) == 0
    assert game.key(after).tolist() == game.key(play(game, game.init(KEY), "c3-d4", "b6-a5")).tolist()


def test_the_draw_comes_before_the_loss_of_a_side_without_a_move():
    assert result(play(*read(BLOCKING, quiet=39), "a1-b2")) == [0, 0]


def test_what_may_not_be_played_changes_nothing():
    game = envs.make("checkers")
    state, step = game.init(KEY), compiled(game)[0]
    allowed = np.flatnonzero(compiled(game)[2](state))
    for action in set(range(0, game.num_actions, 7)) - set(allowed.tolist()):
        after = step(state, jnp.int32(action))
        assert draw(game, after) == draw(game, state)
        assert int(after.to_move) == 0


def test_a_forfeit_loses_in_lose_checkers_too():
    game = envs.make("checkers", lose=True)
    assert result(game.forfeit(game.init(KEY))) == [-1, 1]
