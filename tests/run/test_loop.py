import fcntl
import json
import os
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace

import jax
import pytest

from jaxgp.errors import RunError, UsageError
from jaxgp.report import plots
from jaxgp.run import loop, outcome
from jaxgp.run import run as conduct
from jaxgp.store import checkpoint, record
from jaxgp.store.directory import RunDirectory
from jaxgp.store.record import Record
from tests.run.conduct_toy import assert_same, final, rows, run, start
from tests.run.toy_experiment import ToyExperiment, config


@pytest.fixture(scope="module")
def whole(tmp_path_factory, every_picture):
    """A run that nothing disturbed."""
    path = tmp_path_factory.mktemp("whole") / "run"
    assert run(path, config()) == 0
    return path


write_pictures = outcome.write


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Draw no pictures but those of `whole`, which is made before."""
    monkeypatch.setattr(outcome, "write", lambda run: [])


def status(path):
    return json.loads((path / "status.json").read_text())["state"]


def send(number, at):
    def interrupt(generation):
        if generation == at:
            os.kill(os.getpid(), number)

    return interrupt


def fail(at, error):
    def interrupt(generation):
        if generation == at:
            raise error

    return interrupt


def test_a_whole_run_leaves_everything(whole):
    names = {path.name for path in whole.iterdir()} - {".lock"}
    expected = "config.yaml metrics.jsonl checkpoints champion.json environment.json status.json report.html plots"
    assert names == set(expected.split())
    assert status(whole) == "complete"
    assert [row["generation"] for row in rows(whole)] == list(range(7))
    assert {path.stem for path in (whole / "plots").iterdir()} == {"fitness", "points", "size", "diversity"}
    assert len(list((whole / "checkpoints").iterdir())) == 2


def test_the_directory_and_the_table_of_parameters_come_before_anything_is_compiled(tmp_path, capsys):
    told = []

    class Watched(ToyExperiment):
        def init(self, key):
            told.append(capsys.readouterr().out)
            return super().init(key)

    assert start(tmp_path / "run", Watched(config()), config()) == 0
    first, *parameters, last = told[0].splitlines()
    assert first == "Koza tableau"
    assert "  seed: 0" in parameters
    assert last.startswith("Run directory: ")


def test_a_signal_stops_a_run_and_resuming_gives_the_whole_run(whole, tmp_path, capsys):
    for at, number in enumerate((signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2), 1):
        path = tmp_path / number.name
        before = signal.getsignal(number)
        assert run(path, config(), interrupt=send(number, at)) == 128 + number
        assert signal.getsignal(number) is before
        assert status(path) == "interrupted"
        assert len(rows(path)) == at + 1, "the generation is finished"
        assert checkpoint.available(path / "checkpoints")[0][0] == at + 1
        out = capsys.readouterr().out
        assert f"{number.name}: stopping after this generation" in out
        assert "resume=" in out
        assert run(path, config(), resumed=True) == 0
        assert_same(path, whole)


def test_a_crash_loses_nothing_of_the_whole(whole, tmp_path):
    path = tmp_path / "run"
    with pytest.raises(ZeroDivisionError):
        run(path, config(), interrupt=fail(4, ZeroDivisionError()))
    assert status(path) == "failed"
    assert checkpoint.available(path / "checkpoints")[0][0] == 4
    assert run(path, config(), resumed=True) == 0
    assert_same(path, whole)


def test_after_a_kill_the_whole_run_comes_from_the_last_checkpoint(whole, tmp_path):
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    (path / "checkpoints" / "generation_00000007.npz").unlink()  # as if killed in the last generation,
    with (path / "metrics.jsonl").open("a") as file:
        file.write('{"generation": 7, "best_fi')  # and while a row was being written
    assert run(path, config(), resumed=True) == 0
    assert_same(path, whole)


def test_a_run_that_was_killed_before_its_first_checkpoint_starts_again_and_keeps_its_record(whole, tmp_path, capsys):
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    shutil.rmtree(path / "checkpoints")
    (path / "status.json").unlink()
    (path / "metrics_1.jsonl").write_text("of an earlier start")
    two = (path / "metrics.jsonl").read_text().splitlines(keepends=True)[:2]
    (path / "metrics.jsonl").write_text("".join(two))
    assert run(path, config(), resumed=True) == 0
    assert "the 2 generations recorded are kept in metrics_2.jsonl" in capsys.readouterr().err
    assert (path / "metrics_2.jsonl").read_text() == "".join(two)
    assert_same(path, whole)


@pytest.mark.parametrize("status_too", [True, False])
@pytest.mark.parametrize("instead", [lambda path: None, lambda path: path.touch(), lambda path: path.mkdir()])
def test_a_run_whose_checkpoints_are_missing_is_refused_and_left_whole(whole, tmp_path, instead, status_too):
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    shutil.rmtree(path / "checkpoints")
    instead(path / "checkpoints")
    if not status_too:
        (path / "status.json").unlink()
    with pytest.raises(UsageError, match=r"resume=.*checkpoints"):
        run(path, config(), resumed=True)
    for name in ("metrics.jsonl", "champion.json"):
        assert (path / name).read_bytes() == (whole / name).read_bytes()


def test_a_champion_that_is_long_is_left_in_its_file(whole, monkeypatch, capsys):
    text = json.loads((whole / "champion.json").read_text())["text"]
    monkeypatch.setattr(conduct, "SHOWN", len(text) - 1)
    conduct._show_champion(SimpleNamespace(directory=RunDirectory(whole), rows=[]))
    assert f"expression: {len(text)} characters, in {whole / 'champion.json'}" in capsys.readouterr().out


def test_more_generations_go_on_where_the_whole_run_ended(whole, tmp_path):
    path, straight = tmp_path / "run", tmp_path / "straight"
    shutil.copytree(whole, path)
    assert run(path, config(generations=9), resumed=True) == 0
    assert run(straight, config(generations=9)) == 0
    assert_same(path, straight)


def test_a_damaged_newest_checkpoint_is_passed_over(whole, tmp_path, capsys):
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    (path / "checkpoints" / "generation_00000007.npz").write_bytes(b"PK")
    assert run(path, config(), resumed=True) == 0
    assert "generation_00000007.npz: damaged" in capsys.readouterr().err
    assert_same(path, whole)


def test_a_damaged_checkpoint_never_pushes_out_a_new_one(whole, tmp_path):
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    newest = path / "checkpoints" / "generation_00000007.npz"
    newest.rename(newest.with_name("generation_00000090.npz"))
    newest.with_name("generation_00000090.npz").write_bytes(b"PK")
    alone = config(generations=8)
    alone.keep_checkpoints = 1
    assert run(path, alone, resumed=True) == 0
    assert [generation for generation, _ in checkpoint.available(path / "checkpoints")] == [8]
    assert newest.with_name("generation_00000090.npz.unreadable").read_bytes() == b"PK"


def test_a_run_without_a_readable_checkpoint_is_left_whole(whole, tmp_path):
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    for file in (path / "checkpoints").iterdir():
        file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(UsageError, match="damaged or cut off"):
        run(path, config(), resumed=True)
    assert rows(path) == rows(whole)


def test_a_checkpoint_of_another_configuration_is_refused_and_the_whole_kept(whole, tmp_path):
    path = tmp_path / "run"
    shutil.copytree(whole, path)
    other = config()
    other.seed = 4
    with pytest.raises(UsageError, match="another configuration"):
        run(path, other, resumed=True)
    assert rows(path) == rows(whole)


def test_a_run_of_an_earlier_version_goes_on_whose_game_and_role_had_fewer_options(whole, tmp_path):
    path, old, now = tmp_path / "run", config(), config()
    run(path, old, interrupt=send(signal.SIGINT, 2))
    now.game, now.program = now.game | {"later": 1}, {"newer": False}
    run(path, now, resumed=True, interrupt=send(signal.SIGINT, 4))
    assert run(path, now, resumed=True) == 0
    assert rows(path) == rows(whole)


def test_a_checkpoint_that_cannot_be_written_is_tried_again(tmp_path, monkeypatch, capsys):
    save, fails = checkpoint.save, iter([OSError(28, "No space left on device")])

    def sometimes(*args, **kwargs):
        for error in fails:
            raise error
        return save(*args, **kwargs)

    monkeypatch.setattr(checkpoint, "save", sometimes)
    assert run(tmp_path / "run", config()) == 0
    assert "checkpoint after 3 generations not written (No space left on device)" in capsys.readouterr().out
    assert checkpoint.available(tmp_path / "run" / "checkpoints")[0][0] == 7


def test_a_record_that_cannot_be_written_ends_the_run(tmp_path, monkeypatch):
    append = Record.append

    def full(self, row):
        if row["generation"] == 5:
            raise RunError("metrics.jsonl: No space left on device")
        append(self, row)

    monkeypatch.setattr(Record, "append", full)
    with pytest.raises(RunError, match="No space"):
        run(tmp_path / "run", config())
    assert status(tmp_path / "run") == "failed"
    assert checkpoint.available(tmp_path / "run" / "checkpoints")[0][0] == 5, "no recorded generation is computed again"
    monkeypatch.setattr(Record, "append", append)
    assert run(tmp_path / "run", config(), resumed=True) == 0
    assert len(rows(tmp_path / "run")) == 7


def test_a_run_whose_directory_is_renamed_goes_on_there(whole, tmp_path, capsys):
    path, moved = tmp_path / "run", tmp_path / "moved"

    def rename(generation):
        if generation == 2:
            path.rename(moved)

    assert run(path, config(), interrupt=rename) == 0
    assert not path.exists()
    assert f"the run directory was renamed; going on in {moved}" in capsys.readouterr().out
    assert_same(moved, whole)


def test_a_run_whose_directory_is_removed_ends(tmp_path):
    path = tmp_path / "run"
    with pytest.raises(RunError, match="the run directory is gone"):
        run(path, config(), interrupt=lambda generation: shutil.rmtree(path) if generation == 4 else None)
    assert not path.exists()


def replaced(path):
    """Put a file of the same content in the place of another, as an editor or rsync does."""
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").rename(path)


def truncated(path):
    path.write_text("")


@pytest.mark.parametrize("harm", [Path.unlink, replaced, truncated])
def test_a_record_that_is_removed_or_replaced_is_written_anew(whole, tmp_path, capsys, harm):
    path = tmp_path / "run"
    assert run(path, config(), interrupt=lambda n: harm(path / "metrics.jsonl") if n in (1, 4) else None) == 0
    said = "metrics.jsonl was removed or changed from outside; its 4 rows are written anew"
    assert said in capsys.readouterr().out
    assert_same(path, whole)
    assert run(path, config(), resumed=True) == 0


@pytest.mark.parametrize("name", ["config.yaml", ".lock", "checkpoints", "checkpoints/generation_00000004.npz"])
def test_what_a_run_cannot_go_on_without_is_put_back(whole, tmp_path, capsys, name):
    path = tmp_path / "run"

    def remove(generation):
        if generation == 5:
            shutil.rmtree(path / name) if (path / name).is_dir() else (path / name).unlink()

    asked = config()
    asked.checkpoint_every = 4
    assert run(path, asked, interrupt=remove) == 0
    assert "removed from outside" in capsys.readouterr().out
    assert (path / name).exists() or name.endswith(".npz")
    assert_same(path, whole)


def test_a_run_whose_lock_another_process_has_ends(tmp_path):
    path, others = tmp_path / "run", []

    def take(generation):
        if generation == 2:
            (path / ".lock").unlink()
            others.append((path / ".lock").open("w"))
            fcntl.flock(others[0], fcntl.LOCK_EX)

    with pytest.raises(RunError, match="its lock was removed, and another process is running this run"):
        run(path, config(), interrupt=take)
    others[0].close()


@pytest.mark.parametrize(("harm", "said"), [(shutil.rmtree, "is gone"), (lambda path: path.unlink(), "")])
def test_what_is_removed_while_the_report_is_written_is_told(whole, tmp_path, monkeypatch, capsys, harm, said):
    path = tmp_path / "run"
    monkeypatch.setattr(outcome, "write", lambda run: harm(path if said else path / "metrics.jsonl") or [])
    if said:
        with pytest.raises(RunError, match=said):
            run(path, config())
    else:
        assert run(path, config()) == 0
        assert_same(path, whole)


@pytest.mark.parametrize(("fitness", "said"), [((1.0, 1.0), 1), ((0.0, 0.0), 1), ((1.0, 0.9), 0)])
def test_a_population_without_a_difference_in_fitness_is_warned_of_once(tmp_path, monkeypatch, capsys, fitness, said):
    best, mean = fitness
    monkeypatch.setattr(loop, "clean", lambda row: record.clean(row) | {"best_fitness": best, "mean_fitness": mean})
    run(tmp_path / "run", config())
    assert capsys.readouterr().out.count("for 3 generations, so selection has nothing to choose by") == said


@pytest.mark.thorough
def test_settings_of_jax_are_kept_and_a_resumed_run_says_which_differ(tmp_path, monkeypatch, capsys):
    path = tmp_path / "run"
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=false")
    assert run(path, config(generations=3)) == 0
    kept = json.loads((path / "environment.json").read_text())["settings"]
    assert {"XLA_FLAGS", "jax_enable_x64", "jax_default_prng_impl", "jax_default_matmul_precision"} <= kept.keys()
    assert "figures may differ" not in capsys.readouterr().out
    monkeypatch.delenv("XLA_FLAGS")
    with jax.default_matmul_precision("float32"):
        assert run(path, config(generations=4), resumed=True) == 0
    said = "XLA_FLAGS was --xla_cpu_enable_fast_math=false and is null"
    out = capsys.readouterr().out
    assert out.count("figures may differ from here on: ") == 1
    assert said in out
    assert "jax_default_matmul_precision was null and is float32" in out
    (path / "environment.json").write_text('{"settings": 3, "packages": [], "device": {}}')
    assert run(path, config(generations=5), resumed=True) == 0


def test_pictures_that_fail_do_not_end_a_run(tmp_path, monkeypatch, capsys):
    def broken(*args, **kwargs):
        raise RuntimeError("no fonts")

    monkeypatch.setattr(outcome, "write", write_pictures)
    monkeypatch.setattr(plots, "draw", broken)
    assert run(tmp_path / "run", config(generations=1)) == 0
    out = capsys.readouterr().out
    assert "plots not written (no fonts)" in out
    assert "report not written (no fonts)" in out


def test_two_processes_cannot_run_the_same_run(tmp_path):
    one, two = RunDirectory(tmp_path), RunDirectory(tmp_path)
    one.lock()
    with pytest.raises(UsageError, match="another process"):
        two.lock()
    one.unlock()
    two.lock()
    two.unlock()


def test_a_lock_that_is_a_link_or_a_pipe_is_refused_and_its_target_left(tmp_path):
    (tmp_path / "precious").write_text("mine")
    for make in (lambda path: path.symlink_to("precious"), os.mkfifo, lambda path: path.mkdir()):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        make(folder / ".lock")
        with pytest.raises(UsageError, match="cannot be written to"):
            RunDirectory(folder).lock()
    assert (tmp_path / "precious").read_text() == "mine"


@pytest.mark.parametrize("name", ["metrics.jsonl", "champion.json", "checkpoints"])
def test_a_new_run_never_mixes_with_what_another_has_left(whole, tmp_path, name):
    path = tmp_path / "run"
    path.mkdir()
    if (whole / name).is_dir():
        shutil.copytree(whole / name, path / name)
    else:
        shutil.copy(whole / name, path)
    with pytest.raises(UsageError, match=f"holds {name} of a run whose config.yaml is missing"):
        run(path, config())
    assert {one.name for one in path.iterdir()} == {name, ".lock"}


def test_the_digest_stands_in_every_checkpoint(whole):
    assert str(final(whole)[checkpoint.DIGEST])
