"""Chess endgames: random plies beside python-chess, what programs see after moves, and the programs themselves.

What programs see is measured without and with the dearest terminal, which looks a reply ahead. Programs choose moves in
the same positions; their work is counted in moves that they value.
"""

import functools
import random
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

import envs
from envs.chess import language, many
from envs.chess.rules import Chess, State
from jaxgp.games import casting
from jaxgp.genotypes.programs import Programs
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.search.chance import unused_key
from rivals.timing import Bench, Case, Job, compare, compile_function, measure

ENDGAME = "KQRKQR"
PLIES = 32
"""Plies of one call."""
DEAR = "-1000*IsMateInOne"
PROGRAMS = 80
"""The most programs; each chooses moves in as many games as fill the batch."""
NODES = 60
"""Nodes of each of their trees, about."""
RIVAL_PLIES = 2000
PLAY, SEE, SEE_ALL, CHOOSE = "random plies", "terminals but one", "all terminals", "programs of 3 x 60 nodes"
LEAST = 64
"""Smaller batches are of no interest here."""


def jobs(bench: Bench) -> Iterator[Job]:
    """All batches but small ones; each is a job."""
    for batch in bench.options.batch:
        if batch >= LEAST:
            yield 1.0, functools.partial(positions, bench, batch)


def positions(bench: Bench, batch: int, until: float) -> None:
    """Measure a batch of games in four ways."""
    options, game = bench.options, envs.make("chess", endgame=ENDGAME)
    key = jax.random.key(options.seed)
    begun = jax.jit(jax.vmap(game.init))(jax.random.split(key, batch))
    play, took = compile_function(functools.partial(_play, game), begun, key)
    states = play(begun, key)
    compiled = {PLAY: took}
    see, compiled[SEE] = compile_function(functools.partial(_see, game, False), states, key)
    see_all, compiled[SEE_ALL] = compile_function(functools.partial(_see, game, True), states, key)
    count = min(PROGRAMS, batch)
    actor = casting.cast(envs.spec("chess"), game).actor
    plans = jax.jit(actor.prepare)(programs(actor.primitives, key, count))
    shared = jax.tree.map(lambda x: x[: batch // count * count].reshape(count, -1, *x.shape[1:]), states)
    bits = jax.random.bits(key, shared.to_move.shape)
    choose, compiled[CHOOSE] = compile_function(actor.act, plans, shared, bits)
    valued = int(jnp.where(shared.terminated, 0, jax.vmap(jax.vmap(game.choices))(shared)).sum())
    cases = {
        PLAY: Case(lambda: play(begun, key), batch * PLIES),
        SEE: Case(lambda: see(states, key), batch),
        SEE_ALL: Case(lambda: see_all(states, key), batch),
        CHOOSE: Case(lambda: choose(plans, shared, bits), valued),
    }
    sizes = {"endgame": ENDGAME, "batch": batch}

    def plain() -> dict[str, Case]:
        return {"python-chess": Case(_python_chess(states, options.seed), RIVAL_PLIES, warm=False)}

    theirs = compare(bench, "python-chess", "chess", PLAY, "plies/s", sizes, plain) if batch == most(bench) else {}
    times = measure({**cases, **theirs}, options.repeats, until)
    size = sum(leaf.nbytes for leaf in jax.tree.leaves(states)) // batch
    for name in cases:
        unit = "plies/s" if name == PLAY else "moves/s"
        bench.report.ours("chess", name, unit, times[name], sizes, compiled[name], state_bytes=size)
    for name in theirs:
        more = {"who": name, "ours": times[PLAY], "against": PLAY}
        bench.report.rival("chess", PLAY, "plies/s", times[name], {"endgame": ENDGAME, "batch": 1}, **more)


def most(bench: Bench) -> int:
    """Return the largest batch."""
    return max(bench.options.batch)


def programs(primitives: Any, key: Array, count: int) -> Programs:
    """Return random programs [count, 3, L] of trees of about `NODES` nodes."""
    made = create(key, primitives, CreationOptions("ramped", 3, 6), 16 * count, 2 * NODES)
    order = jnp.argsort(jnp.abs(made.length - NODES).max(-1))
    return jax.tree.map(lambda x: x[order[:count]], made)


def _play(game: Chess, states: State, key: Array) -> State:
    """Play random legal moves in all games; one that has ended begins again."""
    begun = states

    def ply(number: Array, states: State) -> State:
        bits = jax.random.bits(jax.random.fold_in(key, number), states.to_move.shape) >> 1
        actions = jax.vmap(game.choice)(states, bits.astype(jnp.int32))
        after = jax.vmap(lambda state, action: game.step(state, action, unused_key()))(states, actions)
        again = after.terminated

        def kept(old: Array, new: Array) -> Array:
            return jnp.where(again.reshape(-1, *[1] * (new.ndim - 1)), old, new)

        return jax.tree.map(kept, begun, after)

    return lax.fori_loop(0, PLIES, ply, states)


def _see(game: Chess, whole: bool, states: State, key: Array) -> Array:
    """Return float32[F, N], what programs see after a legal move of each game; `whole`: also the dearest terminal."""
    bits = jax.random.bits(key, states.to_move.shape) >> 1
    actions = jax.vmap(game.choice)(states, bits.astype(jnp.int32))
    after = jax.vmap(many.outcome)(states, actions)
    names = (*language.SIMPLE, *language.COMPLEX)
    return language.view(after, names if whole else tuple(name for name in names if name != DEAR))


def _python_chess(states: State, seed: int) -> Callable[[], int]:
    """Return what plays random legal moves in python-chess; raises ImportError where it is not installed."""
    import chess

    men, kinds, to_move = (np.asarray(x) for x in (states.men, states.kinds, states.to_move))
    symbols = (chess.KING, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
    draw = random.Random(seed)

    def begin() -> "chess.Board":
        lane = draw.randrange(len(to_move))
        board = chess.Board(None)
        for side in range(2):
            for square, kind in zip(men[lane, side], kinds[lane, side], strict=True):
                if square < 64:
                    board.set_piece_at(int(square), chess.Piece(symbols[kind], bool(to_move[lane] == side)))
        board.turn = bool(to_move[lane] == 0)
        return board

    def run() -> int:
        board = begin()
        for _ in range(RIVAL_PLIES):
            moves = list(board.legal_moves)
            if not moves or board.is_insufficient_material():
                board = begin()
                continue
            board.push(moves[int(draw.random() * len(moves))])
        return board.fullmove_number

    return run
