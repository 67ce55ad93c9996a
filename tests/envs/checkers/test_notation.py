"""Whole games as text."""

import pytest

import envs
from envs.checkers.notation import parse_game
from envs.checkers.render import action_name
from jaxgp.errors import UsageError
from jaxgp.host import savedgame

GAME = """[Event "A game; it has 1. headers"]
1. c3-d4 b6-c5 {forced} 2. d4xb6 a7xc5
3. g3-f4 1/2-1/2
"""


def test_turns_are_read_between_numbers_headers_comments_and_results():
    game = envs.make("checkers")
    names = [action_name(game, action) for action in parse_game(game, GAME)]
    assert names == ["c3-d4", "b6-c5", "d4xb6", "a7xc5", "g3-f4"]
    assert [action_name(game, action) for action in parse_game(game, "c3xe5xg7 *")] == ["c3xe5", "e5xg7"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("c3-d4 b6-b5", 'turn 2, "b6-b5", is none; accepted: two squares, as in c3-d4, or c3xe5xg7 for captures'),
        ("1. 11-15 22-18", 'turn 1, "11-15", is none'),
        ("c3xe5xe7", 'turn 1, "c3xe5xe7", is none'),
        ("1. *", "not a game; accepted: turns such as c3-d4 and c3xe5xg7"),
    ],
)
def test_what_is_no_turn_is_refused_in_words(text, error):
    with pytest.raises(ValueError, match=error):
        parse_game(envs.make("checkers"), text)


def test_a_file_is_played_again_and_an_illegal_move_in_it_refused(tmp_path):
    file, asked = tmp_path / "game.pdn", {"name": "checkers"}
    file.write_text(GAME)
    played = savedgame.read(str(file), envs, asked)
    assert len(played.moves) == 6
    file.write_text("c3-d4 b6-c5 a3-b4")
    with pytest.raises(UsageError, match=r"replay=.*: move 3: cannot be played there$"):
        savedgame.read(str(file), envs, asked)
