"""GNU Backgammon as a judge of positions: its neural networks, without look-ahead.

The package `gnubg-nn` has them (`pip install 'jaxgp[gnubg]'`). It runs on the host, so it judges positions here, and
plays no games on a device.
"""

from dataclasses import dataclass
from importlib.util import find_spec

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.backgammon.network import MEN, NetworkPlayer, points
from envs.backgammon.rules import OFF, Backgammon, State
from jaxgp.errors import reject

PLIES = 0
"""Look-ahead of the judge."""


@dataclass(frozen=True)
class Judge:
    """Positions of games that a network plays, judged by GNU Backgammon.

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
        """Return float32[]: the points that who has played expects, after a turn from `state`; int8[26] twice."""
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
        win, gammon, backgammon, lost_gammon, lost_backgammon = gnubg_nn.probabilities(board, PLIES)
        theirs = 2 * win - 1
        if gammons:
            theirs += gammon + backgammon - lost_gammon - lost_backgammon
        found[number] = -theirs
    return found.reshape(shape)


def judge(game: Backgammon, player: NetworkPlayer) -> Judge:
    """Return the judge; raises UsageError where the package is not installed."""
    if find_spec("gnubg_nn") is None:
        needed = "network; gnubg needs a package: pip install 'jaxgp[gnubg]'"
        reject("fitness.lessons.teacher", "gnubg", needed)
    return Judge(game, player)
