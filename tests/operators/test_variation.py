from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxgp.evolution.options import GPOptions
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions, CrossoverOptions, MutationOptions, SelectionOptions
from jaxgp.operators.selection import elites
from jaxgp.operators.variation import breed, recombine
from jaxgp.options import make_unchecked
from tests.operators.operator_cases import (
    BATCH,
    MANCALA,
    MAX_DEPTH,
    TYPED,
    assert_distribution,
    assert_valid,
    copied,
    individual,
    lane,
    quick,
    same,
    stacked,
    tree,
    typed_population,
    words,
)


@cache
def generations(number):
    """From one generation to the next by one of ALGORITHMS, compiled once for each set and size."""
    primitives, algorithm = ALGORITHMS[number]
    return quick(lambda key, population, fitness: breed(key, primitives, algorithm, population, fitness))


KOZA, STUDY, COPIES = range(3)
ALGORITHMS = (
    (
        TYPED,
        GPOptions(
            elites=0,
            max_depth=5,
            creation=CreationOptions(max_depth=5, terminal_probability=0.4),
            selection=SelectionOptions("tournament"),
            crossover=CrossoverOptions(0.7, "two_children", "koza"),
            mutation=MutationOptions(0.4, children=0.0, subtree=1.0),
        ),
    ),
    (TYPED, GPOptions(elites=3, mutation=MutationOptions(0.1, children=0.0, point=1.0))),
    (MANCALA, GPOptions(elites=1, crossover=CrossoverOptions(0.0), mutation=MutationOptions(0.0))),
)


@pytest.mark.slow
def test_no_individual_has_what_is_left_out_and_the_others_are_drawn_as_before():
    """Created, crossed, and mutated by subtrees and points; the roots of fresh trees are ADD and SUB equally often."""
    fewer = MANCALA.without(["VALUE_AT", "IF_<_DO_ELSE_"])
    algorithm = GPOptions(mutation=MutationOptions(1.0, children=0.0, subtree=1.0, point=1.0))
    created = quick(lambda key: create(key, fewer, CreationOptions("full", max_depth=2), 25_000, 16))(jax.random.key(0))
    some = jax.tree.map(lambda x: x[:200], created)
    bred, _ = quick(lambda key, some: breed(key, fewer, algorithm, some, jnp.ones(200)))(jax.random.key(1), some)
    for population in (created, bred):
        live = np.arange(16) < np.asarray(population.length)[..., None]
        assert np.asarray(population.opcode)[live].max() < MANCALA.opcode("VALUE_AT")
    roots = np.take_along_axis(np.asarray(created.opcode), np.asarray(created.length)[..., None] - 1, -1)
    assert_distribution([(roots == MANCALA.opcode(name)).sum() for name in ("ADD", "SUB")], [1, 1])


@pytest.fixture(scope="module")
def population():
    return typed_population(jax.random.key(0))


@pytest.mark.parametrize("number", [pytest.param(KOZA, marks=pytest.mark.slow), STUDY])
def test_generations_stay_valid_and_elites_lead(number, population):
    step, algorithm = generations(number), ALGORITHMS[number][1]
    for generation in range(3):
        fitness = np.cos(np.arange(BATCH, dtype=np.float32) * 1.7 + generation)
        fitness[5] = np.nan
        following, counts = step(jax.random.key(generation), population, fitness)
        assert_valid(TYPED, following, algorithm.max_depth)
        leaders = np.asarray(elites(fitness, algorithm.elites))
        best = lane(population, leaders)
        assert same(jax.tree.map(lambda field: field[: algorithm.elites], following), best)
        assert set(counts) == {"crossovers", "mutations", "rejected_offspring"}
        assert all(count.dtype == jnp.int32 and count.shape == () for count in counts.values())
        assert 0 <= counts["rejected_offspring"] <= counts["crossovers"] <= BATCH - algorithm.elites
        again, _ = step(jax.random.key(generation), population, fitness)
        assert same(following, again)
        population = following


def test_fitness_without_differences_still_breeds(population):
    for value in (0.0, 3.0, float("nan")):
        following, _ = generations(STUDY)(jax.random.key(0), population, np.full(BATCH, value, np.float32))
        assert_valid(TYPED, following)
        assert same(lane(following, 0), lane(population, 0))


