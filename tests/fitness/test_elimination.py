"""Single elimination: brackets, fitness by round, lots, and games of a pair with the same dice."""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

import envs
from jaxgp.fitness import matches
from jaxgp.fitness.among import coplay
from jaxgp.fitness.among.elimination import EliminationFitness, following, match_points, surpasses
from jaxgp.fitness.panel import PanelFitness
from jaxgp.genotypes.programs import empty
from jaxgp.players.panel import FixedPlayer, RandomOpponent

next_order = jax.jit(following)
BACKGAMMON = envs.make("backgammon")


def test_winners_of_neighbours_meet_next():
    order = np.array([3, 1, 0, 2, 7, 6, 5, 4])
    assert next_order(order, np.isin(np.arange(8), [1, 0, 6, 5]), np.int32(8)).tolist() == [1, 0, 6, 5, 3, 2, 7, 4]


def test_those_who_lost_earlier_stay_behind():
    order = np.array([1, 0, 6, 5, 3, 2, 7, 4])
    assert next_order(order, np.isin(np.arange(8), [0, 6]), np.int32(4)).tolist() == [0, 6, 1, 5, 3, 2, 7, 4]
    last = next_order(np.array([0, 6, 1, 5, 3, 2, 7, 4]), np.arange(8) == 6, np.int32(2))
    assert last.tolist() == [6, 0, 1, 5, 3, 2, 7, 4]


def test_points_of_a_match_are_those_of_both_seats():
    """Individuals 0 and 1 meet twice from each seat: row p has the games in which p has the first seat."""
    rival = np.array([[1, 1], [0, 0]])
    values = np.array([[[2, 0], [0, 1]], [[0, 3], [1, 0]]], np.float32)
    assert jax.jit(match_points)(coplay.Pairs(rival, rival), values).tolist() == [5, 2]


@struct.dataclass
class Ended:
    """Ended games, in place of states."""

    returns: jax.Array


class ByStrength(EliminationFitness):
    """The stronger individual wins every game; equal ones win one each."""

    def match(self, key, plans, rival, entered):
        both = jnp.broadcast_to(rival[:, None], (len(rival), self.games))
        first = jnp.sign(plans[:, None] - plans[both])
        states = Ended(jnp.stack([first, -first], -1))
        return coplay.Coplayed(states, jnp.ones(both.shape, jnp.int32)), coplay.Pairs(both, both)


def tournament(strengths, seeds):
    player = SimpleNamespace(prepare=lambda genomes: genomes, count=len)
    fitness = ByStrength(None, player, games=2, points="result")
    run = jax.jit(lambda key: fitness.evaluate(key, jnp.asarray(strengths, jnp.float32), ())[0])
    return [run(jax.random.key(seed)) for seed in range(seeds)]


def test_fitness_is_one_over_the_individuals_left():
    for found in tournament([3, 1, 4, 0, 5, 9, 2, 6], 8):
        assert sorted(found.fitness.tolist()) == [1 / 8] * 4 + [1 / 4] * 2 + [1 / 2, 1]
        assert int(found.fittest) == 5
        assert float(found.fitness[3]) == 1 / 8
        assert int(found.metrics["evaluations"]) == (8 + 4 + 2) * 2
        assert found.points[5].tolist() == [1, 1]
        assert found.points[3].tolist() == [0, 0]


def test_pairs_are_arbitrary_and_a_lot_decides_at_equal_points():
    found = tournament([1] * 8, 64)
    assert {int(one.fittest) for one in found} == set(range(8))
    assert all(sorted(one.fitness.tolist()) == [1 / 8] * 4 + [1 / 4] * 2 + [1 / 2, 1] for one in found)


def test_of_equal_points_the_smaller_one_wins_and_then_a_lot():
    points, size, rival = np.array([5, 5, 2, 3, 4, 4]), np.array([9, 3, 1, 7, 6, 6]), np.array([1, 0, 3, 2, 5, 4])
    for lots in (np.arange(6), np.arange(6)[::-1]):
        won = jax.jit(surpasses)((points, -size, lots), rival).tolist()
        assert won[:4] == [False, True, False, True], "the smaller one of equal points; more points before fewer nodes"
        assert won[4:] == (lots[4:] > lots[4:][::-1]).tolist()


