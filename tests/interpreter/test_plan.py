"""The stack bound against all shapes, and plans against the bound and a naive run."""

from functools import lru_cache, partial

import jax
import numpy as np
import pytest
from hypothesis import given, settings

from jaxgp.interpreter.calls import instructions
from jaxgp.interpreter.plan import CONSTANT, plan, stack_bound
from tests.genotypes.generators import ARITHMETIC, MIXED, random_programs, stack_programs, tree_at, trees


@lru_cache
def needs_of_shapes(size, max_arity):
    """Return every need that a tree of `size` nodes can have; a shape is known by its size and need alone."""
    if size == 1:
        return frozenset([1])
    return frozenset(
        need_of(children) for arity in range(1, max_arity + 1) for children in forests(size - 1, arity, max_arity)
    )


@lru_cache
def forests(size, trees_left, max_arity):
    """Return the sorted needs of every ordered forest of `trees_left` trees with `size` nodes in all."""
    if trees_left == 0:
        return frozenset([()] if size == 0 else [])
    return frozenset(
        tuple(sorted((need, *rest), reverse=True))
        for first in range(1, size - trees_left + 2)
        for need in needs_of_shapes(first, max_arity)
        for rest in forests(size - first, trees_left - 1, max_arity)
    )


def need_of(children):
    return max(need + i for i, need in enumerate(children))


@pytest.mark.parametrize(("max_arity", "largest"), [(1, 40), (2, 40), (3, 32), (4, 26)])
def test_bound_is_the_largest_need_of_all_shapes(max_arity, largest):
    for size in range(1, largest + 1):
        worst = max(max(needs_of_shapes(n, max_arity)) for n in range(1, size + 1))
        assert stack_bound(max_arity, size) == worst


@pytest.mark.parametrize(
    ("max_arity", "rows"),
    [(1, (1, 1, 1, 1)), (2, (5, 6, 7, 8)), (3, (6, 7, 9, 10)), (4, (7, 8, 10, 11))],
)
def test_bound_of_usual_lengths(max_arity, rows):
    assert tuple(stack_bound(max_arity, length) for length in (31, 63, 127, 255)) == rows


def count_steps(primitives, tree):
    """Count the functions and parametrised terminals, but for functions of constants alone."""
    stack = []  # of each subtree: whether it is a constant, and its steps
    for i in range(int(tree.length)):
        p = primitives.primitives[int(tree.opcode[i])]
        taken = [stack.pop() for _ in range(p.arity)]
        own = p.feature is not None or p.reads_features or (p.call is not None and not p.args)  # not known beforehand
        constant = all(c for c, _ in taken) and not own
        stack.append((constant, 0 if constant else sum(n for _, n in taken) + (p.call is not None)))
    return stack[0][1]


def check(primitives, tree, made):
    """Run the plan on sets of node counts: every operand is there when it is read, in the right place and once."""
    width, capacity = primitives.max_arity, tree.opcode.shape[-1]
    rows = stack_bound(width, capacity)
    kinds = instructions(primitives)
    steps = int(made.steps)
    held = {}
    assert steps == count_steps(primitives, tree)
    for i in range(steps):
        kind = kinds[int(made.kind[i])]
        read = [int(row) for row in made.operand[i, : kind.arity]]
        assert all((made.operand[i, kind.arity :]) == CONSTANT)
        for row in read:
            if 0 <= row < rows:
                held.pop(row)  # read exactly once, after it was written
        slot = int(made.slot[i])
        assert 0 <= slot < rows
        assert slot not in held  # nothing that waits is overwritten
        held[slot] = kind.name
    assert list(held) == ([0] if steps and 0 <= int(made.root) < rows else [])
    assert (np.asarray(made.slot[steps:]) == rows).all()
    assert (np.asarray(made.operand[steps:]) == CONSTANT).all()


COUNT = 159


@pytest.fixture(scope="module")
def batch():
    """Random programs and then a complete binary tree of parametrised terminals, and their plans in groups."""
    cell, sub = (MIXED.opcode("cell"), 1.0), (MIXED.opcode("sub"), 0.0)
    nodes = [cell]
    for _ in range(4):
        nodes = [*nodes, *nodes, sub]
    parts = random_programs(5, MIXED, COUNT, 63), stack_programs(MIXED, [nodes], 63)
    programs = jax.tree.map(lambda *x: np.concatenate(x), *parts)
    grid = jax.tree.map(lambda field: field.reshape(-1, 2, *field.shape[1:]), programs)
    plans = jax.jit(partial(plan, MIXED))(grid)
    assert plans.steps.shape == (80, 2)
    return programs, jax.tree.map(lambda x: np.asarray(x).reshape(-1, *x.shape[2:]), plans)


def lane(plans, index):
    return jax.tree.map(lambda x: x[index], plans)


@pytest.mark.thorough
def test_plans_keep_within_the_bound(batch):
    programs, plans = batch
    for i in range(COUNT):
        check(MIXED, tree_at(programs, i), lane(plans, i))


def test_the_neediest_shape_of_its_size_fits(batch):
    """A complete binary tree of parametrised terminals needs every row of the bound."""
    made = lane(batch[1], COUNT)
    check(MIXED, tree_at(batch[0], COUNT), made)
    assert made.slot[: int(made.steps)].max() + 1 == stack_bound(2, 31) == 5


@pytest.mark.slow
def test_batches_in_groups_equal_single_plans(batch):
    planned = jax.jit(partial(plan, MIXED))
    for i in range(COUNT):
        jax.tree.map(np.testing.assert_array_equal, lane(batch[1], i), planned(tree_at(batch[0], i)))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(trees(ARITHMETIC, 63))
def test_plans_of_drawn_trees_keep_within_the_bound(tree):
    check(ARITHMETIC, tree, jax.tree.map(np.asarray, plan_one(tree)))


plan_one = jax.jit(partial(plan, ARITHMETIC))
