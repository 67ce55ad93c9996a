"""Array functions on trees against naive versions that walk nested tuples."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.genotypes import programs as lp
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import print_tree
from tests.genotypes.generators import FACTORED, MIXED, sizes_of, stack_programs, tree_at, trees
from tests.genotypes.program_cases import problems

CAPACITY = 24
ROOT = int(MIXED.root_type[0])
EXAMPLES = settings(max_examples=50, deadline=None)


def codes(tree):
    return [(int(c), float(v)) for c, v in zip(tree.opcode, tree.value, strict=True)][: int(tree.length)]


def children(tree):
    """Return the argument roots of every node, by a stack of finished subtrees."""
    stack, found = [], []
    for i, (code, _) in enumerate(codes(tree)):
        arity = MIXED.primitives[code].arity
        found.append(stack[len(stack) - arity :])
        del stack[len(stack) - arity :]
        stack.append(i)
    return found


def parents(tree):
    """Return {node: (parent, place among its arguments)}."""
    return {child: (i, k) for i, below in enumerate(children(tree)) for k, child in enumerate(below)}


def levels(tree):
    above, depth = parents(tree), {}
    for node in reversed(range(int(tree.length))):
        depth[node] = depth[above[node][0]] + 1 if node in above else 0
    return [depth[i] for i in range(int(tree.length))]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))


jit_depths = jax.jit(lambda tree: (lp.depths(tree), lp.depth(tree)))


@jax.jit
def jit_parents(tree):
    """Return parent, whether there is one, and slot type of every node."""

    def one(node):
        return *lp.parent(tree, node), lp.slot_type(MIXED, jnp.int32(ROOT), tree, node)

    return jax.vmap(one)(jnp.arange(CAPACITY))


@jax.jit
def jit_replace(tree, node, donor, root):
    return *lp.replace(tree, node, donor, root), lp.subtree(donor, root)


@EXAMPLES
@given(trees(MIXED, CAPACITY, ROOT))
def test_depths(tree):
    expected = levels(tree)
    found, deepest = jit_depths(tree)
    assert np.asarray(found).tolist() == expected + [-1] * (CAPACITY - len(expected))
    assert deepest == max(expected)


@EXAMPLES
@given(trees(MIXED, CAPACITY, ROOT))
def test_parent_and_slot_type(tree):
    above = parents(tree)
    for node, (found, inner, slot) in enumerate(zip(*map(np.asarray, jit_parents(tree)), strict=True)):
        if node == int(tree.length):
            break
        slot = MIXED.types[slot]
        assert inner == (node in above)
        if node in above:
            up, place = above[node]
            assert found == up
            assert slot == MIXED.primitives[int(tree.opcode[up])].args[place]
        else:
            assert slot == MIXED.types[ROOT]


@EXAMPLES
@given(trees(MIXED, CAPACITY, ROOT), trees(MIXED, CAPACITY, ROOT), st.data())
def test_replace_and_subtree(tree, donor, data):
    node = data.draw(st.integers(0, int(tree.length) - 1))
    root = data.draw(st.integers(0, int(donor.length) - 1))
    ours, theirs = codes(tree), codes(donor)
    piece = theirs[root - int(donor.size[root]) + 1 : root + 1]
    nodes = ours[: node - int(tree.size[node]) + 1] + piece + ours[node + 1 :]
    made, fits, cut = jax.tree.map(np.asarray, jit_replace(tree, node, donor, root))
    assert bool(fits) == (len(nodes) <= CAPACITY)
    expected = tree_at(stack_programs(MIXED, [nodes], CAPACITY), 0) if len(nodes) <= CAPACITY else tree
    assert same(made, expected)
    assert same(cut, tree_at(stack_programs(MIXED, [piece], CAPACITY), 0))


@EXAMPLES
@given(trees(MIXED, CAPACITY, ROOT))
def test_valid_trees_have_no_problems(tree):
    assert problems(MIXED, tree, ROOT) == []
    assert list(tree.size[: int(tree.length)]) == sizes_of(MIXED, [code for code, _ in codes(tree)])


def built(*nodes, capacity=8):
    return tree_at(stack_programs(MIXED, [[(MIXED.opcode(n), v) for n, v in nodes]], capacity), 0)


@pytest.mark.parametrize(
    ("break_it", "says"),
    [
        (lambda t: t.size.__setitem__(2, 2), "size 2 should be 3"),
        (lambda t: t.opcode.__setitem__(2, 99), "opcode 99 is not in the primitive set"),
        (lambda t: t.opcode.__setitem__(0, MIXED.opcode("flag")), "argument 1 of sub has type bool"),
        (lambda t: t.opcode.__setitem__(0, MIXED.opcode("neg")), "neg lacks arguments"),
        (lambda t: t.value.__setitem__(1, 9.0), "const 9 is not a number from -2.5 to 2.5"),
        (lambda t: t.value.__setitem__(2, 1.0), "sub carries a value"),
        (lambda t: t.opcode.__setitem__(5, 1), "padding is not zero"),
        (lambda t: t.opcode.__setitem__(2, MIXED.opcode("neg")), "2 roots instead of one"),
        (lambda t: t.opcode.__setitem__(2, MIXED.opcode("less")), "the root has type bool, not float"),
    ],
)
def test_problems_are_named(break_it, says):
    tree = built(("x", 0), ("const", 1.5), ("sub", 0))
    assert problems(MIXED, tree, ROOT) == []
    break_it(tree)
    assert any(says in found for found in problems(MIXED, tree, ROOT))


def test_length_out_of_range_is_a_problem():
    tree = built(("x", 0))
    wrong = Programs(tree.opcode, tree.value, tree.size, np.int32(0))
    assert problems(MIXED, wrong, ROOT) == ["length 0 is not from 1 to 8"]


def test_empty_programs_have_no_nodes():
    nothing = lp.empty((2, 3), 5)
    assert nothing.opcode.shape == (2, 3, 5)
    assert nothing.capacity == 5
    assert nothing.length.tolist() == [[0, 0, 0], [0, 0, 0]]


TOP = (1, 2, "less", 0, 3, "if")


@EXAMPLES
@given(st.lists(trees(FACTORED, CAPACITY, int(FACTORED.root_type[0])), min_size=4, max_size=4))
def test_trees_below_a_preset_top_are_one_valid_tree(many):
    """Its text is that of the top, with the texts of the trees in it."""
    joined = jit_join(jax.tree.map(lambda *x: jnp.stack(x), *many))
    assert problems(FACTORED, joined, int(FACTORED.root_type[0])) == []
    assert joined.capacity == 4 * CAPACITY + 2
    texts = [print_tree(FACTORED, tree) for tree in many]
    assert print_tree(FACTORED, joined) == f"(if (less {texts[1]} {texts[2]}) {texts[0]} {texts[3]})"


jit_join = jax.jit(lambda many: lp.join(FACTORED, many, TOP))
