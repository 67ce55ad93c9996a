"""Draw boards of Rush Hour with 8 x 8 cells to train on: python scripts/studies/rush_hour/large.py save=large.txt

A candidate is a board of 6 x 6 cells that comes with the game, in the middle of an empty one, with vehicles added,
swapped and deleted at random, as in the evolution of hard boards (M. Sipper, "Evolved to Win", 2011, section 10.2.5).
Nothing is selected by how hard it is. A candidate is kept if breadth-first search solves it in the room for positions,
in no fewer moves than asked for, and if no other board has its layout.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.rush_hour import boards
from envs.rush_hour.boards import Board
from envs.rush_hour.mutation import embed
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.options import MAX_CORES, MAX_SEED, option, power_of_two
from jaxgp.search import cores
from jaxgp.search.puzzles.bestfirst import BestFirst
from studies.rush_hour.boards import GAME, PARKING, SIZE

DEEPEST = 200
HEADER = (
    "# Rush Hour boards of 8 x 8 without walls: boards of 6 x 6 in the middle of empty ones, mutated at random.\n"
    "# Source: scripts/studies/rush_hour/large.py, {about}.\n"
    "# name  cells (row by row, X leaves to the right, . is empty)  fewest moves  fewest steps  positions that can be "
    "reached  solved ones (- is not known)\n"
)


@dataclass
class Options:
    """What is drawn and kept, and where the boards go."""

    save: str = option("large.txt", "the file; it is written anew", path=True)
    candidates: int = option(400, "boards that are drawn", low=1, high=100_000)
    mutations: int = option(
        12, "the most vehicles that are added, swapped or deleted; from 1 on, uniformly", low=1, high=100
    )
    moves: int = option(4, "the fewest moves of a solution", low=1, high=DEEPEST)
    room: int = power_of_two(2**15, "positions that a search can meet", low=4, high=2**20)
    seed: int = option(0, "of all draws", low=0, high=MAX_SEED)
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)


def mutated(key: Array, genome: Array, number: Array, most: int) -> Array:
    """Return a genome, int32[V], after `number` (int32[], at most `most`) mutations."""

    def step(genome: Array, given: tuple[Array, Array]) -> tuple[Array, None]:
        at, key = given
        return jnp.where(at < number, PARKING.mutate(key, genome)[0], genome), None

    return lax.scan(step, genome, (jnp.arange(most), jax.random.split(key, most)))[0]


def drawn(options: Options) -> Array:
    """Return int32[C, V]: the candidates."""
    sources, numbers, keys = jax.random.split(jax.random.key(options.seed), 3)
    given = jnp.asarray(PARKING.genomes([embed(board, SIZE) for board in boards.shipped()]))
    source = jax.random.randint(sources, (options.candidates,), 0, len(given))
    number = jax.random.randint(numbers, (options.candidates,), 1, options.mutations + 1)
    change = jax.vmap(partial(mutated, most=options.mutations))
    return jax.jit(change)(jax.random.split(keys, options.candidates), given[source], number)


def kept(options: Options) -> list[Board]:
    """Return the boards that are kept, in the order in which they were drawn, without names."""
    candidates = drawn(options)
    search = BestFirst(GAME, DEEPEST, options.room, lanes=16, narrow=16)
    limits = jnp.full(options.candidates, np.iinfo(np.int32).max)
    run = jax.jit(lambda states: cores.search(search, states, limits, jnp.int32(len(limits))))
    found = jax.device_get(run(jax.jit(jax.vmap(PARKING.state))(candidates)))
    chosen: dict[str, Board] = {}
    for genome, length in zip(np.asarray(candidates), found.length.tolist(), strict=True):
        if length >= options.moves:
            board = replace(PARKING.board(genome), moves=length)
            chosen.setdefault(board.layout, board)
    return list(chosen.values())


def task(options: Options) -> int:
    """Draw, search, write; raises UsageError if the file cannot be written."""
    path = files.user_path("save", options.save)
    files.check_writable("save", path)
    cores.use(options.cores)
    found = kept(options)
    about = ", ".join(
        f"{name}={getattr(options, name)}" for name in ("candidates", "mutations", "moves", "room", "seed")
    )
    lines = [f"BIG{number:03} {board.text} {board.moves} - - -\n" for number, board in enumerate(found)]
    files.save_text("save", path, HEADER.format(about=about) + "".join(lines))
    print(f"{len(found)} of {options.candidates} boards kept; saved: {path}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
