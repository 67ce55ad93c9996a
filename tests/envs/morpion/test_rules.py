"""Every clause of the rules as a drawn position, and what random play is known to give."""

from functools import cache

import jax
import numpy as np
import pytest

import envs
from envs.morpion.opponents import random_line, random_scores
from envs.morpion.rules import pack
from jaxgp.errors import show
from tests.envs.morpion.drawings import action, draw, line, points, position
from tests.envs.replays import KEY, stepping
from tests.reference.morpion import Position, greek_cross

H, UP, V, DOWN = (1, 0), (1, 1), (0, 1), (-1, 1)


@pytest.fixture(params=["5T", "5D"])
def game(request):
    return envs.make("morpion", variant=request.param)


@cache
def legal(game):
    return jax.jit(game.legal_actions)


def lines(game, state):
    """The legal lines, as ((x, y), step)."""
    return {line(game, number) for number in np.flatnonzero(legal(game)(state)).tolist()}


def play(game, state, *moves):
    for move in moves:
        assert move in lines(game, state)
        state = jax.jit(stepping(game))(state, np.int32(action(game, move)))
    return state


def test_the_start_is_the_greek_cross_and_has_28_lines(game):
    state = jax.jit(game.init)(KEY)
    assert points(game, state.crosses) == greek_cross()
    assert len(greek_cross()) == 36
    assert min(greek_cross()) == (16, 20)
    assert (19, 17) in greek_cross()
    assert len(lines(game, state)) == 28
    assert lines(game, state) == Position(touching=game.variant == "5T").moves()


def test_a_line_needs_four_crosses_and_one_free_point(game):
    state = draw(
        game,
        """
X . . . . . . . .
. . . . . . . . .
X . . . . . . . .
X . . . . . . . .
X X X X . . X X X
""",
    )
    # Three crosses are too few, x 26..28, and so are four of which one stands apart, y 20..22 with 25.
    assert lines(game, state) == {((20, 20), H), ((19, 20), H), ((20, 20), V)}


@pytest.mark.few(8)
@pytest.mark.parametrize(("step", "start"), [(H, (20, 22)), (UP, (20, 20)), (V, (22, 20)), (DOWN, (24, 20))])
@pytest.mark.parametrize("place", range(5))
def test_the_new_cross_may_be_any_point_of_a_line_in_every_direction(game, step, start, place):
    row = [(start[0] + k * step[0], start[1] + k * step[1]) for k in range(5)]
    grid = [
        ["X" if (20 + x, 20 + y) in row and (20 + x, 20 + y) != row[place] else "." for x in range(5)] for y in range(5)
    ]
    state = draw(game, "\n".join(["", *(" ".join(cells) for cells in reversed(grid)), ""]))
    # Four in a row at one end could also be lengthened at the other.
    other = {0: 1, 4: -1}.get(place)
    expected = {(start, step)}
    if other is not None:
        expected.add(((start[0] + other * step[0], start[1] + other * step[1]), step))
    assert lines(game, state) == expected
    after = play(game, state, (start, step))
    assert points(game, after.crosses) == set(row)
    assert tuple(after.last.tolist()) == row[place]


def test_lines_of_a_row_may_touch_in_5t_and_not_in_5d():
    drawn = """
X X X X . X X X .
"""
    #    the first line ends where the second one begins, at x 24
    for variant, expected in (("5T", {((24, 20), H)}), ("5D", set())):
        game = envs.make("morpion", variant=variant)
        state = play(game, draw(game, drawn), ((20, 20), H))
        assert lines(game, state) == expected


def test_lines_of_a_row_may_not_overlap(game):
    state = draw(
        game,
        """
X X X X . X X .
""",
    )
    state = play(game, state, ((20, 20), H))
    # x 22..26 has four and then five crosses; x 23..27 has one free point, but shares a segment with the line.
    assert lines(game, state) == set()
    assert state.terminated


def test_lines_side_by_side_are_allowed_in_5d():
    game = envs.make("morpion", variant="5D")
    state = draw(
        game,
        """
X X X X . X X X X .
""",
    )
    state = play(game, state, ((20, 20), H))
    assert lines(game, state) == {((25, 20), H)}


