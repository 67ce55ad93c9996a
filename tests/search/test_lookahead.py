"""Roots that are judged each in its own way, and games that list their moves."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.mancala.rules import Mancala
from envs.othello.rules import count as discs
from jaxgp.search.alphabeta import AlphaBeta, best_moves
from jaxgp.search.lookahead import lists_moves, ranges, tail_of
from tests.envs.othello.drawings import as_reference, compiled, read
from tests.envs.replays import FAST
from tests.reference import othello as reference
from tests.search.games import Nim, PassGame

FEW, MANY = 3, 20
"""Contexts."""


def judging(value):
    """A judge whose contexts [C, ...] are handed to `value`: (context, state) -> float32[].

    It says nothing of what need not be judged, and asks to be shown the others by context.
    """

    def judge(contexts, whose, states, needed):
        mine = jax.tree.map(lambda x: x[whose], contexts)
        counts = jnp.arange(len(whose)) < needed
        ascending = ((whose[1:] >= whose[:-1]) | ~counts[1:]).all()
        return jnp.where(counts & ascending, jax.vmap(value)(mine, states), jnp.nan)

    return judge


def batch(states):
    return jax.tree.map(lambda *x: jnp.stack(x), *states)


def dealt(number, states, contexts, seed):
    """Roots, with a context for each in no order, and how many of them to search: nearly all."""
    rng = np.random.default_rng(seed)
    at = rng.integers(len(states), size=number)
    return at, rng.integers(contexts, size=number).astype(np.int32), np.int32(number - 3)


KALAH = Mancala(pits=3, stones=3)
COINS = PassGame()


def seeds(weights, state):
    """Stores and seeds on either side of a board of Kalah."""
    own, other = state.board[: KALAH.pits].sum(), state.board[KALAH.pits + 1 : -1].sum()
    return weighted(weights, jnp.stack([state.board[KALAH.pits], state.board[-1], own, other]))


def coins(weights, state):
    """Coins that are left in either row and those taken, as the side to move sees them."""
    ends, taken = state.cells[:4].reshape(2, 2), state.cells[4:]
    return weighted(weights, jnp.concatenate([ends[:, 1] - ends[:, 0], taken])) * (1 - 2 * state.to_move)


def weighted(weights, seen):
    """Weights are whole numbers, so that sums are exact."""
    return (weights * seen).sum().astype(jnp.float32)


@cache
def positions(game, number):
    """States met in random play, ended games among them."""
    step, legal = (jax.jit(f, compiler_options=FAST) for f in (game.step, game.legal_actions))
    rng, found = np.random.default_rng(3), []
    while len(found) < number:
        state = game.init()
        while not state.terminated:
            found.append(state)
            state = step(state, jnp.int32(rng.choice(np.flatnonzero(legal(state)))))
        found.append(state)
    return [found[i] for i in rng.permutation(len(found))[:number]]


@pytest.mark.parametrize(
    ("game", "value", "contexts", "tail", "ties"),
    [
        (COINS, coins, FEW, 2, "first"),
        pytest.param(COINS, coins, MANY, 1, "all", marks=pytest.mark.slow),
        pytest.param(COINS, coins, FEW, 1, "all", marks=pytest.mark.slow),
        pytest.param(COINS, coins, FEW, 3, "all", marks=pytest.mark.slow),
        pytest.param(COINS, coins, MANY, 2, "first", marks=pytest.mark.slow),
        pytest.param(KALAH, seeds, FEW, 2, "first", marks=pytest.mark.slow),
        pytest.param(KALAH, seeds, MANY, 1, "all", marks=pytest.mark.slow),
        pytest.param(KALAH, seeds, MANY, 2, "all", marks=pytest.mark.slow),
    ],
)
def test_each_root_gets_what_a_search_by_its_own_evaluator_finds(game, value, contexts, tail, ties):
    states = positions(game, 60)
    at, whose, count = dealt(50, states, contexts, seed=contexts)
    roots = jax.tree.map(lambda x: x[at], batch(states))
    rng = np.random.default_rng(tail)
    depth = rng.integers(tail, 4, at.shape).astype(np.int32)
    weights = rng.integers(-3, 4, (contexts, 4)).astype(np.float32)
    options = {"max_depth": 3, "tail": tail, "lanes": 12, "narrow": 3, "ties": ties}
    together = AlphaBeta(game, None, judge=judging(value), **options)
    found = jax.jit(together.search, compiler_options=FAST)(roots, depth, count, weights, whose)

    def alone(weights, *args):
        return AlphaBeta(game, partial(value, weights), **options).search(*args)

    alone = jax.jit(alone, compiler_options=FAST)
    for context in range(contexts):
        own = (whose == context) & (np.arange(len(whose)) < count)
        wanted = alone(weights[context], roots, depth, count)
        np.testing.assert_array_equal(found.values[own], wanted.values[own])
        np.testing.assert_array_equal(found.nodes[own], wanted.nodes[own])
    assert np.isneginf(found.values[count:]).all()
    assert (np.asarray(found.nodes[:count]) > 0).all()
    assert len({values.tobytes() for values in np.asarray(found.values)}) > contexts


OTHELLO = envs.make("othello", size=4)
TASTES = [(1, 0), (-1, 0), (1, 4), (-1, 16)]
"""For or against discs of one's own, and what a corner is worth besides."""


