"""What a generation launches on a GPU: launches of each loop by its compiled text, times its iterations by a CPU."""

import re
from typing import Any, NamedTuple

import jax
import numpy as np

from device.programs import ahead, launches
from device.programs.iterations import Loops
from jaxgp.evolution.ring import Evolution
from jaxgp.evolution.state import EvolutionState

LAUNCH = 5e-6
"""Seconds that a launch costs, however little it does: a usual figure, which nobody has measured here."""


class Spent(NamedTuple):
    """A loop of a generation, or the generation itself outside of loops.

    Attributes:
        depth: loops that it is in.
        path: where it comes from, as JAX names it.
        each: launches of one iteration, without those of inner loops.
        iterations: in all.
        bytes: that one iteration reads and writes, at most.
    """

    depth: int
    path: str
    each: int
    iterations: int
    bytes: int

    @property
    def launches(self) -> int:
        """Launches in all."""
        return self.each * self.iterations


def compiled(ring: Evolution, state: Any, target: str = ahead.H100) -> str:
    """Return the text of a step, with named loops, as it is compiled for a GPU."""
    text = ahead.compile_for(target, Loops(counts=False).named(ring.step), state).as_text()
    assert text is not None
    return text


def iterations(ring: Evolution, state: EvolutionState, generations: int) -> list[np.ndarray]:
    """Make some generations here by the ways of a GPU; return the iterations of each loop in each, int[N]."""
    step, found = jax.jit(Loops().named(ring.step)), []
    for _ in range(generations):
        (state, _), count = step(state)
        found.append(np.asarray(count))
    return found


def spent(text: str, counts: np.ndarray) -> list[Spent]:
    """Return the loops of a compiled generation, and what they launch.

    Args:
        text: see `compiled`.
        counts: int[N], iterations by the numbers of loops.
    """
    found: list[Spent] = []
    above: list[int] = []
    for depth, loop in launches.count(text).walk():
        number = re.findall(r"loop(\d+)", loop.path)
        of_parent = above[depth - 1] if depth else 1
        times = int(counts[int(number[-1])]) if loop.trips is None else loop.trips * of_parent
        above[depth:] = [times]
        found.append(Spent(depth, loop.path, loop.launches, times, loop.bytes))
    return found
