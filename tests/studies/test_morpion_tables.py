"""The tables of docs/morpion.md, made from a few rows that are written here."""

import sys

import pytest

from jaxgp.errors import UsageError
from jaxgp.store import runs
from jaxgp.store.table import Table
from tests.scripts.commands import SCRIPTS

sys.path.insert(0, str(SCRIPTS))
from tables import morpion


def lines(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")]


def data(nested=(), **scores):
    return morpion.Data({name: dict(enumerate(values)) for name, values in scores.items()}, list(nested))


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


def test_nested_searches_of_one_seed_are_one_line():
    rows = [
        dict(zip(morpion.NESTED, ("nested", "100", seed, score, ""), strict=True)) for seed, score in ("09", "07", "18")
    ]
    assert lines(morpion.nested(data(rows)))[2:] == [
        ["nested", "100", "0", "9 7", "8.0", "9"],
        ["nested", "100", "1", "8", "8.0", "8"],
    ]


def test_rows_of_both_files_are_read_and_a_cell_that_is_no_number_is_one_line(tmp_path):
    row = dict.fromkeys(runs.COLUMNS, "") | {"experiment": "morpion_random", "seed": "3", "fitness": "91.0"}
    Table(tmp_path / "morpion_runs.csv", runs.COLUMNS).extend([row], print)
    old = Table(tmp_path / "morpion_scores.csv", morpion.SCORES)
    old.extend([dict.fromkeys(morpion.SCORES, "") | {"experiment": "morpion_best", "seed": "0", "score": "88"}], print)
    assert morpion.load(tmp_path).scores == {"morpion_random": {3: 91.0}, "morpion_best": {0: 88.0}}
    old.extend([dict.fromkeys(morpion.SCORES, "") | {"experiment": "morpion_best", "seed": "x", "score": "88"}], print)
    with pytest.raises(UsageError, match="a cell is not the number that it should be"):
        morpion.load(tmp_path)
