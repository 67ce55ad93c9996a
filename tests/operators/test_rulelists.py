"""Creation, recombination and mutation of rule lists: what they keep. How they choose is tested beside this."""

from collections import Counter
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.errors import UsageError
from jaxgp.genotypes.rulelists import RuleLists
from jaxgp.operators import rulelists as operators
from jaxgp.operators.rulelists import KINDS, RuleCreationOptions, RuleMutationOptions
from tests.genotypes.rule_cases import LANGUAGES, ODD, WALLS3, assert_valid, empty, lane, random_lists
from tests.operators.operator_cases import quick, same
from tests.operators.rule_operator_cases import CAPACITY, moved, numbered, words
from tests.reference.rules import plain

BATCH = 40

languages = st.sampled_from(LANGUAGES)
seeds = st.integers(0, 2**31 - 1)


@lru_cache
def every(operator, *static):
    """Map an operator over a batch of keys or words and lists."""
    return quick(jax.vmap(lambda words, *lists: operator(words, *static, *lists)))


@settings(max_examples=5, deadline=None, derandomize=True)
@given(languages, seeds)
def test_recombination_deals_every_rule_once_and_in_order(language, seed):
    first, second = random_lists(seed, language, BATCH, CAPACITY), random_lists(seed + 1, language, BATCH, CAPACITY)
    second = jax.tree.map(lambda field: field[::-1], second)  # the empty and the full list meet others
    keys = jax.random.split(jax.random.key(seed), BATCH)
    children = jax.tree.map(np.asarray, every(operators.recombine)(keys, first, second))
    for child in children:
        assert_valid(language, child)
        assert (np.asarray(child.length) <= np.maximum(first.length, second.length)).all()
    for i in range(BATCH):
        one, other = (plain(lane(child, i)) for child in children)
        parents = plain(lane(first, i)), plain(lane(second, i))
        assert Counter(one + other) == Counter(parents[0] + parents[1])
        places = [rule for pair in zip(*parents, strict=False) for rule in pair]
        shared = min(map(len, parents))
        for k in range(shared):
            assert {one[k], other[k]} == set(places[2 * k : 2 * k + 2])
        rest = max(parents, key=len)[shared:]
        for child in (one, other):
            remaining = iter(rest)
            assert all(rule in remaining for rule in child[shared:])  # a subsequence


@lru_cache
def mutants(language):
    """Map all four mutations over a batch of words and lists, by name."""
    weights = operators.condition_weights(language, None)

    def mutate(words, one):
        return {
            "add": operators.add(words, language, weights, one),
            "delete": operators.delete(words, one),
            "reorder": operators.reorder(words, one),
            "modify": operators.modify(words, language, weights, one),
        }

    return quick(jax.vmap(mutate))


@settings(max_examples=5, deadline=None, derandomize=True)
@given(languages, seeds)
def test_mutations_do_what_they_say(language, seed):
    lists = random_lists(seed, language, BATCH, CAPACITY)
    drawn = words(seed, BATCH, language.num_cells + 6)
    made = jax.tree.map(np.asarray, mutants(language)(drawn, lists))
    for got in made.values():
        assert_valid(language, got)
    for i in range(BATCH):
        old = plain(lane(lists, i))
        add, delete, reorder, modify = (plain(lane(made[kind], i)) for kind in KINDS)
        if len(old) == CAPACITY:
            assert add == old
        else:
            assert any(add[:k] + add[k + 1 :] == old for k in range(len(add)))
        if not old:
            assert delete == modify == []
            continue
        assert any(old[:k] + old[k + 1 :] == delete for k in range(len(old)))
        shifts = [moved(old, at, to) for at in range(len(old)) for to in range(len(old)) if at != to]
        assert reorder in (shifts or [old])
        different = [k for k in range(len(old)) if modify[k] != old[k]]
        assert len(different) == 1
        (masks, actions) = zip(old[different[0]], modify[different[0]], strict=True)
        changed = sum(a != b for a, b in zip(*masks, strict=True))
        assert changed + (actions[0] != actions[1]) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("language", "dont_care"),
    [(WALLS3, None), (ODD, 0.4), *(pytest.param(*one, marks=pytest.mark.slow) for one in ((WALLS3, 1.0), (ODD, 0.0)))],
)
def test_mutation_stays_valid_for_many_rounds(language, dont_care):
    lists = random_lists(1, language, BATCH, CAPACITY)
    go = quick(jax.vmap(lambda key, one: operators.mutate(key, language, RuleMutationOptions(), dont_care, one)))
    for g in range(6):
        keys = jax.random.split(jax.random.key(g), BATCH)
        made, kind, possible = jax.tree.map(np.asarray, go(keys, lists))
        assert_valid(language, made)
        for i in range(BATCH):
            length = int(lists.length[i])
            can = {"add": length < CAPACITY, "delete": length > 0, "reorder": length > 1, "modify": length > 0}
            assert possible[i] == can[KINDS[kind[i]]]
            unchanged = same(lane(made, i), lane(lists, i))
            # Moving one of two equal rules may leave all as it was; nothing else may.
            assert possible[i] or unchanged
            assert not (possible[i] and unchanged) or KINDS[kind[i]] == "reorder"
            grown = {"add": 1, "delete": -1}.get(KINDS[kind[i]], 0) * int(possible[i])
            assert int(made.length[i]) == length + grown
        lists = made


def test_the_same_key_makes_the_same_lists():
    make = quick(lambda key: operators.create(key, WALLS3, RuleCreationOptions(), 64))
    assert same(make(jax.random.key(0)), make(jax.random.key(0)))
    assert not same(make(jax.random.key(0)), make(jax.random.key(1)))


def test_impossible_options_are_refused():
    with pytest.raises(UsageError, match=r"creation.max_rules=9: accepted: .* to 8 \(capacity\)"):
        operators.create(jax.random.key(0), WALLS3, RuleCreationOptions(max_rules=9), 8)
    for bad in ((5, 4), (-1, 4), (0, 4, -0.1), (0, 4, 1.5), (0, 4, float("nan"))):
        with pytest.raises(UsageError, match=r"(min_rules|dont_care)=.*: accepted: a (whole )?number from 0"):
            RuleCreationOptions(*bad)
    for bad in ((0, 0, 0, 0), (-1,), (float("nan"),)):
        with pytest.raises(UsageError, match=r"add=.*: accepted: a (weight above 0 for|number from 0)"):
            RuleMutationOptions(*bad)


@pytest.mark.thorough
def test_deleting_to_nothing_and_adding_to_the_capacity():
    one = RuleLists(*(jnp.asarray(x) for x in (numbered(2).condition, numbered(2).action, np.int32(2))))
    delete = quick(operators.delete)
    for left in (1, 0, 0):
        one = delete(words(0, 1, 1)[0], one)
        assert one.length == left
    assert same(one, empty(WALLS3, (), CAPACITY))
    weights = operators.condition_weights(ODD, None)
    add = quick(lambda word, one: operators.add(word, ODD, weights, one))
    full = empty(ODD, (), 3)
    for seed in range(4):
        before, full = full, add(words(seed, 1, 10)[0], full)
        assert full.length == min(seed + 1, 3)
    assert same(before, full)
