"""Islands, and individuals, on devices and in processes: the same run, bit for bit, and a resume on other devices."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = [
    "game=mancala",
    "algorithm.population=64",
    "algorithm.capacity=32",
    "algorithm.islands.count=8",
    "algorithm.islands.migrants=1",
    "algorithm.islands.first=1",
    "algorithm.islands.every=3",
    "checkpoint_every=2",
    "logger=disabled",
]
GENERATIONS = 4


def start(folder: Path, *options: str) -> subprocess.Popen:
    words = [sys.executable, "scripts/train.py", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    environment.pop("XLA_FLAGS", None)
    environment.pop("JAX_NUM_CPU_DEVICES", None)
    with folder.with_suffix(".txt").open("a") as said:
        return subprocess.Popen(words, cwd=ROOT, env=environment, stdout=said, stderr=said)


def train(folder: Path, *options: str) -> None:
    assert start(folder, *options).wait(timeout=900) == 0, folder.with_suffix(".txt").read_text()


def result(folder: Path) -> tuple[list, dict]:
    """The rows without times, and the arrays of the last checkpoint."""
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    with np.load(folder / "checkpoints" / f"generation_{GENERATIONS:08}.npz") as arrays:
        saved = {name: arrays[name] for name in arrays.files}
    return [{k: v for k, v in row.items() if k not in ("seconds", "elapsed")} for row in rows], saved


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("localhost", 0))
        return one.getsockname()[1]


def alike(one: dict, other: dict) -> bool:
    """Whether two rows are the same up to the last digits of their numbers."""
    same = [one[name] == value or np.allclose(one[name], value, rtol=1e-6) for name, value in other.items()]
    return one.keys() == other.keys() and all(same)


@pytest.mark.slow
def test_one_device_three_islands_at_a_time_eight_devices_two_processes_and_a_resume_give_the_same_run(tmp_path):
    one, three, eight, two, resumed = (tmp_path / name for name in ("one", "three", "eight", "two", "resumed"))
    last = f"algorithm.generations={GENERATIONS}"
    train(one, *OPTIONS, last, f"hydra.run.dir={one}")
    train(three, *OPTIONS, last, f"hydra.run.dir={three}", "devices.side_by_side=3")
    train(eight, *OPTIONS, last, f"hydra.run.dir={eight}", "devices.count=8")
    shared = ["devices.count=2", "devices.processes=2", f"devices.coordinator=localhost:{free_port()}"]
    both = [start(two, *OPTIONS, last, f"hydra.run.dir={two}", *shared, f"devices.process={n}") for n in (0, 1)]
    assert [process.wait(timeout=900) for process in both] == [0, 0], two.with_suffix(".txt").read_text()
    train(resumed, *OPTIONS, "algorithm.generations=2", f"hydra.run.dir={resumed}")
    train(resumed, f"resume={resumed}", last, "devices.count=4")
    rows, arrays = result(one)
    assert sum(row["migrants"] for row in rows) > 0
    for other in (three, eight, two, resumed):
        found, saved = result(other)
        if other == three:  # means may differ in their last digit
            assert all(alike(*both) for both in zip(found, rows, strict=True))
        else:
            assert found == rows
        # The number of generations, which the resumed run was given later, is no part of the configuration's digest.
        assert saved.keys() == arrays.keys()
        assert all(np.array_equal(saved[name], arrays[name]) for name in arrays)


SMALL = ["algorithm.population=16", "algorithm.capacity=64", "algorithm.creation.max_depth=3"]
PANEL = ["game=mancala", "fitness.opponents={random:{kind:random,games:2}}", *SMALL]
SUITE = ["game=rush_hour", "seed=1", *SMALL[:1], "fitness.limit=200", "fitness.boards=4"]
DRIVEN = ["game=tests/fixtures/cart", "seed=3", *SMALL[:1]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [PANEL, SUITE, DRIVEN], ids=["panel", "suite", "rollouts"])
def test_one_population_on_one_device_on_four_on_two_processes_and_taken_up_again_is_the_same_run(tmp_path, kind):
    one, four, two = (tmp_path / name for name in ("one", "four", "two"))
    last, kind = f"algorithm.generations={GENERATIONS}", [*kind, "logger=disabled"]
    train(one, *kind, last, f"hydra.run.dir={one}")
    train(four, *kind, "algorithm.generations=2", f"hydra.run.dir={four}", "devices.count=4")
    train(four, *outside(kind), f"resume={four}", last, "devices.count=2")
    shared = ["devices.count=2", "devices.processes=2", f"devices.coordinator=localhost:{free_port()}"]
    both = [start(two, *kind, last, f"hydra.run.dir={two}", *shared, f"devices.process={n}") for n in (0, 1)]
    assert [process.wait(timeout=900) for process in both] == [0, 0], two.with_suffix(".txt").read_text()
    rows, arrays = result(one)
    for other in (four, two):
        found, saved = result(other)
        assert [untold(row) for row in found] == [untold(row) for row in rows]
        assert all(np.array_equal(saved[name], arrays[name]) for name in arrays if not name.startswith(".memory"))


def outside(words: list) -> list:
    """The word that names the folder of a game outside the project, which its runs go on with."""
    return [word for word in words if word.startswith("game=tests/")]


def untold(row: dict) -> dict:
    """A row without what tells of the tables of opponents, which each device has for itself."""
    return {name: value for name, value in row.items() if name not in ("searches", "table_hit_rate")}


ALONE = ["game=tests/fixtures/cart", "seed=3", "algorithm.population=32"]
EACH_OTHER = [
    *("experiment=robocode_two_phases", "fitness.phase_generations=1", "fitness.games=1", "fitness.lanes=2"),
    *("fitness.rivals=[sample.Walls,sample.Fire,sample.SpinBot]", "fitness.rivals_drawn=1"),
    *("fitness.population_again=false", "game.rounds=1", "game.turns=100"),
    *("algorithm.population=8", "algorithm.capacity=16", "algorithm.creation.max_depth=3", "algorithm.max_depth=3"),
    *("algorithm.mutation.max_depth=3", "algorithm.islands.migrants=1"),
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ALONE, EACH_OTHER], ids=["alone", "each other"])
def test_rollouts_on_one_device_on_two_and_taken_up_again_give_the_same_run(tmp_path, kind):
    one, two = tmp_path / "one", tmp_path / "two"
    last = f"algorithm.generations={GENERATIONS}"
    options = [*kind, "logger=disabled", "algorithm.islands.count=2", "algorithm.islands.neighbours=1"]
    train(one, *options, "algorithm.generations=2", f"hydra.run.dir={one}")
    train(one, *outside(kind), f"resume={one}", last)
    train(two, *options, last, f"hydra.run.dir={two}", "devices.count=2")
    rows, arrays = result(one)
    found, saved = result(two)
    assert len(rows) == GENERATIONS
    assert found == rows
    assert all(np.array_equal(saved[name], arrays[name]) for name in arrays)
    if kind == EACH_OTHER:
        assert [row["phase"] for row in rows] == [0, 1, 1, 1]
