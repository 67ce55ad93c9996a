import xml.etree.ElementTree as ET

import pytest

import envs
from envs.othello import render
from tests.envs.othello.drawings import play, read
from tests.envs.replays import KEY

SMALL = ". . . .   . O X .   . X O .   . . . ."
TAG = "{http://www.w3.org/2000/svg}"


def circles(svg, kind):
    return [
        (float(c.get("cx")), float(c.get("cy")))
        for c in ET.fromstring(svg).iter(f"{TAG}circle")
        if c.get("class") == kind
    ]


def test_text_marks_discs_and_moves():
    game, state = read(SMALL)
    assert (
        render.text(game, state)
        == """\
   a b c d
 1 . * . .
 2 * O X .
 3 . X O *
 4 . . * .
X black 2, O white 2. Black to move"""
    )
    assert render.text(game, state, bottom=1) == render.text(game, state)


def test_rows_of_two_digits_stand_in_line():
    game = envs.make("othello", size=10)
    lines = render.text(game, game.init(KEY)).splitlines()
    assert lines[0] == "   a b c d e f g h i j"
    assert [line[:3] for line in lines[8:11]] == [" 8 ", " 9 ", "10 "]
    assert len({len(line) for line in lines[:11]}) == 1


def test_status_says_who_has_to_pass_and_who_has_won():
    game, state = read(SMALL)
    assert render.status(game, state) == "Black to move"
    game, state = read("X O . .   . . . .   . . . .   . . . .", to_move=1)
    assert render.status(game, state) == "White to move, who has to pass"
    state, _ = play("X O . .   . . . .   . . . .   . . . .", "c1")
    assert render.status(game, state) == "Black wins, 3 to 0"
    state, _ = play(". O X X   O O X O   O O O O   O O O X", "a1")
    assert render.status(game, state) == "Draw, 8 to 8"
    assert render.text(game, state).endswith("X black 8, O white 8. Draw, 8 to 8")


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_pictures_are_well_formed_and_show_discs_and_moves(size):
    game = envs.make("othello", size=size)
    picture = render.svg(game, game.init(KEY))
    width, height = map(float, ET.fromstring(picture).get("viewBox").split()[2:])
    for kind, number in (("disc0", 2), ("disc1", 2), ("may0", 4), ("may1", 0), ("mark", 0)):
        found = circles(picture, kind)
        assert len(found) == number
        assert all(0 < x < width and 0 < y < height for x, y in found)
    labels = [text.text for text in ET.fromstring(picture).iter(f"{TAG}text")]
    assert set(labels) >= {"a", "1", str(size), "Black: 2", "White: 2"}


def test_the_size_of_the_picture_does_not_depend_on_the_position():
    game, state = read(SMALL)
    ended, _ = play(". O X X   O O X O   O O O O   O O O X", "a1")
    pictures = [render.svg(game, s) for s in (state, ended)]
    assert len({ET.fromstring(picture).get("viewBox") for picture in pictures}) == 1
    assert "Black: 8, draw" in pictures[1]
    assert not circles(pictures[1], "may0") + circles(pictures[1], "may1")


def test_the_marked_square_is_that_of_the_move_and_a_pass_has_none():
    state, _ = play(SMALL, "b1")
    game = envs.make("othello", size=4)
    picture = render.svg(game, state, render.parse_action(game, "b1"), seat=0)
    [mark] = circles(picture, "mark")
    assert mark in circles(picture, "disc0")
    assert not circles(render.svg(game, state, game.area), "mark")


def test_moves_are_named_by_column_and_row_and_read_back():
    game = envs.make("othello", size=10)
    names = [render.action_name(game, action) for action in range(game.num_actions)]
    assert names[:2] + names[9:11] + names[98:] == ["a1", "b1", "j1", "a2", "i10", "j10", "pass"]
    assert [render.parse_action(game, f" {name.upper()}\n") for name in names] == list(range(101))
    with pytest.raises(ValueError, match="action 101: accepted: 0 to 100"):
        render.action_name(game, 101)


@pytest.mark.parametrize("typed", ["i1", "a9", "a0", "a", "3d", "d 3", "skip", "a٣", "a01"])
def test_what_is_not_a_move_is_refused_in_words(typed):
    with pytest.raises(ValueError, match=r'^".*" is not a move; accepted: a1 to h8, pass$'):
        render.parse_action(envs.make("othello"), typed)


def test_an_empty_line_is_refused_in_words():
    with pytest.raises(ValueError, match="an empty line is not a move"):
        render.parse_action(envs.make("othello"), "  ")
