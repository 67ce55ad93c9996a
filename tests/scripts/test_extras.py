"""Commands that need an extra say so in one line, before anything is computed; a run needs none."""

import importlib.util
import subprocess
import sys

import pytest

from jaxgp.study.study_options import ANALYSES
from jaxgp.train import command
from tests.scripts import commands
from tests.test_rooms import FLOORS, ROOT, files, imported

STUDY = ("pandas", "statsmodels")
RUNS = 13
"""Floors of what a run, an evaluation, a game at the table and an export consist of."""
VERDICTS = "jaxgp/statistics/verdicts.py"
"""Tests between groups, which no evaluation makes; its imports wait until one is made."""


@pytest.fixture
def bare(monkeypatch):
    """An installation without extras."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name in STUDY else find(name, *more))


@pytest.mark.parametrize("analysis", ["design", "tuned", "comparison", "sweep"])
def test_a_study_names_the_extra(bare, analysis, capsys):
    assert commands.load("analyse").main([f"analysis={analysis}"]) == 2
    said = f"error: analysis={analysis} needs pandas and statsmodels: pip install -e '.[study]'\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("name", "options", "packages"),
    [("tournament", ["brackets.a=[random]"], "statsmodels"), ("document", [], "pandas and statsmodels")],
)
def test_a_league_and_the_documents_name_the_extra(bare, name, options, packages, capsys):
    assert commands.run(name, *options) == 2
    assert capsys.readouterr().err == f"error: scripts/{name}.py needs {packages}: pip install -e '.[study]'\n"


HIDDEN = f"""
import runpy, sys
class Hides:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, *more):
        return None if name.partition(".")[0] in {STUDY} else self.finder.find_spec(name, *more)
sys.meta_path[:] = map(Hides, sys.meta_path)
sys.argv = ["document.py"]
runpy.run_path("scripts/document.py", run_name="__main__")
"""


@pytest.mark.slow
def test_the_documents_are_not_made_where_the_extra_is_not_installed():
    done = subprocess.run([sys.executable, "-c", HIDDEN], cwd=ROOT, capture_output=True, text=True, check=False)
    said = "error: scripts/document.py needs pandas and statsmodels: pip install -e '.[study]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_an_unknown_analysis_and_the_help_list_all_of_them(capsys):
    script = commands.load("analyse")
    assert tuple(script.ANALYSES) == ANALYSES
    assert script.main(["analysis=foo"]) == 2
    assert capsys.readouterr().err == f"error: analysis=foo: accepted: {', '.join(ANALYSES)}\n"
    assert script.main(["--help"]) == 0
    assert f"[{' | '.join(ANALYSES)}]" in " ".join(capsys.readouterr().out.split())


def test_a_sweep_without_the_extra_says_how_its_page_is_made(bare, tmp_path, capsys):
    command.swept(tmp_path)
    warning, then = capsys.readouterr().err.splitlines()
    assert warning == "warning: the page of the sweep needs pandas and statsmodels: pip install -e '.[study]'"
    assert then == f"Then: python scripts/analyse.py analysis=sweep sweep={tmp_path}"
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_what_a_sweeper_optimises_is_read_without_the_extra():
    """Optuna asks for it after each member."""
    shut = "; ".join(f"sys.modules['{name}'] = None" for name in STUDY)
    program = f"import sys; {shut}; from jaxgp.study import member; print(member.score.__name__)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "score\n", done.stderr


def test_a_run_and_what_is_done_with_its_champion_need_no_extra():
    rooms = [f"jaxgp/{room}" for floor in FLOORS[:RUNS] for room in floor]
    modules = [file for room in rooms for file in (files(room) or [ROOT / f"{room}.py"])]
    scripts = [ROOT / "scripts" / f"{name}.py" for name in ("train", "evaluate", "play", "export", "bench")]
    found = {
        (str(file.relative_to(ROOT)), name)
        for file in [*modules, *scripts]
        for name in imported(file)
        if name.split(".")[0] in STUDY
    }
    assert {file for file, _ in found} == {VERDICTS}
