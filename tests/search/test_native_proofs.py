"""Depth-first proofs in C++ against the lanes of plain XLA: claims and nodes to the bit, and what is refused."""

import itertools
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.mate import language, roles, suites
from envs.mate.rules import Mate
from jaxgp.native import build
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.depth import LADDER, DepthFirst
from jaxgp.search.proofs.guided import Guided
from jaxgp.search.proofs.native.generate import DEPTH_FIRST
from tests.envs.replays import FAST
from tests.fixtures.last_stone import HEAPS, LastStone
from tests.search.test_guided import PROVER, WEIGHTED, WEIGHTS

GAME, MATE = LastStone(), Mate()
BLIND = DepthFirst(GAME).why_in_lanes()
pytestmark = pytest.mark.skipif(bool(BLIND), reason=f"not searched natively here: {BLIND}")
DEEPEST, FULL = 3, 4
"""Own moves of a root: that a search is made for, and that some roots have."""


def roots(longest=DEEPEST):
    """All positions of the toy problem, of both sides, with and without moves left."""
    heaps = itertools.product(range(4), repeat=HEAPS)
    posed = [(each, own, side) for each in heaps for own in range(longest + 1) for side in range(2)]
    columns = (jnp.asarray(column, jnp.int32) for column in zip(*posed, strict=True))
    heaps, own, side = columns
    return replace(jax.vmap(GAME.position)(heaps, own), to_move=side)


