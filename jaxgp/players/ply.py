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
from jaxgp.arrays import suited
from jaxgp.bits import pick
from jaxgp.contracts import Game, ListsMoves, RollsByTurn, State, States
from jaxgp.search.chance import unused_key

Batch = TypeVar("Batch")
Given = TypeVar("Given")
CHANCE = 1
"""Number of the child of a ply's key from which chance after the ply is drawn."""
TOGETHER = 256
"""Games whose turns are played together on a CPU."""


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


def turn(
    one: Callable[[Batch, Given, Array, Array], Batch], games: Batch, given: Given, moves: Array, mine: Array
) -> Batch:
    """Play the moves of the sides whose turn it is, one ply after the other.

    Where turns may have several moves, a CPU plays few games at a time, and none in which it is nobody's turn: games
    that have ended, or that wait, cost nothing.

    Args:
        one: (games [B], what they are given [B], int32[B] actions, bool[B] which games) -> games [B]: one ply in these
            games, where they go on.
        games: the games [P, G].
        given: what belongs to each game and stays as it is, such as its key, [P, G].
        moves: int32[P, G, K]; -1 after the last move of a turn. The first one is always played.
        mine: bool[P, G], in which games.
    """
    shape = mine.shape
    games, given, moves, mine = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), (games, given, moves, mine))
    count = len(mine)
    together = suited(min(TOGETHER, count), count)
    if moves.shape[-1] == 1:
        games = one(games, given, moves[:, 0], mine)
    elif together == count:
        games = _plies(one, games, given, moves, mine)
    else:

        def some(carry: tuple[Array, Batch]) -> tuple[Array, Batch]:
            todo, games = carry
            lanes = jnp.nonzero(todo, size=together, fill_value=count)[0]
            played = _plies(one, *arrays.take((games, given, moves), jnp.minimum(lanes, count - 1)), lanes < count)
            games = jax.tree.map(lambda x, new: x.at[lanes].set(new, mode="drop"), games, played)
            return todo.at[lanes].set(False, mode="drop"), games

        games = lax.while_loop(lambda carry: carry[0].any(), some, (mine, games))[1]
    return jax.tree.map(lambda x: x.reshape(*shape, *x.shape[1:]), games)


def _plies(
    one: Callable[[Batch, Given, Array, Array], Batch], games: Batch, given: Given, moves: Array, mine: Array
) -> Batch:
    """Play turns of games [B], all at once."""
    by_ply = moves.T

    def here(number: Array) -> Array:
        return mine & ((by_ply[number] >= 0) | (number == 0))

    def next_one(carry: tuple[Array, Batch]) -> tuple[Array, Batch]:
        number, games = carry
        return number + 1, one(games, given, by_ply[number], here(number))

    return lax.while_loop(
        lambda carry: (carry[0] < len(by_ply)) & here(carry[0]).any(), next_one, (jnp.int32(0), games)
    )[1]


def moments(game: Game[State], states: States, plies: Array) -> Array:
    """Return int32[B]: the moments of the next chance in games [B] that share it; without turns, the plies."""
    if not isinstance(game, RollsByTurn):
        return plies
    found: Array = jax.vmap(game.moment)(states)
    return found


def differ(game: Game[State], opening: int) -> bool:
    """Return whether games begin in different positions: drawn ones, instances, or after random moves (`opening`).

    Both games of a pair can share such a beginning.
    """
    return game.starts != "fixed" or opening > 0
