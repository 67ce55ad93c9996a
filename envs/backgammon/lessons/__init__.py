"""Decisions of backgammon, judged by a strategy that values positions.

The strategy plays itself, and now and then a random man, so that positions come up that it would avoid. Turns of these
games are drawn at random. Left out are turns without a choice, and those with more than `WIDTH` positions to choose
from, some of the doubles.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.backgammon import network, whole
from envs.backgammon.network import MEN, NetworkPlayer, points
from envs.backgammon.rules import OFF, Backgammon, State
from jaxgp.arrays import take, where
from jaxgp.bits import pick
from jaxgp.errors import reject
from jaxgp.players.taught import Lessons

TEACHERS = ("network", "gnubg")
"""Who judges decisions, the default first."""
WIDTH = 64
"""The most positions that a lesson offers."""
GAMES = 256
"""Games that are played side by side."""
PLIES = 400
"""Plies of each place for games, at least; a new game begins where one has ended."""
CHANCE = 0.1
"""How often a man is moved at random."""
LOOK_AHEAD = 0
"""Plies that GNU Backgammon looks ahead."""
TOGETHER = 64
"""Turns whose positions are listed together."""


class Judge(Protocol):
    """A strategy that plays by values of positions."""

    def together(self, states: State, bits: Array, active: Array) -> Array: ...

    def judge(self, state: State, own: Array, other: Array) -> Array:
        """Return float32[]: the value for the side that just moved, after a turn from `state`; boards are int8[26]."""


def lessons(game: Backgammon, teacher: str | None) -> Callable[[Array, int], Lessons]:
    """Return (key, count) -> lessons of a teacher.

    Raises:
        UsageError: rules that it is not made for, or a program that is not installed.
    """
    assert teacher in (None, *TEACHERS)
    player = network.player(game)
    return partial(teach, game, gnubg(game, player) if teacher == "gnubg" else player)


def teach(game: Backgammon, judge: Judge, key: Array, count: int) -> Lessons:
    """Return `count` lessons: states at the beginning of a turn, the men of both sides after it, and their values.

    Args:
        game: the rules.
        judge: plays, and values positions.
        key: typed key[], of the games and of the drawing.
        count: N.

    Returns:
        Lessons [N], of up to `WIDTH` turns each.
    """
    play_key, draw_key = jax.random.split(key)
    plies = max(PLIES, -(-8 * count // GAMES))
    met = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), games(game, judge, play_key, plies))
    whole_turn = jnp.where(met.dice[:, 0] == met.dice[:, 1], met.left[:, 0] == 4, (met.left == 1).all(-1))
    begins = whole_turn & (met.moves != 0).any(-1) & ~met.terminated
    # In a random order, those at the beginning of a turn first; of these twice as many as are wanted.
    order = jnp.argsort(jnp.where(begins, jax.random.uniform(draw_key, begins.shape), 2.0))[: 2 * count]
    some = take(met, order)
    totals = lax.map(lambda state: whole.whole_turns(game, state).total, some, batch_size=TOGETHER)
    usable = begins[order] & (totals > 1) & (totals <= WIDTH)
    kept = take(some, jnp.argsort(~usable, stable=True)[:count])

    def lesson(state: State) -> Lessons:
        turns = whole.whole_turns(game, state)
        places = jnp.arange(WIDTH, dtype=jnp.int32)
        # Places that there are not repeat those that there are.
        own, other = jax.vmap(lambda place: whole.play_turn(state, whole.nth_turn(turns, place % turns.total)))(places)
        values = jax.vmap(judge.judge, (None, 0, 0))(state, own, other)
        return Lessons(state, (own, other), jnp.where(places < turns.total, values, -jnp.inf))

    found: Lessons = lax.map(lesson, kept, batch_size=TOGETHER)
    return found


def games(game: Backgammon, judge: Judge, key: Array, plies: int) -> State:
    """Return states [plies, GAMES], met while a strategy plays itself, and some men are moved at random."""

    def ply(states: State, key: Array) -> tuple[State, State]:
        luck, bits_key, roll_key, new_key = jax.random.split(key, 4)
        bits = jax.random.bits(bits_key, (GAMES,))
        best = judge.together(states, bits, jnp.ones(GAMES, bool))
        random = pick(jax.vmap(game.legal_actions)(states), bits)
        action = jnp.where(jax.random.uniform(luck, (GAMES,)) < CHANCE, random, best)
        after = jax.vmap(game.step)(states, action, jax.random.split(roll_key, GAMES))
        fresh = jax.vmap(game.init)(jax.random.split(new_key, GAMES))
        return where(after.terminated, fresh, after), states

    first_key, rest = jax.random.split(key)
    first = jax.vmap(game.init)(jax.random.split(first_key, GAMES))
    met: State = lax.scan(ply, first, jax.random.split(rest, plies))[1]
    return met


@dataclass(frozen=True)
class Gnubg:
    """Positions of games that a network plays, judged by the networks of GNU Backgammon, without look-ahead.

    The package `gnubg-nn` has them. It runs on the host, so it judges positions here, and plays no games on a device.

    Attributes:
        game: the rules.
        player: plays the games.
    """

    game: Backgammon
    player: NetworkPlayer

    def together(self, states: State, bits: Array, active: Array) -> Array:
        """Return int32[N], the next moves of the network in many games at once."""
        return self.player.together(states, bits, active)

    def judge(self, state: State, own: Array, other: Array) -> Array:
        """Return float32[]: the expected points of the side that just moved; both boards are int8[26]."""
        del state
        shape = jax.ShapeDtypeStruct((), jnp.float32)
        expected = jax.pure_callback(
            lambda a, b: equities(a, b, self.game.gammons), shape, own, other, vmap_method="broadcast_all"
        )
        won = points(own, other) if self.game.gammons else jnp.float32(1)
        return jnp.where(own[OFF] == MEN, won, expected)


def equities(own: np.ndarray, other: np.ndarray, gammons: bool) -> np.ndarray:
    """Return float32[...]: the points that the side expects that has played; 0 where it has borne off all men.

    Args:
        own: int8[..., 26], the men of the side that has played, by its points; 0 is off, 25 the bar.
        other: int8[..., 26], those of the other side, which is to roll.
        gammons: whether gammons and backgammons count more than other wins.
    """
    import gnubg_nn

    shape = np.shape(own)[:-1]
    sides = [np.asarray(side).reshape(-1, side.shape[-1]) for side in (own, other)]
    found = np.zeros(len(sides[0]), np.float32)
    for number in np.flatnonzero(sides[0][:, OFF] < MEN):
        # The board is seen by the side to roll: first the men of the other one.
        board = [side[number, OFF + 1 :].tolist() for side in sides]
        win, gammon, backgammon, lost_gammon, lost_backgammon = gnubg_nn.probabilities(board, LOOK_AHEAD)
        theirs = 2 * win - 1
        if gammons:
            theirs += gammon + backgammon - lost_gammon - lost_backgammon
        found[number] = -theirs
    return found.reshape(shape)


def gnubg(game: Backgammon, player: NetworkPlayer) -> Gnubg:
    """Return the judge; raises UsageError where the package is not installed."""
    if find_spec("gnubg_nn") is None:
        needed = "network; gnubg needs a package: pip install 'jaxgp[gnubg]'"
        reject("fitness.teacher", "gnubg", needed)
    return Gnubg(game, player)
