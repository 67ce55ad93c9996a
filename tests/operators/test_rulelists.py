"""Creation, recombination and mutation of rule lists: what they keep, and how each of their choices is distributed."""

from collections import Counter
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.genotypes import rulelists
from jaxgp.genotypes.rulelists import RuleLists
from jaxgp.operators import draw
from jaxgp.operators import rulelists as operators
from jaxgp.operators.rulelists import KINDS, RuleCreation, RuleMutation
from tests.genotypes.rule_cases import LANGUAGES, ODD, WALLS3, assert_valid, lane, random_lists
from tests.operators.operator_cases import assert_distribution, quick, same
from tests.reference.rules import plain

N = 120_000
BATCH, CAPACITY = 40, 7

languages = st.sampled_from(LANGUAGES)
seeds = st.integers(0, 2**31 - 1)


@lru_cache
def every(operator, *static):
    """Map an operator over a batch of keys or words and lists."""
    return quick(jax.vmap(lambda words, *lists: operator(words, *static, *lists)))


def words(seed, count, number):
    return np.random.default_rng(seed).integers(0, 2**32, (count, number), np.uint32)


def numbered(length, capacity=CAPACITY):
    """A list whose rules can be told apart: rule r has all conditions r % 8, the centre don't care."""
    condition = np.repeat(np.arange(capacity) % 8, 9).reshape(capacity, 9)
    condition[:, 4] = -1
    return rulelists.trim(condition, np.arange(capacity) % 3, length)


def ranks(lists):
    """Return int[N, R]: the number of each rule of a batch of numbered lists, zero past the end."""
    return np.asarray(lists.condition)[:, :, 0]


# What the operators keep.


@settings(max_examples=8, deadline=None, derandomize=True)
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


@settings(max_examples=8, deadline=None, derandomize=True)
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
        shifts = [without(old, at, to) for at in range(len(old)) for to in range(len(old)) if at != to]
        assert reorder in (shifts or [old])
        different = [k for k in range(len(old)) if modify[k] != old[k]]
        assert len(different) == 1
        (masks, actions) = zip(old[different[0]], modify[different[0]], strict=True)
        changed = sum(a != b for a, b in zip(*masks, strict=True))
        assert changed + (actions[0] != actions[1]) == 1


def without(rules, at, to):
    """Move one rule of a list."""
    rest = rules[:at] + rules[at + 1 :]
    return [*rest[:to], rules[at], *rest[to:]]


@pytest.mark.parametrize(("language", "dont_care"), [(WALLS3, None), (WALLS3, 1.0), (ODD, 0.0), (ODD, 0.4)])
def test_mutation_stays_valid_for_many_rounds(language, dont_care):
    lists = random_lists(1, language, BATCH, CAPACITY)
    go = quick(jax.vmap(lambda key, one: operators.mutate(key, language, RuleMutation(), dont_care, one)))
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
    make = quick(lambda key: operators.create(key, WALLS3, RuleCreation(), 64))
    assert same(make(jax.random.key(0)), make(jax.random.key(0)))
    assert not same(make(jax.random.key(0)), make(jax.random.key(1)))


def test_impossible_options_are_refused():
    key, one = jax.random.key(0), numbered(3)
    for bad in (RuleCreation(max_rules=9), RuleCreation(5, 4), RuleCreation(-1, 4)):
        with pytest.raises(ValueError, match="accepted: 0 <= min_rules <= max_rules <= 8, the capacity"):
            operators.create(key, WALLS3, bad, 8)
    for bad in (-0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match="accepted: a number from 0 to 1, or None"):
            operators.create(key, WALLS3, RuleCreation(0, 4, dont_care=bad), 8)
    for bad in (RuleMutation(0, 0, 0, 0), RuleMutation(add=-1), RuleMutation(add=float("nan"))):
        with pytest.raises(ValueError, match="accepted: weights of at least 0, not all of them 0"):
            operators.mutate(key, WALLS3, bad, None, one)


# How they choose.


