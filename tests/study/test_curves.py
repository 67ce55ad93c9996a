"""Learning curves and expected running times of runs that are written here."""

import csv
import math

import numpy as np
import pytest

from jaxgp.errors import UsageError
from jaxgp.store.directory import RunDirectory
from jaxgp.study import curves, figures
from tests.scripts.commands import load
from tests.study.test_sweep import begin


def analyse(*words):
    return load("analyse").main(words)


def curve(*values, seed=0, games=10):
    place = np.arange(len(values))
    return curves.Curve(seed, place, games * (place + 1), np.array(values, float))


def test_the_expected_running_time_counts_what_runs_without_success_have_spent():
    """Successes after 20 and 30 evaluations, and 40 without one: 90 for two successes."""
    some = [curve(1, 5), curve(1, 1, 6, 1), curve(1, 2, 3, 4)]
    found = curves.estimate_time(some, 5)
    assert (found.successes, found.runs, found.spent, found.value) == (2, 3, 90, 45)
    assert found.low <= found.value <= found.high


def test_a_target_that_no_run_reached_has_no_finite_running_time():
    found = curves.estimate_time([curve(1, 2), curve(3)], 4)
    assert (found.successes, found.spent) == (0, 30)
    assert math.isinf(found.value)
    assert math.isinf(found.low)
    assert math.isinf(found.high)


def test_the_interval_of_a_rare_success_has_no_upper_end():
    """Without the one run that succeeded a resample has no success: (2/3) ** 3 of them."""
    found = curves.estimate_time([curve(5), curve(1), curve(1)], 5)
    assert found.value == 30
    assert math.isinf(found.high)
    assert found.low == 10


def test_the_interval_covers_the_truth_as_often_as_it_says():
    """Runs of 20 evaluations succeed with probability 1/2 in the first half: (10 + 20) / 2 / (1/2) = 30 is expected."""
    rng, inside = np.random.default_rng(0), 0
    for _ in range(200):
        some = [curve(*((5, 5) if won else (1, 1))) for won in rng.random(30) < 0.5]
        found = curves.estimate_time(some, 5, resamples=999)
        inside += found.low <= 30 <= found.high
    assert 180 <= inside <= 199


def test_rows_become_curves_of_the_best_so_far_but_sizes_do_not():
    rows = [
        {"title": "a", "seed": seed, "generation": at, "evaluations": 10 * at + 10, "points": points, "size": size}
        for seed, run in ((1, [(3, 9), (2, 8)]), (0, [(4, 7), (5, 6)]))
        for at, (points, size) in enumerate(run)
    ]
    points, size = (curves.groups(rows, name)["a"] for name in ("points", "size"))
    assert [one.seed for one in points] == [0, 1]
    assert [one.values.tolist() for one in points] == [[4, 5], [3, 3]]
    assert [one.values.tolist() for one in size] == [[7, 6], [9, 8]]
    assert [(found[0], found[1], found[2]) for found in curves.means(points)] == [(0, 2, 3.5), (1, 2, 4)]
    with pytest.raises(UsageError, match="a, seed 1: a cell is not the number"):
        curves.groups([*rows[:-1], {**rows[0], "points": "many"}], "points")


def test_a_run_that_has_ended_counts_with_its_last_value():
    assert curves.at([curve(1, 2, 3), curve(5)], 2) == [3, 5]


def test_the_table_for_ioh_has_improvements_and_the_last_evaluation():
    found = list(curves.for_ioh({"a": [curve(1, 1, 3, 3, seed=7)]}, "toy", "points"))
    assert [(row["evaluations"], row["value"], row["run"]) for row in found] == [(10, 1, 7), (30, 3, 7), (40, 3, 7)]
    assert tuple(found[0]) == curves.IOH


def test_a_run_is_added_to_the_table_once(tmp_path):
    begin(tmp_path, "0", "", 0, (1.0, 2.0))
    begin(tmp_path, "1", "", 1, (1.0,), planned=1)
    runs = [RunDirectory(tmp_path / name) for name in "01"]
    assert len(curves.add(tmp_path / "t.csv", runs[:1])) == 2
    cells = curves.add(tmp_path / "t.csv", runs)
    assert [(row["seed"], row["generation"], row["fitness"]) for row in cells] == [
        ("0", "0", "1"),
        ("0", "1", "2"),
        ("1", "0", "1"),
    ]


def test_the_command_writes_curves_times_and_the_table_for_ioh(tmp_path, capsys):
    for seed in range(3):
        begin(tmp_path / "runs", str(seed), "", seed, (1.0, 2.0 + seed))
    words = [f"runs=[{tmp_path / 'runs'}]", f"table={tmp_path / 't.csv'}", f"output={tmp_path / 'made'}"]
    assert analyse("analysis=curves", *words, "measure=fitness", "targets=[3]") == 0
    assert "2 of 3 runs come to 3" in capsys.readouterr().out
    made = {name: list(csv.DictReader((tmp_path / "made" / f"{name}.csv").open())) for name in ("curves", "ioh")}
    assert [float(row["mean"]) for row in made["curves"]] == [1, 3]
    assert {row["run"] for row in made["ioh"]} == {"0", "1", "2"}
    assert (tmp_path / "made" / "figures" / "curves.svg").is_file()
    assert analyse("analysis=curves", f"table={tmp_path / 't.csv'}", words[2], "titles=[nobody]") == 2
    assert "titles=nobody: accepted:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "runs: which ones?"),
        (["runs=[{}]"], "accepted: folders with run directories in them"),
        (["table={}/t.csv"], "none of them has come to the end of a generation"),
        (["table=t.csv", "measure=wealth"], "measure=wealth: accepted: points"),
    ],
)
def test_wrong_options_are_one_line(tmp_path, capsys, words, said):
    words = [word.format(tmp_path) for word in words]
    assert analyse("analysis=curves", *words, f"output={tmp_path / 'made'}") == 2
    lines = capsys.readouterr().err.strip().split("\n")
    assert len(lines) == 1
    assert said in lines[0]


def test_two_runs_are_two_lines_and_three_a_mean_with_a_band():
    drawn = figures.curves({"two": {0: [1.0, 2.0], 1: [3.0]}, "three": {0: [1.0, 2.0, 3.0], 1: [2.0, 3.0, 5.0]}})
    lines, bands = drawn.axes[0].lines, drawn.axes[0].collections
    assert [list(line.get_ydata()) for line in lines] == [[1, 3], [2], [2, pytest.approx(10 / 3)]]
    assert len(bands) == 1
    assert [text.get_text() for text in drawn.axes[0].get_legend().get_texts()] == ["two", "three"]
