"""FreeCell: searches of deals side by side, by evolved weights, beside fc-solve."""

import functools
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp

from envs.freecell import roles, suites
from envs.freecell.rules import FreeCell
from jaxgp.genotypes.language import parse
from jaxgp.store import champion
from rivals.puzzles.clocked import Clocked, Told, add_speed
from rivals.timing import Bench, Case, Job, compile_function, measure, plain_lanes, report_lanes

PART = "freecell"
CHAMPION = Path(__file__).resolve().parents[3] / "docs" / "data" / "champions" / "freecell_counts.jsonl#0"
"""Whose weights order the searches."""
FC_SOLVE = "fc-solve"
PROGRAM = "freecell-solver-range-parallel-solve"
"""The program of Debian's package freecell-solver-bin that solves a range of deals, one after another."""
NAME, UNIT = "greedy search by evolved weights", "deals/s"


def jobs(bench: Bench) -> Iterator[Job]:
    """Searches for each number of deals."""
    for count in bench.options.deals:
        yield 1.0 + count / 256, functools.partial(solve, bench, count)


def solve(bench: Bench, count: int, until: float) -> None:
    """Search deals 1 to `count` side by side, and one after another by fc-solve.

    Its nodes are those of its own search.
    """
    options, game = bench.options, FreeCell(autoplay="safe")
    search = roles.SolverOptions(room=options.deal_room, limit=options.limit, heuristics="counts")
    language, solver = roles.weights(game, search)
    weights = parse(language, champion.read(CHAMPION).text)
    plans = solver.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], weights))
    deals = suites.instances(game, f"1-{count}", "deals")
    states = jax.tree.map(jnp.asarray, deals.states)
    given = plans, jnp.zeros(count, jnp.int32), states, jnp.full(count, options.limit, jnp.int32)
    run, seconds = compile_function(solver.solve, *given)
    found = run(*given)
    sizes = {"deals": count, "limit": options.limit, "room": options.deal_room}
    about = {"nodes": int(found.nodes.sum()), "expanded": int(found.expanded.sum()), "solved": int(found.solved.sum())}
    theirs, lanes = _fc_solve(bench, count), plain_lanes(bench, solver.solve, given, found, count)
    cases = {NAME: Case(functools.partial(run, *given), count, warm=False), **lanes, **theirs.cases}
    times = measure(cases, options.repeats, until)
    bench.report.ours(PART, NAME, UNIT, times[NAME], sizes, seconds, **add_speed(about, times[NAME]))
    report_lanes(bench, PART, NAME, UNIT, sizes, times)
    theirs.report(times)


def _fc_solve(bench: Bench, count: int) -> Clocked:
    """Return fc-solve on the first deals; it has one thread, so its clock is its CPU time."""
    limit = bench.options.limit
    theirs = Clocked(bench, PART, NAME, UNIT, FC_SOLVE, {"deals": count, "limit": limit})
    if not bench.options.rivals:
        return theirs
    program = shutil.which(PROGRAM)
    if program is None:
        theirs.skip(f"{PROGRAM} is not installed (Debian: freecell-solver-bin)")
        return theirs
    command = (program, "1", str(count), str(count), "--total-iterations-limit", str(limit), "-l", "lg")

    def once() -> Told:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, about = read(done.stdout, count)
        return Told(seconds, seconds, about)

    theirs.time(once, count)
    return theirs


def read(text: str, count: int) -> tuple[float, dict[str, int]]:
    """Return what fc-solve says of a range of deals: the seconds by its clock, its nodes, and how many it solved."""
    begun = float(re.findall(r"^Started at (\S+)", text, re.MULTILINE)[0])
    ended, nodes = re.findall(r"^Reached Board No\. \d+ at (\S+) \(total_num_iters=(\d+)\)", text, re.MULTILINE)[-1]
    unsolved = len(re.findall(r"^(?:Intractable|Unsolved) Board", text, re.MULTILINE))
    return float(ended) - begun, {"nodes": int(nodes), "solved": count - unsolved}
