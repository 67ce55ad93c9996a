"""Runs that are killed and resumed come to the end of runs that nobody disturbed; and a difference would be seen."""

import json
import os
import re
import select
import signal
import subprocess
import sys

import numpy as np
import pytest

import envs
from jaxgp.config import compose, validate
from jaxgp.config.schema import Config
from tests.reliability import children, kills
from tests.reliability.children import ROOT


def run_directory(folder, **changes):
    """A run directory of two generations, as its end is compared."""
    said = {"elapsed": 1.5, "fitness": 2.0, "champion": "own", "value": 1.0, "newest": 2} | changes
    (folder / "checkpoints").mkdir(parents=True)
    rows = ({"generation": n, "best_fitness": said["fitness"], "elapsed": said["elapsed"]} for n in range(2))
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "champion.json").write_text(json.dumps({"text": said["champion"]}))
    for generation in (1, said["newest"]):
        np.savez(folder / "checkpoints" / f"generation_{generation:08d}.npz", state=np.float32(said["value"]))
    return kills.end(folder)


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"elapsed": 99.0}, []),
        ({"fitness": 2.0000000000000004}, ["metrics.jsonl differs"]),
        ({"champion": "other"}, ["champion.json differs"]),
        ({"value": 1.0000001}, ["checkpoints/generation_00000002.npz differs"]),
        ({"newest": 3}, ["checkpoints/generation_00000002.npz differs", "checkpoints/generation_00000003.npz differs"]),
    ],
)
def test_a_difference_of_one_bit_is_seen_and_one_of_time_is_none(change, differs, tmp_path):
    whole, killed = run_directory(tmp_path / "whole"), run_directory(tmp_path / "killed", **change)
    assert kills.differences(whole, killed) == differs


def test_rows_set_aside_are_the_first_ones_of_the_record():
    rows = [{"generation": 0, "best_fitness": 1.0}, {"generation": 1, "best_fitness": 2.0}]
    whole = {"metrics.jsonl": rows}
    assert kills.differences(whole, whole | {"metrics_1.jsonl": rows[:1]}) == []
    assert kills.differences(whole, whole | {"metrics_1.jsonl": rows[1:]}) == ["metrics_1.jsonl differs"]
    assert kills.differences(whole, {"metrics_1.jsonl": rows}) == ["metrics.jsonl differs"]


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", [name for name, kind in kills.RUNS.items() if kind.script == "train"])
def test_the_options_of_every_kind_of_run_are_accepted(kind):
    words = [word for word in kills.RUNS[kind].words.split() if not word.startswith("hydra")]
    if words[0] == "-m":
        words = [re.sub(r"^(seed=\d+),.*", r"\1", word) for word in words[1:]]
    placed = compose.name_folder(words, envs)
    with compose.Composer(Config, ROOT / "conf", "config", placed.folders) as composer:
        validate.check(composer.compose(placed.overrides), placed.games)


@pytest.mark.thorough
def test_jax_is_imported_after_the_environment_that_lets_it_compile_quickly_and_keep_programs():
    program = """
import sys
from tests.reliability import children, fuzzer, hostile, kills
assert "jax" not in sys.modules
children.preload()
import jax
assert jax.config.jax_compilation_cache_dir == str(children.CACHE)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_signal_of_a_child_is_not_heard_by_its_parent(tmp_path):
    def struck():
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        os.kill(os.getpid(), signal.SIGTERM)

    listening, told = os.pipe()
    os.set_blocking(told, False)
    before = signal.set_wakeup_fd(told)
    try:
        child = children.start(struck, tmp_path, tmp_path / "log")
        assert children.wait(child, 60) == 0
        assert not select.select([listening], [], [], 0)[0]
    finally:
        signal.set_wakeup_fd(before)
        os.close(listening)
        os.close(told)


@pytest.mark.slow
def test_killed_runs_of_all_kinds_end_like_undisturbed_ones():
    command = [sys.executable, "-m", "tests.reliability.kills", "kills=20"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3600, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
