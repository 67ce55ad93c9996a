"""Whoever gives a run directory to somebody else cannot make a command hang, break, or run code."""

import subprocess
import sys

import pytest

from tests.reliability import children, harms
from tests.reliability.children import ROOT, carry_out, fault

CODE = ("a call", "a new object", "a module")
CONFIG = (*CODE, "aliases that multiply", "merge keys that multiply", "deep", "an alias of itself", "fifo", "no UTF-8")
CHAMPION = (
    "deep",
    "deep objects",
    "NaN",
    "a list",
    "a number of many digits",
    "python",
    "fifo",
    "empty",
    "link to itself",
)


@pytest.fixture
def run(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.yaml").write_text("title: ''\nseed: 1\n")
    (tmp_path / "run" / "champion.json").write_text('{"format": "jaxgp champion"}\n')
    return tmp_path / "run"


def met(folder, script, *words):
    """Carry out a command that has to be refused before JAX computes."""
    return carry_out(lambda: children.script(script, words), folder, folder / "said", 10, memory=6 * 2**30)


@pytest.mark.few(3)
@pytest.mark.parametrize("harm", CONFIG)
def test_a_hostile_configuration_is_refused_in_one_line(harm, run, tmp_path):
    (harms.ANY | harms.YAML)[harm](run / "config.yaml")
    ended = met(tmp_path, "train", "resume=run")
    assert (fault(ended), ended.code) == ("", 2)
    assert not (tmp_path / harms.CANARY).exists()


@pytest.mark.few(3)
@pytest.mark.parametrize("harm", CHAMPION)
def test_a_hostile_champion_is_refused_in_one_line(harm, run, tmp_path):
    (harms.ANY | harms.JSON)[harm](run / "champion.json")
    ended = met(tmp_path, "export", "run=run")
    assert (fault(ended), ended.code) == ("", 2)
    assert not (tmp_path / harms.CANARY).exists()


def test_code_that_was_run_would_be_seen(tmp_path):
    """The pickles are dangerous where pickles are read."""
    (tmp_path / "pickle").touch()
    harms.NPZ["a pickle"](tmp_path / "pickle")
    carry_out(lambda: __import__("pickle").load(open("pickle", "rb")), tmp_path, tmp_path / "said", 5)  # noqa: SIM115
    assert (tmp_path / harms.CANARY).exists()


@pytest.mark.slow
def test_hostile_files_in_the_place_of_every_file_of_a_run_do_no_harm():
    command = [sys.executable, "-m", "tests.reliability.hostile"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3600, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
