"""Critical decisions of chess, judged by the tables of up to four men, or by those that a study has built or found.

A decision is critical if some legal move gives away the result: a win, or a draw. A position comes up after a quiet
start, or whatever start the game has, and up to nine random plies. The moves are worth what they lead to: 1 a win, 0 a
draw, -1 a loss, so that the best ones are those that keep the result.

The teacher `games` asks such decisions of positions that games of strong players go through: after the random plies
both sides play best moves for a while, and men are taken.

The teacher `mates` judges decisions of the side that wins. Its moves are worth the more, the sooner they mate, 0 where
they give the win away. After the random plies both sides play best moves for a while, so that positions shortly before
mate are among them.
"""

from collections.abc import Callable, Mapping
from functools import partial

import jax
import jax.numpy as jnp
from jax import Array, lax

from envs.chess import tables
from envs.chess.geometry import OFF, Board
from envs.chess.language import After
from envs.chess.rules import Chess, State
from jaxgp.arrays import where
from jaxgp.bits import pick
from jaxgp.errors import reject
from jaxgp.players.taught import Lessons
from jaxgp.search.chance import unused_key

Draw = Callable[[Array], tuple[Array, Lessons]]
"""key -> (bool[N], which positions are decisions; lessons [N] of all of them)."""
TEACHERS = ("table", "tables", "mates", "games")
"""The default: all men are on the board. The second: some may have been taken. The others: see above."""
PLIES = 9
"""The most random plies before a decision."""
BEST = 30
"""The most plies of best play before a decision of `mates` or `games`."""
OF_GAME = 8
"""Positions of a game of best plies that may be decisions of `games`."""
TOGETHER = 1024
"""Positions that are drawn together."""
ROUNDS = 4096
"""How often, before decisions that are not found are filled up with those that are."""
STOCKFISH: Mapping[str, Mapping[str, float]] = {
    "KQKQ": {"Stockfish at 10 nodes": 0.934, "Stockfish at 100 nodes": 0.955},
}
"""In what share of such decisions, 4,000 of them, Stockfish 15.1 keeps the result; measured once and for all by
`python scripts/studies/chess/kept.py endgame=KQKQ nodes=[10,100] engine_decisions=4000`."""


def lessons(game: Chess, teacher: str | None) -> Callable[[Array, int], Lessons]:
    """Return (key, count) -> that many critical decisions.

    Raises:
        UsageError: an endgame that has no table.
    """
    if not all(map(tables.known, game.armies)):
        accepted = (
            "up to four kings, queens and rooks, where tables judge decisions; or more, once "
            "scripts/studies/chess/larger.py has found who wins"
        )
        reject("game.endgame", game.endgame, accepted)
    if teacher == TEACHERS[2] and any(map(tables.six, game.armies)):
        reject("fitness.teacher", teacher, "table or tables: of six men nobody knows how soon they mate")
    names = tuple(tables.named(pair) for pair in game.armies)
    if all(map(tables.has, game.armies)):
        found = tables.tables(names)
    else:
        found = tables.outside(tables.tables(names, tables.JUDGED))
    if teacher in TEACHERS[2:]:
        drawn = partial(draw_mates if teacher == TEACHERS[2] else draw_games, game, found)
    else:
        drawn = partial(draw, game, teacher in (None, TEACHERS[0]), found)
    return partial(teach, jax.jit(drawn))  # traced once, however many decisions are asked


def others(game: Chess) -> Mapping[str, float]:
    """Return how often others keep the result, where it has been measured."""
    return STOCKFISH.get(game.endgame, {}) if game.start == "quiet" else {}


def teach(draw: Draw, key: Array, count: int) -> Lessons:
    """Return as many decisions as asked, of those that are drawn together."""
    shapes = jax.eval_shape(draw, key)[1]
    empty: Lessons = jax.tree.map(lambda x: jnp.zeros((count, *x.shape[1:]), x.dtype), shapes)

    def some(carry: tuple[Array, Array, Lessons]) -> tuple[Array, Array, Lessons]:
        number, filled, kept = carry
        good, fresh = draw(jax.random.fold_in(key, number))
        place = jnp.where(good, filled + jnp.cumsum(good) - 1, count)
        kept = jax.tree.map(lambda x, new: x.at[place].set(new, mode="drop"), kept, fresh)
        return number + 1, filled + good.sum(dtype=jnp.int32), kept

    start = jnp.int32(0), jnp.int32(0), empty
    _, filled, kept = lax.while_loop(lambda carry: (carry[1] < count) & (carry[0] < ROUNDS), some, start)
    at = jnp.arange(count) % jnp.clip(filled, 1, count)
    full: Lessons = jax.tree.map(lambda x: x[at], kept)
    return full


