import dataclasses
import xml.etree.ElementTree as ET

import jax
import jax.numpy as jnp
import pytest

import envs
from envs.mancala import render
from tests.envs.replays import KEY

GAME = envs.make("mancala")
STATE = dataclasses.replace(
    GAME.init(KEY), board=jnp.array([3, 1, 0, 10, 4, 0, 6, 8, 0, 4, 3, 3, 0, 6], jnp.int8), to_move=jnp.int32(1)
)


def ended(returns, stores):
    board = jnp.zeros(14, jnp.int8).at[6].set(stores[0]).at[13].set(stores[1])
    return dataclasses.replace(
        STATE, board=board, to_move=jnp.int32(0), terminated=jnp.bool_(True), returns=jnp.array(returns, jnp.float32)
    )


def test_text_shows_the_first_player_at_the_bottom():
    assert (
        render.text(GAME, STATE)
        == """\
        6    5    4    3    2    1     Second player, to move
+----+----+----+----+----+----+----+----+
|    |  0 |  4 | 10 |  0 |  1 |  3 |    |
|  6 |----+----+----+----+----+----|  6 |
|    |  8 |  0 |  4 |  3 |  3 |  0 |    |
+----+----+----+----+----+----+----+----+
        1    2    3    4    5    6     First player"""
    )


def test_text_can_be_turned_round():
    lines = render.text(GAME, STATE, bottom=1).splitlines()
    assert lines[0].endswith("First player")
    assert lines[4] == "|    |  3 |  1 |  0 | 10 |  4 |  0 |    |"


def test_status_names_the_winner_and_the_stores():
    assert render.status(GAME, STATE) == "Second player to move"
    assert render.status(GAME, ended([1, -1], (30, 18))) == "First player wins, 30 to 18"
    assert render.status(GAME, ended([-1, 1], (18, 30))) == "Second player wins, 30 to 18"
    assert render.status(GAME, ended([0, 0], (24, 24))) == "Draw, 24 to 24"
    assert render.text(GAME, ended([0, 0], (24, 24))).endswith("Draw, 24 to 24")


@pytest.mark.few(2)
@pytest.mark.parametrize(("pits", "stones"), [(1, 1), (3, 15), (6, 4), (15, 15)])
def test_pictures_are_well_formed_and_show_every_stone(pits, stones):
    game = envs.make("mancala", pits=pits, stones=stones)
    state = jax.jit(lambda: game.step(game.init(KEY), jnp.int32(0), KEY))()
    picture = ET.fromstring(render.svg(game, state, highlight=0, seat=0))
    tag = "{http://www.w3.org/2000/svg}"
    dots = sum(path.get("d").count("M") for path in picture.iter(f"{tag}path") if "stone" in path.get("class"))
    assert dots == game.total
    pits_drawn = [c for c in picture.iter(f"{tag}circle") if c.get("class") == "pit"]
    assert len(pits_drawn) == 2 * pits
    width, height = map(float, picture.get("viewBox").split()[2:])
    for circle in picture.iter(f"{tag}circle"):
        assert 0 < float(circle.get("cx")) < width
        assert 0 < float(circle.get("cy")) < height


def test_the_size_of_the_picture_does_not_depend_on_the_position():
    boxes = {
        ET.fromstring(render.svg(GAME, s)).get("viewBox") for s in (STATE, GAME.init(KEY), ended([1, -1], (48, 0)))
    }
    assert len(boxes) == 1


def test_the_marked_pit_is_that_of_the_side_to_move_unless_a_seat_is_named():
    def mark(**options):
        picture = ET.fromstring(render.svg(GAME, STATE, **options))
        return [
            (float(c.get("cx")), float(c.get("cy")))
            for c in picture.iter("{http://www.w3.org/2000/svg}circle")
            if c.get("class") == "mark"
        ]

    assert mark() == []
    [(x1, y1)], [(x0, y0)] = mark(highlight=0), mark(highlight=0, seat=0)
    assert y1 < y0  # the second player's row is the upper one
    assert x1 > x0  # and its first pit is on the right
    assert mark(highlight=0, bottom=1) == [(x0, y0)]


def test_moves_are_named_from_one_and_read_back():
    names = [render.action_name(GAME, action) for action in range(6)]
    assert names == ["1", "2", "3", "4", "5", "6"]
    assert [render.parse_action(GAME, f" {name}\n") for name in names] == list(range(6))
    with pytest.raises(ValueError, match="action 6: accepted: 0 to 5"):
        render.action_name(GAME, 6)


@pytest.mark.parametrize("typed", ["0", "7", "-1", "2.0", "three", "1e0", "٣", "99999999999999999999"])
def test_what_is_not_a_pit_is_refused_in_words(typed):
    with pytest.raises(ValueError, match=r'^".*" is not a pit; accepted: a number from 1 to 6$'):
        render.parse_action(GAME, typed)


def test_an_empty_line_is_refused_in_words():
    with pytest.raises(ValueError, match="an empty line is not a pit"):
        render.parse_action(GAME, "  ")
