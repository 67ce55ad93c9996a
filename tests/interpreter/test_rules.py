"""Packed matching against a plain reader of rules."""

from functools import lru_cache, partial

import jax
import numpy as np
import pytest

from jaxgp.genotypes.ruletext import parse_rules
from jaxgp.interpreter.rules import act, prepare
from tests.genotypes.rule_cases import LANGUAGES, ODD, WALLS3, WALLS5, empty, lane, random_lists, random_views
from tests.reference import rules as reference


@lru_cache
def compiled(language, symmetric):
    return jax.jit(lambda lists, views: act(language, prepare(language, lists, symmetric), views))


def run(language, lists, views, symmetric=False):
    return tuple(np.asarray(x) for x in compiled(language, symmetric)(lists, views))


def expect(language, lists, views, symmetric):
    rows = [reference.plain(lane(lists, p)) for p in range(len(views))]
    got = [[reference.act(language, rows[p], v, symmetric) for v in views[p].tolist()] for p in range(len(views))]
    return np.moveaxis(np.array(got), -1, 0)


def cases(language, count, views, capacity=12):
    """Lists [P] with few and with many conditions, and views [P, B]."""
    parts = [random_lists(1, language, count // 4, capacity, dont_care) for dont_care in (0.6, 0.85, 0.97, 0.99)]
    return jax.tree.map(lambda *x: np.concatenate(x), *parts), random_views(2, language, count, views)


def check(language, symmetric, count, views):
    lists, seen = cases(language, count, views)
    actions, fired = run(language, lists, seen, symmetric)
    assert actions.dtype == fired.dtype == np.int32
    np.testing.assert_array_equal((actions, fired), expect(language, lists, seen, symmetric))
    assert set(fired.ravel().tolist()) >= set(range(-1, 4))


@pytest.mark.few(1)
@pytest.mark.parametrize(("language", "symmetric"), [(WALLS3, True), (WALLS5, False), (ODD, False)])
def test_the_first_valid_rule_acts(language, symmetric):
    check(language, symmetric, 40, 12)


@pytest.mark.slow
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_the_first_valid_rule_acts_in_many_lists(language, symmetric):
    check(language, symmetric, 120, 25)


def test_without_a_valid_rule_the_default_is_taken():
    actions, fired = run(ODD, empty(ODD, (40,), 12), random_views(0, ODD, 40, 12))
    assert (actions == ODD.default).all()
    assert (fired == -1).all()


@pytest.mark.parametrize(
    ("language", "words"), [(WALLS3, 1), (WALLS5, 3), (ODD, 1)], ids=lambda x: getattr(x, "name", x)
)
def test_a_cell_takes_as_many_bits_as_its_codes_need(language, words):
    lists = random_lists(0, language, 3, 4)
    assert jax.eval_shape(partial(prepare, language), lists).value.shape == (4, words, 3)


def test_one_list_alone_and_the_choices_that_matter():
    lists, views = random_lists(7, WALLS3, 30, 40, 0.6), random_views(8, WALLS3, 30, 20)
    active = np.random.default_rng(9).random((30, 20)) < 0.1

    @jax.jit
    def run(lists, views):
        masks = prepare(WALLS3, lists)
        alone = prepare(WALLS3, jax.tree.map(lambda x: x[1], lists))
        return act(WALLS3, masks, views), act(WALLS3, masks, views, active), act(WALLS3, alone, views[1])

    every, some, alone = jax.tree.map(np.asarray, run(lists, views))
    assert (every[1][active] >= 20).any(), "no rule is tried late"
    for whole, part, one in zip(every, some, alone, strict=True):
        np.testing.assert_array_equal(whole[active], part[active])
        np.testing.assert_array_equal(whole[1], one)


def views_of(text):
    """Read views written like the mask of a rule."""
    return parse_rules(WALLS3, "\n".join(f"{line} : turn-left" for line in text), len(text)).condition


def test_reflection_takes_west_for_east_and_left_for_right():
    rules = parse_rules(WALLS3, "- - - / - E # / - - - : turn-left", 3)
    views = views_of(
        ["0 0 0 / 0 E # / 0 0 0", "0 0 0 / # W 0 / 0 0 0", "0 0 0 / # E 0 / 0 0 0", "0 0 0 / # E # / 0 0 0"]
    )
    assert [x.tolist() for x in run(WALLS3, rules, views)] == [[1, 0, 0, 1], [0, -1, -1, 0]]
    assert [x.tolist() for x in run(WALLS3, rules, views, symmetric=True)] == [[1, 2, 0, 1], [0, 0, -1, 0]]


def test_rules_are_tried_in_order_and_each_plainly_first():
    rules = parse_rules(WALLS3, "- - - / - - # / - - - : turn-left\n- - - / # - - / - - - : turn-left", 3)
    views = views_of(["0 0 0 / # N 0 / 0 0 0", "0 0 0 / # N # / 0 0 0"] * 2)
    # The first rule mirrored comes before the second plain; plain comes before mirrored within a rule.
    assert [x.tolist() for x in run(WALLS3, rules, views, symmetric=True)] == [[2, 1] * 2, [0, 0] * 2]
    assert [x.tolist() for x in run(WALLS3, rules, views)] == [[1, 1] * 2, [1, 0] * 2]


@pytest.mark.slow
def test_every_rule_of_a_large_batch():
    lists, views = random_lists(5, WALLS5, 200, 64, 0.9), random_views(6, WALLS5, 200, 32)
    met = (lists.condition[:, None] == -1) | (lists.condition[:, None] == views[:, :, None])
    valid = met.all(-1) & (np.arange(64) < lists.length[:, None, None])
    expected = np.where(valid.any(-1), valid.argmax(-1), -1)
    np.testing.assert_array_equal(run(WALLS5, lists, views)[1], expected)
