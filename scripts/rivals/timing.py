"""Measures calls in turn, and writes the measurements as JSON lines."""

import datetime
import json
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import jax
import numpy as np

from jaxgp.games.casting import Cast
from jaxgp.native.build import SWITCH
from jaxgp.store.table import CSVTable
from measures import limits, machine

if TYPE_CHECKING:
    from bench import Options

PLAIN = "plain XLA"
"""The way of a CPU without a C++ compiler, beside programs and searches in C++."""
_LEAST_SECONDS = 0.02
"""Calls that are quicker are repeated within one measurement."""
COLUMNS: Mapping[str, str] = {
    "part": "what is measured, as in `part=`",
    "name": "what is done",
    "sizes": "how much of it, as NAME=VALUE",
    "rival": "who does it; empty: jaxgp",
    "against": "the `name` of jaxgp's measurement that a rival is compared with",
    "beside": "how much jaxgp did in that measurement, as `sizes`",
    "unit": "of `value`",
    "value": "units a second, by the clock, the median of the repeats",
    "best_value": "the same of the best repeat",
    "work": "units of one repeat",
    "repeats": "how often it was measured",
    "median_seconds": "of a repeat, by the clock",
    "best_seconds": "of the best repeat",
    "cpu_seconds": "of a repeat, of all cores together, the median",
    "compile_seconds": "of jaxgp's program, apart from the repeats",
    "ratio": "how many times as fast as the rival jaxgp is, by the clock",
    "cpu_ratio": "the same by CPU time",
    "limit": "units a second that the machine could do at most, where somebody has counted",
    "share": "of the limit, by the best repeat",
    "about": "what else was counted, as NAME=VALUE",
    "skipped": "why there is no measurement",
    "processor": "of the machine",
    "cores": "that the process could use",
    "megahertz": "clock of the fastest core then",
    "load": "load average of the last minute then, the measurement itself included",
    "jax": "version of JAX",
    "python": "version of Python",
    "date": "when the measurements began, UTC",
}
"""The columns of the table of measurements and what is in them."""


@dataclass
class Case:
    """Something to time.

    Attributes:
        run: returns arrays, which are waited for, or anything else.
        work: units of work in one call.
        warm: call it before it is timed; off for slow rivals that have nothing to warm up.
        before: called before each timed call, outside the clock.
    """

    run: Callable[..., Any]
    work: float
    warm: bool = True
    before: Callable[[], Any] | None = None


@dataclass
class Times:
    """Seconds of each repeat for `work` units."""

    work: float
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.wall)

    @property
    def value(self) -> float:
        """Units a second."""
        return self.work / self.median


def compile_function(function: Callable, *arguments: object) -> tuple[jax.stages.Compiled, float]:
    """Compile for these arguments; return the compiled function and the seconds of tracing and compiling."""
    start = time.perf_counter()
    made = jax.jit(function).lower(*arguments).compile()
    return made, time.perf_counter() - start


def in_plain_xla(function: Callable, arguments: tuple, work: float) -> dict[str, Case]:
    """Return a function on these arguments in plain XLA, by its name: without the native interpreter."""
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = "off"
    try:
        plain, _ = compile_function(function, *arguments)
    finally:
        if before is None:
            del os.environ[SWITCH]
        else:
            os.environ[SWITCH] = before
    return {PLAIN: Case(lambda: plain(*arguments), work)}


def plain_lanes(
    bench: "Bench", search: Callable[..., Any], given: tuple[Any, ...], found: Any, work: int
) -> dict[str, Case]:
    """Return the same search in the lanes of plain XLA, to be timed beside the native one; none without one.

    Args:
        bench: rivals may not be wanted.
        search: that has been compiled.
        given: its arguments.
        found: what it finds, `Solutions`, a `RootResult` or `Claims`, which the lanes have to find as well.
        work: instances, or nodes.
    """
    if not bench.options.rivals or int(getattr(found, "iterations", 0)):
        return {}
    cases = in_plain_xla(partial(search), given, work)
    lanes = cases[PLAIN].run()
    if hasattr(found, "iterations"):
        lanes = replace(lanes, iterations=found.iterations)
    jax.tree.map(np.testing.assert_array_equal, lanes, found)
    return cases


