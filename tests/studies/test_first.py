"""How long first generations take: what the script refuses, and the table made from its rows."""

import pytest

from jaxgp.config import arguments
from jaxgp.errors import RunError
from studies.growth import first as study
from studies.growth.first import COLUMNS, GAMES, Options
from tables.speed import first as tables


def row(game, compiled, seconds):
    return dict.fromkeys(COLUMNS, "1") | {"game": game, "compiled": compiled, "seconds": seconds, "cpu_seconds": "9"}


def test_the_table_has_a_line_for_each_game_with_its_last_measurements_and_names_what_is_missed():
    measured = ("walls", "99", "9"), ("mancala", "30.0", "8.0"), ("walls", "31.2", "7.9")
    rows = [row(game, *each) for game, *both in measured for each in zip(("no", "yes"), both, strict=True)]
    _, _, *lines = tables.first({"first_generations": rows}).splitlines()
    assert lines == ["| mancala | 9 | 30 | 9 | 8 | 1 |", "| walls | 9 | 31: missed | 9 | 8 | 1 |"]


def test_another_game_is_refused_before_anything_is_run(capsys, tmp_path):
    assert "lose_checkers" in GAMES
    words = ["games=[walls,shogi]", f"table={tmp_path / 'table.csv'}"]
    assert arguments.main(Options, study.task, study.__doc__, words) == 2
    assert "games=[shogi]: accepted: backgammon, checkers" in capsys.readouterr().err.replace("'", "")
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_a_run_that_is_refused_is_told_in_one_line():
    with pytest.raises(RunError, match=r"^game=walls: no row after \d+ seconds \(game\.size=4: accepted: an odd"):
        study.measure("walls", ["game.size=4"], 60)
