"""A log that cannot be written does not stop a run: its results are files."""

import subprocess
import sys

import pytest

from tests.scripts.commands import SCRIPTS

TINY = (
    "game=walls game.size=3 algorithm.population=20 algorithm.immigrants=2 algorithm.generations=3 "
    "algorithm.stop=never logger=disabled checkpoint_every=1"
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A folder for compiled programs, so that each run after the first is quick."""
    return tmp_path_factory.mktemp("compiled")


@pytest.mark.slow
@pytest.mark.parametrize("log", ["2>&1 | head -c 100", "> /dev/full 2>&1", "1<&- 2<&-"])
def test_a_run_goes_on_when_its_log_cannot_be_written(tmp_path, cache, log):
    places = f"compilation_cache={cache} hydra.run.dir={tmp_path / 'run'}"
    shell = ["bash", "-c", f"set -o pipefail; {sys.executable} {SCRIPTS / 'train.py'} {TINY} {places} {log}"]
    done = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()) == 3
    assert (tmp_path / "run" / "report.html").is_file()
