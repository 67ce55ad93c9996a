"""The mirror in Weights & Biases: whole as long as W&B works, and never the end of a run."""

import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from jaxgp.run import outcome
from jaxgp.run.mirroring import messages, tracking
from jaxgp.run.mirroring.tracking import Tracker
from jaxgp.store import record
from jaxgp.store.directory import RunDirectory
from tests.run import wandb_log
from tests.run.conduct_toy import run
from tests.run.toy_experiment import config

write_pictures = outcome.write


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(outcome, "write", lambda run: [])
    for name in ("WANDB_MODE", "WANDB_DIR", "WANDB_DATA_DIR", "WANDB_DISABLED", "WANDB_PROJECT"):
        monkeypatch.delenv(name, raising=False)


def offline(**algorithm):
    tracked = config(**algorithm)
    tracked.logger.mode = "offline"
    tracked.logger.project = "test-project"
    tracked.logger.tags = ["a", "b"]
    return tracked


def mirrored(folder):
    """The history without what W&B adds, and without the pictures of the end."""
    rows = wandb_log.read(folder)["history"]
    return [
        {name: value for name, value in row.items() if not name.startswith("_") and not isinstance(value, dict)}
        for row in rows
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run with pictures, which was resumed once, and the logs of its two processes."""
    path = tmp_path_factory.mktemp("whole") / "run"
    asked = offline(generations=5)
    asked.logger.group, asked.logger.job_type, asked.logger.checkpoints = "sweep-1", "sweep", True
    with pytest.MonkeyPatch.context() as patch:
        for name in ("WANDB_MODE", "WANDB_DATA_DIR", "WANDB_DISABLED"):
            patch.delenv(name, raising=False)
        patch.setattr(outcome, "write", write_pictures)
        assert run(path, asked) == 0
        (first,) = (path / "wandb").glob("offline-run-*")
        asked.algorithm.generations = 8
        assert run(path, asked, resumed=True) == 0
    (second,) = set((path / "wandb").glob("offline-run-*")) - {first}
    return path, first, second


@pytest.mark.slow
def test_the_mirror_equals_the_record_also_when_resumed(whole):
    path, first, second = whole
    assert mirrored(first) + mirrored(second) == record.read(path / "metrics.jsonl")
    steps = [row["_step"] for folder in (first, second) for row in wandb_log.read(folder)["history"]]
    assert steps == list(range(8))


@pytest.mark.slow
def test_a_resumed_run_is_one_run(whole):
    path, *logs = whole
    one, other = map(wandb_log.read, logs)
    same = ("id", "name", "group", "job_type", "project", "tags")
    assert {name: one[name] for name in same} == {name: other[name] for name in same}
    assert one["id"] == (path / "wandb_id.txt").read_text().strip()
    assert (one["name"], one["group"], one["job_type"]) == ("mancala, seed 0, run", "sweep-1", "sweep")
    assert (one["project"], one["tags"], one["exit"]) == ("test-project", ["a", "b"], 0)


@pytest.mark.slow
def test_its_settings_and_its_environment_are_there(whole):
    path, first, _ = whole
    read, environment = wandb_log.read(first), json.loads((path / "environment.json").read_text())
    assert read["config"]["algorithm"]["population"] == 8
    assert read["config"]["environment"] == environment
    assert set(environment) >= {"device", "packages", "python", "commands", "revision"}
    assert read["program"].endswith("scripts/train.py")
    assert read["commit"] == (environment["revision"] or "").removesuffix("-dirty")


@pytest.mark.slow
def test_the_generation_is_the_step_of_every_metric(whole):
    metrics = wandb_log.read(whole[1])["metrics"]
    assert metrics["*"] == ("generation", False, False)
    assert metrics["best_fitness"] == ("generation", True, False)
    assert metrics["seconds"] == ("generation", False, True)


@pytest.mark.slow
def test_the_summary_has_the_champion_and_the_best(whole):
    path, _, second = whole
    summary, champion = wandb_log.read(second)["summary"], json.loads((path / "champion.json").read_text())
    assert summary["champion"] == champion["text"]
    assert summary["champion_points_second"] == champion["points"]["second"]
    assert (summary["state"], summary["generations"]) == ("complete", 8)
    best = max(row["best_fitness"] for row in record.read(path / "metrics.jsonl")[5:])
    assert summary["best_fitness"]["max"] == pytest.approx(best)


@pytest.mark.slow
def test_plots_report_replay_and_the_games_of_the_panel_are_shown(whole):
    path, first, second = whole
    for log in (first, second):
        read = wandb_log.read(log)
        shown = {name: value for name, value in read["history"][-1].items() if isinstance(value, dict)}
        plots = {f"plots/{file.stem}" for file in (path / "plots").iterdir()}
        assert set(shown) == plots | {"report", "replay", "panel"}
        assert {shown[name]["_type"] for name in plots} == {"image-file"}
        for value in shown.values():
            assert (log / "files" / value["path"]).stat().st_size == value["size"]
            assert value["path"] in read["files"]
        table = json.loads((log / "files" / shown["panel"]["path"]).read_text())
        assert table == {"columns": ["opponent", "points"], "data": [["toy", 3.0], ["toy", 1.5]]}
        replay = (log / "files" / shown["replay"]["path"]).read_text()
        assert 'id="replay"' in replay
        assert "champion second" in replay
    assert (second / "files" / shown["report"]["path"]).read_text() == (path / "report.html").read_text()


@pytest.mark.slow
def test_champion_record_and_checkpoint_are_artifacts_with_versions(whole):
    path, *logs = whole
    one, other = (wandb_log.read(log) for log in logs)
    assert one["artifacts"].keys() == other["artifacts"].keys()
    name = one["id"]
    kind, aliases, about, files = other["artifacts"][f"champion-{name}"]
    assert (kind, set(aliases)) == ("champion", {"latest", "generation-8"})
    assert about["champion_fitness"] == other["summary"]["champion_fitness"]
    assert files == {"champion.json": (path / "champion.json").read_bytes()}
    assert one["artifacts"][f"champion-{name}"][3] != files
    described = other["artifacts"][f"record-{name}"][3]
    assert set(described) == {"config.yaml", "metrics.jsonl", "environment.json", "status.json"}
    assert described["metrics.jsonl"] == (path / "metrics.jsonl").read_bytes()
    assert set(other["artifacts"][f"checkpoint-{name}"][3]) == {"generation_00000008.npz"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wandb-core", tracking.COMMAND[-1]])
def test_a_service_that_is_killed_leaves_the_record_whole(tmp_path, capsys, name):
    """W&B's own service, or the process that speaks with it, is killed in the middle of a run."""
    killed = []

    def interrupt(generation):
        if generation == 3:
            wait_for_log(tmp_path / "run")
            killed.extend(signalled(name, signal.SIGKILL))

    assert run(tmp_path / "run", offline(), interrupt=interrupt) == 0
    assert killed
    assert len(told(capsys)) == 1
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7
    assert (tmp_path / "run" / "champion.json").is_file()


def wait_for_log(path):
    """Wait until W&B has begun to write."""
    deadline = time.monotonic() + 30
    while not list(path.glob("wandb/*/*.wandb")):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def signalled(name, number):
    """Send a signal to the processes of a name that this one has started, or these; return them."""
    found = subprocess.run(["pgrep", "-f", name], capture_output=True, text=True, check=False).stdout.split()
    ours = [int(process) for process in found if descends(int(process))]
    for process in ours:
        os.kill(process, number)
    return ours


def descends(number):
    while number > 1:
        if number == os.getpid():
            return True
        number = int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
    return False


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("prlimit") is None, reason="there is no prlimit, which bounds the size of files")
def test_a_disk_that_is_full_for_its_log_leaves_the_record_whole(tmp_path, monkeypatch):
    """No file of W&B can grow beyond a kilobyte."""
    monkeypatch.setattr(tracking, "COMMAND", ("prlimit", "--fsize=1024", *tracking.COMMAND))
    assert run(tmp_path / "run", offline()) == 0
    (log,) = tmp_path.glob("run/wandb/offline-run-*/*.wandb")
    assert log.stat().st_size <= 1024
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7
    assert (tmp_path / "run" / "champion.json").is_file()


