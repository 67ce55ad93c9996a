"""Operations on single numbers in C++ against plain XLA, on all pairs of edge values and on random ones."""

import operator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxgp.arrays import product
from tests.native.translated import check, needs_compiler

WHOLE = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
QUICK = ("int8", "uint32")
FLOATS = [0, 1e-40, 1.2e-38, 0.5, 1, 1.5, 2.5, 3, 127.9, 128, 255.6, 32768, 65535.5, 2147483520, 2147483648, 4294967296]
FLOATS = np.array([*FLOATS, *(-x for x in FLOATS), 3e38, np.inf, -np.inf, np.nan], np.float32)


def numbers(dtype, seed):
    """Return edge values of a type, and as many random ones."""
    dtype, rng = np.dtype(dtype), np.random.default_rng(seed)
    if dtype == np.bool_:
        return np.array([False, True])
    if dtype.kind == "f":
        return np.concatenate([FLOATS, rng.normal(size=len(FLOATS)).astype(np.float32) * 100])
    ends = np.iinfo(dtype)
    near = [x + d for x in (ends.min, ends.max, 0, ends.max // 2) for d in (-2, -1, 0, 1, 2, 7, 8, 16, 31, 32)]
    near = np.array(sorted({x for x in near if ends.min <= x <= ends.max}), dtype)
    return np.concatenate([near, rng.integers(ends.min, ends.max, len(near), dtype, endpoint=True)])


def pairs(dtype, seed):
    return [one.reshape(-1) for one in np.meshgrid(numbers(dtype, seed), numbers(dtype, seed + 1))]


def triples(dtype, seed):
    rng = np.random.default_rng(seed)
    return [rng.permutation(np.resize(numbers(dtype, seed + k), 500)) for k in range(3)]


def singles(dtype, seed):
    return [numbers(dtype, seed)]


ARITHMETIC = {
    "add": lax.add,
    "sub": lax.sub,
    "mul": lax.mul,
    "div": lax.div,
    "rem": lax.rem,
    "max": lax.max,
    "min": lax.min,
    "floor division": operator.floordiv,
    "modulo": operator.mod,
}
COMPARED = {"eq": lax.eq, "ne": lax.ne, "lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge}
BITWISE = {"and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor}
SHIFTS = {
    "left": lax.shift_left,
    "logical": lax.shift_right_logical,
    "arithmetic": lax.shift_right_arithmetic,
    "left by 3": lambda x, y: lax.shift_left(x, lax.full_like(x, 3)),
    "logical by 3": lambda x, y: lax.shift_right_logical(x, lax.full_like(x, 3)),
    "arithmetic by 3": lambda x, y: lax.shift_right_arithmetic(x, lax.full_like(x, 3)),
    "left by 40": lambda x, y: lax.shift_left(x, lax.full_like(x, 40)),
}
OF_ONE = {
    "abs": lax.abs,
    "sign": lax.sign,
    "neg": lax.neg,
    "square": lax.square,
    "cube": lambda x: lax.integer_pow(x, 3),
    "not": lax.bitwise_not,
    "clz": lax.clz,
    "population count": lax.population_count,
}
OF_FRACTIONS = {
    "abs": lax.abs,
    "sign": lax.sign,
    "neg": lax.neg,
    "floor": lax.floor,
    "ceil": lax.ceil,
    "round": jnp.round,
    "whole": lambda x: lax.bitcast_convert_type(x, jnp.int32),
    "natural": lambda x: lax.bitcast_convert_type(x, jnp.uint32),
    "is NaN": jnp.isnan,
    "halved": lambda x: x * 0.5 + 1,
    "quartered": lambda x: x / 4 - 1,
}


def cases_of(dtype):
    """Yield the names of cases of whole numbers, the functions and what draws their arguments."""
    for name, function in (ARITHMETIC | COMPARED | BITWISE | SHIFTS).items():
        yield name, function, pairs
    for name, function in OF_ONE.items():
        if not (name == "abs" and dtype.startswith("u")):
            yield name, function, singles
    yield "clamp", lambda x, y, z: lax.clamp(lax.min(x, y), z, lax.max(x, y)), triples
    yield "clamp between crossed ends", lax.clamp, triples
    yield "select", lambda x, y, z: jnp.where(x > y, y, z), triples


def numbered(k):
    return [*triples("float32", k), np.arange(500, dtype=np.int32)]


def drawn(draw, dtype):
    return lambda k: draw(dtype, 10 * k)


@needs_compiler
@pytest.mark.parametrize(
    "dtype", [one if one in QUICK else pytest.param(one, marks=pytest.mark.thorough) for one in WHOLE]
)
def test_whole_numbers_are_those_of_xla(dtype):
    check({name: (function, drawn(draw, dtype)) for name, function, draw in cases_of(dtype)})


@needs_compiler
def test_truth_values_are_those_of_xla():
    cases = {name: (function, drawn(pairs, "bool")) for name, function in (COMPARED | BITWISE).items()}
    cases |= {name: (ARITHMETIC[name], drawn(pairs, "bool")) for name in ("max", "min")}
    cases["not"] = lax.bitwise_not, drawn(singles, "bool")
    cases["select"] = lambda x, y: lax.select(x, y, ~x), drawn(pairs, "bool")
    check(cases)


@needs_compiler
def test_fractions_are_those_of_xla():
    cases = {name: (function, drawn(singles, "float32")) for name, function in OF_FRACTIONS.items()}
    two = {name: ARITHMETIC[name] for name in ("add", "sub", "mul", "div", "max", "min")} | COMPARED
    cases |= {name: (function, drawn(pairs, "float32")) for name, function in two.items()}
    cases["clamp"] = lax.clamp, drawn(triples, "float32")
    cases["select"] = lambda x, y, z: jnp.where(x > y, y, z), drawn(triples, "float32")
    cases["sum of a product of its own"] = lambda x, y, z, k: z + product(x, y, k), numbered
    check(cases)


@needs_compiler
def test_conversions_are_those_of_xla():
    kinds = ("bool", *WHOLE, "float32")
    cases = {
        f"{one} to {other}": (lambda x, other=other: x.astype(other), drawn(singles, one))
        for one in kinds
        for other in kinds
    }
    for one, other in (("int8", "uint8"), ("uint16", "int16"), ("int32", "uint32"), ("uint32", "float32")):
        cases[f"bits of {one}"] = (
            lambda x, other=other: lax.bitcast_convert_type(x, jnp.dtype(other)),
            drawn(singles, one),
        )
    check(cases)


@needs_compiler
def test_constants_are_converted_as_xla_converts_numbers():
    kinds = ("bool", *WHOLE, "float32")
    cases = {
        f"{one} to {other}": (
            lambda x, one=one, other=other: (jnp.asarray(numbers(one, 0)).astype(other), x),
            lambda k: [np.int32(0)],
        )
        for one in kinds
        for other in kinds
    }
    check(cases)


@needs_compiler
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int8", "bool"])
def test_one_of_several_is_chosen_by_its_number(dtype):
    def draw(k):
        rng = np.random.default_rng(k)
        return [rng.integers(0, 3, 20).astype(np.int32), *(rng.choice(numbers(dtype, k), 20) for _ in range(3))]

    check({"chosen": (lambda which, *x: lax.select_n(which, *x), draw)})


@needs_compiler
def test_axes_of_size_1_are_broadcast():
    shapes = [((3, 1), (1, 4)), ((2, 3), (1, 3)), ((), (2, 2)), ((2, 1, 3), (1, 4, 1)), ((1,), (3,)), ((1, 1), (1, 1))]

    def draw(k, *shapes):
        return [np.random.default_rng(k).integers(-99, 99, shape, np.int32) for shape in shapes]

    cases = {}
    for one, other in shapes:
        cases[f"{one}, {other}"] = (
            (
                lambda x, y: (x * 3 - y, jnp.where(x > y, x, y), jnp.where(x[:1] > 0, y, x)),
                lambda k, one=one, other=other: draw(k, one, other),
            )
            if one
            else (lambda x, y: (x * 3 - y, jnp.where(x > 0, y, 7)), lambda k: draw(k, (), (2, 2)))
        )
    check(cases, draws=3)


@needs_compiler
def test_numbers_without_axes_are_computed():
    def function(x, y):
        z = jax.nn.relu(x - y)
        return z, z * z + x, lax.div(z, y), (x > y) & (z == 0)

    check({"numbers": (function, lambda k: [np.int32(k * 7 % 5), np.int32(k % 3)])}, draws=12)
