"""Iterative deepening against the fixed-depth search it is made of, at Nim: who takes the last stone wins."""

from dataclasses import replace
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.seats.deepening import DeepeningSearch, Thought, deepening_agent
from tests.envs.replays import FAST
from tests.search.games import Nim

GAME = Nim((1, 2))
LIMIT = 4
KEY = jax.random.key(0)


def result(state):
    """Who is to move in an ended game has lost it; of others nothing is known."""
    return -state.terminated.astype(jnp.float32)


SEARCH = AlphaBeta(GAME, result, max_depth=LIMIT, tail=1, lanes=1, ties="all")
FIRST = replace(SEARCH, ties="first")
OPENING = GAME.init(KEY)
WINNING = 2
"""One stone of the heap of two: one stone is left in each."""


@pytest.fixture(scope="module")
def player():
    return DeepeningSearch(SEARCH, certain=1)


def thoughts(player, state):
    seen = []
    return player.think(state, seen.append), seen


COMPILED = jax.jit(SEARCH.search, compiler_options=FAST)


def fixed(depth, state):
    found = COMPILED(jax.tree.map(lambda x: x[None], state), jnp.full(1, depth, jnp.int32), jnp.int32(1))
    return np.asarray(found.values[0]), int(found.nodes[0])


@pytest.mark.thorough
def test_each_depth_finds_what_a_search_of_that_depth_finds():
    last, seen = thoughts(DeepeningSearch(SEARCH), OPENING)
    assert [thought.depth for thought in seen] == list(range(1, LIMIT + 1))
    assert last == seen[-1]
    nodes = 0
    for thought in seen:
        values, visited = fixed(thought.depth, OPENING)
        nodes += visited
        assert (thought.move, thought.value, thought.nodes) == (values.argmax(), values.max(), nodes)


@pytest.mark.parametrize("budget", [1, 20])
def test_the_budget_is_exceeded_by_the_last_search_at_most(budget):
    last, seen = thoughts(DeepeningSearch(SEARCH, nodes=budget), OPENING)
    assert all(thought.nodes < budget for thought in seen[:-1])
    assert last.nodes >= budget or last.depth == LIMIT


def test_it_stops_as_soon_as_the_result_is_certain(player):
    last, seen = thoughts(player, OPENING)
    assert last.decided
    assert (last.depth, last.move, last.value) == (3, WINNING, 1)
    assert not any(thought.decided for thought in seen[:-1])


def test_a_single_best_move_needs_no_deeper_tree():
    last, seen = thoughts(DeepeningSearch(SEARCH, single=True), OPENING)
    assert all(len(thought.best) > 1 for thought in seen[:-1])
    assert (last.best, last.depth) == ((WINNING,), 2)


def test_the_bits_choose_among_equally_good_moves():
    player = DeepeningSearch(SEARCH, nodes=1)
    agent, best = deepening_agent(player), player.think(OPENING).best
    assert [agent.choose(OPENING, np.uint32(bits)) for bits in range(len(best))] == list(best)
    assert len(best) > 1


def test_the_agent_plays_the_recommended_move(player):
    agent = deepening_agent(player)
    assert agent.choose(OPENING, np.uint32(0)) == WINNING
    found = Thought(1, (1, 2), 0.0, 1, 1, False)
    first = deepening_agent(SimpleNamespace(think=lambda state, bits: found, search=FIRST, nodes=1, single=False))
    assert [first.choose(OPENING, np.uint32(bits)) for bits in (0, 1)] == [1, 1]
    assert agent.name == f"deepening, {LIMIT} plies"
    assert deepening_agent(DeepeningSearch(SEARCH, nodes=9)).name == f"deepening, 9 nodes, {LIMIT} plies"


@pytest.mark.parametrize("options", [{"nodes": 0}, {"single": True}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValueError, match="accepted"):
        DeepeningSearch(FIRST, **options)


def test_an_ended_game_has_no_move(player):
    state = OPENING.replace(terminated=jnp.bool_(True))
    with pytest.raises(ValueError, match="ended"):
        player.think(state)
