"""Rush Hour: blind searches of boards side by side, and breadth-first search, beside both in plain C++."""

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from envs.rush_hour import boards
from envs.rush_hour.boards import Board
from envs.rush_hour.rules import RushHour
from jaxgp.search.puzzles.breadth import explore
from jaxgp.search.puzzles.deepening import Deepening
from rivals.puzzles.clocked import Clocked, Told, add_speed
from rivals.timing import Bench, Case, Job, compile_function, measure

PART = "rush_hour"
SOURCE = Path(__file__).parents[1] / "plain" / "rush_hour.cpp"
CPP = "plain C++"
BOUND = 200
"""Moves: the bound of the first round, and the greatest one."""


def jobs(bench: Bench) -> Iterator[Job]:
    """Blind searches for each number of boards, then breadth-first search."""
    for count in bench.options.boards:
        yield 1.0 + count / 256, functools.partial(blind, bench, count)
    yield 1.0, functools.partial(breadth, bench)


def take_boards(count: int) -> list[Board]:
    """Return boards of 6 x 6 cells, from the first of every list on and around again."""
    known = boards.read_shipped()
    return [known[number % len(known)] for number in np.arange(count) * 5]


def blind(bench: Bench, count: int, until: float) -> None:
    """Search boards with many lanes, and one after another in C++: the same algorithm, table and limit.

    The hashes by which tables find their slots differ, so the nodes differ a little where tables replace entries.
    """
    options, name, unit = bench.options, "blind search", "boards/s"
    game, chosen = RushHour(), take_boards(count)
    search = Deepening(game, BOUND, BOUND, BOUND, options.table, min(options.board_lanes, count), 4)
    states = jax.tree.map(jnp.asarray, game.positions(chosen))
    given = (states, jnp.full(count, options.limit, jnp.int32), jnp.int32(count))
    run, seconds = compile_function(search.search, *given)
    found = run(*given)
    nodes = int(found.nodes.sum())
    sizes = {"boards": count, "limit": options.limit, "table": options.table, "lanes": search.lanes}
    about = {"nodes": nodes, "solved": int(found.solved.sum())}
    words = ("deepening", *map(str, (BOUND, BOUND, BOUND, max(options.table, 1), options.limit)))
    theirs = _plain(bench, chosen, name, unit, words)
    times = measure(
        {name: Case(functools.partial(run, *given), count, warm=False), **theirs.cases}, options.repeats, until
    )
    bench.report.ours(PART, name, unit, times[name], sizes, seconds, **add_speed(about, times[name]))
    theirs.report(times)


def breadth(bench: Bench, until: float) -> None:
    """Find shortest solutions, one board after another: by breadth-first search of jaxgp, and in C++."""
    options, name, unit = bench.options, "breadth-first search", "boards/s"
    game, chosen = RushHour(), take_boards(options.breadth_boards)
    states = [game.position(board) for board in chosen]
    expanded: list[int] = []

    def ours() -> None:
        found = [explore(game, state, nearest=True) for state in states]
        assert [one.distance for one in found] == [board.moves for board in chosen], "optima differ"
        expanded[:] = [one.expanded for one in found]

    sizes = {"boards": len(chosen)}
    theirs = _plain(bench, chosen, name, unit, ("breadth",))
    times = measure({name: Case(ours, len(chosen)), **theirs.cases}, options.repeats, until)
    about = add_speed({"nodes": sum(expanded), "solved": len(chosen)}, times[name])
    bench.report.ours(PART, name, unit, times[name], sizes, 0.0, **about)
    theirs.report(times)


def _plain(bench: Bench, chosen: Sequence[Board], name: str, unit: str, words: Sequence[str]) -> Clocked:
    """Return the C++ program on some boards."""
    theirs = Clocked(bench, PART, name, unit, CPP, {"boards": len(chosen)})
    if not bench.options.rivals:
        return theirs
    program = _program()
    if program is None:
        theirs.skip("there is no g++")
        return theirs

    def once() -> Told:
        *lines, last = _lines(program, chosen, words)
        found = np.array([line.split() for line in lines], int)
        wall, cpu = map(float, last.split())
        return Told(wall, cpu, {"nodes": int(found[:, 1].sum()), "solved": int((found[:, 0] >= 0).sum())})

    theirs.time(once, len(chosen))
    return theirs


def breadth_first(chosen: Sequence[Board], limit: int) -> list[tuple[int, int]] | None:
    """Return the fewest moves of boards and the positions that were expanded; None where there is no compiler.

    Moves are -1 where there is no solution, or none within the limit of positions.
    """
    program = _program()
    if program is None:
        return None
    *lines, _ = _lines(program, chosen, ("breadth", str(limit)))
    return [(int(moves), int(nodes)) for moves, nodes in map(str.split, lines)]


def _lines(program: str, chosen: Sequence[Board], words: Sequence[str]) -> list[str]:
    """Return what the C++ program says: a line for each board, and one with the seconds."""
    text = "".join(f"{board.text}\n" for board in chosen)
    return subprocess.run([program, *words], input=text, capture_output=True, text=True, check=True).stdout.splitlines()


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
