"""Every legal move can be pointed at in exactly one way, or has a button."""

import re
from collections import defaultdict

import numpy as np
import pytest

import envs
from jaxgp.seats.moves import Stepper, game_key
from tests.envs.replays import TURNS

POINTED = [name for name in TURNS if envs.spec(name).table.pointing is not None]
SETTINGS = {"backgammon": {"variant": "hypergammon"}, "morpion": {"size": 20}}
"""Settings under which random games have more kinds of moves, or less of the same."""
BUTTONS = {"backgammon": {"pass"}, "othello": {"pass"}}
"""Moves that have no place."""
VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')


def positions(game, seed, count):
    """Yield positions of random games, with what may be played there."""
    random = np.random.default_rng(seed)
    number = 0
    while True:
        stepper = Stepper(game, game_key(seed, number))
        record = [stepper.opening()]
        number += 1
        while not bool(record[-1].state.terminated):
            legal = stepper.legal(record[-1].state)
            yield record[-1].state, legal
            count -= 1
            if not count:
                return
            record.append(stepper.after(record, int(random.choice(legal))))


def check(name, game, state, legal):
    """Check one position: what is pointed at for each move, and where that is."""
    spec = envs.spec(name)
    pointing, notation = spec.table.pointing, spec.notation
    routes = {action: pointing.places(game, state, action) for action in legal}
    assert {notation.action_name(game, action) for action, route in routes.items() if not route} <= BUTTONS.get(
        name, set()
    )
    following, shared = defaultdict(set), defaultdict(list)
    for action, route in routes.items():
        shared[route].append(notation.action_name(game, action))
        for length in range(len(route)):
            following[route[:length]].add(route[length])
    assert not any(route in following for route in routes.values()), "a move would begin another one"
    assert all(len(set(names)) == len(names) for names in shared.values()), "buttons tell moves apart"
    width, height = map(float, VIEW.search(spec.drawing.svg(game, state)).groups())
    for bottom in (0, 1):
        spots = pointing.spots(game, state, bottom)
        there = {place for spot in spots for place in spot.places}
        assert there >= {place for route in routes.values() for place in route}
        for spot in spots:
            assert spot.x >= 0
            assert spot.y >= 0
            assert spot.x + spot.width <= width
            assert spot.y + spot.height <= height
            assert all(len(next_ & set(spot.places)) <= 1 for next_ in following.values()), "what is meant is clear"


@pytest.mark.few(1)
@pytest.mark.parametrize("name", POINTED)
def test_each_legal_move_is_pointed_at_in_one_way(name):
    game = envs.make(name, **SETTINGS.get(name, {}))
    for state, legal in positions(game, 0, 30):
        check(name, game, state, legal)


@pytest.mark.slow
@pytest.mark.parametrize("name", POINTED)
def test_each_legal_move_of_a_thousand_positions_is_pointed_at_in_one_way(name):
    game = envs.make(name)
    for state, legal in positions(game, 1, 1000):
        check(name, game, state, legal)
