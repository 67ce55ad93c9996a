"""Compiles libraries of C++ at their first use, and registers their functions with JAX.

A library lies in `~/.cache/jaxgp/native` (or below `XDG_CACHE_HOME`), under a name that says what it was made of and
for which CPU, so that nodes of a cluster may share the folder. Where anything is missing, plain XLA computes the same.
"""

import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import jax
import jaxlib

from jaxgp.errors import reject

SWITCH = "JAXGP_NATIVE"
"""A variable of the environment: `off` has plain XLA compute everything."""
ROOT = Path(__file__).resolve().parents[2]
"""Names of headers in sources begin here."""
COMPILERS = ("c++", "g++", "clang++")
FLAGS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-ffp-contract=off",
    "-fno-trapping-math",
    "-fwrapv",
    "-w",
    "-shared",
    "-fPIC",
)
CAREFUL = ("-fno-tree-slp-vectorize",)
"""Flags for what `jaxgp.native.writer` writes: GCC 12.2 joins statements outside of loops to vector instructions with
wrong results, in which entries are swapped."""
PATIENCE = 120
"""Seconds that the compiler may take; it takes 10."""


@dataclass(frozen=True)
class Source:
    """What a library is made of.

    Attributes:
        name: of the library.
        text: C++.
        headers: files that it includes, by their names from the root of the project.
        functions: handlers of `jax.ffi` that it defines.
        flags: of the compiler, beside `FLAGS`.
    """

    name: str
    text: str
    headers: tuple[str, ...]
    functions: tuple[str, ...]
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Library:
    """A registered library.

    Attributes:
        version: digits that tell it from libraries of another source, compiler or CPU.
    """

    version: str

    def target(self, function: str) -> str:
        """Return the name that JAX knows a function by. Compiled programs that JAX keeps on the disk have it, too."""
        return f"{function}-{self.version}"


def folder() -> Path:
    """Return the folder where libraries are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "jaxgp" / "native"


def switched_off() -> bool:
    """Return whether plain XLA shall compute everything.

    Raises:
        UsageError: the variable has an unknown value.
    """
    asked = os.environ.get(SWITCH, "on")
    if asked not in ("on", "off"):
        reject(SWITCH, asked, "on, off")
    return asked == "off"


def compiles() -> bool:
    """Return whether there is a compiler, and it is not switched off; nothing is compiled.

    Raises:
        UsageError: the variable that switches it off has an unknown value.
    """
    if switched_off():
        return False
    try:
        return shutil.which(_compiler(os.environ.get("CXX", ""))[0]) is not None
    except (OSError, ValueError, IndexError):
        return False


def library(source: Source) -> Library | str:
    """Return a registered library, or why there is none. It is compiled if it has never been.

    Raises:
        UsageError: the variable that switches it off has an unknown value.
    """
    return f"{SWITCH}=off" if switched_off() else _library(source, os.environ.get("CXX", ""), str(folder()))


@lru_cache
def _library(source: Source, named: str, kept: str) -> Library | str:
    """Return the library of the compiler that CXX names, kept in a folder, or why there is none."""
    try:
        compiler = _compiler(named)
        version = _digest(source, compiler)
        loaded = _loaded(source, compiler, Path(kept), f"{source.name}-{version}")
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return _told(error)
    made = Library(version)
    for function in source.functions:
        jax.ffi.register_ffi_target(made.target(function), jax.ffi.pycapsule(loaded[function]), platform="cpu")
    return made


def _compiler(named: str) -> list[str]:
    """Return the words that call a C++ compiler."""
    if named:
        return shlex.split(named)
    found = next(filter(None, map(shutil.which, COMPILERS)), None)
    if found is None:
        raise FileNotFoundError(f"there is no C++ compiler: none of {', '.join(COMPILERS)}, and CXX is not set")
    return [found]


def _digest(source: Source, compiler: list[str]) -> str:
    """Return digits that change with all that a library follows from."""
    version = subprocess.run([*compiler, "--version"], capture_output=True, check=True, timeout=PATIENCE).stdout
    texts = [source.text.encode(), *((ROOT / header).read_bytes() for header in source.headers)]
    parts = [
        *texts,
        " ".join([*compiler, *FLAGS, *source.flags]).encode(),
        version,
        jaxlib.__version__.encode(),
        _cpu().encode(),
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _cpu() -> str:
    """Return what tells CPUs apart for which compilers make other instructions."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return "\n".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))
    return f"{platform.machine()} {platform.processor()}"


def _loaded(source: Source, compiler: Sequence[str], kept: Path, name: str) -> ctypes.CDLL:
    """Load the library of a name, which is followed by digits of its content. One that is not whole is compiled anew.

    A process that loads half a library, as a full disk leaves it, may end without a word.
    """
    for path in kept.glob(f"{name}-*.so"):
        if path.name == _named(name, path):
            return ctypes.CDLL(str(path))
    kept.mkdir(parents=True, exist_ok=True)
    # Several processes may do this at once: each has a folder of its own, and the last one's library stays.
    with tempfile.TemporaryDirectory(dir=kept) as apart:
        part, text = Path(apart, name), Path(apart, f"{name}.cc")
        text.write_text(source.text, encoding="utf-8")
        words = [
            *compiler,
            *FLAGS,
            *source.flags,
            f"-I{jax.ffi.include_dir()}",
            f"-I{ROOT}",
            str(text),
            "-o",
            str(part),
        ]
        subprocess.run(words, capture_output=True, check=True, timeout=PATIENCE)
        return ctypes.CDLL(str(part.replace(kept / _named(name, part))))


def _named(name: str, path: Path) -> str:
    """Return what a file of this name is called that has the content of a path."""
    return f"{name}-{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}.so"


def _told(error: Exception) -> str:
    """Return in words what kept the library from being made."""
    if isinstance(error, subprocess.CalledProcessError):
        said = (error.stderr or b"").decode(errors="replace").strip().splitlines()
        return f"{error.cmd[0]} failed with {error.returncode}: {said[0] if said else 'it says nothing'}"
    return str(error)
