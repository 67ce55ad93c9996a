"""Staged deepening against plain Python, which searches one root after the other: node by node."""

import dataclasses
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.search import cores
from jaxgp.search.puzzles.staged import Staged
from tests.reference import staged as plain
from tests.reference.deepening import replay
from tests.search.cases import FAST
from tests.search.games import PassGame
from tests.search.puzzles import LAMPS, Lamps, PackedLamps, PlainLamps, instances, states
from tests.search.test_deepening import CONTEXTS, plain_worth, worth

QUEUE, COUNT = 40, 37
LIMITS = (1, 2, 30, 200, 3000)


def brightness(contexts, whose, nodes, needed):
    """Values that differ from position to position."""
    return nodes.state.lit.astype(jnp.float32)


def plain_brightness(lit, *rest):
    return np.float32(lit)


BASE = Staged(Lamps(), deepest=60, order=worth, k=1, visited=500, queue=16, room=64, lanes=8, narrow=8)
PAPERS = dataclasses.replace(BASE, variant="papers", k=2)
QUICK = ("as in the papers, a tiny set, a tiny queue, little room",)
CASES = {
    "as in the program, a tiny set": dataclasses.replace(BASE, puzzle=PackedLamps(), k=2, visited=4, deepest=24),
    "as in the papers, a tiny set, a tiny queue, little room": dataclasses.replace(
        PAPERS, visited=12, queue=4, room=20, lanes=5, narrow=1
    ),
    "room for all": dataclasses.replace(BASE, order=brightness, visited=2000, queue=1024, room=1024, deepest=2000),
}
MORE = {
    "as in the program": BASE,
    "as in the program, one board": dataclasses.replace(BASE, queue=1, lanes=1),
    "as in the papers, a tiny queue": dataclasses.replace(PAPERS, queue=2),
    "as in the papers, far": dataclasses.replace(PAPERS, k=3, visited=12, deepest=300),
    "as in the papers, one move": dataclasses.replace(PAPERS, k=1, deepest=5),
    "as in the papers, a set of one": dataclasses.replace(PAPERS, visited=1),
    "as in the program, real values and a tiny queue": dataclasses.replace(
        BASE, order=brightness, queue=3, visited=90, room=1024, deepest=2048
    ),
}


@cache
def jitted(search):
    """Compile without optimizing: searches of tests are short, and compilation is most of their time."""
    return jax.jit(lambda *args: cores.search(search, *args), compiler_options=FAST)


def check(search, seed):
    """Search random instances; return what plain Python finds, once both have found the same."""
    rng = np.random.default_rng(seed)
    lit, wires = instances(QUEUE, seed)
    lit[3] = 0
    limits, whose = rng.choice(LIMITS, QUEUE).astype(np.int32), rng.integers(3, size=QUEUE).astype(np.int32)
    run = jitted(search)(states(lit, wires), limits, jnp.int32(COUNT), jnp.asarray(CONTEXTS), whose)
    result, expected = jax.tree.map(np.asarray, run), []
    options = {name: getattr(search, name) for name in ("variant", "k", "visited", "queue", "room", "deepest")}
    for at in range(COUNT):
        lamps = PlainLamps(wires[at])
        value = plain_worth(CONTEXTS[whose[at]]) if search.order is worth else plain_brightness
        one = plain.Search(lamps, limits[at], value, widest=LAMPS, **options).run(int(lit[at]))
        expected.append(one)
        assert (result.solved[at], result.nodes[at], result.exhausted[at]) == (one.solved, one.nodes, one.exhausted)
        assert (result.dropped[at], result.full[at]) == (one.dropped, one.full)
        assert result.length[at] == (len(one.moves) if one.solved else -1)
        assert result.moves[at].tolist() == one.moves + [-1] * (search.deepest - len(one.moves))
        assert not one.solved or replay(lamps, int(lit[at]), one.moves)
    assert not result.solved[COUNT:].any()
    assert (result.nodes[COUNT:] == 0).all()
    assert (result.length[COUNT:] == -1).all()
    return expected


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CASES | MORE]
)
def test_equals_plain_python_node_by_node(name):
    search = (CASES | MORE)[name]
    found = check(search, 0)
    assert 5 < sum(one.solved for one in found) < COUNT - 5
    assert sum(len(one.moves) > search.away for one in found) > 1  # from boards beyond the first one
    assert len({one.nodes for one in found}) > 10
    assert any(one.dropped for one in found) == ("tiny queue" in name or "one board" in name)
    assert any(one.full for one in found) == ("little room" in name)


@pytest.mark.thorough
def test_a_search_that_has_lost_no_board_proves_that_there_is_no_solution():
    """Switches that turn two of four lamps over never make three lamps dark."""
    first, step = np.random.default_rng(1).integers(4, size=(2, QUEUE, LAMPS))
    wires = (1 << first) | (1 << (first + 1 + step % 3) % 4)
    lit = np.array([7, 3] * (QUEUE // 2))
    search = jitted(CASES["room for all"])
    limits, whose = np.full(QUEUE, 10**6, np.int32), np.zeros(QUEUE, np.int32)
    result = search(states(lit, wires), limits, jnp.int32(QUEUE), jnp.asarray(CONTEXTS), whose)
    assert result.exhausted[::2].all()
    assert not result.solved[::2].any()
    assert (result.solved ^ result.exhausted).all()
    assert result.solved[1::2].any()


@pytest.mark.parametrize(
    ("options", "accepted"),
    [
        ({"variant": "book"}, "heineman, papers"),
        ({"k": 0}, "1 or more"),
        ({"visited": 0}, "1 or more"),
        ({"queue": 0}, "1 or more"),
        ({"room": 0}, "1 or more"),
        ({"lanes": 0}, "1 or more"),
        ({"narrow": 0}, "1 or more"),
        ({"deepest": 1}, "2 to 32767"),
        ({"deepest": 40000}, "2 to 32767"),
    ],
)
def test_refuses_options_it_cannot_serve(options, accepted):
    name, value = next(iter(options.items()))
    with pytest.raises(ValueError, match=f"^{name}={value}: accepted: {accepted}$"):
        dataclasses.replace(BASE, **options)


class Dice(PassGame):
    chance = True


def test_a_puzzle_with_chance_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"game=Dice: chance takes part in it"):
        dataclasses.replace(BASE, puzzle=Dice())