def test_creation_is_uniform():
    keys = jax.random.split(jax.random.key(4), N)
    config = RuleCreation(5, 12)
    made = jax.jit(jax.vmap(lambda key: operators.create(key, WALLS3, config, 13)))(keys)
    assert_valid(WALLS3, jax.tree.map(lambda field: field[:200], made))
    assert_distribution(np.bincount(made.length, minlength=14), (np.arange(14) >= 5) & (np.arange(14) <= 12))
    condition, action = np.asarray(made.condition), np.asarray(made.action)
    assert_distribution(np.bincount(action[:, 0], minlength=3), np.ones(3))
    assert_distribution(np.bincount(action[:, 1] * 3 + action[:, 4], minlength=9), np.ones(9))
    assert_distribution(np.bincount(condition[:, 0, 0] + 1, minlength=13), [1] * 9 + [0] * 4)
    assert_distribution(np.bincount(condition[:, 4, 4] + 1, minlength=13), [1] + [0] * 8 + [1] * 4)
    pairs = (condition[:, 2, 7] + 1) * 9 + condition[:, 3, 8] + 1  # choices do not depend on each other
    assert_distribution(np.bincount(pairs, minlength=81), np.ones(81))


def test_creation_follows_the_share_of_dont_care():
    keys = jax.random.split(jax.random.key(5), N)
    made = jax.jit(jax.vmap(lambda key: operators.create(key, WALLS3, RuleCreation(1, 1, dont_care=0.75), 1)))(keys)
    condition = np.asarray(made.condition)[:, 0]
    assert_distribution(np.bincount(condition[:, 2] + 1, minlength=13), [24] + [1] * 8 + [0] * 4)
    assert_distribution(np.bincount(condition[:, 4] + 1, minlength=13), [12] + [0] * 8 + [1] * 4)
    for share, expected in ((0.0, False), (1.0, True)):
        config = RuleCreation(50, 50, dont_care=share)
        made = quick(jax.vmap(lambda key, c=config: operators.create(key, WALLS3, c, 50)))(keys[:100])
        assert ((np.asarray(made.condition) == -1) == expected).all()


def test_a_rule_is_added_anywhere_and_random():
    weights = operators.condition_weights(WALLS3, None)
    one = rulelists.trim(np.full((CAPACITY, 9), -1), np.zeros(CAPACITY), 5)
    one = one.replace(condition=one.condition.at[:5, 0].set(0))
    drawn = words(6, 2 * N, 11)
    made = jax.jit(jax.vmap(lambda word: operators.add(word, WALLS3, weights, one)))(drawn)
    # The new rule is the one that differs; where its first cell is 0 too, look elsewhere.
    new = (np.asarray(made.condition)[:, :6, 0] != 0).argmax(1)
    shown = np.asarray(made.condition)[np.arange(2 * N), new]
    told = shown[:, 0] != 0
    assert_distribution(np.bincount(new[told], minlength=6), np.ones(6))
    assert_distribution(np.bincount(shown[told, 5] + 1, minlength=9), np.ones(9))
    assert_distribution(np.bincount(np.asarray(made.action)[np.arange(2 * N), new][told], minlength=3), np.ones(3))


def test_any_rule_is_deleted():
    one = numbered(6)
    made = jax.jit(jax.vmap(lambda word: operators.delete(word, one)))(words(7, N, 1))
    present = (ranks(made)[:, :5, None] == np.arange(6)).any(1)
    assert (present.sum(1) == 5).all()
    assert_distribution(np.bincount((~present).argmax(1), minlength=6), np.ones(6))


@pytest.mark.parametrize("length", [2, 3, 6])
def test_any_rule_is_shifted_by_any_distance(length):
    one = numbered(length)
    drawn = words(8, N, 2)
    made = ranks(jax.jit(jax.vmap(lambda word: operators.reorder(word, one)))(drawn))[:, :length]
    at = np.asarray(draw.below(drawn[:, 0], length))
    to = (made == at[:, None]).argmax(1)
    # Which rule moved and by how much, jointly; never by nothing.
    distance = (to - at) % length
    assert_distribution(np.bincount(at * length + distance, minlength=length**2), np.arange(length**2) % length > 0)
    orders = {tuple(without(list(range(length)), a, b)) for a in range(length) for b in range(length) if a != b}
    assert set(map(tuple, made.tolist())) == orders


