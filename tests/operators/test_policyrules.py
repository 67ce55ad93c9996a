"""Whole rules change places: in crossover between two individuals, in mutation within one."""

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
from jaxgp.genotypes.primitives import BOOL, FLOAT, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs, empty
from jaxgp.operators.creation import create
from jaxgp.operators.crossover import one_child, two_children
from jaxgp.operators.mutation import mutate
from jaxgp.operators.options import CreationOptions, CrossoverOptions, MutationOptions
from jaxgp.operators.trees import swap_between, swap_within
from jaxgp.operators.variation import breed
from jaxgp.options import check
from tests.operators.operator_cases import TYPED, assert_distribution, assert_valid, copied, lane, quick, same, words


def _unused(*_):
    raise AssertionError("operators never evaluate a program")


# Three rules of a condition and a value, and a default value.
POLICY = PrimitiveSet(
    name="policy",
    terminals=(Primitive("n", domain=Integers(0, 99)), Primitive("flag", BOOL, domain=Integers(0, 99), call=_unused)),
    functions=(
        Primitive("add", args=(FLOAT, FLOAT), call=_unused),
        Primitive("and", BOOL, (BOOL, BOOL), call=_unused),
    ),
    roots=(BOOL, FLOAT) * 3 + (FLOAT,),
    rules=((0, 1), (2, 3), (4, 5)),
)
SIZE = 32
RULE, NO_KINDS = CrossoverOptions(subtree=0.0, rule=1.0), {"children": 0.0}

created = quick(lambda key: create(key, POLICY, CreationOptions(max_depth=3), SIZE, 15))


def rules_of(one):
    """The rules of an individual, and its default value."""
    printed = [words(POLICY, lane(one, tree)) for tree in range(7)]
    return [tuple(printed[tree] for tree in rule) for rule in POLICY.rules], printed[6]


@quick
def vary(key, first, second):
    keys = jax.random.split(key, SIZE)
    mutation = GPOptions(mutation=MutationOptions(1.0, **NO_KINDS, rule=1.0))
    chosen = np.arange(SIZE) % 2 == 0
    return (
        jax.vmap(lambda k, a, b: two_children(k, POLICY, RULE, 3, a, b))(keys, first, second),
        jax.vmap(lambda k, a, b: one_child(k, POLICY, RULE, 3, a, b))(keys, first, second),
        mutate(key, POLICY, mutation, first, chosen),
    )


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.integers(0, 2**31 - 1))
def test_rules_stay_whole_and_none_is_lost(seed):
    first, second = created(jax.random.key(seed)), created(jax.random.key(seed + 1))
    (one, other, *rejected), (alone, _), mutated = vary(jax.random.key(seed), first, second)
    assert not any(map(np.any, rejected))
    assert same(alone, one)
    for made in (one, other, mutated):
        assert_valid(POLICY, made, 3)
    for i in range(SIZE):
        before, after = [[rules_of(lane(x, i)) for x in pair] for pair in ((first, second), (one, other))]
        assert [default for _, default in after] == [default for _, default in before]
        assert Counter(after[0][0] + after[1][0]) == Counter(before[0][0] + before[1][0])
        for (old, _), (new, _) in zip(before, after, strict=True):
            assert sum(a != b for a, b in zip(old, new, strict=True)) <= 1
        swapped, default = rules_of(lane(mutated, i))
        assert default == before[0][1]
        assert Counter(swapped) == Counter(before[0][0])
        assert sum(a != b for a, b in zip(before[0][0], swapped, strict=True)) in ((0, 2) if i % 2 == 0 else (0,))


def marked(first):
    """An individual of seven terminals, numbered from `first` on."""
    names = ["flag" if root == BOOL else "n" for root in POLICY.roots]
    fields = [(POLICY.opcode(name), first + tree) for tree, name in enumerate(names)]
    opcode, value = (np.array(x)[:, None] for x in zip(*fields, strict=True))
    one = np.ones((7, 1))
    fields = (opcode.astype(np.int16), value.astype(np.float32), one.astype(np.int16), np.ones(7, np.int32))
    return jax.tree.map(jnp.asarray, Programs(*fields))


DRAWS = 30_000


