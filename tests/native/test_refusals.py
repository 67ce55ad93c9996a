"""What native code refuses to compute, and the words that say why."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxgp.native.graph import UntranslatedError
from jaxgp.native.writer import MOST_BYTES, MOST_LINES
from tests.native.translated import written

X = jax.ShapeDtypeStruct((4,), jnp.float32)
N = jax.ShapeDtypeStruct((4,), jnp.int32)
REFUSED = {
    "sort": (jnp.sort, N, "sort has no translation"),
    "sort of several": (lambda n: lax.sort((n, n)), N, "sort has no translation"),
    "product of matrices": (lambda n: n @ n, N, "dot_general has no translation"),
    "top": (lambda n: lax.top_k(n, 2), N, "top_k has no translation"),
    "random": (lambda n: jax.random.randint(jax.random.key(0), (), 0, n[0]), N, "random_seed gives key<fry>"),
    "complex": (lambda x: x + 1j, X, "convert_element_type gives complex64"),
    "half": (lambda x: x.astype(jnp.bfloat16), X, "convert_element_type gives bfloat16"),
    "fourth power": (lambda n: n**4, N, "integer_pow with the power 4"),
    "exp": (jnp.exp, X, "exp of fractions"),
    "exp in a branch": (lambda x: lax.cond(x[0] > 0, jnp.exp, jnp.abs, x), X, "exp of fractions"),
    "exp in a loop": (lambda x: lax.fori_loop(0, 3, lambda i, y: jnp.exp(y), x), X, "exp of fractions"),
    "square root": (jnp.sqrt, X, "sqrt of fractions"),
    "remainder": (lambda x: lax.rem(x, x), X, "rem of fractions"),
    "square": (lax.square, X, "square of fractions"),
    "sum": (jnp.sum, X, "reduce_sum of fractions"),
    "product": (jnp.prod, X, "reduce_prod of fractions"),
    "running sum": (jnp.cumsum, X, "cumsum of fractions"),
    "added at places": (lambda x: x.at[1].add(2), X, "scatter-add of fractions"),
    "product, then sum": (lambda x: x * x + x, X, "add of a product"),
    "product, then difference": (lambda x: x - (-(x * 3))[::-1], X, "sub of a product"),
    "product, then sum of a part": (
        lambda x: lax.dynamic_slice(x * x, (jnp.int32(x[0]),), (2,)) + 1,
        X,
        "add of a product",
    ),
    "product in bits, then sum": (
        lambda x: lax.bitcast_convert_type(lax.bitcast_convert_type(x * x, jnp.int32), jnp.float32) + x,
        X,
        "add of a product",
    ),
    "product in a loop of one turn, then sum": (
        lambda x: lax.fori_loop(0, 1, lambda i, y: y * x, x) + x,
        X,
        "add of a product",
    ),
    "equal multiples": (lambda x: x * 0.25 + x[::-1] / 4, X, "add of equal multiples"),
    "nothing added": (lambda x: 0 + x, X, "add of 0"),
    "multiple of a truth value": (lambda x: (x > 0) * x, X, "mul of a truth value"),
    "quotient of a quotient": (lambda x: x / (x[::-1] / x), X, "div of a quotient"),
    "constants added twice": (lambda x: x + 3 + 5, X, "add of constants that XLA may join"),
    "constants multiplied twice": (lambda x: x * 3 * 5, X, "mul of constants that XLA may join"),
    "division by a constant": (lambda x: x / 3, X, "div by a constant"),
    "greatest fraction's place": (jnp.argmax, X, "argmax of fractions"),
    "halves away from 0": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), X, "rounds halves away from 0"),
    "padding between entries": (lambda n: lax.pad(n, 0, [(0, 0, 1)]), N, "pads between entries"),
    "bits of several": (
        lambda n: lax.bitcast_convert_type(n, jnp.int8).sum(dtype=jnp.int8),
        N,
        "takes the bits of a number as those of a shorter or longer one",
    ),
    "function of an entry": (lambda n: n.at[1].apply(lambda y: y * 3), N, "scatter applies a function"),
    "much memory": (
        lambda n: jnp.broadcast_to(n, (MOST_BYTES // 16 + 1, 4)).at[n[0], 0].set(1),
        N,
        f"takes more than {MOST_BYTES} bytes of memory",
    ),
    "many lines": (
        lambda n: [n.at[n[0]].set(k) for k in range(MOST_LINES // 3)],
        N,
        f"takes more than {MOST_LINES} lines of C++",
    ),
    "what cannot be traced": (lambda n: n if n[0] else -n, N, "cannot be traced alone (TracerBoolConversionError)"),
    "callback": (lambda n: jax.pure_callback(np.sort, N, n), N, "pure_callback has no translation"),
}
EXACT = {
    "halves": lambda x: x * 0.5 + x / 4,
    "quotient, then sum": lambda x: x / (x + 1) + 1,
    "rounded product, then sum": lambda x: jnp.floor(x * 3) + 1,
    "quotient of whole ones": lambda x: (x.astype(int) // 4).astype(jnp.float32) / x,
    "products of whole ones": lambda x: (x.astype(int) * 3).astype(float) + (x.astype(int) * 3)[::-1].astype(float),
    "product alone": lambda x: x * 3,
    "greatest": lambda x: jnp.max(x) + jnp.min(x),
    "number of a whole one": lambda x: (x > 0).sum().astype(jnp.float32) * 2 + 1,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_translation_is_refused_by_its_name(name):
    function, example, words = REFUSED[name]
    with pytest.raises(UntranslatedError, match=f"^{re.escape(words)}"):
        written(function, example)


@pytest.mark.parametrize("name", EXACT)
def test_arithmetic_that_rounds_alike_is_written(name):
    assert written(EXACT[name], X)


@pytest.mark.parametrize("name", ["sum", "converted", "places"])
def test_long_numbers_are_refused(name):
    with jax.enable_x64(True):
        functions = {
            "sum": lambda n: n + jnp.int64(1),
            "converted": lambda n: n.astype(jnp.float64),
            "places": lambda n: n[np.array([0, 2])] + n[jnp.array([1, 3])],
        }
        with pytest.raises(UntranslatedError, match=r"int64|float64"):
            written(functions[name], N)


@pytest.mark.parametrize("length", [100, 1500])
def test_long_chains_are_written(length):
    def used_twice(n):
        for _ in range(length):
            n = n ^ (n >> 3)
        return n

    def used_once(n):
        for k in range(length):
            n = n ^ k
        return n

    for function in (used_twice, used_once):
        assert "\n".join(written(function, N)).count("^") == length


def test_a_chain_that_is_too_long_is_refused():
    def function(n):
        for _ in range(MOST_LINES):
            n = n ^ (n >> 3)
        return n

    with pytest.raises(UntranslatedError, match="lines of"):
        written(function, N)
