"""Declarations: tables that derive from them, and the ones that are refused."""

import dataclasses

import numpy as np
import pytest

from jaxgp.genotypes.primitives import BOOL, FLOAT, Floats, Integers, Primitive, PrimitiveSet
from tests.genotypes.generators import ARITHMETIC, FACTORED, MIXED, least_trees

X = Primitive("x", feature=0)
ADD = Primitive("add", args=(FLOAT, FLOAT), call=lambda a, b: a + b)


def declare(terminals=(X,), functions=(ADD,), **fields):
    return PrimitiveSet("test", tuple(terminals), tuple(functions), **fields)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: declare([X, X]), "x is declared twice"),
        (lambda: declare(numbers=(("x", 1.0),)), "x is declared twice"),
        (lambda: declare([Primitive("a b", feature=0)]), "cannot be a name"),
        (lambda: declare([Primitive("(", feature=0)]), "cannot be a name"),
        (lambda: declare([Primitive("-1.5", feature=0)]), "cannot be a name"),
        (lambda: declare([Primitive("7", feature=0)]), "cannot be a name"),
        (lambda: declare([Primitive("", feature=0)]), "cannot be a name"),
        (lambda: declare([Primitive("x")]), "terminal x needs a feature, a domain or a fixed value"),
        (lambda: declare([Primitive("x", feature=0, domain=Integers(0, 1))]), "terminal x needs"),
        (lambda: declare([Primitive("x", args=(FLOAT,), feature=0)]), "terminal x needs"),
        (lambda: declare(functions=[Primitive("f", args=(FLOAT,))]), "function f needs args and a call"),
        (lambda: declare(functions=[Primitive("f", call=lambda: 0)]), "function f needs args and a call"),
        (lambda: declare(roots=(BOOL,)), "no finite tree has type bool"),
        (lambda: declare(functions=[Primitive("f", args=(BOOL,), call=lambda a: a)]), "no finite tree has type bool"),
    ],
)
def test_bad_declarations_are_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_a_type_without_terminals_is_reached_through_functions():
    less = Primitive("less", BOOL, (FLOAT, FLOAT), lambda a, b: a < b)
    both = Primitive("and", BOOL, (BOOL, BOOL), lambda a, b: a & b)
    made = declare(functions=[less, both], roots=(BOOL,))
    assert made.min_depth[made.types.index(BOOL)] == 1


def test_tables():
    assert MIXED.max_arity == 4
    assert MIXED.num_terminals == 7
    assert MIXED.num_trees == 3
    code = MIXED.opcode("if")
    assert [MIXED.types[t] for t in MIXED.arg_type[code, :3]] == [BOOL, FLOAT, FLOAT]
    assert MIXED.types[MIXED.return_type[code]] == FLOAT
    query, boolean, real = (MIXED.types.index(t) for t in ("query", BOOL, FLOAT))
    assert MIXED.accepts[query, [query, boolean, real]].all()
    assert not MIXED.accepts[real, boolean]
    assert MIXED.fills[query].all()
    assert (MIXED.fills[real] == (MIXED.return_type == real)).all()
    with pytest.raises(KeyError):
        MIXED.opcode("nothing")


def test_no_slot_takes_what_is_left_out_and_opcodes_stay():
    fewer = MIXED.without(["if"])
    assert not fewer.fills[:, MIXED.opcode("if")].any()
    kept = np.arange(len(MIXED.primitives)) != MIXED.opcode("if")
    assert (fewer.fills[:, kept] == MIXED.fills[:, kept]).all()
    assert fewer.primitives == MIXED.primitives
    with pytest.raises(ValueError, match=r"IF is none of x, add$"):
        declare().without(["IF"])
    with pytest.raises(ValueError, match="no finite tree has type float"):
        declare().without(["x"])


@pytest.mark.parametrize("primitives", [ARITHMETIC, MIXED, FACTORED], ids=lambda primitives: primitives.name)
def test_least_depths(primitives):
    assert primitives.min_depth.tolist() == [least_trees(primitives)[0][kind] for kind in primitives.types]


@pytest.mark.parametrize("domain", [Integers(-3, 5), Floats(-0.1, 0.1), Floats(0.3, 0.7)])
def test_a_domain_holds_its_ends_as_float32_and_nothing_beyond(domain):
    for end in (domain.low, domain.high):
        assert float(np.float32(end)) in domain
    assert domain.low - 0.01 not in domain
    assert domain.high + 0.01 not in domain
    assert (0.5 in domain) == (isinstance(domain, Floats) and domain.low < 0.5 < domain.high)


def test_float_bounds_are_float32():
    assert float(np.float32(0.1)) in Floats(-0.1, 0.1)
    assert 2.5 not in Integers(0, 5)
    assert float("nan") not in Floats(-1, 1)


def test_version_follows_the_declarations():
    same = dataclasses.replace(MIXED)
    other = dataclasses.replace(MIXED, terminals=(*MIXED.terminals, Primitive("z", feature=1)))
    assert same.version == MIXED.version != other.version
