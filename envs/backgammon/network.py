"""A neural network that values positions of backgammon, and the player that plays by it.

Source: G. Tesauro, "Temporal difference learning and TD-Gammon", Communications of the ACM 38 (1995): one layer of
hidden units, learned from games against itself (`scripts/studies/backgammon_learn.py`). The inputs are the 198 of
TD-Gammon without the two that say whose turn it is: a position is always seen by the side that has just played, and
the other side is to roll. These are, for each side and each of its points, four units for the men there; and for each
side one unit for its men on the bar, and one for those borne off.

The network has three outputs, probabilities of the side that has played: that it wins, that it wins a gammon, and that
it loses one. A backgammon counts as a gammon. The value of a position is the points that follow from these; a game
that has ended has its exact points.

The weights are in `network.csv`: a row for each hidden unit, and then one for each output. The last number of a row is
its bias.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen
from jax import Array

from envs.backgammon import many
from envs.backgammon.rules import BAR, HOME, OFF, Backgammon, State
from jaxgp import reading
from jaxgp.errors import UsageError, reason, reject

WEIGHTS = Path(__file__).with_name("network.csv")
LARGEST = 2**20
"""Bytes of the largest file of weights that is read."""
MEN = 15
"""The men that its numbers are made for."""
UNITS = 4
"""Inputs for each point and side."""
INPUTS = 2 * (UNITS * (BAR - 1) + 2)
OUTPUTS = 3
WIN, GAMMON, LOST_GAMMON = range(OUTPUTS)
DIGITS = 5
"""Significant digits of the weights in a file."""
Weights = Mapping[str, Any]
"""Two layers, `hidden` and `output`, of a `kernel`, float32[inputs, outputs], and a `bias`, float32[outputs], each."""


class Network(linen.Module):
    """One layer of hidden units; all units are sigmoids.

    Attributes:
        hidden: how many hidden units.
    """

    hidden: int

    @linen.compact
    def __call__(self, inputs: Array) -> Array:
        """Return float32[..., 3], the probabilities, from float32[..., 196], the inputs."""
        units = linen.sigmoid(linen.Dense(self.hidden, name="hidden")(inputs))
        return linen.sigmoid(linen.Dense(OUTPUTS, name="output")(units))


def first_weights(key: Array, hidden: int) -> Weights:
    """Draw the weights that learning begins with."""
    drawn: Weights = Network(hidden).init(key, jnp.zeros(INPUTS))["params"]
    return drawn


def outputs(weights: Weights, inputs: Array) -> Array:
    """Return float32[..., 3], the probabilities, from float32[..., 196], the inputs."""
    found: Any = Network(weights["hidden"]["bias"].shape[0]).apply({"params": weights}, inputs)
    return found


def encode(own: Array, other: Array) -> Array:
    """Return float32[..., 196], the inputs: 98 of the side that has played, then 98 of the other side.

    Args:
        own: int8[..., 26], the men of the side that has played, by its points.
        other: int8[..., 26], those of the other side, by the other side's points.
    """
    return jnp.concatenate([_side(own), _side(other)], -1)


def _side(men: Array) -> Array:
    """Return float32[..., 98]: of the points 1 to 24, whether there are at least one, two and three men, and half of
    the men beyond three; then half of the men on the bar, and a fifteenth of those borne off.
    """
    points = men[..., OFF + 1 : BAR, None]
    units = jnp.concatenate([points >= 1, points >= 2, points >= 3, jnp.maximum(points - 3, 0) / 2], -1)
    rest = jnp.stack([men[..., BAR] / 2, men[..., OFF] / MEN], -1)
    flat = units.reshape(*men.shape[:-1], UNITS * (BAR - 1))
    return jnp.concatenate([flat, rest], -1).astype(jnp.float32)


def result(own: Array, other: Array) -> Array:
    """Return float32[..., 3]: the outputs of a game that the side that has played has won; `encode` has the shapes."""
    gammon = (other[..., OFF] == 0).astype(jnp.float32)
    return jnp.stack([jnp.ones_like(gammon), gammon, jnp.zeros_like(gammon)], -1)


def points(own: Array, other: Array) -> Array:
    """Return float32[...]: the points of a game that the side that has played has won; `encode` has the shapes."""
    behind = (other[..., BAR - HOME :] > 0).any(-1)
    return jnp.where(other[..., OFF] > 0, 1.0, jnp.where(behind, 3.0, 2.0))


def value(game: Backgammon, weights: Weights, own: Array, other: Array) -> Array:
    """Return float32[...]: the points that the side that has played expects; `encode` has the shapes."""
    found = outputs(weights, encode(own, other))
    expected, won = 2 * found[..., WIN] - 1, jnp.float32(1)
    if game.gammons:
        expected += found[..., GAMMON] - found[..., LOST_GAMMON]
        won = points(own, other)
    return jnp.where(own[..., OFF] == MEN, won, expected)


def make_valuer(game: Backgammon, weights: Weights) -> many.Value:
    """Return what values the positions after turns for `envs.backgammon.many`."""
    return lambda lanes, men, needed: value(game, weights, *men)


@dataclass(frozen=True)
class NetworkPlayer(many.BestTurns):
    """Plays the turn that the network values the highest."""

    def turns(self, states: State, bits: Array, active: Array) -> Array:
        """Return int32[N, 4], the moves of whole turns in many games; see `jaxgp.spec.ChoosesTurns`."""
        del bits
        weights = jax.tree.map(jnp.asarray, read_learned())
        return many.best_moves(self.game, states, active, make_valuer(self.game, weights), random=False)

    def judge(self, state: State, own: Array, other: Array) -> Array:
        """Return float32[]: the expected points of the side that just moved; both boards are int8[26]."""
        del state
        return value(self.game, jax.tree.map(jnp.asarray, read_learned()), own, other)


def player(game: Backgammon) -> NetworkPlayer:
    """Return the player with the learned weights; raises UsageError for rules that they are not made for."""
    if game.men != MEN:
        reject("game.variant", game.variant, "standard; network plays with 15 men")
    read_learned()
    return NetworkPlayer(game)


@cache
def read_learned() -> Weights:
    """Read the learned weights, once."""
    return read(WEIGHTS)


def read(path: Path) -> Weights:
    """Read weights; raises UsageError for a file that has none, which says what is wrong with it."""
    try:
        return parse(reading.read_text(path, LARGEST))
    except (OSError, ValueError) as error:
        said = reason(error) if isinstance(error, OSError) else str(error)
        raise UsageError(f"{path}: no weights of a network ({said})") from error


def parse(text: str) -> Weights:
    """Return the weights that text holds; raises ValueError."""
    rows = [line.split(",") for line in text.splitlines()]
    hidden = len(rows) - OUTPUTS
    if hidden < 1:
        raise ValueError(f"{len(rows)} rows, but there are at least {OUTPUTS + 1}")
    for number, row in enumerate(rows):
        wanted = (INPUTS if number < hidden else hidden) + 1
        if len(row) != wanted:
            raise ValueError(f"row {number + 1} has {len(row)} numbers, and needs {wanted}")
    layers = [np.array(part, np.float32) for part in (rows[:hidden], rows[hidden:])]
    if not all(np.isfinite(layer).all() for layer in layers):
        raise ValueError("a number is not finite")
    return {
        name: {"kernel": layer[:, :-1].T, "bias": layer[:, -1]}
        for name, layer in zip(("hidden", "output"), layers, strict=True)
    }


def write_weights(weights: Weights) -> str:
    """Return weights as text, rounded to five significant digits."""
    rows = [
        row
        for layer in (weights["hidden"], weights["output"])
        for row in np.column_stack([np.asarray(layer["kernel"]).T, np.asarray(layer["bias"])]).tolist()
    ]
    return "".join(",".join(f"{number:.{DIGITS}g}" for number in row) + "\n" for row in rows)
