"""Methods compared on games: ranks, the plan of a study, tables, and a tiny study with a method of one's own."""

import re
from pathlib import Path

import jax.numpy as jnp
import pytest

import envs
import jaxgp
from jaxgp.config import arguments, validate
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.store.table import CSVTable
from studies import suite
from studies.methods import ranks
from studies.methods.averaging import Averaging, AveragingOptions
from studies.methods.measuring import stops
from studies.methods.tasks import COLUMNS, METHODS, TASKS, reported, words
from tables import methods as tables

ROOT = Path(__file__).parents[2]


def rows(scores, budget=256):
    """Rows of runs: {(task, method): [score of each seed]}, each with a worse champion at half of the budget."""
    return [
        dict.fromkeys(COLUMNS, "0")
        | {"task": task, "method": method, "budget": str(budget), "seed": str(seed), "score": str(value)}
        | {"evaluations": str(done)}
        for (task, method), values in scores.items()
        for seed, score in enumerate(values)
        for done, value in ((budget // 2, score - 1), (budget, score))
    ]


def test_the_critical_difference_is_that_of_the_source():
    """Demsar (2006), section 3.2.2: four methods, 14 data sets, 1.25."""
    scores = {(f"t{n}", f"m{k}"): [float(k)] for n in range(14) for k in range(4)}
    found = ranks.rank(ranks.by_cell(rows(scores), 256))
    assert found.tasks == 14
    assert found.difference == pytest.approx(1.25, abs=0.005)
    assert found.ranks == {"m0": 4, "m1": 3, "m2": 2, "m3": 1}
    assert found.p < 1e-6


def test_equal_means_share_a_rank_and_tasks_that_lack_a_method_are_left_out():
    scores = {("a", "x"): [2, 4], ("a", "y"): [3, 3], ("a", "z"): [1, 1]}
    scores |= {("b", "x"): [1], ("b", "y"): [2], ("b", "z"): [3]}
    scores |= {("c", "v"): [5]}
    found = ranks.rank(ranks.by_cell(rows(scores), 256))
    assert found.tasks == 2
    assert found.ranks == {"x": 2.25, "y": 1.75, "z": 2.0}
    assert ranks.rank(ranks.by_cell(rows({("a", "x"): [1]}), 256)) is None


def test_a_run_that_was_cut_short_is_left_out():
    whole = rows({("a", "x"): [1, 2]})
    assert [len(runs) for runs in ranks.by_cell(whole[:-1], 256).values()] == [1]
    assert ranks.by_cell(whole, 512) == {}


def test_champions_are_measured_after_each_part_of_the_budget():
    assert stops(1024, 64) == [1, 2, 4, 8, 16]
    assert stops(256, 64) == [1, 2, 4]


def test_the_best_mean_of_a_task_is_bold_and_tests_are_corrected_together():
    scores = {("kalah", "random_search"): [0.1, 0.2, 0.1], ("kalah", "gp"): [0.5, 0.6, 0.7]}
    data = {"methods": rows(scores)}
    line = tables.final(max, data).splitlines()[-1]
    assert line.split("|")[4].strip().startswith("**0.600 (")
    assert line.endswith("| 3 of 3 |")  # champions of generation 0; random search has none that failed
    assert tables.beside(max, data).splitlines()[-1].startswith("| kalah | `gp` | 1.00 (1.00 to 1.00) | 0.100 |")


def test_each_budget_has_tables_of_its_own():
    task = "kalah", "random_search"
    data = {"methods": rows({task: [0.1] * 3}, 512) + rows({task: [0.5] * 3}, 1024)}
    less, more = (tables.TABLES[name](data).splitlines()[-1] for name in ("methods_final", "methods_more"))
    assert "**0.100 (" in less
    assert "**0.500 (" in more


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("tasks=[chess,shogi]", r"tasks=\[chess,shogi\]: accepted: some of kalah, othello, .*, as in \[kalah,chess\]"),
        ("methods=[gp,gpp]", r"methods=gpp: accepted: random_search, gp, .*, or the folder of an algorithm"),
        ("methods=[gp,gp]", r"methods=\[gp,gp\]: accepted: each method once"),
        ("methods=[/nowhere/mine]", r"algorithm.kind=/nowhere/mine: accepted: gp, .*, or a folder with an __init__.py"),
        ("budget=10", r"budget=10: accepted: a whole number from 256"),
        ("picture=curves.txt", r"picture=.*curves.txt: accepted: a file whose name ends in .svg or .png"),
    ],
)
def test_a_wrong_option_is_named_before_anything_is_computed(capsys, tmp_path, given, said):
    words = [given, f"save={tmp_path / 'rows.csv'}"]
    assert arguments.main(suite.Options, suite.task, suite.__doc__, words) == 2
    assert re.search(said, capsys.readouterr().err)
    assert not (tmp_path / "rows.csv").exists()