def test_the_smallest_of_equal_programs_wins_the_tournament():
    lengths = np.array([[3], [9], [2], [5], [4], [8], [7], [6]])
    alike = empty((8, 1), 16).replace(length=jnp.asarray(lengths))
    player = SimpleNamespace(prepare=lambda genomes: jnp.ones(8), count=len)
    fitness = ByStrength(None, player, games=2, points="result", smaller=True)
    run = jax.jit(lambda key: fitness.evaluate(key, alike, ())[0])
    assert {int(run(jax.random.key(seed)).fittest) for seed in range(8)} == {2}


@pytest.fixture(scope="module")
def begun():
    """The first move against random moves, stopped after seven: pairs with the same dice, and pairs without."""
    player = FixedPlayer(lambda state, bits: jnp.argmax(BACKGAMMON.legal_actions(state)).astype(jnp.int32))
    opponents = (RandomOpponent(BACKGAMMON, games=40),)

    @jax.jit
    def play(key):
        both = []
        for paired in (True, False):
            played, _ = matches.play(key, BACKGAMMON, player, jnp.zeros(2, int), opponents, ((),), 7, paired=paired)
            both.append((played.states.rolls, played.states.luck, played.states.to_move))
        return both

    return jax.device_get(play(jax.random.key(0)))


@pytest.mark.slow
def test_games_of_a_pair_have_the_same_dice_by_turns(begun):
    (rolls, luck, to_move), (_, others, _) = begun
    same = rolls[:, :40] == rolls[:, 40:]
    assert 10 < same.sum() < 80, "moves differ, and so do the turns that seven of them make"
    np.testing.assert_array_equal((luck[:, :40] == luck[:, 40:])[same], True)
    np.testing.assert_array_equal((to_move[:, :40] == to_move[:, 40:])[same], True)
    assert not (others[:, :40] == others[:, 40:]).any()
    assert len(np.unique(luck[:, :40][rolls[:, :40] == 3])) > 10, "pairs differ from each other"


@pytest.fixture(scope="module")
def matched():
    """0 meets 2 and 1 meets 3: three random moves, then the first move, seven plies in all."""
    player = FixedPlayer(lambda state, bits: jnp.argmax(BACKGAMMON.legal_actions(state)).astype(jnp.int32))
    rival = jnp.array([2, 3, 0, 1])
    both = jnp.broadcast_to(rival[:, None], (4, 40))
    pairs, entered = coplay.Pairs(both, both), jnp.array([True, True, True, False])

    @jax.jit
    def play(key, plans, plies):
        return coplay.play(key, BACKGAMMON, player, plans, pairs, plies, 3, entered, paired=True)

    return {plies: jax.device_get(play(jax.random.key(0), jnp.zeros(4, int), plies)) for plies in (3, 7)}


@pytest.mark.thorough
def test_both_games_of_a_match_begin_with_the_same_moves_and_go_on_with_the_same_dice(matched):
    opened, later = matched[3].states, matched[7].states
    for men in (opened.own, opened.other, opened.dice):
        np.testing.assert_array_equal(men[0], men[2])
    assert len({one.tobytes() for one in opened.own[0]}) > 10, "pairs differ from each other"
    same = later.rolls[0] == later.rolls[2]
    assert same.sum() > 10
    np.testing.assert_array_equal((later.luck[0] == later.luck[2])[same], True)


def test_individuals_that_did_not_enter_begin_no_games(matched):
    assert matched[7].plies[:3].min() == 7
    assert matched[7].plies[3].tolist() == [7] * 40
    np.testing.assert_array_equal(matched[7].states.rolls[3], 0)


def test_starts_differ_where_they_are_drawn_or_made_of_random_moves():
    mancala = envs.make("mancala")
    assert [matches.ply.differ(mancala, opening) for opening in (0, 2)] == [False, True]
    assert matches.ply.differ(BACKGAMMON, 0)


def test_the_share_of_points_is_that_of_all_games_with_an_opponent():
    """Three games won by 1, 2 and 3 points and one lost by 2: a share of 6 / 8, 3 / 8 of it from each seat."""
    game = SimpleNamespace(score=lambda state: state.returns)
    opponents = (SimpleNamespace(games=2, reply=None),)
    fitness = PanelFitness(game, SimpleNamespace(act=None), opponents, (1.0,), points="share")
    won, mean = np.array([[[1, 0], [2, 0], [0, 3], [2, 0]]], np.float32), jax.jit(fitness.mean_points)
    assert mean(Ended(won)).tolist() == [[[3 / 8, 3 / 8]]]
    assert mean(Ended(won * 0)).tolist() == [[[1 / 4, 1 / 4]]]
