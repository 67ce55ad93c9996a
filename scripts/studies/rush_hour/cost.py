"""What a generation of policies of Rush Hour costs, by the size of the population and the number of boards.

python scripts/studies/rush_hour/cost.py
python scripts/studies/rush_hour/cost.py populations=[10,50] boards=[4,16] search=greedy

Random policies search boards of the list WAY for training, as in `experiment=rush_hour_policy`. A table (CSV) and a
picture with two logarithmic axes are written.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import os
import time
from dataclasses import asdict, dataclass

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import stats

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.fitness.puzzles.suite import Searched, SuiteFitness
from jaxgp.measure import solving
from jaxgp.operators.creation import create
from jaxgp.operators.options import Creation
from jaxgp.options import MAX_CORES, MAX_COUNT, MAX_POPULATION, MAX_SEED, option
from jaxgp.search import cores
from jaxgp.spec import Cast, cast

CREATION = Creation(method="ramped", min_depth=1, max_depth=5, terminal_probability=0.5)
CAPACITY = 63
"""Nodes that a tree has at most."""


@dataclass
class Options:
    """What is measured, how often, and where the results go."""

    populations: tuple[int, ...] = option((10, 50, 250), "numbers of policies", low=1, high=MAX_POPULATION)
    boards: tuple[int, ...] = option((4, 16, 64), "numbers of boards", low=1, high=300)
    search: str = option("deepening", "what the policies steer", ("deepening", "astar", "greedy"))
    limit: int = option(20_000, "nodes at which a search gives up", low=2, high=MAX_COUNT)
    repeats: int = option(3, "measurements, the quickest of which counts", low=1, high=1000)
    seed: int = option(0, "of the policies and the boards", low=0, high=MAX_SEED)
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    output: str = option("outputs/analysis/rush_hour_cost", "directory for results", path=True)


@dataclass(frozen=True)
class Cost:
    """The searches of one generation, all policies on all boards.

    Attributes:
        population: policies.
        boards: the number of them.
        nodes: that all searches visit.
        seconds: of the quickest repeat, without compiling.
        compiling: seconds.
    """

    population: int
    boards: int
    nodes: int
    seconds: float
    compiling: float


def measure(own: Cast, options: Options, population: int, boards: int) -> Cost:
    """Time the searches of a random population."""
    key = jax.random.key(options.seed)
    some = solving.suites_of(own, "WAY", "train")["WAY"]
    drawn = np.random.default_rng(options.seed).choice(len(some.names), boards, replace=False)
    states = jax.tree.map(lambda x: jnp.asarray(x[drawn]), some.states)
    fitness = SuiteFitness(own.actor, states, boards, limit=options.limit)
    blind = own.actor.baseline(states, jnp.full(boards, options.limit, jnp.int32)).nodes
    policies = jax.jit(lambda key: create(key, own.language, CREATION, population, CAPACITY))(key)
    begin = time.perf_counter()
    search = jax.jit(fitness.search).lower(policies, blind).compile()
    compiling, times = time.perf_counter() - begin, []
    for _ in range(options.repeats):
        begin = time.perf_counter()
        found: Searched = jax.block_until_ready(search(policies, blind))
        times.append(time.perf_counter() - begin)
    nodes = int(np.asarray(found.nodes, np.int64).sum())
    return Cost(population, boards, nodes, min(times), compiling)


def picture(found: list[Cost], title: str) -> Figure:
    """Draw the seconds against the policies, a line for each number of boards."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axis = figure.add_subplot()
    for boards in sorted({one.boards for one in found}):
        line = sorted((one.population, one.seconds) for one in found if one.boards == boards)
        axis.loglog(*zip(*line, strict=True), marker="o", label=f"{boards} boards")
    axis.set(xlabel="policies", ylabel="seconds of a generation's searches", title=title)
    axis.legend()
    axis.grid(visible=True, which="both", alpha=0.3)
    return figure


def slope(found: list[Cost]) -> float:
    """Return how seconds grow with searches: the slope of the line through their logarithms."""
    searches = [one.population * one.boards for one in found]
    fit = stats.linregress(np.log(searches), np.log([one.seconds for one in found]))
    return float(fit.slope)


def task(options: Options) -> int:
    """Check, measure, write, print."""
    folder = files.make_directory(files.user_path("output", options.output), "output")
    cores.use(options.cores)
    spec = envs.spec("rush_hour")
    own = cast(spec, spec.make(), "policy", None, {"search": options.search, "limit": options.limit})
    found = []
    for population in sorted(set(options.populations)):
        for boards in sorted(set(options.boards)):
            one = measure(own, options, population, boards)
            found.append(one)
            speed = f"{one.nodes:,} nodes, {one.nodes / one.seconds:,.0f} a second"
            arguments.say(f"{population} policies, {boards} boards: {one.seconds:.2f} s, {speed}")
    files.save_text("output", folder / "cost.csv", files.csv_text([asdict(one) for one in found]))
    figure = picture(found, f"Rush Hour, search={options.search}")
    files.write(folder / "cost.svg", lambda file: figure.savefig(file, format="svg"))
    if len(found) > 1:
        print(f"seconds grow with searches to the power {slope(found):.2f}")
    print(f"load average {os.getloadavg()[0]:.1f}; written to {folder}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
