import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.operators.crossover import choose_points, one_child, two_children
from jaxgp.operators.options import CrossoverOptions
from tests.operators.operator_cases import (
    BATCH,
    MANCALA,
    MAX_DEPTH,
    TYPED,
    assert_distribution,
    assert_valid,
    depths,
    individual,
    lane,
    quick,
    same,
    tree,
    typed_population,
    words,
)

UNIFORM, KOZA = CrossoverOptions(), CrossoverOptions(node_choice="koza")


@quick
def swap_random_pairs(key, first, second):
    """Both children of each pair under a depth limit, and where they were cut."""
    keys = jax.random.split(key, BATCH)
    children = jax.vmap(lambda k, a, b: two_children(k, TYPED, KOZA, MAX_DEPTH, a, b))(keys, first, second)
    points = jax.vmap(lambda k, a, b: choose_points(k, TYPED, KOZA, a, b))(keys, first, second)
    return children, points


def spliced(receiver, node, donor, root):
    """The postfix words of the child, on the host."""
    ours, theirs = words(TYPED, receiver).split(), words(TYPED, donor).split()
    size, taken = int(receiver.size[node]), int(donor.size[root])
    return " ".join(ours[: node - size + 1] + theirs[root - taken + 1 : root + 1] + ours[node + 1 :])


@settings(max_examples=5, deadline=None, derandomize=True)
@given(st.integers(0, 2**31 - 1))
def test_children_are_valid_within_all_limits_and_spliced_as_said(seed):
    first, second = typed_population(jax.random.key(seed)), typed_population(jax.random.key(seed + 1))
    (one, other, one_rejected, other_rejected), points = swap_random_pairs(jax.random.key(seed), first, second)
    for child, parent, donor, rejected, at, root in (
        (one, first, second, one_rejected, points.first, points.second),
        (other, second, first, other_rejected, points.second, points.first),
    ):
        assert_valid(TYPED, child, MAX_DEPTH)
        for i in range(BATCH):
            if rejected[i]:
                assert same(lane(child, i), lane(parent, i))
                continue
            t = int(points.tree[i])
            expected = spliced(lane(parent, i, t), int(at[i]), lane(donor, i, t), int(root[i]))
            assert words(TYPED, lane(child, i, t)) == expected
            assert same(lane(child, i, 1 - t), lane(parent, i, 1 - t))
    assert bool(one_rejected.any())  # some break a limit
    assert not bool(one_rejected.all())


KEYS = jax.random.split(jax.random.key(0), 40)


@quick
def cross(keys, receiver, donor):
    """Children of two trees of 5 nodes at most under a depth limit of 3, and which were rejected."""
    one, other = individual(receiver), individual(donor)
    return jax.vmap(lambda key: one_child(key, MANCALA, UNIFORM, 3, one, other))(keys)


def test_a_child_at_the_capacity_is_accepted_and_one_over_it_rejected():
    receiver = tree(MANCALA, "INT:1", 5)
    donor = tree(MANCALA, "INT:1 INT:2 INT:3 INT:4 IF_<_DO_ELSE_", 5)
    full, rejected = cross(KEYS, receiver, donor)
    assert not rejected.any()
    assert set(np.asarray(full.length).ravel().tolist()) == {1, 5}
    child, rejected = cross(KEYS, donor, tree(MANCALA, "INT:7 VALUE_AT", 5))
    too_long = np.asarray(rejected)
    assert 0 < too_long.sum() < 40
    assert all(words(MANCALA, lane(child, i, 0)) == words(MANCALA, donor) for i in np.flatnonzero(too_long))


def test_a_child_deeper_than_the_limit_is_rejected():
    deep = tree(MANCALA, "INT:1 VALUE_AT VALUE_AT VALUE_AT", 5)
    child, rejected = cross(KEYS, deep, deep)
    assert 0 < int(rejected.sum()) < 40
    assert int(depths(child).max()) == 3


def test_one_individual_alone_is_one_of_a_batch():
    one = tree(MANCALA, "INT:1 INT:2 ADD VALUE_AT", 5)
    batch, alone = cross(KEYS, one, one)[0], cross(KEYS[jnp.full(40, 7)], one, one)[0]
    for i in range(40):
        assert same(lane(alone, i), lane(batch, 7))


def test_a_donor_without_a_fitting_node_is_rejected():
    leaf_only = individual(tree(TYPED, "x x less x x if"), tree(TYPED, "flag core narrow"))
    numbers = individual(tree(TYPED, "x x add"), tree(TYPED, "flag core narrow"))
    go = quick(lambda a, b: jax.vmap(lambda key: one_child(key, TYPED, UNIFORM, None, a, b))(KEYS))
    child, rejected = go(leaf_only, numbers)
    lost = np.asarray(rejected)
    assert 0 < lost.sum() < 20  # one node of six in one tree of two
    assert all(same(lane(child, i), leaf_only) for i in np.flatnonzero(lost))


N = 30_000


def joint_choice(config, primitives, first, second):
    """Counts [T, L, L] of (tree, receiving node, donor node)."""
    keys = jax.random.split(jax.random.key(3), N)
    points = quick(jax.vmap(lambda key: choose_points(key, primitives, config, first, second)))(keys)
    capacity = first.opcode.shape[-1]
    index = (points.tree * capacity + points.first) * capacity + points.second
    return np.bincount(index, minlength=primitives.num_trees * capacity**2).reshape(-1, capacity, capacity)


def test_nodes_are_chosen_uniformly():
    first = individual(tree(MANCALA, "INT:1 INT:2 ADD VALUE_AT", 8))
    second = individual(tree(MANCALA, "INT:1 INT:2 INT:3 SUB ADD", 8))
    expected = np.zeros((1, 8, 8))
    expected[0, :4, :5] = 1
    assert_distribution(joint_choice(UNIFORM, MANCALA, first, second).ravel(), expected.ravel())


def test_koza_takes_nine_functions_in_ten_where_there_are_any():
    first = individual(tree(MANCALA, "INT:1 INT:2 ADD VALUE_AT", 8))
    second = individual(tree(MANCALA, "INT:1", 8))
    expected = np.zeros((1, 8, 8))
    expected[0, :4, 0] = [0.05, 0.05, 0.45, 0.45]
    assert_distribution(joint_choice(KOZA, MANCALA, first, second).ravel(), expected.ravel())


def test_donors_are_uniform_among_the_nodes_of_a_fitting_type():
    first = individual(tree(TYPED, "x x less flag same x x if", 8), tree(TYPED, "flag core narrow", 8))
    second = individual(tree(TYPED, "x x less half:0.25 x if", 8), tree(TYPED, "held:3 not core narrow", 8))
    # Rows: receiving nodes; a 1 for each donor node that fits its slot. `any` takes FLOAT and BOOL.
    number, truth = [1, 1, 0, 1, 1, 1, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0]
    anything = np.add(number, truth)
    expected = np.zeros((2, 8, 8))
    for node, fits in enumerate((number, number, anything, anything, truth, number, number, number)):
        expected[0, node] = np.divide(fits, np.sum(fits)) / 16
    for node, fits in enumerate(([1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1])):
        expected[1, node, :4] = np.divide(fits, np.sum(fits)) / 6
    assert_distribution(joint_choice(UNIFORM, TYPED, first, second).ravel(), expected.ravel())


def test_unknown_node_choices_are_named():
    with pytest.raises(ValueError, match="node_choice=best: accepted: uniform, koza"):
        CrossoverOptions(node_choice="best")