def tasted(taste, state):
    """As the side to move sees it; of an ended game corners count for nothing. `taste` is a tree."""
    sign, bonus = taste["sign"], taste["bonus"][0]
    lead = discs(state.own) - discs(state.other)
    corners = discs(OTHELLO.corners(state.own)) - discs(OTHELLO.corners(state.other))
    return (sign * (lead + jnp.where(state.terminated, 0, bonus * corners))).astype(jnp.float32)


def contexts(tastes):
    """The tree of some of TASTES, int[C]; of one, int."""
    sign, bonus = np.array(TASTES, np.int32)[tastes].T
    return {"sign": sign, "bonus": (bonus,)}


@cache
def othello_positions(number):
    """States met in random play on a small board, with the passes and the ended games among them."""
    step = compiled(OTHELLO)[0]
    rng, found = np.random.default_rng(5), []
    while len(found) < number:
        state = OTHELLO.init()
        line = [state]
        while not state.terminated:
            moves = [reference.action(4, move) for move in reference.moves(as_reference(OTHELLO, state))]
            state = step(state, jnp.int32(rng.choice(moves)))
            line.append(state)
        passes = [state for state in line if not np.array(state.legal).any()]
        found += [*passes, *(line[i] for i in rng.integers(len(line), size=4))]
    return found[:number]


@cache
def wanted(index, depth, taste):
    """Values of the moves by plain minimax, by action."""
    position = as_reference(OTHELLO, othello_positions(40)[index])
    worth = lambda position: TASTES[taste][0] * reference.corner_lead(position, TASTES[taste][1])  # noqa: E731
    return {reference.action(4, m): v for m, v in reference.move_values(position, depth, worth).items()}


@pytest.mark.parametrize("ties", [pytest.param("first", marks=pytest.mark.slow), "all"])
def test_listed_moves_are_those_of_plain_minimax_by_the_evaluator_of_each_root(ties):
    states = othello_positions(40)
    assert sum(bool(state.terminated) for state in states) > 2
    assert any(not state.terminated and not np.array(state.legal).any() for state in states)
    at, whose, count = dealt(120, states, MANY, seed=2)
    depth = np.random.default_rng(3).integers(1, 4, at.shape).astype(np.int32)
    taste = np.arange(MANY) % len(TASTES)
    search = AlphaBeta(OTHELLO, None, 3, tail=1, lanes=32, narrow=8, ties=ties, judge=judging(tasted))
    roots = jax.tree.map(lambda x: x[at], batch(states))
    found = jax.jit(search.search, compiler_options=FAST)(roots, depth, count, contexts(taste), whose)
    for root, values in enumerate(np.asarray(found.values)):
        plain = wanted(int(at[root]), int(depth[root]), int(taste[whose[root]]))
        if root >= count or not plain:
            assert np.isneginf(values).all()
            continue
        best = [action for action, value in plain.items() if value == max(plain.values())]
        assert (values.argmax(), values.max()) == (best[0], max(plain.values()))
        assert set(np.flatnonzero(best_moves(values))) <= set(best)
        if ties == "all":
            assert np.flatnonzero(best_moves(values)).tolist() == best


@pytest.mark.parametrize("lengths", [[3, 1, 4, 1, 5, 0, 0], [1], [20, 2]])
def test_places_are_counted_off_range_by_range(lengths):
    starts = np.cumsum([0, *lengths[:-1]])
    nodes = np.repeat(np.arange(len(lengths)), lengths)
    for first in range(0, len(nodes), 4):
        found = np.asarray(ranges(jnp.asarray(starts - first), 4))[: len(nodes) - first]
        np.testing.assert_array_equal(found, nodes[first : first + 4])


@pytest.mark.slow
def test_listed_moves_and_the_full_width_find_the_same():
    """Two plies full width try every action, legal or not; with lists only those that may be played."""
    states = batch(othello_positions(40))
    depth, count = np.full(40, 3, np.int32), np.int32(40)
    value = partial(tasted, contexts(2))
    found = [
        jax.jit(AlphaBeta(OTHELLO, value, 3, tail=tail, lanes=8, narrow=8, ties="all").search, compiler_options=FAST)(
            states, depth, count
        ).values
        for tail in (1, 2)
    ]
    np.testing.assert_array_equal(*found)


def test_what_lists_its_moves_is_searched_one_ply_full_width():
    assert lists_moves(OTHELLO)
    assert tail_of(OTHELLO, 3) == 1
    assert not lists_moves(Nim())
    assert tail_of(Nim(), 3) == 3


def test_lists_hold_the_legal_moves_in_order():
    passing = read("XO.." + "...." + "...." + "....", to_move=1)[1]
    states = [*(state for state in othello_positions(40) if not state.terminated), passing]
    counts = jax.jit(jax.vmap(OTHELLO.choices), compiler_options=FAST)(batch(states))
    places = np.arange(OTHELLO.num_actions)
    listed = jax.jit(jax.vmap(lambda state: jax.vmap(partial(OTHELLO.choice, state))(places)), compiler_options=FAST)
    for state, number, moves in zip(states, counts.tolist(), listed(batch(states)), strict=True):
        legal = [reference.action(4, move) for move in reference.moves(as_reference(OTHELLO, state))]
        assert moves[:number].tolist() == legal


def test_a_search_is_judged_in_one_way():
    for given in ({}, {"judge": judging(tasted)}):
        with pytest.raises(ValueError, match="either evaluate or judge"):
            AlphaBeta(OTHELLO, None if not given else lambda state: jnp.float32(0), 1, tail=1, **given)