def test_a_folder_that_cannot_be_written_is_told_once_and_the_run_goes_on(tmp_path, fake, capsys):
    fake()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "wandb").write_text("a file in its place")
    assert run(tmp_path / "run", offline()) == 0
    assert told(capsys) == [f"Weights & Biases is off: {tmp_path}/run/wandb: File exists"]
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7


def test_a_command_that_no_shell_would_take_keeps_no_run_from_being_mirrored(tmp_path, fake, capsys):
    fake()
    assert run(tmp_path / "run", config(generations=3)) == 0
    about = tmp_path / "run" / "environment.json"
    about.write_text(json.dumps({"commands": ["python 'scripts"]}))
    assert run(tmp_path / "run", offline(generations=5), resumed=True) == 0
    assert told(capsys) == []


@pytest.mark.parametrize("variable", [("WANDB_MODE", "disabled"), ("WANDB_DISABLED", "true")], ids="=".join)
def test_a_variable_of_its_own_turns_it_off(tmp_path, monkeypatch, capsys, variable):
    monkeypatch.setenv(*variable)
    monkeypatch.setattr(tracking, "COMMAND", ("false",))
    assert run(tmp_path / "run", offline()) == 0
    assert told(capsys) == []
    assert not list((tmp_path / "run").glob("wandb*"))


