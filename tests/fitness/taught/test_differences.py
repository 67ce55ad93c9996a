"""Learning by games against oneself: what positions are to be worth, whose leaves they are, and what numbers become."""

from dataclasses import replace
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
import jaxgp
from jaxgp.errors import UsageError
from jaxgp.evolution.tuning.tuner import Tuner, by_block
from jaxgp.fitness.taught.differences import BLOCK, Differences, goals
from jaxgp.fitness.taught.options import DifferencesOptions
from jaxgp.genotypes import language as languages
from jaxgp.interpreter.evaluate import evaluate_programs
from jaxgp.interpreter.reverse.gradients import Examples, loss_and_slopes, plan_tapes
from tests.genotypes.generators import random_programs

CAPACITY = 24


@lru_cache
def cast(depth=2, **settings):
    return jaxgp.take(envs.spec("checkers"), options={"depth": depth}, **(settings or {"size": 4, "rows": 1}))


@lru_cache
def population(count=6):
    """Return random programs that value leaves of checkers, [P, 1, L]."""
    found = random_programs(3, cast().language, count, CAPACITY, smallest=9)
    return jax.tree.map(lambda x: np.asarray(x)[:, None], found)


def ten():
    """Return how individuals of ten trees play."""
    return jaxgp.take(envs.spec("checkers"), options={"trees": "ten"}, size=4, rows=1).actor


def written(of, *texts):
    found = [languages.parse(of.language, text) for text in texts]
    return jax.tree.map(lambda *x: jnp.stack([jnp.asarray(one) for one in x]), *found)


def learning(of=None, **asked):
    of = of or cast()
    return Differences(of.game, of.actor, DifferencesOptions(**{"games": 4, "plies": 24, "positions": 64, **asked}))


@lru_cache
def found(depth=2, **asked):
    """Return examples [P, K, ...] of random programs, and their values of these, float32[P, K, B]."""
    examples = jax.jit(lambda key: learning(cast(depth), **asked).examples(key, population(), None))(jax.random.key(1))
    features = by_block(examples).features  # [K, P, F, B]
    one = jax.tree.map(lambda x: x[:, 0], population())
    value = lambda program, seen: evaluate_programs(  # noqa: E731
        cast().language, jax.tree.map(lambda x: x[None], program), seen
    )[0]
    values = jax.jit(jax.vmap(jax.vmap(value), (None, 0), 1))(one, features)
    return examples, np.asarray(values)


def logistic(x):
    return 1 / (1 + np.exp(-np.clip(x.astype(float), -30, 30)))


def test_goals_mix_what_searches_and_later_plies_say_until_a_random_move():
    # One game: the second ply is a jump that goes on; after the third one a random move follows; the fourth one wins.
    chances = jnp.array([0.5, 0.4, 0.6, 0.9, 0.3])
    cut, ended = jnp.arange(5) == 2, jnp.arange(5) == 3
    turned = jnp.arange(5) != 1
    second = 0.5 * 0.4 + 0.5 * 0.6
    expected = [0.5 * 0.5 + 0.5 * (1 - second), second, 0.6, 0.5 * 0.9 + 0.5 * 1.0, 0.3]
    assert goals(chances, ended.astype(float), cut, ended, turned, 0.5) == pytest.approx(expected)


@pytest.mark.parametrize(("depth", "side"), [(2, 1.0), pytest.param(1, -1.0, marks=pytest.mark.thorough)])
def test_what_learns_is_the_leaf_that_the_search_has_found(depth, side):
    # With lambda 0 a position is to be worth what the search finds, which is what its leaf is worth already.
    examples, values = found(depth, decay=0.0)
    there = np.asarray(examples.known.rate != 0)
    assert there.sum() > 50
    says = logistic(np.asarray(examples.known.rate) * values)
    np.testing.assert_allclose(says[there], np.asarray(examples.known.goal)[there], atol=1e-5)
    assert len(np.unique(says[there].round(4))) > 10
    assert side in np.sign(np.asarray(examples.known.rate)[there])  # who moves at the leaf, after so many plies


@pytest.mark.thorough
def test_positions_themselves_are_seen_by_the_side_to_move_and_lie_above_their_leaves():
    examples, values = found(decay=0.0, learns="root")
    there = np.asarray(examples.known.rate != 0)
    assert (np.asarray(examples.known.rate)[there] > 0).all()
    says = logistic(np.asarray(examples.known.rate) * values)
    apart = np.abs(says - np.asarray(examples.known.goal))[there]
    assert (apart > 1e-3).mean() > 0.2


@pytest.mark.thorough
def test_with_lambda_one_and_no_random_moves_goals_are_results():
    examples, _ = found(decay=1.0, chance=0.0, opening=2, plies=60, learns="root", positions=400)
    there = np.asarray(examples.known.rate != 0)
    said = np.asarray(examples.known.goal)[there]
    whole = np.isin(said, [0.0, 0.5, 1.0])
    assert whole.mean() > 0.8  # the others follow a random move, or a game that was left
    assert {0.0, 1.0} <= {*said[whole].tolist()}


