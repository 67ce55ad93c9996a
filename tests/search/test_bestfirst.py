"""Best-first search against plain Python, which searches one root after the other: node by node."""

import dataclasses
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.search.puzzles.bestfirst import BestFirst
from jaxgp.search.puzzles.breadth import explore
from tests.reference import bestfirst as plain
from tests.reference.deepening import replay
from tests.search.cases import FAST
from tests.search.games import PassGame
from tests.search.puzzles import Lamps, PackedLamps, PlainLamps, instances, states
from tests.search.test_deepening import CONTEXTS, plain_worth, worth

QUEUE, COUNT = 40, 37
LIMITS = (1, 2, 30, 200, 3000)
BREADTH = BestFirst(Lamps(), deepest=12, room=1024, lanes=8, narrow=8)
QUICK = ("by value, in little room",)
CASES = {
    "breadth-first": BREADTH,
    "by cost": dataclasses.replace(BREADTH, puzzle=PackedLamps(), order=worth),
    "by value, in little room": dataclasses.replace(BREADTH, order=worth, by="value", room=128, lanes=5, narrow=1),
}
MORE = {"by value, not deep": dataclasses.replace(BREADTH, order=worth, by="value", deepest=3)}
LEAST = dataclasses.replace(BREADTH, order=worth, by="value", room=4, lanes=3, narrow=1)


@cache
def jitted(search, way):
    del way  # what is compiled depends on it
    return jax.jit(search.search, compiler_options=FAST)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CASES | MORE]
)
def test_equals_plain_python_node_by_node(name, way):
    search, rng = (CASES | MORE)[name], np.random.default_rng(0)
    lit, wires = instances(QUEUE, 0)
    lit[3] = 0
    limits, whose = rng.choice(LIMITS, QUEUE).astype(np.int32), rng.integers(3, size=QUEUE).astype(np.int32)
    contexts = () if search.order is None else (jnp.asarray(CONTEXTS), whose)
    result = jax.tree.map(np.asarray, jitted(search, way)(states(lit, wires), limits, jnp.int32(COUNT), *contexts))
    found = []
    for at in range(COUNT):
        value = None if search.order is None else plain_worth(CONTEXTS[whose[at]])
        lamps = PlainLamps(wires[at])
        one = plain.search(lamps, int(lit[at]), limits[at], search.deepest, search.room, value, search.by)
        found.append(one)
        assert (result.solved[at], result.nodes[at], result.exhausted[at]) == (one.solved, one.nodes, one.exhausted)
        assert result.length[at] == (len(one.moves) if one.solved else -1)
        assert result.moves[at].tolist() == one.moves + [-1] * (search.deepest - len(one.moves))
        assert not one.solved or replay(lamps, int(lit[at]), one.moves)
    assert 5 < sum(one.solved for one in found) < COUNT - 5
    assert sum(len(one.moves) > 1 for one in found) > 3
    assert len({one.nodes for one in found}) > 10
    assert not result.solved[COUNT:].any()
    assert (result.nodes[COUNT:] == 0).all()


@pytest.mark.slow
def test_a_search_ends_where_one_position_has_more_children_than_the_least_room_can_hold(way):
    lit, wires = instances(QUEUE, 2)
    limits, whose = np.full(QUEUE, 1000, np.int32), np.zeros(QUEUE, np.int32)
    result = jitted(LEAST, way)(states(lit, wires), limits, jnp.int32(QUEUE), jnp.asarray(CONTEXTS), whose)
    for at in range(QUEUE):
        lamps, value = PlainLamps(wires[at]), plain_worth(CONTEXTS[0])
        one = plain.search(lamps, int(lit[at]), 1000, LEAST.deepest, LEAST.room, value, LEAST.by)
        assert (result.solved[at], result.nodes[at], result.exhausted[at]) == (one.solved, one.nodes, one.exhausted)
    assert int(result.nodes.max()) > 2 * LEAST.room


@pytest.mark.thorough
def test_without_an_order_the_solutions_are_the_shortest(way):
    lit, wires = instances(QUEUE, 1)
    result = jitted(BREADTH, way)(states(lit, wires), np.full(QUEUE, 10**6, np.int32), jnp.int32(QUEUE))
    shortest = [
        explore(Lamps(), jax.tree.map(lambda x, at=at: x[at], states(lit, wires))).distance for at in range(QUEUE)
    ]
    assert result.length.tolist() == shortest
    assert max(shortest) > 3
    assert result.exhausted.tolist() == [one < 0 for one in shortest]


@pytest.mark.parametrize(
    "options", [{"deepest": 0}, {"room": 2}, {"room": 100}, {"lanes": 0}, {"narrow": 0}, {"by": "depth"}]
)
def test_refuses_options_it_cannot_serve(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))}=.*accepted"):
        dataclasses.replace(BREADTH, **options)


class Dice(PassGame):
    chance = True


def test_a_puzzle_with_chance_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"game=Dice: chance takes part in it"):
        dataclasses.replace(BREADTH, puzzle=Dice())
