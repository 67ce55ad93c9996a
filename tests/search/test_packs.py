"""Packs: every item goes as far as it can, one step at a time, whatever the size of a pack."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.search.packs import in_packs

LENGTHS = np.random.default_rng(0).geometric(0.1, 37).astype(np.int32)
"""Steps that each item can go; some can go none."""
LENGTHS[[3, 20]] = 0


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [1, 5, 37])
def test_every_item_goes_all_its_steps_and_none_further(size):
    def advance(who, items, on, until):
        def step(carry):
            (steps, owner), on = carry
            steps = steps + on
            return (steps, jnp.where(on, who, owner)), on & (steps < jnp.asarray(LENGTHS)[who])

        return jax.lax.while_loop(lambda carry: carry[1].sum() > until, step, (items, on))

    @jax.jit
    def run(lengths):
        start = jnp.zeros_like(lengths), jnp.full_like(lengths, -1)
        return in_packs(advance, start, lengths > 0, jnp.argsort(-lengths), size)

    lengths = jnp.asarray(LENGTHS)
    steps, owner = run(lengths)
    assert steps.tolist() == LENGTHS.tolist()
    assert owner.tolist() == [item if length else -1 for item, length in enumerate(LENGTHS)]
