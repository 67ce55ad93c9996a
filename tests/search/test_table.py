"""The reply table never lies, and duplicates are found as NumPy finds them."""

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.search import table as tables
from jaxgp.search.table import create

insert, lookup, unique = jax.jit(tables.insert), jax.jit(tables.lookup), jax.jit(tables.unique)
ROWS, WORDS = 6, 2


def keys(*rows):
    return np.array(rows, np.uint32)


def payload(*values):
    """One word for each key."""
    return np.array(values, np.uint32)[:, None]


def test_an_empty_table_finds_nothing_not_even_zeros():
    found, value = lookup(create(4, 2), keys([0, 0], [1, 2]))
    assert found.tolist() == [False, False]
    assert value.tolist() == [[0], [0]]


def test_finds_what_was_inserted():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**32, (50, 4), np.uint32)
    values = rng.integers(0, 2**32, (50, 3), np.uint32)
    full = insert(create(2**16, 4, payload=3), words, values, np.ones(50, bool))
    found, value = map(np.asarray, lookup(full, words))
    assert found.all()
    assert (value == values).all()
    found, _ = map(np.asarray, lookup(full, words ^ 1))
    assert not found.any()


def test_masked_rows_are_ignored():
    part = insert(create(64, 1), keys([1], [2], [3]), payload(10, 20, 30), np.array([True, False, True]))
    found, value = lookup(part, keys([1], [2], [3]))
    assert found.tolist() == [True, False, True]
    assert value.tolist() == [[10], [0], [30]]
    assert np.asarray(part.used).sum() == 2


def test_the_first_row_of_a_slot_wins_whole():
    one = insert(create(1, 2), keys([7, 7], [8, 8], [7, 7]), payload(1, 2, 3), np.array([False, True, True]))
    assert one.keys.tolist() == [[8, 8]]
    assert one.payload.tolist() == [[2]]


def test_a_later_insert_overwrites():
    full = insert(create(1, 1), keys([5]), payload(1), np.array([True]))
    same = insert(full, keys([5]), payload(2), np.array([True]))
    assert lookup(same, keys([5]))[1].tolist() == [[2]]
    other = insert(full, keys([6]), payload(3), np.array([True]))
    assert lookup(other, keys([5], [6]))[0].tolist() == [False, True]


rows = st.lists(
    st.tuples(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(0, 2**32 - 1), st.booleans()),
    min_size=ROWS,
    max_size=ROWS,
)


@settings(max_examples=20, deadline=None)
@given(st.lists(rows, min_size=1, max_size=4), st.sampled_from([2, 8]))
def test_what_is_found_is_what_was_inserted_last(batches, size):
    """Against a dict, in a table small enough that most keys collide."""
    current, last = create(size, WORDS), {}
    for batch in batches:
        current = insert(
            current,
            keys(*[key for key, _, _ in batch]),
            payload(*[value for _, value, _ in batch]),
            np.array([live for _, _, live in batch]),
        )
        firsts = {}
        for key, value, live in batch:
            if live:
                firsts.setdefault(key, value)
        last |= firsts
        every = [(a, b) for a in range(4) for b in range(4)]
        found, value = map(np.asarray, lookup(current, keys(*every)))
        assert found.sum() == np.asarray(current.used).sum()
        for key, hit, got in zip(every, found.tolist(), value[:, 0].tolist(), strict=True):
            assert not hit or last[key] == got


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(2**32 - 2, 2**32 - 1), st.booleans()), min_size=8, max_size=8))
def test_unique_agrees_with_numpy(data):
    words = np.array([(a, b) for a, b, _ in data], np.uint32)
    mask = np.array([live for _, _, live in data])
    order, count, group = map(np.asarray, unique(words, mask))
    distinct, first, inverse = np.unique(words[mask], axis=0, return_index=True, return_inverse=True)
    assert count == len(distinct)
    np.testing.assert_array_equal(order[:count], np.flatnonzero(mask)[first])
    np.testing.assert_array_equal(group[mask], inverse.reshape(-1))
    assert ((order >= 0) & (order < 8)).all()


def test_the_hash_spreads_neighbouring_keys():
    """Boards that differ in one cell by one stone fill slots as evenly as random numbers would."""
    cells = np.stack(np.meshgrid(*[np.arange(8)] * 4), -1).reshape(-1, 4).astype(np.uint32)
    slots = np.asarray(jax.jit(tables.mix)(cells)) & 4095
    assert abs(len(np.unique(slots)) / 4096 - (1 - np.exp(-1))) < 0.03


@pytest.mark.parametrize("arguments", [(0, 1), (3, 1), (4, 0), (4, 1, 0)])
def test_refuses_sizes_it_cannot_serve(arguments):
    with pytest.raises(ValueError, match="accepted"):
        create(*arguments)
