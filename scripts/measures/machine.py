"""The machine that a figure is from: its processor, its clock and how busy it is. Needs only Python."""

import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

CALM = 0.5
"""Load average of the last minute, for each core, below which rates of two programs may be compared: with more, other
work takes a core from one of them for part of the time."""
INFO = Path("/proc/cpuinfo")


class Machine(NamedTuple):
    """A machine as it is now.

    Attributes:
        processor: its name.
        cores: that this process may use.
        megahertz: the clock of the fastest core now; None: the system does not say.
        load: load average of the last minute; None: the system does not say.
    """

    processor: str
    cores: int
    megahertz: int | None
    load: float | None

    @property
    def calm(self) -> bool:
        """Whether rates may be compared."""
        return self.load is None or self.load <= CALM * self.cores


def look() -> Machine:
    """Return the machine as it is now."""
    lines: list[str] = []
    with suppress(OSError):
        lines = INFO.read_text(encoding="utf-8").splitlines()
    said = [tuple(part.strip() for part in line.partition(":")[::2]) for line in lines]
    names = [value for name, value in said if name == "model name"]
    clocks = [float(value) for name, value in said if name == "cpu MHz"]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    name = names[0] if names else platform.processor() or platform.machine()
    return Machine(name, cores, round(max(clocks)) if clocks else None, load)
