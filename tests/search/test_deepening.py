"""Iterative deepening against plain Python, which searches one root after the other: node by node."""

import dataclasses
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxgp.search.puzzles.deepening import Deepening
from tests.reference import deepening as plain
from tests.search.cases import FAST
from tests.search.games import PassGame
from tests.search.puzzles import LAMPS, Lamps, PackedLamps, PlainLamps, instances, states

QUEUE, COUNT = 40, 37
WORTH = np.array([0, 1, 1, 2.5, 4, np.nan, np.inf, -np.inf, 1e-45, -0.0, 3, 1, 0.5, 0], np.float32)
"""Values of children, drawn by a hash; many are equal."""
CONTEXTS = np.array([1, 5, 9], np.uint32)
LIMITS = (1, 2, 30, 400, 3000)


def mixture(context, lit, before, action, depth, siblings):
    """A number made of all that an order sees."""
    return context * (lit * 7 + before * 3 + action * 5 + depth * 11 + siblings * 2)


def worth(contexts, whose, nodes, needed):
    """Values of the nodes that matter, if they are sorted by context; else nothing is known of any."""
    words = (nodes.state.lit, nodes.before.lit, nodes.action, nodes.depth, nodes.siblings)
    drawn = mixture(contexts[whose], *(word.astype(jnp.uint32) for word in words))
    matters = jnp.arange(len(whose)) < needed
    ascending = ((whose[1:] >= whose[:-1]) | ~matters[1:]).all()
    return jnp.where(matters & ascending, jnp.asarray(WORTH)[drawn % len(WORTH)], jnp.nan)


def plain_worth(context):
    return lambda *node: WORTH[mixture(int(context), *node) % len(WORTH)]


BLIND = Deepening(Lamps(), first=2, grow=2, deepest=7, lanes=8, narrow=8)
ORDERED = dataclasses.replace(BLIND, puzzle=PackedLamps(), first=1, order=worth, table=64)
CASES = {
    "blind with a table": dataclasses.replace(BLIND, table=1024, deepest=17, lanes=64, narrow=64),
    "ordered with a table": ORDERED,
    "ordered by cost": dataclasses.replace(ORDERED, bound="cost", grow=1, deepest=4),
}
MORE = {
    "blind": BLIND,
    "blind with a tiny table": dataclasses.replace(BLIND, table=4, lanes=5, narrow=1),
    "ordered": dataclasses.replace(ORDERED, table=0, grow=3),
    "ordered by cost with a tiny table": dataclasses.replace(ORDERED, bound="cost", table=2, lanes=1, deepest=6),
}


@cache
def jitted(search, way):
    """Compile without optimizing: searches of tests are short, and compilation is most of their time."""
    del way  # what is compiled depends on it
    return jax.jit(search.search, compiler_options=FAST)


def check(search, way, seed, count=COUNT):
    """Search random instances; return what plain Python finds, once both have found the same."""
    rng = np.random.default_rng(seed)
    lit, wires = instances(QUEUE, seed)
    lit[3] = 0
    limits, whose = rng.choice(LIMITS, QUEUE).astype(np.int32), rng.integers(3, size=QUEUE).astype(np.int32)
    contexts = () if search.order is None else (jnp.asarray(CONTEXTS), whose)
    result = jax.tree.map(np.asarray, jitted(search, way)(states(lit, wires), limits, jnp.int32(count), *contexts))
    expected = []
    for at in range(count):
        value = None if search.order is None else plain_worth(CONTEXTS[whose[at]])
        lamps = PlainLamps(wires[at])
        alone = plain.Search(lamps, limits[at], search.table, value, search.bound == "cost")
        one = alone.run(int(lit[at]), search.first, search.grow, search.deepest)
        expected.append(one)
        assert (result.solved[at], result.nodes[at], result.exhausted[at]) == (one.solved, one.nodes, one.exhausted)
        assert result.length[at] == (len(one.moves) if one.solved else -1)
        assert result.moves[at].tolist() == one.moves + [-1] * (search.deepest - len(one.moves))
        assert not one.solved or plain.replay(lamps, int(lit[at]), one.moves)
    assert not result.solved[count:].any()
    assert (result.nodes[count:] == 0).all()
    assert (result.length[count:] == -1).all()
    assert (result.moves[count:] == -1).all()
    return expected


@pytest.mark.few(1)
@pytest.mark.parametrize("name", [*CASES, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE)])
def test_equals_plain_python_node_by_node(name, way):
    found = check((CASES | MORE)[name], way, 0)
    assert 5 < sum(one.solved for one in found) < COUNT - 5
    assert sum(len(one.moves) > 1 for one in found) > 5
    assert len({one.nodes for one in found}) > 10


@pytest.mark.thorough
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1), st.integers(0, QUEUE))
def test_equals_plain_python_on_any_instances(way, seed, count):
    check(ORDERED, way, seed, count)


def test_an_exhausted_search_proves_that_there_is_no_solution(way):
    """Switches that turn two of four lamps over never make three lamps dark; no path is longer than 15."""
    first, step = np.random.default_rng(1).integers(4, size=(2, QUEUE, LAMPS))
    wires = (1 << first) | (1 << (first + 1 + step % 3) % 4)
    lit = np.array([7, 3] * (QUEUE // 2))
    search = jitted(CASES["blind with a table"], way)
    result = search(states(lit, wires), np.full(QUEUE, 10**6, np.int32), jnp.int32(QUEUE))
    assert result.exhausted[::2].all()
    assert not result.solved[::2].any()
    assert (result.solved ^ result.exhausted).all()
    assert result.solved[1::2].any()


@pytest.mark.parametrize(
    "options",
    [
        {"first": 0},
        {"deepest": 1},
        {"deepest": 1024},
        {"grow": 0},
        {"table": 3},
        {"table": -1},
        {"lanes": 0},
        {"narrow": 0},
        {"bound": "cost"},
        {"bound": "time"},
    ],
)
def test_refuses_options_it_cannot_serve(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))}=.*accepted"):
        dataclasses.replace(BLIND, **options)


class Dice(PassGame):
    chance = True


def test_a_puzzle_with_chance_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"game=Dice: chance takes part in it"):
        dataclasses.replace(BLIND, puzzle=Dice())
