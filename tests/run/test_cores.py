"""The first array settles how many devices there are: a run is assembled without any, and then asks for cores."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ("walls", "reversi_guided", "mancala_run1", "morpion_nested")
"""Fixed strategies, searches, random and past programs, nested searches."""


@pytest.mark.thorough
def test_to_assemble_a_run_leaves_the_devices_to_be_made():
    given = {key: value for key, value in os.environ.items() if key not in ("XLA_FLAGS", "JAX_NUM_CPU_DEVICES")}
    given |= {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", "tests.run.on_cores", "3", *EXPERIMENTS]
    done = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3\n"
