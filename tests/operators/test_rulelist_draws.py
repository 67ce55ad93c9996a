"""How each choice of the operators on rule lists is distributed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.genotypes import rulelists
from jaxgp.operators import draw
from jaxgp.operators import rulelists as operators
from jaxgp.operators.rulelists import RuleCreationOptions, RuleMutationOptions
from tests.genotypes.rule_cases import WALLS3, assert_valid
from tests.operators.operator_cases import assert_distribution, quick
from tests.operators.rule_operator_cases import CAPACITY, moved, numbered, words

N = 30_000


def ranks(lists):
    """Return int[N, R]: the number of each rule of a batch of numbered lists, zero past the end."""
    return np.asarray(lists.condition)[:, :, 0]


@pytest.mark.thorough
def test_creation_is_uniform():
    keys = jax.random.split(jax.random.key(4), N)
    config = RuleCreationOptions(3, 5)
    made = jax.jit(jax.vmap(lambda key: operators.create(key, WALLS3, config, 6)))(keys)
    assert_valid(WALLS3, jax.tree.map(lambda field: field[:200], made))
    assert_distribution(np.bincount(made.length, minlength=7), [0, 0, 0, 1, 1, 1, 0])
    condition, action = np.asarray(made.condition), np.asarray(made.action)
    assert_distribution(np.bincount(action[:, 0], minlength=3), np.ones(3))
    assert_distribution(np.bincount(action[:, 1] * 3 + action[:, 2], minlength=9), np.ones(9))
    assert_distribution(np.bincount(condition[:, 0, 0] + 1, minlength=13), [1] * 9 + [0] * 4)
    assert_distribution(np.bincount(condition[:, 1, 4] + 1, minlength=13), [1] + [0] * 8 + [1] * 4)
    pairs = (condition[:, 1, 7] + 1) * 9 + condition[:, 2, 8] + 1  # choices do not depend on each other
    assert_distribution(np.bincount(pairs, minlength=81), np.ones(81))


@pytest.mark.thorough
def test_creation_follows_the_share_of_dont_care():
    keys = jax.random.split(jax.random.key(5), N)
    made = jax.jit(jax.vmap(lambda key: operators.create(key, WALLS3, RuleCreationOptions(1, 1, dont_care=0.75), 1)))(
        keys
    )
    condition = np.asarray(made.condition)[:, 0]
    assert_distribution(np.bincount(condition[:, 2] + 1, minlength=13), [24] + [1] * 8 + [0] * 4)
    assert_distribution(np.bincount(condition[:, 4] + 1, minlength=13), [12] + [0] * 8 + [1] * 4)
    for share, expected in ((0.0, False), (1.0, True)):
        config = RuleCreationOptions(9, 9, dont_care=share)
        made = quick(jax.vmap(lambda key, c=config: operators.create(key, WALLS3, c, 9)))(keys[:100])
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


@pytest.mark.few(1)
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
    orders = {tuple(moved(list(range(length)), a, b)) for a in range(length) for b in range(length) if a != b}
    assert set(map(tuple, made.tolist())) == orders


@pytest.mark.thorough
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
    got = quick(jax.vmap(lambda word: operators.random_condition(word, WALLS3, weights, 0, 2)))(words(10, N, 1)[:, 0])
    assert_distribution(np.bincount(np.asarray(got) + 1, minlength=9), [24, 1, 1, 0, 1, 1, 1, 1, 1])
    # Where nothing but the old condition has any weight, the others are equally likely.
    weights = operators.condition_weights(WALLS3, 1.0)
    got = quick(jax.vmap(lambda word: operators.random_condition(word, WALLS3, weights, 4, -1)))(words(11, N, 1)[:, 0])
    assert_distribution(np.bincount(np.asarray(got), minlength=12), [0] * 8 + [1] * 4)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("config", "shares"), [(RuleMutationOptions(), [1, 1, 1, 1]), (RuleMutationOptions(0, 0.5, 1.5, 3), [0, 1, 3, 6])]
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
