"""Proves a device in one command: parts in processes of their own, side by side until they measure time.

A compiler cannot be interrupted, but a process can be ended. So this process computes nothing: it starts the parts,
lets those that measure time do so one after the other, once all others have ended or wait for that too, ends what takes
too long, and writes the table anew whenever a part ends.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from device import table
from device.work import CPU, DEVICE, GATE, PARTS, Row, waiting
from jaxgp.errors import RunError, reject
from jaxgp.files import make_directory
from jaxgp.search import cores

SCRIPTS = Path(__file__).resolve().parents[1]
CLOSING = 5.0
"""Seconds that are kept for the beginning and for the last table."""
LATEST = 0.7
"""The share of the time that is left after which what measures time waits no longer for the others, which are ended."""
A_CORE = 2
"""Processes at once for each core; of those that compile, one keeps more than one core busy only now and then."""
MOMENT = 0.1
"""Seconds between two looks at the processes."""
QUICK = {
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
    "XLA_FLAGS": "--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters",
}
"""How a CPU compiles golden runs, and all of the smallest size: they take milliseconds."""


class Step(NamedTuple):
    """A part on a side, and which of it: a batch of the rates, a run and a population."""

    part: str
    side: str
    which: str = ""

    @property
    def name(self) -> str:
        """What its files are called."""
        return ".".join(filter(None, [self.part, self.which.replace(" ", "_"), self.side]))


MACHINE = Step("machine", DEVICE)
STEPS = (
    MACHINE,
    Step("golden", CPU),
    Step("golden", DEVICE),
    Step("plies", DEVICE),
    Step("compiled", DEVICE),
    *(Step("rates", DEVICE, str(batch)) for batch in (2**20, 2**16, 2**12, 1)),
    *(Step("rates", CPU, str(batch)) for batch in (2**16, 2**12)),
    *(Step("populations", DEVICE, f"{run} {size}") for size in (2**15, 512) for run in ("Chess", "Kalah", "Othello")),
    *(Step("populations", CPU, f"{run} 512") for run in ("Chess", "Kalah", "Othello")),
)
"""What is done, in the order in which it is begun: whether the device is right, and how fast it is."""
SMALLEST = (
    MACHINE,
    *(Step("golden", side) for side in (CPU, DEVICE)),
    *(Step(part, DEVICE) for part in ("plies", "compiled")),
    *(Step("rates", side, "4") for side in (CPU, DEVICE)),
    *(Step("populations", side, "morpion_walking 24") for side in (CPU, DEVICE)),
)
"""What is done where the CPU stands for the device."""


def prove(folder: Path, minutes: float, on_cpu: bool, steps: Sequence[Step] | None = None) -> list[Row]:
    """Do all parts; return all rows. The folder gets `table.md` and `table.json`, anew after each part.

    Args:
        folder: for the tables, the trace, and below `parts` what each process said.
        minutes: for all of it.
        on_cpu: whether the CPU stands for the device, and all parts are done at their smallest size.
        steps: the parts; None: all.

    Raises:
        UsageError: JAX finds no GPU, or the folder cannot be made.
    """
    gate = make_directory(folder / PARTS, "folder") / GATE
    for left in (gate, *waiting(folder)):
        left.unlink(missing_ok=True)
    queue = list(steps or (SMALLEST if on_cpu else STEPS))
    proof = _Proof(folder, gate, on_cpu, time.monotonic() + 60 * minutes - CLOSING, queue)
    try:
        while proof.goes_on():
            time.sleep(MOMENT)
    finally:
        for one in proof.running.values():
            _end(one.process)
    table.write(folder, proof.rows)
    return proof.rows


class _Begun(NamedTuple):
    """A process, and when it was begun."""

    process: "subprocess.Popen[bytes]"
    at: float


@dataclass
class _Proof:
    """The processes of a proof, in waves: all of a wave compile and compare; then those that measure take turns.

    Attributes:
        folder: for what they say.
        gate: a file that stands while time is measured.
        on_cpu: whether the CPU stands for the device.
        end: when all is over, by `time.monotonic`.
        queue: what is not yet begun.
        running: the wave.
        latest: when those of the wave are ended that neither measure time nor wait to do so.
        rows: what was found.
    """

    folder: Path
    gate: Path
    on_cpu: bool
    end: float
    queue: list[Step]
    running: dict[Step, _Begun] = field(default_factory=dict)
    latest: float = 0.0
    rows: list[Row] = field(default_factory=list)

    def goes_on(self) -> bool:
        """Begin what there is room for, collect what has ended, and say whether anything is left."""
        now = time.monotonic()
        if now > self.end:
            self.rows += [{**_head(step), "left_out": "no time"} for step in self.queue]
            self.queue = []
        if not self.running:
            self.gate.unlink(missing_ok=True)
            self.latest = now + LATEST * (self.end - now)
        if not self.gate.exists():  # nothing is begun while somebody measures time
            self._begin()
        waits = {int(file.suffix[1:]) for file in waiting(self.folder)}
        for step, (process, _) in list(self.running.items()):
            late = now > self.latest and process.pid not in waits and not self.gate.exists()
            if process.poll() is not None or late or now > self.end:
                self._collect(step)
        if self.running and all(one.process.pid in waits for one in self.running.values()):
            self.gate.touch()
        return bool(self.queue or self.running)

    def _begin(self) -> None:
        """Begin as many steps as there is room for; the machine is looked at alone, as nothing is proved without it."""
        while self.queue and MACHINE not in self.running and len(self.running) < A_CORE * cores.available():
            if self.queue[0] == MACHINE and self.running:
                return
            step, now = self.queue.pop(0), time.monotonic()
            self.running[step] = _Begun(_start(step, self.folder, self.end - now, self.on_cpu), now)

    def _collect(self, step: Step) -> None:
        """Keep what a process has found, and end it; raises UsageError where there is no GPU."""
        process, at = self.running.pop(step)
        code = process.poll()
        _end(process)
        found = _ended(step, self.folder, code, time.monotonic() - at)
        self.rows += found
        if step == MACHINE and not self.on_cpu and all(one.get("platform", CPU) == CPU for one in found):
            reject("device", "gpu", "cpu, which does all parts at their smallest size; JAX finds no GPU here")
        table.write(self.folder, self.rows)


def _head(step: Step) -> Row:
    return {"part": step.part, "side": step.side, "what": f"{step.which}: the rest" if step.which else "the rest"}


def _start(step: Step, folder: Path, seconds: float, on_cpu: bool) -> "subprocess.Popen[bytes]":
    """Start the process of a step; what it says goes to files."""
    words = [
        sys.executable,
        "-m",
        "device.child",
        step.side,
        step.part,
        step.which,
        str(int(on_cpu)),
        f"{seconds:.1f}",
        str(folder.resolve()),
    ]
    lines, log = _files(folder, step)
    with lines.open("wb") as out, log.open("wb") as errors:
        return subprocess.Popen(
            words,
            stdout=out,
            stderr=errors,
            stdin=subprocess.DEVNULL,
            cwd=SCRIPTS,
            env=_environment(os.environ, folder, step, on_cpu),
            start_new_session=True,
        )


def _environment(given: Mapping[str, str], folder: Path, step: Step, on_cpu: bool) -> dict[str, str]:
    """Return the variables of a process: the CPU's side knows no other device, and compiled programs are kept.

    Several processes share a GPU, so that none may take all of its memory at once.
    """
    made = {
        "JAX_COMPILATION_CACHE_DIR": str(folder.resolve() / "cache"),
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        **given,
    }
    made["PYTHONPATH"] = os.pathsep.join([str(SCRIPTS), str(SCRIPTS.parent), *filter(None, [given.get("PYTHONPATH")])])
    if step.side == CPU or on_cpu:
        made["JAX_PLATFORMS"] = "cpu"
    if on_cpu or step == Step("golden", CPU):
        made |= QUICK
    return made


def _ended(step: Step, folder: Path, code: int | None, took: float) -> list[Row]:
    """Return the rows of a process, with one more where it did not come to its end."""
    lines, log = _files(folder, step)
    rows: list[Row] = []
    for line in lines.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError):  # a line that was cut off
            rows.append(json.loads(line))
    if not any(row.get("ended") for row in rows):
        last = (log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or [""])[-1]
        why = f"ended after {took:.0f} s, when its time was up" if code is None else f"failed: {last[:200]}"
        rows.append({**_head(step), "left_out": why})
    return rows


def _files(folder: Path, step: Step) -> tuple[Path, Path]:
    return folder / PARTS / f"{step.name}.jsonl", folder / PARTS / f"{step.name}.log"


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
