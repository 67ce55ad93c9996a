"""Text and arrays: what is printed reads back equal, and what is wrong is refused with its place."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs.mancala.primitives import Options, primitive_set
from envs.mancala.rules import Mancala
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import ProgramError, parse_program, print_number, print_program, print_tree
from tests.genotypes.generators import ARITHMETIC, FACTORED, MIXED, trees
from tests.genotypes.program_cases import parse_tree, problems

MANCALA = primitive_set(Mancala(), Options())
ROOT = Path(__file__).parents[2]
CHAMPIONS = ROOT / "docs/data/mancala_printed.txt"
# Reference data is looked for beside the checkout, or where JAXGP_SHARED says.
SHARED = Path(os.environ.get("JAXGP_SHARED", Path(__file__).parents[3] / "shared"))
GIVEN_CHAMPIONS = SHARED / "data" / "mancala_seed_champions.txt"


def expressions(path):
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in ("opcode", "value", "size", "length")
    )


@pytest.mark.parametrize("path", [CHAMPIONS, GIVEN_CHAMPIONS], ids=["fixture", "given"])
def test_study_champions_read_and_print_identically(path):
    if not path.exists():
        pytest.skip("the given data is not beside this repository")
    texts = expressions(path)
    programs = [parse_tree(MANCALA, text, 100) for text in texts]
    assert [int(tree.length) for tree in programs] == [74, 80]
    assert [print_tree(MANCALA, tree) for tree in programs] == texts
    assert [problems(MANCALA, tree, 0) for tree in programs] == [[], []]
    assert texts == expressions(CHAMPIONS)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("primitives", "root"),
    [(MANCALA, 0), (ARITHMETIC, 0), (FACTORED, 0), *((MIXED, int(kind)) for kind in MIXED.root_type)],
)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_round_trip(primitives, root, data):
    tree = data.draw(trees(primitives, 40, root))
    text = print_tree(primitives, tree)
    assert same(parse_tree(primitives, text, 40, root), tree)
    spread = text.replace("(", " ( ").replace(")", "\n ) ")
    assert same(parse_tree(primitives, spread, 40, root), tree)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_multi_tree_round_trip(data):
    parts = [data.draw(trees(MIXED, 20, int(kind))) for kind in MIXED.root_type]
    program = Programs(*(np.stack([getattr(p, n) for p in parts]) for n in ("opcode", "value", "size", "length")))
    text = print_program(MIXED, program)
    assert text.startswith("(PROGRAM ")
    assert same(parse_program(MIXED, text, 20), program)


def test_single_tree_program_prints_bare():
    program = parse_program(MANCALA, "(ADD 7 (VALUE_AT 3))", 10)
    assert program.opcode.shape == (1, 10)
    assert print_program(MANCALA, program) == "(ADD 7 (VALUE_AT 3))"


@settings(max_examples=300, deadline=None)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_numbers_print_as_the_shortest_text_that_reads_back(number):
    text = print_number(number)
    again = np.float32(text)
    assert again == np.float32(number)
    assert np.signbit(again) == np.signbit(np.float32(number))


def test_number_forms():
    assert [print_number(x) for x in (3.0, -2.0, 0.1, 1e-5, -0.0, 2.5)] == ["3", "-2", "0.1", "1e-05", "-0", "2.5"]


def test_2000_levels_are_no_trouble():
    text = "(VALUE_AT " * 2000 + "3" + ")" * 2000
    tree = parse_tree(MANCALA, text, 2001)
    assert int(tree.length) == 2001
    assert print_tree(MANCALA, tree) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "column 1: the text is empty: expected a float"),
        ("  \n", "the text is empty"),
        ("(ADD 1 2", r"column 9: the text ends too early: expected \) after the 2 arguments of ADD"),
        ("(ADD 1", r"ends too early: expected a float as argument 2 of \(ADD float float\)"),
        ("(", "ends too early: expected the name of a function"),
        ("(ADD 1 2))", r"column 10: expected the end of the text, found \)"),
        ("1 2", "column 3: expected the end of the text, found 2"),
        (")", r"column 1: expected a float, found \)"),
        ("()", r"expected the name of a function, found \)"),
        ("(ADD 1)", r"column 7: expected a float as argument 2 of \(ADD float float\), found \)"),
        ("(ADD 1 2 3)", r"column 10: expected \) after the 2 arguments of ADD, found 3"),
        ("(VALUE_A 1)", "column 2: VALUE_A is not in the primitive set.*close names: VALUE_AT"),
        ("(add 1 2)", "close names: ADD"),
        ("(3 1 2)", "expected the name of a function, found 3"),
        ("ADD", r"column 1: ADD needs arguments: expected \(ADD float float\)"),
        ("INT", "expected a number instead of INT: a whole number from 0 to 13"),
        ("(ADD 1\n 14)", "line 2, column 2: expected a whole number from 0 to 13, found 14"),
        ("(ADD 1 2.5)", "column 8: expected a whole number from 0 to 13, found 2.5"),
        ("(ADD (ADD 1 2) (ADD 1 (ADD 1 2)))", "more nodes than the capacity of 8"),
    ],
)
def test_errors_say_where_and_what(text, says):
    with pytest.raises(ProgramError, match=says):
        parse_tree(MANCALA, text, 8)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("(PROGRAM x flag)", r"expected a query, found \)"),
        ("x", r"expected \(PROGRAM and 3 trees, found x"),
        ("(PROGRAM x x x)", "column 12: wrong type: expected a bool, found x, a float"),
        ("(PROGRAM x flag x x)", r"expected \) after 3 trees, found x"),
        ("(PROGRAM (if x x x) flag x)", r"wrong type: expected a bool as argument 1 of \(if bool float float\)"),
        ("(PROGRAM (cell 9) flag x)", "expected a whole number from 0 to 5 as the parameter of cell, found 9"),
        ("(PROGRAM (cell x) flag x)", "as the parameter of cell, found x"),
        ("(PROGRAM (cell 1 2) flag x)", r"expected \) after the parameter of cell, found 2"),
        ("(PROGRAM cell flag x)", r"cell needs arguments: expected \(cell number\)"),
        ("(PROGRAM (x) flag x)", "x takes no arguments"),
        ("(PROGRAM x 2 x)", "expected a whole number from 0 to 1, found 2"),
    ],
)
def test_errors_of_typed_programs(text, says):
    with pytest.raises(ProgramError, match=says):
        parse_program(MIXED, text, 8)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(add:1.25 x:0.9 3.4)", [0.9, 3.4, 1.25]),
        ("(times:-0.5 (if:0 (square [3,2]) x 1e+20))", [5, 1, 1e20, 0, -0.5]),
        ("(sub one:2 zero)", [2, 1, 1]),
    ],
)
def test_factors_follow_names(text, numbers):
    tree = parse_tree(FACTORED, text, 8)
    np.testing.assert_array_equal(tree.value[: len(numbers)], np.float32(numbers))
    assert print_tree(FACTORED, tree) == text
    assert problems(FACTORED, tree, 0) == []
    explicit = print_tree(FACTORED, tree).replace("(sub", "(sub:1")
    assert same(parse_tree(FACTORED, explicit, 8), tree)


def test_factors_of_trees_are_numbers_and_truth_values_have_none():
    tree = parse_tree(FACTORED, "(if (above 2) x:3 1)", 8)
    for place, number, says in (
        (1, np.inf, ["node 1: x inf is not a finite number"]),
        (0, 9, ["node 0: above 9 is not"]),
    ):
        wrong = tree.replace(value=np.where(np.arange(8) == place, np.float32(number), tree.value))
        assert [found[: len(say)] for found, say in zip(problems(FACTORED, wrong, 0), says, strict=True)] == says


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x:", "column 1: expected a number as the factor of x, found nothing"),
        ("(add x:y x)", "column 6: expected a number as the factor of x, found y"),
        ("x:1e99", "expected a number as the factor of x, found 1e99"),
        ("(if flag:2 x x)", "flag, a bool, has no factor: found flag:2"),
        ("(if (square:2 [1,1]) x x)", "square, a bool, has no factor"),
        ("(if (square 3) x x)", r"expected a point from \[1,1\] to \[3,2\] as the parameter of square, found 3"),
        ("(if square x x)", r"square needs arguments: expected \(square \[x,y\]\)"),
        ("2:3", "2:3 is not in the primitive set"),
        ("1e99", "expected a number from -5 to 5, found 1e99"),
        ("(ad:2 x x)", "ad:2 is not in the primitive set.*close names: and, add"),
    ],
)
def test_errors_of_factors(text, says):
    with pytest.raises(ProgramError, match=says):
        parse_tree(FACTORED, text, 8)


def test_a_number_where_no_constant_fits():
    with pytest.raises(ProgramError, match="more nodes"):
        parse_tree(MANCALA, "(ADD 1 2)", 2)
    with pytest.raises(ProgramError, match="a number from -1 to 1, found 3"):
        parse_tree(ARITHMETIC, "3", 2)
