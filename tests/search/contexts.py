"""Leaf evaluators and roots for tests of searches with contexts."""

import jax
import jax.numpy as jnp
import numpy as np


def evaluator(value):
    """A leaf evaluator whose contexts [C, ...] are handed to `value`: (context, state) -> float32[].

    It says nothing of states that do not matter, and asks to be shown the others by context.
    """

    def evaluate_leaves(contexts, whose, states, needed):
        mine = jax.tree.map(lambda x: x[whose], contexts)
        counts = jnp.arange(len(whose)) < needed
        ascending = ((whose[1:] >= whose[:-1]) | ~counts[1:]).all()
        return jnp.where(counts & ascending, jax.vmap(value)(mine, states), jnp.nan)

    return evaluate_leaves


def dealt(number, states, contexts, seed):
    """Roots among some states, with a context for each in no order, and how many of them to search: nearly all."""
    rng = np.random.default_rng(seed)
    at = rng.integers(states, size=number)
    return at, rng.integers(contexts, size=number).astype(np.int32), np.int32(number - 3)
