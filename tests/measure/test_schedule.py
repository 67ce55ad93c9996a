"""Schedules of champions: what they cost, and how cheap the one is that is found."""

import json
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.errors import UsageError
from jaxgp.measure.puzzles import portfolio, schedule
from jaxgp.measure.puzzles.instances import Book
from tests.measure.test_solving import champion, searched, suites

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import analyse as script

__all__ = ["searched"]
SOLVED = np.array([[1, 1, 1, 0, 0], [0, 0, 1, 1, 1], [1, 1, 1, 1, 1]], bool)
COST = np.array([[1, 1, 1, 4, 4], [5, 5, 1, 1, 1], [9, 9, 9, 9, 9]])
TEXTS = ("(+ lit action)", "action")
LIMITS = (20, 60)
ROWS = st.lists(st.tuples(st.booleans(), st.integers(1, 9)), min_size=4, max_size=4)


@st.composite
def trials(draw):
    """Return random results of up to 4 stages for 4 instances."""
    found = draw(st.lists(ROWS, min_size=1, max_size=4))
    solved, cost = np.moveaxis(np.array(found, int), 2, 0)
    return schedule.Trials(solved.astype(bool), cost, missed=20)


def test_the_cost_of_an_instance_is_that_of_all_stages_until_one_solves_it():
    made = schedule.Trials(SOLVED, COST, missed=100)
    assert made.mean_cost((0, 1)) == (1 + 1 + 1 + (4 + 1) + (4 + 1)) / 5
    assert made.mean_cost((0,)) == (1 + 1 + 1 + (4 + 100) + (4 + 100)) / 5
    assert made.mean_cost(()) == 100


def test_cheap_stages_come_before_one_that_solves_everything():
    made = schedule.Trials(SOLVED, COST, missed=100)
    assert schedule.choose_schedule(made, most=5) == (0, 1)
    assert schedule.choose_schedule(made, most=1) == (2,)


def test_nobody_searches_where_a_miss_is_cheaper():
    assert schedule.choose_schedule(schedule.Trials(SOLVED, COST, missed=0.5), most=5) == ()


@settings(max_examples=60, deadline=None)
@given(trials())
def test_the_schedule_that_is_found_costs_at_most_four_times_as_much_as_the_best(made):
    count = len(made.solved)
    orders = [order for length in range(count + 1) for order in permutations(range(count), length)]
    best, found = min(map(made.mean_cost, orders)), made.mean_cost(schedule.choose_schedule(made, count))
    assert best <= found <= 4 * best


def searched_alone():
    """Return stages, what each of them finds for all instances of a toy suite, and what searches them."""
    some = suites()["many"]
    search = portfolio.make_searcher(
        [champion(text) for text in TEXTS], "many", some, 4, Book(None, say=print), lambda said: None
    )
    plan = portfolio.stages([(text, champion(text)) for text in TEXTS], LIMITS)
    return plan, portfolio.search_alone(plan, search, len(some.names)), search


def test_what_a_stage_finds_alone_does_not_depend_on_its_lower_limits():
    plan, alone, search = searched_alone()
    number = len(alone[0].solved)
    for stage, found in zip(plan, alone, strict=True):
        direct = search(stage, np.arange(number))
        for name in ("solved", "nodes", "length", "expanded"):
            assert np.array_equal(getattr(found, name), getattr(direct, name))
    assert 0 < alone[0].solved.sum() < number


@pytest.mark.parametrize("cost", ["nodes", "expanded"])
def test_the_figures_of_a_schedule_are_those_of_the_portfolio_of_its_stages(cost):
    plan, alone, search = searched_alone()
    made = schedule.find_schedule(plan, alone, cost, missed=500, most=5)
    stages = portfolio.stages([(text, champion(text)) for text in made.runs], made.limits, in_turn=True)
    found, _ = portfolio.search_in_stages(stages, search, made.instances)
    assert made.solved == found.solved.sum() > 0
    assert made.nodes == found.nodes.mean()
    assert made.expanded == found.expanded.mean()
    assert list(schedule.lines(made))[-1].endswith(f"limits=[{','.join(map(str, made.limits))}]")


def test_nodes_expanded_cannot_count_where_a_search_does_not_count_them():
    plan, alone, _ = searched_alone()
    alone[1].expanded[:] = -1
    with pytest.raises(UsageError, match=r"^cost=expanded: accepted: nodes"):
        schedule.find_schedule(plan, alone, "expanded", missed=500, most=5)
    assert schedule.find_schedule(plan, alone, "nodes", missed=500, most=5).solved > 0


BAD = {
    "runs=[]": "runs: which champions? Write runs=[DIR,...], run directories",
    "runs=[a] limits=[5,5]": "limits=[5,5]: accepted: at least one number, in ascending order",
    "runs=[a] cost=time": "cost=time: accepted: expanded, nodes",
}


@pytest.mark.parametrize("words", BAD)
def test_bad_options_are_refused(words, capsys):
    assert script.main(["analysis=schedule", "compilation_cache=null", "cores=1", *words.split()]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"error: {BAD[words]}")


@pytest.mark.slow
def test_the_command_writes_what_it_prints(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    run = "docs/data/champions/freecell_weights.jsonl#"
    words = f"runs=[{run}0,{run}1] suite=32001-32008 limits=[1000,4000] batch=8 cores=1 output={tmp_path}".split()
    assert script.main(["analysis=schedule", "compilation_cache=null", *words]) == 0
    written = json.loads((tmp_path / "schedule.json").read_text("utf-8"))
    assert f"{written['solved']} of 8 solved" in capsys.readouterr().out
