"""Designs: which runs they have, in which order, and what is refused."""

import itertools

import numpy as np
import pytest
from scipy import stats

from jaxgp.errors import UsageError
from jaxgp.study import design

TWO = {"factors": {"a": [1, 2, 3], "b": {"levels": ["x", "y"], "options": {"c.d": [0.5, 1.0], "e": [True, False]}}}}


def test_every_combination_is_run_in_every_group_with_every_replicate_and_a_seed_of_its_own():
    made = design.read(
        TWO | {"replicates": 4, "seed": 7, "base": ["k=1"], "groups": {"g": ["game=mancala"], "h": ["game=walls"]}}
    )
    trials = sorted(made.trials(), key=lambda trial: trial.number)
    assert len(trials) == made.size == 2 * 3 * 2 * 4
    found = [(t.cell.group, *t.cell.levels, t.replicate) for t in trials]
    assert found == list(itertools.product("gh", (1, 2, 3), "xy", range(4)))
    assert [t.seed for t in trials] == list(range(7, 7 + 48))
    assert sorted(t.order for t in trials) == list(range(48))
    assert trials[-1].overrides == ("k=1", "game=walls", "a=3", "c.d=1.0", "e=false", "seed=54")


@pytest.mark.thorough
def test_runs_are_in_an_order_that_every_seed_draws_anew_and_uniformly():
    made = [design.read({"factors": {"a": [1, 2, 3, 4]}, "replicates": 1, "seed": seed}) for seed in range(1200)]
    orders = [tuple(trial.number for trial in one.trials()) for one in made]
    counts = [orders.count(order) for order in itertools.permutations(range(4))]
    assert sum(counts) == 1200
    assert stats.chisquare(counts).pvalue > 1e-3
    assert orders[5] == tuple(trial.number for trial in made[5].trials())


def test_codes_run_from_the_least_level_to_the_greatest():
    uneven, words = (design.Factor("f", levels, {"f": levels}) for levels in ((2, 7, 12.5), ("a", "b")))
    assert [uneven.coded(level) for level in uneven.levels] == pytest.approx([-1, -1 / 21, 1])
    assert [uneven.natural(code) for code in (-1.0, -1 / 21, 1.0)] == pytest.approx([2, 7, 12.5])
    assert [words.coded(level) for level in words.levels] == [-1, 1]
    assert [words.natural(code) for code in (-0.2, 0.2)] == ["a", "b"]


def test_names_with_dots_may_have_come_apart_and_a_design_is_read_back_from_what_it_writes():
    made = design.read({"factors": {"algorithm": {"selection": {"tournament_size": [2, 7]}}}, "replicates": 2})
    assert (
        made.factors
        == design.read({"factors": {"algorithm.selection.tournament_size": [2, 7]}, "replicates": 2}).factors
    )
    published = {"g": {"fitness": {"a12": 1}}}
    for one in (made, design.read(TWO | {"groups": {"g": ["game=walls"]}, "published": published})):
        assert design.read(one.as_dict()) == one


def test_words_are_quoted_where_the_command_line_needs_it():
    assert [design.word(value) for value in (True, 0.25, -3, "one_way", "a b,c", 'say "x"')] == [
        "true", "0.25", "-3", "one_way", '"a b,c"', '"say \\"x\\""',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, "factors={}: accepted: at least one factor"),
        ({"factors": {"a": [1]}}, "factors.a=[1]: accepted: a list of two or more different numbers, or of two words"),
        ({"factors": {"a": [1, 1.0]}}, "factors.a=[1,1.0]: accepted: a list of two or more different"),
        ({"factors": {"a": ["x", "y", "z"]}}, "factors.a=[x,y,z]: accepted: a list of two or more different"),
        ({"factors": {"a": [1, "x"]}}, "factors.a=[1,x]: accepted: a list"),
        ({"factors": {"a": [1, None]}}, "factors.a=null: accepted: numbers up to 1e+15, true, false or words"),
        ({"factors": {"a": [1, 10**400]}}, "factors.a=1000"),
        ({"factors": {"a": [1, -1e308]}}, "factors.a=-1e+308: accepted: numbers up to 1e+15"),
        ({"factors": {"a": 5}}, "factors.a=5: accepted: a list"),
        ({"factors": {"seed": [1, 2]}}, "factors.seed: a column of the table has that name"),
        ({"factors": {"s": {"levels": [1, 2], "options": {"seed": [1, 2]}}}}, "factors.s: seed: accepted: any option"),
        (
            {"factors": {"a": {"levels": [1, 2], "options": {"b": [1]}}}},
            "factors.a.options.b=[1]: accepted: a list of 2 values, one for each level",
        ),
        ({"factors": {"a": {"levels": [1, 2], "option": {}}}}, "factors.a.option: unknown in a factor"),
        (
            {"factors": {"a": [1, 2], "c": {"levels": [1, 2], "options": {"a": [1, 2]}}}},
            "factors.c: a is set by factors.a as well",
        ),
        ({"factors": {"a": [1, 2], "b": [1, 2]}}, "replicates=1: accepted: 2 or more: 4 runs do not determine 4"),
        ({"factors": {"a": [1, 2, 3]}, "replicates": 0}, "replicates=0: accepted: a whole number from 1"),
        ({"factors": {"a": [1, 2, 3]}, "seed": -1}, "seed=-1: accepted: a whole number from 0"),
        ({"factors": {"a": [1, 2, 3]}, "seed": 2**32 - 1}, "seed=4294967295: accepted: a whole number up to"),
        ({"factors": {"a": [1, 2, 3]}, "response": "score"}, "response=score: accepted: fitness, points, size"),
        ({"factors": {"a": [1, 2, 3]}, "goal": "more"}, "goal=more: accepted: maximum, minimum"),
        ({"factors": {"a": [1, 2, 3]}, "base": ["seed=3"]}, "base=seed=3: accepted: any option but seed"),
        ({"factors": {"a": [1, 2, 3]}, "base": ["game"]}, "base=game: accepted: options of scripts/train.py"),
        ({"factors": {"a": [1, 2, 3]}, "groups": {"g": "x=1"}}, "groups.g=x=1: accepted: a list of options"),
        ({"factors": [1], "groups": {}}, "factors=[1]: accepted: entries below it"),
        ({"factor": {}}, "factor: unknown in a design; accepted: title, base, groups"),
        ({"factors": {f"f{i}": [1, 2] for i in range(9)}}, "factors=f0, f1, "),
        ({"factors": {"a": list(range(400)), "b": list(range(400))}}, "factors and groups have 160000 combin"),
        ({"factors": {"a": [*range(101)]}, "replicates": 1000}, "factors, groups and replicates make 101000 runs; acc"),
    ],
)  # fmt: skip
def test_mistakes_are_named(content, said):
    with pytest.raises(UsageError) as caught:
        design.read(content)
    assert str(caught.value).startswith(said)


def test_the_order_is_not_that_of_the_seeds():
    trials = design.read({"factors": {"a": list(range(50))}}).trials()
    seeds = np.array([trial.seed for trial in trials])
    assert abs(np.corrcoef(seeds, np.arange(50))[0, 1]) < 0.5
