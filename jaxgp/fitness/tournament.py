"""Tournaments of disjoint groups: each individual plays a double game against every other one of its group.

After "Walls" (COEN 352, Concordia University, final project, 2016): "every strategy plays a double-game against every
other strategy. [...] A double-game are two walls games, but with each player starting one of the two games." A win
gives 2 points, a draw 1 to each player.

All games of all groups are one batch, [g - 1, g, G]: game (k, a, n) is that of group n in which member a moves next,
against the member k + 1 places after it. After each move the games are put into the order of the other players, a
permutation of whole rows of groups. Rows are long, so a CPU's vector instructions compare eight games of a row at once.
Going on with fewer games once most have ended was not faster: a narrow batch costs as many small loops as a wide one.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.arrays import in_chunks
from jaxgp.contracts import Game, Packs
from jaxgp.genotypes.rulelists import RuleLists
from jaxgp.interpreter.rules import Masks
from jaxgp.players import ply
from jaxgp.players.rules import RulePlayer

Tree = TypeVar("Tree")
Words = Any
"""States of games [*B], packed if the game can."""

WIN, DRAW = 2, 1
"""Points of a game."""


@struct.dataclass
class Tournament:
    """Results of the double games of a population."""

    points: Array  # int32[P]: from 0 to 4 (g - 1)
    plies: Array  # int32[]: moves made in all games
    games: Array  # int32[]: games played


@struct.dataclass
class GroupGames:
    """Games of all groups, each field [g - 1, g, G]."""

    words: Words
    plies: Array  # int32: moves made
    keys: Array | None  # key of each game; None in a game without chance
    mover: Array  # int32[]: the seat whose players' order the games are in: those who begin (0) or their rivals (1)


def round_robin(
    key: Array,
    game: Game,
    player: RulePlayer,
    population: RuleLists,
    size: int,
    max_plies: int,
    chunk: int | None = None,
) -> Tournament:
    """Play every double game of every group.

    Args:
        key: typed key[]; of drawn openings, and of chance in the game.
        game: the rules.
        player: how a rule list plays; an illegal choice forfeits the game.
        population: rule lists [P]; the first `size` are a group, the next another, and so on.
        size: g, which divides P.
        max_plies: games are stopped here; one that is stopped is a draw.
        chunk: individuals whose groups play at a time, at most, but a group at least; None: all. The result is the
            same.

    Returns:
        The points of each individual, and the numbers of plies and games.
    """
    shape = jax.tree.leaves(population)[0].shape[0], size - 1
    keys = jax.random.split(key, shape), jax.random.split(jax.random.fold_in(key, max_plies + 1), shape)
    by_group = jax.tree.map(lambda x: x.reshape(-1, size, *x.shape[1:]), (*keys, population))

    def play(plies: Array, part: tuple[Array, Array, RuleLists]) -> tuple[Array, Array]:
        found = _round_robin(game, player, max_plies, *part)
        return plies + found[0], found[1]

    plies, points = in_chunks(play, jnp.int32(0), by_group, chunk and max(1, chunk // size))
    return Tournament(points.ravel(), plies, jnp.int32(np.prod(shape)))


def _round_robin(
    game: Game, player: RulePlayer, max_plies: int, keys: Array, chance_keys: Array, lists: RuleLists
) -> tuple[Array, Array]:
    """Play every double game of G groups.

    Args:
        game: the rules.
        player: how a rule list plays.
        max_plies: see `round_robin`.
        keys: key[G, g, g - 1], of drawn openings.
        chance_keys: key[G, g, g - 1], of chance in the game.
        lists: rule lists [G, g].

    Returns:
        int32[], the plies, and int32[G, g], the points.
    """
    groups, size, rivals = keys.shape
    pack, unpack = (game.pack, game.unpack) if isinstance(game, Packs) else (_same, _same)

    def by_member(x: Array) -> Array:
        return x.swapaxes(0, 1)

    def going(words: Words, plies: Array) -> Array:
        return ply.going(unpack(words), plies, max_plies)

    def move(plans: Masks, games: GroupGames) -> GroupGames:
        """Move for the players whose order the games are in, where it is their turn; then change to their rivals."""

        def look(words: Words, plies: Array) -> tuple[tuple[Array, ...], Array]:
            state = unpack(words)
            return player.look(state), going(words, plies) & (state.to_move == games.mover)

        def after(words: Words, plies: Array, action: Array, turn: Array, key: Array) -> tuple[Words, Array]:
            state = unpack(words)
            legal = (player.legal(state) & (jnp.arange(game.num_actions) == action)).any()
            moved = ply.after(game, state, action, legal, key, plies)
            return jax.tree.map(partial(jnp.where, turn), pack(moved), words), plies + turn

        seen, turn = _each(look, games.words, games.plies)
        lanes = jax.tree.map(lambda x: x.reshape(rivals, -1), (seen, turn))
        action = player.choose(plans, *lanes).reshape(turn.shape)
        drawn = by_chance if games.keys is None else games.keys
        moved = _each(after, games.words, games.plies, action, turn, drawn)
        words, plies, kept = _to_rivals((*moved, games.keys))
        return GroupGames(words, plies, kept, 1 - games.mover)

    def unfinished(games: GroupGames) -> Array:
        return _each(going, games.words, games.plies).any()

    def by_rival(keys: Array) -> Array:
        return jnp.moveaxis(by_member(keys), 2, 0)

    by_chance = by_rival(chance_keys)
    games = GroupGames(
        jax.tree.map(lambda x: jnp.moveaxis(x, 2, 0), _each(lambda key: pack(game.init(key)), by_member(keys))),
        jnp.zeros((rivals, size, groups), jnp.int32),
        by_chance if game.chance else None,
        jnp.int32(0),
    )
    plans = player.prepare(jax.tree.map(lambda x: by_member(x).reshape(-1, *x.shape[2:]), lists))
    games = lax.while_loop(unfinished, partial(move, plans), games)
    returns = _each(lambda words: unpack(words).returns, games.words)
    points = (jnp.sign(returns) * (WIN - DRAW) + DRAW).astype(jnp.int32)  # [..., 2], 0 for a loss
    own, rival = points[..., games.mover], points[..., 1 - games.mover]
    total = (own + _to_rivals(rival)).sum(0)  # [g, G]
    return games.plies.sum(dtype=jnp.int32), total.T


def _same(state: Tree) -> Tree:
    return state


def _each(function: Callable[..., Tree], *games: object) -> Tree:
    """Map a function of one game over games [g - 1, g, G]."""
    shape = jax.tree.leaves(games)[0].shape[:3]
    found = jax.vmap(function)(*jax.tree.map(lambda x: x.reshape(-1, *x.shape[3:]), games))
    return jax.tree.map(lambda x: x.reshape(*shape, *x.shape[1:]), found)


def _to_rivals(games: Tree) -> Tree:
    """Permute games [g - 1, g, G] from the order of one seat's players to that of their rivals; its own inverse.

    Game (k, a) of a group is that of member a against member a + k + 1, which is (g - 2 - k, a + k + 1) for the latter.
    """
    rivals, size = jax.tree.leaves(games)[0].shape[:2]
    rival, member = np.divmod(np.arange(rivals * size), size)
    origin = (rivals - 1 - rival) * size + (member - rivals + rival) % size
    return jax.tree.map(lambda x: x.reshape(rivals * size, -1)[origin].reshape(x.shape), games)
