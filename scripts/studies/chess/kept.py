"""How often players of chess keep the result of a position, by the tables of up to four men.

    python scripts/studies/chess/kept.py endgame=KQKQ decisions=20000 nodes=10,100 engine_decisions=500

A decision is critical if some legal move gives away the result: a win, or a draw. It is held if at most half of the
moves keep it. All players decide in the same positions: a quiet start, up to nine random plies, all men on the board.
Players without chance but in their ties count by the share of their best moves that keep the result. Engines get a new
table for each decision.
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.chess import language, many, strategies, tables
from envs.chess.notation.fen import kinds_of
from envs.chess.notation.uci import positions
from envs.chess.rules import Chess, State
from jaxgp import files
from jaxgp.bits import pick
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.measure.champions import load
from jaxgp.options import MAX_COUNT, MAX_SEED, option
from jaxgp.search.chance import unused_key
from jaxgp.seats.moves import Move
from jaxgp.seats.uci import uci_agent

PLIES = 9
"""The most random plies before a decision."""
TOGETHER = 2048


@dataclass
class Options:
    """What is measured."""

    endgame: str = option("KQKQ", "of up to four kings, queens and rooks")
    decisions: int = option(20_000, "critical decisions", low=1, high=MAX_COUNT)
    seed: int = option(0, "of the positions", low=0, high=MAX_SEED)
    terminals: bool = option(True, "whether each terminal is measured as a whole program")
    champions: tuple[str, ...] = option((), "directories of runs, or champion files", accepted="a list, as in [a,b]")
    engine: str = option("stockfish", "an engine that speaks the Universal Chess Interface")
    nodes: tuple[int, ...] = option(
        (), "limits of the engine, in positions a move; none: it is not measured", low=1, high=MAX_COUNT
    )
    engine_decisions: int = option(500, "decisions of the engine, the first ones", low=1, high=MAX_COUNT)
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse endgames without a table; raises UsageError."""
        try:
            pair = kinds_of(self.endgame)
        except ValueError as error:
            reject(prefix + "endgame", self.endgame, str(error))
        if sum(map(len, pair)) > tables.MOST or any(kind > 2 for army in pair for kind in army):
            reject(prefix + "endgame", self.endgame, "up to four kings, queens and rooks")


@dataclass
class Decisions:
    """Critical decisions, N of them, with up to W moves.

    Attributes:
        states: [N].
        outcomes: [N, W], what the moves lead to.
        there: bool[N, W], which moves there are.
        kept: bool[N, W], which keep the result.
    """

    states: State
    outcomes: language.After
    there: np.ndarray
    kept: np.ndarray

    @property
    def held(self) -> np.ndarray:
        """bool[N]: those in which at most half of the moves keep the result."""
        held: np.ndarray = 2 * self.kept.sum(1) <= self.there.sum(1)
        return held


def decide(game: Chess, count: int, seed: int) -> Decisions:
    """Draw critical decisions."""
    found = tables.tables((game.endgame,))
    men = sum(map(len, kinds_of(game.endgame)))

    @jax.jit
    def some(key: Array, table: tables.Tables) -> tuple[Any, ...]:
        def one(key: Array) -> State:
            start, plies, moves = jax.random.split(key, 3)
            most = jax.random.randint(plies, (), 0, PLIES + 1)

            def ply(number: Array, state: State) -> State:
                bits = jax.random.bits(jax.random.fold_in(moves, number))
                after = game.step(state, pick(game.legal_actions(state), bits), unused_key())
                return jax.tree.map(lambda a, b: jnp.where(number < most, a, b), after, state)

            return jax.lax.fori_loop(0, PLIES, ply, game.init(start))

        states = jax.vmap(one)(jax.random.split(key, TOGETHER))
        board = jax.tree.map(lambda x: jnp.moveaxis(x, 0, -1), states.board)
        kept, there = (x.T for x in tables.keeps(table, board, game.most_choices))
        good = ~states.terminated & ((states.men < 64).sum((1, 2)) == men) & (there & ~kept).any(1)
        places = jnp.arange(game.most_choices, dtype=jnp.int32)
        outcomes = jax.vmap(lambda s: jax.vmap(lambda n: many.outcome(s, game.choice(s, n)))(places))(states)
        return good, states, outcomes, there, kept

    parts: list[Any] = []
    number = 0
    while sum(len(part[2]) for part in parts) < count:
        good, *rest = jax.device_get(some(jax.random.fold_in(jax.random.key(seed), number), found))
        parts.append(jax.tree.map(lambda x, good=good: x[good], tuple(rest)))
        number += 1
    joined = jax.tree.map(lambda *xs: np.concatenate(xs)[:count], *parts)
    return Decisions(*joined)


