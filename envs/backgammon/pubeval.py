"""Pubeval, the linear evaluator that players of backgammon are compared with.

Source: G. Tesauro, "Public domain backgammon evaluator", pubeval.c, rec.games.backgammon, 1993, with its weights, which
are in the public domain (`pubeval.csv`).

It values the position after a turn, from the view of the side that has played it, with 122 numbers: five for each
point from 24 to 1, then half the men of the opponent on the bar, and a fifteenth of the own men borne off. It sees
single men of the opponent only, and not its own men on the bar. One set of weights is for contact and one for races.
Which of them counts is decided by the position before the turn.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.backgammon import many
from envs.backgammon.rules import BAR, OFF, Backgammon, State
from jaxgp.errors import reject

WEIGHTS = Path(__file__).with_name("pubeval.csv")
MEN = 15
"""The men that its numbers are made for."""
WON = 99_999_999.0
"""Its value of a position in which all own men are borne off."""
LARGE = 4
"""With at least this many men on a point, it counts them."""


@cache
def weights() -> np.ndarray:
    """Read the weights: float32[2, 122], for contact and for races."""
    return np.loadtxt(WEIGHTS, np.float32, delimiter=",", skiprows=1).T


def features(own: Array, other: Array) -> Array:
    """Return float32[122, ...], the numbers of positions after turns.

    Args:
        own: int8[26, ...], the men of the side that has played.
        other: int8[26, ...], those of the opponent, by the opponent's points.
    """
    mine = own[BAR - 1 : OFF : -1].astype(jnp.float32)
    theirs = other[OFF + 1 : BAR].astype(jnp.float32)
    many = jnp.where(mine >= LARGE, (mine - 3) / 2, 0)
    points = jnp.stack([theirs == 1, mine == 1, mine >= 2, mine == 3, many], 1).astype(jnp.float32)
    rest = jnp.stack([other[BAR] / 2, own[OFF] / MEN]).astype(jnp.float32)
    return jnp.concatenate([points.reshape(-1, *own.shape[1:]), rest])


def score(racing: Array, own: Array, other: Array) -> Array:
    """Return float32[...]: the values of positions after turns; `racing` is bool[...], of the positions before them.

    `features` has the shapes of the men. The products are added one after the other, so that a value does not depend on
    how many there are: a reduction adds in an order of its own.
    """
    seen, factors = features(own, other), jnp.asarray(weights())

    def add(n: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        return sums[0] + factors[0, n] * seen[n], sums[1] + factors[1, n] * seen[n]

    none = jnp.zeros(own.shape[1:])
    sums = lax.fori_loop(0, len(seen), add, (none, none))
    return jnp.where(own[OFF] == MEN, WON, jnp.where(racing, sums[1], sums[0]))


@dataclass(frozen=True)
class Pubeval(many.BestTurns):
    """Plays the turn that the evaluator values the highest."""

    def turns(self, states: State, bits: Array, active: Array) -> Array:
        """Return int32[N, 4], the moves of whole turns in many games; see `jaxgp.spec.ChoosesTurns`."""
        del bits

        def value(lanes: Array, men: tuple[Array, Array], needed: Array) -> Array:
            del needed
            return score(states.racing[lanes], *(side.T for side in men))

        return many.best_moves(self.game, states, active, value, random=False)


def player(game: Backgammon) -> Pubeval:
    """Return the player; raises UsageError for rules that it is not made for."""
    if game.men != MEN:
        reject("game.variant", game.variant, "standard; pubeval plays with 15 men")
    return Pubeval(game)
