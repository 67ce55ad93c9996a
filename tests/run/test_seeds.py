"""Runs of several seeds in one program leave what each of them leaves alone."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import envs
from jaxgp.config.schema import DeviceOptions
from jaxgp.errors import UsageError
from jaxgp.run import resume
from jaxgp.run.resume import RunPlan
from jaxgp.run.run import conduct
from jaxgp.store import record
from jaxgp.store.directory import RunDirectory
from tests.run import conduct_toy
from tests.run.toy_experiment import ToyExperiment, config

SEEDS = (3, 4, 5)


def members(folder: Path, generations: int = 7, **devices) -> RunPlan:
    """The plan of three runs, each of which goes on where its directory says."""
    made = [replace(config(generations=generations), seed=seed) for seed in SEEDS]
    each = [
        RunPlan(one, folder / str(one.seed), RunDirectory(folder / str(one.seed)).holds_run(), f"seed={one.seed}")
        for one in made
    ]
    return RunPlan(replace(made[0], devices=DeviceOptions(**devices)), folder, False, "", tuple(each))


def run_together(plan: RunPlan) -> int:
    directories = [RunDirectory(one.directory) for one in plan.members]
    for directory in directories:
        directory.path.mkdir(parents=True, exist_ok=True)
        directory.lock()
    try:
        return conduct(plan, directories, ToyExperiment(plan.config))
    finally:
        for directory in directories:
            directory.unlock()


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The same runs one by one."""
    folder = tmp_path_factory.mktemp("alone")
    for seed in SEEDS:
        assert conduct_toy.run(folder / str(seed), replace(config(), seed=seed)) == 0
    return folder


def assert_all_same(one: Path, other: Path) -> None:
    for seed in SEEDS:
        conduct_toy.assert_same(one / str(seed), other / str(seed))


@pytest.mark.thorough
@pytest.mark.parametrize("side_by_side", [2, pytest.param(None, marks=pytest.mark.slow)])
def test_each_run_is_the_one_that_its_seed_gives_alone(tmp_path, alone, side_by_side):
    assert run_together(members(tmp_path, side_by_side=side_by_side)) == 0
    assert_all_same(tmp_path, alone)
    assert (tmp_path / "4" / "report.html").is_file()
    assert RunDirectory(tmp_path / "4").read_config() == RunDirectory(alone / "4").read_config()
    last = [record.read(tmp_path / str(seed) / "metrics.jsonl")[-1]["seconds"] for seed in SEEDS]
    assert last[0] > 0
    assert len(set(last)) == 1, "the seconds of a row are the share of its run"


@pytest.mark.slow
def test_runs_that_stand_at_different_generations_come_to_the_same_end(tmp_path, alone):
    """One has all generations, one has four of seven, one has lost its directory."""
    assert run_together(members(tmp_path, generations=4)) == 0
    shutil.rmtree(tmp_path / "3")
    assert conduct_toy.run(tmp_path / "5", replace(config(), seed=5), resumed=True) == 0
    assert run_together(members(tmp_path)) == 0
    assert_all_same(tmp_path, alone)


def planned(folder: Path, *words: str, **options) -> RunPlan:
    return resume.plan(replace(config(), **options), words, folder, envs)


def test_a_plan_has_the_run_of_each_seed_with_the_command_that_gives_it_alone(tmp_path):
    plan = planned(tmp_path, "seeds=8-10", "title=ten", seeds="8-10", title="ten")
    assert [one.config.seed for one in plan.members] == [8, 9, 10]
    assert [one.directory.name for one in plan.members] == ["8", "9", "10"]
    assert plan.members[0].command == "python scripts/train.py title=ten seed=8"
    assert {one.config.seeds for one in plan.members} == {None}
    assert {(one.config.logger.group, one.config.logger.job_type) for one in plan.members} == {(tmp_path.name, "seeds")}


@pytest.mark.thorough
def test_a_folder_of_runs_is_gone_on_with_by_its_name(tmp_path, alone):
    plan = planned(tmp_path, f"resume={alone}", "algorithm.generations=9", resume=str(alone))
    assert [one.config.seed for one in plan.members] == list(SEEDS)
    assert all(one.resumed for one in plan.members)


@pytest.mark.parametrize(
    ("words", "options", "said"),
    [
        (["seeds=9-0"], {"seeds": "9-0"}, "seeds=9-0: accepted: FIRST-LAST, as in 0-9"),
        (["seeds=5"], {"seeds": "5"}, "seeds=5: accepted: FIRST-LAST"),
        (["seeds=0-D"], {"seeds": f"0-{'9' * 5000}"}, r"seeds=0-9{75}\.\.\.: accepted: FIRST-LAST"),
        (["seeds=0-2000"], {"seeds": "0-2000"}, "up to 1000 whole numbers from 0 to 4294967295"),
        (["seeds=0-4294967296"], {"seeds": "0-4294967296"}, "up to 1000 whole numbers"),
        (["seeds=0-2", "seed=1"], {"seeds": "0-2", "seed": 1}, "seed=1: accepted: nothing beside seeds"),
        (
            ["seeds=0-2"],
            {"seeds": "0-2", "devices": DeviceOptions(count=4)},
            "devices.count=4: accepted: a whole number from 1",
        ),
        (
            ["seeds=0-2"],
            {"seeds": "0-2", "devices": DeviceOptions(2, 2)},
            "devices.processes=2: accepted: 1 with seeds",
        ),
    ],
)
def test_a_wrong_option_is_named(tmp_path, words, options, said):
    with pytest.raises(UsageError, match=said):
        planned(tmp_path, *words, **options)


@pytest.mark.thorough
def test_runs_that_are_there_are_not_begun_again(alone):
    with pytest.raises(UsageError, match=f"already holds runs of these seeds; go on with them by resume={alone}"):
        planned(alone, "seeds=5-6", seeds="5-6")


def test_a_run_directory_takes_no_runs_of_other_seeds(alone):
    with pytest.raises(UsageError, match="holds a run of one seed; accepted: another folder"):
        planned(alone / "3", "seeds=5-6", seeds="5-6")


@pytest.mark.thorough
def test_runs_that_differ_in_more_than_their_seeds_are_refused(tmp_path):
    for seed, population in ((0, 8), (1, 10)):
        made = replace(config(population=population), seed=seed)
        assert conduct_toy.run(tmp_path / str(seed), made) == 0
    with pytest.raises(UsageError, match="differ in more than their seeds"):
        planned(tmp_path, f"resume={tmp_path}", resume=str(tmp_path))
