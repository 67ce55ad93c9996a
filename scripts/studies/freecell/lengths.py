"""The length of a champion's solutions of FreeCell in the three ways in which the literature counts moves.

python scripts/studies/freecell/lengths.py run=docs/data/champions/freecell_counts_0.json suite=1-100

`moves` counts cards that move together once, and automatic play not at all. `with automatic play` counts each card that
goes to the foundations by itself as well. `card by card` counts k cards that move together as 2 k - 1 moves, which is
the least that it takes by way of the cells.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import jax
import numpy as np

import envs
from envs.freecell import plain, suites
from envs.freecell.rules import FreeCell
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.measure import champions, solving
from jaxgp.options import MAX_CORES, MAX_COUNT, option
from jaxgp.search import cores


@dataclass
class Options:
    """Whose solutions, and of which deals."""

    run: str | None = option(None, "a run directory with a champion.json, or such a file", path=True)
    suite: str = option("1-100", suites.ACCEPTED)
    limit: int | None = option(
        None, "nodes at which a search gives up; null: those of the champion", low=2, high=MAX_COUNT
    )
    cores: int | None = option(1, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)


class Lengths(NamedTuple):
    """The length of a solution by each count."""

    moves: int
    with_automatic_play: int
    card_by_card: int


def lengths(game: FreeCell, board: plain.Board, moves: Iterable[plain.Move]) -> Lengths:
    """Play a solution of a board and count its moves; raises ValueError if it is none."""
    moves = list(moves)
    plain.check(board, moves, game.supermoves, game.autoplay)
    automatic = 0
    for move in moves:
        alone, board = plain.play(board, move), plain.play(board, move, game.autoplay)
        automatic += sum(board.home.values()) - sum(alone.home.values())
    apart = sum(2 * move.number - 1 for move in moves)
    return Lengths(len(moves), len(moves) + automatic, apart + automatic)


def task(options: Options) -> int:
    """Check, search, count, print."""
    if options.run is None:
        raise UsageError("run: whose solutions? Write run=DIR, a run directory, or run=FILE, a champion.json")
    cores.use(options.cores)
    loaded = champions.load(options.run, envs)
    if loaded.cast.spec.name != "freecell":
        raise UsageError(f"run={options.run}: accepted: champions of freecell, not of {loaded.cast.spec.name}")
    game = loaded.cast.game
    some = suites.instances(game, options.suite, "suite")
    order = solving.orders(loaded)[-1]
    search = solving.searches(loaded, len(some.names))(order)
    limits = np.full(len(some.names), options.limit or loaded.cast.actor.limit, np.int32)
    found = jax.device_get(search(jax.numpy.asarray(limits), jax.tree.map(jax.numpy.asarray, some.states)))
    counted = []
    for number in np.flatnonzero(found.solved):
        board = plain.board_of(jax.tree.map(lambda x, number=number: x[number], some.states))
        actions = found.moves[number, : found.length[number]].tolist()
        counted.append(lengths(game, board, map(plain.move_of, actions)))
    print(f"{len(counted)} of {len(some.names)} deals solved; moves on average:")
    for name, values in zip(Lengths._fields, zip(*counted, strict=True), strict=False):
        print(f"{name.replace('_', ' ')}: {np.mean(values):.1f}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
