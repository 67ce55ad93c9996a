"""How often players of chess keep the result of a position, by the tables of up to five men, or results of six.

    python scripts/studies/chess/kept.py endgame=KQKQ nodes=[10,100] engine_decisions=500 network=6144

A decision is critical if some legal move gives away the result: a win, or a draw. It is held if at most half of the
moves keep it. All players decide in the same positions: a quiet start, up to nine random plies, all men on the board.
Players without chance but in their ties count by the share of their best moves that keep the result. Engines get a new
table for each decision. `printed` is the printed tree of `gpec190`, whatever the material is. Intervals are of 95 %.
Programs are also compared with each engine, decision by decision.

A table of five men or the results of six have to be there: `larger.py` finds them.

With `positions`, a file of FEN, the decisions are the critical ones among these, such as those that games of champions
against an engine went through (`games.py positions=FILE`); they are called met.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.chess import language, lessons, strategies, tables
from envs.chess.notation.fen import kinds_of
from envs.chess.notation.uci import positions
from envs.chess.rules import Chess
from envs.chess.starts import listed
from jaxgp import files
from jaxgp.arrays import take
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.fitness.taught.decisions import look, shares
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.measure.champions import load
from jaxgp.options import MAX_COUNT, MAX_SEED, option
from jaxgp.players.taught import Lessons
from jaxgp.seats.moves import Move
from jaxgp.seats.uci import uci_agent
from jaxgp.statistics.intervals import NORMAL, interval
from studies.chess.network import kept_by_network
from studies.chess.shared import rows

CAPACITY = 512
"""Nodes of a tree, at most."""
LEARNED = 1_000_000
"""Added to the seed of the decisions that a network learns from."""
COLUMNS = ("endgame", "player", "than", "decisions", "number", "kept", "low", "high")
"""`than` is empty, or an engine: then `kept` is how much more often than it the player keeps the result."""


@dataclass
class Options:
    """What is measured."""

    endgame: str = option("KQKQ", "of up to five kings, queens and rooks, or KQRKQR, KRRKRR or KQQKQQ")
    decisions: int = option(20_000, "critical decisions", low=1, high=MAX_COUNT)
    seed: int = option(0, "of the positions", low=0, high=MAX_SEED)
    terminals: bool = option(True, "whether each terminal is measured as a whole program")
    network: int = option(
        0,
        "critical decisions that a network learns from; it sees what programs see; 0: there is none",
        low=0,
        high=MAX_COUNT,
    )
    champions: tuple[str, ...] = option((), "directories of runs, or champion files", accepted="a list, as in [a,b]")
    engine: str = option("stockfish", "an engine that speaks the Universal Chess Interface")
    nodes: tuple[int, ...] = option(
        (), "limits of the engine, in positions a move; none: it is not measured", low=1, high=MAX_COUNT
    )
    depths: tuple[int, ...] = option((), "limits of the engine, in plies", low=1, high=99)
    positions: str | None = option(None, "a file of positions in FEN; null: decisions are drawn", path=True)
    engine_decisions: int = option(500, "decisions of the engine, the first ones", low=1, high=MAX_COUNT)
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse endgames without a table; raises UsageError."""
        try:
            pair = kinds_of(self.endgame)
        except ValueError as error:
            reject(prefix + "endgame", self.endgame, str(error))
        if not tables.has(pair, tables.JUDGED):
            accepted = (
                f"up to {tables.LARGEST} kings, queens and rooks, two of a kind, or six, both sides having the same"
            )
            reject(prefix + "endgame", self.endgame, accepted)


@dataclass
class Decisions:
    """Critical decisions, N of them, with up to W moves.

    Attributes:
        lessons: [N].
        there: bool[N, W], which moves there are.
        kept: bool[N, W], which keep the result.
    """

    lessons: Lessons
    there: np.ndarray
    kept: np.ndarray

    @property
    def held(self) -> np.ndarray:
        """bool[N]: those in which at most half of the moves keep the result."""
        held: np.ndarray = 2 * self.kept.sum(1) <= self.there.sum(1)
        return held


def decide(game: Chess, count: int, seed: int) -> Decisions:
    """Draw critical decisions."""
    teach = jax.jit(lessons.lessons(game, lessons.TEACHERS[0]), static_argnums=1)
    return _decisions(jax.device_get(teach(jax.random.key(seed), count)))


def meet(game: Chess, path: str, count: int, seed: int) -> Decisions:
    """Return critical decisions of a file of positions of these men, drawn from it; all, if there are fewer."""
    start = listed(replace(game, start="fen", fen=path))
    made = jax.jit(jax.vmap(lambda men, kinds, clock, mover: game.state(men, kinds, clock, jnp.int16(1), mover, ())))(
        start.men, start.kinds, start.clock, start.to_move
    )
    known = tables.outside(tables.tables((game.endgame,), tables.JUDGED))
    judge = jax.jit(lambda states: lessons.by_result(game, True, known, states))
    blocks = [
        jax.device_get(judge(take(made, jnp.arange(first, first + lessons.TOGETHER) % len(start.men))))
        for first in range(0, len(start.men), lessons.TOGETHER)
    ]
    good, found = jax.tree.map(lambda *xs: np.concatenate(xs)[: len(start.men)], *blocks)
    places = np.random.default_rng(seed).permutation(np.flatnonzero(good))[:count]
    return _decisions(jax.tree.map(lambda x: x[places], found))


