"""Children of a program by one operator, and whether they play better than it does."""

import re

import jax
import numpy as np
import pytest

import envs
from jaxgp.config import arguments
from jaxgp.measure import champions
from jaxgp.store.table import CSVTable
from studies.measure import children
from studies.measure.matches import Parent, judge
from tests.scripts.commands import write_run

OTHELLO = {"name": "othello", "size": 4}
TURNS = "(PROGRAM (Sub Enemy-Pip Enemy-Escape) (Race-Add (Player-Position 25) 1))"


def run(*given):
    return arguments.main(children.Options, children.task, "", given)


@pytest.fixture
def corners(tmp_path):
    return write_run(tmp_path, OTHELLO, "(+ own_corners own_corners)", {"features": "original"})


@pytest.fixture
def turns(tmp_path):
    return write_run(tmp_path, {"name": "backgammon"}, TURNS, {})


def test_rows_are_better_or_worse_than_chance_explains():
    draw = np.random.default_rng(0)
    noise = draw.normal(size=(60, 400))
    assert judge(noise) == (0, 0)
    noise[:7] += 0.5
    noise[7:10] -= 0.5
    assert judge(noise) == (7, 3)
    assert judge(np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, -1.0], [-2.0, -2.0]])) == (1, 2), "the same in all pairs"


def test_children_by_one_tree_have_the_other_tree_of_their_parent(turns):
    parent = Parent(champions.load(str(turns), envs, "runs"), 2, 0, 50)
    born = parent.born(jax.random.key(0), "insert", 2, 0, 40)
    assert born.length.shape == (40, 2)
    assert (np.asarray(born.length)[:, 0] > 3).all(), "a function stands above a node"
    assert (np.asarray(born.length)[:, 1] == 3).all()
    with pytest.raises(ValueError, match="constant changes tree 0 alone in 0 of 640 children"):
        parent.born(jax.random.key(0), "constant", 2, 0, 10)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["operators=[grow]"], r"operators=\[grow\]: accepted: some of children, subtree"),
        (["operators=[]"], r"operators=\[\]: accepted: some of"),
        (["operators=[point,point]"], "operators=.*once"),
        (["operators=[rule]", "opening=3"], "mutation.rule=1: accepted: 0"),
        (["tree=1", "opening=3"], "tree=1: accepted: below 1"),
        (["opening=0"], "all games of a match are alike without chance; accepted: opening above 0"),
        (
            ["operators=[constant]", "tree=0", "opening=3"],
            "constant changes tree 0 alone in 0 of 8192 children; accepted:",
        ),
        (["pairs=1"], "pairs=1: accepted"),
    ],
)
def test_what_cannot_be_compared_is_refused(corners, given, said, capsys):
    assert run(f"runs=[{corners}]", *given) == 2
    assert re.match(f"error: .*{said}", capsys.readouterr().err)


@pytest.mark.thorough
def test_children_that_play_as_their_parent_have_half_of_the_points_and_worse_ones_are_found(corners, tmp_path, capsys):
    save = tmp_path / "children.csv"
    given = f"runs=[{corners}]", "opening=3", "children=40", "pairs=40", f"save={save}"
    assert run(*given, "operators=[constant,subtree]") == 0
    constant, subtree = CSVTable(save, children.COLUMNS).read()
    assert [constant[name] for name in ("same", "better", "worse", "best")] == ["40", "0", "0", "0.5"], "it has none"
    assert constant["text"] == "(+ own_corners own_corners)"
    assert int(subtree["better"]) + int(subtree["worse"]) > 0
    assert int(subtree["same"]) + int(subtree["better"]) + int(subtree["worse"]) <= 40
    assert float(subtree["low"]) <= float(subtree["best"]) <= float(subtree["high"])
    assert capsys.readouterr().out.startswith("constant: 0 of 40 children are better, 0 worse, 40 play alike; ")
