"""Searches by proof numbers on problems of chess: hand positions, and the nodes of plain C++."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.mate import suites
from envs.mate.rules import Mate
from jaxgp.search.proofs.numbers import METHODS, ProofNumbers
from rivals.plain import mate as plain
from tests.envs.replays import FAST

GAME = Mate()
HAND = [
    ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", 1, True),
    ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2, True),  # a quiet key
    ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 1, False),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, True),  # a rook is given
    ("2Q5/k2K4/8/8/8/8/8/8 w - -", 1, False),  # stalemate alone
    ("8/8/8/8/8/8/8/K6k w - - 0 1", 2, False),  # nothing can mate
]
LIMIT = 4000


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_searches_in_lanes_make_as_many_moves_as_plain_ones(method):
    lengths = {1: 60, 2: 60, 3: 12}
    own = [row[:2] for n, most in lengths.items() for row in [row for row in suites.shipped() if row[1] == n][:most]]
    posed = [*[row[:2] for row in HAND], *own]
    search = ProofNumbers(GAME, method, deepest=3, entries=4096)
    run = jax.jit(search.search, compiler_options=FAST)
    found = jax.device_get(run(GAME.positions(posed), jnp.full(len(posed), LIMIT)))
    assert found.solved[: len(HAND)].tolist() == [row[2] for row in HAND]
    assert (found.refuted == ~found.solved & ~found.truncated).all()
    wanted = plain.count(method, posed, LIMIT)
    np.testing.assert_array_equal(found.nodes, [one.nodes for one in wanted])
    np.testing.assert_array_equal(found.distinct, [one.distinct for one in wanted])
    np.testing.assert_array_equal(found.truncated, [one.cut for one in wanted])
    np.testing.assert_array_equal(found.solved, [one.moves > 0 for one in wanted])
