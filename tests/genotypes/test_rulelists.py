"""Rule languages, and lists as arrays."""

import dataclasses

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.arrays import where
from jaxgp.genotypes import rulelists
from jaxgp.genotypes.rulelists import RuleLanguage, Symmetry
from tests.genotypes.rule_cases import (
    LANGUAGES,
    ODD,
    WALLS3,
    WALLS5,
    assert_valid,
    empty,
    lane,
    problems,
    random_lists,
    walls,
)
from tests.reference.rules import plain


def declare(**fields):
    one = {"name": "t", "shape": (1, 2), "symbols": ("a", "b"), "accepts": ((0, 1), (0,)), "actions": ("x", "y")}
    return RuleLanguage(**{**one, **fields})


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"shape": (2, 2)}, "2 cells do not make 2 x 2"),
        ({"shape": (0, 2), "accepts": ()}, "0 cells do not make 0 x 2"),
        ({"symbols": ("a b", "b")}, "'a b' cannot be a name"),
        ({"symbols": ("-", "b")}, "'-' cannot be a name"),
        ({"symbols": ("a;", "b")}, "'a;' cannot be a name"),
        ({"actions": ("x:", "y")}, "'x:' cannot be a name"),
        ({"actions": ("", "y")}, "'' cannot be a name"),
        ({"accepts": ((0, 2), (0,))}, r"cell 0 needs codes from 0 to 1, has \(0, 2\)"),
        ({"accepts": ((0, 1), ())}, "cell 1 needs codes from 0 to 1"),
        ({"symbols": ("a", "a")}, "cell 0 has two codes of one name"),
        ({"actions": ("x",)}, "at least two actions, all different"),
        ({"actions": ("x", "x")}, "at least two actions, all different"),
        ({"default": 2}, "default=2: accepted: 0 to 1"),
        ({"symbols": tuple(f"s{i}" for i in range(128))}, "at most 127 symbols"),
        ({"symmetries": (Symmetry((0, 0), (0, 1), (0, 1)),)}, "cells of a symmetry are not a permutation of 0 to 1"),
        ({"symmetries": (Symmetry((0, 1), (0, 1), (1, 2)),)}, "actions of a symmetry are not a permutation"),
        ({"symmetries": (Symmetry((1, 0), (0, 1), (0, 1)),)}, "takes cell 1 to cell 0, which accepts other codes"),
    ],
)
def test_bad_languages_are_refused(fields, says):
    with pytest.raises(ValueError, match=f"rule language t: .*{says}"):
        declare(**fields)


def test_languages_are_compared_by_value():
    assert walls(3) == WALLS3
    assert hash(walls(3)) == hash(WALLS3)
    assert walls(3).version == WALLS3.version
    assert WALLS3.version != WALLS5.version
    assert dataclasses.replace(ODD, default=0).version != ODD.version
    assert ODD.options.tolist()[2][:4] == [-1, 16, 3, -1]
    assert ODD.num_options.tolist() == [2, 3, 3, 18, 2, 4, 3, 3]


insert, remove = jax.jit(rulelists.insert), jax.jit(rulelists.remove)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.sampled_from(LANGUAGES), st.integers(0, 2**31 - 1), st.data())
def test_inserting_and_removing_are_those_of_lists(language, seed, data):
    one = lane(random_lists(seed, language, 3, 6), data.draw(st.integers(0, 2)))
    rule = lane(random_lists(seed + 1, language, 2, 6), 1)
    rules = plain(one)
    place = data.draw(st.integers(0, len(rules)))
    longer = jax.tree.map(np.asarray, insert(one, place, rule.condition[0], rule.action[0]))
    assert plain(longer) == (rules[:place] + plain(rule)[:1] + rules[place:])[:6]
    assert problems(language, longer) == []
    if rules:
        place = min(place, len(rules) - 1)
        shorter = jax.tree.map(np.asarray, remove(one, place))
        assert plain(shorter) == rules[:place] + rules[place + 1 :]
        assert problems(language, shorter) == []


def test_lists_are_picked_whole():
    a, b = random_lists(0, WALLS3, 8, 5), random_lists(1, WALLS3, 8, 5)
    choose = np.arange(8) % 2 == 0
    got = where(choose, a, b)
    assert_valid(WALLS3, got)
    assert [plain(lane(got, i)) for i in range(8)] == [plain(lane(a if i % 2 == 0 else b, i)) for i in range(8)]
    assert_valid(ODD, empty(ODD, (3,), 5))


def test_what_is_wrong_is_said():
    one = lane(random_lists(0, WALLS3, 3, 5, dont_care=0), 2)
    assert 0 < one.length < 5

    def changed(field, index, value):
        array = getattr(one, field).copy()
        array[index] = value
        return problems(WALLS3, one.replace(**{field: array}))

    assert changed("condition", (0, 4), 3) == ["rule 0, cell 4: 3 is not accepted"]
    assert changed("action", 0, 3) == ["rule 0: there is no action 3"]
    assert changed("action", 0, -1) == ["rule 0: there is no action -1"]
    assert changed("action", 4, 1) == ["padding is not zero"]
    assert changed("condition", (4, 0), -1) == ["padding is not zero"]
    assert problems(WALLS3, one.replace(length=np.int32(6))) == ["6 rules in a capacity of 5"]
    assert "types int32" in problems(WALLS3, jax.tree.map(lambda field: field.astype(np.int32), one))[0]
    assert "9 rules and 8 cells" not in str(problems(WALLS3, one))
    assert "8 cells" in problems(ODD, one)[0]
