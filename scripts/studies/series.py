"""Two players against each other, many games in lock step: for tables of how strong fixed players are."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.arrays import take
from jaxgp.bits import lot, pick
from jaxgp.contracts import Position
from jaxgp.search import cores
from jaxgp.search.alphabeta import AlphaBeta, Ties, best_moves
from jaxgp.search.chance import unused_key
from jaxgp.search.lookahead import tail_of
from jaxgp.seats.agents import Agent
from jaxgp.spec import Evaluator

State = Any
Reply = Callable[[State, Array], Array]
"""([G] states, uint32[G] random bits) -> int32[G] moves."""


def results(game: Any, player: Reply, opponent: Reply, games: int, seed: int = 0) -> np.ndarray:
    """Play games from each seat; return int32[2, 3]: won, drawn and lost by the player, as first and as second one."""
    return counts(returns(game, player, opponent, games, seed))


def counts(returns: np.ndarray) -> np.ndarray:
    """Return int32[2, 3]: won, drawn and lost, by seat; `returns` is float[2, G]."""
    return (returns[..., None] == np.array([1.0, 0.0, -1.0])).sum(1, dtype=np.int32)


def returns(game: Any, player: Reply, opponent: Reply, games: int, seed: int = 0) -> np.ndarray:
    """Play games from each seat; return float32[2, G], 1 where the player wins, 0 for a draw, else -1.

    Game n from one seat has the random bits of game n from the other.
    """
    replies = jax.jit(player), jax.jit(opponent)
    nothing, turn = jnp.zeros(games, jnp.int32), _turn(game)

    def play(seat: int) -> np.ndarray:
        states = jax.vmap(lambda _: game.init(unused_key()))(jnp.arange(games))
        ply, asked = 0, np.asarray(_waiting(states, jnp.int32(seat)))
        while asked.any():
            bits = jax.random.bits(jax.random.fold_in(jax.random.key(seed), ply), (games,))
            # Each player is a device program of its own: two compile sooner than one with both players. Where turns
            # alternate in all games at once, only one of them runs.
            moves = [reply(states, bits) if has else nothing for reply, has in zip(replies, asked, strict=True)]
            states, found = turn(states, jnp.int32(seat), *moves)
            ply, asked = ply + 1, np.asarray(found)
        return np.asarray(states.returns)[:, seat]

    return np.stack([play(seat) for seat in (0, 1)])


@cache
def _turn(game: Any) -> Callable[[State, Array, Array, Array], tuple[State, Array]]:
    """Compile a ply of all games: states, seat of the player, its moves and those of the opponent."""

    @jax.jit
    def turn(states: State, seat: Array, own: Array, other: Array) -> tuple[State, Array]:
        moves = jnp.where(states.to_move == seat, own, other)
        states = jax.vmap(lambda state, move: game.step(state, move, unused_key()))(states, moves)
        return states, _waiting(states, seat)

    return turn


def _waiting(states: State, seat: Array) -> Array:
    """Return bool[2]: whether any game waits for the player, and whether any waits for the opponent."""
    mine = states.to_move == seat
    return jnp.stack([(m & ~states.terminated).any() for m in (mine, ~mine)])


def random_moves(game: Any) -> Reply:
    """Play any legal move with equal probability."""
    return lambda states, bits: pick(jax.vmap(game.legal_actions)(states), bits)


def search(game: Any, depth: int, *evaluators: Evaluator, ties: str = "random", tail: int = 2) -> Reply:
    """Play a best move of an alpha-beta search: a random one of them, or with `ties` "first" the first.

    Of several evaluators one is drawn for every move. The last `tail` plies are searched full width, which changes the
    time that it takes and nothing else.
    """
    kind: Ties = "all" if ties == "random" else "first"
    searches = [
        AlphaBeta(game, partial(evaluate, game), max_depth=depth, tail=tail_of(game, min(tail, depth)), ties=kind)
        for evaluate in evaluators
    ]

    def reply(states: State, bits: Array) -> Array:
        depths = jnp.full(bits.shape, depth, jnp.int32)
        drawn, low = lot(bits, len(searches))
        moves = jnp.zeros(bits.shape, jnp.int32)
        for number, one in enumerate(searches):
            mine = drawn == number
            first = jnp.argsort(~mine, stable=True)
            found = cores.search(one, take(states, first), depths, mine.sum(dtype=jnp.int32))
            chosen = pick(best_moves(found.values), low[first] if kind == "all" else jnp.zeros_like(bits))
            moves = jnp.where(mine, chosen[jnp.argsort(first)], moves)
        return moves

    return reply


def agent(name: str, reply: Reply) -> Agent:
    """Make an agent, for one game on the host, of a player of many games at once."""
    move = jax.jit(reply)

    def choose(state: Position, bits: np.uint32) -> int:
        return int(move(jax.tree.map(lambda x: x[None], state), jnp.full(1, bits, jnp.uint32))[0])

    return Agent(name, choose)
