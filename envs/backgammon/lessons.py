"""Decisions of backgammon, judged by a strategy that values positions.

The strategy plays itself, and now and then a random man, so that positions come up that it would avoid. Turns of these
games are drawn at random. Left out are turns without a choice, and those with more than `WIDTH` positions to choose
from, some of the doubles.
"""

from collections.abc import Callable
from functools import partial
from typing import Protocol

import jax
import jax.numpy as jnp
from jax import Array, lax

from envs.backgammon import gnubg, network, whole
from envs.backgammon.rules import Backgammon, State
from jaxgp.arrays import take, where
from jaxgp.bits import pick
from jaxgp.contracts import Lessons

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
TOGETHER = 64
"""Turns whose positions are listed together."""


class Judge(Protocol):
    """A strategy that plays by values of positions."""

    def together(self, states: State, bits: Array, active: Array) -> Array: ...

    def judge(self, state: State, own: Array, other: Array) -> Array:
        """Return float32[]: the value of a position, int8[26] twice, after a turn from `state`, for who has played."""


def lessons(game: Backgammon, teacher: str | None) -> Callable[[Array, int], Lessons]:
    """Return (key, count) -> lessons of a teacher.

    Raises:
        UsageError: rules that it is not made for, or a program that is not installed.
    """
    assert teacher in (None, *TEACHERS)
    player = network.player(game)
    return partial(teach, game, gnubg.judge(game, player) if teacher == "gnubg" else player)


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
        own, other = jax.vmap(lambda place: whole.played(state, whole.nth_turn(turns, place % turns.total)))(places)
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
