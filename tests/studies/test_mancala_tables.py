"""The tables of docs/mancala.md, made from a few rows that are written here."""

import sys

import pytest

from jaxgp.errors import UsageError
from jaxgp.measure import games
from jaxgp.study import curves
from tests.scripts.commands import SCRIPTS
from tests.studies.test_checkers_tables import lines

sys.path.insert(0, str(SCRIPTS))
from studies.measure import mancala_printed
from tables import mancala

EMPTY = mancala.Data([], [], [], [])


def seed(run, number, first=27, second=23, won="", improved=20, program="(ADD 1 2)"):
    made = (run, number, 150, first, second, won, 3, 50.5, 90, improved, program)
    return dict(zip(mancala.SEEDS, map(str, made), strict=True))


def met(title, number, points, player="champion aa", opponent="program", spread=10, score=0.5):
    about = {"player": player, "opponent": opponent, "games": 2000, "wins": 1000, "draws": 0, "score": score}
    about |= {
        "low": score - 0.02,
        "high": score + 0.02,
        "effective": 2000,
        "title": title,
        "run_seed": number,
        "seed": 0,
    }
    for seat in ("first", "second"):
        about |= {f"points_{seat}": points, f"spread_{seat}": spread}
    row = dict.fromkeys(games.COLUMNS, "") | about | {"game": "mancala"}
    return {name: str(value) for name, value in row.items()}


def went(title, number, points, sizes=(10, 20, 30)):
    rows = []
    for at, (found, size) in enumerate(zip(points, sizes, strict=False)):
        row = dict.fromkeys(curves.COLUMNS, "")
        row |= {"title": title, "seed": number, "generation": at, "evaluations": 100 * (at + 1)}
        rows.append({name: str(value) for name, value in (row | {"points": found, "mean_size": size}).items()})
    return rows


def played(program, first, second, **about):
    against = {"first_against": 48 - first, "second_against": 48 - second, "forfeits": 0}
    rules = {"capture": "never", "extra_turn": True, "ends": "either", "remaining": "owner", "view": "own"}
    row = dict.fromkeys(mancala_printed.COLUMNS, "") | rules | against | about
    return {name: str(value) for name, value in (row | {"program": program, "first": first, "second": second}).items()}


def test_tables_without_rows_say_so():
    for name, made in mancala.TABLES.items():
        assert "no rows yet" in made(EMPTY).lower(), name


def test_a_line_for_each_run_of_the_study():
    rows = [seed("run1", 1, improved=14, program="(IF_<_DO_ELSE_ 1 2 3 4)"), seed("run1", 0), seed("run2", 0)]
    found = lines(mancala.of_study(EMPTY._replace(seeds=rows), "run1"))
    assert found[2:] == [["0", "27 + 23", "3", "50 / 90", "20", "no"], ["1", "27 + 23", "3", "50 / 90", "14", "yes"]]


def test_observations_are_counted_with_intervals():
    rows = [seed("run1", n, improved=14 if n < 1 else 101) for n in range(10)]
    rows += [seed("default", n, first=25, second=25, won=10) for n in range(10)]
    found = {line[0]: line[1:] for line in lines(mancala.seen(EMPTY._replace(seeds=rows)))}
    assert found["won from both seats"] == ["0 of 10 (0 to 28 %)", "no rows yet", "10 of 10 (72 to 100 %)"]
    assert found["no improvement after generation 14"][0] == "1 of 10 (2 to 40 %)"
    assert found["an improvement after generation 100"][0] == "9 of 10 (60 to 98 %)"


def test_what_the_study_says_stands_beside_what_was_seen():
    rows = [seed("run1", n, improved=14 + n) for n in range(4)] + [seed("default", 0, first=25, second=25, won=3)]
    rows += [seed("run2", n, improved=100 + n, program="(IF_<_DO_ELSE_ 1 2 3 4)") for n in range(2)]
    met_by = [met("run 1", n, points) for n, points in enumerate((20, 50))] + [met("run 1", 0, 40, mancala.SEARCH)]
    found = {line[0].split(" (")[0]: line[1] for line in lines(mancala.says(EMPTY._replace(seeds=rows, games=met_by)))}
    assert found["both runs end in programs that beat the search from both seats"].startswith("in 0 of 6 runs")
    assert found["run 1 stalls by generation 14"] == (
        "in 1 of 4 runs: the last improvement comes in generations 14 to 17 (median 16)"
    )
    assert found["run 2 improves past generation 100"] == "in 1 of 2 runs"
    assert found["run 2's best program does not use IF"] == "in 0 of 2 runs"
    assert found["programs are specialists: random programs lose to them by less than to the search"].startswith(
        "in 1 of 2"
    )


