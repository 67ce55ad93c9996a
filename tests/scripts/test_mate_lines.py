"""Rows of lines of lists of mates: what is measured is written, and the other cells stay."""

import csv
import shutil
from pathlib import Path

import pytest

import envs.mate
from envs.mate.suites import SETS
from jaxgp.errors import UsageError
from rivals.plain import mate
from studies.mate import problems

PROBLEMS = Path(envs.mate.__file__).with_name("problems.txt")

LINES = (
    '6k1/5ppp/8/8/8/8/8/K3R3 w - - dm 1; id "hand"; c1 "exact";',
    '7k/8/5K2/8/8/8/8/6R1 w - - dm 2; id "hand"; c1 "exact";',
)


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_cells_that_are_not_measured_stay(tmp_path):
    source, target = tmp_path / "lines.epd", tmp_path / "lines.csv"
    source.write_text("\n".join(LINES) + "\n")
    where = {"part": "lines", "file": str(source), "save": str(target)}
    problems.task(problems.Options(**where, columns=["few", "shortest"]))
    problems.task(problems.Options(**where, columns=["keys"], n=[2]))
    problems.task(problems.Options(**where, columns=["few_moves", "dfpn_replies"], lines=[2]))
    one, two = csv.DictReader(target.open())
    assert (one["shortest"], one["keys"], one["dfpn_replies"]) == ("1", "", "")
    assert (two["shortest"], two["keys"], two["open"]) == ("2", "f6f7", "0")
    assert int(two["dfpn_replies_distinct"]) <= int(two["dfpn_replies"])
    assert one["few"]
    assert not one["few_moves"]
    assert int(two["few_moves"]) <= int(two["few"])


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_keys_by_depth_are_those_that_proof_numbers_had_found():
    lines = [line.split("; ") for line in PROBLEMS.read_text().splitlines() if not line.startswith("#")]
    said = mate.ask(["keys", "1000000"], [(text, int(n)) for text, n, *_ in lines])
    assert [line.split(" ", 1)[1] for line in said] == [keys for *_, keys in lines]


def test_a_column_that_is_none_is_refused(tmp_path):
    with pytest.raises(UsageError, match="columns=queens: accepted: some of keys, shortest"):
        problems.measure([], problems.Options(columns=["queens"]))


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_hard_problems_are_those_that_take_many_moves_and_are_not_for_reports():
    lines = [f"{line.split(' dm ')[0]}; {n}; 50; {name}; a1a2" for n, line in enumerate(LINES, 1) for name in SETS]
    found = problems.hard(["# head", *lines], problems.Options(least=2))
    assert found == [line for line in lines if "; 2; " in line and "report" not in line]
