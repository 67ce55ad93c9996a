"""One ply in every loop on the device: which games go on, how random bits are drawn, what an illegal move costs.

The loops differ in how they lay games out, for measured reasons; the rule is written here once. A game has a key of its
own. Ply `n` of it draws its random bits from `fold_in(key, n)`, and chance after that ply draws from a child of this.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxgp import arrays
from jaxgp.bits import pick
from jaxgp.contracts import Game, ListsMoves, RollsByTurn, State, States
from jaxgp.search.chance import unused_key

Batch = TypeVar("Batch")
CHANCE = 1
"""Number of the child of a ply's key from which chance after the ply is drawn."""


def going(states: States, plies: Array, max_plies: int) -> Array:
    """Return bool[*B]: which of the games [*B] have neither ended nor reached the limit; `plies` is int32[*B]."""
    return ~states.terminated & (plies < max_plies)


def bits(key: Array, ply: Array) -> Array:
    """Return uint32[]: the random bits of one ply (int32[]) of the game with this key."""
    return jax.random.bits(jax.random.fold_in(key, ply), dtype=jnp.uint32)


def random_move(game: Game[State], state: State, bits: Array) -> Array:
    """Draw one of the legal moves uniformly: the n-th in ascending order, n being the remainder of the bits.

    A game that lists its moves is asked for one of the list, which takes a third of the time of making a mask of all
    moves and drawing from it.

    Args:
        game: the rules.
        state: one position; after the end any action is returned.
        bits: uint32[], uniform.

    Returns:
        int32[], the same with a list as with a mask.
    """
    if isinstance(game, ListsMoves):
        return game.choice(state, (bits % game.choices(state).astype(jnp.uint32)).astype(jnp.int32))
    return pick(game.legal_actions(state), bits)


def after(game: Game[State], state: State, action: Array, legal: Array, key: Array, ply: Array) -> State:
    """Return one game after `action` (int32[]): a step where it is `legal` (bool[]), else the game is forfeited.

    `key` is that of the game; chance after its ply number `ply` (int32[]) draws from it. Games of a pair that share
    their chance count moments instead of plies, see `moments`.
    """
    drawn = jax.random.fold_in(jax.random.fold_in(key, ply), CHANCE) if game.chance else unused_key()
    return arrays.where(legal, game.step(state, action, drawn), game.forfeit(state))


def open_games(
    game: Game[State],
    games: tuple[States, Array],
    opening: int | Array,
    draw: Callable[[Array], Array],
    move: Callable[[States, Array, Array], States],
    max_plies: int,
) -> tuple[States, Array]:
    """Begin games by random moves, uniform among the legal ones.

    Args:
        game: the rules.
        games: states [P, G] and int32[P, G], the plies of each so far.
        opening: how many moves, a whole number or int32[]; the number 0: nothing is compiled.
        draw: int32[], the number of the move -> uint32[P, G], random bits.
        move: (states, int32[P, G] legal actions, int32[P, G] plies) -> the states after them.
        max_plies: where games are stopped.
    """
    if isinstance(opening, int) and not opening:
        return games

    def by_chance(number: Array, games: tuple[States, Array]) -> tuple[States, Array]:
        states, plies = games
        playing = going(states, plies, max_plies)
        action = jax.vmap(jax.vmap(partial(random_move, game)))(states, draw(number))
        return arrays.where(playing, move(states, action, plies), states), plies + playing

    return lax.fori_loop(0, opening, by_chance, games)


def turn(one: Callable[[Batch, Array, Array], Batch], games: Batch, moves: Array, mine: Array) -> Batch:
    """Play the moves of the sides whose turn it is, one ply after the other.

    Args:
        one: (games, int32[P, G] actions, bool[P, G] which games) -> games: one ply in these games, where they go on.
        games: the games [P, G].
        moves: int32[P, G, K]; -1 after the last move of a turn. The first one is always played.
        mine: bool[P, G], in which games.
    """
    if moves.shape[-1] == 1:
        return one(games, moves[..., 0], mine)
    by_ply = jnp.moveaxis(moves, -1, 0)

    def here(number: Array) -> Array:
        return mine & ((by_ply[number] >= 0) | (number == 0))

    def next_one(carry: tuple[Array, Batch]) -> tuple[Array, Batch]:
        number, games = carry
        return number + 1, one(games, by_ply[number], here(number))

    return lax.while_loop(
        lambda carry: (carry[0] < len(by_ply)) & here(carry[0]).any(), next_one, (jnp.int32(0), games)
    )[1]


def moments(game: Game[State], states: States, plies: Array) -> Array:
    """Return int32[P, G]: the moments of the next chance in games [P, G] that share it; without turns, the plies."""
    if not isinstance(game, RollsByTurn):
        return plies
    found: Array = jax.vmap(jax.vmap(game.moment))(states)
    return found


def differ(game: Game[State], opening: int) -> bool:
    """Return whether games begin in different positions: drawn ones, instances, or after random moves (`opening`).

    Both games of a pair can share such a beginning.
    """
    return game.starts != "fixed" or opening > 0
