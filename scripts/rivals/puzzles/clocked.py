"""Programs that measure their own time, beside searches of puzzles."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from rivals.timing import Bench, Case, Times


class Told(NamedTuple):
    """What the program says of one run.

    Attributes:
        wall: seconds.
        cpu: seconds of all its threads.
        about: further counts, such as its nodes.
    """

    wall: float
    cpu: float
    about: dict[str, int]


@dataclass
class Clocked:
    """The program on some instances, beside a measurement of ours.

    Attributes:
        bench: whose report is written.
        part, name, unit: of our measurement.
        who: the program.
        sizes: what it is given.
        cases: to be timed beside ours; empty where the program cannot run, or no rival is wanted.
    """

    bench: Bench
    part: str
    name: str
    unit: str
    who: str
    sizes: dict[str, int]
    cases: dict[str, Case] = field(default_factory=dict)
    _told: list[Told] = field(default_factory=list)

    def skip(self, why: str) -> None:
        """Write why there is nothing to be timed."""
        self.bench.report.skip(self.part, self.name, self.unit, self.sizes, who=self.who, why=why)

    def time(self, once: Callable[[], Told], work: int) -> None:
        """Time a function that runs the program, which does so much work a time."""
        self.cases = {self.who: Case(lambda: self._told.append(once()), work, warm=False)}

    def report(self, times: dict[str, Times]) -> None:
        """Write the measurement, if there is one, with nodes per second."""
        if not self.cases:
            return
        wall, cpu = [one.wall for one in self._told], [one.cpu for one in self._told]
        took = Times(times[self.who].work, wall, cpu)
        more = {"who": self.who, "ours": times[self.name], "against": self.name}
        about = add_speed(self._told[-1].about, took)
        self.bench.report.rival(self.part, self.who, self.unit, took, self.sizes, **more, **about)


def add_speed(about: dict[str, int], times: Times) -> dict[str, int]:
    """Return counts with nodes per second."""
    return {**about, "nodes_per_second": round(about["nodes"] / times.median)}