def problems(number, longest=4):
    """Problems of chess, and after a first move of each, so that the other side is to move."""
    posed = [(text, own) for text, own, _, _ in suites.shipped() if own <= longest]
    posed = posed[:: len(posed) // number][:number]
    states = jax.tree.map(jnp.asarray, MATE.positions(posed))
    first = jax.vmap(lambda state: MATE.following(MATE.look(state), jnp.int32(-1)))
    after = jax.vmap(MATE.advance)(states, jax.jit(first)(states))
    return jax.tree.map(lambda *x: jnp.concatenate(x), states, after)


def both_ways(search, monkeypatch, *given, options=None) -> tuple[Claims, Claims]:
    """Return what C++ claims, and what lanes claim."""
    found = []
    for way in ("on", "off"):
        monkeypatch.setenv(build.SWITCH, way)
        lowered = jax.jit(lambda *given: search(*given), compiler_options=options or FAST).lower(*given)
        assert (DEPTH_FIRST in lowered.as_text()) == (way == "on")
        found.append(jax.device_get(lowered.compile()(*given)))
    return found[0], found[1]


def agree(native: Claims, lanes: Claims) -> None:
    jax.tree.map(np.testing.assert_array_equal, native, lanes)
    assert native.solved.any()
    assert native.refuted.any()


def limits(states, greatest, seed=0):
    """Limits from 0 on, most of them so high that they do not count."""
    length = len(jax.tree.leaves(states)[0])
    drawn = np.random.default_rng(seed)
    return jnp.asarray(np.where(drawn.random(length) < 0.3, drawn.integers(0, 20, length), greatest), jnp.int32)


@pytest.mark.parametrize(
    ("method", "told"),
    [
        pytest.param(method, told, marks=[] if (method, told) == ("few", False) else pytest.mark.thorough)
        for method in ("few", *(one for one in LADDER if one not in ("captures", "few")))
        for told in (False, True)
    ],
)
def test_claims_and_nodes_are_those_of_lanes(method, told, monkeypatch):
    states = roots()
    search = DepthFirst(GAME, method, told=told, deepest=DEEPEST, entries=64, lanes=64, narrow=64)
    native, lanes = both_ways(search.search, monkeypatch, states, limits(states, 10_000))
    agree(native, lanes)
    assert native.truncated.any()


@pytest.mark.thorough
@pytest.mark.parametrize("method", LADDER)
def test_mates_are_found_as_in_lanes(method, monkeypatch):
    states = problems(60, longest=3)
    search = DepthFirst(MATE, method, told=False, deepest=3, entries=256, replies="captures", lanes=128, narrow=32)
    native, lanes = both_ways(search.search, monkeypatch, states, limits(states, 3000))
    agree(native, lanes)
    assert native.truncated.any()
    assert native.nodes.std() > 0


@pytest.mark.thorough
def test_individuals_with_weights_sort_moves_as_in_lanes(monkeypatch):
    states, count = roots(), 3
    drawn = jax.random.normal(jax.random.key(1), (count, len(WEIGHTS.roots), 1)) * 3
    plans = jnp.round(drawn[:, :, 0] * 32).astype(jnp.int32)
    given = limits(states, 10_000)
    whose = jnp.arange(len(given), dtype=jnp.int32) % count
    native, lanes = both_ways(lambda *given: WEIGHTED.prove(plans, whose, *given), monkeypatch, states, given)
    agree(native, lanes)
    plain = jax.device_get(DepthFirst(GAME, entries=1 << 12).search(states, given))
    assert (native.nodes != plain.nodes).any()


@pytest.mark.thorough
def test_weights_of_what_is_seen_of_a_mate_sort_moves_as_in_lanes(monkeypatch):
    _, prover = roles.weights(MATE, language.WeightsOptions())
    states = problems(30, longest=3)
    plans = jnp.asarray(np.random.default_rng(2).integers(-60, 60, (2, len(prover.primitives.roots))), jnp.int32)
    whose = jnp.arange(60, dtype=jnp.int32) % 2
    native, lanes = both_ways(
        lambda *given: prover.prove(plans, whose, *given), monkeypatch, states, limits(states, 2000)
    )
    agree(native, lanes)


@pytest.mark.parametrize("count", [0, 5])
def test_no_more_roots_are_searched_than_there_are(count):
    states = roots()
    given = jnp.full(len(states.left), 1000)
    some = jax.device_get(DepthFirst(GAME, deepest=DEEPEST).search(states, given, jnp.int32(count)))
    whole = jax.device_get(DepthFirst(GAME, deepest=DEEPEST).search(states, given))
    for name in ("solved", "refuted", "nodes", "chosen", "truncated"):
        np.testing.assert_array_equal(getattr(some, name)[:count], getattr(whole, name)[:count])
    assert not (some.solved | some.refuted | some.truncated)[count:].any()
    assert (some.chosen[count:] == -1).all()


def test_roots_with_more_moves_than_a_search_is_made_for_are_searched_with_fewer():
    states, fewer = roots(FULL), roots(FULL)
    fewer = replace(fewer, left=jnp.minimum(fewer.left, DEEPEST))
    search, given = DepthFirst(GAME, deepest=DEEPEST), jnp.full(len(states.left), 1000)
    jax.tree.map(np.testing.assert_array_equal, search.search(states, given), search.search(fewer, given))


class Drawn(LastStone):
    """The toy problem, whose rules sort."""

    def look(self, state):
        return super().look(state.replace(heaps=jnp.sort(state.heaps)))


def test_rules_without_a_translation_are_searched_in_lanes():
    search = DepthFirst(Drawn(), deepest=2, lanes=8, narrow=8)
    assert search.why_in_lanes() == "sort has no translation"
    state = jax.tree.map(lambda x: x[None], GAME.position((0, 0, 2), 2))
    assert jax.jit(search.search, compiler_options=FAST)(state, jnp.full(1, 100)).solved.all()


class MostReplies(DepthFirst):
    """A search that sorts moves in its own way."""

    def code(self, lane, before, action, after, seen):
        return 255 - super().code(lane, before, action, after, seen)


def test_searches_that_sort_moves_in_their_own_way_have_lanes():
    for search in (Guided(GAME, primitives=PROVER.primitives), MostReplies(GAME)):
        assert search.why_in_lanes() == "a form of the search sorts moves in a way of its own"


def test_another_device_is_given_lanes():
    states = roots()
    traced = jax.jit(DepthFirst(GAME, "plain", lanes=8, narrow=8).search).trace(states, jnp.full(len(states.left), 9))
    assert DEPTH_FIRST in traced.lower().as_text()
    assert DEPTH_FIRST not in traced.lower(lowering_platforms=("cuda",)).as_text()
