"""How many deals of FreeCell staged deepening solves: as in Heineman's program, and as in the papers.

python scripts/studies/freecell/staged.py
python scripts/studies/freecell/staged.py last=20 limit=20000

Heineman's variant has his score, and his rule of how many cards move together. That of the papers has HSDH and the full
rule, since they name none. A table (CSV) with a row for each variant and deal is written.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.freecell.cards import DEALS
from envs.freecell.heuristics import heineman_score, hsdh
from envs.freecell.rules import Supermoves, rules_of
from envs.freecell.states import State, positions
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.options import MAX_CORES, MAX_COUNT, option
from jaxgp.search import cores
from jaxgp.search.puzzles.children import of_state
from jaxgp.search.puzzles.staged import Staged, Stages, Variant

DEEPEST = 2000
"""The most moves of a solution."""
COLUMNS = ("solved", "nodes", "length", "dropped", "full")
"""What is told of each search."""
SEARCHES: tuple[tuple[Variant, str, Callable[[State], Array], Supermoves], ...] = (
    ("heineman", "HeinemanScore", heineman_score, "strict"),
    ("papers", "HSDH", hsdh, "full"),
)


@dataclass
class Options:
    """Which deals, how far, and where the results go."""

    variant: str = option("both", "which search", ("both", "heineman", "papers"))
    first: int = option(1, "the first deal", low=1, high=DEALS)
    last: int = option(100, "the last deal", low=1, high=DEALS)
    limit: int = option(1_000_000, "nodes at which a search gives up", low=2, high=MAX_COUNT)
    k: int = option(6, "how far local searches go", low=1, high=20)
    visited: int = option(200_000, "positions at which the set of positions met is emptied", low=1, high=10_000_000)
    lanes: int = option(50, "searches in progress at the same time", low=1, high=4096)
    cores: int | None = option(1, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    output: str = option("outputs/analysis/freecell_staged", "directory for results", path=True)


def build(options: Options, variant: Variant, score: Callable[[State], Array], supermoves: Supermoves) -> Staged:
    """Return the search of a variant, whose queue is ordered by a score."""
    game, order = rules_of(supermoves), of_state(score)
    return Staged(game, DEEPEST, order, variant, options.k, options.visited, lanes=options.lanes, narrow=8)


def measure(search: Staged, deals: range, limit: int) -> tuple[Stages, float]:
    """Search deals; return what was found, and seconds without compiling."""
    roots = cores.everywhere(jax.tree.map(jnp.asarray, positions(deals)))
    limits, count = cores.everywhere((jnp.full(len(deals), limit, jnp.int32), jnp.int32(len(deals))))
    run = jax.jit(lambda *given: cores.search(search, *given)).lower(roots, limits, count).compile()
    begin = time.perf_counter()
    found: Stages = jax.device_get(jax.block_until_ready(run(roots, limits, count)))
    return found, time.perf_counter() - begin


def said(found: Stages, limit: int, seconds: float) -> str:
    """Return the figures of one search as a line."""
    nodes, solved = found.nodes.astype(np.int64), found.solved
    parts = [f"{solved.sum()} of {len(solved)} solved"]
    if solved.any():
        parts.append(f"{nodes[solved].mean():,.0f} nodes and {found.length[solved].mean():.1f} moves each")
    emptied = ~solved & ~found.full & (nodes < limit)
    parts += [
        f"{nodes.mean():,.0f} nodes over all",
        f"{emptied.sum()} with an empty queue",
        f"{(found.dropped > 0).sum()} with a full one",
        f"{found.full.sum()} without room",
        f"{nodes.sum() / seconds:,.0f} nodes a second, {seconds:.0f} s",
    ]
    return "; ".join(parts)


def task(options: Options) -> int:
    """Check, measure, write, print."""
    if options.last < options.first:
        raise UsageError(f"last={options.last}: accepted: numbers from first={options.first} on")
    folder = files.make_directory(files.user_path("output", options.output), "output")
    cores.use(options.cores)
    deals = range(options.first, options.last + 1)
    rows: list[dict[str, object]] = []
    for variant, name, score, supermoves in SEARCHES:
        if options.variant not in ("both", variant):
            continue
        found, seconds = measure(build(options, variant, score, supermoves), deals, options.limit)
        print(f"{variant}, {name}, supermoves={supermoves}: {said(found, options.limit, seconds)}", flush=True)
        columns = {name: getattr(found, name).astype(int).tolist() for name in COLUMNS}
        for number, deal in enumerate(deals):
            rows.append({"variant": variant, "deal": deal, **{name: of[number] for name, of in columns.items()}})
        files.save_text("output", folder / "deals.csv", files.csv_text(rows))
    print(f"load average {os.getloadavg()[0]:.1f}; written to {folder}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