def report_lanes(
    bench: "Bench", part: str, name: str, unit: str, sizes: dict[str, int], times: dict[str, Times]
) -> None:
    """Write the measurement of the lanes, if there is one."""
    if PLAIN in times:
        more = {"who": PLAIN, "ours": times[name], "against": name}
        bench.report.rival(part, name, unit, times[PLAIN], sizes, **more)


def measure(cases: Mapping[str, Case], repeats: int, until: float) -> dict[str, Times]:
    """Time all cases in turn, round after round, up to `repeats` rounds: at least one, and none begins after `until`.

    `until` is a reading of `time.perf_counter`.
    """
    inner = {name: _calls(case) for name, case in cases.items()}
    times = {name: Times(case.work) for name, case in cases.items()}
    for done in range(repeats):
        if done and time.perf_counter() > until:
            break
        for name, case in cases.items():
            wall, cpu = _once(case, inner[name])
            times[name].wall.append(wall)
            times[name].cpu.append(cpu)
    return times


@dataclass
class Bench:
    """What all measurements share."""

    options: "Options"
    report: "Report"
    cast: Cast


Job = tuple[float, Callable[[float], None]]
"""A share of the time, and a function that makes measurements until a reading of `time.perf_counter`."""


def compare(bench: Bench, who: str, part: str, name: str, unit: str, sizes: dict, cases: Callable[[], dict]) -> dict:
    """Return a rival's cases to time. Where it is not installed or not wanted, report why and return none."""
    if not bench.options.rivals:
        return {}
    try:
        return cases()
    except ImportError:
        bench.report.skip(part, name, unit, sizes, who=who, why=f"{who} is not installed")
        return {}


def _calls(case: Case) -> int:
    """Warm a case up, and say how often to call it within one measurement."""
    if not case.warm:
        return 1
    _once(case, 1)
    if case.before is not None:
        return 1
    wall, _ = _once(case, 1)
    return max(1, min(1000, round(_LEAST_SECONDS / max(wall, 1e-9))))


def _once(case: Case, calls: int) -> tuple[float, float]:
    """Return wall and CPU seconds of one call."""
    arguments = () if case.before is None else (jax.block_until_ready(case.before()),)
    wall, cpu = time.perf_counter(), _cpu_seconds()
    for _ in range(calls):
        jax.block_until_ready(case.run(*arguments))
    return (time.perf_counter() - wall) / calls, (_cpu_seconds() - cpu) / calls


