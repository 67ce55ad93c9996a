"""A run of searches on problems, of a game in a folder outside: it goes on after a stop as if there had been none."""

import json
from pathlib import Path

import pytest

from tests.scripts.commands import compiled_once, train

GAME = f"game={Path(__file__).parents[1] / 'fixtures' / 'last_stone'}"
SMALL = (GAME, "logger=disabled", "compilation_cache=null")

autouse = pytest.fixture(autouse=True, scope="module")(compiled_once)


def rows(directory):
    lines = (directory / "metrics.jsonl").read_text().splitlines()
    return [{k: v for k, v in json.loads(line).items() if "second" not in k and k != "elapsed"} for line in lines]


@pytest.mark.thorough
def test_a_run_goes_on_bit_by_bit(tmp_path):
    assert train(*SMALL, f"hydra.run.dir={tmp_path}/whole") == 0
    whole = rows(tmp_path / "whole")
    assert whole[-1]["standing_solved"] > 0.3
    assert 0 < whole[-1]["standing_nodes"] < 1
    assert train(*SMALL, "algorithm.generations=2", f"hydra.run.dir={tmp_path}/cut") == 0
    assert train(f"resume={tmp_path}/cut", GAME, "algorithm.generations=3") == 0
    assert rows(tmp_path / "cut") == whole
    champions = [json.loads((tmp_path / name / "champion.json").read_text()) for name in ("whole", "cut")]
    assert champions[0]["text"] == champions[1]["text"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("fitness.limit=3", "fitness.limit=3: accepted: a whole number from 6"),
        ("fitness.longest=1", "fitness.longest=1: accepted: an n that some problem of the suite has"),
    ],
)
def test_wrong_options_are_refused_in_one_line(given, said, capsys):
    assert train(*SMALL, given) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
