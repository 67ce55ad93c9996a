"""Tracks: their numbers, their files, and what is refused."""

import math

import numpy as np
import pytest

import envs
from envs.rars import tracks
from envs.rars.tracks import load, public, read, track
from jaxgp.errors import UsageError

FILE = """4 segments
1420 800
100 width
410 10 0 start
900 560
250 500
550 1040
400 640
.8 4 finish, rows
-1
2100 3200
100 1000
60
0 600 0
400 3.1415927
0
600
400 180.0e-2
Text may follow.
"""
WHOLE = FILE.replace("180.0e-2", "3.1415927")


def file(folder, text, name="mine"):
    path = folder / f"{name}.trk"
    path.write_text(text)
    return str(path)


def test_public_tracks_have_their_lengths():
    found = public()
    assert len(found) == 70
    assert found["sepang"].length == pytest.approx(17026.45, abs=0.01)
    assert found["v01"].length == pytest.approx(3512.16, abs=0.01)
    assert len(found["longrand"].segments) == 786
    assert [name for name, one in found.items() if not one.counts_laps] == ["circle"]


def test_numbers_of_a_file_are_read_wherever_its_lines_end(tmp_path):
    found, oval = read(tmp_path / file(tmp_path, WHOLE)), public()["oval2"]
    assert (found.width, found.start, found.finish, found.rows) == (oval.width, oval.start, oval.finish, oval.rows)
    assert found.segments == oval.segments
    assert envs.make("rars", track=file(tmp_path, WHOLE)).course == found


def test_arcs_of_at_least_five_are_degrees():
    assert public()["sepang"].arcs[1] == (-90, pytest.approx(math.radians(210), abs=1e-8))
    assert public()["oval2"].arcs[1] == (400, 3.1415927)


def test_walls_of_neighbours_meet():
    for course in public().values():
        table = tracks.tables((course,))
        turn = np.hypot(table.exit_cos, table.exit_sin)
        assert np.allclose(turn, 1)
        last = course.frames[-1]
        assert math.hypot(*(last - course.frames[0])[:2]) < tracks.OPEN


def test_the_first_car_stands_before_the_line_and_others_behind_it():
    sepang, monaco = public()["sepang"], public()["monaco"]
    number, x, y, angle = sepang.place(0, 2)
    assert (number, angle) == (0, 0)
    assert (x, y) == pytest.approx((0.45 * 2700 - 10, 70 / 3), abs=1e-6)  # the first curve turns right
    assert sepang.place(1, 2)[1:3] == pytest.approx((x - 30, y + 70 / 3))
    assert sepang.place(2, 2)[1:3] == pytest.approx((x - 90, y))
    number, x, y, angle = monaco.place(0, 2)
    assert monaco.segments[number][0] < 0  # its grid lies in a curve
    assert angle < 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (WHOLE[: WHOLE.index("400 3.14")], "segment 1 of 4: no number where the file ends"),
        (WHOLE.replace("400 3.1415927\n0", "wide 3.1415927\n0", 1), "segment 1 of 4: no number where 'wide' stands"),
        (WHOLE.replace("100 width", "0 width"), "the width: 0 is no number from 1 to 10000"),
        (WHOLE.replace("4 segments", "10000 segments"), "10000 is no whole number from 1 to 2000"),
        (WHOLE.replace("400 3.1415927", "50 3.1415927", 1), "segment 1 of 4: a radius of 50 ft on a road of 100 ft"),
        (WHOLE.replace("400 3.1415927", "400 1.5", 1), "it ends"),
        (WHOLE.replace("0 600 0", "0 -600 0"), "segment 0 of 4: a straight of -600 ft"),
        ("", "the number of segments: no number where the file ends"),
    ],
)
def test_a_file_that_is_no_track_is_refused_in_one_line(text, said, tmp_path):
    path = file(tmp_path, text)
    with pytest.raises(UsageError) as told:
        envs.make("rars", track=path)
    assert said in str(told.value)
    assert str(told.value).startswith("game.track=")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"track": "sepagn"}, "game.track=sepagn: accepted: sepang,"),
        ({"track": "nowhere.trk"}, "game.track=nowhere.trk: accepted: a track file (.trk)"),
        ({"track": "circle"}, "game.laps=1: accepted: null; segment 0 of circle is a curve"),
        ({"laps": 0}, "game.laps=0: accepted: a whole number from 1 to 1000"),
        (
            {"seconds": 60.0},
            "game.seconds=60.0: accepted: a number of seconds from 69; no car drives one lap of sepang",
        ),
        (
            {"track": "v01", "cars": 60},
            "game.cars=60: accepted: a whole number from 1 to 58; so many stand on the grid",
        ),
    ],
)
def test_settings_that_cannot_be_are_refused_in_one_line(settings, said):
    with pytest.raises(UsageError) as told:
        envs.make("rars", **settings)
    assert str(told.value).startswith(said)


def test_without_laps_a_circle_can_be_driven():
    assert envs.make("rars", track="circle", laps=None).course.name == "circle"


def test_lists_name_tracks_and_keep_those_of_the_season_apart():
    game = envs.make("rars", seconds=400.0)
    training, season = load(game, "training", "fitness.instances"), load(game, "season", "fitness.instances")
    assert (len(training.names), len(season.names)) == (16, 16)
    assert not set(training.names) & {*season.names, *tracks.BOOK}
    assert not training.test.any()
    assert season.test.all()
    wide = load(game, "wide", "fitness.instances")
    assert len(wide.names) == 50
    assert not wide.test.any()
    assert set(training.names) < set(wide.names)
    assert not set(wide.names) & {*season.names, *tracks.BOOK, "longrand"}
    assert game.courses[load(game, "v01", "fitness.instances").states[0]].name == "v01"
    with pytest.raises(UsageError, match=r"fitness.instances=v0: accepted: training, season, book, all, wide, v0"):
        load(game, "v0", "fitness.instances")
    with pytest.raises(UsageError, match=r"game.seconds=400"):
        load(game, "longrand", "fitness.instances")


def test_a_track_is_found_by_its_name():
    assert track("sepang") is public()["sepang"]
