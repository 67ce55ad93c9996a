"""Proves a device in one command: every part in a process of its own, within the minutes that there are.

A compiler cannot be interrupted, but a process can be ended. So this process computes nothing: it gives each part its
share of the time that is left, ends what takes longer, and writes the table anew after each part.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from device import table
from device.work import CPU, DEVICE, Row
from jaxgp.errors import RunError, reject
from jaxgp.files import make_directory

SCRIPTS = Path(__file__).resolve().parents[1]
CLOSING = 5.0
"""Seconds that are kept for the beginning and for the last table."""
QUICK = {
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    "XLA_FLAGS": "--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters",
}
"""How a CPU compiles golden runs, and all of the smallest size: they take milliseconds."""


class Step(NamedTuple):
    """A part, the sides that do it at once, and its share of the time."""

    part: str
    sides: tuple[str, ...]
    share: float


STEPS = (
    Step("machine", (DEVICE,), 20),
    Step("golden", (CPU, DEVICE), 140),
    Step("plies", (DEVICE,), 80),
    Step("compiled", (DEVICE,), 60),
    Step("rates", (DEVICE,), 95),
    Step("rates", (CPU,), 50),
    Step("populations", (DEVICE,), 65),
    Step("populations", (CPU,), 30),
)
"""What is done, in this order: first whether the device is right, then how fast it is."""


def prove(folder: Path, minutes: float, on_cpu: bool, steps: tuple[Step, ...] = STEPS) -> list[Row]:
    """Do all parts; return all rows. The folder gets `table.md` and `table.json`, anew after each part.

    Args:
        folder: for the tables, the trace, and below `parts` what each process said.
        minutes: for all of it.
        on_cpu: whether the CPU stands for the device, and all parts are done at their smallest size.
        steps: the parts.

    Raises:
        UsageError: JAX finds no GPU, or the folder cannot be made.
    """
    end = time.monotonic() + 60 * minutes - CLOSING
    make_directory(folder / "parts", "folder")
    rows: list[Row] = []
    for number, step in enumerate(steps):
        left = end - time.monotonic()
        seconds = left * step.share / sum(one.share for one in steps[number:])
        rows += _do(step, folder, seconds, on_cpu)
        if step.part == "machine" and not on_cpu and rows[-1].get("platform") in (None, "cpu"):
            reject("device", "gpu", "cpu, which does all parts at their smallest size; JAX finds no GPU here")
        table.write(folder, rows)
    return rows


def _do(step: Step, folder: Path, seconds: float, on_cpu: bool) -> list[Row]:
    """Do a part on its sides at once, within so many seconds; return the rows."""
    begin = time.monotonic()
    running = {side: _start(step.part, side, folder, seconds, on_cpu) for side in step.sides}
    rows: list[Row] = []
    try:
        for side, process in running.items():
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, begin + seconds - time.monotonic()))
            rows += _ended(step.part, side, folder, process.poll(), time.monotonic() - begin)
    finally:
        for process in running.values():
            _end(process)
    return rows


def _start(part: str, side: str, folder: Path, seconds: float, on_cpu: bool) -> "subprocess.Popen[bytes]":
    """Start the process of a part on a side; what it says goes to files."""
    words = [
        sys.executable,
        "-m",
        "device.child",
        side,
        part,
        str(int(on_cpu)),
        f"{seconds:.1f}",
        str(folder.resolve()),
    ]
    lines, log = _files(folder, part, side)
    with lines.open("wb") as out, log.open("wb") as errors:
        return subprocess.Popen(
            words,
            stdout=out,
            stderr=errors,
            stdin=subprocess.DEVNULL,
            cwd=SCRIPTS,
            env=_environment(os.environ, folder, part, side, on_cpu),
            start_new_session=True,
        )


def _environment(given: Mapping[str, str], folder: Path, part: str, side: str, on_cpu: bool) -> dict[str, str]:
    """Return the variables of a process: the CPU's side knows no other device, and compiled programs are kept."""
    made = {"JAX_COMPILATION_CACHE_DIR": str(folder.resolve() / "cache"), "TF_CPP_MIN_LOG_LEVEL": "3", **given}
    made["PYTHONPATH"] = os.pathsep.join([str(SCRIPTS), str(SCRIPTS.parent), *filter(None, [given.get("PYTHONPATH")])])
    if side == CPU or on_cpu:
        made["JAX_PLATFORMS"] = "cpu"
    if on_cpu or (part == "golden" and side == CPU):
        made |= QUICK
    return made


def _ended(part: str, side: str, folder: Path, code: int | None, took: float) -> list[Row]:
    """Return the rows of a process, with one more where it did not come to its end."""
    lines, log = _files(folder, part, side)
    rows: list[Row] = []
    for line in lines.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError):  # a line that was cut off
            rows.append(json.loads(line))
    if not any(row.get("ended") for row in rows):
        last = (log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or [""])[-1]
        why = f"ended after {took:.0f} s, its share of the time" if code is None else f"failed: {last[:200]}"
        rows.append({"part": part, "side": side, "what": "the rest", "left_out": why})
    return rows


def _files(folder: Path, part: str, side: str) -> tuple[Path, Path]:
    return folder / "parts" / f"{part}.{side}.jsonl", folder / "parts" / f"{part}.{side}.log"


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process that still runs, and all that it has started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run(folder: Path, minutes: float, on_cpu: bool) -> int:
    """Prove a device, and print the table: Markdown, then a line of JSON; raises RunError where something differs."""
    rows = prove(folder, minutes, on_cpu)
    print(table.markdown(rows))
    print(json.dumps(table.content(rows)), flush=True)
    if wrong := table.wrong(rows):
        raise RunError(f"the device does not compute what the CPU does: {'; '.join(wrong)}")
    return 0
