import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.errors import UsageError
from jaxgp.genotypes import programs
from jaxgp.operators.creation import Request, create, generate, least_sizes
from jaxgp.operators.options import CreationOptions
from jaxgp.options import make_unchecked
from tests.genotypes.generators import least_trees
from tests.genotypes.program_cases import problems
from tests.operators.operator_cases import (
    BUSHY,
    MANCALA,
    TYPED,
    assert_distribution,
    assert_valid,
    depths,
    lane,
    quick,
    same,
    typed_population,
)

CAPACITY, MAX_DEPTH, DEEP, BATCH = 40, 6, 16, 48


@quick
def generate_typed(words, requests):
    return generate(words, TYPED, requests, MAX_DEPTH)


def random_words(rng, batch=BATCH):
    return rng.integers(0, 2**32, (batch, CAPACITY, 3), np.uint32)


def random_requests(rng, primitives, batch=BATCH):
    slot = rng.integers(0, len(primitives.types), batch).astype(np.int32)
    root = [rng.choice([-1, *np.flatnonzero(primitives.fills[s])]) for s in slot]
    return Request(
        slot=slot,
        depth=rng.integers(0, MAX_DEPTH + 1, batch).astype(np.int32),
        room=np.where(rng.random(batch) < 0.3, CAPACITY, rng.integers(1, 12, batch)).astype(np.int32),
        root=np.array(root, np.int32),
        full=rng.random(batch) < 0.5,
        wanted=rng.random(batch) < 0.9,
    )


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.integers(0, 2**31 - 1))
def test_any_request_that_can_be_met_is_met_within_its_depth_and_room(seed):
    rng = np.random.default_rng(seed)
    requests = random_requests(rng, TYPED)
    made = generate_typed(random_words(rng), requests)
    depth = np.asarray(depths(jax.tree.map(lambda field: field[:, None], made)))[:, 0]
    of_slot, of_primitive = least_sizes(TYPED, MAX_DEPTH)
    for i in range(BATCH):
        want, one = lane(requests, i), lane(made, i)
        least = of_slot[want.depth, want.slot] if want.root < 0 else of_primitive[want.depth, want.root]
        if not want.wanted or least > want.room:
            assert one.length == 0
            assert not any(np.asarray(field).any() for field in jax.tree.leaves(one))
            continue
        assert problems(TYPED, one, int(want.slot)) == []
        assert one.length <= want.room
        assert depth[i] <= want.depth
        assert want.root in (-1, one.opcode[one.length - 1])


def test_a_batch_is_its_single_trees():
    rng = np.random.default_rng(5)
    requests, words = random_requests(rng, TYPED), random_words(rng)
    made = generate_typed(words, requests)
    order = rng.permutation(BATCH)
    shuffled = generate_typed(words[order], jax.tree.map(lambda field: field[order], requests))
    assert same(jax.tree.map(lambda field: field[order], made), shuffled)
    one = int(np.argmax(made.length))
    alone = generate_typed(words, requests.replace(wanted=np.arange(BATCH) == one))
    assert same(lane(alone, one), lane(made, one))
    assert alone.length.sum() == made.length[one]


def test_depth_and_size_are_bounded_together():
    of_slot, of_primitive = least_sizes(TYPED, 3)
    goal = TYPED.types.index("goal")
    assert list(of_slot[:, goal]) == [10**6, 6, 3, 3]
    assert list(of_primitive[:, TYPED.opcode("both")]) == [10**6, 10**6, 13, 7]
    assert least_sizes(TYPED, 9)[0][-1].tolist() == [least_trees(TYPED)[1][kind] for kind in TYPED.types]


def creation(primitives, population, capacity, **options):
    return quick(lambda key: create(key, primitives, make_unchecked(CreationOptions, options), population, capacity))


