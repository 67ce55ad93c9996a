"""How often players of chess keep the result of a position that no table holds, by an engine: near truth, not truth.

    python scripts/studies/chess/near.py endgame=KQRKQR nodes=100000 decisions=300 engines=[10,100,1000]

An engine values all moves of a position in one search. A move wins if it is worth 3 pawns or mates, loses if it costs
as much, and draws otherwise. Decisions are as in `kept.py`: a quiet start, up to nine random plies, all men on the
board; they are critical if moves differ. With `tables`, a folder of Syzygy tables, the engine knows endgames of fewer
men.

Rows of `best` say in how many positions, critical or not, the move that the engine values most is among those that a
program values most; rows of `played`, with what chance a program plays it. `python-chess` is needed.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Iterator
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.chess import language, lessons, strategies
from envs.chess.geometry import OFF
from envs.chess.notation.fen import kinds_of
from envs.chess.notation.moves import legal, uci
from envs.chess.notation.pgn import fen_of
from envs.chess.rules import Chess, State
from envs.chess.starts import listed
from jaxgp import files
from jaxgp.arrays import take
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.options import MAX_COUNT, MAX_SEED, option
from jaxgp.players.taught import Lessons
from jaxgp.statistics.intervals import interval
from studies.chess.kept import Decisions, by_engine, by_options, by_programs
from studies.chess.shared import analyst, rows

COLUMNS = ("endgame", "player", "nodes", "decisions", "number", "kept", "low", "high")
WON = 300
"""Centipawns that count as a win."""
MOVES = 128
"""More than there are in a position of six men."""


@dataclass
class Options:
    """What is measured."""

    endgame: str = option("KQRKQR", "the men of both sides")
    decisions: int = option(300, "positions", low=1, high=MAX_COUNT)
    nodes: int = option(100_000, "of the search that says what moves are worth", low=1, high=10**9)
    seed: int = option(0, "of the positions", low=0, high=MAX_SEED)
    positions: str | None = option(None, "a file of positions in FEN; null: they are drawn", path=True)
    champions: tuple[str, ...] = option((), "directories of runs, or champion files", accepted="a list, as in [a,b]")
    engine: str = option("stockfish", "an engine that speaks the Universal Chess Interface")
    tables: str | None = option(None, "a folder of Syzygy tables; null: none", path=True)
    engines: tuple[int, ...] = option((), "engines as players, in positions a move", low=1, high=MAX_COUNT)
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse endgames that cannot be played; raises UsageError."""
        try:
            kinds_of(self.endgame)
        except ValueError as error:
            reject(prefix + "endgame", self.endgame, str(error))


def drawn(game: Chess, count: int, seed: int) -> State:
    """Return positions [count] after random plies, with all men on the board."""
    make = jax.jit(jax.vmap(lambda key: lessons.after_random_plies(game, key)))
    found: State = make(jax.random.split(jax.random.key(seed), 4 * count))
    men = sum(map(len, game.armies[0]))
    whole = np.asarray(~found.terminated & ((found.men < OFF).sum((1, 2)) == men))
    return take(found, jnp.asarray(np.flatnonzero(whole)[:count]))


def given(game: Chess, path: str) -> State:
    """Return the positions of a file."""
    start = listed(replace(game, start="fen", fen=path))
    return jax.vmap(lambda men, kinds, clock, mover: game.state(men, kinds, clock, jnp.int16(1), mover, ()))(
        jnp.asarray(start.men), jnp.asarray(start.kinds), jnp.asarray(start.clock), jnp.asarray(start.to_move)
    )


def judge(game: Chess, states: State, options: Options) -> np.ndarray:
    """Return float32[N, W]: what an engine says that moves are worth, in centipawns; -inf where there is none."""
    import chess.engine

    worth = np.full((len(states.plies), game.most_choices), -np.inf, np.float32)
    here = jax.device_get(states)
    with analyst.begin(options.engine, 16, options.tables) as engine:
        for n in range(len(worth)):
            state = jax.tree.map(lambda x, n=n: x[n], here)
            board, limit = chess.Board(fen_of(state)), chess.engine.Limit(nodes=options.nodes)
            said = engine.analyse(board, limit, multipv=MOVES, game=object())
            found = {one["pv"][0].uci(): one["score"].pov(board.turn).score(mate_score=100_000) for one in said}
            names = [uci(state, action) for action, *_ in legal(state)]
            if not set(names) <= set(found):
                reject("nodes", options.nodes, f"enough for {options.engine} to value each move of a position")
            worth[n, : len(names)] = [found[name] for name in names]
    return worth


def measure(options: Options) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table."""
    texts = by_options(options.champions)
    game = envs.make("chess", endgame=options.endgame)
    states = (
        drawn(game, options.decisions, options.seed)
        if options.positions is None
        else given(game, str(files.user_path("positions", options.positions)))
    )
    _, there, outcomes = jax.jit(lambda states: lessons.followed(game, states))(states)
    worth, there = judge(game, states, options), np.asarray(there).T

    def asked(values: np.ndarray, which: np.ndarray) -> Decisions:
        values = np.where(there, values, -np.inf)[which].astype(np.float32)
        some = jax.tree.map(lambda x: np.asarray(x)[which], Lessons(states, outcomes, jnp.zeros(there.shape)))
        best = values == values.max(1, keepdims=True)
        return Decisions(some._replace(values=values), there[which], best & there[which])

    results = np.where(worth >= WON, 1, np.where(worth <= -WON, -1, 0))
    critical = (np.where(there, results, 2).min(1) < np.where(there, results, -2).max(1)).nonzero()[0]
    near, best = asked(results, critical), asked(worth, np.arange(len(worth)))
    texts.setdefault(language.Options(trees="one"), {})["printed"] = strategies.trees(strategies.text("gpec190"))[0]
    kept = {"random": near.kept.sum(1) / near.there.sum(1)}
    played = {"random": best.kept.sum(1) / best.there.sum(1)}
    for some, programs in texts.items():
        kept |= by_programs(game, some, programs, near)
        played |= by_programs(game, some, programs, best)
    for nodes in options.engines:
        name = f"{options.engine} {nodes}"
        kept[name] = by_engine(game, options.engine, f"nodes {nodes}", near, len(near.there))
    shares = [(name, "near", x) for name, x in kept.items()]
    shares += [(name, "near, held", x[near.held]) for name, x in kept.items()]
    shares += [(name, "best", (x > 0).astype(float)) for name, x in played.items() if name != "random"]
    shares += [(name, "played", x) for name, x in played.items()]
    for name, kind, x in shares:
        ends = interval(x[:, None])
        numbers = (f"{number:.5f}" for number in (x.mean(), *ends))
        yield options.endgame, name, str(options.nodes), kind, str(len(x)), *numbers


def task(options: Options) -> int:
    """Measure, print, save."""
    analyst.check(options.engine)
    path = files.user_path("save", options.save) if options.save else None
    rows.report(COLUMNS, measure(options), path)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
