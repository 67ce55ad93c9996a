"""What tables of documents are made with: rows of files, and the usual ways to make a table of them."""

import gzip

import pytest

from jaxgp.errors import UsageError
from tables.shared.data import Data, by, cross, guard, listing
from tables.shared.growth import fit

ROWS = "opponent,size,seat,won\nrandom,3,first,9\nrandom,3,second,8\nsearch,3,second,7\n"


@pytest.fixture
def data(tmp_path):
    (tmp_path / "plain.csv").write_text(ROWS)
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(ROWS.encode()))
    return Data(tmp_path)


def test_rows_are_read_whether_they_are_compressed_or_not(data):
    assert data["packed"] == data["plain"]
    assert data["plain"][1] == {"opponent": "random", "size": "3", "seat": "second", "won": "8"}


def test_a_line_for_each_row(data):
    columns = {"who": "{opponent} {size}", "twice": lambda row: str(2 * int(row["won"]))}
    assert listing(data["plain"], columns).splitlines() == [
        "| who | twice |",
        "| --- | --- |",
        "| random 3 | 18 |",
        "| random 3 | 16 |",
        "| search 3 | 14 |",
    ]


def test_the_values_of_a_cell_become_columns(data):
    seats = {"first": "as first", "second": "as second"}
    found = cross(data["plain"], {"opponent": "opponent"}, "seat", seats, "{won} won".format_map).splitlines()
    assert found[0] == "| opponent | as first | as second |"
    assert found[2:] == ["| random | 9 won | 8 won |", "| search |  | 7 won |"]


def test_groups_stand_in_the_order_of_the_file(data):
    assert [(names, len(rows)) for names, rows in by(data["plain"], "opponent").items()] == [
        (("random",), 2),
        (("search",), 1),
    ]


@pytest.mark.parametrize(
    "content", [b"a,b\n1\n", b"", gzip.compress(ROWS.encode(), mtime=0)[:-9]], ids=["short row", "empty", "torn"]
)
def test_a_damaged_file_is_one_line(tmp_path, content):
    name = "rows.csv" if content[:1] in (b"a", b"") else "rows.csv.gz"
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=r"rows.csv[.gz]*: cannot be read") as error:
        Data(tmp_path)["rows"]
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("maker", [lambda data: data["none"], lambda data: int(data["plain"][0]["seat"])])
def test_rows_that_a_table_cannot_use_are_one_line(data, maker):
    with pytest.raises(UsageError) as error:
        guard({"mine": maker}, data)["mine"]()
    assert "\n" not in str(error.value)


def test_growth_is_fitted_by_a_power_law_and_an_exponential():
    power, _ = fit([3, 5, 7], [9, 25, 49])
    assert (power.form, round(power.rate, 6), str(power)) == ("power", 2.0, "1 N^2.00")
    exponential, _ = fit([1, 2, 3], [10, 100, 1000])
    assert (exponential.form, round(exponential.low, 3)) == ("exponential", 2.303)
    assert fit([3, 5], [1, 2]) == ()
