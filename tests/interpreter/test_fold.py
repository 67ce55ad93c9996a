"""Folding leaves nothing to compute that constants decide, and changes no value."""

import jax
import numpy as np
import pytest

from envs.mancala.primitives import Options, primitive_set
from envs.mancala.rules import Mancala
from jaxgp.genotypes.primitives import FLOAT, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.text import parse_tree
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import CONSTANT, plan

MANCALA = primitive_set(Mancala(), Options())
LOG = PrimitiveSet(
    "log",
    (Primitive("x", feature=0), Primitive("n", domain=Integers(-9, 9))),
    (
        Primitive("div", args=(FLOAT, FLOAT), call=lambda a, b: a / b),
        Primitive("if", args=(FLOAT, FLOAT, FLOAT), call=lambda a, b, c: jax.numpy.where(a > 0, b, c), picks=2),
    ),
)


@pytest.mark.parametrize(
    ("text", "steps", "value"),
    [
        ("(ADD (SUB 9 4) (IF_<_DO_ELSE_ 1 2 3 4))", 0, 8),
        ("(VALUE_AT (ADD 3 4))", 0, 37),
        ("(VALUE_AT (SUB 3 4))", 0, 0),
        ("(VALUE_AT (VALUE_AT 3))", 1, 0),
        ("(ADD (VALUE_AT 1) (VALUE_AT 2))", 1, 63),
        ("(IF_<_DO_ELSE_ 2 1 (VALUE_AT (VALUE_AT 3)) (ADD (VALUE_AT 1) 5))", 1, 36),
        ("(IF_<_DO_ELSE_ 1 2 (IF_<_DO_ELSE_ 1 0 (VALUE_AT (VALUE_AT 3)) (SUB 7 (VALUE_AT 0))) (VALUE_AT 9))", 1, -23),
        ("(ADD (IF_<_DO_ELSE_ 1 2 (SUB 7 (VALUE_AT 0)) (VALUE_AT (VALUE_AT 9))) (SUB (VALUE_AT 1) 2))", 3, 6),
        ("(IF_<_DO_ELSE_ (VALUE_AT 0) 9 (SUB 3 4) (ADD 1 2))", 1, 3),
    ],
)
def test_only_what_depends_on_the_position_takes_steps(text, steps, value):
    board = (np.arange(14, dtype=np.float32) + 30).reshape(14, 1)
    plans = plan(MANCALA, parse_tree(MANCALA, text, 40))
    assert int(plans.steps) == steps
    assert evaluate(MANCALA, plans, board).tolist() == [value]


@pytest.mark.parametrize("levels", range(1, 9))
def test_what_is_handed_up_through_many_levels_stays_within_the_stack(levels):
    """The argument that is kept is the last one, and the others are gone: it has the first free row, as if alone."""
    text = "(SUB (VALUE_AT 1) (VALUE_AT 2))"
    for _ in range(levels):
        text = f"(IF_<_DO_ELSE_ 2 1 (SUB 3 (VALUE_AT 0)) {text})"
    board = (np.arange(14, dtype=np.float32) + 30).reshape(14, 1)
    plans = plan(MANCALA, parse_tree(MANCALA, f"(ADD {text} (VALUE_AT 5))", 100))
    assert plans.slot[: int(plans.steps)].tolist() == [0, 0]
    assert evaluate(MANCALA, plans, board).tolist() == [34]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(div 1 0)", np.inf),
        ("(div 0 0)", np.nan),
        ("(if (div 0 0) 1 2)", 2),
        ("(if 1 (div -1 0) 2)", -np.inf),
        ("(div 0 -1)", -0.0),
    ],
)
def test_infinities_nan_and_zeros_are_constants_like_others(text, value):
    plans = plan(LOG, parse_tree(LOG, text, 10))
    assert int(plans.steps) == 0
    assert int(plans.root) == CONSTANT
    found = np.asarray(evaluate(LOG, plans, np.ones((1, 1), np.float32)))
    np.testing.assert_array_equal(found, np.float32([value]))
    assert np.signbit(found[0]) == np.signbit(np.float32(value)) or np.isnan(value)


def test_what_may_be_picked_is_checked():
    with pytest.raises(ValueError, match="cannot pick 3"):
        PrimitiveSet("bad", LOG.terminals, (Primitive("f", args=(FLOAT, FLOAT), call=lambda a, b: a, picks=3),))