def _decisions(found: Lessons) -> Decisions:
    there = np.asarray(found.values) > -np.inf
    return Decisions(found, there, there & np.asarray(found.values == found.values.max(1, keepdims=True)))


def by_options(champions: Sequence[str]) -> dict[language.Options, dict[str, str]]:
    """Return the texts of written programs and of champions by their names, by what they are made of.

    Raises:
        UsageError: a champion of another game, or one that is no tree.
    """
    found = {language.Options(): {name: strategies.text(name) for name in strategies.WRITTEN}}
    for path in champions:
        loaded = load(path, envs, "champions")
        if not isinstance(loaded.cast.options, language.Options):
            reject("champions", path, "champions of chess whose trees value moves (role move)")
        found.setdefault(loaded.cast.options, {})[path] = loaded.content.text
    return found


def by_programs(
    game: Chess, options: language.Options, texts: Mapping[str, str], at: Decisions
) -> dict[str, np.ndarray]:
    """Return the shares of moves that keep the result, of those that programs value most, by the names of the texts."""
    asked = {name: getattr(options, name) for name in ("trees", "phase", "erc", "extra", "stage")}
    made = cast(envs.spec("chess"), game, "move", values=asked)
    genomes = [parse_program(made.language, one, CAPACITY) for one in texts.values()]
    population = jax.tree.map(lambda *xs: jnp.asarray(np.stack(xs)), *genomes)
    found = jax.jit(lambda at, some: shares(made.actor, some, look(made.actor, at)))(at.lessons, population)
    return dict(zip(texts, np.asarray(found, float), strict=True))


def by_network(game: Chess, count: int, at: Decisions, seed: int) -> np.ndarray:
    """Return 1 or 0 for each decision: whether a network keeps the result that learned from so many other ones."""
    actor = cast(envs.spec("chess"), game, "move", values={"trees": "one"}).actor
    see = jax.jit(lambda lessons: look(actor, lessons))
    other = decide(game, count, seed + LEARNED)
    terminals = len(language.SIMPLE) + len(language.COMPLEX)
    return kept_by_network(see(other.lessons), see(at.lessons), terminals, seed).astype(float)


def by_engine(game: Chess, command: str, limit: str, at: Decisions, count: int) -> np.ndarray:
    """Return 1 or 0 for each of the first decisions: whether the engine keeps the result."""
    agent = uci_agent(game, positions(game), command, limit, 16)
    legal = jax.jit(game.legal_actions)
    kept = []
    try:
        for n in range(min(count, len(at.there))):
            state = jax.tree.map(lambda x, n=n: x[n], at.lessons.states)
            action = agent.reply([Move(state, None, 0)], np.uint32(0))
            places = np.flatnonzero(np.asarray(legal(state)))
            kept.append(at.kept[n, int(np.searchsorted(places, -1 if action is None else action))])
    finally:
        agent.close()
    return np.array(kept, float)


def measure(options: Options) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table."""
    game = envs.make("chess", endgame=options.endgame)
    asked = by_options(options.champions)
    drawn = options.positions is None
    at = (
        decide(game, options.decisions, options.seed)
        if options.positions is None
        else meet(game, str(files.user_path("positions", options.positions)), options.decisions, options.seed)
    )
    alone = asked.setdefault(language.Options(trees="one"), {})
    alone["printed"] = strategies.trees(strategies.text("gpec190"))[0]
    if options.terminals:
        alone |= {name: name for name in (*language.SIMPLE, *language.COMPLEX)}
    programs = {name: kept for one, texts in asked.items() for name, kept in by_programs(game, one, texts, at).items()}
    limits = {f"{options.engine} {n}": f"nodes {n}" for n in options.nodes}
    limits |= {f"{options.engine} {n} plies": f"depth {n}" for n in options.depths}
    engines = {
        name: by_engine(game, options.engine, limit, at, options.engine_decisions) for name, limit in limits.items()
    }
    if options.network:
        programs["network"] = by_network(game, options.network, at, options.seed)
    random = {"random": at.kept.sum(1) / at.there.sum(1)}
    for name, kept in (random | programs | engines).items():
        for kind, part in (("critical", kept), ("held", kept[at.held[: len(kept)]])):
            kind = kind if drawn else f"met, {kind}"
            yield _row(options.endgame, name, "", kind, part, interval(part[:, None]))
    for engine, theirs in engines.items():
        for name in (*strategies.WRITTEN, "printed", *options.champions):
            more = programs[name][: len(theirs)] - theirs
            half = NORMAL * more.std(ddof=1) / len(more) ** 0.5
            yield _row(
                options.endgame,
                name,
                engine,
                "critical" if drawn else "met, critical",
                more,
                (more.mean() - half, more.mean() + half),
            )


def _row(
    endgame: str, name: str, than: str, kind: str, values: np.ndarray, ends: tuple[float, float]
) -> tuple[str, ...]:
    return endgame, name, than, kind, str(len(values)), *(f"{x:.5f}" for x in (values.mean(), *ends))


def task(options: Options) -> int:
    """Measure, print, save."""
    path = files.user_path("save", options.save) if options.save else None
    rows.report(COLUMNS, measure(options), path)
    if path is not None:
        print(f"saved: {path}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
