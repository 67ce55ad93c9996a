"""Commands that start engines of the Go Text Protocol, for tests."""

import shlex
import shutil
import sys
from pathlib import Path

import pytest

FAKE = Path(__file__).resolve().parents[1] / "reference" / "gtp_engine.py"
RHINO = "gtp-rhino -l 1 -b 0"


def fake(*options):
    """The command of the engine in plain Python; -S -E make its start quick."""
    return shlex.join([sys.executable, "-S", "-E", str(FAKE), *map(str, options)])


def saying(program):
    """The command of an engine that is this program of Python."""
    return shlex.join([sys.executable, "-u", "-S", "-E", "-c", program])


def rhino():
    """The command of gtp-rhino; skips the test where it is not installed."""
    if not shutil.which("gtp-rhino") and not shutil.which("gtp-rhino", path="/usr/games"):
        pytest.skip("gtp-rhino is not installed: apt-get install grhino")
    return RHINO


def ended(process):
    """Whether a process is gone, or only waits for somebody to notice."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True
