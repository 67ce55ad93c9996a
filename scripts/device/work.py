"""What every part of `part=gpu` is given, and the rows that it yields."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CPU, DEVICE = "cpu", "device"
"""Sides: the CPU of the machine, in a process that knows no other device; the device that is proved."""

Row = dict[str, Any]
"""One line of what was found: `part`, `what`, `side`, and figures. A row with `left_out` says why there are none."""


@dataclass(frozen=True)
class Work:
    """What a part is to do.

    Attributes:
        side: which side computes.
        small: whether at the smallest sizes, as on a machine without a GPU.
        seconds: for this part.
        begun: reading of `time.perf_counter` at its beginning.
        folder: where files may be left.
        seed: of all that is drawn.
    """

    side: str
    small: bool
    seconds: float
    begun: float
    folder: Path
    seed: int = 0

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.begun + self.seconds - time.perf_counter()
