"""Simpler programs have equal values, and what breaks the equality is taken back."""

import numpy as np
import pytest
from hypothesis import given, settings

from envs.mancala.primitives import Options as MancalaOptions
from envs.mancala.primitives import primitive_set
from envs.mancala.rules import Mancala
from envs.othello import leaves, moves
from envs.othello.rules import Othello
from jaxgp.anatomy.nodes import Forest, write_trees
from jaxgp.anatomy.simpler import simplify
from jaxgp.anatomy.simpler.rules import Simplifier
from jaxgp.anatomy.trace import Tracer, Tree
from jaxgp.genotypes.text import parse_program, print_program, print_tree
from tests.genotypes.generators import MIXED, trees
from tests.genotypes.program_cases import parse_tree, problems

LEAF = leaves.primitive_set(Othello(), leaves.Options())
MOVE = moves.primitive_set(Othello(), moves.Options(weights="path", noop_bits=1))
KALAH = primitive_set(Mancala(), MancalaOptions())
SETS = [LEAF, MOVE, KALAH]
A, B = "(IsEmptySquare [1,1])", "(IsEmptySquare [2,2])"
SIMPLER = [
    ("(IFT True Mobility One)", "Mobility"),
    ("(IFT (LowerEqual 1 2) Mobility One)", "Mobility"),
    (f"(IFT {A} Mobility Mobility)", "Mobility"),
    (f"(IFT (NOTG {A} {B}) Mobility One)", f"(IFT {A} 1 Mobility)"),
    (f"(IFT (NOTG (NOTG {A} {B}) True) Mobility 0)", f"(IFT {A} Mobility 0)"),
    (f"(IFT (OR {A} (AND {A} {B})) Mobility 0)", f"(IFT {A} Mobility 0)"),
    (f"(IFT (NOR (NAND {A} {A}) (NAND {B} True)) Mobility 0)", f"(IFT (AND {A} {B}) Mobility 0)"),
    (f"(IFT (NAND {A} (NOTG {A} {B})) Mobility 0)", "Mobility"),
    ("(NullJ:2 Mobility PieceCount)", "Mobility:2"),
    ("(MultERC:2 Mobility:0.3)", "Mobility:0.6"),  # twice a number is not rounded
    ("(NullJ:3 Mobility:0.3 PieceCount)", "(MultERC:3 Mobility:0.3)"),  # three times a number is
    ("(MultERC:3 (Plus 1 One:2))", "9"),
    ("(Minus Zero Mobility)", "Mobility:-1"),
    ("(Plus (Minus Mobility Mobility) PieceCount)", "PieceCount"),
]


def simplified(primitives, text):
    rules = Simplifier(Forest(primitives))
    root = rules.simplify(rules.forest.read(parse_tree(primitives, text, 64)))
    return print_program(primitives, write_trees([root], 64))


@pytest.mark.parametrize(("text", "wanted"), SIMPLER)
def test_rules_find_the_shorter_form(text, wanted):
    assert simplified(LEAF, text) == wanted


def test_nothing_moves_where_leaves_have_weights_by_their_place():
    text = "(+ (B0 own) (- other other))"
    assert simplified(MOVE, text) == text


def test_a_pit_outside_the_board_has_no_stones():
    assert simplified(KALAH, "(ADD (VALUE_AT (SUB 3 5)) (VALUE_AT 2))") == "(VALUE_AT 2)"


@pytest.fixture(scope="module")
def tracers():
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 8, (140, 40)).astype(np.float32)
    whole[:128] = whole[:128] % 2
    return {p: Tracer(p, whole[-20:] if p is KALAH else whole) for p in SETS}


@pytest.mark.few(1)
@pytest.mark.parametrize("primitives", SETS, ids=lambda p: p.name)
def test_rules_keep_every_value(tracers, primitives):
    tracer, rules = tracers[primitives], Simplifier(Forest(primitives))

    @settings(max_examples=60, deadline=None)
    @given(trees(primitives, 60))
    def law(tree):
        root = rules.simplify(rules.forest.read(tree))
        after = simplify.trees_of(write_trees([root], 60))[0]
        assert root.size <= int(tree.length)
        assert not problems(primitives, after, int(primitives.root_type[0]))
        old, new = (tracer.values(Tree.of(primitives, one))[-1] for one in (tree, after))
        kept = np.isfinite(old)  # where numbers overflow, a difference of equal ones is no number
        assert simplify.same(old, new)[kept].all(), print_tree(primitives, tree)

    law()


def test_each_tree_of_an_individual_is_simplified_for_itself():
    tracer = Tracer(MIXED, np.random.default_rng(2).normal(size=(4, 50)).astype(np.float32))
    program = parse_program(MIXED, "(PROGRAM (neg (neg x)) (and flag (not (not 0))) (less x (sub -1 1)))", 16)
    simpler, steps = simplify.simplify(MIXED, program, tracer, lambda _: True, lambda _: True)
    assert print_program(MIXED, simpler) == "(PROGRAM (neg (neg x)) 0 (less x -2))"
    assert [step.size for step in steps] == [7, 7, 7]


def test_a_change_that_breaks_the_check_is_taken_back_alone(tracers):
    text = "(Plus (MultERC:3 Mobility:0.3) (IFT (LowerEqual Mobility 99) (MultERC:5 PieceCount:0.7) One))"
    program = parse_program(LEAF, text, 32)

    def keeps_three(made):
        return "MultERC:3 " in print_program(LEAF, made)

    simpler, steps = simplify.simplify(LEAF, program, tracers[LEAF], lambda _: True, keeps_three)
    assert print_program(LEAF, simpler) == "(Plus (MultERC:3 Mobility:0.3) PieceCount:3.5)"
    assert [step.taken_back for step in steps] == [0, 0, 1]
    assert [step.size for step in steps] == [10, 5, 4]  # one of both pairs of factors
