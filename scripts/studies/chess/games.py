"""Games of programs of chess against engines outside, other programs, or the best defence that the tables know.

    python scripts/studies/chess/games.py endgame=KQKQ players=[FILE.jsonl#0,master] nodes=[100,1000] pairs=1000
    python scripts/studies/chess/games.py endgame=KQRKQR players=[FILE.jsonl#0] against=[master] adjudicate=material
    python scripts/studies/chess/games.py endgame=KRK players=[outputs/DIR] start=won table=true repetition=false

Each start is played from both seats; of won starts the player has the side that wins. Many games go on side by side:
the program moves in all of them at once, and every one has an engine of its own, which is told of a new game at its
start and knows the moves. A game won is worth 1, any other end but a loss 1/2, or what `adjudicate` says. A pair of
games is the unit of the intervals, which are Student's, of 95 %; where all games end alike, they are Wilson's.

With `depth` programs of one tree value the leaves of a search, as in role `leaf`, whatever they were evolved in.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.chess import strategies, tables
from envs.chess.geometry import SQUARES, square_name
from envs.chess.language import LeafOptions
from envs.chess.notation.fen import kinds_of
from envs.chess.notation.pgn import fen_of
from envs.chess.notation.uci import PACKAGES
from envs.chess.rules import Chess, State
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import RunError, UsageError, reject
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.measure.champions import elsewhere, load
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_SEED, option
from jaxgp.search.chance import unused_key
from jaxgp.seats.gtp import EngineError, MissingEngineError
from jaxgp.seats.uci import THREADS, UciEngine
from jaxgp.statistics.intervals import interval, student
from studies.chess.shared import rows

CAPACITY = 512
"""Nodes of a tree, at most."""
TOGETHER = 48
"""Games side by side, and so engines at most."""
KEPT = 16_000
"""Positions that are kept of those that are met, drawn."""
NAMES = [square_name(square) for square in range(SQUARES)]
COLUMNS = (
    "endgame",
    "start",
    "player",
    "opponent",
    "seed",
    "games",
    "won",
    "drawn",
    "lost",
    "score",
    "low",
    "high",
    "different",
    "plies",
    "longest",
    "ahead",
    "behind",
)
"""`different`: games that are not alike move by move; `plies`: the mean of all games; `longest`: plies of the longest
win; `ahead`, `behind`: games without a winner that ended with more, with less material, where that counts."""

Mover = Callable[[State, State, np.ndarray], np.ndarray]
"""(states on the device [N], the same on the host, bool[N] whose turn it is) -> int[N] actions there."""
Asked = TypeVar("Asked")
Act = Callable[[State, jax.Array, jax.Array], jax.Array]
"""(states [N], bool[N] which count, key) -> int32[N] actions there."""


@dataclass
class Options:
    """Who plays, and how often."""

    players: tuple[str, ...] = option(
        ("master",), "directories of runs, champion files, master or gpec190", accepted="a list, as in [a,b]"
    )
    endgame: str = option("KQKQ", "the men of both sides")
    start: str = option("quiet", "where games begin", ("quiet", "legal", "won"))
    engine: str = option("stockfish", "an engine that speaks the Universal Chess Interface")
    nodes: tuple[int, ...] = option((), "limits of the engine, in positions a move", low=1, high=MAX_COUNT)
    depths: tuple[int, ...] = option((), "limits of the engine, in plies", low=1, high=99)
    hash: int = option(1, "MiB of the table of each engine", low=1, high=1024)
    table: bool = option(False, "whether the best defence of the tables is met")
    against: tuple[str, ...] = option(
        (), "programs that are met, by the names of players", accepted="a list, as in [a,b]"
    )
    adjudicate: str = option("draw", "what other ends than mate are worth, as in the game", ("draw", "material"))
    pairs: int = option(100, "starts", low=2, high=MAX_GAMES)
    plies: int = option(100, "plies after which a game is ended", low=1, high=9999)
    repetition: bool = option(True, "whether a position that is there for the third time ends the game")
    depth: int | None = option(None, "plies of a search whose leaves programs value; null: none", low=1, high=4)
    seed: int = option(0, "of starts and lots", low=0, high=MAX_SEED)
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)
    positions: str | None = option(
        None, "a file for positions that are met with all men on the board, in FEN; null: none", path=True
    )

    def laws(self, prefix: str) -> None:
        """Refuse endgames that cannot be played, or not by tables, and nobody to play against; raises UsageError."""
        try:
            pair = kinds_of(self.endgame)
        except ValueError as error:
            reject(prefix + "endgame", self.endgame, str(error))
        if (self.table or self.start == "won") and not tables.has(pair):
            reject(prefix + "endgame", self.endgame, "up to four kings, queens and rooks, where tables are asked")
        if not (self.table or self.nodes or self.depths or self.against):
            reject(prefix + "nodes", self.nodes, "at least one limit, or one of depths, or table=true, or against")


@dataclass
class Engines:
    """Engines, one for each of N games."""

    command: str
    limit: str
    hash: int
    running: list[UciEngine] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def open(self, stack: ExitStack, count: int) -> None:
        """Start so many; `stack` closes them."""
        for _ in range(count):
            engine = stack.enter_context(UciEngine(self.command, packages=PACKAGES))
            engine.expect("uci", "uciok")
            engine.tell(f"setoption name Threads value {THREADS}")
            engine.tell(f"setoption name Hash value {self.hash}")
            engine.expect("isready", "readyok")
            self.running.append(engine)

    def begin(self, states: State) -> None:
        """Tell of new games from states [N] on the host."""
        self.told = []
        for number in range(len(states.plies)):
            self.running[number].tell("ucinewgame")
            self.running[number].expect("isready", "readyok")
            self.told.append(f"position fen {fen_of(_at(states, number))} moves")

    def move(self, states: State, here: State, turn: np.ndarray) -> np.ndarray:
        """Ask for moves; see `Mover`."""
        actions = np.zeros(len(turn), np.int32)
        for number in np.flatnonzero(turn):
            engine = self.running[number]
            engine.tell(self.told[number])
            answer = engine.expect(f"go {self.limit}", "bestmove").split()[1]
            known = answer[:2] in NAMES and answer[2:] in NAMES
            start, goal = (NAMES.index(x) for x in (answer[:2], answer[2:])) if known else (-1, 0)
            place = int(np.argmax(here.men[number, 0] == start))
            words = here.moves[number, place] if start in here.men[number, 0] else np.zeros(2, np.uint32)
            if not words[goal // 32] >> np.uint32(goal % 32) & 1:
                raise EngineError(f"{self.command}: answered {answer}, which cannot be played there")
            actions[number] = place * SQUARES + goal
        return actions

    def played(self, here: State, actions: np.ndarray) -> None:
        """Tell of moves of both sides."""
        for number, action in enumerate(actions):
            if not here.terminated[number]:
                place, goal = divmod(int(action), SQUARES)
                self.told[number] += f" {NAMES[here.men[number, 0, place]]}{NAMES[goal]}"


def player(game: Chess, name: str, depth: int | None = None) -> Act:
    """Return (states [N], bool[N] which count, key) -> int32[N]: how a program moves, by its name or its file."""
    if name in strategies.WRITTEN:
        made = cast(envs.spec("chess"), game, "move")
        text = strategies.text(name)
    else:
        loaded = load(name, envs, "players")
        made = elsewhere(loaded, cast(envs.spec("chess"), game, str(loaded.cast.program["role"])), "players").cast
        text = loaded.content.text
    role, asked = str(made.program["role"]), made.options
    if depth is not None:
        if made.language.num_trees > 1:
            reject("players", name, "with depth, programs of one tree")
        role, asked = "leaf", LeafOptions(depth=depth, erc=asked.erc, extra=asked.extra)
    actor, act = acting(game, role, asked)
    genome = parse_program(actor.primitives, text, CAPACITY)
    plans = actor.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], genome))
    return partial(act, plans)


@cache
def acting(game: Chess, role: str, asked: Any) -> tuple[Any, Callable[[Any, State, jax.Array, jax.Array], jax.Array]]:
    """Return who acts for programs of a role with these options, and (plans [1, ...], as `Act`) -> int32[N] actions."""
    actor: Any = cast(envs.spec("chess"), game, role, values=vars(asked)).actor

    @jax.jit
    def act(plans: Any, states: State, counts: jax.Array, key: jax.Array) -> jax.Array:
        bits = jax.random.bits(key, (1, len(counts)), jnp.uint32)
        moves, _ = actor.act(plans, jax.tree.map(lambda x: x[None], states), bits, counts[None])
        first: jax.Array = moves[0, :, 0]
        return first

    return actor, act


def defence(game: Chess) -> Act:
    """Return the best defence that the tables know."""
    choose = strategies.ByTable(game)

    @jax.jit
    def moves(states: State, counts: jax.Array, key: jax.Array) -> jax.Array:
        del counts
        return jax.vmap(choose)(states, jax.random.bits(key, (len(states.plies),), jnp.uint32))

    return moves


def opposing(act: Act, seed: int) -> Mover:
    """Return a player as an opponent."""
    keys = iter(range(10**9))

    def move(states: State, here: State, turn: np.ndarray) -> np.ndarray:
        del here
        return np.asarray(act(states, jnp.asarray(turn), jax.random.fold_in(jax.random.key(seed + 1), next(keys))))

    return move


@dataclass
class Played:
    """Games: who won, by the seat of the player; their moves; the positions met with all men on the board."""

    returns: list[float] = field(default_factory=list)
    records: list[tuple[int, ...]] = field(default_factory=list)
    met: dict[str, None] = field(default_factory=dict)


def play(
    rules: Callable[[State, jax.Array], State],
    act: Act,
    other: Mover | Engines,
    states: State,
    seats: np.ndarray,
    key: jax.Array,
    found: Played,
    remember: bool,
) -> None:
    """Play games side by side from states [N], the player on `seats` (int[N]), and add them to those that are found."""
    begin: State = jax.device_get(states)
    men = (begin.men < SQUARES).sum((1, 2))
    here = begin
    records: list[list[int]] = [[] for _ in seats]
    if isinstance(other, Engines):
        other.begin(here)
    reply = other.move if isinstance(other, Engines) else other
    for ply in range(10**6):
        going = ~here.terminated
        if not going.any():
            break
        if remember:
            whole = going & ((here.men < SQUARES).sum((1, 2)) == men)
            found.met.update({fen_of(_at(here, n)): None for n in np.flatnonzero(whole).tolist()})
        mine = going & (here.to_move == seats)
        actions = np.array(act(states, jnp.asarray(mine), jax.random.fold_in(key, ply)))
        theirs = np.asarray(going & ~mine)
        if theirs.any():
            actions = np.where(theirs, reply(states, here, theirs), actions)
        if isinstance(other, Engines):
            other.played(here, actions)
        for number in np.flatnonzero(going):
            records[number].append(int(actions[number]))
        states = rules(states, jnp.asarray(actions, jnp.int32))
        here = jax.device_get(states)
    found.returns += [float(row[seat]) for row, seat in zip(here.returns, seats, strict=True)]
    starts = [(*squares.ravel().tolist(), int(seat)) for squares, seat in zip(begin.men, seats, strict=True)]
    found.records += [(*start, *record) for start, record in zip(starts, records, strict=True)]


def measure(options: Options, met: dict[str, None]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each player and opponent."""
    game = envs.make(
        "chess",
        endgame=options.endgame,
        start=options.start,
        plies=options.plies,
        repetition=options.repetition,
        adjudicate=options.adjudicate,
    )
    # A drawn start, and as many seats: both, or that of the side that wins.
    each = np.array([0] if options.start == "won" else [0, 1])
    # As many starts as fill the rounds of games side by side.
    seats = np.tile(each, options.pairs)
    together = min(TOGETHER, len(seats))
    count = -(-len(seats) // together) * together // len(each)
    starts = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(options.seed), count))
    starts = jax.tree.map(lambda x: jnp.repeat(x, len(each), 0)[: len(seats)], starts)
    rules = jax.jit(jax.vmap(partial(_step, game)))
    limits = [f"nodes {n}" for n in options.nodes] + [f"depth {n}" for n in options.depths]
    others = {strategies.TABLE: defence(game)} if options.table else {}
    others |= {name: player(game, name) for name in options.against}
    for name in options.players:
        act = player(game, name, options.depth)
        for limit in [*limits, *others]:
            found, began = Played(), time.process_time()
            with ExitStack() as stack:
                other: Mover | Engines
                if limit in others:
                    other = opposing(others[limit], options.seed)
                else:
                    other = Engines(options.engine, limit, options.hash)
                    other.open(stack, together)
                for first in range(0, len(seats), together):
                    # As many in every round; those beyond the last are not counted.
                    place = np.minimum(np.arange(first, first + together), len(seats) - 1)
                    some = jax.tree.map(lambda x, place=place: x[place], starts)
                    beyond = jnp.asarray(np.arange(first, first + together) >= len(seats))
                    some = some.replace(terminated=some.terminated | beyond)
                    key = jax.random.fold_in(jax.random.key(options.seed), first)
                    play(rules, act, other, some, seats[place], key, found, options.positions is not None)
            met.update(found.met)
            yield _row(options, name, limit, found, len(seats), len(each))
            print(f"{name} against {limit}: {time.process_time() - began:.0f} s", file=sys.stderr, flush=True)


