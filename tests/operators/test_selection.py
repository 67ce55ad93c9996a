from functools import cache
from itertools import permutations, product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.operators.options import SelectionOptions
from jaxgp.operators.selection import different, elites, select, select_by_case
from jaxgp.options import find
from tests.operators.operator_cases import assert_distribution, quick

N = 50_000
NAN = float("nan")


@cache
def selecting(n, options):
    return quick(lambda key, fitness: select(key, SelectionOptions(**dict(options)), fitness, n))


def frequencies(fitness, n=N, seed=0, **options):
    fitness = jnp.asarray(fitness, jnp.float32)
    got = selecting(n, tuple(options.items()))(jax.random.key(seed), fitness)
    assert got.shape == (n,)
    assert got.dtype == jnp.int32
    return np.bincount(got, minlength=fitness.shape[0])


def test_roulette_is_proportional_to_fitness():
    fitness = [0.0, 5.0, 1.0, -3.0, 0.5, NAN, 20.0, 0.0, 3.5]
    assert_distribution(frequencies(fitness), [0, 5, 1, 0, 0.5, 0, 20, 0, 3.5])
    assert_distribution(frequencies(np.multiply(fitness, 1e35)), [0, 5, 1, 0, 0.5, 0, 20, 0, 3.5])


@pytest.mark.thorough
def test_roulette_is_exact_for_a_large_population_and_never_draws_a_zero():
    fitness = np.random.default_rng(0).exponential(1.0, 65_536).astype(np.float32)
    fitness[::3] = 0
    fitness[60_000:] *= 1e-3
    fitness[100] = 3_000
    observed = frequencies(fitness, 200_000)
    assert observed[fitness == 0].sum() == 0
    assert_distribution(observed.reshape(256, 256).sum(1), fitness.astype(np.float64).reshape(256, 256).sum(1))
    ordered = np.argsort(fitness)
    assert_distribution(
        observed[ordered].reshape(64, 1024).sum(1)[22:],
        fitness[ordered].astype(np.float64).reshape(64, 1024).sum(1)[22:],
    )


def test_roulette_keeps_small_weights_behind_large_ones():
    # A running float32 sum from the left would have lost every 1e-8 behind the first weight.
    fitness = np.r_[1.0, np.full(2**15, 2.0**-15 * 1e-1)]
    observed = frequencies(fitness)
    assert_distribution([observed[0], observed[1:].sum()], [1, 0.1])


def test_rank_is_linear_and_ties_share_their_mean_rank():
    fitness = [3.0, 1.0, 1.0, NAN, 7.0, 2.0]  # ranks 4, 1.5, 1.5, 0, 5, 3
    ranks = np.array([4, 1.5, 1.5, 0, 5, 3])
    assert_distribution(frequencies(fitness, method="rank"), 2 * ranks / 5)
    assert_distribution(frequencies(fitness, method="rank", rank_pressure=1.5), 0.5 + ranks / 5)


@pytest.mark.thorough
def test_a_share_of_the_parents_is_drawn_by_one_case_and_the_cases_take_turns():
    merits = jnp.array([[4.0, 4.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])

    def drawn(share):
        return quick(lambda key: select_by_case(key, SelectionOptions(by_case=share), merits, N))(jax.random.key(0))

    assert_distribution(np.bincount(drawn(0.5)), [1 / 4, 1 / 4 + 1 / 8, 1 / 8, 1 / 4])
    assert_distribution(np.bincount(drawn(1.0)), [0, 1 / 4, 1 / 4, 1 / 2])


def test_tournament_takes_the_best_of_k_and_ties_are_fair():
    fitness = np.array([3.0, 1.0, 3.0, NAN, 2.0])
    worth = np.nan_to_num(fitness, nan=-np.inf)
    expected = np.zeros(5)
    for drawn in product(range(5), repeat=3):
        best = [i for i in drawn if worth[i] == worth[list(drawn)].max()]
        np.add.at(expected, best, 1 / len(best))
    assert_distribution(frequencies(fitness, method="tournament", tournament_size=3), expected)
    assert_distribution(frequencies(fitness, method="tournament", tournament_size=1), np.ones(5))


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [2, 3])
def test_a_tournament_of_different_individuals(size):
    """With two it is algorithm 3.3 of "Evolved to Win": the first where it is fitter, else the second."""
    fitness = np.array([3.0, 1.0, 3.0, NAN, 2.0])
    worth = np.nan_to_num(fitness, nan=-np.inf)
    expected = np.zeros(5)
    for drawn in permutations(range(5), size):
        if size == 2:
            first, second = drawn
            expected[first if worth[first] > worth[second] else second] += 1
        else:
            best = [i for i in drawn if worth[i] == worth[list(drawn)].max()]
            np.add.at(expected, best, 1 / len(best))
    assert_distribution(frequencies(fitness, method="tournament", tournament_size=size, distinct=True), expected)


def test_different_numbers_come_in_all_orders_alike():
    few = quick(lambda key: (different(key, 5, 3, N), different(key, 3, 9, 4)))
    got, all_of_them = jax.device_get(few(jax.random.key(3)))
    orders = list(permutations(range(5), 3))
    seen = np.bincount(got @ [25, 5, 1], minlength=125)
    assert_distribution(seen[[25 * a + 5 * b + c for a, b, c in orders]], np.ones(60))
    assert np.sort(all_of_them).tolist() == [[0, 1, 2]] * 4


