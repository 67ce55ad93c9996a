"""Programs that make moves, cut into pure nodes and frames."""

import jax
import numpy as np
import pytest

from jaxgp.interpreter.machine.plan import most_frames, plan_frames
from tests.genotypes.program_cases import parse_tree
from tests.search.test_programs import language

PRIMITIVES = language()
CAPACITY = 31


plan_one = jax.jit(lambda tree: plan_frames(PRIMITIVES, tree))
most = jax.jit(most_frames, static_argnums=1)


def planned(text):
    """The plan of one tree, [1, ...]."""
    tree = parse_tree(PRIMITIVES, text, CAPACITY, int(PRIMITIVES.root_type[0]))
    return jax.device_get(plan_one(jax.tree.map(lambda x: np.asarray(x)[None], tree)))


@pytest.mark.thorough
def test_nodes_below_which_no_move_is_made_are_pure():
    plan = jax.tree.map(lambda x: x[0], planned("(If3 (Smaller Total 2) (MakeBestMove (If3 IsEven Total 2)) Depth)"))
    # Total 2 Smaller IsEven Total 2 If3 MakeBestMove Depth If3
    np.testing.assert_array_equal(plan.pure[:10], [True] * 7 + [False, True, False])
    np.testing.assert_array_equal(plan.reads[:10], [True, False, True, True, True, False, True, True, True, True])
    np.testing.assert_array_equal(plan.order[: int(plan.steps)], [2, 6])
    np.testing.assert_array_equal(plan.argument[9, :3], [2, 7, 8])


@pytest.mark.parametrize(
    ("text", "frames", "deep"),
    [
        ("Total", 1, 1),
        ("(MakeBestMove Total)", 2, 2),
        ("(MakeBestMove (If3 IsEven (MakeBestMove Total) 2))", 4, 4),
        ("(MyMoveIter IsEven IsEven 2 2)", 3, 3),
        ("(If3 (Equal Again 2) Total 2)", 5, 14),
    ],
)
def test_the_tree_says_how_many_frames_it_needs(text, frames, deep):
    one = planned(text)
    assert int(most(one, 2)[0]) == frames
    assert int(most(one, 5)[0]) == deep
