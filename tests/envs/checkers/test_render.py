import xml.etree.ElementTree as ET

import numpy as np
import pytest

import envs
from envs.checkers import render
from tests.envs.checkers.drawings import play, read
from tests.envs.replays import KEY

TAG = "{http://www.w3.org/2000/svg}"
SMALL = """
    . . . .
    w . B .
    . w . .
    b . . .
"""
TWICE = """
    . . . . . w
    . . . . . .
    . . . w . .
    . . . . . .
    . w . . . .
    b . . . . .
"""
LAST = """
    . . . .
    . . . .
    . w . .
    b . . .
"""


def found(svg, tag, kind):
    return [one for one in ET.fromstring(svg).iter(f"{TAG}{tag}") if one.get("class") == kind]


def test_text_shows_pieces_and_who_is_to_move():
    game, state = read(SMALL)
    assert (
        render.text(game, state)
        == """\
 4   .   .
 3 w   B
 2   w   .
 1 b   .
   a b c d
b black 2 (1 king), w white 2. Black to move"""
    )


def test_white_sees_the_board_turned_round():
    game, state = read(SMALL)
    lines = render.text(game, state, bottom=1).splitlines()
    assert lines[:5] == [" 1   .   b", " 2 .   w", " 3   B   w", " 4 .   .", "   d c b a"]


FORCED = """
    . . . . . .
    . . . . . .
    . w . w . .
    b . B . . .
    . . . . . .
    b . . . . .
"""


def test_pieces_that_have_to_capture_are_in_brackets_and_have_red_rings():
    game, state = read(FORCED)
    lines = render.text(game, state).splitlines()
    assert lines[2:4] == [" 4   w   w   .", " 3(b) (B)  ."]
    assert lines[-1] == "b black 3 (1 king), w white 2. Black to move, who has to capture with a3 or c3"
    assert render.text(game, state, bottom=1).splitlines()[2] == " 3   .  (B) (b)"
    rings = [found(render.svg(game, state), "circle", ring) for ring in ("must", "may")]
    assert list(map(len, rings)) == [2, 0]


def test_rows_of_two_digits_stand_in_line():
    game = envs.make("checkers", size=10)
    lines = render.text(game, game.init(KEY)).splitlines()
    assert lines[0] == "10   w   w   w   w   w"
    assert lines[9] == " 1 b   b   b   b   b"
    assert lines[10] == "   a b c d e f g h i j"


def test_status_says_who_has_to_capture_who_has_to_go_on_and_who_has_won():
    game, state = read(TWICE)
    assert render.status(game, state) == "Black to move, who has to capture with a1"
    state = play(game, state, "a1xc3")
    assert render.status(game, state) == "Black to move, who has to go on from c3"
    state = play(game, state, "c3xe5")
    assert render.status(game, state) == "White to move, who has to capture with f6"
    game, state = read(LAST)
    assert render.status(game, play(game, state, "a1xc3")) == "Black wins"
    assert render.status(*read(SMALL, quiet=40)) == "Draw"


@pytest.mark.few(2)
@pytest.mark.parametrize("bottom", [0, 1])
@pytest.mark.parametrize("size", [4, 8, 10])
def test_pictures_are_well_formed_and_show_the_pieces(size, bottom):
    game = envs.make("checkers", size=size, rows=min(3, size // 2 - 1))
    picture = render.svg(game, game.init(KEY), bottom=bottom)
    width, height = map(float, ET.fromstring(picture).get("viewBox").split()[2:])
    men = game.rows * game.width
    for kind, number in (("piece0", men), ("piece1", men), ("may", game.width)):
        circles = found(picture, "circle", kind)
        assert len(circles) == number
        assert all(0 < float(c.get("cx")) < width and 0 < float(c.get("cy")) < height for c in circles)
    labels = [(one.text, float(one.get("y"))) for one in ET.fromstring(picture).iter(f"{TAG}text")]
    assert {"a", "1", str(size), f"Black: {men}", f"White: {men}"} <= {text for text, _ in labels}
    black, white = (dict(labels)[f"{seat}: {men}"] for seat in render.SEATS)
    assert (black > white) == (bottom == 0)
    assert 10 < min(black, white) < max(black, white) < height
    nearest = max(float(c.get("cy")) for c in found(picture, "circle", f"piece{bottom}"))
    assert nearest > max(float(c.get("cy")) for c in found(picture, "circle", f"piece{1 - bottom}"))


def test_kings_have_crowns_and_a_marked_move_is_a_line_to_where_it_ends():
    game, state = read(SMALL)
    assert len(found(render.svg(game, state), "path", "crown0")) == 1
    assert not found(render.svg(game, state), "path", "crown1")
    step = render.parse_action(game, "c3-b4")
    [mark] = found(render.svg(game, state, step), "path", "mark")
    [king] = found(render.svg(game, state), "path", "crown0")
    start = king.get("transform").removeprefix("translate(").removesuffix(")")
    assert mark.get("d").startswith(f"M{start}L")


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [8, 10])
def test_moves_are_named_by_their_squares_and_read_back(size):
    game = envs.make("checkers", size=size)
    legal = np.flatnonzero(game.legal_actions(game.init(KEY)))
    assert render.action_name(game, int(legal[0])) == "c3-b4"
    names = []
    for action in range(game.num_actions):
        if render.squares(game, action)[1] is None:
            with pytest.raises(ValueError, match=f"action {action}: leads off the board"):
                render.action_name(game, action)
            continue
        name = render.action_name(game, action)
        names.append(name)
        assert render.parse_action(game, f" {name.upper()}\n") == action
        assert render.parse_action(game, name.replace("-", "").replace("x", "")) == action
    assert len(names) == len(set(names)) == 2 * (size - 1) ** 2 + 2 * (size - 2) ** 2
    with pytest.raises(ValueError, match=f"accepted: 0 to {game.num_actions - 1}"):
        render.action_name(game, game.num_actions)


@pytest.mark.parametrize("typed", ["c3", "c3xd4", "a1-b1", "h8-i9", "c3xe5xg7", "1115", "33-29", "c3-d٤", "c03-d4"])
def test_what_is_not_a_move_is_refused_in_words(typed):
    with pytest.raises(ValueError, match=r'^".*" is not a move; accepted: two squares, as in c3-d4, or c3xe5 for a ca'):
        render.parse_action(envs.make("checkers"), typed)


@pytest.mark.parametrize(
    ("numbers", "names"), [("11-15", "c3-d4"), ("22x15", "f6xd4"), ("1-5", "g1-h2"), ("28-32", "a7-b8")]
)
def test_squares_have_the_numbers_of_the_books(numbers, names):
    """Single corners are 4 and 29, double corners 1 and 5, 28 and 32; 11-15 begins most games."""
    game = envs.make("checkers")
    assert render.action_name(game, render.parse_action(game, numbers)) == names


def test_an_empty_line_is_refused_in_words():
    with pytest.raises(ValueError, match="an empty line is not a move"):
        render.parse_action(envs.make("checkers"), "  ")
