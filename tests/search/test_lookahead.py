"""Rows of roots that are judged each in its own way, and games that list their moves."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.mancala.rules import Mancala
from envs.othello.rules import count as discs
from jaxgp.search.alphabeta import AlphaBeta, best_moves
from jaxgp.search.lookahead import lists_moves, tail_of
from tests.envs.othello.drawings import as_reference, compiled, read
from tests.envs.replays import FAST
from tests.reference import othello as reference
from tests.search.games import Nim, PassGame

QUEUE = 12
"""Roots in each row, not all of which are searched."""
FEW, MANY = 3, 20
"""Rows below and above the number from which on whole rows are given up, not lanes."""


def judging(value):
    """A judge whose contexts [C, ...] are handed to `value`: (context, state) -> float32[]."""
    return lambda contexts, states, needed: jax.vmap(lambda context, row: jax.vmap(partial(value, context))(row))(
        contexts, states
    )


def batch(states):
    return jax.tree.map(lambda *x: jnp.stack(x), *states)


def dealt(rows, states, seed):
    """For each row roots of its own and a number of them to search: nothing of one row, all of another."""
    rng = np.random.default_rng(seed)
    at = np.stack([rng.permutation(len(states))[:QUEUE] for _ in range(rows)])
    count = rng.integers(0, QUEUE + 1, rows)
    count[:2] = 0, QUEUE
    return at, count.astype(np.int32)


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
    ("game", "value", "rows", "tail", "ties"),
    [
        (COINS, coins, FEW, 2, "first"),
        pytest.param(COINS, coins, MANY, 1, "all", marks=pytest.mark.slow),
        pytest.param(COINS, coins, FEW, 1, "all", marks=pytest.mark.slow),
        pytest.param(COINS, coins, MANY, 2, "first", marks=pytest.mark.slow),
        pytest.param(KALAH, seeds, FEW, 2, "first", marks=pytest.mark.slow),
        pytest.param(KALAH, seeds, MANY, 1, "all", marks=pytest.mark.slow),
        pytest.param(KALAH, seeds, MANY, 2, "all", marks=pytest.mark.slow),
    ],
)
def test_each_row_gets_what_a_search_by_its_own_evaluator_finds(game, value, rows, tail, ties):
    states = positions(game, 60)
    at, count = dealt(rows, states, seed=rows)
    roots = jax.tree.map(lambda x: x[at], batch(states))
    rng = np.random.default_rng(tail)
    depth = rng.integers(tail, 4, at.shape).astype(np.int32)
    weights = rng.integers(-3, 4, (rows, 4)).astype(np.float32)
    options = {"max_depth": 3, "tail": tail, "lanes": 4, "narrow": 4, "ties": ties}
    together = AlphaBeta(game, None, judge=judging(value), **options)
    found = jax.jit(together.search_rows, compiler_options=FAST)(weights, roots, depth, count)

    def alone(weights, *args):
        return AlphaBeta(game, partial(value, weights), **options).search(*args)

    alone = jax.jit(alone, compiler_options=FAST)
    for row in range(rows):
        wanted = alone(weights[row], jax.tree.map(lambda x, row=row: x[row], roots), depth[row], count[row])
        np.testing.assert_array_equal(found.values[row], wanted.values)
        np.testing.assert_array_equal(found.nodes[row], wanted.nodes)
    assert np.isneginf(found.values[0]).all()
    assert (np.asarray(found.nodes[1]) > 0).all()
    assert len({values.tobytes() for values in np.asarray(found.values)}) > rows / 2


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


@pytest.mark.parametrize(
    ("rows", "ties"), [pytest.param(FEW, "first", marks=pytest.mark.slow), (MANY, "all")], ids=["few", "many"]
)
def test_listed_moves_are_those_of_plain_minimax_by_the_evaluator_of_each_row(rows, ties):
    states = othello_positions(40)
    assert sum(bool(state.terminated) for state in states) > 2
    assert any(not state.terminated and not np.array(state.legal).any() for state in states)
    at, count = dealt(rows, states, seed=rows)
    depth = np.random.default_rng(rows).integers(1, 4, at.shape).astype(np.int32)
    taste = np.arange(rows) % len(TASTES)
    search = AlphaBeta(OTHELLO, None, 3, tail=1, lanes=4, narrow=4, ties=ties, judge=judging(tasted))
    roots = jax.tree.map(lambda x: x[at], batch(states))
    run = jax.jit(search.search_rows, compiler_options=FAST)
    found = run(contexts(taste), roots, depth, count)
    for row, place in np.ndindex(at.shape):
        values = np.asarray(found.values[row, place])
        plain = wanted(int(at[row, place]), int(depth[row, place]), int(taste[row]))
        if place >= count[row] or not plain:
            assert np.isneginf(values).all()
            continue
        best = [action for action, value in plain.items() if value == max(plain.values())]
        assert (values.argmax(), values.max()) == (best[0], max(plain.values()))
        assert set(np.flatnonzero(best_moves(values))) <= set(best)
        if ties == "all":
            assert np.flatnonzero(best_moves(values)).tolist() == best


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
