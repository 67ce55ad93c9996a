"""Every clause of the rules as a drawn position."""

import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.othello.render import action_name
from jaxgp.errors import show
from tests.envs.othello.drawings import draw, drawing, play, read
from tests.envs.replays import KEY


def legal(text, to_move=0):
    """Names of the moves that may be played in a drawing."""
    game, state = read(text, to_move)
    return [action_name(game, action) for action in np.flatnonzero(game.legal_actions(state))]


def test_black_begins_with_four_discs_in_the_middle_and_four_moves():
    game = envs.make("othello")
    assert draw(game, game.init(KEY)) == drawing("""
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . O X . . .
        . . . X O . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
    """)
    moves = np.flatnonzero(game.legal_actions(game.init(KEY)))
    assert [action_name(game, action) for action in moves] == ["d3", "c4", "f5", "e6"]
    assert int(game.init(KEY).to_move) == 0


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_the_opening_of_every_board_is_that_of_its_middle(size):
    game = envs.make("othello", size=size)
    edge = (size - 4) // 2
    rows = draw(game, game.init(KEY)).splitlines()
    inner = [row.split()[edge : size - edge] for row in rows[edge : size - edge]]
    assert [" ".join(row) for row in inner] == [". . . .", ". O X .", ". X O .", ". . . ."]
    assert "".join(rows).count(".") == size**2 - 4
    assert game.num_actions == size**2 + 1
    assert game.score(game.init(KEY)).tolist() == [2, 2]


@pytest.mark.parametrize("size", [0, 2, 5, 7, 9, 12, True, "8", None, 8.5])
def test_other_sizes_are_refused_in_words(size):
    with pytest.raises(ValueError, match=rf"^game\.size={show(size)}: accepted: 4, 6, 8, 10$"):
        envs.make("othello", size=size)


def test_discs_are_enclosed_in_all_eight_directions():
    state, after = play(
        """
        X . . X . . X .
        . O . O . O . .
        . . O O O . . .
        X O O . O O O X
        . . O O O . . .
        . O . O . O . .
        X . . O . . X .
        . . . X . . . .
        """,
        "d4",
    )
    assert after == drawing("""
        X . . X . . X .
        . X . X . X . .
        . . X X X . . .
        X X X X X X X X
        . . X X X . . .
        . X . X . X . .
        X . . X . . X .
        . . . X . . . .
    """)
    assert int(state.to_move) == 1


def test_a_line_that_no_own_disc_closes_is_not_turned():
    assert play(
        """
        X O O . O O . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        """,
        "d1",
    )[1].startswith("X X X X O O . .\n. . .")


def test_only_discs_next_to_the_new_one_in_a_line_are_turned():
    """Neither those behind the closing disc, nor those that turned discs would enclose with others."""
    assert play(
        """
        . . . . . .
        . O O X O X
        . O . . . .
        . O . . . .
        . X . . . .
        . . . . . .
        """,
        "a2",
    )[1] == drawing("""
        . . . . . .
        X X X X O X
        . O . . . .
        . O . . . .
        . X . . . .
        . . . . . .
    """)


@pytest.mark.parametrize(
    "text",
    [
        ". . . . . .   . . . X O O   . . . . . .   . . . . . .   . . . . . .   . . . . . .",
        "X O O O O O   . . . . . .   . . . . . .   . . . . . .   . . . . . .   . . . . . .",
        ". . . . . O   X . . . . .   . . . . . .   . . . . . .   . . . . . .   . . . . . .",
        ". . . . . .   . . . . X .   . . . . . O   . . . . . .   . . . . . .   . . . . . .",
        ". . . . . .   . . . . . .   . X . . . .   O . . . . .   . . . . . .   . . . . . .",
        "O . . . . .   X . . . . .   . . . . . .   . . . . . .   . . . . . .   . . . . . .",
        ". . . . . .   . . . . . .   . . . . . .   . . . . . .   . . X . . .   . . O . . .",
    ],
)
def test_no_line_goes_on_beyond_an_edge(text):
    _, state = read(text)
    assert not any(np.array(state.legal))