@pytest.mark.thorough
def test_full_trees_fill_the_depth_or_the_room_and_grown_ones_the_capacity_but_never_more():
    rng, each = np.random.default_rng(3), 64
    kind = np.repeat(["full", "full in a small room", "grown"], each)
    small = kind == "full in a small room"
    requests = Request(
        slot=np.zeros(3 * each, np.int32),
        depth=np.select([kind == "full", small], [2, 8], DEEP).astype(np.int32),  # 1 + 4 + 16 nodes at most
        room=np.where(small, 20, CAPACITY).astype(np.int32),
        root=np.full(3 * each, -1, np.int32),
        full=kind != "grown",
        wanted=np.ones(3 * each, bool),
    )
    make = quick(lambda words: generate(words, BUSHY, requests, DEEP))
    made = make(random_words(rng, 3 * each))
    population = jax.tree.map(lambda field: field[:, None], made)
    assert_valid(BUSHY, population, DEEP)
    depth = np.asarray(quick(jax.vmap(programs.depths))(made))
    leaf = (np.asarray(made.opcode) < BUSHY.num_terminals) & (depth >= 0) & (kind == "full")[:, None]
    assert (depth[leaf] == 2).all()
    length = np.asarray(made.length)
    assert 17 <= length[small].min() <= length[small].max() <= 20  # an IF_<_DO_ELSE_ adds four nodes, and may not fit
    assert length[kind == "grown"].max() == CAPACITY


def test_ramped_spreads_depth_limits_and_alternates_full_and_grow():
    population = creation(TYPED, 60, 200, method="ramped", min_depth=2, max_depth=4)(jax.random.key(0))
    assert_valid(TYPED, population)
    depth = np.asarray(depths(population))
    index = np.arange(60)
    assert (depth <= (2 + index % 3)[:, None]).all()
    for limit in range(3):
        mine = index % 3 == limit
        full = mine & (index // 3 % 2 == 0)
        assert mine.sum() == 20
        assert full.sum() == 10
        assert (depth[full, 0] == 2 + limit).all()
        assert (depth[mine & ~full, 0] < 2 + limit).any()


def test_the_same_key_makes_the_same_population():
    population = typed_population(jax.random.key(0))
    assert same(population, typed_population(jax.random.key(0)))
    assert not same(population, typed_population(jax.random.key(1)))


def test_grow_draws_primitives_by_weight_and_constants_uniformly():
    population = creation(MANCALA, 40_000, 5, max_depth=1)(jax.random.key(0))
    root = np.take_along_axis(np.asarray(population.opcode)[:, 0], np.asarray(population.length) - 1, 1)
    assert_distribution(np.bincount(root.ravel(), minlength=5), [14, 1, 1, 1, 1])
    # Each position on its own: the arguments of one function must not depend on each other either.
    value, opcode = np.asarray(population.value)[:, 0], np.asarray(population.opcode)[:, 0]
    constant = (opcode == 0) & (np.arange(5) < np.asarray(population.length))
    assert_distribution(np.bincount(value[constant].astype(int), minlength=14), np.ones(14))
    pairs = (value[:, 0] * 14 + value[:, 1]).astype(int)[np.asarray(population.length)[:, 0] >= 3]
    count = np.bincount(pairs, minlength=196)
    assert abs(((count - count.mean()) ** 2 / count.mean()).sum() - 195) < 4 * (2 * 195) ** 0.5


@pytest.mark.slow
def test_terminal_probability_decides_between_terminals_and_functions():
    population = creation(MANCALA, 30_000, 5, max_depth=1, terminal_probability=0.3)(jax.random.key(0))
    root = np.take_along_axis(np.asarray(population.opcode)[:, 0], np.asarray(population.length) - 1, 1)
    assert_distribution(np.bincount(root.ravel(), minlength=5), [0.3, *[0.7 / 4] * 4])


def test_impossible_options_are_refused():
    key = jax.random.key(0)
    with pytest.raises(UsageError, match="method=half: accepted: full, grow, ramped"):
        CreationOptions(method="half")
    with pytest.raises(ValueError, match="no tree of type goal fits depth 1 and 5 nodes"):
        create(key, TYPED, CreationOptions(max_depth=1), 4, 5)
    with pytest.raises(UsageError, match=r"min_depth=5: accepted: a whole number from 0 to 4 \(max_depth\)"):
        CreationOptions(method="ramped", min_depth=5, max_depth=4)


def test_a_population_of_one_terminal():
    one = creation(MANCALA, 1, 1, max_depth=0)(jax.random.key(0))
    assert one.length.tolist() == [[1]]
    assert_valid(MANCALA, one)
