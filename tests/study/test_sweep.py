"""A sweep as one thing: runs by setting, also of runs that still go on, with tests between settings."""

import dataclasses
import errno
import shutil
from unittest import mock

import jax.numpy as jnp
import pandas
import pytest

from jaxgp import files
from jaxgp.errors import UsageError
from jaxgp.evolution.state import BestSoFar
from jaxgp.statistics.comparison import compare, compare_all
from jaxgp.store import champion, record
from jaxgp.store.directory import RunDirectory
from jaxgp.study import study_report, sweep
from tests.run import toy_experiment as toy


def begin(folder, name, words, seed, fitness, state="complete", planned=3):
    """Write a run whose best fitness by generation is `fitness`, the last of them its champion's."""
    run = RunDirectory(folder / name)
    run.path.mkdir(parents=True)
    config = dataclasses.replace(toy.config(), seed=seed)
    population = int(words.partition("population=")[2] or config.algorithm.population)
    algorithm = dataclasses.replace(config.algorithm, generations=planned, population=population)
    run.write_config(dataclasses.replace(config, algorithm=algorithm))
    run.write_status(state, len(fitness), planned)
    command = f"python scripts/train.py game=toy {words} seed={seed} logger=disabled"
    files.write_json(run.environment, {"commands": [command]})
    rows = [{"generation": at, "seconds": 1.0, "best_fitness": one, "best_size": 3} for at, one in enumerate(fitness)]
    record.write(run.record, rows)
    if fitness:
        best = BestSoFar(toy.constants(jnp.zeros(())), jnp.float32(fitness[-1]), jnp.zeros(2), jnp.int32(len(rows) - 1))
        champion.write(run.champion, champion.describe(best, toy.PRIMITIVES, toy.config()))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Two settings of four runs each; the last run of the second was stopped, and its first generation is all."""
    path = tmp_path_factory.mktemp("sweep")
    for seed in range(4):
        begin(path, str(seed), "algorithm.population=10", seed, (1.0, 2.0, 3.0 + seed))
        ended = seed < 3
        rows = (5.0, 6.0, 7.0 + seed) if ended else (9.0,)
        state = "complete" if ended else "interrupted"
        begin(path, str(4 + seed), "algorithm.population=20", seed, rows, state)
    return path


@pytest.fixture
def folder(written, tmp_path):
    """A copy of these runs."""
    return shutil.copytree(written, tmp_path, dirs_exist_ok=True)


def test_runs_are_grouped_by_what_their_commands_set_differently(folder):
    found = sweep.load("sweep", folder).settings
    assert {name: [one.config.seed for one in members] for name, members in found.items()} == {
        "algorithm.population=10": [0, 1, 2, 3],
        "algorithm.population=20": [0, 1, 2, 3],
    }


def test_runs_that_differ_in_seeds_alone_are_one_setting(tmp_path):
    for seed in range(3):
        begin(tmp_path, str(seed), "", seed, (1.0,), planned=1)
    assert list(sweep.load("sweep", tmp_path).settings) == [sweep.ALIKE]


def test_runs_stand_in_the_order_of_their_numbers(tmp_path):
    for number in (10, 2, 1):
        begin(tmp_path, str(number), "", number, (1.0,), planned=1)
    assert [one.path.name for one in sweep.load("sweep", tmp_path).members] == ["1", "2", "10"]


def test_a_configuration_of_another_program_is_no_run(tmp_path):
    begin(tmp_path, "0", "", 0, (1.0,), planned=1)
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "config.yaml").write_text("defaults: [_self_]")
    assert len(sweep.load("sweep", tmp_path).members) == 1


def test_of_many_pairs_only_those_that_differ_have_a_sentence():
    same = {name: [1.0, 2, 3, 4, 5, 6] for name in "abc"}
    found = compare_all("fitness", same | {"d": [value + 10 for value in same["a"]]})
    assert len(study_report.sentences(found)) == 6
    many = compare_all("fitness", same | {"d": [value + 10 for value in same["a"]], "e": same["a"]})
    *named, last = study_report.sentences(many)
    assert [line.partition(",")[0] for line in named] == [
        f"fitness: d is higher than {name}" for name in ("a", "b", "c", "e")
    ]
    assert last == "fitness: no difference is shown by 6 of 10 pairs."


def test_runs_of_one_command_with_other_options_are_not_mixed(tmp_path):
    begin(tmp_path, "old", "", 0, (1.0,), planned=1)
    begin(tmp_path, "new", "", 1, (1.0, 2.0), planned=2)
    assert len(sweep.load("sweep", tmp_path).settings) == 2


def test_the_table_has_a_row_for_each_run_finished_or_not(folder):
    found = sweep.load("sweep", folder)
    made, _ = sweep.report(found)
    sweep.save(found, folder, made)
    table = pandas.read_csv(folder / "results.csv")
    assert list(table["state"]) == ["complete"] * 7 + ["interrupted"]
    assert list(table["fitness"]) == [3, 4, 5, 6, 7, 8, 9, 9]
    assert list(table["generations"]) == [3] * 7 + [1]
    assert table["champion"].notna().all()
    page = (folder / "report.html").read_text()
    assert "algorithm.population=20" in page
    assert "http" not in page.replace("http://www.w3.org", "")  # it loads nothing


def test_the_page_says_what_a_picture_shows_and_leads_to_the_pages_of_the_runs(folder):
    (folder / "3" / "report.html").write_text("of a run")
    found = sweep.load("sweep", folder)
    made, _ = sweep.report(found)
    sweep.save(found, folder, made)
    page, text = (folder / "report.html").read_text(), (folder / "report.md").read_text()
    assert "<figcaption>fitness of the best of each generation: means with 95 % intervals, from 3 runs on<" in page
    assert page.count("<a href=") == 1
    assert '<a href="3/report.html">3</a>' in page
    assert "| [3](3/report.html) | algorithm.population=10 | 3 | complete |" in text


def test_the_ends_of_an_interval_are_written_as_the_mean_is(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "student", lambda values: (10401.0, 10392.4, 10412.2))
        rows = sweep._setting("all", sweep.load("sweep", folder).members, "fitness")
    assert rows["95 % interval"] == "10,392 to 10,412"


def test_only_finished_runs_count_and_the_others_are_named_with_a_line_that_goes_on(folder):
    _, lines = sweep.report(sweep.load("sweep", folder))
    assert lines[0].startswith("algorithm.population=10: 4 of 4 finished; fitness 4.5 (")
    assert lines[1].startswith("algorithm.population=20: 3 of 4 finished; fitness 8 (")
    assert lines[-1] == f"not finished: python scripts/train.py resume={folder / '7'}"


def test_settings_are_compared_by_their_finished_runs(folder):
    (one,) = sweep.compare_settings(sweep.load("sweep", folder), "fitness", seed=0)
    assert (len(one.first.values), len(one.second.values)) == (4, 3)
    assert one.a12.value == 0  # every run of the first is below every run of the second


def test_curves_have_all_runs_that_have_come_so_far(folder):
    (_, second) = sweep.load("sweep", folder).settings.values()
    assert sweep.curves(second) == {0: [5, 5, 5, 9], 1: [6, 6, 6], 2: [7, 8, 9]}


def test_a_run_that_has_only_begun_has_no_figures(tmp_path):
    begin(tmp_path, "0", "", 0, (), state="running")
    found = sweep.load("sweep", tmp_path)
    made, lines = sweep.report(found)
    sweep.save(found, tmp_path, made)
    assert lines[0] == "all runs: 0 of 1 finished"
    assert "running, or killed" in (tmp_path / "report.md").read_text()


def test_what_is_no_sweep_is_refused_in_a_line(tmp_path, folder):
    with pytest.raises(UsageError, match=r"^sweep=.*nowhere: accepted: the folder of a sweep"):
        sweep.load("sweep", tmp_path / "nowhere")
    with pytest.raises(UsageError, match="the folder of a sweep"):
        sweep.load("sweep", folder / "0")  # a run: its own page would be overwritten
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="a folder with run directories in it"):
        sweep.load("sweep", tmp_path / "empty")


def test_a_damaged_run_is_named_and_nothing_is_written(folder):
    told, said = [], []
    (folder / "2" / "metrics.jsonl").write_text("{\n{}\n")
    sweep.conclude(folder, told.append, said.append)
    assert told == []
    assert not (folder / "report.html").exists()
    assert len(said) == 1
    assert said[0].startswith("warning: the sweep has no report:")
    assert "metrics.jsonl" in said[0]


def test_a_full_disk_costs_the_page_a_line(folder, monkeypatch):
    told, said = [], []
    full = OSError(errno.ENOSPC, "No space left on device", str(folder / "report.md"))
    monkeypatch.setattr(sweep, "save", mock.Mock(side_effect=full))
    sweep.conclude(folder, told.append, said.append)
    assert told == []
    assert said == [f"warning: the sweep has no report: {folder / 'report.md'}: No space left on device"]


def test_p_values_of_several_pairs_are_corrected_by_holm():
    groups = {"a": [1.0, 2, 3, 4, 5], "b": [6.0, 7, 8, 9, 10], "c": [1.5, 2.5, 3.5, 4.5, 5.5]}
    found = compare_all("fitness", groups)
    single = [compare("fitness", (one.first.name, groups[one.first.name]), (two, groups[two])).p
              for one in found for two in [one.second.name]]  # fmt: skip
    assert [one.p for one in found] == single
    least, middle, greatest = sorted(found, key=lambda one: one.p)
    assert least.corrected == pytest.approx(3 * least.p)
    assert middle.corrected == pytest.approx(max(3 * least.p, 2 * middle.p))
    assert greatest.corrected == pytest.approx(max(middle.corrected, greatest.p))
