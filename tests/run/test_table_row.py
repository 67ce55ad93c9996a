"""The row that a run adds to a table when it has come to its end."""

import csv
import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import envs
from jaxgp.config.compose import adapt_override
from jaxgp.config.schema import Config
from jaxgp.errors import RunError
from jaxgp.games.outside import Outside
from jaxgp.run import outcome, resume
from jaxgp.run.run import add_row
from jaxgp.store import champion, runs
from jaxgp.store.directory import RunDirectory
from jaxgp.store.table import CSVTable
from tests.run.conduct_toy import run
from tests.run.toy_experiment import config


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """A run that has ended, and its configuration."""
    path, made = tmp_path_factory.mktemp("ended") / "run", replace(config(), title="toys", seed=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outcome, "write", lambda run: [])
        assert run(path, made) == 0
    return RunDirectory(path), made


def add(ended, path):
    directory, made = ended
    add_row(made, str(path), directory, "mancala pits=2")


def test_a_run_has_one_row_however_often_it_is_resumed(ended, tmp_path, capsys):
    directory, _ = ended
    about = json.loads(directory.environment.read_text())
    directory.environment.write_text(
        json.dumps(about | {"commands": ["python x.py experiment=toy", "python x.py resume=x"]})
    )
    path = tmp_path / "runs.csv"
    add(ended, path)
    add(ended, path)
    assert [line.split(" ")[4] for line in capsys.readouterr().out.splitlines()] == ["added", "is"]
    with path.open() as file:
        (row,) = csv.DictReader(file)
    best = champion.read(directory.champion)
    wanted = {"run": str(directory.path), "experiment": "toy", "title": "toys", "seed": "3", "game": "mancala pits=2"}
    wanted |= {"command": "python x.py experiment=toy && python x.py resume=x", "device": "cpu: cpu"}
    wanted |= {"population": "8", "generations": "7", "evaluations": "56", "found": str(best.generation), "size": "1"}
    assert {name: row[name] for name in wanted} == wanted
    assert float(row["fitness"]) == pytest.approx(best.fitness)
    assert float(row["first"]) == 2 * float(row["second"]) == best.points["first"]
    assert float(row["seconds"]) > 0
    assert row["champion"] == runs.identity(best)


def test_a_row_that_cannot_be_written_is_printed(ended, tmp_path, capsys):
    (tmp_path / "runs.csv").write_text("other,columns\n")
    with pytest.raises(RunError, match=r"runs\.csv: cannot be written \(.*its columns are not .*printed above"):
        add(ended, tmp_path / "runs.csv")
    printed = dict(zip(runs.COLUMNS, next(csv.reader([capsys.readouterr().out])), strict=True))
    assert (printed["title"], printed["generations"]) == ("toys", "7")


@pytest.mark.parametrize(
    "typed",
    [
        "experiment=mancala_run1",
        "title=two words",
        "title='quoted'",
        "title=null",
        "game.lose=true",
        "+fitness.opponents.x.kind=random",
        "++game.size=6",
        "table=~/it's.csv",
        "algorithm.creation.max_depth=4",
        "title=${x}",
    ],
)
def test_a_command_that_is_pasted_means_what_was_typed(typed):
    override = adapt_override(Config, typed)
    script, *words = shlex.split(resume.command([override], envs))[1:]
    assert (script, [adapt_override(Config, word) for word in words]) == ("scripts/train.py", [override])


def test_a_game_outside_is_named_by_its_folder():
    games = Outside(envs, Path("/somewhere/connect_four"))
    assert resume.command(["game=connect_four", "seed=1"], games).endswith(" game=/somewhere/connect_four seed=1")


def test_a_table_of_something_else_is_refused_before_the_run(tmp_path):
    path = tmp_path / "games.csv"
    CSVTable(path, ("player", "opponent")).append({"player": "a", "opponent": "b"})
    made = replace(config(), table=str(path))
    with pytest.raises(resume.UsageError, match=r"^table=.*: accepted: a new file, or a table with"):
        resume.plan(made, [], tmp_path / "run", envs)