@pytest.mark.thorough
def test_examples_of_an_individual_do_not_depend_on_the_others():
    one = learning()
    both = jax.jit(lambda key, some: one.examples(key, some, None).known.rate != 0)
    some = both(jax.random.key(2), population())
    first = jax.tree.map(lambda x: jnp.concatenate([x[:3], x[:3]]), population())
    again = both(jax.random.key(2), first)
    assert (some[:3] == again[:3]).all()


@pytest.mark.thorough
def test_a_gradient_by_own_examples_is_that_by_shared_ones():
    examples, _ = found()
    language, own = cast().language, by_block(examples)

    def slopes(some, examples):
        return loss_and_slopes(language, plan_tapes(language, some), some, examples, learning().loss)

    together = jax.jit(slopes)(population(), own)
    alone = jax.jit(slopes)
    for number in range(3):
        of_one = jax.tree.map(lambda x, n=number: x[:, n], own)
        some = jax.tree.map(lambda x, n=number: x[n : n + 1], population())
        lost, slope = alone(some, Examples(*of_one))
        np.testing.assert_allclose(together[0][number], lost[0], rtol=1e-5)
        np.testing.assert_allclose(together[1][number], slope[0], rtol=1e-4, atol=1e-6)
    assert (np.abs(together[1]).max((1, 2)) > 0).sum() >= 2


@pytest.mark.thorough
def test_positions_are_drawn_in_whole_blocks_and_no_more_than_there_are():
    examples = jax.eval_shape(
        lambda key: learning(positions=3 * BLOCK + 5, plies=200).examples(key, population(), None), jax.random.key(0)
    )
    assert examples.tree.shape == (6, 3, BLOCK)
    few = jax.eval_shape(lambda key: learning(positions=999).examples(key, population(), None), jax.random.key(0))
    assert few.tree.shape == (6, 1, 4 * 24)


@pytest.mark.thorough
@pytest.mark.parametrize("learns", ["leaf", "root"])
def test_who_throws_pieces_away_learns_to_keep_them(learns):
    # Games against itself show the first one that who has more pieces wins; its factor of the count changes its sign.
    of = cast(2, size=6, rows=2)
    some = written(of, "(Plus PieceCount:-1.0 Mobility:0.1)", "(Minus PieceCount:0.1 Mobility:2.0)")
    tuner = Tuner(of.language, jaxgp.TuneOptions(steps=20, rate=0.05))
    one = learning(of, games=8, plies=120, positions=512, learns=learns)
    learn = jax.jit(lambda key, some: tuner.learn(key, some, one, None, jnp.int32(0)))

    def weights(some):
        pieces, moves, whole = np.asarray(some.value)[:, 0, :3].T
        return pieces * whole, moves * whole

    assert weights(some)[0].tolist() == pytest.approx([-1.0, 0.1])
    for number in range(12):
        some, _ = learn(jax.random.key(number), some)
    pieces, moves = weights(some)
    assert (pieces > 0).all()
    assert (pieces > 5 * np.abs(moves)).all()


@pytest.mark.thorough
@pytest.mark.parametrize(("inherit", "games"), [("lamarck", 2), ("baldwin", 2)])
def test_a_run_learns_before_it_is_measured(inherit, games):
    of = cast()
    fitness = jaxgp.CoevolutionFitness(of.game, of.actor, 2, opening=2, max_plies=40, learning=learning(games=games))
    options = jaxgp.GPOptions(
        population=8, capacity=CAPACITY, tune=jaxgp.TuneOptions(steps=4, rate=0.1, inherit=inherit)
    )
    ring = jaxgp.Ring(fitness, jaxgp.Generational(of.language, options))
    state = jax.jit(ring.init)(jax.random.key(0))
    _, metrics, outcome = jax.jit(ring.cycle)(state)
    assert metrics["tuned"] > 0
    moved = np.asarray(outcome.measured.value != state.population.value).any((1, 2))
    assert moved.sum() == metrics["tuned"]
    assert (np.asarray(outcome.born.value != state.population.value).any()) == (inherit == "lamarck")


def test_steps_without_games_to_learn_from_are_refused():
    of = cast()
    fitness = jaxgp.CoevolutionFitness(of.game, of.actor, 2)
    options = jaxgp.GPOptions(population=8, capacity=CAPACITY, tune=jaxgp.TuneOptions(steps=4))
    with pytest.raises(UsageError, match=r"^algorithm.tune.steps=4: accepted: 0; CoevolutionFitness has no loss"):
        jaxgp.Ring(fitness, jaxgp.Generational(of.language, options))
    assert replace(fitness, learning=learning()).differentiable.own


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: DifferencesOptions(learns="both"), "learns=both: accepted: leaf, root"),
        (lambda: learning(games=0), "games=0: accepted: a whole number from 1"),
        (lambda: replace(learning(), counted="score"), "counted=score: accepted: result, share"),
        (lambda: Differences(cast().game, ten(), DifferencesOptions(games=1)), "player=.*: accepted: a player whose"),
    ],
    ids=["learns", "games", "counted", "trees"],
)
def test_what_nobody_can_learn_from_is_refused(wrong, said):
    with pytest.raises(UsageError, match=said):
        wrong()
