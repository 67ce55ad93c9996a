import re
import xml.etree.ElementTree as ET

import jax.numpy as jnp
import pytest

import envs
from envs.walls import render
from tests.envs.replays import KEY
from tests.envs.walls.drawings import compiled, draw, drawing, read

BOARD = """
    .  a  bB^
    a  aA> .
    .  .  ."""
TAG = "{http://www.w3.org/2000/svg}"


def ended(idle=(8, 9)):
    game, state = read(BOARD, idle=idle)
    return game, compiled(game)(state, jnp.int32(1))


def test_text_shows_bricks_players_headings_and_a_legend():
    game, state = read(BOARD, to_move=1, idle=(4, 9))
    assert (
        render.text(game, state)
        == """\
+----------+
| .  a bB^ |
| a aA> .  |
| .  .  .  |
+----------+
A> First player, facing east: 3 bricks, idle for 4 of 9 moves
B^ Second player, facing north: 1 brick, stalled, to move"""
    )


def test_text_is_the_same_from_both_seats():
    game, state = read(BOARD)
    assert render.text(game, state, bottom=0) == render.text(game, state, bottom=1)


def test_a_player_without_a_brick_stands_alone():
    game = envs.make("walls", size=3)
    assert render.text(game, game.init(KEY)).splitlines()[2] == "| A< .  B> |"


def test_the_board_of_the_text_is_the_drawing_of_the_tests():
    game, state = read(BOARD)
    rows = [row.strip("|") for row in render.text(game, state).splitlines()[1:4]]
    assert drawing("\n".join(rows)) == draw(game, state)


def test_status_names_the_winner_and_the_bricks():
    game, state = ended()
    assert render.status(game, read(BOARD)[1]) == "First player to move"
    assert render.status(game, state) == "First player wins, 3 to 1"
    assert render.text(game, state).endswith("\nFirst player wins, 3 to 1")
    game, state = read(
        """
        .  .  .
        A> .  B>
        .  .  .""",
        to_move=1,
        idle=(9, 8),
    )
    assert render.status(game, compiled(game)(state, jnp.int32(1))) == "Draw, 0 to 0"


def test_pictures_are_well_formed_and_show_bricks_and_players():
    game, state = read(BOARD)
    picture = ET.fromstring(render.svg(game, state))
    kinds = [part.get("class") for part in picture.iter() if part.get("class")]
    assert [kinds.count(kind) for kind in ("brick0", "brick1", "player0", "player1", "mark")] == [3, 1, 1, 1, 0]
    label = picture.get("aria-label")
    assert label == "Walls. First player to move. Bricks: 3 and 1."
    turns = {part.get("class"): part.get("transform").split("rotate")[1] for part in picture.iter(f"{TAG}polygon")}
    assert turns == {"player0": "(90)", "player1": "(0)"}


@pytest.mark.parametrize("size", [3, 5, 9])
def test_everything_lies_within_the_picture_whose_size_the_position_does_not_change(size):
    game = envs.make("walls", size=size)
    state = game.init(KEY)
    boxes = set()
    for shown in (state, game.forfeit(state)):
        picture = ET.fromstring(render.svg(game, shown, highlight=0, seat=1))
        boxes.add(picture.get("viewBox"))
        width, height = map(float, picture.get("viewBox").split()[2:])
        for rect in picture.iter(f"{TAG}rect"):
            x, y, w, h = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
            assert 0 < x < x + w < width
            assert 0 < y < y + h < height
    assert len(boxes) == 1
    assert len([r for r in picture.iter(f"{TAG}rect") if r.get("class") == "brick1"]) == size**2


def test_the_ring_is_round_the_side_to_move_unless_a_seat_is_named():
    game, state = read(BOARD)

    def ring(**options):
        circles = ET.fromstring(render.svg(game, state, **options)).iter(f"{TAG}circle")
        return [(float(c.get("cx")), float(c.get("cy"))) for c in circles]

    assert ring() == []
    [(x, y)], [(other_x, other_y)] = ring(highlight=0), ring(highlight=0, seat=1)
    assert x < other_x
    assert y > other_y


def test_names_tell_the_turn_and_the_result():
    game, state = ended()
    said = [text.text for text in ET.fromstring(render.svg(game, state)).iter(f"{TAG}text")]
    assert said == ["First player: 3, wins", "Second player: 1"]
    game, state = read(BOARD, to_move=1)
    parts = list(ET.fromstring(render.svg(game, state)))
    kinds = [part.get("class") for part in parts]
    assert kinds.count("turn") == 1
    assert kinds[kinds.index("turn") - 1] == "name1"
    assert "turn" not in render.svg(*ended()).partition("</style>")[2]


def test_names_have_the_colours_of_their_arrowheads():
    for theme in render.STYLE.split("@media"):
        colours = dict(re.findall(r"\.walls \.(\w+){fill:(#\w+)", theme))
        for seat in (0, 1):
            assert colours[f"name{seat}"] == colours[f"player{seat}"]


def test_moves_are_named_and_read_back():
    game = envs.make("walls")
    names = [render.action_name(game, action) for action in range(3)]
    assert names == ["forward", "left", "right"]
    for action, name in enumerate(names):
        for typed in (name, name[0], f" {name.upper()}\n"):
            assert render.parse_action(game, typed) == action
    with pytest.raises(ValueError, match="action 3: accepted: 0 to 2"):
        render.action_name(game, 3)


@pytest.mark.parametrize("typed", ["0", "fo", "back", "forward left", "links"])
def test_what_is_not_a_move_is_refused_in_words(typed):
    with pytest.raises(ValueError, match=rf'^"{typed}" is not a move; accepted: forward, left, right, or f, l, r$'):
        render.parse_action(envs.make("walls"), typed)


def test_an_empty_line_is_refused_in_words():
    with pytest.raises(ValueError, match=r"^an empty line is not a move"):
        render.parse_action(envs.make("walls"), "  ")
