"""Games in the notations of record collections."""

import json

import numpy as np
import pytest

import envs
from envs.morpion.notation import records, saved
from envs.morpion.notation.records import read_game
from envs.morpion.rules import Morpion
from tests.envs.morpion.test_reference import random_game
from tests.envs.morpion.test_reference import records as record_games

GAME = envs.make("morpion")
FIELD = "(19,3)\n(26,3) - -2\n(18,2) / 0\n(22,-1) | -2\n(15,3) - +2\n"


def crosses(found):
    return saved.new_crosses(found.rules, found.actions)


def test_the_pentasol_of_the_record_site_is_read():
    """The beginning of a game of 177 moves by C. D. Rosin: in the square around the cross, x and y downwards."""
    text = "# Pentasol\n(28,28)\n(27,25) - +2\n(32,32) / 0\n(30,28) - +2\n(28,35) | -2\n"
    drawn = [(x - 16, 26 - y) for x, y in crosses(read_game(GAME, text))]
    assert drawn == [(2, 0), (7, 7), (5, 3), (3, 10)]
    assert records.pentasol(GAME, read_game(GAME, text).actions) == text.split("\n", 1)[1]


def test_offsets_with_other_signs_and_coordinates_without_a_first_line_are_read():
    assert [(x - 16, 26 - y) for x, y in crosses(read_game(GAME, FIELD))] == [(10, 3), (2, 2), (6, -1), (-1, 3)]
    assert crosses(read_game(GAME, "(3,1)-+2")) == crosses(read_game(GAME, "(3,1) - -2")) == [(18, 26)]


def test_the_json_of_the_record_site_states_the_variant():
    text = json.dumps({"variant": "5D", "moves": [{"x": 2, "y": 2, "dir": "DP", "pos": 2}]})
    found = read_game(GAME, text)
    assert (found.rules.variant, crosses(found)) == ("5D", [(18, 24)])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("(28,28)\n(27,25) ~ 2", r'line 2: "\(27,25\) ~ 2": accepted: a point, a direction'),
        ("(28,28)\n(27,25) - +2\n(27,25) - +2", "move 2, .*: not legal in 5T"),
        ("(28,28)", "the text holds no moves"),
        ('{"variant": "4T", "moves": []}', "variant 4T: accepted: 5T, 5D"),
        ('{"variant": "5T"}', '"moves": accepted: a list of moves'),
        ('{"moves": [{"x": 2, "y": 2, "dir": "UP", "pos": 2}]}', "move 1: .*: accepted: whole numbers x, y and pos"),
        ('{"moves": [{"x": 2, "y": true, "dir": "H", "pos": 2}]}', "move 1: .*: accepted: whole numbers"),
        ('{"moves": [7]}', "move 1: 7: accepted: whole numbers"),
    ],
)
def test_what_is_no_game_is_refused_in_words(text, fault):
    with pytest.raises(ValueError, match=fault):
        read_game(GAME, text)


def test_record_games_come_back_from_every_notation():
    for variant, score, moves in record_games():
        rows = [{"x": int(x), "y": int(y), "dir": way, "pos": int(place)} for x, y, way, place in moves]
        found = read_game(GAME, json.dumps({"variant": variant, "moves": rows}))
        assert len(found.actions) == score
        assert read_game(found.rules, records.pentasol(found.rules, found.actions)).actions == found.actions


@pytest.mark.thorough
@pytest.mark.parametrize("variant", ["5T", "5D"])
@pytest.mark.parametrize("games", [25, pytest.param(500, marks=pytest.mark.slow)])
def test_random_games_come_back_from_every_notation(variant, games):
    game = Morpion(variant)
    for seed in range(games):
        _, actions, _ = random_game(np.random.default_rng(seed), game)
        for text in (records.pentasol(game, actions), records.msr(game, actions), saved.one_line(game, actions)):
            found = read_game(game, text)
            assert (found.rules, list(found.actions)) == (game, actions)
