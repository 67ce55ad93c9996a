"""Robots on the command line: exported by name, and measured in the real engine."""

import json
import re
from pathlib import Path

import pytest

from envs.robocode.real import engine
from tests.envs.robocode.test_engine import real
from tests.scripts.commands import run, write_run

TEXT = "(PROGRAM (Mul Zero (Fire 1)) (Sub EnemyBearing Zero) (Add Random 0.5))"


@pytest.fixture
def champion(tmp_path):
    """The file of a program that fires as it drives."""
    return write_run(tmp_path, {"name": "robocode", "rounds": 2}, TEXT)


def test_a_champion_is_written_in_java_by_its_name(champion, capsys):
    assert run("export", f"run={champion}", "format=java", "name=my.team.Bot") == 0
    told = capsys.readouterr().out
    assert told.startswith("package my.team;\n")
    assert "public class Bot extends Robot {" in told
    assert run("export", f"run={champion}", "format=sexpr") == 0
    assert capsys.readouterr().out.strip() == TEXT


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("export", ("format=java", "name=my.class"), "name=my.class: accepted: PACKAGE.CLASS, Java identifiers"),
        ("export", ("format=java", "name=Bot"), "name=Bot: accepted: PACKAGE.CLASS"),
        ("export", ("format=python", "name=my.Bot"), "name=my.Bot: accepted: null, since programs have no name in"),
        ("evaluate", ("engine=gtp",), "engine=gtp: accepted: robocode"),
        ("evaluate", ("engine=robocode",), "engine=robocode: java is not on PATH; it comes with the Debian packages"),
    ],
)
def test_wrong_names_and_missing_engines_are_told_in_one_line(champion, command, options, said, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert run(command, f"run={champion}", *options) == 2
    told = capsys.readouterr().err.strip()
    assert said in told
    assert "\n" not in told


@real
@pytest.mark.slow
def test_a_champion_is_measured_here_and_in_the_engine(champion, tmp_path):
    table = tmp_path / "rows.csv"
    options = ("engine=robocode", "against=[sample.SittingDuck,sampleex.Alien]", "games=2", f"table={table}")
    assert run("evaluate", f"run={champion}", *options, "compilation_cache=null", f"output={tmp_path}/out.json") == 0
    rows = json.loads((tmp_path / "out.json").read_text())["results"]
    shares = {(row["driver"], row["rival"]) for row in rows if row["quantity"] == "share"}
    assert shares == {
        ("champion", "sample.SittingDuck"),
        (f"champion in Robocode {engine.VERSION}", "sample.SittingDuck"),
        (f"champion in Robocode {engine.VERSION}", "sampleex.Alien"),
    }
    assert f" in Robocode {engine.VERSION}" in table.read_text()


@pytest.mark.slow
def test_the_program_of_the_document_trains_robots_that_java_can_read(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[3] / "docs" / "robocode.md").read_text(encoding="utf-8")
    program = re.search("```python\n(.*?)```", page, re.S)[1]
    shorter = (
        program.replace("population=64", "population=4").replace("turns=600", "turns=100").replace(", 10)", ", 1)")
    )
    monkeypatch.chdir(tmp_path)
    exec(compile(shorter, "docs/robocode.md", "exec"), {})
    assert run("export", "run=robot.json", "format=java") == 0
    assert "extends Robot" in capsys.readouterr().out
