"""Introns of each kind are found by replacement, and those that the structure implies are proved."""

import jax
import numpy as np
import pytest

from envs.othello import leaves
from envs.othello.rules import Othello
from jaxgp.anatomy import introns
from jaxgp.anatomy.trace import Tracer, Tree
from jaxgp.export.export import label
from jaxgp.interpreter.evaluate import evaluate_programs
from tests.genotypes.program_cases import parse_tree

SET = leaves.primitive_set(Othello(), leaves.Options())
T1, T2, T3, T4, T5 = "(IsEmptySquare [1,1])", "Mobility", "FriendlyPieceCount", "PieceCount", "EnemyPieceCount"
PROVED = {
    "a live-code intron": (
        f"(IFT (OR {T1} True) {T2} {T3})",
        {"IsEmptySquare [1,1]": "live", T3: "dead"},
    ),
    "an implicit dead-code intron": (f"(IFT True {T2} (Plus {T3} {T4}))", {"Plus": "dead", T3: "dead", T4: "dead"}),
    "an explicitly defined intron": (f"(NullJ {T4} {T5})", {T5: "explicit"}),
    "another one": (f"(IFT (NOTG {T1} False) {T4} {T5})", {"False": "explicit"}),
    "a condition of two equal constants": (f"(Plus {T4} (IFT {T1} 1 One))", {"IsEmptySquare [1,1]": "live"}),
    "a deciding argument that comes second": (
        f"(IFT (NAND (LowerEqual {T2} {T3}) False) {T4} {T2}:3)",
        {"LowerEqual": "live", T2: "live", T3: "live", f"{T2}:3": "dead"},
    ),
}


@pytest.fixture(scope="module")
def tracer():
    rng = np.random.default_rng(0)
    seen = np.concatenate([rng.integers(0, 2, (128, 300)), rng.integers(0, 30, (4, 300))])
    return Tracer(SET, seen.astype(np.float32))


def kinds(found):
    """Return the introns by the labels of their nodes: kind and whether it is proved."""
    tree = found.tree
    return {
        label(SET, tree.codes[n], tree.values[n]): (kind, found.proved[n])
        for n, kind in enumerate(found.kinds)
        if kind != "code"
    }


def found(tracer, text):
    return introns.find(tracer, Tree.of(SET, parse_tree(SET, text, 64)))


@pytest.mark.few(2)
@pytest.mark.parametrize("name", PROVED)
def test_what_the_structure_implies_is_found_and_proved(tracer, name):
    text, wanted = PROVED[name]
    assert kinds(found(tracer, text)) == {node: (kind, True) for node, kind in wanted.items()}


def test_what_only_the_positions_show_is_not_proved(tracer):
    never = found(tracer, f"(IFT (LowerEqual {T2} 99) {T4} {T3})")  # nobody has a hundred moves
    assert kinds(never) == {T3: ("dead", False)}
    idle = found(tracer, f"(IFT (AND {T1} (LowerEqual 99 {T2})) {T3} {T4})")
    assert kinds(idle) == {"IsEmptySquare [1,1]": ("live", False), T3: ("dead", False)}


def test_code_that_could_be_shorter_is_no_intron(tracer):
    assert kinds(found(tracer, f"(Plus (Minus {T2} 0) (IFT (NOTG (NOTG {T1} True) True) {T4} 0))")) == {
        "True": ("explicit", True)
    }


@pytest.mark.thorough
def test_values_are_those_of_the_interpreter(tracer):
    run = jax.jit(lambda tree: evaluate_programs(SET, tree, tracer.features))
    for text, _ in PROVED.values():
        tree = parse_tree(SET, text, 64)
        expected = run(tree)
        assert np.array_equal(tracer.values(Tree.of(SET, tree))[-1], expected)


def test_maximal_introns_are_counted_once_with_all_their_nodes(tracer):
    one = found(tracer, f"(NullJ {T4} (Plus (NullJ {T2} {T3}) {T5}))")
    assert [kind for kind in one.kinds if kind != "code"] == ["explicit"] * 5
    assert len(one.roots) == 1