def test_crossover_and_mutation_rates_are_as_set_and_independent():
    n = 40_001
    one = individual(tree(MANCALA, "INT:20 INT:20 ADD", 5))  # 20 is outside the domain: every redrawn constant shows
    population = copied(one, n)
    algorithm = GPOptions(mutation=MutationOptions(0.02, children=0.0, constant=1.0))
    step = quick(lambda key, population: breed(key, MANCALA, algorithm, population, jnp.ones(n)))
    following, counts = step(jax.random.key(0), population)
    assert stats.binomtest(int(counts["crossovers"]), n - 1, 0.9).pvalue > 0.001
    assert stats.binomtest(int(counts["mutations"]), n - 1, 0.02).pvalue > 0.001
    size, value = np.asarray(following.length)[1:, 0], np.asarray(following.value)[1:, 0]
    live = (np.asarray(following.opcode)[1:, 0] == 0) & (np.arange(5) < size[:, None])
    changed_size, changed_value = size != 3, (live & (value != 20)).any(1)
    assert changed_value.sum() == counts["mutations"]
    # A root meets a leaf in 4 of 9 crossings; the other 5 change nothing.
    assert stats.binomtest(int(changed_size.sum()), n - 1, 0.9 * 4 / 9).pvalue > 0.001
    table = [[(a & b).sum() for b in (changed_value, ~changed_value)] for a in (changed_size, ~changed_size)]
    assert stats.chi2_contingency(table).pvalue > 0.001


def constants(values, capacity=3):
    """Individuals of a single constant each."""
    return stacked([individual(tree(MANCALA, f"INT:{n}", capacity)) for n in values])


@pytest.mark.thorough
def test_without_crossover_and_mutation_parents_are_copied():
    following, counts = generations(COPIES)(jax.random.key(0), constants([4, 5, 6]), jnp.array([0.0, 1.0, 0.0]))
    assert [words(MANCALA, lane(following, i, 0)) for i in range(3)] == ["INT:5"] * 3
    assert not any(int(count) for count in counts.values())


@pytest.mark.parametrize("method", ["one_child", "two_children"])
def test_where_no_kind_of_crossover_has_a_weight_the_same_parents_are_copied(method):
    """A probability of 0 needs no weight."""

    @quick
    def made(key):
        both = (CrossoverOptions(0.0, method, subtree=weight) for weight in (0.0, 1.0))
        some, merits = constants(range(9)), jnp.arange(9.0)[None]
        return [recombine(key, MANCALA, GPOptions(crossover=one), some, merits, 9) for one in both]

    without, with_weight = made(jax.random.key(0))
    assert same(without, with_weight)


def paired(crossing, fitness, n, **options):
    """Parents and children of n pairs of single constants, by the number in each: receivers, donors, children.

    Crossing exchanges the only nodes there are, so that the child of a receiver is its donor; where nobody is crossed,
    children are the receivers.
    """
    population, merits = constants(range(len(fitness))), jnp.asarray(fitness, jnp.float32)[None]

    @quick
    def made(probability):
        crossover = make_unchecked(CrossoverOptions, {"probability": probability, "method": crossing})
        algorithm = make_unchecked(GPOptions, {"crossover": crossover, "selection": SelectionOptions(**options)})
        return recombine(jax.random.key(0), MANCALA, algorithm, population, merits, n)[0].value[:, 0, 0]

    return [np.asarray(made(np.float32(probability))).astype(int) for probability in (0, 1)]


@pytest.mark.thorough
def test_the_donor_is_another_individual_drawn_as_the_receiver_was():
    """Roulette: the chances of the others are in proportion to their fitness."""
    fitness = np.array([1.0, 2.0, 0.0, 5.0])
    receivers, donors = paired("one_child", fitness, 30_000)
    chances = fitness / fitness.sum()
    expected = chances[:, None] * np.where(np.eye(4), 0, chances) / (1 - chances)[:, None]
    assert_distribution(np.bincount(receivers * 4 + donors, minlength=16), expected.ravel())


@pytest.mark.thorough
def test_one_way_gives_material_of_the_fitter_to_the_less_fit_of_two_different_parents():
    """The child of two constants is the donor's, the greater of two different uniform draws."""
    _, children = paired("one_way", np.arange(5.0), 30_000, method="tournament", tournament_size=1)
    assert_distribution(np.bincount(children, minlength=5), np.arange(5))


