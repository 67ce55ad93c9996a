"""Islands: who sends to whom and when, who is drawn and replaced, and the same result however they are computed."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from jaxgp.errors import UsageError
from jaxgp.evolution import options
from jaxgp.evolution.instances import Mutants
from jaxgp.evolution.islands import Islands, offsets, overall, sends, settle
from jaxgp.evolution.options import GPOptions, GroupsOptions, of_island
from jaxgp.evolution.ring import Outcome, Ring
from jaxgp.fitness.evaluation import FunctionFitness
from jaxgp.store import checkpoint

SIZE = 6


def first(key: Array, count: int) -> Array:
    return jax.random.normal(key, (count, 3))


def mutate(key: Array, one: Array) -> tuple[Array, Array]:
    return one + 0.1 * jax.random.normal(key, one.shape), jnp.bool_(True)


def rings(asked: options.MigrationOptions, **changes) -> Islands:
    """Islands on which three numbers are to become small."""
    fitness = FunctionFitness(lambda key, x: -(x**2).sum(-1) + 0.01 * jax.random.uniform(key, (len(x),)))
    ring = Ring(fitness, Mutants(SIZE, 1, 2, first, mutate))
    return Islands(ring, asked, **changes)


def plain(tree):
    """The arrays of a state, keys as numbers."""
    known = lambda x: jax.random.key_data(x) if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key) else x  # noqa: E731
    return [np.asarray(known(x)) for x in jax.tree.leaves(tree)]


def evolved(one, generations, state=None):
    state, step, rows = state or jax.jit(one.init)(jax.random.key(5)), jax.jit(one.step), []
    for _ in range(generations):
        state, metrics = step(state)
        rows.append(jax.device_get(metrics))
    return state, rows


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(plain(a), plain(b), strict=True))


def test_the_neighbours_are_the_nearest_in_the_circle():
    assert offsets(1).tolist() == [1]
    assert offsets(3).tolist() == [1, -1, 2]
    assert offsets(4).tolist() == [1, -1, 2, -2]


def test_the_neighbours_of_an_island_are_different_islands_for_every_number_of_them():
    for count in range(2, 12):
        for neighbours in range(1, count):
            assert len({int(x) % count for x in offsets(neighbours)} - {0}) == neighbours


def test_fifty_islands_send_in_turn_from_generation_10_on_as_the_source_says():
    book, islands = options.MigrationOptions(50), np.arange(50)
    for generation in range(40):
        sending = np.flatnonzero(sends(book, islands, jnp.int32(generation))).tolist()
        by_hand = [i for i in range(50) if i % 10 == generation % 10] if generation >= 10 else []
        assert sending == by_hand


def test_islands_that_are_not_staggered_send_all_at_once():
    ring = options.MigrationOptions(4, every=3, first=2, staggered=False)
    sending = [np.asarray(sends(ring, np.arange(4), jnp.int32(n))).tolist() for n in range(7)]
    assert sending == [[False] * 4] * 3 + [[True] * 4] + [[False] * 4] * 2 + [[True] * 4]


def test_migrants_take_the_places_of_others_than_the_first_and_all_of_these_alike():
    due = np.array([True, False, True])
    put = jax.jit(jax.vmap(lambda key: settle(key, jnp.arange(7), jnp.array([10, 11, 12]), due, 2)))
    found = np.asarray(put(jax.random.split(jax.random.key(0), 2000)))
    assert (found[:, :2] == [0, 1]).all()
    assert ((found == 10).sum(1) == 1).all()
    assert ((found == 12).sum(1) == 1).all()
    assert not (found == 11).any()
    for migrant in (10, 12):
        counts = (found == migrant).sum(0)[2:]
        assert np.abs(counts - 400).max() < 5 * np.sqrt(400)


def test_migrants_are_drawn_by_tournaments_with_repeats():
    """Of P different fitness values the k-th worst wins a tournament of two with a probability of (2 k - 1) / P**2."""
    asked = options.MigrationOptions(4, neighbours=1, migrants=SIZE, tournament_size=2)
    fitness = jnp.array([3.0, jnp.nan, 0.0, 5.0, 4.0, 1.0])
    outcome = Outcome(fitness, None, None, None, jnp.arange(SIZE))
    leave = jax.jit(jax.vmap(lambda n: rings(asked)._leave(jax.random.key(1), outcome, n)))
    drawn = np.asarray(leave(jnp.arange(2000))).ravel()
    counts = np.bincount(drawn, minlength=SIZE)
    rank = np.array([4, 1, 2, 6, 5, 3])
    expected = len(drawn) * (2 * rank - 1) / SIZE**2
    assert (((counts - expected) ** 2 / expected).sum()) < 25  # chi-squared with 5 degrees of freedom: p = 0.0001


@pytest.mark.thorough
def test_copies_of_measured_individuals_come_to_the_neighbours_that_are_due_and_to_no_others():
    asked = options.MigrationOptions(5, neighbours=2, migrants=2, first=1, every=5)
    one, alone = rings(asked), rings(replace(asked, first=1000))
    before, _ = evolved(one, 1)
    after, (row,) = evolved(one, 1, before)
    apart, _ = evolved(alone, 1, before)
    changed = (np.asarray(after.population) != np.asarray(apart.population)).any(-1)
    # In generation 1 island 1 sends: two copies to island 2 and two to island 0.
    assert changed.sum(1).tolist() == [2, 0, 2, 0, 0]
    assert row["migrants"] == 4
    assert not changed[:, 0].any(), "the elite stays"
    sent = np.asarray(before.population)[1].tolist()
    assert all(new in sent for new in np.asarray(after.population)[changed].tolist())


class Halving(FunctionFitness):
    """Everybody learns, after it was measured: its numbers become half of what they were."""

    def improve(self, key, population, result, memory):
        learned = population / 2
        return learned, result.replace(fitness=self.function(key, learned))


def test_migrants_and_candidates_are_individuals_as_they_are_when_they_have_learned():
    ring = Ring(Halving(lambda key, x: -(x**2).sum(-1)), Mutants(SIZE, 1, 2, first, mutate))
    asked = options.MigrationOptions(2, neighbours=1, migrants=3, first=0, every=1, staggered=False)
    one = Islands(ring, asked, last=True)
    before = jax.jit(one.init)(jax.random.key(5))
    after, _ = jax.jit(one.step)(before)
    kept, learned = after.candidates.individuals, np.asarray(before.population) / 2
    np.testing.assert_array_equal(kept.genome, learned.reshape(-1, 3))
    np.testing.assert_allclose(kept.fitness, -(np.asarray(kept.genome) ** 2).sum(-1), rtol=1e-6)
    arrived = (np.asarray(after.population)[1][:, None] == learned[0]).all(-1).any(1)
    assert arrived.sum() == 3


@pytest.mark.slow
def test_an_island_that_nobody_sends_to_evolves_as_a_ring_of_its_own():
    one = rings(options.MigrationOptions(3, neighbours=1, migrants=1, first=1000))
    state, rows = evolved(one, 4)
    start = jax.jit(one.init)(jax.random.key(5))
    for island in range(3):
        begin = jax.tree.map(lambda x, i=island: x[i], (start.population, start.carried.champions))
        key = start.carried.keys[island]
        ring = replace(one.ring.init(key), key=key, population=begin[0], champion=begin[1])
        ring, lines = evolved(one.ring, 4, ring)
        assert np.array_equal(ring.population, state.population[island])
        assert [row["islands_best"][island] for row in rows] == [line["best_fitness"] for line in lines]
    assert state.champion.fitness == max(row["islands_best"].max() for row in rows)
    assert rows[-1]["evaluations"] == 3 * SIZE
    assert rows[-1]["mean_fitness"] == pytest.approx(rows[-1]["islands_mean"].mean())


@pytest.mark.slow
def test_the_result_is_the_same_however_many_islands_are_computed_side_by_side():
    asked = options.MigrationOptions(6, neighbours=3, migrants=1, first=0, every=2)
    found = [evolved(rings(asked, together=together), 3)[0] for together in (1, 4, None)]
    assert same(found[0], found[1])
    assert same(found[0], found[2])


@pytest.mark.slow
def test_a_run_that_goes_on_from_a_checkpoint_equals_one_that_never_stopped(tmp_path):
    one = rings(options.MigrationOptions(4, neighbours=1, migrants=2, first=1, every=2))
    half, _ = evolved(one, 3)
    loaded = checkpoint.load(checkpoint.save(tmp_path, 3, half, "x"), half, "x")
    assert same(evolved(one, 3, loaded)[0], evolved(one, 6)[0])


@pytest.mark.thorough
def test_candidates_are_the_best_of_all_islands():
    state, rows = evolved(rings(options.MigrationOptions(4, migrants=1), candidates=3), 3)
    seen = np.sort(np.concatenate([row["islands_best"] for row in rows]))
    assert np.sort(state.candidates.individuals.fitness)[-1] == seen[-1]
    assert (np.asarray(state.candidates.individuals.generation) >= 0).all()
    fitness, _ = rings(options.MigrationOptions(4)).again(state, jnp.int32(0))
    assert fitness.shape == (3,)


def test_metrics_of_all_islands_are_sums_of_counts_means_of_numbers_and_those_of_the_leader():
    found = {"plies": np.array([1, 2]), "mean_size": np.array([1.0, 2.0]), "best_size": np.array([7, 9])}
    found |= {"max_size": np.array([8, 3]), "generation": np.array([4, 4]), "steps": np.float32([3e9, 1e9])}
    made = overall({name: jnp.asarray(each) for name, each in found.items()}, jnp.int32(1))
    assert {name: float(each) for name, each in made.items()} == {
        "plies": 3,
        "mean_size": 1.5,
        "best_size": 9,
        "max_size": 8,
        "generation": 4,
        "steps": 4e9,
    }


def test_an_island_has_its_share_of_the_population():
    whole = GPOptions(population=60, islands=options.MigrationOptions(5, migrants=3))
    assert of_island(whole).population == 12
    assert of_island(whole).islands.count == 1


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: GPOptions(population=8, elites=0, islands=options.MigrationOptions(9)),
            "islands.count=9: accepted: .* 8",
        ),
        (
            lambda: GPOptions(population=10, islands=options.MigrationOptions(4)),
            "population=10: accepted: a multiple of .*8 or 12",
        ),
        (
            lambda: GPOptions(population=40, islands=options.MigrationOptions(2)),
            "islands.neighbours=3: accepted: .* to 1 ",
        ),
        (
            lambda: GPOptions(population=40, islands=options.MigrationOptions(4, migrants=4)),
            "islands.migrants=4: accepted: a whole number from 1 to 3 .an island of 10",
        ),
        (
            lambda: GPOptions(population=8, islands=options.MigrationOptions(4, migrants=1)),
            "islands.neighbours=3: accepted: fewer",
        ),
        (
            lambda: GPOptions(population=40, elites=11, islands=options.MigrationOptions(4, migrants=1)),
            "elites=11: accepted: .* to 10",
        ),
        (
            lambda: GroupsOptions(population=55, immigrants=0, islands=options.MigrationOptions(2)),
            "population=55: accepted: a multiple of .* 10, such as",
        ),
        (
            lambda: GroupsOptions(population=40, immigrants=20, islands=options.MigrationOptions(2)),
            "immigrants=20: accepted: .* to 16",
        ),
    ],
)
def test_islands_that_cannot_be_are_refused_in_one_line(make, said):
    with pytest.raises(UsageError, match=said):
        make()
