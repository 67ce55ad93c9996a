"""The script as people start it: in a process of its own, from any directory."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.scripts import commands

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "train.py"
TINY = [
    "game.pits=3",
    "game.stones=2",
    "algorithm.population=12",
    "algorithm.generations=3",
    "algorithm.capacity=64",
    "fitness.opponents.minimax.depth=2",
    "fitness.table_size=1024",
    "fitness.lanes=8",
    "fitness.max_plies=60",
    "logger=disabled",
]
FOLDER = ROOT / "tests" / "fixtures" / "connect_four"
OUTSIDE = [
    f"game={FOLDER}",
    "game.width=5",
    "game.height=4",
    "game.line=3",
    "algorithm.population=4",
    "algorithm.generations=3",
    "algorithm.capacity=16",
    "algorithm.creation.max_depth=3",
    "fitness.opponents.minimax.kind=random",
    "logger=disabled",
]
# The results of these runs matter, not their speed: compile quickly.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}


def train(cwd, *arguments):
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=300, check=False)


def rows(run):
    """Return the record of a run without its times."""
    found = [json.loads(row) for row in (run / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in row.items() if key not in ("seconds", "elapsed")} for row in found]


def test_a_mistake_is_one_quick_line(tmp_path):
    done = train(tmp_path, "algorithm.population=abc")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_options_are_checked_before_jax_is_imported(tmp_path):
    code = (
        "import runpy, sys\n"
        f"sys.argv = [{str(SCRIPT)!r}, 'algorithm.population=0']\n"
        f"try: runpy.run_path({str(SCRIPT)!r}, run_name='__main__')\n"
        "except SystemExit as ended: print(ended.code, 'jax' in sys.modules, 'matplotlib' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "2 False False\n"


def check_tiny_run(folder, said):
    """Check what a run has left in the directory that it was started from; return its own directory."""
    assert "Koza tableau" in said
    assert "expression: " in said
    (run,) = (folder / "outputs").glob("*/*/*")
    record = rows(run)
    assert [row["generation"] for row in record] == [0, 1, 2]
    assert json.loads((run / "status.json").read_text())["state"] == "complete"
    assert not list(run.glob(".hydra"))
    return run


def test_a_tiny_run_from_anywhere_of_a_game_from_a_folder_leaves_a_run_directory(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert commands.train(*OUTSIDE, "compilation_cache=null") == 0
    run = check_tiny_run(tmp_path, capsys.readouterr().out)
    champion = json.loads((run / "champion.json").read_text())
    assert champion["game"] == {"name": "connect_four", "width": 5, "height": 4, "line": 3}
    assert champion["program"] == {"role": "move", "centre": True}
    assert "#258" in (run / "report.html").read_text(), "the boards of games are drawn"
    assert commands.train(f"resume={run}", "algorithm.generations=4") == 2, "no file makes the folder be imported"
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "connect_four" in error


@pytest.mark.slow
@pytest.mark.parametrize("options", [TINY, OUTSIDE], ids=["mancala", "connect_four"])
def test_a_process_leaves_a_run_directory(tmp_path, options):
    done = train(tmp_path, *options, "cores=2", "compilation_cache=null")
    assert done.returncode == 0, done.stderr
    run = check_tiny_run(tmp_path, done.stdout)
    assert (run / "report.html").is_file()


@pytest.mark.slow
def test_a_run_begun_on_two_cores_goes_on_with_three_as_it_would_with_one(tmp_path):
    cache = f"compilation_cache={tmp_path}/cache"
    for options in (
        [*TINY, "hydra.run.dir=one", "cores=1"],
        [*TINY, "hydra.run.dir=two", "cores=2", "algorithm.generations=2"],
        ["resume=two", "cores=3", "algorithm.generations=3"],
    ):
        done = train(tmp_path, *options, cache)
        assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "two") == rows(tmp_path / "one")
    assert (tmp_path / "two" / "champion.json").read_text() == (tmp_path / "one" / "champion.json").read_text()


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_end(tmp_path):
    cache = f"compilation_cache={tmp_path}/cache"
    whole = train(tmp_path, *TINY, cache, "algorithm.generations=400", "hydra.run.dir=whole")
    assert whole.returncode == 0, whole.stderr
    # The first is killed between two checkpoints, the second while it starts.
    command = [sys.executable, str(SCRIPT), *TINY, cache, "algorithm.generations=400", "checkpoint_every=4"]
    for part in ("hydra.run.dir=killed", "resume=killed"):
        with subprocess.Popen([*command, part], cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 300
            while process.poll() is None and not list((tmp_path / "killed").glob("checkpoints/*.npz")):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            process.kill()
    done = train(tmp_path, "resume=killed")
    assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "killed") == rows(tmp_path / "whole")
    assert (tmp_path / "killed" / "champion.json").read_text() == (tmp_path / "whole" / "champion.json").read_text()
