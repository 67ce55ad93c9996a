"""Drawing among marked moves, and sets of squares."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxgp import bits as sets
from jaxgp.bits import bits_of, lot, pick

both, count, either, has, nth_square, pack, some = map(
    jax.jit, (sets.both, sets.count, sets.either, sets.has, sets.nth_square, sets.pack, sets.some)
)
reverse, shift, single = (jax.jit(one, static_argnums=1) for one in (sets.reverse, sets.shift, sets.single))


@pytest.mark.parametrize("actions", [1, 3, 31, 32, 33, 65, 130])
def test_the_move_of_every_rank_is_found(actions):
    """The number drawn, less the multiple of the number of marked moves, counts them from the first one."""
    rng = np.random.default_rng(actions)
    mask = rng.random((300, actions)) < rng.choice([0.03, 0.5, 1.0], (300, 1))
    bits = rng.integers(0, 2**32, 300, np.uint32)
    moves = [np.flatnonzero(row) for row in mask]
    expected = [row[draw % len(row)] if len(row) else 0 for row, draw in zip(moves, bits, strict=True)]
    drawn = jax.jit(pick)(mask, bits)
    assert drawn.tolist() == expected
    assert drawn.dtype == jnp.int32


def test_any_number_of_axes_and_none():
    mask = jnp.array([[[False, True, True], [False, False, False]]])
    bits = jnp.array([[3, 7]], jnp.uint32)
    assert jax.jit(pick)(mask, bits).tolist() == [[2, 0]]
    assert int(jax.jit(pick)(mask[0, 0], bits[0, 0])) == 2


def test_marked_moves_are_equally_likely():
    mask = np.zeros(65, bool)
    mask[[0, 31, 32, 40, 64]] = True
    draws = 20_000
    bits = jax.random.bits(jax.random.key(0), draws)
    counts = np.bincount(jax.jit(pick)(np.broadcast_to(mask, (draws, 65)), bits), minlength=65)
    assert not counts[~mask].any()
    expected = draws / 5
    assert ((counts[mask] - expected) ** 2 / expected).sum() < 23.5  # chi-square, 4 degrees of freedom, p = 0.0001


@pytest.mark.few(2)
@pytest.mark.parametrize("actions", [1, 6, 32, 33, 65, 128])
def test_packed_marks_are_one_long_number(actions):
    mask = np.random.default_rng(actions).random((20, actions)) < 0.4
    words = np.asarray(pack(mask))
    assert words.shape == (20, -(-actions // 32))
    numbers = [sum(int(word) << 32 * n for n, word in enumerate(row)) for row in words]
    assert numbers == [sum(1 << int(action) for action in np.flatnonzero(row)) for row in mask]


@pytest.mark.few(1)
@pytest.mark.parametrize("ways", [1, 2, 3, 4])
def test_a_lot_and_the_choice_after_it_are_equally_likely_together(ways):
    """Among 30 moves: what eight bits are left for would be seen, 16 moves being drawn by 9 of 256, 14 by 8."""
    draws, moves = 400_000, 30
    bits = jax.random.bits(jax.random.key(ways), draws)
    way, left = jax.jit(lot, static_argnums=1)(bits, ways)
    move = jax.jit(pick)(np.ones((draws, moves), bool), left)
    assert way.dtype == move.dtype == jnp.int32
    assert left.dtype == jnp.uint32
    counts = np.bincount(np.asarray(way) * moves + np.asarray(move), minlength=ways * moves)
    assert len(counts) == ways * moves
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.few(1)
@pytest.mark.parametrize("words", [1, 2, 4])
def test_sets_of_squares_equal_sets_of_numbers(words):
    rng = np.random.default_rng(words)
    area = 32 * words
    for squares in [set(), {0}, {area - 1}, *(set(rng.choice(area, 9, replace=False).tolist()) for _ in range(3))]:
        bits = bits_of(squares, words)
        assert members(bits) == squares
        assert int(count(bits)) == len(squares)
        assert bool(some(bits)) == bool(squares)
        assert np.asarray(has(bits, np.arange(area))).nonzero()[0].tolist() == sorted(squares)
        assert [int(nth_square(bits, np.int32(rank))) for rank in range(len(squares))] == sorted(squares)
        others = set(rng.choice(area, 9, replace=False).tolist())
        assert members(both(bits, bits_of(others, words))) == squares & others
        assert members(either(bits, bits_of(others, words))) == squares | others
        for steps in (-31, -1, 5, 31):
            assert members(shift(bits, steps)) == {s + steps for s in squares if 0 <= s + steps < area}


@pytest.mark.parametrize("area", [8, 32, 50, 64, 128])
def test_a_set_is_turned_around_by_the_number_of_squares(area):
    rng, words = np.random.default_rng(area), -(-area // 32)
    for squares in [set(), {0}, {area - 1}, set(rng.choice(area, area // 2, replace=False).tolist())]:
        assert members(reverse(bits_of(squares, words), area)) == {area - 1 - square for square in squares}


def test_the_set_of_one_square_is_empty_beyond_the_words():
    assert [members(single(np.int32(square), 2)) for square in (0, 31, 32, 63, 64)] == [{0}, {31}, {32}, {63}, set()]


def members(bits):
    number = sum(int(word) << 32 * w for w, word in enumerate(bits))
    return {square for square in range(number.bit_length()) if number >> square & 1}
