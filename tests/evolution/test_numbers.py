"""CMA-ES moves the real numbers of one program, whose form stays."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import envs
import jaxgp
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.games.casting import cast
from jaxgp.genotypes.primitives import Floats, Primitive, PrimitiveSet
from jaxgp.genotypes.text import parse_program, print_program
from jaxgp.genotypes.vectors import Numbers
from jaxgp.report.tableau import tableau
from jaxgp.schemes.breeding.cma import SeparableCMA
from jaxgp.schemes.cma import CMAOptions

REAL = Primitive("r", domain=Floats(-1, 3))
LINE = PrimitiveSet(
    "line",
    (Primitive("x", feature=0), REAL),
    (
        Primitive("+", args=("float", "float"), call=lambda a, b: a + b),
        Primitive("*", args=("float", "float"), call=lambda a, b: a * b),
    ),
)
TEXT = "(+ (* 2.5 x) 0.5)"
FACTORED = envs.spec("rars"), {"factors": True}


def numbers(primitives, text):
    size = len(text.replace("(", " ").replace(")", " ").split())
    return Numbers(primitives, parse_program(primitives, text, size))


def drivers():
    return cast(FACTORED[0], None, "drive", None, FACTORED[1]).language


def test_x_of_zeros_is_the_program_itself():
    coding = numbers(LINE, TEXT)
    one = jax.tree.map(lambda x: np.asarray(x[0]), coding.individuals(jnp.asarray(coding.start)[None]))
    assert coding.start.tolist() == [0, 0]
    assert print_program(LINE, one) == TEXT


def test_a_constant_moves_by_the_width_of_its_domain_and_stops_at_its_bounds():
    """The domain is -1 to 3: a sixteenth of it is 0.25, and 2.5 + 4 would be 6.5."""
    coding = numbers(LINE, TEXT)
    made = coding.individuals(jnp.array([[1 / 16, -1 / 16], [1.0, -1.0]]))
    values = [print_program(LINE, jax.tree.map(lambda x, n=n: np.asarray(x[n]), made)) for n in range(2)]
    assert values == ["(+ (* 2.75 x) 0.25)", "(+ (* 3 x) -1)"]


def test_a_factor_moves_by_its_magnitude_and_at_least_by_one():
    language = drivers()
    coding = numbers(language, "(PROGRAM TL:8.0 (+:0.5 V:1.0 0.25))")
    moved = coding.individuals(jnp.array([[0.5, 0.5, 0.5, 0.5]]))
    one = jax.tree.map(lambda x: np.asarray(x[0]), moved)
    assert print_program(language, one) == "(PROGRAM TL:12 (+ V:1.5 0.75))"


@settings(max_examples=15, deadline=None)
@given(st.lists(st.floats(-0.125, 0.0625, width=32), min_size=2, max_size=2))
def test_individuals_say_their_x_and_keep_the_form(x):
    coding = numbers(LINE, TEXT)
    made = coding.individuals(jnp.asarray([x], jnp.float32))
    np.testing.assert_allclose(coding.vectors(made)[0], x, atol=1e-6)
    for name in ("opcode", "size", "length"):
        np.testing.assert_array_equal(getattr(made, name)[0], getattr(coding.program, name))


def test_whole_numbers_and_parameters_stay():
    kalah = cast(envs.spec("mancala")).language
    with pytest.raises(ValueError, match="no real numbers"):
        numbers(kalah, "(SUB (VALUE_AT 3) 6)")


def test_first_individuals_are_normal_about_the_program():
    scheme = SeparableCMA(LINE, CMAOptions(population=8, initial=["(+ (* 1.0 x) 1.0)"], step=0.05))
    x = np.asarray(scheme.coding.vectors(scheme.create(jax.random.key(2), 4000)))
    assert x[0].tolist() == [0, 0]
    assert stats.kstest(x[1:].ravel() / 0.05, "norm").pvalue > 0.01
    assert abs(np.corrcoef(x[1:].T)[0, 1]) < 0.06


def test_a_line_is_found_from_another_one():
    """It begins as 2.5 x + 0.5 and has to become -0.7 x + 1.9."""
    inputs = np.linspace(-1, 1, 9, dtype=np.float32)
    wanted = -0.7 * inputs + 1.9

    def value(key, population):
        slope, shift = jnp.moveaxis(scheme.coding.vectors(population) * 4 + jnp.array([2.5, 0.5]), -1, 0)
        return -((slope[:, None] * inputs + shift[:, None] - wanted) ** 2).sum(-1)

    scheme = SeparableCMA(LINE, CMAOptions(population=12, initial=[TEXT], step=0.05))
    ring = jaxgp.Ring(jaxgp.FunctionFitness(value), scheme)
    state, step = jax.jit(ring.init)(jax.random.key(3)), jax.jit(ring.step)
    for _ in range(80):
        state, _ = step(state)
    found = np.asarray(state.champion.genome.value)[LINE.tunable[np.asarray(state.champion.genome.opcode)]]
    np.testing.assert_allclose(found, [-0.7, 1.9], atol=0.01)


@pytest.mark.parametrize(
    ("initial", "message"),
    [
        (["TL", "TR"], "one program, whose numbers move; these are 2"),
        (["(+ TL"], r"algorithm.initial=\[\(\+ TL\]: accepted: a program of rars with program.role=drive with"),
        ([], "accepted: .*are no vectors of numbers, and algorithm.initial names no program"),
    ],
)
def test_what_has_no_numbers_to_move_is_refused(initial, message):
    with pytest.raises(UsageError, match=message):
        CMAOptions(initial=initial).check(cast(FACTORED[0], None, "drive", None, FACTORED[1]))


def test_whole_numbers_are_refused_before_a_run():
    with pytest.raises(UsageError, match=r"a program of mancala with program.role=.* with real numbers \(the program"):
        CMAOptions(initial=["(SUB (VALUE_AT 3) 6)"]).check(cast(envs.spec("mancala")))


def test_the_table_of_parameters_counts_the_numbers():
    config = Config(game={"name": "rars"}, algorithm=CMAOptions(initial=["(PROGRAM TL:8.0 (+:0.5 V:1.0 0.25))"]))
    assert dict(tableau(config, drivers()))["numbers"] == "4 real numbers of one program of 4 nodes, whose form stays"


def test_where_the_mean_begins_is_not_said_twice():
    with pytest.raises(UsageError, match=r"start=0\.5: accepted: 0\.25 with initial: the first mean is that program"):
        CMAOptions(initial=["TL"], start=0.5)