@pytest.mark.thorough
def test_every_task_takes_every_method_that_breeds_its_genomes():
    with Composer(Config, ROOT / "conf", "config") as composer:
        for task in TASKS:
            validate.check(composer.compose(reported(task)), envs)
            for method in METHODS:
                given = words(task, method, 1024)
                if given is None:
                    programs = TASKS[task].genomes == "programs"
                    taught = method in ("tuned", "gp_numbers", "gp_averaged")
                    assert taught or (method == "cma") == programs
                    assert not taught or not TASKS[task].leaves
                    continue
                config = validate.check(composer.compose(given), envs)
                own = 512 if METHODS[method].numbers else 1024
                assert config.algorithm.population * config.algorithm.generations == own


@pytest.fixture
def own(tmp_path):
    """The method that the document shows, in a folder of its own."""
    page = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    code = re.search(r"<!-- method -->\n```python\n(.*?)```", page, re.DOTALL)[1]
    folder = tmp_path / "hill_climbing"
    folder.mkdir()
    (folder / "__init__.py").write_text(code)
    return folder


@pytest.mark.thorough
def test_a_study_goes_on_where_it_was_stopped_and_takes_a_method_of_ones_own(own, tmp_path, capsys):
    table, picture = tmp_path / "rows.csv", tmp_path / "curves.png"

    def study(seeds):
        given = ["tasks=[morpion]", f"methods=[random_search,cma,{own}]", "budget=256", f"seeds={seeds}"]
        assert arguments.main(suite.Options, suite.task, "", [*given, f"save={table}", f"picture={picture}"]) == 0
        return CSVTable(table, COLUMNS).read(), capsys.readouterr().err

    first, said = study(1)
    assert "morpion: cma is left out (it breeds no programs)" in said
    assert [(row["method"], row["evaluations"]) for row in first] == [
        (method, done) for method in ("random_search", "hill_climbing") for done in ("64", "128", "256")
    ]
    both, said = study(2)
    assert "2 runs of 256 evaluations, in 2 cells" in said
    assert both[: len(first)] == first
    assert {row["seed"] for row in both} == {"0", "1"}
    for runs in ranks.by_cell(both, 256).values():
        for run in runs:
            scores = [score for _, score in run]
            assert scores == sorted(scores)
    assert "0 runs of 256 evaluations, in 0 cells" in study(2)[1]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_parent_goes_half_the_way_to_the_children_that_play_better():
    words = jaxgp.PrimitiveSet("two", (jaxgp.Primitive("c", domain=jaxgp.Floats(-9.0, 9.0)),), (), roots=("float",) * 2)
    scheme = Averaging(words, AveragingOptions(initial=["(PROGRAM 1.0 1.0)"], step=0.1))
    x = jnp.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [9.0, 9.0], [5.0, 5.0]])
    assert scheme.moved(x, jnp.array([1.0, 2.0, 3.0, 1.0, jnp.nan])).tolist() == [0.25, 0.5]
    assert scheme.moved(x, jnp.array([1.0, 0.0, 1.0, -1.0, jnp.nan])).tolist() == [0.0, 0.0]


@pytest.mark.thorough
def test_the_second_half_of_a_budget_may_move_the_numbers_of_the_champion(tmp_path):
    table = tmp_path / "rows.csv"
    given = ["tasks=[lose_checkers]", "methods=[gp_numbers]", "budget=256", "seeds=1", f"save={table}"]
    assert arguments.main(suite.Options, suite.task, "", given) == 0
    half, whole = CSVTable(table, COLUMNS).read()[-2:]
    assert (half["evaluations"], whole["evaluations"]) == ("128", "256")
    assert half["size"] == whole["size"]
    assert int(half["generation"]) < 2 <= int(whole["generation"]) < 10