def said(tmp_path, **logger):
    """What W&B is told first of a run with these options."""
    asked = config()
    asked.logger = replace(asked.logger, **{"mode": "online"} | logger)
    return messages.start(SimpleNamespace(config=asked, directory=RunDirectory(tmp_path), name="a run"))["init"]


def test_variables_of_its_own_count_where_an_option_has_its_default(tmp_path, monkeypatch):
    names = {
        "PROJECT": "p",
        "ENTITY": "e",
        "NAME": "n",
        "RUN_GROUP": "g",
        "JOB_TYPE": "j",
        "TAGS": "a, b",
        "MODE": "dryrun",
    }
    for name, value in names.items():
        monkeypatch.setenv(f"WANDB_{name}", value)
    found = said(tmp_path)
    shown = ("project", "entity", "name", "group", "job_type", "tags", "mode")
    assert [found[name] for name in shown] == ["p", "e", "n", "g", "j", ["a", "b"], "offline"]
    found = said(tmp_path, project="mine", entity="me", group="ours", job_type="kind", tags=["c"])
    assert [found[name] for name in shown[:2] + shown[3:6]] == ["mine", "me", "ours", "kind", ["c"]]
    monkeypatch.setenv("WANDB_MODE", "online")
    assert said(tmp_path, mode="offline")["mode"] == "offline", "a variable sends nothing that the option does not"


def test_disabled_starts_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tracking, "COMMAND", ("false",))
    assert run(tmp_path / "run", config()) == 0
    assert not list((tmp_path / "run").glob("wandb*"))


def test_an_online_run_sends_rows_again_and_a_log_that_waits_does_not(tmp_path, fake):
    fake(log=f"open('{tmp_path}/sent', 'a').write(str(row['generation']))")
    assert run(tmp_path / "run", config(generations=3)) == 0
    assert run(tmp_path / "run", offline(generations=5), resumed=True) == 0
    assert (tmp_path / "sent").read_text() == "01234"
    (tmp_path / "run" / "wandb" / "offline-run-1").mkdir()
    assert run(tmp_path / "run", offline(generations=7), resumed=True) == 0
    assert (tmp_path / "sent").read_text() == "0123456"


