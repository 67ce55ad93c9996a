"""Leaves valued by the context of their root, and games that list their moves."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.search.lookahead import FullWidth, LegalOnly, ranges, tail_of
from tests.search.cases import FAST, GAME, PLAIN, POSITIONS, check
from tests.search.contexts import dealt, evaluator
from tests.search.games import ListedPassGame

FEW, MANY = 3, 20
"""Contexts."""
LISTED = ListedPassGame(GAME.rows)


def seen(cells):
    """What a context weighs: coins left in either row, and those taken."""
    ends, taken = cells[:4].reshape(2, 2), cells[4:]
    return ends[:, 1] - ends[:, 0], taken


def coins(weights, state):
    """Whole weights of what is seen, so that sums are exact; the weights are a tree."""
    left, taken = seen(state.cells)
    total = (weights["left"] * left).sum() + (weights["taken"][0] * taken).sum()
    return (total * (1 - 2 * state.to_move)).astype(jnp.float32)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("game", "contexts", "tail", "ties"),
    [
        (GAME, FEW, 2, "first"),
        (LISTED, MANY, 1, "all"),
        pytest.param(GAME, MANY, 1, "all", marks=pytest.mark.slow),
        pytest.param(GAME, FEW, 3, "all", marks=pytest.mark.slow),
        pytest.param(LISTED, FEW, 1, "first", marks=pytest.mark.slow),
        pytest.param(LISTED, MANY, 2, "first", marks=pytest.mark.slow),
    ],
)
def test_each_root_gets_what_plain_minimax_by_its_own_values_finds(game, contexts, tail, ties):
    at, whose, count = dealt(50, len(POSITIONS), contexts, seed=contexts)
    positions = [POSITIONS[i] for i in at]
    rng = np.random.default_rng(tail)
    depth = rng.integers(tail, 5, at.shape).astype(np.int32)
    left, taken = rng.integers(-3, 4, (2, contexts, 2)).astype(np.int32)

    def value_in(context):
        def value(position):
            cells, mover = np.array(position[0]), position[1]
            parts = [(w[context] * part).sum() for w, part in zip((left, taken), seen(cells), strict=True)]
            return float(sum(parts) * (1 - 2 * mover))

        return value

    search = AlphaBeta(game, None, 4, tail=tail, lanes=12, narrow=12, ties=ties, leaf_evaluator=evaluator(coins))
    assert isinstance(search._ahead, LegalOnly if game is LISTED and tail == 1 else FullWidth)
    run = jax.jit(search.search, compiler_options=FAST)
    found = run(PLAIN.states(positions), depth, count, {"left": left, "taken": (taken,)}, whose)
    searched = found.replace(values=found.values[:count])
    check(positions[:count], depth[:count], searched, ties, [value_in(context) for context in whose])
    assert np.isneginf(found.values[count:]).all()
    assert ((np.asarray(found.nodes) > 0) == (np.arange(len(at)) < count)).all()
    assert len({values.tobytes() for values in np.asarray(found.values)}) > contexts


@pytest.mark.parametrize("lengths", [[3, 1, 4, 1, 5, 0, 0], [1], [20, 2]])
def test_places_are_counted_off_range_by_range(lengths):
    starts = np.cumsum([0, *lengths[:-1]])
    nodes = np.repeat(np.arange(len(lengths)), lengths)
    count = jax.jit(ranges, static_argnums=1)
    for first in range(0, len(nodes), 4):
        found = np.asarray(count(jnp.asarray(starts - first), 4))[: len(nodes) - first]
        np.testing.assert_array_equal(found, nodes[first : first + 4])


def test_what_lists_its_moves_is_searched_one_ply_full_width():
    assert tail_of(LISTED, 3) == 1
    assert tail_of(GAME, 3) == 3
