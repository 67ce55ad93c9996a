"""Which leaves of programs that value moves of Othello decide the moves: those on the left, and those near the top?

python scripts/studies/measure/othello_leaves.py "runs=[docs/data/champions/othello_regions_*.json]" table=rows.csv

A leaf counts for as much as the moves change when it is exchanged: each leaf in turn becomes every other count of the
language, and all else stays. The influence of the leaf is the share of moves of such programs, at one set of positions,
that differ from the champion's. Positions are those of games of random moves, and of the champion against them.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.options import MAX_SEED, option
from jaxgp.store.table import Table
from studies import checks

if TYPE_CHECKING:
    import numpy as np

    from jaxgp.genotypes.primitives import PrimitiveSet
    from jaxgp.genotypes.programs import Programs
    from jaxgp.measure.champions import Loaded

COLUMNS = {
    "title": "title of the run of the champion",
    "run": "its run directory or file",
    "run_seed": "seed of its run",
    "champion": "16 hexadecimal digits of its text",
    "positions": "different positions",
    "seed": "of these positions",
    "leaves": "of each leaf from left to right: functions of two arguments above it, and changed moves in percent",
}
"""The columns of the table, and what is in them."""
TOGETHER = 128
"""Programs that are evaluated at a time."""


@dataclass
class Options:
    """Which champions, and how many positions."""

    runs: list[str] = option([], "run directories, folders of such, champion files, or patterns with *, ? or [0-4]")
    positions: int = option(300, "different positions at which moves are chosen", low=2, high=10_000)
    seed: int = option(0, "of the games that the positions come from", low=0, high=MAX_SEED)
    table: str | None = option(None, "CSV file that gets a row for each champion; null: none", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse no champions; raises UsageError."""
        checks.some_champions(self.runs, prefix)


class Leaf(NamedTuple):
    """A leaf of a tree.

    Attributes:
        node: its index in the program.
        depth: functions of two arguments above it; no-ops have one.
    """

    node: int
    depth: int


def leaves(language: "PrimitiveSet", tree: "Programs") -> list[Leaf]:
    """Return the leaves of one tree [L] from left to right."""
    size, found = tree.size, []
    above = [0] * int(tree.length)
    for node in reversed(range(int(tree.length))):
        arity = int(language.arity[int(tree.opcode[node])])
        child = node - 1
        for _ in range(arity):
            above[child] = above[node] + (arity > 1)
            child -= int(size[child])
        if not arity:
            found.append(Leaf(node, above[node]))
    return found[::-1]


def exchanged(language: "PrimitiveSet", program: "Programs", places: list[Leaf]) -> "tuple[Programs, np.ndarray]":
    """Return programs [V, 1, L] that differ from a program [1, L] in one leaf, and int[V], which leaf it is."""
    import jax
    import numpy as np

    counts = [code for code, one in enumerate(language.terminals) if one.feature is not None]
    host = jax.tree.map(np.asarray, program)
    made = [
        (place, leaf.node, code)
        for place, leaf in enumerate(places)
        for code in counts
        if code != host.opcode[0, leaf.node]
    ]
    many = jax.tree.map(lambda x: np.repeat(x[None], len(made), 0), host)
    which, nodes, codes = np.array(made).T
    rows = np.arange(len(made))
    many.opcode[rows, 0, nodes] = codes
    many.value[rows, 0, nodes] = np.where(np.asarray(language.factors)[codes], 1, 0)
    return many, which


def influence(loaded: "Loaded", positions: int, seed: int) -> tuple[list[Leaf], "np.ndarray", int]:
    """Return the leaves of a champion, float[N], the share of moves that each of them changes, and the positions."""
    import jax
    import numpy as np

    from jaxgp.anatomy.positions import Board

    language, program = loaded.cast.language, loaded.genome
    places = leaves(language, jax.tree.map(lambda x: np.asarray(x)[0], program))
    states = Board(loaded.cast, program).positions(positions, seed)
    choose = chooser(loaded.cast.actor, states)
    many, which = exchanged(language, program, places)
    own = choose(jax.tree.map(lambda x: np.asarray(x)[None], program))
    changed = (choose(many) != own).mean(1)
    return places, np.array([changed[which == place].mean() for place in range(len(places))]), len(states.to_move)


def chooser(player: Any, states: Any) -> "Callable[[Programs], np.ndarray]":
    """Return what chooses the moves of programs [P, 1, L] at states [N], as `GreedyPlayer` does: int[P, N]."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from jaxgp.players.greedy import LOWEST

    choices = np.asarray(jax.jit(jax.vmap(player.choices))(states))
    tried = np.arange(choices.max(), dtype=np.int32)
    features = jax.jit(jax.vmap(jax.vmap(lambda *at: player.outcome(*at)[1], (None, 0)), (0, None)))(states, tried)
    seen = jnp.reshape(features, (-1, features.shape[-1])).T
    worse = tried >= choices[:, None]

    def choose(programs: "Programs") -> np.ndarray:
        found = []
        total = len(programs.length)
        for first in range(0, total, TOGETHER):
            rows = np.minimum(np.arange(first, first + TOGETHER), total - 1)
            values = compiled(player.primitives)(jax.tree.map(lambda x, rows=rows: x[rows, 0], programs), seen)
            values = np.asarray(values).reshape(TOGETHER, *worse.shape)
            values = np.where(np.isnan(values), LOWEST, np.maximum(values, LOWEST))
            found.append(np.where(worse, -np.inf, values).argmax(-1)[: total - first])
        return np.concatenate(found)

    return choose


@cache
def compiled(language: "PrimitiveSet") -> "Callable[..., Any]":
    """Return what evaluates programs [P, L] at float32[F, B]."""
    import jax

    from jaxgp.interpreter.evaluate import evaluate, plan

    return jax.jit(lambda trees, features: evaluate(language, plan(language, trees), features))


def task(options: Options) -> int:
    """Exchange leaves, add rows, print."""
    import envs
    from envs.othello.rules import Othello
    from jaxgp.league.members import champion_files
    from jaxgp.measure import champions
    from jaxgp.players.greedy import GreedyPlayer
    from jaxgp.store.runs import identity

    table = Table(files.user_path("table", options.table), COLUMNS) if options.table else None
    if table is not None:
        table.check("table")
    found = [champions.load(str(path), envs, "runs") for path in champion_files("runs", options.runs)]
    for one in found:
        if not (isinstance(one.cast.game, Othello) and isinstance(one.player, GreedyPlayer)):
            reject("runs", one.path, "champions of othello that value moves, without a search")
    for one in found:
        places, shares, positions = influence(one, options.positions, options.seed)
        values = (
            *(one.content.title, files.short(one.path), one.content.seed, identity(one.content)),
            *(positions, options.seed),
            " ".join(f"{leaf.depth}:{100 * share:.2f}" for leaf, share in zip(places, shares, strict=True)),
        )
        row = dict(zip(COLUMNS, values, strict=True))
        if table is not None:
            table.keep([row], arguments.say)
        print(f"{row['run']}, {len(places)} leaves: {row['leaves']}", flush=True)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
