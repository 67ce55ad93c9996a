"""Rush Hour: blind searches of boards side by side, and breadth-first search, beside both in plain C++."""

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envs.rush_hour import boards
from envs.rush_hour.boards import Board
from envs.rush_hour.rules import RushHour
from jaxgp.search.puzzles.breadth import explore
from jaxgp.search.puzzles.deepening import Deepening
from rivals.timing import Case, Times, compiled, measure

PART = "rush_hour"
SOURCE = Path(__file__).parents[1] / "plain" / "rush_hour.cpp"
CPP = "plain C++"
BOUND = 200
"""Moves: the bound of the first round, and the greatest one."""


def jobs(bench: Any) -> Iterator[tuple[float, Any]]:
    """Blind searches for each number of boards, then breadth-first search."""
    for count in bench.options.boards:
        yield 1.0 + count / 256, functools.partial(blind, bench, count)
    yield 1.0, functools.partial(breadth, bench)


def drawn(count: int) -> list[Board]:
    """Return boards of 6 x 6 cells, from the first of every list on and around again."""
    known = boards.shipped()
    return [known[number % len(known)] for number in np.arange(count) * 5]


def blind(bench: Any, count: int, until: float) -> None:
    """Search boards with many lanes, and one after another in C++: the same algorithm, table and limit.

    The hashes by which tables find their slots differ, so the nodes differ a little where tables replace entries.
    """
    options, name, unit = bench.options, "blind search", "boards/s"
    game, chosen = RushHour(), drawn(count)
    search = Deepening(game, BOUND, BOUND, BOUND, options.table, min(options.board_lanes, count), 4)
    states = jax.tree.map(jnp.asarray, game.positions(chosen))
    given = (states, jnp.full(count, options.limit, jnp.int32), jnp.int32(count))
    run, seconds = compiled(search.search, *given)
    found = run(*given)
    nodes = int(found.nodes.sum())
    sizes = {"boards": count, "limit": options.limit, "table": options.table, "lanes": search.lanes}
    about = {"nodes": nodes, "solved": int(found.solved.sum())}
    words = ("deepening", *map(str, (BOUND, BOUND, BOUND, max(options.table, 1), options.limit)))
    theirs = Plain(bench, chosen, name, unit, sizes, words)
    times = measure(
        {name: Case(functools.partial(run, *given), count, warm=False), **theirs.cases}, options.repeats, until
    )
    bench.report.ours(PART, name, unit, times[name], sizes, seconds, **_speed(about, times[name]))
    theirs.report(bench, times, name)


def breadth(bench: Any, until: float) -> None:
    """Find shortest solutions, one board after another: by breadth-first search of jaxgp, and in C++."""
    options, name, unit = bench.options, "breadth-first search", "boards/s"
    game, chosen = RushHour(), drawn(options.breadth_boards)
    states = [game.position(board) for board in chosen]
    expanded: list[int] = []

    def ours() -> None:
        found = [explore(game, state, nearest=True) for state in states]
        assert [one.distance for one in found] == [board.moves for board in chosen], "optima differ"
        expanded[:] = [one.expanded for one in found]

    sizes = {"boards": len(chosen)}
    theirs = Plain(bench, chosen, name, unit, sizes, ("breadth",))
    times = measure({name: Case(ours, len(chosen)), **theirs.cases}, options.repeats, until)
    about = _speed({"nodes": sum(expanded), "solved": len(chosen)}, times[name])
    bench.report.ours(PART, name, unit, times[name], sizes, 0.0, **about)
    theirs.report(bench, times, name)


class Plain:
    """The C++ program on some boards. Its own clocks count, so that starting and reading cost it nothing.

    Attributes:
        cases: to be timed beside those of jaxgp; empty where there is no compiler or no rival is wanted.
    """

    def __init__(
        self, bench: Any, chosen: Sequence[Board], name: str, unit: str, sizes: dict, words: Sequence[str]
    ) -> None:
        self.cases: dict[str, Case] = {}
        self._about, self._unit, self._sizes = {}, unit, {"boards": sizes["boards"]}
        self._clocks: list[tuple[float, ...]] = []
        if not bench.options.rivals:
            return
        program = _program()
        if program is None:
            bench.report.skip(PART, name, unit, sizes, who=CPP, why="there is no g++")
            return
        text = "".join(f"{board.text}\n" for board in chosen)

        def run() -> None:
            done = subprocess.run([program, *words], input=text, capture_output=True, text=True, check=True)
            *lines, last = done.stdout.splitlines()
            found = np.array([line.split() for line in lines], int)
            self._about = {"nodes": int(found[:, 1].sum()), "solved": int((found[:, 0] >= 0).sum())}
            self._clocks.append(tuple(map(float, last.split())))

        self.cases = {CPP: Case(run, len(chosen), warm=False)}

    def report(self, bench: Any, times: dict[str, Times], name: str) -> None:
        """Write the measurement, if there is one."""
        if self.cases:
            wall, cpu = map(list, zip(*self._clocks, strict=True))
            took = Times(times[CPP].work, wall, cpu)
            more = {"who": CPP, "ours": times[name], "against": name, **_speed(self._about, took)}
            bench.report.rival(PART, CPP, self._unit, took, self._sizes, **more)


def _speed(about: dict[str, int], times: Times) -> dict[str, int]:
    return {**about, "nodes_per_second": round(about["nodes"] / times.median)}


@functools.cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    """Return a folder that is removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="jaxgp_rush_hour_")


@functools.cache
def _program() -> str | None:
    """Return the path of the compiled C++ program; None where there is no compiler."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    made = str(Path(_folder().name) / "rush_hour")
    subprocess.run([compiler, "-O2", "-std=c++17", "-o", made, str(SOURCE)], check=True, capture_output=True)
    return made
