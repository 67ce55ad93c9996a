"""What every part of `part=gpu` is given, and the rows that it yields."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CPU, DEVICE = "cpu", "device"
"""Sides: the CPU of the machine, in a process that knows no other device; the device that is proved."""

PARTS, GATE, TURN, WAITS = "parts", "gate", "turn", "waits"
"""Files by which processes agree on who measures time: the folder, and in it a file that stands while time is measured,
one that is locked by who does, and one for each process that waits for it, with the number of the process."""
MOMENT = 0.05
"""Seconds between two looks at the gate."""

Row = dict[str, Any]
"""One line of what was found: `part`, `what`, `side`, and figures. A row with `left_out` says why there are none."""


@dataclass(frozen=True)
class Work:
    """What a part is to do.

    Attributes:
        side: which side computes.
        which: of the part: a batch of the rates; a run and a population; empty where it has one alone.
        small: whether at the smallest sizes, as on a machine without a GPU.
        seconds: for this part.
        begun: reading of `time.perf_counter` at its beginning.
        folder: where files may be left.
        seed: of all that is drawn.
    """

    side: str
    which: str
    small: bool
    seconds: float
    begun: float
    folder: Path
    seed: int = 0

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.begun + self.seconds - time.perf_counter()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until nothing else runs, measure time, and let the next one do so. A process may do so once."""
        parts = self.folder / PARTS
        (parts / f"{WAITS}.{os.getpid()}").touch()
        while not (parts / GATE).exists():
            time.sleep(MOMENT)
        with (parts / TURN).open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            yield


def waiting(folder: Path) -> list[Path]:
    """Return a file for each process that waits, or has waited, to be alone; its suffix is the process."""
    return list((folder / PARTS).glob(f"{WAITS}.*"))
