"""Own play against known replies: who wins, who comes near, and what is seen of positions that look alike."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.fitness.taught.own_play import OwnPlay, look
from jaxgp.players.taught import DecisionProcess, Learns

LEFT, AHEAD, LOSE = 0, 1, 2
"""What moves of the line show: one step back, one step to the end, a failure."""


class Ranks(Learns):
    """Individuals [P, 3] give a value to each of the three things that moves show."""

    primitives = SimpleNamespace(num_trees=1)

    def prepare(self, genomes):
        return genomes

    def looks(self, states, outcomes):
        return jax.nn.one_hot(outcomes, 3).T, jnp.zeros(len(states), jnp.int32)

    def judge(self, plans, seen, tree):
        return plans @ seen

    def values(self, plans, states, outcomes, wanted):
        raise NotImplementedError


@pytest.fixture(scope="module")
def line():
    """Four places in a line, each with three outcomes of its own; the end lies beyond the last of them."""
    place, shown = np.divmod(np.arange(12), 3)
    goes = np.where(shown == LEFT, place - 1, place + 1)
    replies = np.where((shown == LOSE) | (goes > 3), -1, goes)[:, None]
    moves = np.arange(12).reshape(4, 3)
    moves[0, LEFT] = -1
    won = (shown == AHEAD) & (place == 3)
    return DecisionProcess(
        np.zeros(12),
        shown,
        moves,
        replies,
        won,
        np.array([4, 3, 2, 1]),
        np.array([True, True, False, False]),
        np.zeros(4, bool),
    )


def of(line, **options):
    return OwnPlay(Ranks(), line, look(Ranks(), line), **{"games": 64, "moves": 4, "nearness": 0.0} | options)


PLAYERS = jnp.array([[0.0, 1, 0], [1, 0, -1], [0, -1, 1], [0, 0, -1]])
"""To the end; back, and ahead only where there is no way back; to failure; to either side by lot."""


def test_outcomes_that_look_alike_are_valued_once(line):
    seen = look(Ranks(), line)
    assert seen.features.shape == (3, 3)
    assert (seen.features[:, seen.number[line.moves[2]]].argmax(0) == [LEFT, AHEAD, LOSE]).all()


def test_games_count_that_are_won_in_time(line):
    fitness = of(line)
    found, _ = jax.jit(fitness.evaluate)(jax.random.key(0), PLAYERS, fitness.init(jax.random.key(1)))
    always, never, lost, lots = np.asarray(found.fitness)
    assert (always, never, lost) == (1, 0, 0)
    assert 0 < lots < 0.5
    short, _ = jax.jit(of(line, moves=3).measure)(jax.random.key(0), PLAYERS, np.zeros(64, np.int32))
    assert short.fitness[0] == 0


def test_who_comes_nearer_is_fitter_among_those_who_do_not_win(line):
    fitness = of(line, nearness=1.0, moves=2)
    found, _ = jax.jit(fitness.measure)(jax.random.key(0), PLAYERS, np.zeros(64, np.int32))
    assert found.fitness[0] == pytest.approx((2 / 5 + 3 / 5) / 2)
    assert found.fitness[1] == pytest.approx((2 / 5 + 1 / 5) / 2)
    assert found.fitness[2] == 0


@pytest.mark.thorough
def test_a_referee_keeps_its_starts_and_a_generation_draws_them(line):
    fitness = of(line, nearness=1.0, games=8)
    starts = fitness.init(jax.random.key(3))
    assert set(starts.tolist()) == {0, 1}
    first, second = (fitness.measure(jax.random.key(n), PLAYERS[:3], starts)[0].fitness for n in range(2))
    assert first.tolist() == second.tolist()
    drawn = [float(fitness.evaluate(jax.random.key(n), PLAYERS[:3], starts)[0].fitness[0]) for n in range(8)]
    assert len(set(drawn)) > 1