def shares(values: np.ndarray, at: Decisions) -> np.ndarray:
    """Return float[N]: of the moves with the highest value, float[N, W], the share that keeps the result."""
    best = at.there & (values == np.where(at.there, values, -np.inf).max(1, keepdims=True))
    share: np.ndarray = (best & at.kept).sum(1) / best.sum(1)
    return share


def by_programs(game: Chess, options: language.Options, texts: dict[str, Any], at: Decisions) -> dict[str, np.ndarray]:
    """Return the shares of programs, by their names; a program is a text, or a genome."""
    made = cast(envs.spec("chess"), game, "move", values={"trees": options.trees, "phase": options.phase})
    genomes = [parse_program(made.language, one, 512) if isinstance(one, str) else one for one in texts.values()]
    plans = made.actor.prepare(jax.tree.map(lambda *xs: jnp.asarray(np.stack(xs)), *genomes))
    value = jax.jit(partial(made.actor.values, plans))
    parts = []
    for first in range(0, len(at.there), TOGETHER):
        part = jax.tree.map(lambda x, n=first: _padded(x[n : n + TOGETHER]), (at.states, at.outcomes, at.there))
        parts.append(np.asarray(value(*part)))
    values = np.concatenate(parts, 1)[:, : len(at.there)]
    return {name: shares(row, at) for name, row in zip(texts, values, strict=True)}


def _padded(x: np.ndarray) -> np.ndarray:
    """Return an array [TOGETHER, ...], with its last item again where it is shorter."""
    return np.concatenate([x, np.repeat(x[-1:], TOGETHER - len(x), 0)])


def by_engine(game: Chess, command: str, nodes: int, at: Decisions, count: int) -> np.ndarray:
    """Return 1 or 0 for each of the first decisions: whether the engine keeps the result."""
    agent = uci_agent(game, positions(game), command, nodes, 16)
    kept = []
    try:
        for n in range(min(count, len(at.there))):
            state = jax.tree.map(lambda x, n=n: x[n], at.states)
            action = agent.reply([Move(state, None, 0)], np.uint32(0))
            legal = np.flatnonzero(np.asarray(_legal(game)(state)))
            kept.append(at.kept[n, int(np.searchsorted(legal, -1 if action is None else action))])
    finally:
        agent.close()
    return np.array(kept, float)


def _legal(game: Chess) -> Any:
    return jax.jit(game.legal_actions)


def rows(options: Options) -> list[str]:
    """Return the rows of the table."""
    game = envs.make("chess", endgame=options.endgame)
    at = decide(game, options.decisions, options.seed)
    found = {"random": at.kept.sum(1) / at.there.sum(1)}
    three = {name: strategies.text(name) for name in strategies.NAMES}
    found |= by_programs(game, language.Options(), three, at)
    for path in options.champions:
        loaded = load(path, envs, "champions")
        assert isinstance(loaded.cast.options, language.Options)
        found |= by_programs(game, loaded.cast.options, {path: loaded.genome}, at)
    if options.terminals:
        names = {name: name for name in (*language.SIMPLE, *language.COMPLEX)}
        found |= by_programs(game, language.Options(trees="one"), names, at)
    for nodes in options.nodes:
        found[f"{options.engine} {nodes} nodes"] = by_engine(game, options.engine, nodes, at, options.engine_decisions)
    return [row for name, kept in found.items() for row in _rows(options.endgame, name, kept, at.held[: len(kept)])]


def _rows(endgame: str, name: str, kept: np.ndarray, held: np.ndarray) -> list[str]:
    """Return a row for all decisions and one for those that are held: share, and its standard error."""
    return [
        f"{endgame},{name},{kind},{len(part)},{part.mean():.4f},{part.std() / max(1, len(part)) ** 0.5:.4f}"
        for kind, part in (("critical", kept), ("held", kept[held]))
    ]


def task(options: Options) -> int:
    """Measure, print, save."""
    path = files.user_path("save", options.save) if options.save else None
    found = rows(options)
    print("\n".join(["endgame,player,decisions,number,kept,error", *found]))
    if path is not None:
        before = path.read_text("utf-8") if path.exists() else "endgame,player,decisions,number,kept,error\n"
        files.save_text("save", path, before + "".join(f"{row}\n" for row in found))
        print(f"saved: {path}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