def _cpu_seconds() -> float:
    """Return the CPU time of this process and of those that it has started and that have ended, such as plain C++."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


class Report:
    """Writes measurements: as JSON to `lines`, as rows to a table, and as a line for people to standard error."""

    def __init__(self, lines: list[TextIO], table: CSVTable | None = None) -> None:
        device = jax.devices()[0]
        self._lines, self._table = lines, table
        self._sizes: list[tuple[Times, dict]] = []  # of each measurement of jaxgp
        self._common = {
            "device": device.device_kind,
            "platform": device.platform,
            "cores": machine.look().cores,
            "jax": jax.__version__,
            "python": platform.python_version(),
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        }

    def ours(
        self,
        part: str,
        name: str,
        unit: str,
        times: Times,
        sizes: dict,
        compile_seconds: float,
        work: str = "",
        **more: object,
    ) -> None:
        """Write one measurement of jaxgp; `work` names its limit in `measures.limits`, if it has one."""
        self._sizes.append((times, sizes))
        now, device = machine.look(), str(self._common["device"])
        on_cpu = self._common["platform"] == "cpu"
        limit = limits.on_cpu(work, now.cores, now.megahertz) if on_cpu else limits.on_gpu(work, device)
        if limit is not None:
            more |= {"limit": _significant(limit), "share": _significant(times.work / min(times.wall) / limit)}
        self._write(part, name, unit, sizes, _timed(times), compile_seconds=round(compile_seconds, 3), **more)

    def rival(
        self, part: str, name: str, unit: str, times: Times, sizes: dict, *, who: str, ours: Times, **more: object
    ) -> None:
        """Write one measurement of a rival; the ratio says how many times as fast jaxgp is."""
        ratio = _significant(ours.value / times.value)
        cpu = [statistics.median(t.cpu) / t.work for t in (times, ours)]
        more["cpu_ratio"] = _significant(cpu[0] / cpu[1]) if cpu[1] > 0 else None
        more["beside"] = next((of for measured, of in self._sizes if measured is ours), sizes)
        self._write(part, name, unit, sizes, _timed(times), rival=who, ratio=ratio, **more)

    def skip(self, part: str, name: str, unit: str, sizes: dict, *, who: str, why: str) -> None:
        """Say why there is no measurement."""
        self._write(part, name, unit, sizes, dict.fromkeys(_timed(Times(1, [1.0], [1.0]))), rival=who, skipped=why)

    def _write(self, part: str, name: str, unit: str, sizes: dict, timed: dict, **more: object) -> None:
        line = {"part": part, "name": name, "value": timed["value"], "unit": unit, "rival": None, "ratio": None}
        now = machine.look()
        seen = {"processor": now.processor, "megahertz": now.megahertz, "load": now.load}
        line = {**line, "sizes": sizes, "compile_seconds": None, **timed, **more, **self._common, **seen}
        for stream in self._lines:
            print(json.dumps(line), file=stream, flush=True)
        if self._table is not None:
            self._table.append(_row(line))
        print(_readable(line), file=sys.stderr, flush=True)


def _timed(times: Times) -> dict[str, float]:
    return {
        "value": _significant(times.value),
        "best_value": _significant(times.work / min(times.wall)),
        "work": times.work,
        "repeats": len(times.wall),
        "best_seconds": _significant(min(times.wall)),
        "median_seconds": _significant(times.median),
        "spread_seconds": _significant(max(times.wall) - min(times.wall)),
        "cpu_seconds": _significant(statistics.median(times.cpu)),
    }


def _significant(number: float) -> float:
    return float(f"{number:.4g}")


def _row(line: dict) -> dict[str, object]:
    """Return a measurement as a row of the table; what has no column goes to `about`, but for the kind of device."""
    about = {
        name: value for name, value in line.items() if name not in (*COLUMNS, "device", "platform", "spread_seconds")
    }
    pairs = {"sizes": line["sizes"], "beside": line.get("beside", {}), "about": about}
    row = {**line, **{name: _pairs(of.items()) for name, of in pairs.items()}}
    return {name: "" if row.get(name) is None else row[name] for name in COLUMNS}


def _pairs(items: Iterable[tuple[str, object]]) -> str:
    return " ".join(f"{name}={value}".replace(", ", ",").replace(" ", "_") for name, value in items)


def _readable(line: dict) -> str:
    sizes = " ".join(f"{name}={value}" for name, value in line["sizes"].items())
    head = f"{line['part']}: {line['name']} ({sizes}){': ' + line['rival'] if line['rival'] else ''}"
    if "skipped" in line:
        return f"{head}: skipped, {line['skipped']}"
    ratio = f"; jaxgp is {line['ratio']:,g} times as fast" if line["ratio"] else ""
    compile_seconds = f", compiled in {line['compile_seconds']:.1f} s" if line["compile_seconds"] is not None else ""
    share = f", {100 * line['share']:.3g} % of the limit" if "share" in line else ""
    clock = f"{line['megahertz']} MHz, " if line["megahertz"] else ""
    where = f" [{line['processor']}, {line['cores']} cores, {clock}load {line['load']}]"
    return f"{head}: {line['value']:,g} {line['unit']}{share}{ratio}{compile_seconds}{where}"
