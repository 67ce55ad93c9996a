"""Games of a population among itself: each individual plays as many games from the first seat as from the second.

Source: M. Sipper, "Evolved to Win" (2011), section 3.2.8, algorithm 3.2: each individual plays black in a number of
games against random others, which are chosen so that it plays white in exactly as many.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array, lax

from jaxgp import arrays
from jaxgp.contracts import Game, Plans, Player
from jaxgp.players import ply

State = Any


@struct.dataclass
class Pairs:
    """Who meets whom in P * N games. Row p holds the games in which individual p has the first seat."""

    second: Array  # int32[P, N]: who is in the second seat
    first: Array  # int32[P, N]: who is in the first seat of the n-th game of each from the second seat


@struct.dataclass
class Coplayed:
    """The ended games [P, N]."""

    states: State  # [P, N]
    plies: Array  # int32[P, N]


def draw(key: Array, population: int, games: int) -> Pairs:
    """Draw opponents, uniformly among the others, so that each individual has `games` games from each seat.

    The population is put into a random circular order. In each round every individual meets the one k places further
    on. The offset k is drawn without replacement from 1 to P - 1; after P - 1 rounds a new order begins. So no
    individual plays itself, or plays another twice from one seat before it has played all others.

    Args:
        key: typed key[].
        population: P, at least 2.
        games: N.
    """
    rounds = -(-games // (population - 1))
    order_keys, step_keys = jax.random.split(key, 2 * rounds).reshape(2, rounds)
    orders = jax.vmap(lambda k: jax.random.permutation(k, population))(order_keys)
    steps = jax.vmap(lambda k: 1 + jax.random.permutation(k, population - 1))(step_keys)

    def shifted(order: Array, step: Array) -> Array:
        return jnp.zeros(population, jnp.int32).at[order].set(jnp.roll(order, -step).astype(jnp.int32))

    second = jax.vmap(jax.vmap(shifted, (None, 0)))(orders, steps).reshape(-1, population)[:games].T
    first = jnp.argsort(second, axis=0).astype(jnp.int32)
    return Pairs(second, first)


def play(
    key: Array,
    game: Game,
    player: Player[Plans],
    plans: Plans,
    pairs: Pairs,
    max_plies: int,
    opening: int = 0,
    entered: Array | None = None,
    paired: bool = False,
) -> Coplayed:
    """Play all games to their ends. In one step an individual moves in all of its games that wait for it: one move, or
    as many of its turn as it knows.

    Similar players without chance play the same game again and again, and the seat decides it. Random opening moves
    make their games differ.

    Args:
        key: typed key[]; of drawn openings, of chance in the game, of random players and random moves.
        game: the rules.
        player: how an individual plays; an illegal move forfeits the game.
        plans: of the P individuals, from `player.prepare`.
        pairs: who meets whom.
        max_plies: games are stopped here and scored as they stand.
        opening: plies at the beginning of each game that are random moves, uniform among the legal ones.
        entered: bool[P], who plays; the games in the rows of the others are not begun. None: all play.
        paired: whether the n-th game of a row and the n-th game of the row of its second seat have the same chance, by
            turns, as in `jaxgp.fitness.matches.play`, and draw their opening moves alike; `pairs` must then be a
            perfect matching.
    """
    shape = pairs.second.shape
    twins = jnp.minimum(pairs.second, jnp.arange(shape[0])[:, None]), jnp.arange(shape[1])[None]
    columns = jax.vmap(lambda column, at: column[at], (1, 1), 1)  # the same games in other rows
    # By seat: the index that gathers games from the rows of that seat's players into the rows of their rivals.
    across = jnp.stack([pairs.first, pairs.second])
    # Keys move with their games if anything is drawn; otherwise no keys are carried.
    chancy = game.chance or player.random
    chance_keys = jax.random.split(jax.random.fold_in(key, max_plies + 1), shape)
    chance_keys = chance_keys[twins] if paired else chance_keys

    def going(states: State, plies: Array) -> Array:
        return ply.going(states, plies, max_plies)

    def after(states: State, action: Array, legal: Array, plies: Array, keys: Array) -> State:
        """Return games [B] after actions."""
        moments = ply.moments(game, states, plies) if paired else plies
        return jax.vmap(partial(ply.after, game))(states, action, legal, keys, moments)

    def turn(games: tuple[State, Array, Array | None, Array]) -> tuple[State, Array, Array | None, Array]:
        """Move for the owners of the rows where it is their turn, then gather the games into their rivals' rows.

        Both seats share this piece of program, since a player may take long to compile.
        """
        states, plies, own, seat = games
        keys = chance_keys if own is None else own
        mine = going(states, plies) & (states.to_move == seat)
        bits = jax.vmap(jax.vmap(ply.bits))(keys, plies) if player.random else jnp.zeros(shape, jnp.uint32)
        moves, legal = player.act(plans, states, bits, mine)

        def move(
            games: tuple[State, Array], given: tuple[Array, Array], action: Array, now: Array
        ) -> tuple[State, Array]:
            (states, plies), (keys, legal) = games, given
            now &= going(states, plies)
            return arrays.where(now, after(states, action, legal, plies, keys), states), plies + now

        moved = *ply.turn(move, (states, plies), (keys, legal), moves, mine), own
        states, plies, own = jax.tree.map(lambda x: columns(x, across[seat]), moved)
        return states, plies, own, 1 - seat

    def drawn(number: Array) -> Array:
        bits = jax.random.bits(jax.random.fold_in(key, number), shape)
        return bits[twins] if paired else bits

    def opened(states: State, action: Array, plies: Array) -> State:
        return jax.vmap(after)(states, action, jnp.ones(shape, bool), plies, chance_keys)

    keys = jax.random.split(key, shape)
    keys = keys[twins] if paired else keys
    begun = jnp.zeros(shape, jnp.int32)
    if entered is not None:
        begun = jnp.where(entered[:, None], begun, max_plies)
    start = jax.vmap(jax.vmap(game.init))(keys), begun
    begun_games = ply.open_games(game, start, opening, drawn, opened, max_plies)
    # The loop ends with the games in the rows of the first seat.
    done = lax.while_loop(
        lambda g: going(*g[:2]).any() | (g[3] == 1), turn, (*begun_games, chance_keys if chancy else None, jnp.int32(0))
    )
    return Coplayed(*done[:2])


def totals(pairs: Pairs, points: Array) -> Array:
    """Return float32[P, 2]: the points of each individual from each seat, added up.

    Sums of halves and quarters are exact, as means are not. So individuals that are alike stay so, on every device.

    Args:
        pairs: who met whom.
        points: float32[P, N, 2], of the ended games by seat: 1 for a win, 1/2, 0.
    """
    by_second = jax.vmap(lambda column, at: column[at], (1, 1), 1)(points[..., 1], pairs.first)
    return jnp.stack([points[..., 0].sum(1), by_second.sum(1)], 1)
