"""Programs that make moves, cut into pure nodes and frames."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.genotypes.text import parse_tree
from jaxgp.interpreter.frames import most_frames, plan_frames
from tests.search.test_programs import language

PRIMITIVES = language()
CAPACITY = 31


def planned(text):
    tree = parse_tree(PRIMITIVES, text, CAPACITY, int(PRIMITIVES.root_type[0]))
    return jax.tree.map(lambda x: x[0], plan_frames(PRIMITIVES, jax.tree.map(lambda x: jnp.asarray(x)[None], tree)))


@pytest.mark.thorough
def test_nodes_below_which_no_move_is_made_are_pure():
    plan = planned("(If3 (Smaller Total 2) (MakeBestMove (If3 IsEven Total 2)) Depth)")
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
    one = jax.tree.map(lambda x: x[None], planned(text))
    assert int(most_frames(one, 2)[0]) == frames
    assert int(most_frames(one, 5)[0]) == deep
