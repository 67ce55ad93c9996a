"""The search that makes moves one by one, by the toy problem, take the last stone in n."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.search.proofs.lazy import HAND, Exponents, LazyNumbers
from tests.envs.replays import FAST
from tests.reference.proofs import Search
from tests.search.test_numbers import searched as fully
from tests.search.test_proofs import GAME, LADDER, ROOTS, states_of


@cache
def compiled(weights=HAND, entries=1 << 10):
    search = LazyNumbers(GAME, weights=weights, lanes=32, narrow=32, entries=entries)
    return jax.jit(search.search, compiler_options=FAST)


def searched(limit=10**6, **how):
    return jax.device_get(compiled(**how)(states_of(ROOTS), jnp.full(len(ROOTS), limit)))


def test_it_claims_what_complete_search_claims_and_makes_each_move_once():
    found = searched()
    wanted = [Search("last", LADDER).search(heaps, own)[0] is not None for heaps, own in ROOTS]
    assert found.solved.tolist() == wanted
    assert (found.refuted == ~found.solved).all()
    assert (found.distinct <= found.nodes).all()
    assert (searched(limit=5).nodes == np.minimum(found.nodes, 5)).all()
    assert (searched(limit=5).truncated == (found.nodes > 5)).all()


@pytest.mark.thorough
def test_it_makes_fewer_moves_than_the_search_that_makes_all_moves_of_a_position():
    assert searched().nodes.sum() < fully("dfpn_replies", ROOTS).nodes.sum()


@pytest.mark.thorough
@pytest.mark.parametrize("weights", [Exponents(*[0.0] * 22), Exponents(*[-16.0, 16.0] * 11)])
def test_no_weights_change_what_is_claimed(weights):
    np.testing.assert_array_equal(searched(weights=weights).solved, searched().solved)


@pytest.mark.thorough
def test_a_search_whose_table_is_full_ends_truncated_and_stops_no_other():
    small, large = searched(entries=16), searched()
    cut = np.asarray(small.truncated)
    assert 0 < cut.sum() < len(ROOTS)
    assert not (small.solved | small.refuted)[cut].any()
    np.testing.assert_array_equal(small.nodes[~cut], large.nodes[~cut])
