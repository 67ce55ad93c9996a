"""Traces that the real Robocode has written: read as battles, and shown beside others."""

import re

import numpy as np
import pytest

from envs.robocode import render
from envs.robocode.real import traces
from envs.robocode.rules import Robocode
from tests.scripts import commands

GAME = Robocode()


def line(number, turn, x=100.0, state="ACTIVE", score=0.0, bullets=()):
    first = [x, 200.0, 0.0, 0.1, 0.2, 8.0, 90.0, 1.0, state, score]
    other = [400.0, 300.0, 1.0, 1.1, 1.2, 0.0, 80.0, 0.0, "ACTIVE", 5.0]
    return ",".join(map(str, [number, turn, *first, *other, *bullets]))


def battle(*, end="DEAD"):
    shot = "B1;{};50.0;1.5;2.0;MOVING"
    rounds = [
        line(0, 1, bullets=[shot.format(100.0), "B1;10.0;10.0;3.0;1.0;MOVING"]),
        line(0, 2, 108.0, bullets=["B1;20.0;10.0;3.0;1.0;MOVING", shot.format(114.0)]),
        line(0, 3, 116.0, "DEAD", 12.0, [shot.format(128.0), "B1;30.0;10.0;3.0;1.0;HIT_WALL"]),
        line(0, 4, 700.0, "DEAD", 12.0),
        line(1, 1, 300.0),
        line(1, 2, 308.0, end, 3.0),
    ]
    return "\n".join(rounds) + "\n"


def test_a_trace_is_a_battle_whose_rounds_end_with_the_first_death_and_whose_points_add_up():
    states = traces.read(GAME, battle())
    np.testing.assert_array_equal(states.robots[0].x, [100, 108, 116, 300, 308])
    np.testing.assert_array_equal(states.round, [0, 0, 0, 1, 1])
    np.testing.assert_array_equal(states.points[0].total, [0, 0, 12, 12, 15])
    np.testing.assert_array_equal(states.points[1].total, [5, 5, 5, 10, 10])
    assert states.terminated.tolist() == [False] * 4 + [True]


def test_each_bullet_stays_in_its_place_though_numbers_repeat_between_robots():
    bullets = traces.read(GAME, battle()).bullets[0]
    np.testing.assert_array_equal(bullets.x, [[100, 10], [114, 20], [128, 0], [0, 0], [0, 0]])
    np.testing.assert_array_equal(bullets.power, [[2, 1], [2, 1], [2, 0], [0, 0], [0, 0]])


def test_a_trace_is_drawn_as_other_battles_are():
    states = traces.read(GAME, battle())
    drawn = render.picture(GAME, {("a", "b"): states, ("c", "d"): states})
    assert drawn.count('class="field"') == 2
    assert drawn.count('class="bullet"') == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it has no line"),
        (battle(end="ACTIVE"), "line 6: it ends before the last round does"),
        (battle()[:-40], "line 6: "),
        (battle().replace("8.0", "eight", 1), "line 1: accepted: numbers"),
        (battle().replace("8.0", "nan", 1), "line 1: accepted: robots in a field"),
        (battle().replace("ACTIVE", "ASLEEP", 1), "line 1: ASLEEP; accepted: ACTIVE"),
        (battle().replace("100.0,", "9999.0,", 1), "line 1: accepted: robots in a field of 800 x 600"),
        (battle().replace(";MOVING", "", 1), "line 1: accepted: numbers, and bullets"),
    ],
)
def test_a_trace_that_is_damaged_is_refused_with_its_line(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        traces.read(GAME, text)


def test_the_command_draws_traces_one_below_the_other_and_refuses_a_damaged_one_in_a_line(tmp_path, capsys):
    whole, cut = tmp_path / "whole.csv", tmp_path / "cut.csv"
    whole.write_text(battle())
    cut.write_text(battle()[:-40])
    shown = ("play", "game=robocode", f"replay={whole}", f"beside=[{whole}]", f"save={tmp_path / 'both'}")
    assert commands.run(*shown) == 0
    assert "turn 2; 1: at 308,200 heading 0" in capsys.readouterr().out
    drawn = (tmp_path / "both.svg").read_text()
    assert (drawn.count('class="field"'), drawn.count("whole, 1")) == (2, 2)
    assert "turn 2" in (tmp_path / "both.txt").read_text()
    assert commands.run("play", "game=robocode", f"replay={cut}") == 2
    error = capsys.readouterr().err
    assert (error.count("\n"), "cut.csv: line 6: " in error) == (1, True)
