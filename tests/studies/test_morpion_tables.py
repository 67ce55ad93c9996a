"""The tables of docs/results/morpion.md, made from a few rows that are written here."""

import sys

import pytest

from jaxgp.errors import UsageError
from jaxgp.store import runs
from jaxgp.store.table import Table
from tests.scripts.commands import SCRIPTS

sys.path.insert(0, str(SCRIPTS))
from tables.puzzles import morpion


def lines(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")]


def row(experiment, seed, score):
    return {"experiment": experiment, "seed": str(seed), "score": str(score), "command": ""}


def data(nested=(), **scores):
    rows = [row(name, seed, value) for name, values in scores.items() for seed, value in enumerate(values)]
    return morpion.Data([], rows, list(nested))


def test_tables_without_rows_say_so():
    for name, made in morpion.TABLES.items():
        assert "no rows yet" in made(data()).lower(), name


def test_runs_are_listed_by_seed_with_mean_and_interval():
    found = lines(morpion.own(data(morpion_closest=[90, 100, 95])))
    # The standard error is 5 / sqrt(3); Student's t with two degrees of freedom is 4.303 at 97.5 %.
    assert found[2][:5] == ["`morpion_closest`", "0..2", "90 100 95", "95.0 (82.6 to 107.4)", "100"]
    assert len(found) == 3, "the other function set has no rows"
    many = lines(morpion.own(data(morpion_closest=range(80, 101))))
    assert many[2][1:3] == ["0..20", "80 to 100, median 90"]


def test_what_stands_in_is_compared_with_both_function_sets_in_one_family():
    low, high = [80, 81, 82, 83, 84, 85, 86, 87], [90, 91, 92, 93, 94, 95, 96, 97]
    found = lines(morpion.others(data(morpion_closest=high, morpion_points=low, morpion_random=low)))
    assert [line[0] for line in found[2:]] == ["getClosestToLast", "nothing else", "getRandom"]
    # No pair of 64 is won, exact p = 2 / C(16, 8) = 0.00016, times two for the family.
    assert found[4][-2] == "0.00 (0.00 to 0.00), p < 0.001 *"
    assert found[4][-1].startswith("0.50 (0.2")
    assert found[4][-1].endswith("p = 1.000")
    assert found[2][-2:] == ["", ""]


def test_runs_of_another_size_are_groups_of_their_own():
    def size(number, score, population="1024", generations="51"):
        about = {"experiment": "morpion_closest", "seed": str(number), "fitness": str(score)}
        return dict.fromkeys(runs.COLUMNS, "") | about | {"population": population, "generations": generations}

    small = [size(number, 90 + number) for number in range(6)]
    large = [size(number, 100 + number, population="2048") for number in range(6)]
    long = [size(number, 90 + number, generations="102") for number in range(6)]
    found = lines(morpion.larger(morpion.Data([*small, *large, *long], [], [])))[2:]
    assert [line[:2] for line in found] == [
        ["1,024 individuals, 51 generations", "6"],
        ["2,048 individuals, 51 generations", "6"],
        ["1,024 individuals, 102 generations", "6"],
    ]
    # All of six above all of six others: p = 2 / C(12, 6) = 0.0022, twice that after Holm.
    assert found[1][4] == "1.00 (1.00 to 1.00), p = 0.004 *"
    assert found[2][4].endswith("p = 1.000")


def test_nested_searches_of_one_seed_are_one_line():
    rows = [
        dict(zip(morpion.NESTED, ("nested", "100", seed, score, ""), strict=True)) for seed, score in ("09", "07", "18")
    ]
    assert lines(morpion.nested(data(rows)))[2:] == [
        ["nested", "100", "0", "9 7", "8.0", "9"],
        ["nested", "100", "1", "8", "8.0", "8"],
    ]


def made(folder, experiment, seed, score):
    """Add a row to the table of runs of a folder."""
    about = {"experiment": experiment, "seed": seed, "fitness": score}
    Table(folder / "morpion_runs.csv", runs.COLUMNS).extend([dict.fromkeys(runs.COLUMNS, "") | about], print)


def test_rows_of_both_files_are_read_and_of_one_seed_that_of_the_run_counts(tmp_path):
    old = [row("morpion_points", 0, 84), row("morpion_points", 1, 85), row("morpion_best", 0, 88)]
    Table(tmp_path / "morpion_scores.csv", morpion.SCORES).extend(old, print)
    made(tmp_path, "morpion_random", 3, 91.0)
    made(tmp_path, "morpion_points", 1, 90.0)
    assert morpion.scores(morpion.load(tmp_path)) == {
        "morpion_points": {0: 84, 1: 90},
        "morpion_best": {0: 88},
        "morpion_random": {3: 91},
    }


@pytest.mark.parametrize("cell", ["seed", "score"])
def test_a_cell_that_is_no_number_is_one_line(tmp_path, cell):
    about = {"experiment": "morpion_points", "seed": 0, "score": 88, cell: "x"}
    made(tmp_path, **about)
    for name in ("morpion_runs", "morpion_best", "morpion_others"):
        with pytest.raises(UsageError, match=f"{name}: a cell is not the number that it should be") as error:
            morpion.parts(tmp_path)[name]()
        assert "\n" not in str(error.value)


def test_a_nested_search_whose_score_is_no_number_is_one_line(tmp_path):
    search = dict(zip(morpion.NESTED, ("nested", "100", "0", "many", ""), strict=True))
    Table(tmp_path / "morpion_nested.csv", morpion.NESTED).extend([search], print)
    with pytest.raises(UsageError, match="morpion_nested: a cell is not the number"):
        morpion.parts(tmp_path)["morpion_nested"]()


def test_runs_with_get_best_are_compared_with_those_that_there_are():
    low, high = [80, 81, 82, 83, 84, 85, 86, 87], [90, 91, 92, 93, 94, 95, 96, 97]
    found = lines(morpion.best(data(morpion_points=low, morpion_best=high)))
    # All 64 pairs are won, exact p = 2 / C(16, 8) = 0.00016; there is nothing else in the family.
    assert found[2][0] == "getBest"
    assert found[2][-2:] == ["", "1.00 (1.00 to 1.00), p < 0.001 *"]
    assert len(found) == 3
