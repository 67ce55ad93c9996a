"""Searches of lose checkers against each other, where a rule or a ply means something else than in the project.

python scripts/studies/checkers_variants.py player=3 opponent=4 turns=true
python scripts/studies/checkers_variants.py player=3 opponent=4 nodes=true table=docs/data/checkers_games.csv

The matches of searches with a random evaluation differ from those of M. Sipper, "Evolved to Win" (2011), table 3.5.
These variants ask whether it is explained by what the book does not say: what a ply is, whether a position that is
reached twice in one search has one random number, and which of several proved moves is played.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import dataclasses
import time
from dataclasses import dataclass

import jax.numpy as jnp
from flax import struct
from jax import Array, lax

import envs
from envs.checkers.rules import Checkers, State, moves_of
from jaxgp import files
from jaxgp.bits import some
from jaxgp.config import arguments
from jaxgp.measure import evaluation, games, panels
from jaxgp.options import MAX_GAMES, MAX_SEED, option
from jaxgp.players.searches import evaluators
from jaxgp.search.table import mix
from jaxgp.seats.options import opponent
from jaxgp.spec import Cast

DEEPEST = 8


@dataclass
class Options:
    """Which match, and what differs."""

    player: int = option(3, "plies of the search that is measured", low=1, high=DEEPEST)
    opponent: int = option(4, "plies of its opponent", low=1, high=DEEPEST)
    turns: bool = option(False, "whether further jumps without a choice cost no ply")
    nodes: bool = option(False, "whether every node has a random number of its own, not every position")
    quiet_plies: int = option(40, "of the rules; 0 has games without end", low=1, high=9999)
    ties: str = option("first", "which of several proved moves is played", ("first", "random"))
    games: int = option(1000, "from each seat", low=1, high=MAX_GAMES)
    seed: int = option(0, "of the games", low=0, high=MAX_SEED)
    table: str | None = option(None, "CSV file that a row is added to", path=True)


@struct.dataclass
class Reached(State):
    """A position that knows how it was reached."""

    path: Array  # uint32[]: a hash of all moves


FIELDS = [one.name for one in dataclasses.fields(State)]


@dataclass(frozen=True)
class Variant(Checkers):
    """Checkers with other plies, or with positions that differ by how they were reached."""

    turns: bool = option(False, "whether further jumps without a choice belong to one step")
    nodes: bool = option(False, "whether the key of a position includes the moves that led to it")

    def init(self, key: Array) -> Reached:
        """Return the opening position."""
        return _with(Checkers.init(self, key), jnp.uint32(0))

    def step(self, state: State, action: Array, key: Array) -> Reached:
        """Move, and go on capturing as long as there is one way; see `Checkers.step`."""
        assert isinstance(state, Reached)
        path = mix(jnp.stack([state.path, action.astype(jnp.uint32)])[None])[0]
        after = Checkers.step(self, State(*(getattr(state, name) for name in FIELDS)), action, key)

        def forced(state: State) -> Array:
            return some(state.held) & (moves_of(state.moves) == 1) & ~state.terminated

        def jump(state: State) -> State:
            return Checkers.step(self, state, self.choice(state, jnp.int32(0)), key)

        return _with(lax.while_loop(forced, jump, after) if self.turns else after, path)

    def key(self, state: State) -> Array:
        """Return the key of `Checkers`, and the path if it counts."""
        assert isinstance(state, Reached)
        key = Checkers.key(self, state)
        return jnp.append(key, state.path) if self.nodes else key


def _with(state: State, path: Array) -> Reached:
    return Reached(**{name: getattr(state, name) for name in FIELDS}, path=path)


def task(options: Options) -> int:
    """Play the match, print its result, and add its row to the table."""
    table = None if options.table is None else games.table(files.user_path("table", options.table))
    if table is not None:
        table.check("table")
    spec = dataclasses.replace(envs.spec("checkers"), rules=Variant)
    game = Variant(lose=True, quiet_plies=options.quiet_plies, turns=options.turns, nodes=options.nodes)
    evaluators(spec, game, "noise")
    cast = Cast(spec, game, None, None, None, None)
    both = [opponent(depth=depth, evaluator="noise", ties=options.ties) for depth in (options.player, options.opponent)]
    measured = panels.fixed(cast, f"ab{options.player}", both[0])
    begin = time.perf_counter()
    found = evaluation.measured(measured, {f"ab{options.opponent}": both[1]}, options.games, seed=options.seed)
    [(_, results)] = list(found)
    print(evaluation.table_text({measured.name: results}))
    if table is not None:
        about = games.circumstances(
            measured, arguments.command("scripts/studies/checkers_variants.py", options), options.seed
        )
        row = games.row(measured.text, panels.text(both[1], cast), results, time.perf_counter() - begin, about)
        table.keep([row], arguments.say)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