def draw(game: Chess, whole: bool, found: tables.Tables, key: Array) -> tuple[Array, Lessons]:
    """Return bool[TOGETHER], which positions are critical decisions, and lessons [TOGETHER] of all of them."""
    return by_result(game, whole, found, jax.vmap(partial(after_random_plies, game))(jax.random.split(key, TOGETHER)))


def by_result(game: Chess, whole: bool, found: tables.Tables, states: State) -> tuple[Array, Lessons]:
    """Judge states [N]: bool[N], which are critical decisions, and their lessons; with `whole` all men are there."""
    made = judged(game, found, states)
    values = jnp.where(made.values > -jnp.inf, jnp.sign(made.values), -jnp.inf)
    good = ~states.terminated & ((values > -jnp.inf) & (values < values.max(1, keepdims=True))).any(1)
    if whole:
        men = jnp.array([sum(map(len, pair)) for pair in game.armies])
        good &= ((states.men < OFF).sum((1, 2))[:, None] == men).any(1)
    return good, made._replace(values=values)


def draw_games(game: Chess, found: tables.Tables, key: Array) -> tuple[Array, Lessons]:
    """Return bool[TOGETHER], which positions of good games are critical decisions, and lessons of all of them."""
    return by_result(game, False, found, after_best_plies(game, found, key, OF_GAME))


def draw_mates(game: Chess, found: tables.Tables, key: Array) -> tuple[Array, Lessons]:
    """Return bool[TOGETHER], in which positions the side to move wins and moves differ, and lessons of all of them."""
    states = after_best_plies(game, found, key, 1)
    made = judged(game, found, states)
    top = made.values.max(1, keepdims=True)
    good = ~states.terminated & (top[:, 0] > 0) & ((made.values > -jnp.inf) & (made.values < top)).any(1)
    sooner = jnp.where(made.values > 0, 1 - tables.plies(jnp.maximum(made.values, 0)) / tables.MATE, 0.0)
    worth = jnp.where(made.values > -jnp.inf, sooner, -jnp.inf)
    return good, made._replace(values=worth)


def after_best_plies(game: Chess, found: tables.Tables, key: Array, each: int) -> State:
    """Return positions [TOGETHER] after starts, random plies and up to `BEST` best ones, `each` of a game."""
    games = TOGETHER // each

    def best(number: Array, carry: tuple[State, State]) -> tuple[State, State]:
        states, left = carry
        made = judged(game, found, states)
        keys = jax.random.split(jax.random.fold_in(lots, number), games)
        places = jax.vmap(lambda key, row: pick(row == row.max(), jax.random.bits(key)))(keys, made.values)
        after = jax.vmap(lambda state, place: game.step(state, game.choice(state, place), unused_key()))(states, places)
        after = where(~states.terminated, after, states)
        return after, where(number < most, _times(after, each), left)

    starts, plies, lots = jax.random.split(key, 3)
    states = jax.vmap(partial(after_random_plies, game))(jax.random.split(starts, games))
    most = jax.random.randint(plies, (TOGETHER,), 0, BEST + 1)
    left: State = lax.fori_loop(0, BEST, best, (states, _times(states, each)))[1]
    return left


def _times(states: State, each: int) -> State:
    """Return states [N * each], those of states [N] as often."""
    repeated: State = jax.tree.map(lambda x: jnp.tile(x, (each, *[1] * (x.ndim - 1))), states)
    return repeated


def judged(game: Chess, found: tables.Tables, states: State) -> Lessons:
    """Return lessons of states [N], the moves worth what `hints.judge` says."""
    after, there, outcomes = followed(game, states)
    values = jnp.where(there, tables.before(tables.probe(found, after)).astype(jnp.float32), -jnp.inf)
    return Lessons(states, outcomes, values.T)


def followed(game: Chess, states: State) -> tuple[Board, Array, After]:
    """Return what the moves of states [N] lead to: boards [2, S, W, N], bool[W, N] which there are, outcomes [N, W]."""
    board: Board = jax.tree.map(lambda x: jnp.moveaxis(x, 0, -1), states.board)
    after, there = tables.successors(board, game.most_choices)
    captured = (after.men < OFF).sum((0, 1)) < (board.men < OFF).sum((0, 1))
    # [2, S, W, N] and [W, N] -> [N, W, ...]
    men, kinds = (jnp.moveaxis(x, (3, 2), (0, 1)) for x in after)
    return after, there, After(men, kinds, captured.T)


def after_random_plies(game: Chess, key: Array) -> State:
    """Return the position after a start and up to `PLIES` random plies."""
    start, plies, moves = jax.random.split(key, 3)
    most = jax.random.randint(plies, (), 0, PLIES + 1)

    def ply(number: Array, state: State) -> State:
        bits = jax.random.bits(jax.random.fold_in(moves, number))
        after = game.step(state, pick(game.legal_actions(state), bits), unused_key())
        moved: State = where(number < most, after, state)
        return moved

    return lax.fori_loop(0, PLIES, ply, game.init(start))
