"""Recorded battles of robots: from the first line of each round, turn by turn as in the engine, to 1e-9."""

import pytest

from tests.envs.robocode.battles import fought
from tests.envs.robocode.traces import folder, rounds

BATTLES = [
    ("haiku.TestHaiku", "sample.SpinBot"),
    ("sample.Corners", "sample.Fire"),
    ("sample.SittingDuck", "sample.TrackFire"),
    ("sample.RamFire", "sample.Crazy"),
]


@pytest.mark.slow
@pytest.mark.parametrize("names", BATTLES, ids=" and ".join)
def test_recorded_battles_are_followed_to_their_ends(names):
    played = rounds(folder() / f"battle_{names[0]}_{names[1]}_seed1.csv.gz", " and ".join(names))
    found = fought(played, names)
    ends = [len(one.robots) for one in played]
    assert [int((row[:end] <= 1e-9).sum()) for row, end in zip(found, ends, strict=True)] == ends
