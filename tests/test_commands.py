"""docs/commands.md: its commands name what exists and what earlier ones have made, and run in their order."""

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jaxgp.config import arguments

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
COMMANDS = [
    shlex.split(line, comments=True)
    for block in re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]
MADE = re.compile(r"^(?:hydra\.run\.dir|hydra\.sweep\.dir|output|save|table)=(outputs/\w+)")
USED = re.compile(r"outputs/\w+")
LATER = ("design=morpion_study", "scripts/studies/seeds.py", "scripts/bench.py", "growth/devices.py", "populations.py")
"""What takes hours, or measures times: only its options are looked at."""
SHORTER = {
    "experiment": ["algorithm.generations=1", "algorithm.population=16"],
    "algorithm=map_elites": ["algorithm.generations=2"],
    "compare=8": ["games=2"],
    "panel=study": ["games=2"],
    "compare=2": ["iterations=5"],
    "replicates=2": ["algorithm.generations=1"],
    "analysis=program": ["positions=200"],
    "analysis=searches": ["limit=200"],
    "brackets.a=outputs/sweep": ["games=2"],
    "game=checkers": ["games=2"],
}
"""What is added to commands that would take more than some minutes."""


def test_every_command_uses_what_an_earlier_one_has_made():
    made = set()
    for words in COMMANDS:
        given = {found[1] for word in words if (found := MADE.match(word))}
        used = {name for word in words for name in USED.findall(word)}
        assert used <= made | given, words
        made |= given


def module(script):
    spec = importlib.util.spec_from_file_location(Path(script).stem, ROOT / script)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize(
    "words", [words for words in COMMANDS if re.search(r"evaluate|export|play|tournament", words[1])], ids=" ".join
)
def test_a_command_takes_the_options_that_are_printed(words):
    assert arguments.parse(module(words[1]).Options, words[2:])


@pytest.mark.slow
def test_all_commands_run_in_their_order(tmp_path):
    """In a copy, since they write below outputs, and into the documents."""
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "outputs", "__pycache__", ".venv*"))
    for words in COMMANDS:
        if any(part in word for word in words for part in LATER):
            continue
        found = [one for part, added in SHORTER.items() if any(part in word for word in words) for one in added]
        shorter = {one.partition("=")[0]: one for one in found}
        kept = [word for word in words[1:] if word.partition("=")[0] not in shorter]
        done = subprocess.run(
            [sys.executable, *kept, *shorter.values()],
            cwd=copy,
            input="quit\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (words, done.stderr[-2000:])
