"""The type checker fails where a game breaks its contract: copies of Connect Four, each with one thing wrong."""

import re
import shutil
from pathlib import Path

import pytest

api = pytest.importorskip("mypy.api", reason="the type checker is not installed: pip install -e '.[test]'")

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "fixtures" / "connect_four"
BROKEN = {
    "a step without a key": ("rules.py", "action: Array, key: Array) -> State", "action: Array) -> State"),
    "an opening without a key": ("rules.py", "def init(self, key: Array)", "def init(self)"),
    "no score": ("rules.py", "def score(", "def result("),
    "moves in a list": ("rules.py", "def legal_actions(self, state: State) -> Array", "{} -> list[bool]"),
    "a state without returns": ("rules.py", "    returns: Array", "    result: Array"),
    "chance in words": ("rules.py", "chance: ClassVar[bool] = False", 'chance: ClassVar[str] = "none"'),
    "no way to read a move": ("drawing.py", "def parse_action(", "def read_action("),
    "an evaluator without a name": ("__init__.py", '{"lines": lines.worth}', "[lines.worth]"),
    "rules that act": ("roles.py", "return language, GreedyPlayer(", "return language, game or GreedyPlayer("),
    "options of another role": ("roles.py", '"program", Options, make)', '"program", int, make)'),
}
"""What is wrong: the file, a passage of it, and what stands there instead; {} is the passage without its type."""


def package(name: str) -> str:
    return re.sub(r"\W", "_", name)


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """Return what mypy says of each copy, by package: one run for all of them."""
    folder = tmp_path_factory.mktemp("games")
    shutil.copytree(FOLDER, folder / "as_it_is")
    for name, (file, passage, instead) in BROKEN.items():
        copy = shutil.copytree(FOLDER, folder / package(name)) / file
        text = copy.read_text()
        assert text.count(passage) == 1, passage
        copy.write_text(text.replace(passage, instead.replace("{}", passage.partition(" ->")[0])))
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary", "--no-pretty"]
    packages = [word for name in ("as_it_is", *map(package, BROKEN)) for word in ("-p", name)]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MYPYPATH", f"{folder}:{ROOT}")
        said, wrong, _ = api.run([*options, *packages])
    assert not wrong
    lines = said.splitlines()
    return {name: [line for line in lines if line.startswith(f"{name}/")] for name in packages[1::2]}


@pytest.mark.slow
def test_a_game_that_keeps_its_contract_passes(complaints):
    assert complaints["as_it_is"] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_the_type_checker_refuses(complaints, name):
    assert any(": error:" in line for line in complaints[package(name)])
