"""Mirrors of the record that are files: a CSV table, and the event files of TensorBoard."""

import csv
import importlib.util
import json
import shutil
from dataclasses import replace

import pytest

import envs
from jaxgp import errors
from jaxgp.config import validate
from jaxgp.errors import UsageError
from jaxgp.run import outcome
from jaxgp.run.mirroring.copies import flat
from jaxgp.store import record
from tests.run import event_log, test_seeds
from tests.run.conduct_toy import run
from tests.run.toy_experiment import config

write_pictures = outcome.write
HAS_TENSORBOARD = importlib.util.find_spec("tensorboardX") is not None
needs_tensorboard = pytest.mark.skipif(
    not HAS_TENSORBOARD,
    reason="TensorBoard's writer is not installed: pip install -e '.[tensorboard]'",
)
BOTH = ["csv", pytest.param("tensorboard", marks=needs_tensorboard)]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(outcome, "write", lambda run: [])


def logged(mode, **algorithm):
    made = config(**algorithm)
    made.logger.mode = mode
    return made


def numbers(rows):
    """What mirrors can hold of a record: each number by its name and its generation."""
    return {(row["generation"], name): value for row in rows for name, value in flat(row).items() if value is not None}


def copied(mode, path):
    """What a mirror holds; no number is there twice."""
    if mode == "csv":
        with (path / "metrics.csv").open(newline="") as file:
            return numbers(
                [{name: float(cell) if cell else None for name, cell in row.items()} for row in csv.DictReader(file)]
            )
    found = {}
    for tag, values in event_log.read(path / "tensorboard")["scalars"].items():
        assert len(dict(values)) == len(values)
        found |= {(step, tag): value for step, value in values}
    return found | {(step, "generation"): step for step, _ in list(found)}


def assert_copied(mode, path):
    expected = numbers(record.read(path / "metrics.jsonl"))
    assert expected
    assert copied(mode, path) == pytest.approx(expected, rel=1e-6)


@pytest.mark.few(1)
@pytest.mark.parametrize("mode", BOTH)
def test_a_copy_equals_the_record_also_after_a_kill_and_with_a_mirror_that_comes_later(tmp_path, mode):
    path, later = tmp_path / "run", tmp_path / "later"
    assert run(path, logged(mode, generations=5)) == 0
    assert_copied(mode, path)
    shutil.copytree(path, later)
    (path / "checkpoints" / "generation_00000005.npz").unlink()  # as if killed; the run goes on from generation 3
    assert run(path, logged(mode, generations=7), resumed=True) == 0
    assert_copied(mode, path)
    for name in ("metrics.csv", "tensorboard"):
        shutil.rmtree(later / name) if (later / name).is_dir() else (later / name).unlink(missing_ok=True)
    assert run(later, logged(mode, generations=6), resumed=True) == 0
    assert_copied(mode, later)


@pytest.mark.thorough
def test_runs_of_several_seeds_have_a_copy_each(tmp_path):
    plan = test_seeds.members(tmp_path)
    modes = ["csv", "csv", "tensorboard" if HAS_TENSORBOARD else "csv"]
    each = [
        replace(one, config=replace(one.config, logger=logged(mode).logger))
        for one, mode in zip(plan.members, modes, strict=True)
    ]
    assert test_seeds.run_together(replace(plan, members=tuple(each))) == 0
    for seed, mode in zip(test_seeds.SEEDS, modes, strict=True):
        assert_copied(mode, tmp_path / str(seed))


@pytest.mark.parametrize("mode", BOTH)
def test_what_hinders_a_copy_is_told_once_and_the_end_makes_it_whole(tmp_path, mode, capsys):
    path = tmp_path / "run"
    path.mkdir()
    inside = path / "tensorboard" if mode == "tensorboard" else path / "metrics.csv"
    if mode == "tensorboard":
        inside.write_text("a file where a folder has to be")
    else:
        inside.mkdir()

    def interrupt(generation):
        if generation == 5:
            inside.rmdir() if inside.is_dir() else inside.unlink()

    assert run(path, logged(mode), interrupt=interrupt) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if "not written" in line]
    assert len(said) == 1
    assert said[0].startswith(f"{'metrics.csv' if mode == 'csv' else 'tensorboard'} not written (")
    assert_copied(mode, path)


def test_lists_are_a_column_for_each_number():
    assert flat({"generation": 3, "islands_best": [1.0, None]}) == {
        "generation": 3,
        "islands_best/0": 1.0,
        "islands_best/1": None,
    }


@needs_tensorboard
def test_tensorboard_shows_champion_settings_and_plots_at_the_last_generation(tmp_path, monkeypatch):
    monkeypatch.setattr(outcome, "write", write_pictures)
    path = tmp_path / "run"
    assert run(path, logged("tensorboard", generations=3)) == 0
    read = event_log.read(path / "tensorboard")
    champion = json.loads((path / "champion.json").read_text())["text"]
    assert read["texts"]["champion/text_summary"] == (2, f"    {champion}")
    assert "population: 8" in read["texts"]["config/text_summary"][1]
    plots = {f"plots/{file.stem}": file.read_bytes() for file in (path / "plots").iterdir()}
    assert {tag: image for tag, (_, _, _, image) in read["images"].items()} == plots
    assert read["images"]["plots/fitness"][:3] == (2, 960, 570)
    elapsed = [row["elapsed"] for row in record.read(path / "metrics.jsonl")]
    assert [read["times"][step] - read["times"][0] for step in range(3)] == pytest.approx(
        [seconds - elapsed[0] for seconds in elapsed], abs=1e-5
    )


def test_a_writer_that_is_not_installed_is_named_before_anything_is_computed(monkeypatch):
    monkeypatch.setattr(errors.importlib.util, "find_spec", lambda name: None)
    said = r"^logger.mode=tensorboard needs tensorboardX: pip install -e '.\[tensorboard\]'$"
    with pytest.raises(UsageError, match=said):
        validate.check(logged("tensorboard"), envs)
