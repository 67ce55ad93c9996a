"""Alpha-beta against plain minimax in Python: values, ties, and the machinery of lanes and queues."""

import itertools
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.native import build
from jaxgp.search.alphabeta import AlphaBeta, best_moves, with_result
from tests.search.cases import FAST, GAME, PLAIN, POSITIONS, check, jitted, lead
from tests.search.games import Nim, PassGame, ReversedPassGame, TicTacToe

STATES = PLAIN.states(POSITIONS)
SIZE = len(POSITIONS)
ONE = AlphaBeta(GAME, lead, 5, tail=1, lanes=8, narrow=8)


@pytest.fixture(scope="module", params=["on", "off"])
def searched(request):
    """A search of all depths from 1 to 5, natively and in lanes, compiled once each; and how often it was traced."""
    traces = []

    def search(*args):
        traces.append(args)
        return ONE.search(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(build.SWITCH, request.param)
        run = jax.jit(search, compiler_options=FAST)
        run(STATES, at_depth(1), jnp.int32(0))
    return run, traces


def at_depth(depth):
    return jnp.broadcast_to(jnp.asarray(depth, jnp.int32), (SIZE,))


def test_equals_plain_minimax_at_every_depth_in_one_program(searched):
    search, traces = searched
    for depth in range(1, 6):
        check(POSITIONS, depth, search(STATES, at_depth(depth), jnp.int32(SIZE)), "first")
    mixed = np.random.default_rng(1).integers(1, 6, SIZE)
    check(POSITIONS, mixed, search(STATES, at_depth(mixed), jnp.int32(SIZE)), "first")
    assert len(traces) == 1


@pytest.mark.parametrize("count", [0, 1, 3, 20])
def test_only_the_first_count_roots_are_searched(searched, count):
    states = jax.tree.map(lambda x: np.concatenate([x[~STATES.terminated], x[STATES.terminated]]), STATES)
    result = searched[0](states, at_depth(4), jnp.int32(count))
    assert (np.isfinite(result.values).any(1) == (np.arange(SIZE) < count)).all()
    assert ((np.asarray(result.nodes) > 0) == (np.arange(SIZE) < count)).all()


def test_each_root_of_a_batch_equals_a_search_alone(searched):
    batch = searched[0](STATES, at_depth(4), jnp.int32(SIZE))
    for index in range(0, SIZE, 10):
        rolled = jax.tree.map(lambda x, index=index: np.roll(x, -index, axis=0), STATES)
        alone = searched[0](rolled, at_depth(4), jnp.int32(1))
        np.testing.assert_array_equal(alone.values[0], batch.values[index])
        assert alone.nodes[0] == batch.nodes[index]


@pytest.mark.slow
def test_a_lane_for_all_finds_the_same_node_by_node(monkeypatch):
    monkeypatch.setenv(build.SWITCH, "off")
    many, one = (jitted(replace(ONE, lanes=n, narrow=n))(STATES, at_depth(4), jnp.int32(SIZE)) for n in (8, 1))
    np.testing.assert_array_equal(many.values, one.values)
    np.testing.assert_array_equal(many.nodes, one.nodes)
    assert many.iterations < one.iterations == one.nodes.sum()


WORTH = np.array(
    [0, -0.0, 1e-45, -1e-45, np.nan, np.inf, -np.inf, 2e38, 1, np.nextafter(np.float32(1), 2), -7, 1e-30], "f4"
)
"""Of a position one of these, drawn by a hash."""


def noise(state):
    """A value without structure, for ended games too."""
    mixed = (state.cells.astype(jnp.uint32) * np.array([7, 31, 101, 211, 401, 17], np.uint32)).sum()
    return jnp.asarray(WORTH)[(mixed + 5 * state.to_move.astype(jnp.uint32)) % len(WORTH)]


def plain_noise(position):
    """No number is as bad as can be for the side to move; subnormal numbers are zero; infinities are numbers."""
    cells, mover = position
    worth = WORTH[(np.dot(cells, [7, 31, 101, 211, 401, 17]) + 5 * mover) % len(WORTH)]
    worth = np.clip(np.float32(-np.inf) if np.isnan(worth) else worth, -3e38, 3e38)
    return float(worth) if abs(worth) > 1e-37 else 0.0


@pytest.mark.slow
def test_any_values_three_plies_full_width_of_a_twin_in_loops_that_grow_narrow(monkeypatch):
    """The twin plays from the other seats."""
    monkeypatch.setenv(build.SWITCH, "off")
    depths, twin = np.random.default_rng(2).integers(3, 6, SIZE), ReversedPassGame(GAME)
    search = AlphaBeta(GAME, lambda state: noise(state.board), 5, tail=3, lanes=8, narrow=2, twin=twin, ties="all")
    found = jitted(search)(STATES, at_depth(depths), jnp.int32(SIZE))
    check(POSITIONS, depths, found, "all", plain_noise)
    assert not np.isnan(found.values).any()
    # At zero the next smaller float is subnormal, which a CPU may take for zero.
    worths = [PLAIN.values(p, int(depth), plain_noise).values() for p, depth in zip(POSITIONS, depths, strict=True)]
    assert any(len(worth) == 2 and set(worth) == {0} for worth in worths)


def test_best_moves_marks_ties_and_nothing_else():
    values = jnp.array([[1.0, -jnp.inf, 1.0], [-jnp.inf, 0.0, -jnp.inf], [-jnp.inf, -jnp.inf, -jnp.inf]])
    assert best_moves(values).tolist() == [[True, False, True], [False, True, False], [False] * 3]


@pytest.mark.parametrize("options", [{"tail": 0}, {"tail": 6}, {"lanes": 0}, {"narrow": 0}, {"ties": "some"}])
def test_refuses_options_it_cannot_serve(options):
    with pytest.raises(ValueError, match="accepted"):
        AlphaBeta(GAME, lead, 5, **options)


def test_leaves_are_valued_in_one_way():
    def value(*_):
        return jnp.float32(0)

    for given in ((None, None), (value, value)):
        with pytest.raises(ValueError, match="either evaluate or leaf_evaluator"):
            AlphaBeta(GAME, given[0], 2, leaf_evaluator=given[1])


class Dice(PassGame):
    chance = True


def test_a_game_with_chance_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"game=Dice: chance takes part in it; accepted in a search: games without"):
        AlphaBeta(Dice(), lead, 2)


