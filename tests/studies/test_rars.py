"""Studies of RARS: the ideal laps of the documents are driven again, and seasons are counted."""

import csv
import gzip
from pathlib import Path

import jax
import numpy as np
import pytest

from envs.rars import tracks
from envs.rars.paths import line
from studies.rars import ideal, together
from tables.shared.data import Data
from tables.simulations import rars

pytestmark = pytest.mark.thorough

DATA = Path(__file__).parents[2] / "docs" / "data"


def test_an_ideal_lap_of_the_documents_is_driven_again():
    rows = {row["track"]: row for row in csv.DictReader((DATA / "rars_ideal.csv").open())}
    with gzip.open(DATA / "rars_controls.csv.gz", "rt") as file:
        asked = [row for row in csv.DictReader(file) if row["track"] == "oval2"]
    controls = np.array([(row["alpha"], row["speed"]) for row in asked], np.float32)
    found = ideal.replay(ideal.Rars(track="oval2", friction="fixed", seconds=1000.0), controls)
    assert found["time"] == pytest.approx(float(rows["oval2"]["seconds"]), abs=0.01)
    assert (found["finished"], found["damage"], found["off_road"]) == (1, 0, 0)


def test_the_model_drives_a_circle_at_the_speed_that_friction_holds():
    count, radius = 400, 300.0
    bend = np.full(count, 1 / radius, np.float32)
    way = line.Line(np.zeros(count), np.zeros(count), bend, np.full(count, 10.0, np.float32))
    cap, reached = jax.device_get(jax.jit(line.speeds, static_argnums=1)(way, 0.98))
    held = np.sqrt(0.98 * line.STICTION * radius)
    assert reached[0] == pytest.approx(20)
    assert (np.diff(reached) >= -1e-3).all()
    assert reached[-1] == pytest.approx(held, rel=0.02)
    assert cap[0] == pytest.approx(held, rel=1e-3)


def test_the_stations_of_a_track_that_does_not_close_follow_each_other():
    for name in ("sepang", "oval2", "v01"):
        course = tracks.public()[name]
        way = line.road(course, 8.0)
        step = np.hypot(way.step_x, way.step_y)
        assert step.max() < 25
        assert step.min() > 1
        assert way.distance[way.last] == pytest.approx(course.length, abs=0.01)
        assert (np.diff(way.distance) > 0).all()


def write(path, columns, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def test_a_season_gives_points_by_place_and_none_to_who_does_not_finish(tmp_path):
    some = list(rars.FIELD)
    laps = [(track, who, 100 + n, 0) for track in tracks.SEASON for n, who in enumerate(some)]
    write(tmp_path / "rars_drivers.csv", ("track", "driver", "seconds", "damage"), laps)
    mine = [
        ("tracks", "mine", track, 1, 1, 0 if track == "v01" else 1, "" if track == "v01" else "99.5")
        for track in tracks.SEASON
    ]
    write(tmp_path / "rars_races.csv", ("title", "driver", "track", "laps", "races", "finished", "mean"), mine)
    (first, points, places), (second, others, _) = rars.standings(Data(tmp_path), ["mine"])[:2]
    assert (first, points, places.count(1), places[-1]) == ("mine", 15 * 21, 15, None)
    assert (second, others) == (some[0], 15 * 16 + 21)


def test_cars_that_start_together_are_placed_by_time_and_then_by_distance():
    finished = np.array([False, True, False, True])
    places = together.placed(finished, np.array([1.0, 120.0, 2.0, 110.0]), np.array([500.0, 900.0, 700.0, 900.0]))
    assert places.tolist() == [4, 2, 3, 1]
