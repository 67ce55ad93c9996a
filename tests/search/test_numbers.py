"""Searches by proof numbers, by the toy problem, take the last stone in n: moves, nodes, truncation, lanes."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.search.proofs.numbers import METHODS, ProofNumbers
from tests.envs.replays import FAST
from tests.reference.proofs import Numbers, Search, play
from tests.search.test_proofs import GAME, LADDER, ROOTS, states_of


@cache
def compiled(method, told=True, entries=1 << 12):
    search = ProofNumbers(GAME, method, told=told, lanes=32, narrow=32, entries=entries)
    return jax.jit(search.search, compiler_options=FAST)


def searched(method, roots, limit=10**6, **how):
    return jax.device_get(compiled(method, **how)(states_of(roots), jnp.full(len(roots), limit)))


@pytest.mark.few(1)
@pytest.mark.parametrize(("method", "told"), [("dfpn", False), ("dfpn_replies", True)])
def test_a_search_makes_the_moves_that_its_recursive_form_makes(method, told):
    found = searched(method, ROOTS, told=told)
    for n, (heaps, own) in enumerate(ROOTS):
        plain = Numbers(method == "dfpn_replies")
        chosen, nodes, _ = plain.search(heaps, own, told)
        assert (found.solved[n], found.chosen[n]) == (chosen is not None, -1 if chosen is None else chosen)
        mine = found.nodes[n], found.distinct[n], found.refuted[n]
        assert mine == (nodes, plain.distinct, chosen is None), (heaps, own)


@pytest.mark.thorough
def test_it_claims_what_complete_search_claims():
    found = searched("dfpn_replies", ROOTS)
    wanted = [Search("last", LADDER).search(heaps, own)[0] is not None for heaps, own in ROOTS]
    assert found.solved.tolist() == wanted


@pytest.mark.parametrize("limit", [0, 1, 3, 7, 20])
def test_a_search_that_is_cut_has_made_as_many_moves_as_it_may_and_claims_nothing(limit):
    found = searched("dfpn_replies", ROOTS, limit)
    for n, (heaps, own) in enumerate(ROOTS):
        chosen, nodes, cut = Numbers(True, limit).search(heaps, own)
        assert (found.nodes[n], found.truncated[n], found.solved[n]) == (nodes, cut, chosen is not None)
        assert found.solved[n] + found.refuted[n] + found.truncated[n] == 1


@pytest.mark.thorough
def test_a_search_whose_table_is_full_ends_truncated_and_stops_no_other():
    small, large = (searched("dfpn_replies", ROOTS, entries=entries) for entries in (16, 1 << 12))
    cut = np.asarray(small.truncated)
    assert 0 < cut.sum() < len(ROOTS)
    assert not (small.solved | small.refuted)[cut].any()
    np.testing.assert_array_equal(small.nodes[~cut], large.nodes[~cut])
    np.testing.assert_array_equal(small.solved[~cut], large.solved[~cut])


@pytest.mark.thorough
def test_where_the_other_side_is_to_move_the_claim_is_that_it_loses():
    roots = [(heaps, own) for heaps, own in ROOTS if heaps != (1, 1, 1)]
    states = states_of(roots)
    # The shapes are those of the other tests, so nothing is compiled.
    states = jax.tree.map(lambda x: jnp.resize(x, (len(ROOTS), *x.shape[1:])), states)
    actions = jax.vmap(GAME.choice, (0, None))(states, 0)
    after = jax.vmap(GAME.advance)(states, actions)
    claims = jax.device_get(compiled("dfpn_replies")(after, jnp.full(len(ROOTS), 10**6)))
    for n, (heaps, own) in enumerate(roots):
        below = play(heaps, int(actions[n]))
        assert bool(claims.solved[n]) == Search("last", LADDER).answered(below, own, False), (heaps, own)
        assert (claims.chosen[n] >= 0) <= claims.refuted[n]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"method": "best"}, f"accepted: {', '.join(METHODS)}"),
        ({"deepest": 9}, "accepted: 1 to 5"),
        ({"entries": 1000}, "powers of two"),
        ({"lanes": 0}, "accepted: 1 or more"),
    ],
)
def test_options_are_refused_in_words(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        ProofNumbers(GAME, **options)
