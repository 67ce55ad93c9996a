"""Folding leaves nothing to compute that constants decide, and changes no value; arguments keep their order."""

import jax
import numpy as np
import pytest

from envs.mancala.primitives import Options, primitive_set
from envs.mancala.rules import Mancala
from jaxgp.genotypes.primitives import FLOAT, Primitive, PrimitiveSet
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import CONSTANT, plan
from tests.genotypes.program_cases import parse_tree

MANCALA = primitive_set(Mancala(), Options())
DIV = Primitive("div", args=(FLOAT, FLOAT), call=lambda a, b: a / b)
IF = Primitive("if", args=(FLOAT, FLOAT, FLOAT), call=lambda a, b, c: jax.numpy.where(a > 0, b, c), picks=2)
WITH_DIV = PrimitiveSet("with div", MANCALA.terminals, (*MANCALA.functions, DIV, IF))
BOARD = (np.arange(14, dtype=np.float32) + 30).reshape(14, 1)
STEPS = [
    ("(ADD (SUB 9 4) (IF_<_DO_ELSE_ 1 2 3 4))", 0, 8),
    ("(VALUE_AT (ADD 3 4))", 0, 37),
    ("(VALUE_AT (SUB 3 4))", 0, 0),
    ("(VALUE_AT (VALUE_AT 3))", 1, 0),
    ("(ADD (VALUE_AT 1) (VALUE_AT 2))", 1, 63),
    ("(IF_<_DO_ELSE_ 2 1 (VALUE_AT (VALUE_AT 3)) (ADD (VALUE_AT 1) 5))", 1, 36),
    ("(IF_<_DO_ELSE_ 1 2 (IF_<_DO_ELSE_ 1 0 (VALUE_AT (VALUE_AT 3)) (SUB 7 (VALUE_AT 0))) (VALUE_AT 9))", 1, -23),
    ("(ADD (IF_<_DO_ELSE_ 1 2 (SUB 7 (VALUE_AT 0)) (VALUE_AT (VALUE_AT 9))) (SUB (VALUE_AT 1) 2))", 3, 6),
    ("(IF_<_DO_ELSE_ (VALUE_AT 0) 9 (SUB 3 4) (ADD 1 2))", 1, 3),
]
ORDER = [
    ("(SUB 9 4)", 5),
    ("(SUB 1 (SUB 9 (SUB 5 2)))", -5),  # the needier argument is the second, and runs first
    ("(SUB (SUB 9 (SUB 5 2)) 1)", 5),
    ("(SUB (SUB 8 1) (SUB 9 (SUB (SUB 5 2) (SUB 1 1))))", 1),
    ("(IF_<_DO_ELSE_ 1 2 (SUB 9 1) (ADD (SUB 1 2) (SUB 3 4)))", 8),
    ("(IF_<_DO_ELSE_ 2 2 (SUB 9 1) (ADD (SUB 1 2) (SUB 3 4)))", -2),
    ("(SUB (VALUE_AT 9) (SUB (SUB (VALUE_AT 5) (VALUE_AT 2)) (SUB (VALUE_AT 1) (VALUE_AT 4))))", 33),
    ("(VALUE_AT 3)", 33),
    ("(VALUE_AT (ADD 13 1))", 0),
    ("(VALUE_AT (SUB 0 1))", 0),
    ("7", 7),
]


def handed_up(levels):
    """A sum with a value that is handed up through some levels."""
    text = "(SUB (VALUE_AT 1) (VALUE_AT 2))"
    for _ in range(levels):
        text = f"(IF_<_DO_ELSE_ 2 1 (SUB 3 (VALUE_AT 0)) {text})"
    return f"(ADD {text} (VALUE_AT 5))"


CONSTANTS = {
    "(div 1 0)": np.inf,
    "(div 0 0)": np.nan,
    "(if (div 0 0) 1 2)": 2,
    "(if 1 (div (SUB 0 1) 0) 2)": -np.inf,
    "(div 0 (SUB 0 1))": -0.0,
}


@pytest.fixture(scope="module")
def batch():
    """The plan and the value of each text, by text; all of them are compiled as one batch."""
    texts = [text for text, *_ in STEPS + ORDER] + [handed_up(levels) for levels in range(1, 9)] + list(CONSTANTS)
    trees = [parse_tree(WITH_DIV, text, 100) for text in texts]

    @jax.jit
    def run(programs):
        plans = plan(WITH_DIV, programs)
        return plans, evaluate(WITH_DIV, plans, BOARD)

    plans, values = jax.tree.map(np.asarray, run(jax.tree.map(lambda *x: np.stack(x), *trees)))
    return {text: (jax.tree.map(lambda x, i=i: x[i], plans), values[i]) for i, text in enumerate(texts)}


@pytest.mark.few(3)
@pytest.mark.parametrize(("text", "steps", "value"), STEPS)
def test_only_what_depends_on_the_position_takes_steps(batch, text, steps, value):
    plans, values = batch[text]
    assert (int(plans.steps), values.tolist()) == (steps, [value])


@pytest.mark.parametrize(("text", "value"), ORDER)
def test_arguments_arrive_in_declared_order(batch, text, value):
    assert batch[text][1].tolist() == [value]


@pytest.mark.parametrize("levels", range(1, 9))
def test_what_is_handed_up_through_many_levels_stays_within_the_stack(batch, levels):
    """The argument that is kept is the last one, and the others are gone: it has the first free row, as if alone."""
    plans, values = batch[handed_up(levels)]
    assert plans.slot[: int(plans.steps)].tolist() == [0, 0]
    assert values.tolist() == [34]


@pytest.mark.parametrize("text", CONSTANTS)
def test_infinities_nan_and_zeros_are_constants_like_others(batch, text):
    plans, found = batch[text]
    value = np.float32(CONSTANTS[text])
    assert (int(plans.steps), int(plans.root)) == (0, CONSTANT)
    np.testing.assert_array_equal(found, [value])
    assert np.signbit(found[0]) == np.signbit(value) or np.isnan(value)


def test_what_may_be_picked_is_checked():
    with pytest.raises(ValueError, match="cannot pick 3"):
        PrimitiveSet("bad", MANCALA.terminals, (Primitive("f", args=(FLOAT, FLOAT), call=lambda a, b: a, picks=3),))
