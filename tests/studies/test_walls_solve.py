"""The solver of small boards against exhaustive minimax of the reference, and its best play against the rules."""

import jax.numpy as jnp
import numpy as np
import pytest

import envs
from studies.walls_solve import Solver
from tests.envs.replays import KEY
from tests.envs.walls.drawings import compiled
from tests.reference import walls


def final_lead(position):
    """Lead of seat 0 under best play: every position once, no pruning."""
    known = {}

    def lead(position):
        name = position.walkers, frozenset(position.bricks), position.turn
        if name not in known:
            after = (walls.play(position, move) for move in walls.moves(position))
            best = (max, min)[position.turn]
            known[name] = walls.lead(position) if position.over else best(map(lead, after))
        return known[name]

    return lead(position)


def check_line(game, solution):
    """Best play, by the rules, ends the game with the value."""
    state = game.init(KEY)
    for action in solution.line:
        assert not state.terminated
        state = compiled(game)(state, jnp.int32(action))
    assert state.terminated
    first, second = game.score(state).tolist()
    assert first - second == solution.margin
    assert state.returns[0] == np.sign(solution.margin)


@pytest.mark.parametrize(("stall", "margin"), [(1, 0), (2, 1), pytest.param(3, 1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("first", ["left", "right"])
def test_equals_exhaustive_search(stall, margin, first):
    game = envs.make("walls", size=3, stall=stall, first=first)
    solution = Solver(game).solve()
    assert solution.margin == margin
    assert solution.margin == final_lead(walls.start(3, first=first, limit=stall))
    check_line(game, solution)


@pytest.mark.slow
def test_the_player_who_begins_wins_the_smallest_board_by_one_brick():
    game = envs.make("walls", size=3)
    solution = Solver(game).solve()
    assert solution.margin == 1
    check_line(game, solution)