def test_any_part_of_any_rule_is_modified():
    weights = operators.condition_weights(WALLS3, None)
    one = numbered(6)
    drawn = words(9, 4 * N, 5)
    made = jax.jit(jax.vmap(lambda word: operators.modify(word, WALLS3, weights, one)))(drawn)
    condition, action = np.asarray(made.condition), np.asarray(made.action)
    acts = action != np.asarray(one.action)
    cells = condition != np.asarray(one.condition)
    assert (acts.sum(1) + cells.sum((1, 2)) == 1).all()
    assert_distribution(np.bincount(acts.any(1), minlength=2), [1, 1])
    # The action: any rule, any other action.
    mine = acts.any(1)
    rule = acts[mine].argmax(1)
    new = action[mine, rule]
    allowed = np.arange(3) != np.asarray(one.action)[:6, None]
    assert_distribution(np.bincount(rule * 3 + new, minlength=18), allowed.ravel())
    # The mask: any rule, any cell, any other condition.
    cell = cells[~mine].reshape(-1, CAPACITY * 9).argmax(1)
    assert_distribution(np.bincount(cell, minlength=CAPACITY * 9), np.arange(CAPACITY * 9) < 54)
    new = condition[~mine].reshape(-1, CAPACITY * 9)[np.arange(len(cell)), cell] + 1
    expected = np.zeros((CAPACITY, 9, 13))
    for r in range(6):
        for c in range(9):
            options = [-1, *WALLS3.accepts[c]]
            others = [code for code in options if code != one.condition[r, c]]
            expected[r, c, np.array(others) + 1] = 1 / len(others)
    assert_distribution(np.bincount(cell * 13 + new, minlength=expected.size), expected.ravel())


def test_a_modified_condition_follows_the_share_of_dont_care():
    weights = operators.condition_weights(WALLS3, 0.75)
    got = jax.vmap(lambda word: operators.random_condition(word, WALLS3, weights, 0, 2))(words(10, N, 1)[:, 0])
    assert_distribution(np.bincount(np.asarray(got) + 1, minlength=9), [24, 1, 1, 0, 1, 1, 1, 1, 1])
    # Where nothing but the old condition has any weight, the others are equally likely.
    weights = operators.condition_weights(WALLS3, 1.0)
    got = jax.vmap(lambda word: operators.random_condition(word, WALLS3, weights, 4, -1))(words(11, N, 1)[:, 0])
    assert_distribution(np.bincount(np.asarray(got), minlength=12), [0] * 8 + [1] * 4)


@pytest.mark.parametrize(
    ("config", "shares"), [(RuleMutation(), [1, 1, 1, 1]), (RuleMutation(0, 0.5, 1.5, 3), [0, 1, 3, 6])]
)
def test_kinds_are_drawn_by_weight(config, shares):
    keys = jax.random.split(jax.random.key(12), N)
    one = numbered(4)
    kind = quick(jax.vmap(lambda key: operators.mutate(key, WALLS3, config, None, one)[1]))(keys)
    assert_distribution(np.bincount(kind, minlength=4), shares)


def test_rules_are_dealt_by_fair_and_separate_coins():
    first, second = numbered(6), numbered(4)
    second = second.replace(action=jnp.where(rulelists.live(second), (second.action + 1) % 3, 0).astype(jnp.int8))
    keys = jax.random.split(jax.random.key(13), N)
    go = jax.jit(jax.vmap(lambda key: operators.recombine(key, first, second)))
    one, other = go(keys)
    # The coins, read off the first child: whose rule it has at each of 4 shared places, which surplus rules it has.
    shared = np.asarray(one.action)[:, :4] == np.asarray(first.action)[:4]
    surplus = [(np.asarray(one.condition)[:, 4:, 0] == r).any(1) for r in (4, 5)]
    coins = np.column_stack([shared, *surplus]) @ 2 ** np.arange(6)
    assert_distribution(np.bincount(coins, minlength=64), np.ones(64))
    assert (np.asarray(one.length) + np.asarray(other.length) == 10).all()


def test_deleting_to_nothing_and_adding_to_the_capacity():
    one = RuleLists(*(jnp.asarray(x) for x in (numbered(2).condition, numbered(2).action, np.int32(2))))
    for left in (1, 0, 0):
        one = operators.delete(words(0, 1, 1)[0], one)
        assert one.length == left
    assert same(one, rulelists.empty(WALLS3, (), CAPACITY))
    weights = operators.condition_weights(ODD, None)
    full = rulelists.empty(ODD, (), 3)
    for seed in range(4):
        before, full = full, operators.add(words(seed, 1, 10)[0], ODD, weights, full)
        assert full.length == min(seed + 1, 3)
    assert same(before, full)
