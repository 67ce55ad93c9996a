"""Programs in plain C++, compiled when they are first asked."""

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from threading import Lock

_COMPILING = Lock()


def build(source: Path) -> str | None:
    """Return the path of the program that a file of C++ is compiled to; None where there is no compiler."""
    with _COMPILING:
        return _built(source)


@cache
def _built(source: Path) -> str | None:
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    made = str(Path(_folder().name) / source.stem)
    subprocess.run([compiler, "-O2", "-std=c++17", "-o", made, str(source)], check=True, capture_output=True)
    return made


@cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    """Return a folder that is removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="jaxgp_plain_")
