"""How many positions a generation of co-play looks at more than once: what remembering all of them would save.

    python scripts/train.py experiment=chess_kqrkqr checkpoint_every=10 keep_checkpoints=99
    python scripts/studies/chess/repeated.py run=outputs/DIR save=docs/data/chess_repeated.csv

Individuals of each checkpoint play pairs of games, both seats from one start, as in training: as many as a generation
has. A program looks at what each move leads to. Those positions are counted, and how many of them are different, for
the side that has moved: in one ply of all games, and in all plies.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.chess.lessons import followed
from envs.chess.rules import Chess, State
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.measure.champions import load
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_SEED, option
from jaxgp.search.chance import unused_key
from studies.chess.grown import populations
from studies.chess.shared import rows

COLUMNS = ("run", "generation", "games", "plies", "looked", "different", "different_ply")
"""`looked`: positions after moves; `different`: of all plies together; `different_ply`: the sum over plies of those
that differ among the games that go on side by side."""


@dataclass
class Options:
    """Which run, and how many games."""

    run: str = option("outputs/run", "the directory of a co-played run with checkpoints", path=True)
    pairs: int = option(200, "pairs of games of each generation", low=1, high=MAX_GAMES)
    every: int = option(1, "which checkpoints are measured: each so many", low=1, high=MAX_COUNT)
    seed: int = option(0, "of starts, pairings and lots", low=0, high=MAX_SEED)
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)


def ply(game: Chess, actor: Any, plans: Any, players: jax.Array, states: State, key: jax.Array) -> tuple[State, Any]:
    """Play a ply of games [N] between individuals int32[N, 2]; return also what their moves could lead to, [N, W]."""
    count = len(players)
    mover = jnp.take_along_axis(players, states.to_move[:, None].astype(jnp.int32), 1)[:, 0]
    own = (mover[:, None] * actor.trees + jnp.arange(actor.trees)).reshape(-1)
    mine = jax.tree.map(lambda x: x[own], plans)
    alone = jax.tree.map(lambda x: x[:, None], states)
    moves, _ = actor.act(mine, alone, jax.random.bits(key, (count, 1), jnp.uint32))
    _, there, outcomes = followed(game, states)
    seen = jnp.concatenate([outcomes.men.reshape(*there.T.shape, -1), outcomes.captured[..., None]], -1)
    after = jax.vmap(lambda state, action: game.step(state, action, unused_key()))(states, moves[:, 0, 0])
    return after, (seen, there.T & ~states.terminated[:, None])


def measure(options: Options) -> Iterator[tuple[str, ...]]:
    """Yield a row for each checkpoint that is asked for."""
    loaded = load(options.run, envs, "run")
    game, actor = loaded.cast.game, loaded.cast.actor
    step = jax.jit(partial(ply, game, actor))
    for generation, some in list(populations(options.run))[:: options.every]:
        start, drawn, lots = jax.random.split(jax.random.fold_in(jax.random.key(options.seed), generation), 3)
        players = jax.random.randint(drawn, (options.pairs, 2), 0, len(some.length))
        players = jnp.concatenate([players, players[:, ::-1]])
        states = jax.vmap(game.init)(jax.random.split(start, options.pairs))
        states = jax.tree.map(lambda x: jnp.concatenate([x, x]), states)
        plans = jax.jit(actor.prepare)(some)
        plies, looked, each, known = 0, 0, 0, list[np.ndarray]()
        while not states.terminated.all():
            plies += int((~states.terminated).sum())
            states, (seen, there) = step(plans, players, states, jax.random.fold_in(lots, plies))
            found = np.asarray(seen)[np.asarray(there)]
            looked += len(found)
            known.append(np.unique(found, axis=0))
            each += len(known[-1])
        different = len(np.unique(np.concatenate(known), axis=0))
        yield options.run, *map(str, (generation, len(players), plies, looked, different, each))


def task(options: Options) -> int:
    """Measure, print, save."""
    path = files.user_path("save", options.save) if options.save else None
    rows.report(COLUMNS, measure(options), path)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
