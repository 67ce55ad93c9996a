"""The figures of a run in the tables of studies are those of its champion, whichever generation found it."""

import os

import jax.numpy as jnp
import pytest

from jaxgp.errors import UsageError
from jaxgp.evolution.state import BestSoFar
from jaxgp.store import champion, record
from jaxgp.store.directory import RunDirectory
from jaxgp.study import member, results, study
from jaxgp.study.study_options import ComparisonOptions
from tests.run import toy_experiment as toy


def rows(**columns):
    """The record of a run, a column for each metric."""
    names, values = list(columns), zip(*columns.values(), strict=True)
    made = [dict(zip(names, row, strict=True)) for row in values]
    return [{"generation": number, "seconds": 0.5, **row} for number, row in enumerate(made)]


COEVOLUTION = rows(
    best_fitness=(30.0, 20.0, 40.0, 35.0),  # among each other: of no meaning from one generation to the next
    best_standing=(0.25, 0.75, 0.5, 0.75),  # against the panel
    best_points=(0.5, 1.5, 1.0, 1.5),
    best_size=(9, 5, 7, 3),
)
TOURNAMENTS = rows(
    best_fitness=(1.5, 1.75, 1.75, 1.0),
    beaten=(0, 0, 0, 1),  # the aim of the run, which counts more than fitness
    best_points=(12.0, 13.0, 14.0, 15.0),
    best_size=(9, 8, 7, 6),  # the third has fewer rules than the second, and so took its place
)


def test_a_coevolved_champion_is_measured_against_the_panel():
    found = member.summary(COEVOLUTION, found=1)
    assert (found["found"], found["fitness"], found["points"], found["size"]) == (1, 0.75, 1.5, 5)
    assert (found["generations"], found["seconds"]) == (4, 2.0)


@pytest.mark.parametrize(("generation", "fitness", "size"), [(2, 1.75, 7), (3, 1.0, 6)])
def test_a_champion_of_groups_is_the_one_that_the_run_crowned(generation, fitness, size):
    found = member.summary(TOURNAMENTS, found=generation)
    assert (found["found"], found["fitness"], found["size"]) == (generation, fitness, size)


def test_a_run_without_a_champion_has_no_figures():
    found = member.summary(rows(best_fitness=(None, None)), found=-1)
    assert [found[name] for name in ("fitness", "points", "size", "found")] == [None] * 4
    assert found["generations"] == 2


@pytest.fixture
def run(tmp_path):
    """A run that is complete, by coevolution."""
    directory = RunDirectory(tmp_path)
    record.write(directory.record, COEVOLUTION)
    directory.write_status("complete", 4, 4)
    one = BestSoFar(toy.constants(jnp.zeros(())), jnp.float32(0.75), jnp.zeros(2, jnp.float32), jnp.int32(1))
    champion.write(directory.champion, champion.describe(one, toy.PRIMITIVES, toy.config()))
    return directory


def test_a_run_directory_is_summed_up_by_its_champion_file(run):
    found = results.read_run(run, "a")
    assert (found["found"], found["fitness"]) == (1, champion.read(run.champion).fitness) == (1, 0.75)


def test_a_run_directory_that_lacks_something_is_refused_in_a_line(run):
    record.write(run.record, COEVOLUTION[:1])
    with pytest.raises(UsageError, match="no row of generation 1, which found the champion"):
        results.read_run(run, "a")
    run.champion.unlink()
    with pytest.raises(UsageError, match=r"champion\.json: cannot be read"):
        results.read_run(run, "a")
    run.write_status("running", 2, 4)
    with pytest.raises(UsageError, match=r"has not come to its end \(state running\)"):
        results.read_run(run, "a")


def test_a_table_that_is_no_file_of_bounded_size_is_refused_before_it_is_read(tmp_path):
    (tmp_path / "zeros.csv").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "bare.csv").write_text("group,fitness\n")
    (tmp_path / "large.csv").touch()
    os.truncate(tmp_path / "large.csv", 2**40)
    said = {"zeros": "no regular file", "pipe": "no regular file", "bare": "0 results", "large": "larger than"}
    for name, why in said.items():
        with pytest.raises(UsageError, match=f"^table=.*{name}.csv: .*{why}"):
            results.load(tmp_path / f"{name}.csv")


def test_values_whose_differences_are_no_numbers_are_not_compared(tmp_path):
    (tmp_path / "huge.csv").write_text("group,fitness\na,1e308\na,1\nb,-1e308\nb,2\n")
    options = ComparisonOptions(table=str(tmp_path / "huge.csv"), measures=["fitness"])
    with pytest.raises(UsageError, match=r"^measures=fitness: accepted: columns of finite numbers"):
        study.load_groups(options)