def _at(states: State, number: int) -> State:
    """Return one of the states [N] on the host."""
    one: State = jax.tree.map(lambda x: x[number], states)
    return one


def _step(game: Chess, state: State, action: jax.Array) -> State:
    return game.step(state, action, unused_key())


def _row(options: Options, name: str, limit: str, found: Played, count: int, seats: int) -> tuple[str, ...]:
    """Return the row of the games of a player and an opponent."""
    returns, records = np.array(found.returns[:count]), found.records[:count]
    points, men = (returns + 1) / 2, 2 * max(map(len, kinds_of(options.endgame))) + 1
    won, ahead, drawn, behind, lost = ((returns == x).sum() for x in (1, 0.5, 0, -0.5, -1))
    pairs = points.reshape(-1, seats)
    _, low, high = student(pairs.mean(1)) if np.ptp(points) else (0.0, *interval(pairs))
    assert low is not None
    assert high is not None
    lengths = np.array([len(record) - men for record in records])
    longest = lengths[returns == 1].max(initial=0)
    opponent = limit if limit in (strategies.TABLE, *options.against) else f"{options.engine} {limit}"
    name = name if options.depth is None else f"{name}, {options.depth} plies"
    counts = *map(str, (options.seed, count, won, drawn, lost)), f"{points.mean():.5f}", f"{low:.5f}", f"{high:.5f}"
    rest = str(len(set(records))), f"{lengths.mean():.1f}", str(longest), str(ahead), str(behind)
    return options.endgame, options.start, name, opponent, *counts, *rest


def engines_named(task: Callable[[Asked], int]) -> Callable[[Asked], int]:
    """Return a task whose engines, where they are missing or fail, are named in the one line of its error."""

    def run(options: Asked) -> int:
        try:
            return task(options)
        except MissingEngineError as error:
            raise UsageError(f"engine: {error}") from error
        except EngineError as error:
            raise RunError(str(error)) from error

    return run


def task(options: Options) -> int:
    """Play, print, save after each row."""
    path = files.user_path("save", options.save) if options.save else None
    head, met = ",".join(COLUMNS) + "\n", dict[str, None]()
    print(head, end="")
    for row in measure(options, met):
        text = rows.lines([row])
        print(text, end="", flush=True)
        if path is not None:
            rows.add(path, head, text)
    if options.positions:
        some = np.random.default_rng(options.seed).permutation(list(met))[:KEPT]
        files.save_text("positions", files.user_path("positions", options.positions), "".join(f"{x}\n" for x in some))
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, engines_named(task), __doc__))
