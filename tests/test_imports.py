"""The engine needs JAX, Flax, Optax and NumPy alone: it is imported where nothing else of the host side can be."""

import re
import subprocess
import sys
from pathlib import Path

from tests.test_rooms import FLOORS

ROOT = Path(__file__).resolve().parents[1]
ENGINE = 8
"""Floors below the configuration."""
BLOCKED = ("hydra", "omegaconf", "yaml", "wandb", "pandas", "statsmodels", "matplotlib", "rich", "deap", "pyspiel")
QUICK = ("jaxgp", "jaxgp.config.validate", "jaxgp.config.arguments", "jaxgp.config.help", "envs", "envs.mancala")
"""What options are read and checked with, without JAX."""

PROGRAM = """
import importlib, sys

class Blocker:
    shut = True

    def find_spec(self, name, path=None, target=None):
        if self.shut and name.split(".")[0] in blocked:
            raise ImportError(f"{name} is blocked")

blocked, quick, engine = map(str.split, sys.stdin.read().splitlines())
sys.meta_path.insert(0, Blocker())
for name in quick:
    importlib.import_module(name)
    if "jax" in sys.modules:
        sys.exit(f"{name} imports JAX")
Blocker.shut = False  # Flax itself imports some of them
import flax.struct, jax, optax
for name in [name for name in sys.modules if name.split(".")[0] in blocked]:
    del sys.modules[name]
Blocker.shut = True
for name in engine:
    importlib.import_module(name)
"""


def test_the_engine_and_the_benchmark_need_none_of_the_packages_of_the_host_side():
    rooms = [ROOT / "jaxgp" / room for floor in FLOORS[:ENGINE] for room in floor]
    found = [file for room in rooms for file in (room.rglob("*.py") if room.is_dir() else [room.with_suffix(".py")])]
    engine = [".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in found]
    games = [f"envs.{file.parent.name}.rules" for file in (ROOT / "envs").glob("*/rules.py")]
    scripts = ROOT / "scripts"
    proof = [".".join(file.relative_to(scripts).with_suffix("").parts) for file in scripts.glob("device/**/*.py")]
    assert len(engine) > 40
    assert len(games) >= 4
    lines = "\n".join(" ".join(names) for names in (BLOCKED, QUICK, [*sorted(engine), *games, *sorted(proof), "bench"]))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=lines,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'scripts'}", "PATH": "/usr/bin:/bin", "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


SCRIPTS = ROOT / "scripts"
CHILD = SCRIPTS / "device" / "child.py"
"""Started by another script alone, which tells it where modules are."""
FOUND = r"sys\.path\.insert\(0, str\(Path\(__file__\)\.resolve\(\)\.parents\[(\d)\]\)\)"


def test_a_script_that_imports_from_another_folder_of_scripts_says_where_it_is():
    rooms = "|".join(path.name for path in SCRIPTS.iterdir() if path.is_dir())
    scripts = [path for path in SCRIPTS.rglob("*.py") if path not in (CHILD, *SCRIPTS.glob("*.py"))]
    lost, seen = [], 0
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        if 'if __name__ == "__main__":' in text and re.search(rf"(?m)^from ({rooms})\b", text):
            seen += 1
            if SCRIPTS not in [path.parents[int(number)] for number in re.findall(FOUND, text)]:
                lost.append(path.name)
    assert seen > 10
    assert not lost
