"""Whole games as text."""

import pytest

import envs
from envs.checkers.notation import parse_game, read_game
from envs.checkers.render import action_name
from jaxgp.errors import UsageError
from jaxgp.host import savedgame
from tests.envs.replays import keys_of, random_games

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
        ('[FEN "W:W32"] 32-28', r'\[FEN "W:W32"\]: accepted: who moves, and the squares of white and black, as in B:'),
        ('[FEN "W:W1:B1"] 1-5', "two pieces on 1; accepted: one on each square"),
        ('[FEN "W:W1:B5"] 1-5', "a man on 1, where it is crowned; accepted: a king there, with K"),
        ('[FEN "W:W33:B5"] 1-5', "33: accepted: squares from 1 to 32"),
        ("[A] 1. c3-d4 * [A] 1. c3-d4 *", "the file has 2 games; accepted: FILE#N, with N from 1 to 2"),
        ("1. 11-15 1-0 1. 11-16 2. 23-18", "the file has 2 games"),
        ('[GameType "20"] 1. 32-28', r'\[GameType "20"\] is international draughts; accepted: 21, English checkers'),
        ('[GameType "99"] 1. 32-28', r'\[GameType "99"\]; accepted: 21, English checkers'),
        (f'[GameType "{"9" * 5000}"] 1. 9-13', r'\[GameType "9{20}"\]; accepted: 21, English checkers'),
        (f'[GameType "21,B,{"9" * 5000},8"] 1. 9-13', "a board of 9{20} x 8 squares; accepted: even numbers"),
        ('[GameType "21,B,9,9"] 1. 9-13', "a board of 9 x 9 squares; accepted: even numbers from 4 to 16"),
    ],
)
def test_what_is_no_turn_is_refused_in_words(text, error):
    with pytest.raises(ValueError, match=error):
        parse_game(envs.make("checkers"), text)


def names(game, text, number=None):
    found = read_game(game, text, number)
    return [action_name(found.rules, action) for action in found.actions]


def test_what_is_quoted_commented_or_escaped_is_no_part_of_a_game():
    text = """[Event "a [b] {c} ; 1. d"]
[Site "a \\"quoted\\" word"]
% 1. a line of a program
1. 11-15 {a [comment] with 2. (brackets) and 1-0 in it} 23-19 ; and 1-0
(1... 22-18 2. 15x22 ; in a variation )
) $1 2. 8-11!? 1-0
"""
    assert names(envs.make("checkers"), text) == ["c3-d4", "d6-c5", "b2-c3"]


@pytest.mark.parametrize(
    "content",
    [
        b'\xef\xbb\xbf[Event "x"]\r\n1. 11-15 23-19\r\n',
        b'[Event "a [b] c"]\n1. 11-15 23-19 0-1\n',
        b'[Event "caf\xe9"]\n1.11-15 23-19 *',
    ],
)
def test_files_of_other_programs_are_read(tmp_path, content):
    (tmp_path / "a.pdn").write_bytes(content)
    played = savedgame.read(str(tmp_path / "a.pdn"), envs, {"name": "checkers"})
    assert [action_name(played.game, move.action) for move in played.moves[1:]] == ["c3-d4", "d6-c5"]


def test_a_result_or_a_tag_begins_another_game_which_has_a_number():
    game, text = envs.make("checkers"), '1. 11-15 1-0 1. 11-16 *\n[Event "c"]\n1. 10-14 [Event "d"] 1. 9-14'
    assert [names(game, text, number)[0] for number in (1, 2, 3, 4)] == ["c3-d4", "c3-b4", "e3-f4", "g3-f4"]
    with pytest.raises(
        ValueError, match="there is no game 5; the file has 4 games; accepted: FILE#N, with N from 1 to"
    ):
        read_game(game, text, 5)


def test_a_position_and_the_size_of_the_board_are_read_and_squares_have_numbers_on_all_sizes():
    found = read_game(envs.make("checkers"), '[FEN "W:W18,K27:B13-14,K12"] 1... 18x9 2. 12-16')
    assert found.rules.position == "W:W18,K27:BK12,13,14"
    assert [action_name(found.rules, action) for action in found.actions] == ["e5xg3", "a3-b4"]
    assert names(envs.make("checkers"), '[GameType "21,B,10,10"] 1. 15-20 36-31') == ["a3-b4", "j8-i7"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "settings",
    [{"lose": True}, {"position": "W:WK18,27,30:B9-12,K32"}, {"size": 4, "rows": 1}],
    ids=str,
)
def test_random_games_come_back_from_both_texts_and_the_tags(settings):
    check_random_games(settings, 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{}, {"size": 10, "rows": 4}, {"lose": True}, {"position": "W:WK18,27,30:B9-12,K32"}, {"size": 4, "rows": 1}],
    ids=str,
)
def test_many_random_games_come_back_from_both_texts_and_the_tags(settings):
    check_random_games(settings, 250)


def check_random_games(settings, games):
    spec, game = envs.spec("checkers"), envs.make("checkers", **settings)
    for record in random_games(game, keys_of(3, games), 60):
        actions = [move.action for move in record[1:]]
        assert list(read_game(game, spec.notation.written(game, actions)).actions) == actions
        text = spec.notation.formats[".pdn"].write(game, ('A "B" [c]', "D"), [m.state for m in record], actions)
        again = read_game(envs.make("checkers", lose=game.lose), text)
        assert (again.actions, again.players) == (actions, ('A "B" [c]', "D"))
        assert again.rules.placed == game.placed


def test_a_position_in_which_the_game_has_ended_is_refused():
    with pytest.raises(
        ValueError, match=r"game\.position=B:W5:B: the side to move has no move; accepted: positions of"
    ):
        envs.make("checkers", position="B:W5:B", size=4, rows=1)


def test_a_file_is_played_again_and_an_illegal_move_in_it_refused(tmp_path):
    file, asked = tmp_path / "game.pdn", {"name": "checkers"}
    file.write_text(GAME)
    played = savedgame.read(str(file), envs, asked)
    assert len(played.moves) == 6
    file.write_text("c3-d4 b6-c5 a3-b4")
    with pytest.raises(UsageError, match=r"replay=.*: turn 3: .* a capture is forced; accepted: d4xb6$"):
        savedgame.read(str(file), envs, asked)