def test_both_rules_of_a_crossover_are_drawn_uniformly():
    first, second = marked(0), marked(10)
    keys = jax.random.split(jax.random.key(1), DRAWS)
    one, other = quick(jax.vmap(lambda key: swap_between(key, POLICY, first, second)))(keys)
    taken, given_ = np.asarray(one.value)[:, :6:2, 0], np.asarray(other.value)[:, :6:2, 0]
    place, rule = (taken >= 10).argmax(1), (given_ < 10).argmax(1)
    assert (taken[np.arange(DRAWS), place] == 10 + 2 * rule).all()
    assert (given_[np.arange(DRAWS), rule] == 2 * place).all()
    assert_distribution(np.bincount(3 * place + rule, minlength=9), np.ones(9))


def test_every_two_rules_change_places_equally_often():
    keys = jax.random.split(jax.random.key(2), DRAWS)
    made = quick(jax.vmap(lambda key: swap_within(key, POLICY, marked(0))))(keys)
    order = np.asarray(made.value)[:, [0, 2, 4], 0].astype(int) // 2
    seen = Counter(map(tuple, order.tolist()))
    assert_distribution([seen.pop(pair) for pair in ((1, 0, 2), (2, 1, 0), (0, 2, 1))], np.ones(3))
    assert not seen


@pytest.mark.thorough
def test_kinds_of_crossover_are_drawn_by_weight():
    first, second = marked(0), marked(10)
    keys = jax.random.split(jax.random.key(3), DRAWS)
    mixed = CrossoverOptions(subtree=3.0, rule=1.0)
    one, _ = quick(jax.vmap(lambda key: one_child(key, POLICY, mixed, 3, first, second)))(keys)
    changed = (np.asarray(one.value)[:, :, 0] >= 10).sum(1)  # a rule has two trees, a subtree lies in one
    assert_distribution(np.bincount(changed, minlength=3), [0, 0.75, 0.25])


@pytest.mark.thorough
def test_shares_that_exclude_each_other_are_exact():
    algorithm = GPOptions(
        elites=0,
        crossover=CrossoverOptions(0.4, subtree=0.0, rule=1.0),
        mutation=MutationOptions(0.1, **NO_KINDS, rule=1.0, exclusive=True),
    )
    step = quick(lambda key, parents: breed(key, POLICY, algorithm, parents, jnp.ones(DRAWS)))
    made, counts = step(jax.random.key(4), copied(marked(0), DRAWS))
    # Parents are copies of one individual. A crossed child holds a rule twice or is a copy; a mutated one is a
    # permutation of its rules, never a copy.
    first = np.asarray(made.value)[:, [0, 2, 4], 0]
    permuted = (np.sort(first, 1) == [0, 2, 4]).all(1) & (first != [0, 2, 4]).any(1)
    crossed, mutated = int(counts["crossovers"]), int(counts["mutations"])
    assert permuted.sum() == mutated
    assert_distribution([DRAWS - crossed - mutated, crossed, mutated], [0.5, 0.4, 0.1])


def test_options_of_rules_are_refused_where_there_are_none():
    population = empty((4, TYPED.num_trees), 15)
    for options in (
        GPOptions(crossover=CrossoverOptions(rule=1.0)),
        GPOptions(mutation=MutationOptions(1.0, rule=1.0)),
    ):
        with pytest.raises(ValueError, match=r"rule=1: accepted: 0, for individuals without rules"):
            jax.eval_shape(lambda key, o=options: breed(key, TYPED, o, population, jnp.ones(4)), jax.random.key(0))


def test_shares_that_exclude_each_other_must_fit():
    check(GPOptions(crossover=CrossoverOptions(0.9), mutation=MutationOptions(0.1, exclusive=True)))
    with pytest.raises(UsageError, match=r"mutation.probability=0.2: accepted: a number from 0 to 0.1, as crossover"):
        check(GPOptions(crossover=CrossoverOptions(0.9), mutation=MutationOptions(0.2, exclusive=True)))
    with pytest.raises(UsageError, match=r"exclusive=true: accepted: false with crossover.method=one_or_two_way"):
        check(
            GPOptions(crossover=CrossoverOptions(0.4, "one_or_two_way"), mutation=MutationOptions(0.2, exclusive=True))
        )
    with pytest.raises(
        UsageError, match=r"probability=0.9: accepted: 0, or a weight above 0 for subtree, rule or one_point"
    ):
        check(CrossoverOptions(subtree=0.0))


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (((0, 1), (2,)), "rules have the same root types"),
        (((0, 1), (1, 2)), "each at most once"),
        (((0, 7),), "rules name trees of an individual"),
    ],
)
def test_rules_that_cannot_change_places_are_refused(rules, message):
    with pytest.raises(ValueError, match=message):
        PrimitiveSet("policy", POLICY.terminals, POLICY.functions, POLICY.roots, rules=rules)