WANDB = """
import time

class Run:
    def __init__(self): self.logged = 0
    def define_metric(self, *args, **kwargs): pass
    @property
    def summary(self): return {{}}
    def log(self, row, step):
        self.logged += 1
        {log}
    def log_artifact(self, artifact, aliases): pass
    def finish(self, exit_code):
        {finish}

class Artifact:
    def __init__(self, name, type, metadata): pass
    def add_file(self, path, name, skip_cache): pass

def Settings(**kwargs): pass
def init(**kwargs): return Run()
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Put another module in the place of W&B, in the process that speaks with it."""

    def put(text=None, log="pass", finish="pass"):
        folder = tmp_path / "modules"
        folder.mkdir()
        (folder / "wandb.py").write_text(text or WANDB.format(log=log, finish=finish))
        monkeypatch.setenv("PYTHONPATH", str(folder))

    return put


def told(capsys):
    """What was said of W&B, after a whole run."""
    return [line for line in capsys.readouterr().out.splitlines() if "Weights & Biases" in line]


def test_a_failure_at_the_start_is_told_once_and_the_run_goes_on(tmp_path, fake, capsys):
    fake("raise ImportError('it is not\\ninstalled')")
    assert run(tmp_path / "run", offline()) == 0
    assert told(capsys) == ["Weights & Biases is off: it is not"]
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7


def test_a_failure_later_is_told_once_and_the_run_goes_on(tmp_path, fake, capsys):
    fake(log="if self.logged == 3: raise ConnectionError('the network\\nis gone')", finish="1 / 0")
    assert run(tmp_path / "run", offline()) == 0
    assert told(capsys) == ["Weights & Biases is off: the network"]
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7


@pytest.mark.parametrize("where", ["log", "finish"])
def test_a_service_that_hangs_is_left_behind(tmp_path, fake, capsys, monkeypatch, where):
    fake(**{where: "time.sleep(100)"})
    monkeypatch.setattr(tracking, "FINISH_TIMEOUT", {"offline": 0.5})
    begin = time.monotonic()
    assert run(tmp_path / "run", offline()) == 0
    assert time.monotonic() - begin < 20
    assert told(capsys) == [
        "Weights & Biases is off: no answer within 0.5 s; `wandb sync` sends what lies in the run directory"
    ]
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7


def test_a_service_that_takes_no_rows_never_fills_the_memory(tmp_path, fake, capsys, monkeypatch):
    fake("import time; time.sleep(100)")
    monkeypatch.setattr(tracking, "MOST_WAITING", 3)
    monkeypatch.setattr(Tracker, "_send", lambda self, stream: None)
    assert run(tmp_path / "run", offline()) == 0
    assert told(capsys) == ["Weights & Biases is off: it lags 3 rows behind"]


def test_its_process_dies_and_the_run_goes_on(tmp_path, fake, capsys):
    fake("import os; os._exit(7)")
    assert run(tmp_path / "run", offline()) == 0
    assert told(capsys) == ["Weights & Biases is off: its process has ended"]


def test_weights_and_biases_reads_no_settings_in_the_run_directory(tmp_path, fake, monkeypatch):
    fake(log=f"open('{tmp_path}/where', 'w').write(__import__('os').getcwd())")
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    assert run(tmp_path / "run", offline()) == 0
    assert (tmp_path / "where").read_text() == str(messages.CHECKOUT)


def test_an_id_that_is_none_is_made_anew(tmp_path):
    for damaged in (b"\xff", b"", b"../../x\n", b"x" * 1000):
        (tmp_path / "id.txt").write_bytes(damaged)
        name = messages.identity(tmp_path / "id.txt")
        assert name.isalnum()
        assert messages.identity(tmp_path / "id.txt") == name


@pytest.mark.slow
def test_a_frozen_service_keeps_nobody_waiting(tmp_path, capsys, monkeypatch):
    """The service of W&B itself, stopped by a signal in the middle of a run."""
    monkeypatch.setattr(tracking, "FINISH_TIMEOUT", {"offline": 3.0})

    stopped = []

    def interrupt(generation):
        while generation == 3 and not stopped:
            time.sleep(0.2)
            stopped.extend(signalled("wandb-core", signal.SIGSTOP))

    try:
        assert run(tmp_path / "run", offline(), interrupt=interrupt) == 0
    finally:
        for number in stopped:
            os.kill(number, signal.SIGKILL)
    assert len(told(capsys)) == 1
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7
