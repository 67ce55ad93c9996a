"""What a wheel gives, as the README says it: both packages with their data, all configurations, one command."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGES = ("jaxgp", "envs")
CODE = (".py", ".pyc")


def held():
    """Return every file that pyproject.toml names as data of a package."""
    declared = SETTINGS["tool"]["setuptools"]["package-data"].items()
    folders = [(ROOT.joinpath(*package.split(".")), patterns) for package, patterns in declared]
    return {file.resolve() for folder, patterns in folders for pattern in patterns for file in folder.glob(pattern)}


def data(folder):
    return {file.resolve() for file in (ROOT / folder).rglob("*") if file.is_file() and file.suffix not in CODE}


def test_a_wheel_holds_every_configuration_and_every_file_that_a_game_reads():
    needed = data("conf") | data("jaxgp") | data("envs")
    assert {ROOT / "conf/config.yaml", ROOT / "envs/othello/edgar_like.csv"} < needed
    assert sorted(str(file.relative_to(ROOT.resolve())) for file in needed - held()) == []


def test_every_folder_of_code_is_a_package_so_that_a_wheel_holds_it():
    """Tools that look for packages pass over a folder without `__init__.py`, and all below it."""
    assert SETTINGS["tool"]["setuptools"]["packages"]["find"]["include"] == [f"{name}*" for name in PACKAGES]
    folders = {file.parent for name in PACKAGES for file in (ROOT / name).rglob("*.py")}
    assert len(folders) > 20
    assert [str(folder) for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_the_readme_says_what_a_wheel_gives_and_what_it_does_not():
    (line,) = (line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if "wheel" in line)
    assert "all games, all configurations and `python -m jaxgp.train`" in line
    assert "no other command" in line
    assert "scripts" not in SETTINGS["project"]
    assert (ROOT / "jaxgp/train/__main__.py").is_file()
