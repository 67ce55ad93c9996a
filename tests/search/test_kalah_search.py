"""Alpha-beta of Kalah, packed and plain, against plain minimax in Python on many positions."""

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

from envs.mancala.packed import PackedMancala
from envs.mancala.rules import Mancala
from envs.mancala.rules import State as KalahState
from jaxgp.search.alphabeta import AlphaBeta
from tests.reference import kalah
from tests.search.cases import jitted

pytestmark = pytest.mark.slow
KALAH = Mancala()
TWIN = PackedMancala(KALAH)


def random_positions(number: int, seed: int = 0) -> list[kalah.Position]:
    """Positions met in random play, some of them ended games."""
    rng = np.random.default_rng(seed)
    found: list[kalah.Position] = []
    while len(found) < number:
        position: kalah.Position = (((4,) * 6 + (0,),) * 2, 0)
        line = [position]
        while legal := kalah.moves(position):
            position = kalah.play(position, int(rng.choice(legal)))
            line.append(position)
        found += [line[i] for i in rng.choice(len(line), min(len(line), 6), replace=False)]
    return found[:number]


def as_states(positions) -> KalahState:
    boards = np.array([board[mover] + board[1 - mover] for board, mover in positions], np.int8)
    movers = np.array([mover for _, mover in positions], np.int32)
    terminated = np.array([kalah.ended(position) for position in positions])
    returns = np.sign([kalah.lead(position) for position in positions]) * terminated
    return KalahState(boards, movers, terminated, np.stack([returns, -returns], 1).astype(np.float32))


def expected(positions, depths) -> np.ndarray:
    """float32[Q, A]: minimax values of the best moves, -inf elsewhere."""
    rows = np.full((len(positions), 6), -np.inf, np.float32)
    for row, position, depth in zip(rows, positions, depths, strict=True):
        values = kalah.move_values(position, int(depth))
        for pit in values:
            if values[pit] == max(values.values()):
                row[pit] = values[pit]
    return rows


@cache
def searcher(tail, ties, packed):
    game, twin = (KALAH, TWIN) if packed else (KALAH, None)
    return jitted(AlphaBeta(game, (twin or game).lead, 5, tail=tail, lanes=64, twin=twin, ties=ties))


@pytest.mark.parametrize(
    ("tail", "ties", "packed"),
    [(1, "first", True), (1, "all", True), (2, "first", True), (2, "all", True), (2, "all", False), (3, "all", True)],
)
def test_equals_plain_minimax_on_a_thousand_positions(tail, ties, packed):
    positions = random_positions(1000, seed=7)
    states = as_states(positions)
    for depth in range(tail, 6):
        result = searcher(tail, ties, packed)(states, jnp.full(1000, depth, jnp.int32), jnp.int32(1000))
        want, values = expected(positions, [depth] * 1000), np.asarray(result.values)
        if ties == "all":
            np.testing.assert_array_equal(values, want)
        else:
            np.testing.assert_array_equal(values.argmax(1), want.argmax(1))
            np.testing.assert_array_equal(values.max(1), want.max(1))
            assert (np.isneginf(values) | (values == want)).all()
