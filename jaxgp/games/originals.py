"""The originals of simulations: programs outside the project in which exported drivers drive, as a second opinion."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from jaxgp.export.export import Written

Rules = TypeVar("Rules")


@dataclass(frozen=True)
class Encounter:
    """What was measured of one driver against one rival, in N rollouts.

    Attributes:
        rival: who drove the other seat.
        values: name of a quantity -> float64[N], NaN where there is no such value.
        steps: mean number of steps of a rollout.
        seconds: wall-clock time.
        discarded: rollouts that could not be counted, beside the N.
    """

    rival: str
    values: Mapping[str, np.ndarray]
    steps: float
    seconds: float
    discarded: int = 0


class Original(ABC, Generic[Rules]):
    """A program outside that has drivers of its own, by name, and takes exported ones."""

    called: str  # Its name and version.

    @property
    @abstractmethod
    def rivals(self) -> tuple[str, ...]: ...  # Whom an exported driver meets unless somebody is named.
    @abstractmethod
    def missing(self) -> str: ...  # Why it cannot be used on this machine, and what installs it; empty: it can.
    @abstractmethod
    def check(self, option: str, names: Sequence[str]) -> None: ...  # Raises UsageError where it has no such driver.
    @abstractmethod
    def drive(
        self,
        game: Rules,
        driver: "tuple[Any, Written] | str",
        rivals: Sequence[str],
        rollouts: int,
        seed: int,
        cache: Path | None,
    ) -> Iterator[Encounter]:
        """Let a driver meet rivals.

        Args:
            game: the rules.
            driver: the options of its role and its program; or the name of one that the original has.
            rivals: their names.
            rollouts: N, against each rival.
            seed: of starts and chance.
            cache: where what has to be compiled once is kept; None: nowhere.

        Raises:
            RunError: the program outside fails.
        """
