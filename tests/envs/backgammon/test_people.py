"""What people see and type: names of moves, whole turns, the board as text and as a picture."""

import xml.etree.ElementTree as ET

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.backgammon import render
from envs.backgammon.rules import PASS
from envs.backgammon.turns import read_turn, turn_names
from tests.envs.backgammon.positions import compiled, full, state_of

GAME = envs.make("backgammon")
OPENING = full(p24=2, p13=5, p8=3, p6=5)


def typed(state, text):
    return [render.action_name(GAME, action) for action in read_turn(GAME, state, text)]


def opening(*dice, to_move=0):
    return state_of(GAME, OPENING, OPENING, dice, to_move)


def test_names_of_moves_are_read_as_they_are_written():
    names = {}
    for action in range(GAME.num_actions):
        try:
            names[render.action_name(GAME, action)] = action
        except ValueError:
            assert action // 25 + 1 > action % 25 + 1  # further than off
    assert len(names) == 150 - 15 + 1
    assert {name: render.parse_action(GAME, name) for name in names} == names
    assert {"bar/22", "6/off", "13/7", "pass"} <= set(names)


@pytest.mark.parametrize("text", ["", "13/6", "7/13", "13-7", "26/20", "13/", "off/6", "13/7/1", "x", "99999999999/1"])
def test_what_is_not_a_move_is_answered_by_what_is(text):
    with pytest.raises(ValueError, match=r"is not a move; accepted: a point and where the man goes, as in 13/7"):
        render.parse_action(GAME, text)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("dice", "text", "moves"),
    [
        ((6, 1), "13/7 8/7", ["13/7", "8/7"]),
        ((6, 1), "8/7, 13/7*", ["13/7", "8/7"]),
        ((6, 5), "24/13", ["24/18", "18/13"]),
        ((6, 5), "24/18/13", ["24/18", "18/13"]),
        ((3, 1), "8/5", ["8/5"]),
        ((3, 3), "8/5(2) 6/3(2)", ["6/3", "6/3", "8/5", "8/5"]),
        ((5, 5), "13/3(2)", ["13/8", "8/3", "13/8", "8/3"]),
    ],
)
def test_a_turn_is_typed_at_once(dice, text, moves):
    state = opening(*dice)
    found = typed(state, text)
    assert sorted(found) == sorted(moves)
    for move in found:  # each is legal after those before it
        action = render.parse_action(GAME, move)
        assert compiled(GAME)[1](state)[action]
        state = compiled(GAME)[0](state, jnp.int32(action), jax.random.key(0))


@pytest.mark.few(1)
@pytest.mark.parametrize("text", ["24/14", "13/7 13/7 8/7", "6/off", "bar/22", "24/23 24/23", "pass"])
def test_an_illegal_turn_is_answered_by_legal_ones(text):
    with pytest.raises(ValueError, match=r"cannot be played here.*; accepted: .*13/7 8/7.*"):
        read_turn(GAME, state_of(GAME, full(p13=1, p8=1), full(p24=2), (6, 1)), text)


def test_the_word_turns_lists_all_turns():
    with pytest.raises(ValueError, match=r"^the roll allows 16 turns: .*8/5 6/5; .*; type one of them$"):
        read_turn(GAME, opening(3, 1), "turns")


def test_every_turn_that_is_listed_can_be_typed():
    state = state_of(GAME, full(bar=1, p24=1, p13=5, p8=3, p6=5), full(p22=1, p13=4, p8=4, p6=4, p2=1, p1=1), (2, 1))
    names = turn_names(GAME, state)
    assert len(names) == len(set(names)) > 5
    assert any("*" in name for name in names)
    for name in names:
        assert len(read_turn(GAME, state, name)) == 2


def test_a_pass_is_named_and_typed_where_no_man_can_move():
    closed = full(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, p7=3)
    state = state_of(GAME, full(bar=1, p13=14), closed, (6, 6))
    assert turn_names(GAME, state) == ["pass"]
    assert read_turn(GAME, state, "pass") == [PASS]
    assert render.status(GAME, state) == "White to move, dice 6-6, who cannot move and has to pass"


