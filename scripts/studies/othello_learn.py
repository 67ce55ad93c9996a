"""Learn weights of squares for Othello by self-play, like Edgar, an opponent whose weights are lost.

python scripts/studies/othello_learn.py seed=0 save=envs/othello/edgar_like.csv

Edgar (A. Teller) was the opponent in a course at Columbia University whose programs T. Bellin and G. Gasperin extended.
It had a weight for each square at each move of the game, learned in 70,000 games against itself, and looked at the
positions after its own moves. How its weights were learned from the games is not known. Here the target of every
position is the result of its game: gradient descent on the squared error fits the hyperbolic tangent of the weighted
discs to it. No symmetry is built in: all 60 times 64 weights are free.
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import sys
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array, lax

from envs.othello.opponents import MOVES, UNIT, lead, move_number
from envs.othello.rules import Othello, State
from jaxgp import files
from jaxgp.bits import count, pick_bit
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.options import MAX_COUNT, MAX_POPULATION, MAX_SEED, option
from jaxgp.players.ply import random_move
from jaxgp.search.chance import unused_key

GAME = Othello(8)
RATE = 0.001
"""Step size of Adam."""
STEPS = 5
"""Gradient steps on the games of a batch."""


@dataclass
class Options:
    """How the table is learned."""

    seed: int = option(0, "of the games", low=0, high=MAX_SEED)
    games: int = option(70_000, "games in all, a multiple of batch", low=1, high=MAX_COUNT)
    batch: int = option(200, "games that are played side by side with the same weights", low=1, high=MAX_POPULATION)
    chance: float = option(0.1, "the share of moves that are random, so that games differ", low=0, high=1)
    save: str = option("edgar_like.csv", "file for the table", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse games that are no whole batches; raises UsageError."""
        if self.games % self.batch:
            reject("games", self.games, f"a multiple of batch={self.batch}")


def best_move(weights: Array, state: State) -> Array:
    """Return int32[]: the first of the legal moves that gain most by the weights, float32[60, 64]; a pass if none is.

    Discs on the board count the same after every move, and are left out.
    """
    row = weights[jnp.minimum(count(state.own) + count(state.other) - 4, MOVES - 1)]

    def better(place: Array, found: tuple[Array, Array]) -> tuple[Array, Array]:
        most, chosen = found
        square = pick_bit(jnp.stack(state.legal), place.astype(jnp.uint32))
        placed = GAME.placed(state, square)
        turned = GAME.turned(state.own, state.other, placed)
        gain = (row * (GAME.squares(placed) + 2 * GAME.squares(turned))).sum()
        return jnp.maximum(most, gain), jnp.where(gain > most, square, chosen)

    start = (jnp.float32(-jnp.inf), jnp.int32(GAME.area))
    return lax.fori_loop(0, count(state.legal), better, start)[1]


def play(weights: Array, key: Array, games: int, chance: float) -> tuple[Array, Array]:
    """Play games with a table on both sides.

    Returns:
        int8[60, G, 64]: the position after each move, 1 for a black disc and -1 for a white one, all 0 for a move that
        was not made; float32[G]: 1 where black won, -1 where white did.
    """
    place, threshold = jnp.arange(games), np.uint32(min(chance * 2**32, 2**32 - 1))

    def turn(carry: tuple[State, Array, Array]) -> tuple[State, Array, Array]:
        states, seen, ply = carry
        bits = jax.random.bits(jax.random.fold_in(key, ply), (2, games))
        at_random = jax.vmap(partial(random_move, GAME))(states, bits[0])
        best = jax.vmap(partial(best_move, weights))(states)
        moves = jnp.where(bits[1] < threshold, at_random, best)
        states = jax.vmap(lambda state, move: GAME.step(state, move, unused_key()))(states, moves)
        black = jax.vmap(partial(lead, GAME))(states.own, states.other) * (1 - 2 * states.to_move[:, None])
        # A pass, or a game that has ended, writes the same position once more.
        return states, seen.at[jax.vmap(move_number)(states), place].set(black.astype(jnp.int8)), ply + 1

    start = jax.vmap(lambda _: GAME.init(unused_key()))(place)
    seen = jnp.zeros((MOVES, games, GAME.area), jnp.int8)
    states, seen, _ = lax.while_loop(lambda c: ~c[0].terminated.all(), turn, (start, seen, jnp.int32(0)))
    return seen, states.returns[:, 0]


def loss(weights: Array, seen: Array, results: Array) -> Array:
    """Return float32[]: the mean squared error of the results that the table expects."""
    expected = jnp.tanh(jnp.einsum("mgs,ms->mg", seen.astype(jnp.float32), weights))
    return jnp.mean((expected - results) ** 2)


def learn(options: Options) -> np.ndarray:
    """Return the table, int32[60, 64], in thousandths."""
    adam = optax.adam(RATE)

    @jax.jit
    def batch(weights: Array, memory: optax.OptState, key: Array) -> tuple[Array, optax.OptState, Array]:
        seen, results = play(weights, key, options.batch, options.chance)

        def improve(_: Array, carry: tuple[Array, optax.OptState]) -> tuple[Array, optax.OptState]:
            weights, memory = carry
            steps, memory = adam.update(jax.grad(loss)(weights, seen, results), memory)
            return optax.apply_updates(weights, steps), memory

        weights, memory = lax.fori_loop(0, STEPS, improve, (weights, memory))
        return weights, memory, loss(weights, seen, results)

    weights = jnp.zeros((MOVES, GAME.area), jnp.float32)
    memory = adam.init(weights)
    for number in range(options.games // options.batch):
        key = jax.random.fold_in(jax.random.key(options.seed), number)
        weights, memory, error = batch(weights, memory, key)
        if number % 20 == 19:
            print(f"{(number + 1) * options.batch} games, squared error {error:.3f}", file=sys.stderr, flush=True)
    return np.rint(np.asarray(weights) * UNIT).astype(np.int32)


def task(options: Options) -> int:
    """Check, learn, save."""
    path = files.user_path("save", options.save)
    files.check_writable("save", path)
    table = learn(options)
    files.save_text("save", path, "".join(",".join(map(str, row)) + "\n" for row in table.tolist()))
    print(f"saved: {path}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