@pytest.mark.thorough
def test_two_children_come_from_the_same_pair_of_which_both_may_be_the_same_individual():
    parents, children = paired("two_children", np.ones(3), 30_001)
    assert parents.shape == children.shape == (30_001,)
    # The pairs of children are the pairs of parents, the other way round.
    np.testing.assert_array_equal(children[:-1].reshape(-1, 2), parents[:-1].reshape(-1, 2)[:, ::-1])
    assert_distribution(np.bincount(parents[:-1].reshape(-1, 2) @ [3, 1], minlength=9), np.ones(9), least=15_000)


@pytest.mark.thorough
def test_one_or_two_way_as_the_order_of_the_pair_decides():
    """Of single constants the receiver becomes the donor; both ways, they change places.

    The greater constant is the fitter one, and no number the least fit.
    """
    algorithm = GPOptions(
        crossover=CrossoverOptions(0.75, "one_or_two_way"), selection=SelectionOptions("tournament", 1)
    )
    n, fitness = 60_001, jnp.array([jnp.nan, 1.0, 2.0])
    population = constants(range(3))
    go = quick(lambda key: recombine(key, MANCALA, algorithm, population, fitness[None], n))
    children, crossed, rejected = go(jax.random.key(0))
    values = np.asarray(children.value)[:, 0, 0].astype(int)
    assert values.shape == (n,)
    assert not np.asarray(crossed)[-1]  # the odd one
    assert not rejected.any()
    expected = np.zeros((3, 3, 2, 2))  # the pair of children, and which of them are made by crossover
    for a, b in np.ndindex(3, 3):
        expected[a, b, 0, 0] += 0.25
        expected[(a, a, 0, 1) if a >= b else (b, a, 1, 1)] += 0.75
    pairs, made = values[:-1].reshape(-1, 2), np.asarray(crossed)[:-1].reshape(-1, 2).astype(int)
    seen = np.zeros_like(expected)
    np.add.at(seen, (*pairs.T, *made.T), 1)
    assert_distribution(seen.ravel(), expected.ravel())


@pytest.mark.thorough
def test_one_or_two_way_changes_no_donor(population):
    crossing, choice = CrossoverOptions(1.0, "one_or_two_way"), SelectionOptions("tournament", 2, distinct=True)
    algorithm = GPOptions(
        max_depth=MAX_DEPTH, creation=CreationOptions(max_depth=MAX_DEPTH), crossover=crossing, selection=choice
    )
    fitness = jnp.arange(float(BATCH))
    go = quick(lambda key: recombine(key, TYPED, algorithm, population, fitness[None], 41))
    children, crossed, _ = go(jax.random.key(1))
    assert_valid(TYPED, children, MAX_DEPTH)
    parents = [lane(population, i) for i in range(BATCH)]
    kept = np.flatnonzero(~np.asarray(crossed))
    assert len(kept) > 5
    assert all(any(same(lane(children, int(i)), parent) for parent in parents) for i in kept)
    made = np.flatnonzero(np.asarray(crossed))
    assert np.mean([any(same(lane(children, int(i)), parent) for parent in parents) for i in made]) < 0.5


@pytest.mark.thorough
def test_elites_may_be_the_whole_population_and_a_population_may_be_one():
    everybody, alone = GPOptions(elites=9), GPOptions(elites=0, mutation=MutationOptions(0.0))
    three, one = constants([1, 2, 3]), constants([8])

    def step(key):
        fitness = jnp.array([jnp.nan, 0.0, 7.0])
        return (
            breed(key, MANCALA, everybody, three, fitness),
            breed(key, MANCALA, alone, one, jnp.array([0.0])),
        )

    (following, counts), (one, _) = quick(step)(jax.random.key(0))
    assert [words(MANCALA, lane(following, i, 0)) for i in range(3)] == ["INT:3", "INT:2", "INT:1"]
    assert not any(int(count) for count in counts.values())
    assert words(MANCALA, lane(one, 0, 0)) == "INT:8"


def test_unknown_crossover_is_named():
    with pytest.raises(ValueError, match="method=three: accepted: one_child, two_children, one_way"):
        CrossoverOptions(method="three")
