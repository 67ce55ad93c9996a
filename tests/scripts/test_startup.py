"""Ctrl-C in the first second of a script, while it imports."""

import gc
import os
import signal
import subprocess
import sys
import time

import pytest

from jaxgp import terminal
from tests.scripts.commands import SCRIPTS

EVERY = sorted(
    path
    for folder in (SCRIPTS, SCRIPTS / "studies", SCRIPTS / "rivals")
    for path in folder.glob("*.py")
    if '__name__ == "__main__"' in path.read_text("utf-8")
)


@pytest.mark.parametrize("script", EVERY, ids=lambda path: path.stem)
def test_every_script_is_quiet_before_it_imports_what_takes_time(script):
    before, _, _ = script.read_text("utf-8").partition("\n    terminal.quiet()\n")
    lines = [line for line in before.splitlines() if line.startswith(("import ", "from "))]
    assert before != script.read_text("utf-8")
    assert set(lines) <= {"import sys", "from pathlib import Path"}


def run(*arguments, after=None, hook=""):
    """Start Python; return exit code and standard error. `after`: seconds until Ctrl-C."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([hook, str(SCRIPTS.parent)])}
    with subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    ) as started:
        if after is not None:
            time.sleep(after)
            started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=100)
    return started.returncode, err.decode()


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_within_an_import_is_one_word(tmp_path, name, code):
    hook = f"import os, signal\nos.kill(os.getpid(), signal.{name})\nimport time; time.sleep(20)\n"
    (tmp_path / "omegaconf.py").write_text(hook)  # what scripts/train.py imports is found here first
    assert run(SCRIPTS / "train.py", hook=str(tmp_path)) == (code, "stopped\n")


def test_too_little_address_space_is_one_line_before_jax_is_imported():
    words = [sys.executable, SCRIPTS / "train.py"]
    limited = ["bash", "-c", 'ulimit -v 1000000; exec "$0" "$@"', *words]
    ended = subprocess.run(limited, capture_output=True, text=True, timeout=100, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "error: ulimit -v 1000000: accepted: unlimited, or 2097152 or more; JAX needs as much\n"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("platforms", "words"),
    [
        ("cuda", "train.py game=morpion game.size=20 logger=disabled hydra.run.dir=run"),
        pytest.param(
            "tpu,cpu", "evaluate.py game=walls player=random_moves panel=walls games=2", marks=pytest.mark.slow
        ),
    ],
)
def test_jax_that_finds_no_device_is_one_line(tmp_path, platforms, words):
    script, *options = words.split()
    environment = os.environ | {"JAX_PLATFORMS": platforms}
    command = [sys.executable, SCRIPTS / script, *options]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=200, check=False, env=environment, cwd=tmp_path
    )
    assert ended.returncode == 1
    said = [line for line in ended.stderr.splitlines() if not line.startswith("Compiling")]
    assert len(said) == 1
    assert said[0].startswith(f"error: JAX_PLATFORMS={platforms}: JAX cannot start: ")
    assert said[0].endswith("an NVIDIA GPU needs its driver and pip install -e '.[cuda]'")


def test_values_have_32_bits_in_commands_whatever_the_environment_asks_for(monkeypatch, capfd):
    monkeypatch.setattr(terminal, "_usual", {})
    monkeypatch.setenv("JAX_ENABLE_X64", "0")
    terminal.quiet()
    assert capfd.readouterr().err == ""
    monkeypatch.setenv("JAX_ENABLE_X64", "True")
    terminal.quiet()
    assert os.environ["JAX_ENABLE_X64"] == "0"
    assert capfd.readouterr().err == "JAX_ENABLE_X64 is not used here: all values have 32 bits\n"


def test_ctrl_c_is_heard_as_before_once_all_is_imported():
    before = signal.getsignal(signal.SIGINT)
    try:
        terminal.quiet()
        assert signal.getsignal(signal.SIGINT) is not before
        terminal.over()
        assert signal.getsignal(signal.SIGINT) is before
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        terminal.quiet()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN, "a command in the background goes on ignoring it"
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_while_python_collects_garbage_is_heard():
    def interrupt(phase, info):
        gc.callbacks.remove(interrupt)
        signal.raise_signal(signal.SIGINT)

    def collect():
        with terminal.heard():
            gc.collect()  # Python goes on from what `interrupt` raises
            time.sleep(20)

    hook, alarm = sys.unraisablehook, signal.getsignal(signal.SIGALRM)
    gc.callbacks.append(interrupt)
    with pytest.raises(KeyboardInterrupt):
        collect()
    assert (sys.unraisablehook, signal.getsignal(signal.SIGALRM)) == (hook, alarm)


def test_it_is_early_until_jax_is_imported_as_a_whole_or_work_begins(monkeypatch):
    monkeypatch.setattr(terminal, "_begun", [])
    assert not terminal.early()
    monkeypatch.setattr(sys.modules["jax"].__spec__, "_initializing", True)
    assert terminal.early()
    monkeypatch.delitem(sys.modules, "jax")
    assert terminal.early()
    terminal.over()
    assert not terminal.early(), "a launcher computes nothing itself, and says how to go on"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["train", "evaluate", "bench"])
@pytest.mark.parametrize("after", [0.1, 0.2, 0.3, 0.4, 0.6, 0.9, 1.3])
def test_ctrl_c_at_any_time_is_no_traceback(name, after, tmp_path):
    options = {"train": [f"hydra.run.dir={tmp_path}/run", "logger=disabled"], "bench": ["part=env", "rivals=false"]}
    code, err = run(SCRIPTS / f"{name}.py", *options.get(name, []), after=after)
    # While Python itself starts, before it has opened the script, it prints a traceback of its own.
    assert "Traceback" not in err or str(SCRIPTS.parent) not in err
    # Stopped, refused or done before that, or while Python itself starts or ends.
    assert code in (130, 2, 1 if "Traceback" in err else 0, 0, -signal.SIGINT)
