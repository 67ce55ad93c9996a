"""The tables of docs/mancala.md on players of more than one opponent, made from a few rows that are written here."""

import sys

from tests.scripts.commands import SCRIPTS
from tests.studies.test_checkers_tables import lines
from tests.studies.test_mancala_tables import met

sys.path.insert(0, str(SCRIPTS))
from tables import kalah, mancala

EMPTY = kalah.Data([], [])


def test_tables_without_rows_say_so():
    for name, made in kalah.TABLES.items():
        assert "no rows yet" in made(EMPTY).lower(), name


def test_searching_champions_are_shown_beside_the_search_of_eight_plies():
    opponent, direct = "search depth=8 evaluator=material ties=random", "program role=program"
    rows = [met(mancala.LEAVES, 0, 25, "champion a depth=2", one) for one in (opponent, "program", direct)]
    rows += [rows[0] | {"seed": "1", "points_first": "27", "spread_first": "0"}]
    rows += [met(mancala.LEAVES, 0, 30, mancala.SEARCH), met("run 1", 3, 40, mancala.SEARCH), met("run 1", 3, 20)]
    found = lines(kalah.general(EMPTY._replace(games=rows)))[2:]
    assert [line[:3] for line in found] == [
        ["random programs at leaves", "search of eight plies", "2,000"],
        ["random programs at leaves", "seed 0, 2 plies", "2,000"],
        ["random programs that name a pit", "search of eight plies", "2,000"],
        ["random programs that name a pit", "seed 0, 2 plies", "2,000"],
        ["8 plies, random ties", "seed 0, 2 plies", "4,000"],
    ]
    assert [line[4].split()[0] for line in found] == ["30.0", "25.0", "40.0", "25.0", "26.0"]
    assert found[1][4] == "25.0 (24.4 to 25.6)", "1.96 times 10 over the root of 1,000"
    assert found[4][4] == "26.0 (25.7 to 26.3)", "the spread of 2,000 games, half at 25 +- 10 and half at 27"


def test_other_ways_of_training_stand_beside_each_other_and_nowhere_else():
    def taken(number, depth, wins):
        row = met(mancala.LEAVES, 9, 20, f"champion {number} depth={depth}", kalah.BENCHMARK)
        return row | {"run": f"docs/data/champions/mancala_tries_{number}.json", "wins": str(wins)}

    data = EMPTY._replace(games=[taken(1, 4, 500), taken(1, 6, 1000), taken(0, 4, 200)])
    found = lines(kalah.tries(data))[2:]
    assert [line[0] for line in found] == list(kalah.TRIES)
    assert found[0][1:] == ["2,000", "10.0 % (8.8 to 11.4)", "", ""]
    assert [cell.split(" (")[0] for cell in found[1][1:]] == ["2,000", "25.0 %", "2,000", "50.0 %"]
    assert mancala.NONE in kalah.general(data)


def test_older_measurements_are_shown_by_seat():
    share = {"games": "1000", "points": "14.6", "against": "", "won": "8.2", "low": "6.7", "high": "10.1"}
    single = {"games": "1", "points": "41", "against": "7"} | dict.fromkeys(("won", "low", "high"), "")
    rows = [{"player": "mine", "opponent": "b", "seat": "first"} | share]
    rows += [{"player": "mine", "opponent": "a", "seat": "second"} | single]
    rows += [{"player": "search of eight plies", "opponent": "b", "seat": "second"} | share]
    assert lines(kalah.panel(EMPTY._replace(panel=rows), "mine"))[2:] == [
        ["b", "8.2 % (6.7 to 10.1), 14.6", ""],
        ["a", "", "won, 41 : 7"],
        ["search of eight plies against b", "", "8.2 % (6.7 to 10.1), 14.6"],
    ]