def test_a_turn_after_the_end_is_refused():
    with pytest.raises(ValueError, match="comes after the end of the game"):
        read_turn(GAME, GAME.forfeit(opening(2, 1)), "13/11")


def test_the_text_shows_both_sides_the_dice_and_numbers_of_the_side_to_move():
    assert render.text(GAME, opening(3, 1)).splitlines() == [
        "  13  14  15  16  17  18 BAR  19  20  21  22  23  24",
        "+----------------------------------------------------+",
        "|  W               B       |   B                   W |",
        "|  W               B       |   B                   W |",
        "|  W               B       |   B                     |",
        "|  W                       |   B                     |",
        "|  W                       |   B                     |",
        "|                                                    |",
        "|  B                       |   W                     |",
        "|  B                       |   W                     |",
        "|  B               W       |   W                     |",
        "|  B               W       |   W                   B |",
        "|  B               W       |   W                   B |",
        "+----------------------------------------------------+",
        "  12  11  10   9   8   7 BAR   6   5   4   3   2   1",
        "W white 0 off, 167 pips, B black 0 off, 167 pips. White to move, dice 3-1",
    ]
    black = render.text(GAME, opening(3, 1, to_move=1)).splitlines()
    assert black[0].split() == ["12", "11", "10", "9", "8", "7", "BAR", "6", "5", "4", "3", "2", "1"]
    assert black[-1].endswith("Black to move, dice 3-1")


def test_men_on_the_bar_and_tall_piles_are_counted():
    lines = render.text(GAME, state_of(GAME, full(bar=2, p6=13), full(bar=1, p1=7), (3, 1))).splitlines()
    assert [line[27] for line in lines[2:7]] == ["W", "W", "|", "|", "|"]
    assert [line[27] for line in lines[8:13]] == ["|", "|", "|", "|", "B"]
    assert lines[8][29:33] == " 13 "
    assert lines[6].rstrip(" |").endswith("7")


@pytest.mark.parametrize("bottom", [0, 1])
@pytest.mark.parametrize("to_move", [0, 1])
def test_the_picture_has_every_man_both_dice_and_says_who_moves(bottom, to_move):
    state = state_of(GAME, full(bar=1, p8=4, p6=3), full(p13=5, p1=2, bar=2), (6, 6), to_move)
    picture = ET.fromstring(render.svg(GAME, state, highlight=2 * 25 + 24, seat=to_move, bottom=bottom))
    kinds = [part.get("class") for part in picture.iter() if part.get("class")]
    assert (kinds.count(f"man{to_move}"), kinds.count(f"man{1 - to_move}")) == (8, 9)
    assert (kinds.count("die"), kinds.count("pip"), kinds.count("mark"), kinds.count("turn")) == (4, 24, 1, 1)
    width, height = map(float, picture.get("viewBox").split()[2:])
    circles = [part for part in picture.iter() if part.get("cx") and part.get("class") != "pip"]
    places = np.array([(float(part.get("cx")), float(part.get("cy"))) for part in circles])
    assert ((places > 0) & (places < (width, height))).all()
    assert f"{render.SEATS[to_move]} to move, dice 6-6" in picture.get("aria-label")


@pytest.mark.parametrize(
    ("loser", "said"),
    [(full(p1=1), "Black wins, 1 to 0"), (full(p7=15), "Black wins with a gammon, 2 to 0")],
)
def test_the_end_is_told_in_words(loser, said):
    state = state_of(GAME, full(p1=1), loser, (2, 1), to_move=1)
    action = jnp.int32(render.parse_action(GAME, "1/off"))
    ended = compiled(GAME)[0](state, action, jax.random.key(0))
    assert render.status(GAME, ended) == said
    assert said in render.svg(GAME, ended)
