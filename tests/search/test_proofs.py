"""Problems and searches for proofs, by the toy problem: take the last stone in n."""

import itertools
from dataclasses import replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.search.proofs import proof
from jaxgp.search.proofs.depth import LADDER, DepthFirst
from jaxgp.search.proofs.extract import Extractor, UnprovedError
from jaxgp.spec import lacks
from tests.envs.replays import FAST
from tests.fixtures.last_stone import HEAPS, LastStone
from tests.reference.proofs import Plain, Search, play, won

GAME = LastStone()
ROOTS = [(heaps, own) for heaps in itertools.product(range(4), repeat=HEAPS) if any(heaps) for own in range(1, 5)]
METHODS = ["few", *(method for method in LADDER if method not in ("captures", "few"))]
"""First the one that more tests search by."""


def states_of(roots):
    heaps, own = (np.array(each) for each in zip(*roots, strict=True))
    return jax.vmap(GAME.position)(jnp.asarray(heaps, jnp.int8), jnp.asarray(own))


@cache
def compiled(method, told):
    # So many entries that none is replaced.
    search = DepthFirst(GAME, method, told=told, lanes=32, narrow=32, entries=1 << 15)
    return jax.jit(search.search, compiler_options=FAST)


def searched(method, roots, limit=10**6, told=True):
    return jax.device_get(compiled(method, told)(states_of(roots), jnp.full(len(roots), limit)))


def test_a_problem_keeps_its_contract():
    assert lacks(LastStone) == {}


@pytest.mark.thorough
def test_the_list_read_by_places_is_the_list_read_one_after_the_other():
    states = states_of(ROOTS)
    looks = jax.vmap(GAME.look)(states)
    action = jnp.full(len(looks.count), -1)
    for place in range(GAME.most_choices + 1):
        action = jax.vmap(GAME.following)(looks, action)
        chosen = jax.vmap(GAME.choice, (0, None))(states, place)
        listed = np.asarray(looks.count) > place
        np.testing.assert_array_equal(np.asarray(action)[listed], np.asarray(chosen)[listed])
        assert (np.asarray(action)[np.asarray(looks.count) == place] == -1).all()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("method", "told"),
    [
        *((method, True) for method in METHODS),
        *((method, False) for method in ("plain", "few")),  # deepening is the same for all
        *(pytest.param(method, False, marks=pytest.mark.slow) for method in METHODS if method not in ("plain", "few")),
    ],
)
def test_a_search_makes_the_moves_that_its_recursive_form_makes(method, told):
    found = searched(method, ROOTS, told=told)
    for n, (heaps, own) in enumerate(ROOTS):
        chosen, nodes, _ = Search(method, LADDER).search(heaps, own, told)
        assert (found.solved[n], found.chosen[n]) == (chosen is not None, -1 if chosen is None else chosen)
        assert (found.nodes[n], found.refuted[n]) == (nodes, chosen is None), (heaps, own)


@pytest.mark.parametrize("limit", [1, 3, 7])
def test_a_search_that_is_cut_has_made_as_many_moves_as_it_may(limit):
    found = searched("few", ROOTS, limit)
    for n, (heaps, own) in enumerate(ROOTS):
        chosen, nodes, cut = Search("few", LADDER, limit).search(heaps, own)
        assert (found.nodes[n], found.truncated[n], found.solved[n]) == (nodes, cut, chosen is not None)


@pytest.mark.thorough
def test_where_the_other_side_is_to_move_the_claim_is_that_it_loses():
    states = states_of(ROOTS)
    actions = jax.vmap(GAME.choice, (0, None))(states, 0)
    after = jax.vmap(GAME.advance)(states, actions)
    claims = jax.jit(DepthFirst(GAME, "checks", lanes=32, narrow=8).search, compiler_options=FAST)(
        after, jnp.full(len(ROOTS), 10**6)
    )
    for n, (heaps, own) in enumerate(ROOTS):
        if heaps != (1, 1, 1):
            below = play(heaps, int(actions[n]))
            wanted = Search("plain", LADDER).answered(below, own, False)
            assert bool(claims.solved[n]) == wanted, (heaps, own)


def test_lanes_and_order_of_roots_change_nothing():
    some = searched("few", ROOTS)
    turned = searched("few", ROOTS[::-1])
    np.testing.assert_array_equal(some.nodes, turned.nodes[::-1])


@pytest.fixture(scope="module")
def proofs():
    search = jax.jit(DepthFirst(GAME, "checks", lanes=16, narrow=16).search, compiler_options=FAST)
    extractor = Extractor(GAME, search, together=16)

    def prove(heaps, own):
        state = GAME.position(heaps, own)
        text = " ".join(map(str, heaps))
        return extractor.proof(text, state, 10**5, lambda state, a: f"{a % HEAPS}x{2 - a // HEAPS}")

    return prove


def test_every_win_has_a_proof_that_plain_rules_confirm(proofs):
    for heaps, own in ROOTS[::7]:
        if Search("plain", LADDER).search(heaps, own)[0] is None:
            with pytest.raises(UnprovedError):
                proofs(heaps, own)
            continue
        found = proofs(heaps, own)
        proof.verify(found, Plain)
        again = proof.read(proof.write(found))
        assert again.names == found.names
        assert (again.parents == found.parents).all()


def broken(found):
    """Yield a proof with one thing wrong, and what is said of it."""
    leaves = [n for n, below in enumerate(found.children[:-1]) if not below]
    last = leaves[-1]
    keep = [n for n in range(len(found.names)) if n != last]
    names = list(found.names)
    yield replace(found, own=found.own - 1), "there are more than"
    yield replace(found, parents=found.parents[keep], names=tuple(names[n] for n in keep)), "accepted: 1|not answered"
    yield replace(found, names=("2x9", *names[1:])), "is not legal"
    yield replace(found, names=(*names[:-1], names[-2])), "not legal|not answered|twice|more than"
    yield replace(found, problem="1 1 1"), "not legal"


def test_proofs_with_one_thing_wrong_are_refused(proofs):
    found = proofs((3, 3, 1), 3)
    for wrong, complaint in broken(found):
        with pytest.raises(ValueError, match=complaint):
            proof.verify(wrong, Plain)


def test_a_stalemate_proves_nothing():
    wrong = proof.Proof("2 1 1", 1, np.array([-1]), ("0x1",))
    with pytest.raises(ValueError, match="ends without a win"):
        proof.verify(wrong, Plain)
    assert not won((1, 1, 1))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "no JSON"),
        ("[]", "no proof"),
        ('{"problem": 1, "own": 2, "moves": []}', "of another type"),
        ('{"problem": "1 0 0", "own": 1, "moves": [[0, "0x1"]]}', "move 0 is no parent"),
        ('{"problem": "1 0 0", "own": 1, "moves": [[-1, 3]]}', "move 0 is no parent"),
    ],
)
def test_what_is_no_proof_is_refused_in_words(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        proof.read(text)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"method": "best"}, "accepted: plain"),
        ({"method": "captures"}, "needs the order captures"),
        ({"replies": "queens"}, "needs the order queens"),
        ({"deepest": 9}, "accepted: 1 to 5"),
        ({"entries": 1000}, "powers of two"),
        ({"lanes": 0}, "accepted: 1 or more"),
    ],
)
def test_searches_refuse_options_in_words(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        DepthFirst(GAME, **options)