def test_champions_stand_beside_the_search_with_the_mean_of_each_group():
    rows = [met("run 1", n, points) for n, points in enumerate((20, 30))]
    rows += [met("run 1", 0, 40, mancala.SEARCH), met("run 1", 1, 99, opponent="random")]
    found = lines(mancala.specialists(EMPTY._replace(games=rows)))
    # 1.96 * 10 / sqrt(1000) is 0.62.
    assert found[2][:2] == ["search of eight plies", "40.0 (39.4 to 40.6)"]
    assert [line[0] for line in found[3:]] == ["run 1, seed 0", "run 1, seed 1", "**run 1, mean of 2 champions**"]
    assert found[5][1].startswith("25.0 (")
    assert found[3][3] == "50.0 % (48.0 to 52.0)"


def test_games_until_a_target_count_those_of_runs_without_it():
    rows = [seed("default", n, won=won) for n, won in enumerate((0, 9))] + [seed("run1", 0)]
    data = EMPTY._replace(seeds=rows, curves=[*went("run 2", 0, (49, 50, 50)), *went("run 2", 1, (1, 2, 3))])
    found = {tuple(line[:2]): line[2:] for line in lines(mancala.expected(data))}
    assert found["default", "the search beaten from both seats"][0] == "2 of 2"
    assert found["default", "the search beaten from both seats"][1].startswith("5,632 (1,024 to ")
    assert found["run 1", "the search beaten from both seats"] == ["0 of 1", "not known", "153,600"]
    assert found["run 2", "50 points, as 27 + 23"][1].startswith("500 (200 to no upper end")
    assert found["run 2", "51 points or more"] == ["0 of 2", "not known", "600"]


def test_curves_are_shown_at_some_generations():
    rows = [row for n, best in enumerate((40, 44)) for row in went("run 1", n, (best, best - 2, best + 1))]
    found = {line[0]: line[1:] for line in lines(mancala.curve(EMPTY._replace(curves=rows)))}
    assert found["run 1, 2 runs: points of the best so far"][0].startswith("42.0 (")
    assert found["run 1, 2 runs: mean nodes"] == ["10 (10 to 10)", "", "", "", ""]


def test_groups_of_the_ablation_are_compared_in_the_last_generation_of_all():
    groups = {
        "ablation default": [(50, 56 + n, 99) for n in range(5)],
        "ablation no power": [(20, 30 + n) for n in range(5)],
        "ablation same": [(50, 56 + n) for n in range(5)],
    }
    rows = [row for title, some in groups.items() for n, best in enumerate(some) for row in went(title, n, best)]
    for row in rows:
        row["beaten"] = str(int(float(row["points"]) > 55))
    found = {line[0]: line[1:] for line in lines(mancala.ablation(EMPTY._replace(curves=rows)))}
    assert found["runs"][1].startswith("points in generation 1")
    assert found["default"][:2] == ["5", "58.0 (56 to 60)"]
    assert found["default"][3:] == ["5 of 5 (57 to 100 %)", "200 (200 to 200)", "", ""]
    assert found["no power"][3].startswith("0 of 5")
    assert found["no power"][4] == "not known"
    assert found["no power"][5].startswith("0.00 (")
    assert float(found["no power"][6]) == pytest.approx(2 * 0.0079, abs=0.001), "two tests, corrected"
    assert found["same"][5].startswith("0.50 (")


def test_run_2_without_if_is_compared_in_the_last_generation_of_both():
    rows = [row for n in range(3) for row in went("run 2", n, (40, 45, 50 + n))]
    rows += [row for n in range(3) for row in went(mancala.WITHOUT, n, (30, 35 + n))]
    found = lines(mancala.without(EMPTY._replace(curves=rows)))
    assert found[0][2].startswith("points in generation 1")
    assert found[2][:3] == ["run 2", "3", "45 (45 to 45)"]
    assert found[3][:3] == ["run 2 without IF", "3", "36 (35 to 37)"]
    assert found[3][4].startswith("0.00 (")


def test_wins_of_the_printed_programs_are_listed_by_rules():
    rows = [played(1, 27, 25), played(1, 30, 20), played(2, 28, 26, forfeits=1), played(2, 20, 25)]
    data = EMPTY._replace(printed=rows)
    assert [line[:5] for line in lines(mancala.printed(data))[2:]] == [
        ["1", "2", "2", "1", "1"],
        ["2", "2", "0", "1", "0"],
    ]
    wins = lines(mancala.printed_wins(data))[2:]
    assert [(line[0], line[-1].rpartition(": ")[2]) for line in wins] == [("1", "27 + 25")]


def test_a_damaged_cell_is_named(tmp_path):
    (tmp_path / "mancala_seeds.csv").write_text(",".join(mancala.SEEDS) + "\nrun1,0,150,x,23,,3,50,90,20,1\n")
    with pytest.raises(UsageError, match="mancala_seen: a cell is not the number that it should be"):
        mancala.parts(tmp_path)["mancala_seen"]()
