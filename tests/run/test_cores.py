"""The first array settles how many devices there are: a run is assembled without any, and then asks for cores."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import envs
from jaxgp.config.compose import Composer
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.run import run
from tests.config.test_compose import CONF

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


@pytest.mark.parametrize(
    ("words", "compiles", "number"),
    [
        ("game=lose_checkers", True, 1),
        ("game=lose_checkers", False, None),
        ("game=rush_hour", True, None),
        ("game=mancala", False, 1),
        ("game=lose_checkers cores=2", True, 2),
    ],
)
def test_searches_of_games_in_c_need_no_devices(words, compiles, number, monkeypatch):
    """Their roots are shared among threads. Puzzles and searches in lanes take a device for each core."""
    asked = []
    monkeypatch.setattr(run, "compiles", lambda: compiles)
    monkeypatch.setattr(run.cores, "use", asked.append)
    with Composer(Config, CONF, "config") as composer:
        config = composer.compose(words.split())
    run._use_cores(config, cast_of(config, envs))
    assert asked == [number]
