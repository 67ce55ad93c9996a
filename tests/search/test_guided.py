"""Trees and weights that guide a complete search: what is won is proved, on take the last stone in n."""

from dataclasses import replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.chess.language import functions as generic
from jaxgp.genotypes.primitives import Floats, Levels, Primitive, PrimitiveSet
from jaxgp.genotypes.text import parse_program
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.players.problems.prover import GuideProver, WeightsProver
from jaxgp.search.proofs.depth import DepthFirst
from jaxgp.search.proofs.lazy import Exponents, LazyNumbers
from jaxgp.search.proofs.numbers import ProofNumbers
from tests.envs.replays import FAST
from tests.search.test_programs import GAME, Rules, problems, view

TREES = PrimitiveSet(
    "guides",
    (
        Primitive("Total", feature=0),
        Primitive("IsEven", "query", feature=1),
        Primitive("Largest", feature=2),
        Primitive("ERC", domain=Levels((-1000.0, 0.0, 2.0, 1000.0))),
    ),
    generic(),
    roots=("float", "float"),
    type_sets=tuple((kind, ("query",)) for kind in ("float", "bool")),
)
THREE = replace(TREES, name="guides of numbers", roots=("float",) * 3)
CAPACITY = 15
PROVER = GuideProver(TREES, GAME, view, GAME.deepest, entries=64, lanes=64)
FEWEST = replace(PROVER, equal="replies", entries=1 << 12)
LESS = replace(FEWEST, equal="less")
FEW = DepthFirst(GAME, "few", entries=1 << 12, lanes=64)
WEIGHTS = PrimitiveSet(
    "weights",
    tuple(Primitive(f"weight:{name}", name, domain=Floats(-4, 4)) for name in ("Total", "IsEven")),
    (),
    roots=("Total", "IsEven"),
)
WEIGHTED = WeightsProver(WEIGHTS, GAME, view, GAME.deepest, entries=1 << 12)
EXPONENTS = (*Exponents._fields, "and_pn:Total", "and_dn:Total", "or_pn:Total", "or_dn:Total")
LAZY_WEIGHTS = PrimitiveSet(
    "lazy weights",
    tuple(Primitive(f"weight:{name}", name, domain=Floats(-4, 4)) for name in EXPONENTS),
    (),
    roots=EXPONENTS,
)
LAZY = WeightsProver(
    LAZY_WEIGHTS, GAME, view, GAME.deepest, entries=1 << 10, within="lazy", moved=((0, 3),), replied=((0, 3),)
)
NUMBERS = replace(PROVER, primitives=THREE, within="proof", entries=1 << 12)


@cache
def wins(board, left):
    """Return the first moves with which the solver wins within so many moves of its own, the last of them forcing."""
    rules, found = Rules(), []
    for move in rules.moves(board) if left else ():
        if left == 1 and not rules.forcing(board, move):
            continue
        after = rules.make(board, move)
        replies = rules.moves(after)
        if rules.won(after) or (replies and all(wins(rules.make(after, one), left - 1) for one in replies)):
            found.append(move)
    return tuple(found)


def searched(prover, texts, count=30):
    """Return claims [P, N] of random trees and of some by hand, N problems each, and the keys of these."""
    random = create(jax.random.key(3), prover.primitives, CreationOptions(max_depth=3), count, CAPACITY)
    hand = [parse_program(prover.primitives, f"(PROGRAM {text})", CAPACITY) for text in texts]
    programs = jax.tree.map(lambda a, *b: jnp.concatenate([a, jnp.stack(b)]), random, *hand)
    posed, count = problems(), len(programs.length)
    at = np.arange(len(posed) * count) % len(posed)
    whose = jnp.asarray(np.arange(len(at)) // len(posed))
    states = jax.vmap(GAME.position)(jnp.asarray([posed[n][0] for n in at]), jnp.asarray([posed[n][1] for n in at]))
    run = jax.jit(lambda programs, *args: prover.prove(prover.prepare(programs), *args), compiler_options=FAST)
    found = jax.device_get(run(programs, whose, states, jnp.full(len(at), 100_000)))
    return jax.tree.map(lambda x: x.reshape(count, len(posed), *x.shape[1:]), found)


def by_hand(search):
    """Return the claims of a search by hand, [N]."""
    heaps, own = (np.array(each) for each in zip(*problems(), strict=True))
    states = jax.vmap(GAME.position)(jnp.asarray(heaps), jnp.asarray(own))
    return jax.device_get(jax.jit(search.search, compiler_options=FAST)(states, jnp.full(len(own), 100_000)))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("prover", "texts", "search"),
    [
        (PROVER, ("2 2", "Total 2", "2 Largest"), None),
        pytest.param(FEWEST, ("Total 2", "2 2"), FEW, marks=pytest.mark.thorough),
        pytest.param(LESS, ("Total 2", "2 2"), FEW, marks=pytest.mark.thorough),
        pytest.param(WEIGHTED, ("3.5 -2", "0 0"), FEW, marks=pytest.mark.thorough),
        pytest.param(
            LAZY,
            (" ".join(["1 -1.5"] * 13), " ".join(["0"] * 26)),
            LazyNumbers(GAME, entries=1 << 10),
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            NUMBERS,
            ("Total Largest Total", "2 2 0"),
            ProofNumbers(GAME, "dfpn_replies", entries=1 << 12),
            marks=pytest.mark.thorough,
        ),
    ],
    ids=["list", "fewest", "less", "weights", "lazy", "numbers"],
)
def test_whatever_a_genome_says_a_guided_search_proves_what_is_won_and_refutes_the_rest(prover, texts, search):
    found = searched(prover, texts)
    keys = [wins((heaps, True), left) for heaps, left in problems()]
    won = np.array([bool(own) for own in keys])
    assert (found.solved == won).all()
    assert (found.refuted == ~won).all()
    assert not found.truncated.any()
    for chosen in found.chosen:
        assert all(one in own if own else one == -1 for one, own in zip(chosen, keys, strict=True))
    assert len(set(found.nodes.sum(1).tolist())) > 5
    if search is not None:  # a genome that says nothing leaves the search by hand as it is
        np.testing.assert_array_equal(found.nodes[-1], by_hand(search).nodes)