@pytest.mark.thorough
def test_truncation_is_uniform_over_the_best_and_breaks_ties_at_the_cut_at_random():
    fitness = jnp.array([5.0, 1.0, 3.0, NAN, 3.0, 0.0, 3.0, 9.0])
    config = SelectionOptions(method="truncation", truncation_fraction=0.5)  # 9, 5, and two of the three 3s
    keys = jax.random.split(jax.random.key(0), 30_000)
    got = quick(jax.vmap(lambda key: select(key, config, fitness, 1)))(keys)
    assert_distribution(np.bincount(got.ravel(), minlength=8), [1, 0, 2 / 3, 0, 2 / 3, 0, 2 / 3, 1])
    tiny = frequencies(fitness, method="truncation", truncation_fraction=0.01)
    assert tiny[7] == N


@pytest.mark.few(1)
@pytest.mark.parametrize("method", find(SelectionOptions, "method").choices)
def test_without_differences_everybody_is_equally_likely_and_one_alone_always(method):
    keys = jax.random.split(jax.random.key(1), 30_000)
    options = SelectionOptions(method=method)

    @quick
    def pick(fitness):
        everybody = jax.vmap(lambda key: select(key, options, fitness, 1))(keys)
        return everybody, select(keys[0], options, fitness[:1], 3)

    for value in (0.0, 1.0, NAN):
        got, alone = pick(np.full(5, value, np.float32))
        assert_distribution(np.bincount(np.ravel(got), minlength=5), np.ones(5))
        assert alone.tolist() == [0, 0, 0]


OTHERS = np.array([3.0, 1.0, 3.0, NAN, 2.0])


def among_others(fitness, but, options):
    """Chances of each individual where one is left out, as the methods word them."""
    left = [i for i in range(len(fitness)) if i != but]
    worth, chances = np.nan_to_num(fitness, nan=-np.inf), np.zeros(len(fitness))
    if options["method"] == "roulette":
        chances[left] = np.nan_to_num(fitness[left])
    if options["method"] == "rank":
        known = np.sort(worth)
        ranks = [(np.searchsorted(known, x) + np.searchsorted(known, x, "right") - 1) / 2 for x in worth]
        chances[left] = np.array(ranks)[left]
    if options["method"] == "truncation":  # the best three: 0, 2 and 4
        chances[[i for i in (0, 2, 4) if i != but]] = 1
    if options["method"] == "tournament":
        for drawn in permutations(left, 3) if options.get("distinct") else product(left, repeat=3):
            best = [i for i in drawn if worth[i] == worth[list(drawn)].max()]
            np.add.at(chances, best, 1 / len(best))
    return chances / chances.sum()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "options",
    [
        {"method": "roulette"},
        {"method": "rank"},
        {"method": "truncation", "truncation_fraction": 0.6},
        {"method": "tournament", "tournament_size": 3},
        {"method": "tournament", "tournament_size": 3, "distinct": True},
    ],
    ids=str,
)
def test_one_individual_can_be_left_out_of_each_draw(options):
    """Twice as often as the others, the first; alone in its population it is drawn all the same."""
    but = np.arange(N, dtype=np.int32) % 6 % 5

    def draw(key):
        drawn = select(key, SelectionOptions(**options), jnp.asarray(OTHERS, jnp.float32), N, jnp.asarray(but))
        lonely = select(key, SelectionOptions(**options), jnp.array([2.0]), 3, jnp.zeros(3, jnp.int32))
        return drawn, lonely

    drawn, lonely = quick(draw)(jax.random.key(4))
    expected = [among_others(OTHERS, i, options) * (2 - (i > 0)) for i in range(5)]
    assert_distribution(np.bincount(but * 5 + np.asarray(drawn), minlength=25), np.ravel(expected))
    assert lonely.tolist() == [0, 0, 0]


def test_others_without_any_weight_are_equally_likely():
    fitness, but = jnp.array([0.0, 0.0, 7.0, NAN, 0.0]), jnp.asarray(np.where(np.arange(N) % 2, 2, 0))
    drawn = np.asarray(quick(lambda key: select(key, SelectionOptions(), fitness, N, but))(jax.random.key(5)))
    assert_distribution(np.bincount(drawn[1::2], minlength=5), [1, 1, 0, 1, 1])
    assert (drawn[::2] == 2).all()


@pytest.mark.thorough
def test_one_individual_can_be_left_out_of_a_large_population():
    fitness = np.random.default_rng(1).exponential(1.0, 1000).astype(np.float32)
    fitness[::3] = 0
    fitness[100] = fitness.sum()
    but = np.where(np.arange(4 * N) % 2, 100, 1)
    draw = quick(lambda key: select(key, SelectionOptions(), jnp.asarray(fitness), 4 * N, jnp.asarray(but)))
    drawn = np.asarray(draw(jax.random.key(6)))
    for out in (1, 100):
        left = np.where(np.arange(1000) == out, 0, fitness)
        seen = np.bincount(drawn[but == out], minlength=1000)
        assert seen[left == 0].sum() == 0
        assert_distribution(seen.reshape(50, 20).sum(1), left.astype(np.float64).reshape(50, 20).sum(1))


def test_elites_are_best_first_with_ties_to_the_lower_index_and_nan_last():
    fitness = jnp.array([1.0, NAN, 4.0, 2.0, 4.0, -jnp.inf])
    assert elites(fitness, 6).tolist() == [2, 4, 3, 0, 5, 1]
    assert elites(fitness, 0).tolist() == []


def test_unknown_methods_are_named():
    with pytest.raises(ValueError, match=r"method=best: accepted: roulette"):
        SelectionOptions(method="best")