def nothing(state):
    return jnp.float32(0)


@pytest.mark.thorough
def test_nim_is_lost_exactly_where_the_heaps_xor_to_zero():
    """More actions than get code of their own each."""
    game = Nim((3, 3, 2))
    heaps = [heaps for heaps in itertools.product(range(4), range(4), range(3)) if 0 < sum(heaps) < 8]
    start = jax.tree.map(lambda x: np.broadcast_to(x, (len(heaps), *x.shape)), game.init())
    states = start.replace(cells=np.array(heaps, np.int8))
    search = AlphaBeta(game, with_result(nothing, 1.0), 7, tail=1, lanes=8, narrow=8, ties="all")
    found = jitted(search)(states, np.maximum(1, np.sum(heaps, 1)).astype(np.int32), jnp.int32(len(heaps)))
    for heap, values in zip(heaps, found.values, strict=True):
        lost = np.bitwise_xor.reduce(heap) == 0
        assert values.max() == (-1.0 if lost else 1.0)
        winning = [
            at * game.most + take - 1
            for at, stones in enumerate(heap)
            for take in range(1, stones + 1)
            if np.bitwise_xor.reduce([*heap[:at], stones - take, *heap[at + 1 :]]) == 0
        ]
        assert lost or np.flatnonzero(best_moves(values)).tolist() == winning


@pytest.mark.slow
def test_tic_tac_toe_must_block_and_wins_when_it_can():
    game, step = TicTacToe(), jax.jit(TicTacToe().step, compiler_options=FAST)
    line = [game.init()]
    for action in (0, 4, 1, 8, 2):
        line.append(step(line[-1], jnp.int32(action)))
    states = jax.tree.map(lambda *x: jnp.stack(x), *line)
    search = AlphaBeta(game, with_result(nothing, 1.0), 6, tail=2, lanes=2, narrow=2, ties="all")
    values = jitted(search)(states, jnp.array([2, 3, 4, 6, 2, 2]), jnp.int32(6)).values
    assert values[:3].max(1).tolist() == [0, 0, 0]
    # Seat 1 must stop 0-1-2; if it errs, seat 0 wins at once.
    assert [np.flatnonzero(best_moves(row)).tolist() for row in values[3:]] == [[2], [2], []]
    assert values[3:5].max(1).tolist() == [0, 1]
