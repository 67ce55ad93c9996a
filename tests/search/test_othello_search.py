"""Searches of a small board of Othello, which lists its moves, against plain minimax in Python."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.bits import count as discs
from jaxgp.search.alphabeta import AlphaBeta, best_moves
from tests.envs.othello.drawings import as_reference, read
from tests.reference import othello as reference
from tests.search.cases import FAST
from tests.search.contexts import dealt, evaluator
from tests.search.othello_positions import OTHELLO, othello_positions

CONTEXTS = 20
TASTES = [(1, 0), (-1, 0), (1, 4), (-1, 16)]
"""For or against discs of one's own, and what a corner is worth besides."""


def batch(states):
    return jax.tree.map(lambda *x: jnp.stack(x), *states)


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
def wanted(index, depth, taste):
    """Values of the moves by plain minimax, by action."""
    position = as_reference(OTHELLO, othello_positions(40)[index])
    worth = lambda position: TASTES[taste][0] * reference.corner_lead(position, TASTES[taste][1])  # noqa: E731
    return {reference.action(4, m): v for m, v in reference.move_values(position, depth, worth).items()}


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["first", "all"])
def test_listed_moves_are_those_of_plain_minimax_by_the_values_of_each_root(ties):
    states = othello_positions(40)
    assert sum(bool(state.terminated) for state in states) > 2
    assert any(not state.terminated and not np.array(state.legal).any() for state in states)
    at, whose, count = dealt(120, len(states), CONTEXTS, seed=2)
    depth = np.random.default_rng(3).integers(1, 4, at.shape).astype(np.int32)
    taste = np.arange(CONTEXTS) % len(TASTES)
    search = AlphaBeta(OTHELLO, None, 3, tail=1, lanes=32, narrow=8, ties=ties, leaf_evaluator=evaluator(tasted))
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


def test_lists_hold_the_legal_moves_in_order():
    passing = read("XO.." + "...." + "...." + "....", to_move=1)[1]
    states = [*(state for state in othello_positions(40) if not state.terminated), passing]
    places = np.arange(OTHELLO.num_actions)

    def listed(state):
        return OTHELLO.choices(state), jax.vmap(partial(OTHELLO.choice, state))(places)

    counts, lists = jax.jit(jax.vmap(listed), compiler_options=FAST)(batch(states))
    for state, number, moves in zip(states, counts.tolist(), lists, strict=True):
        legal = [reference.action(4, move) for move in reference.moves(as_reference(OTHELLO, state))]
        assert moves[:number].tolist() == legal
