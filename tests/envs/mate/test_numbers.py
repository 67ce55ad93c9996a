"""Searches by proof numbers on problems of chess: hand positions, and the nodes of plain C++."""

import os
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.mate import language, suites
from envs.mate.rules import Mate
from jaxgp.games.casting import cast
from jaxgp.search.proofs.lazy import LazyNumbers
from jaxgp.search.proofs.numbers import METHODS, ProofNumbers
from rivals.plain import mate as plain
from tests.envs.replays import FAST

GAME = Mate()
HAND = [
    ("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", 1, True),
    ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2, True),  # a quiet key
    ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 1, False),
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, True),  # a rook is given
    ("2Q5/k2K4/8/8/8/8/8/8 w - -", 1, False),  # stalemate alone
    ("8/8/8/8/8/8/8/K6k w - - 0 1", 2, False),  # nothing can mate
]
LIMIT = 4000
LIMITS = {"lazy": (LIMIT, 500)}
"""Lines are searched at these; `lazy` ends all of them within the first."""
LIST = Path(os.environ.get("JAXGP_SHARED", "nowhere")) / "data" / "mate_in_n.epd"
EVERY = {2: 1, 3: 20}
"""Of the lines of the list of each n, how many lie between two that are searched."""


def agree(method, posed, entries, limit=LIMIT):
    """Check the claims of searches in lanes, cut at one limit for all, against plain ones; return both."""
    made = {"deepest": 3, "entries": entries}
    search = LazyNumbers(GAME, **made) if method == "lazy" else ProofNumbers(GAME, method, **made)
    run = jax.jit(search.search, compiler_options=FAST)
    found = jax.device_get(run(GAME.positions(posed), jnp.full(len(posed), limit)))
    wanted = plain.count(method, posed, limit)
    np.testing.assert_array_equal(found.nodes, [one.nodes for one in wanted])
    np.testing.assert_array_equal(found.distinct, [one.distinct for one in wanted])
    np.testing.assert_array_equal(found.truncated, [one.cut for one in wanted])
    np.testing.assert_array_equal(found.solved, [one.moves > 0 for one in wanted])
    return found, wanted


def listed():
    """Return FEN and n of lines of the list that is read and not kept here."""
    if not LIST.is_file():
        pytest.skip("the list of mates is not at hand: JAXGP_SHARED names the folder that has data/mate_in_n.epd")
    lines = [re.match(r"(\S+ \S+ \S+ \S+) dm (\d+);", line) for line in LIST.read_text(encoding="utf-8").splitlines()]
    return [row for n, step in EVERY.items() for row in [(line[1], n) for line in lines if int(line[2]) == n][::step]]


@pytest.mark.slow
@pytest.mark.parametrize("method", [*METHODS, "lazy"])
def test_searches_in_lanes_make_as_many_moves_as_plain_ones(method):
    lengths = {1: 60, 2: 60, 3: 12}
    own = [row[:2] for n, most in lengths.items() for row in [row for row in suites.shipped() if row[1] == n][:most]]
    found, _ = agree(method, [*[row[:2] for row in HAND], *own], entries=4096)
    assert found.solved[: len(HAND)].tolist() == [row[2] for row in HAND]
    assert (found.refuted == ~found.solved & ~found.truncated).all()


@pytest.mark.slow
@pytest.mark.parametrize("method", [*METHODS, "lazy"])
def test_lines_of_a_list_take_as_many_moves_as_plain_searches_and_are_cut_where_these_are(method):
    posed = listed()
    wanted = [one for limit in LIMITS.get(method, (LIMIT,)) for one in agree(method, posed, 2**13, limit)[1]]
    assert len(posed) > 200
    assert any(one.cut for one in wanted)


@pytest.mark.slow
def test_weights_of_what_is_seen_guide_plain_searches_as_those_in_lanes():
    posed = [row[:2] for n in (1, 2, 3) for row in [row for row in suites.shipped() if row[1] == n][:10]]
    own = cast(envs.spec("mate"), None, "weights", None, {"within": "lazy", "entries": 4096})
    random = np.random.default_rng(0).normal(size=(2, len(language.LAZY)))
    parts = np.round(random * [6 if ":" in name else 16 for name in language.LAZY]).astype(np.int32)
    whose = np.repeat(np.arange(2), len(posed))
    run = jax.jit(own.actor.prove)
    found = jax.device_get(run(jnp.asarray(parts), whose, GAME.positions(posed * 2), jnp.full(len(whose), 1000)))
    wanted = [one.nodes for row in parts for one in plain.count("lazy", posed, 1000, weights=row.tolist())]
    np.testing.assert_array_equal(found.nodes, wanted)
    assert len(set(wanted)) > 20
