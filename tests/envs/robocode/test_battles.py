"""Recorded battles of robots: from the first line of each round, turn by turn as in the engine, to 1e-9."""

import numpy as np
import pytest

from tests.envs.robocode.battles import fought
from tests.envs.robocode.traces import folder, rounds

BATTLES = [
    ("haiku.TestHaiku", "sample.SpinBot"),
    ("sample.Corners", "sample.Fire"),
    ("sample.SittingDuck", "sample.TrackFire"),
]


@pytest.mark.slow
@pytest.mark.parametrize("names", BATTLES, ids=" and ".join)
def test_recorded_battles_are_followed_to_their_ends(names):
    played = rounds(folder() / f"battle_{names[0]}_{names[1]}_seed1.csv.gz", " and ".join(names))
    found = fought(played, names)
    assert [float(np.nanmax(row)) <= 1e-9 for row in found] == [True] * 5


@pytest.mark.slow
def test_a_recorded_battle_is_followed_until_a_lot_decides_that_the_trace_does_not_show():
    # Who moves first where two robots ram each other shows in what they have seen alone: in the bearing of the other.
    names = "sample.RamFire", "sample.Crazy"
    played = rounds(folder() / f"battle_{names[0]}_{names[1]}_seed1.csv.gz", " and ".join(names))
    ends = [len(one.robots) for one in played]
    equal = []
    for later in (False, True):
        wrong = [
            np.flatnonzero(~(row[:end] <= 1e-9)) for row, end in zip(fought(played, names, later), ends, strict=True)
        ]
        equal.append([int(one[0]) if len(one) else end for one, end in zip(wrong, ends, strict=True)])
    assert ends == [1824, 581, 1744, 1412, 518]
    assert np.max(equal, 0).tolist() == [1024, 581, 590, 1298, 518]
