"""Games of gnubg against Pubeval: the loop of a game, shares of points, what is said where gnubg-nn is missing."""

import random

import numpy as np
import pytest

from jaxgp.config import arguments
from rivals.plain import backgammon as plain
from studies.backgammon import gnubg as study


def runner(men, roll):
    """Plays the first of all turns in their order."""
    return min(plain.turns(*men, (max(roll), min(roll))))


def test_each_side_begins_half_of_the_games_and_points_have_a_sign():
    begun = []

    def noting(seat):
        def choose(men, roll):
            if men == (plain.START, plain.START) and (not begun or begun[-1] is None):
                begun.append(seat)
                assert roll[0] != roll[1]
            return runner(men, roll)

        return choose

    found = []
    for number in range(6):
        found.append(study.game((noting(0), noting(1)), number % 2, random.Random(number)))
        begun.append(None)
    assert [seat for seat in begun if seat is not None] == [0, 1] * 3
    assert {abs(points) for points, _ in found} <= {1, 2, 3}
    assert {points > 0 for points, _ in found} == {True, False}
    assert all(turns % 2 == (points > 0) ^ (n % 2) for n, (points, turns) in enumerate(found)), "who wins plays last"


def test_a_share_of_points_has_the_interval_of_a_ratio():
    """Beside the spread of shares of 4,000 samples."""
    drawn = np.random.default_rng(0).choice([3, 2, 1, -1, -2], (4000, 400), p=[0.02, 0.2, 0.48, 0.2, 0.1])
    shares = np.array([study.share(row) for row in drawn])
    inside = ((shares[:, 1] < 0.94 / 1.34) & (shares[:, 2] > 0.94 / 1.34)).mean()
    assert 0.93 < inside < 0.97
    assert study.share(np.array([2, 1, -1, -1]))[0] == pytest.approx(3 / 5)


def test_points_are_counted_as_gnubg_counts_them():
    men = plain.START, plain.START
    assert study.board(men)[0][23] == study.board(men)[1][23] == 2
    after = study.move_men(men, [(8, 5), (6, 5)])
    assert (after[0][5], after[0][8], after[0][6]) == (2, 2, 4)
    assert study.move_men((after[0], after[1]), [(5, 0)])[0][plain.OFF] == 1


def test_without_gnubg_nn_one_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(study.importlib.util, "find_spec", lambda name: None)
    assert arguments.main(study.Options, study.task, "", []) == 2
    assert capsys.readouterr().err == "error: gnubg_nn: is not installed; accepted: pip install gnubg-nn\n"


def test_games_are_noted_in_a_table(tmp_path, capsys):
    pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed")
    path = tmp_path / "games.csv"
    assert arguments.main(study.Options, study.task, "", ["games=20", f"table={path}"]) == 0
    [row] = study.CSVTable(path, study.COLUMNS).read()
    assert row["games"] == "20"
    assert "20 games" in capsys.readouterr().out
    assert float(row["low"]) < float(row["score"]) < float(row["high"])
    assert float(row["share"]) == pytest.approx(float(row["points"]) / (float(row["points"]) + float(row["against"])))
