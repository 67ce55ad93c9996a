"""Derivatives that stand in for those of functions that have none, or none that says anything.

A comparison is 0 or 1, so its derivative is 0 wherever it exists. `Primitive.gradient` may be a smooth function of the
same arguments: reverse mode takes its derivative in the place of the function's own, and values stay what they are.
Truth values are numbers here, 0 where they do not hold.

Sources: Y. Bengio, N. Leonard, A. Courville, "Estimating or propagating gradients through stochastic neurons for
conditional computation" (2013), arXiv:1308.3432, the straight-through estimator; the logistic function in the place of
a step is that of the same paper, section 3. For `both` and `either`, the product and the probabilistic sum of fuzzy
logic (P. Hajek, "Metamathematics of Fuzzy Logic", 1998).
"""

import jax
import jax.numpy as jnp
from jax import Array, lax


def straight(soft: Array, hard: Array) -> Array:
    """Return the value of `hard` with the derivative of `soft`; both float32[B]."""
    return soft + lax.stop_gradient(hard - soft)


def truth(value: Array) -> Array:
    """Return 1 where a number is not 0, else 0; its derivative is taken to be 1."""
    return straight(value, (value != 0).astype(value.dtype))


def greater(a: Array, b: Array) -> Array:
    """Stand in for a > b: the logistic function of the difference."""
    return jax.nn.sigmoid(a - b)


def smaller(a: Array, b: Array) -> Array:
    """Stand in for a < b, or a <= b."""
    return jax.nn.sigmoid(b - a)


def both(*held: Array) -> Array:
    """Stand in for a conjunction."""
    found = truth(held[0])
    for one in held[1:]:
        found = found * truth(one)
    return found


def either(*held: Array) -> Array:
    """Stand in for a disjunction."""
    found = 1 - truth(held[0])
    for one in held[1:]:
        found = found * (1 - truth(one))
    return 1 - found


def negation(held: Array, *ignored: Array) -> Array:
    """Stand in for a negation."""
    del ignored
    return 1 - truth(held)


def choose(held: Array, yes: Array, no: Array) -> Array:
    """Stand in for `yes` where `held` is not 0, else `no`.

    What is chosen has the whole derivative. That of the truth value is what it would change: yes - no.
    """
    held = truth(held)
    return jnp.where(held > 0, yes, no) + _moved(held, yes - no)


def choose_smaller(a: Array, b: Array, yes: Array, no: Array) -> Array:
    """Stand in for `yes` where a < b, else `no`."""
    return jnp.where(a < b, yes, no) + _moved(smaller(a, b), yes - no)


def _moved(held: Array, difference: Array) -> Array:
    """Return 0, with the derivative of held * difference by `held` alone."""
    return (held - lax.stop_gradient(held)) * lax.stop_gradient(difference)
