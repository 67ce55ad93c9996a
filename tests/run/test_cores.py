"""The first array settles how many devices there are: a run is assembled without any, and then asks for cores."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXPERIMENTS = (
    "reversi_guided",
    "mancala_run1",
    "walls",
    "morpion_nested",
    "mate_guide",
    "freecell_counts",
    "rush_hour_policy",
)
"""Searches, random and past programs, fixed strategies, nested searches, problems, puzzles."""


@pytest.mark.few(1)
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_to_cast_a_run_leaves_the_devices_to_be_made_and_what_is_assembled_finds_them(experiment):
    given = {key: value for key, value in os.environ.items() if key not in ("XLA_FLAGS", "JAX_NUM_CPU_DEVICES")}
    given |= {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", "tests.run.on_cores", "3", experiment]
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3\n"
