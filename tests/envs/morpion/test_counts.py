"""Numbers kept as boards of digits, against the same numbers got one line at a time."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.morpion import choice, counts
from envs.morpion.rules import unpack
from tests.envs.morpion.drawings import points
from tests.envs.replays import FAST, KEY, replay

GAMES, PLIES = 6, 19
"""No game ends in fewer than 20 moves."""


@cache
def positions(variant):
    """The game, and random positions of it, each after a different number of moves."""
    game = envs.make("morpion", variant=variant)
    random, actions = np.random.default_rng(0), np.zeros((GAMES, PLIES), np.int32)
    for ply in range(PLIES):  # one more move a round: `replay` does nothing with the moves that are not chosen yet
        legal = np.asarray(replay(game)(actions)[1])[:, ply]
        actions[:, ply] = [random.choice(np.flatnonzero(row)) for row in legal]
    states, legal = jax.device_get(replay(game)(actions))
    chosen = (np.arange(GAMES), PLIES - np.arange(GAMES))
    return game, jax.tree.map(lambda x: x[chosen], states), legal[chosen]


def at(digits, direction, row, column):
    """The number that digits, [games] of boards, have for a line in each game."""
    return sum(unpack(digit)[:, row, column].astype(int) << place for place, digit in enumerate(digits[direction]))


@cache
def both(variant, measure, one_by_one):
    """For each position its legal lines, and their numbers by digits and one by one."""
    compared = []
    game, states, legal = positions(variant)
    digits = jax.device_get(jax.jit(jax.vmap(lambda state: measure(game, state)), compiler_options=FAST)(states))
    for n in range(GAMES):
        state = jax.tree.map(lambda x, n=n: x[n], states)
        lines = np.flatnonzero(legal[n])
        places = [[int(x) for x in game.line(line)] for line in lines]
        ours = [at(digits, direction, row, column)[n] for direction, column, row in places]
        compared.append((lines, np.array(ours), one_by_one(game, state, lines)))
    return compared


@cache
def left(game):
    """Compile: a position, and actions [64] -> the number of lines that are legal after each."""

    def after(state, line):
        return game.legal_actions(game.step(state, line, KEY)).sum()

    return jax.jit(jax.vmap(after, (None, 0)), compiler_options=FAST)


def lines_left(game, state, lines):
    return np.asarray(left(game)(state, np.resize(lines, 64)))[: len(lines)]


@pytest.mark.parametrize("variant", ["5T", pytest.param("5D", marks=pytest.mark.slow)])
def test_lines_left_after_each_line_are_those_after_drawing_it(variant):
    seen = set()
    for _, ours, theirs in both(variant, counts.lines_after, lines_left):
        assert len(set(ours - theirs)) == 1  # a constant of the position
        seen |= set(theirs - theirs.max())
    assert len(seen) > 2


@cache
def crossed(game):
    """Compile: a position, and actions [64] -> the column and the row, [64] each, of the new cross of each."""
    one = jax.jit(jax.vmap(game.new_cross, (None, 0)), compiler_options=FAST)
    return lambda state, lines: [x.tolist() for x in one(state, lines)]


def crosses_near(distance):
    def measure(game, state, lines):
        crosses = points(game, state.crosses)
        new = zip(*crossed(game)(state, np.resize(lines, 64)), strict=True)
        new = [(x + game.origin[0], y + game.origin[1]) for x, y in [*new][: len(lines)]]
        return np.array([sum(max(abs(x - a), abs(y - b)) <= distance for a, b in crosses) for x, y in new])

    return measure


@pytest.mark.few(1)
@pytest.mark.parametrize("distance", [1, 9])
def test_neighbours_are_the_crosses_in_a_square_round_the_new_one(distance):
    def measure(game, state):
        return counts.neighbours(game, state, distance)

    for _, ours, theirs in both("5T", measure, crosses_near(distance)):
        assert (ours == theirs).all()


def test_the_greatest_number_of_all_directions_is_taken_and_then_the_line_listed_first():
    game, states, _ = positions("5T")
    best = jax.jit(lambda state: choice.best(game, state, counts.lines_after(game, state)), compiler_options=FAST)
    for n, (lines, _, theirs) in enumerate(both("5T", counts.lines_after, lines_left)):
        chosen = int(best(jax.tree.map(lambda x, n=n: x[n], states)))
        equal = lines[theirs == theirs.max()]
        direction = min(equal // game.size**2)
        equal = [line for line in equal if line // game.size**2 == direction]
        key = (lambda line: line) if direction == 0 else (lambda line: (line % game.size, line))
        assert chosen == min(equal, key=key)


@pytest.mark.parametrize("numbers", [[3], [1, 1, 1], [7, 9, 0, 15, 1], list(range(20))])
def test_digits_add_up(numbers):
    digits = [[jnp.uint32(number >> place & 1) for place in range(5)] for number in numbers]
    added = counts.total(digits)
    assert sum(int(digit) << place for place, digit in enumerate(added)) == sum(numbers)


def test_a_difference_is_counted_from_a_constant_that_keeps_it_positive():
    def digits(number, count):
        return [jnp.uint32(-(number >> place & 1) % 2**32) for place in range(count)]

    def value(number):
        return sum((int(digit) & 1) << place for place, digit in enumerate(number))

    assert [value(counts.subtract(digits(a, 5), digits(b, 3))) for a, b in [(0, 7), (7, 7), (31, 0)]] == [0, 7, 38]
