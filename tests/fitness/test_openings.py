"""Games against opponents that begin with random moves, on Nim with heaps of 1, 2 and 3 stones."""

from collections import Counter

import jax
import numpy as np
import pytest
from scipy import stats

from jaxgp.fitness import matches
from jaxgp.players.panel import RandomOpponent
from tests.fitness.test_matches import NIM, Lottery

GAMES, INDIVIDUALS = 100, 15
AFTER_ONE = [(0, 2, 3), (1, 1, 3), (1, 0, 3), (1, 2, 2), (1, 2, 1), (1, 2, 0)]
"""The boards after each of the six first moves."""


@pytest.fixture(scope="module")
def opened():
    """Play a number of random moves and nothing else."""
    opponents = (RandomOpponent(NIM, games=GAMES),)

    def play(opening):
        keys = matches.keys_of(jax.random.key(2), INDIVIDUALS, opponents)
        run = jax.jit(
            lambda keys: matches.play(
                keys, NIM, Lottery(), np.zeros(INDIVIDUALS), opponents, (None,), opening, opening=opening
            )[0]
        )
        return jax.device_get(run(keys))

    return {opening: play(opening) for opening in (1, 6)}


@pytest.mark.thorough
def test_first_moves_are_uniform_among_the_legal_ones(opened):
    cells = opened[1].states.cells.reshape(-1, 3)
    found = Counter(map(tuple, cells.tolist()))
    assert found.keys() == set(AFTER_ONE)
    assert stats.chisquare([found[board] for board in AFTER_ONE]).pvalue > 0.001


def test_openings_are_no_moves_of_the_individual_and_end_with_the_game(opened):
    assert not opened[6].behaviour.any()
    assert (opened[6].plies == 6).sum() < (opened[6].plies < 6).sum(), "few games take a stone at a time"
    assert opened[6].states.terminated.all()