def test_six_discs_are_enclosed_along_every_edge_and_diagonal():
    for move, text in (
        ("h1", "XOOOOOO. " + "........ " * 7),
        ("a1", ".OOOOOOX " + "........ " * 7),
        ("a8", "X....... " + "O....... " * 6 + "........ "),
        ("h1", "........ " + ".......O " * 6 + ".......X "),
        ("h8", "X....... .O...... ..O..... ...O.... ....O... .....O.. ......O. ........"),
        ("a8", ".......X ......O. .....O.. ....O... ...O.... ..O..... .O...... ........"),
    ):
        assert legal(text) == [move]
        state, after = play(text, move)
        assert after.count("X") == 8
        assert after.count("O") == 0
        assert bool(state.terminated)


def test_a_side_without_a_move_passes_and_the_same_side_moves_again():
    text = "X O . . . .   . . . . . .   . . . . . .   . . . . . .   . . . . . .   . . O X . ."
    assert legal(text) == ["c1", "b6"]
    assert legal(text, to_move=1) == ["e6"]
    blocked = "X O . . . .   . . . . . .   . . . . . .   . . . . . .   . . . . . .   . . . . . ."
    assert legal(blocked, to_move=1) == ["pass"]
    state, after = play(blocked, "pass", to_move=1)
    assert after == drawing(blocked.replace("   ", "\n"))
    assert (int(state.to_move), bool(state.terminated)) == (0, False)
    state, _ = play(blocked, "pass", "c1", to_move=1)
    assert state.returns.tolist() == [1, -1]


def test_who_can_move_may_not_pass_and_what_may_not_be_played_changes_nothing():
    text = "X O . . . .   . . . . . .   . . . . . .   . . . . . .   . . . . . .   . . O X . ."
    game, state = read(text)
    for move in ("pass", "a1", "b1", "d1", "c6"):
        after, drawn = play(text, move)
        assert drawn == draw(game, state), move
        assert int(after.to_move) == 0
        assert not bool(after.terminated)


def test_the_game_ends_when_neither_side_can_move_and_empty_squares_count_for_nobody():
    state, _ = play(". O X .   . . . .   . . . .   O O O O", "a1")
    assert bool(state.terminated)
    assert state.returns.tolist() == [-1, 1]
    game = envs.make("othello", size=4)
    assert game.score(state).tolist() == [3, 4]
    assert not np.any(game.legal_actions(state))


def test_a_board_without_discs_of_one_colour_ends_the_game():
    state, after = play(". O X .   . . . .   . . . .   . . . .", "a1")
    assert after.splitlines()[0] == "X X X ."
    assert bool(state.terminated)
    assert state.returns.tolist() == [1, -1]


def test_a_full_board_ends_the_game_and_may_be_a_draw():
    state, after = play("O X X .   X X X X   O O O O   O O O O", "d1", to_move=1)
    assert bool(state.terminated)
    assert "." not in after
    assert state.returns.tolist() == [-1, 1]
    state, after = play(". O X X   O O X O   O O O O   O O O X", "a1")
    assert after.count("X") == after.count("O") == 8
    assert bool(state.terminated)
    assert state.returns.tolist() == [0, 0]


def test_forfeiting_gives_the_whole_board_away():
    game, state = read("X O . .   . . . .   . . . .   . . . .")
    ended = game.forfeit(state)
    assert game.score(ended).tolist() == [0, 16]
    assert ended.returns.tolist() == [-1, 1]
    assert not np.any(game.legal_actions(ended))


def test_a_key_holds_all_discs_of_both_sides():
    game = envs.make("othello", size=10)
    assert game.key(game.init(KEY)).shape == (8,)
    one, two = read("X O . .   . . . .   . . . .   . . . .")[1], read("O X . .   . . . .   . . . .   . . . .", 1)[1]
    small = envs.make("othello", size=4)
    assert jnp.array_equal(small.key(one), small.key(two))  # the same as the side to move sees it