def test_lines_of_different_directions_share_points_and_segments_never_coincide(game):
    state = draw(
        game,
        """
. . . . .
X X . . .
X . X . .
X . . X .
X X X X .
""",
    )
    everywhere = [((20, 20), H), ((20, 20), V)]
    state = play(game, state, *everywhere)
    assert points(game, state.crosses) >= {(24, 20), (20, 24)}
    # The diagonal from (24, 20) now has all five crosses: nothing is left to add to it.
    assert ((24, 20), DOWN) not in lines(game, state)
    assert int(state.count) == 2


def test_a_point_that_completes_several_lines_lets_the_player_choose(game):
    state = draw(
        game,
        """
X . . . X
X . . X .
X . X . .
X X . . .
. X X X X
""",
    )
    through = {((20, 20), H), ((20, 20), V), ((20, 20), UP)}
    assert through <= lines(game, state)
    after = play(game, state, ((20, 20), UP))
    assert not through & lines(game, after)  # the point has its cross now, the other two lines have nothing to add


def test_an_illegal_line_changes_nothing(game):
    state = game.init(KEY)
    for move in (((18, 20), H), ((5, 5), V), ((36, 36), UP)):
        after = jax.jit(stepping(game))(state, np.int32(action(game, move)))
        assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(after), jax.tree.leaves(state), strict=True))


def test_a_line_that_would_leave_the_grid_cannot_be_drawn():
    """On the smallest grid the last column is x 30, the last row y 30."""
    for step, start in ((H, (27, 20)), (V, (20, 27)), (UP, (27, 27)), (DOWN, (14, 20))):
        row = [(start[0] + k * step[0], start[1] + k * step[1]) for k in range(4)]
        state = {}
        for size in (20, 22):
            game = envs.make("morpion", size=size)
            grid = np.zeros((size, 32 * game.words), bool)
            for x, y in row:
                grid[y - game.origin[1], x - game.origin[0]] = True
            state[size] = lines(game, position(game)(pack(grid)))
        back = (start[0] - step[0], start[1] - step[1])
        assert state[20] == {(back, step)}
        assert state[22] == {(back, step), (start, step)}


@pytest.mark.parametrize("size", [19, 65, 32.0, True, "big"])
def test_a_grid_of_a_wrong_size_is_refused(size):
    with pytest.raises(ValueError, match=rf"^game\.size={show(size)}: accepted: a whole number from 20 to 64$"):
        envs.make("morpion", size=size)


def test_an_unknown_variant_is_refused():
    with pytest.raises(ValueError, match=r"^game\.variant=4T: accepted: 5T, 5D$"):
        envs.make("morpion", variant="4T")


@pytest.mark.parametrize("size", [32, pytest.param(41, marks=pytest.mark.slow)])
def test_random_lines_are_uniform_over_the_legal_ones(size):
    game = envs.make("morpion", size=size)
    bits = jax.random.bits(jax.random.key(0), (28_000,), np.uint32)
    drawn = np.asarray(jax.jit(jax.vmap(lambda b: random_line(game, game.init(KEY), b)))(bits))
    found, counts = np.unique(drawn, return_counts=True)
    assert set(found) == set(np.flatnonzero(game.legal_actions(game.init(KEY))))
    # Chi-squared with 27 degrees of freedom: 60 is passed once in 4,000 times.
    assert ((counts - 1000) ** 2 / 1000).sum() < 60


KNOWN = {"5T": (53.6, 17.8, 89), "5D": (42.9, 13.6, 63)}
"""Mean, standard deviation and maximum of a million random games of another program; the shortest had 20 lines."""


def check_random_play(variant, lanes, rounds, errors, seed):
    game = envs.make("morpion", variant=variant)
    scores = np.asarray(random_scores(game, jax.random.key(seed), lanes, rounds))
    mean, deviation, most = KNOWN[variant]
    # The known means are rounded to 0.05.
    assert abs(scores.mean() - mean) < errors * deviation / np.sqrt(scores.size) + 0.05
    assert abs(scores.std() / deviation - 1) < 10 / np.sqrt(scores.size)
    assert scores.min() == 20
    assert scores.max() <= most


@pytest.mark.thorough
@pytest.mark.parametrize("variant", KNOWN)
def test_random_play_has_the_known_mean(variant):
    check_random_play(variant, lanes=256, rounds=2, errors=4, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("variant", KNOWN)
def test_100_000_random_games_have_the_known_mean(variant):
    check_random_play(variant, lanes=2000, rounds=50, errors=3, seed=2)
