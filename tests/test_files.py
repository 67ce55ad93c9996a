"""Paths that people write."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.files import user_path
from jaxgp.league import members
from jaxgp.options import check, list_options
from jaxgp.study import results
from tests.config.test_limits import schemas

PATHS = sorted(
    {(schema, one.name) for _, schema in schemas() for one in list_options(schema) if one.limits.path}, key=str
)
IMPOSSIBLE = {
    "": "output=: accepted: a path",
    "~no_such_user/x": "output=~no_such_user/x: accepted: a path; nobody of this name has a home",
    "x" * 256: "xxx...: accepted: a path (File name too long)",
    "x" * 245: "xxx...: accepted: a path (File name too long)",
    "x/" * 3000: "x/x...: accepted: a path (File name too long)",
    "a\0b": "output=a\\x00b: accepted: a path without the character NUL",
}


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_a_path_at_which_no_file_can_be_is_refused_by_its_option(text):
    with pytest.raises(UsageError, match=re.escape(IMPOSSIBLE[text])):
        user_path("output", text)


def test_a_path_of_odd_characters_is_one(tmp_path):
    assert user_path("output", "~/a") == Path.home() / "a"
    odd = tmp_path / "my run, no. 1 [x]=#é"
    assert user_path("output", str(odd)) == odd
    assert user_path("output", "file/below") == Path("file/below")


@pytest.mark.parametrize(("schema", "name"), PATHS)
def test_every_option_that_is_a_path_refuses_impossible_ones(schema, name):
    for text in IMPOSSIBLE:
        values = replace(schema(), **{name: text})  # options of roles are frozen
        with pytest.raises(UsageError, match=f"^{name}="):
            check(values)


def test_options_of_files_and_directories_are_declared_as_paths():
    of_files = {
        (str(schema), one.name)  # other tests may have imported a script anew
        for _, schema in schemas()
        for one in list_options(schema)
        if str in one.kinds and not one.choices and re.search(r"director|folder|file", one.limits.says, re.IGNORECASE)
    }
    columns = {(schema, name) for schema, name in of_files if name in ("a", "b")}  # with a table, values of a column
    # A suite may also be a list of numbers, longer than the name of a file, and `fen` a position; the game says what it
    # accepts.
    suites = {
        (schema, name) for schema, name in of_files if name in ("suite", "instances", "validation_instances", "fen")
    }
    assert of_files - columns - suites <= {(str(schema), name) for schema, name in PATHS}
    assert len(PATHS) > 20


def test_an_impossible_path_is_one_line_and_exit_code_2(capsys):
    schema = dict(schemas())["scripts/export.py"]
    assert arguments.main(schema, lambda options: 0, "", ["run=~no_such_user"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_folder_that_cannot_be_searched_is_refused(tmp_path, monkeypatch):
    def denied(path, pattern):
        raise PermissionError(13, "Permission denied", str(tmp_path / "secret"))

    monkeypatch.setattr(Path, "rglob", denied)
    with pytest.raises(UsageError, match=r"secret: cannot be searched for runs \(Permission denied"):
        results.run_directories(tmp_path)
    with pytest.raises(UsageError, match=r"^brackets\.a=.*secret: Permission denied"):
        members.read({"a": str(tmp_path)}, envs, "first", None)


def test_a_link_in_the_place_of_a_temporary_file_leads_nowhere(tmp_path):
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "a.json.part").symlink_to(tmp_path / "precious")
    files.write_text(tmp_path / "a.json", "new")
    assert (tmp_path / "precious").read_text() == "mine"
    assert (tmp_path / "a.json").read_text() == "new"
    assert not (tmp_path / "a.json").is_symlink()
    assert not (tmp_path / "a.json.part").exists()


def test_the_oldest_versions_are_the_lower_ends_of_what_the_project_accepts():
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["study"]]
    lower = dict(re.match(r"([\w-]+)>=([\d.]+)", one).groups() for one in asked if ">=" in one)
    oldest = dict(line.split("==") for line in (root / "tests/oldest.txt").read_text("utf-8").splitlines()[1:])
    assert oldest.keys() == lower.keys()
    for name, version in oldest.items():
        assert (version + ".").startswith(lower[name] + "."), name
