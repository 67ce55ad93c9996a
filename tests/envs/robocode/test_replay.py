"""Recorded rounds of the engine, turn by turn: from the commands of both robots alone, to 1e-9."""

import numpy as np

from tests.envs.robocode.traces import SETS, commanded, replayed


def test_recorded_rounds_are_followed_from_their_commands():
    turns = 0
    for name in SETS:
        played, places = commanded(name)
        found = replayed(played, places)
        turns += (~np.isnan(found)).sum()
        for row, one in zip(found, played, strict=True):
            gaps = row[: len(one.robots)]
            assert gaps.max() <= 1e-9, (name, one.number, int(np.argmax(gaps > 1e-9)) + 1, gaps.max())
    assert turns == 28978
