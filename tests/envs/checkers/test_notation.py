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


def test_a_published_opening_is_read_by_numbers():
    """Single Corner, from R. Newell's "The Numbered Board and Move Notation"; the replies are the only captures."""
    game = envs.make("checkers")
    names = [
        action_name(game, action)
        for action in parse_game(game, "1. 11-15 22-18 2. 15-22! 25x18 (26x17 (8-11 {[x] (} 1-5)) 3. 8-11")
    ]
    assert names == ["c3-d4", "f6-e5", "d4xf6", "g7xe5", "b2-c3"]


def test_a_turn_of_two_jumps_is_read_by_its_ends():
    game = envs.make("checkers")
    names = [
        action_name(game, action) for action in parse_game(game, "11-15 22-18 15-22 25-18 9-13 26-22 13-17 21-14 10-26")
    ]
    assert names[-3:] == ["h6xf4", "e3xg5", "g5xe7"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "c3-d4 b6-b5",
            'turn 2: "b6-b5" is not a move; accepted: the squares of a turn, as in c3-d4 or c3xe5xg7 or 11',
        ),
        ("c3-d4 b6-c5 a3-b4", 'turn 3: "a3-b4" cannot be played here: a capture is forced; accepted: d4xb6'),
        ("1. *", "not a game; accepted: turns such as c3-d4 and c3xe5xg7, or 11-15 and 22x15x8"),
        ('[FEN "W:W32:B1"] 32-28', "the game begins with a position of its own"),
        ("[A] 1. c3-d4 * [A] 1. c3-d4 *", "more than one game; accepted: a file of one game"),
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
    with pytest.raises(UsageError, match=r"replay=.*: turn 3: .* a capture is forced; accepted: d4xb6$"):
        savedgame.read(str(file), envs, asked)
