"""Rush Hour: blind searches of boards side by side, and breadth-first search, beside both in plain C++."""

import functools
from collections.abc import Iterator, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from envs.rush_hour import boards
from envs.rush_hour.boards import Board
from envs.rush_hour.rules import RushHour
from jaxgp.search.puzzles.breadth import explore
from jaxgp.search.puzzles.deepening import Deepening
from rivals.plain import rush_hour as plain
from rivals.puzzles.clocked import Clocked, Told, add_speed
from rivals.timing import Bench, Case, Job, compile_function, measure, plain_lanes, report_lanes

PART = "rush_hour"
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
    sizes = {"boards": count, "limit": options.limit, "table": options.table}
    about = {"nodes": nodes, "solved": int(found.solved.sum())}
    words = ("deepening", *map(str, (BOUND, BOUND, BOUND, max(options.table, 1), options.limit)))
    theirs, lanes = _plain(bench, chosen, name, unit, words), plain_lanes(bench, search.search, given, found, count)
    cases = {name: Case(functools.partial(run, *given), count, warm=False), **lanes, **theirs.cases}
    times = measure(cases, options.repeats, until)
    bench.report.ours(PART, name, unit, times[name], sizes, seconds, **add_speed(about, times[name]))
    report_lanes(bench, PART, name, unit, sizes, times)
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
    compiled = plain.program()
    if compiled is None:
        theirs.skip("there is no g++")
        return theirs

    def once() -> Told:
        *lines, last = plain.ask(compiled, words, [board.text for board in chosen])
        found = np.array([line.split() for line in lines], int)
        wall, cpu = map(float, last.split())
        return Told(wall, cpu, {"nodes": int(found[:, 1].sum()), "solved": int((found[:, 0] >= 0).sum())})

    theirs.time(once, len(chosen))
    return theirs
