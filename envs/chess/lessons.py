"""Critical decisions of chess, judged by the tables of up to four men.

A decision is critical if some legal move gives away the result: a win, or a draw. A position comes up after a quiet
start, or whatever start the game has, and up to nine random plies. The moves are worth what they lead to: 1 a win, 0 a
draw, -1 a loss, so that the best ones are those that keep the result.
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

TEACHERS = ("table", "tables")
"""The default: all men are on the board. The other one: some may have been taken."""
PLIES = 9
"""The most random plies before a decision."""
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
    if not all(map(tables.has, game.armies)):
        reject("game.endgame", game.endgame, "up to four kings, queens and rooks, where tables judge decisions")
    return partial(teach, game, teacher in (None, TEACHERS[0]))


def others(game: Chess) -> Mapping[str, float]:
    """Return how often others keep the result, where it has been measured."""
    return STOCKFISH.get(game.endgame, {}) if game.start == "quiet" else {}


def teach(game: Chess, whole: bool, key: Array, count: int) -> Lessons:
    """Return `count` critical decisions; with `whole` all men are on the board."""
    found = tables.tables(tuple(tables.named(pair) for pair in game.armies))
    shapes = jax.eval_shape(partial(draw, game, whole, found), key)[1]
    empty: Lessons = jax.tree.map(lambda x: jnp.zeros((count, *x.shape[1:]), x.dtype), shapes)

    def some(carry: tuple[Array, Array, Lessons]) -> tuple[Array, Array, Lessons]:
        number, filled, kept = carry
        good, fresh = draw(game, whole, found, jax.random.fold_in(key, number))
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
    states = jax.vmap(partial(_after_random_plies, game))(jax.random.split(key, TOGETHER))
    board: Board = jax.tree.map(lambda x: jnp.moveaxis(x, 0, -1), states.board)
    after, there = tables.successors(board, game.most_choices)
    results = -tables.result(tables.probe(found, after))
    values = jnp.where(there, results.astype(jnp.float32), -jnp.inf)
    good = ~states.terminated & (there & (values < values.max(0))).any(0)
    if whole:
        men = jnp.array([sum(map(len, pair)) for pair in game.armies])
        good &= ((board.men < OFF).sum((0, 1))[:, None] == men).any(1)
    captured = (after.men < OFF).sum((0, 1)) < (board.men < OFF).sum((0, 1))
    # [2, S, W, N] and [W, N] -> [N, W, ...]
    men, kinds = (jnp.moveaxis(x, (3, 2), (0, 1)) for x in after)
    return good, Lessons(states, After(men, kinds, captured.T), values.T)


def _after_random_plies(game: Chess, key: Array) -> State:
    """Return the position after a start and up to `PLIES` random plies."""
    start, plies, moves = jax.random.split(key, 3)
    most = jax.random.randint(plies, (), 0, PLIES + 1)

    def ply(number: Array, state: State) -> State:
        bits = jax.random.bits(jax.random.fold_in(moves, number))
        after = game.step(state, pick(game.legal_actions(state), bits), unused_key())
        moved: State = where(number < most, after, state)
        return moved

    return lax.fori_loop(0, PLIES, ply, game.init(start))
