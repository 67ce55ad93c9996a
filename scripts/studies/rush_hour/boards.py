"""Evolve boards of Rush Hour with 8 x 8 cells that are hard for a blind search.

python scripts/studies/rush_hour/boards.py save=outputs/boards.txt
python scripts/studies/rush_hour/boards.py save=outputs/boards.txt limit=100000 most=4000000 generations=100

After M. Sipper, "Evolved to Win" (2011), section 10.2.5. The first boards are those of 6 x 6 cells that come with the
game, in the middle of empty ones. A child is its parent with a vehicle added, swapped or deleted. Its fitness is the
number of nodes that blind iterative deepening needs for it; 0 if that does not solve it within the limit of nodes. The
limit doubles when the hardest board takes half of it.

The hardest boards are written to a file after each generation: on each line a name, the cells and the nodes. A command
whose file exists goes on from it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.rush_hour import boards
from envs.rush_hour.boards import Board
from envs.rush_hour.mutation import Parking, embed
from envs.rush_hour.rules import RushHour
from jaxgp import files, reading
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reason, reject
from jaxgp.evolution.instances import Difficulty, Mutants
from jaxgp.evolution.ring import Ring
from jaxgp.evolution.state import EvolutionState
from jaxgp.options import MAX_CORES, MAX_COUNT, MAX_POPULATION, MAX_SEED, option, power_of_two
from jaxgp.search import cores
from jaxgp.search.puzzles.deepening import Deepening
from jaxgp.search.puzzles.solutions import Solutions

SIZE = 8
GAME = RushHour(size=SIZE, board=embed(boards.find("JAM01"), SIZE).text)
PARKING = Parking(GAME)
DEEPEST = 1023
MOST = 2**30 - 1
"""Nodes of a search."""
LARGEST = 2**20
"""Entries of the table of a search."""


@dataclass
class Options:
    """The evolution, the search that measures boards, and the file."""

    seed: int = option(0, "of all draws", low=0, high=MAX_SEED)
    generations: int = option(50, "how many this command adds", low=1, high=MAX_COUNT)
    population: int = option(32, "boards of a generation", low=2, high=MAX_POPULATION)
    elites: int = option(
        2, "how many of the hardest boards survive unchanged", low=0, high="population", why="population"
    )
    tournament: int = option(3, "boards drawn for a parent; the hardest becomes it", low=1, high=MAX_POPULATION)
    limit: int = option(50_000, "nodes of a search in the first generation", low=2, high=MOST)
    most: int = option(1_000_000, "nodes to which the limit may grow", low=2, high=MOST)
    first: int = option(200, "moves, the bound of the first round of a search", low=1, high=DEEPEST)
    grow: int = option(200, "moves by which the bound grows", low=1, high=DEEPEST)
    deepest: int = option(200, "moves, the greatest bound", low=1, high=DEEPEST)
    table: int = power_of_two(2**18, "entries of the table of a search; 0: none", low=0, high=LARGEST)
    lanes: int = option(16, "searches side by side", low=1, high=256)
    cores: int = option(1, "of a CPU, that share the searches", low=1, high=MAX_CORES)
    keep: int = option(12, "boards that the file holds, no two of one layout", low=1, high=MAX_POPULATION)
    save: str = option("boards.txt", "file of the hardest boards; if it exists, the command goes on from it", path=True)

    def laws(self, prefix: str) -> None:
        """Check bounds and limits against each other; raises UsageError."""
        if self.first > self.deepest:
            reject(prefix + "first", self.first, f"a whole number from 1 to {self.deepest} (deepest)")
        if self.limit > self.most:
            reject(prefix + "limit", self.limit, f"a whole number from 2 to {self.most} (most)")


class Hard(NamedTuple):
    """A board, and the nodes that the blind search needs for it."""

    nodes: int
    board: Board


@dataclass(frozen=True)
class Stored:
    """What a file of boards says.

    Attributes:
        generation: the next one.
        found: the hardest boards, hardest first.
    """

    generation: int = 0
    found: tuple[Hard, ...] = ()


def describe_search(options: Options) -> dict[str, int]:
    """Return what the nodes of a board depend on beside the board."""
    return {name: getattr(options, name) for name in ("first", "grow", "deepest", "table")}


def ring(options: Options) -> Ring:
    """Return the evolution."""
    bounds = options.first, options.grow, options.deepest
    search = Deepening(GAME, *bounds, table=options.table, lanes=min(options.lanes, options.population), narrow=4)
    given = PARKING.genomes([embed(board, SIZE) for board in boards.read_shipped()])

    def solve(genomes: Array, limits: Array) -> Solutions:
        return cores.search(search, jax.vmap(PARKING.state)(genomes), limits, jnp.int32(len(limits)))

    def first(key: Array, count: int) -> Array:
        return jnp.asarray(given)[jax.random.choice(key, len(given), (count,), replace=count > len(given))]

    scheme = Mutants(options.population, options.elites, options.tournament, first, PARKING.mutate)
    return Ring(Difficulty(solve, options.population, options.limit, options.most), scheme)


def begin(options: Options, made: Ring, stored: Stored) -> EvolutionState:
    """Return the state before the first generation of this command; boards of the file come first in it."""
    state = replace(made.init(jax.random.key(options.seed)), generation=jnp.int32(stored.generation))
    if not stored.found:
        return state
    known = PARKING.genomes([one.board for one in stored.found])[: options.population]
    population = jnp.concatenate([known, state.population[len(known) :]])
    limit = min(max(options.limit, 2 * stored.found[0].nodes), options.most)
    return replace(
        state,
        population=population,
        memory=replace(state.memory, limit=jnp.int32(limit)),
    )


def evolve(options: Options, stored: Stored) -> Iterator[tuple[Stored, dict[str, float]]]:
    """Yield what is to be stored after each generation, and its metrics."""
    made = ring(options)
    state = cores.everywhere(begin(options, made, stored))
    step = jax.jit(made.step)
    for _ in range(options.generations):
        after, metrics = step(state)
        measured = zip(np.asarray(after.memory.nodes).tolist(), np.asarray(state.population), strict=True)
        new = [Hard(nodes, PARKING.board(genome)) for nodes, genome in measured if nodes]
        state, stored = after, Stored(int(after.generation), hardest([*stored.found, *new], options.keep))
        yield stored, {name: float(value) for name, value in metrics.items()}


def hardest(found: Iterable[Hard], keep: int) -> tuple[Hard, ...]:
    """Return the hardest boards, hardest first, the hardest one of each layout; of equals the first."""
    best: dict[str, Hard] = {}
    for one in sorted(found, key=lambda one: -one.nodes):
        best.setdefault(one.board.layout, one)
    return tuple(best.values())[:keep]


def write_boards(options: Options, stored: Stored) -> str:
    """Return the text of a file; its first line says how the boards were measured, and the generation."""
    about = describe_search(options) | {"generation": stored.generation}
    head = "# " + " ".join(f"{name}={value}" for name, value in about.items())
    lines = [f"E{number:02d} {one.board.text} {one.nodes}" for number, one in enumerate(stored.found)]
    return "\n".join([head, *lines, ""])


def read(path: Path, options: Options) -> Stored:
    """Read a file; one that does not exist is empty.

    Raises:
        UsageError: it is no file of this command, or its boards were measured by another search.
    """
    if not path.exists():
        return Stored()
    named = f"save={options.save}"
    accepted = "accepted: a file of this command, or one that does not exist"
    try:
        head, *lines = reading.read_text(path).splitlines()
        about = {name: int(value) for name, _, value in (word.partition("=") for word in head[1:].split())}
        found = [_hard(line.split()) for line in lines]
        generation = about.pop("generation")
    except OSError as error:
        raise UsageError(f"{named}: cannot be read ({reason(error)}); {accepted}") from error
    except (ValueError, KeyError, OverflowError) as error:
        raise UsageError(f"{named}: {error}; {accepted}") from error
    if about != describe_search(options):
        given = " ".join(f"{name}={value}" for name, value in about.items())
        raise UsageError(f"{named}: its boards were measured with {given}; accepted: these options, or another file")
    if not 0 <= generation < 2**31 - 1 - options.generations:
        raise UsageError(f"{named}: generation={generation}; {accepted}")
    return Stored(generation, hardest(found, len(found)))


def _hard(words: list[str]) -> Hard:
    """Read a line; raises ValueError."""
    if len(words) != 3:
        raise ValueError("a line does not hold a name, cells and nodes")
    board, nodes = boards.parse(words[1], words[0]), int(words[2])
    if board.size != SIZE or not 0 < nodes <= MOST:
        raise ValueError(f"{words[0]}: not a board of {SIZE} rows with its nodes")
    return Hard(nodes, board)


def task(options: Options) -> int:
    """Check, evolve, and print the hardest boards."""
    path = files.user_path("save", options.save)
    files.check_writable("save", path)
    stored = read(path, options)
    cores.use(options.cores)
    since = time.perf_counter()
    for stored, metrics in evolve(options, stored):  # noqa: B020
        files.save_text("save", path, write_boards(options, stored))
        seconds = time.perf_counter() - since
        arguments.say(
            f"generation {stored.generation - 1}: hardest {stored.found[0].nodes if stored.found else 0} nodes, "
            f"solved {metrics['solved']:.0f} of {options.population} within {metrics['limit']:.0f}, {seconds:.0f} s"
        )
    print(table(stored))
    print(f"saved: {path}")
    return 0


def table(stored: Stored) -> str:
    """Return the boards as a table for people."""
    rows = [f"{'nodes':>10}  {'vehicles':>8}  board"]
    for one in stored.found:
        text = one.board.text
        cells = "/".join(text[at : at + SIZE] for at in range(0, len(text), SIZE))
        rows.append(f"{one.nodes:>10}  {len(one.board.vehicles):>8}  {cells}")
    return "\n".join(rows)


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
