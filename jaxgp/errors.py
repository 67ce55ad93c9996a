"""The two ways a command can end badly on purpose; scripts print the message as one line, without a traceback."""

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NoReturn

from jaxgp.printable import one_line

LONGEST = 1000
"""Characters of the line that says an error; more of a value than this helps nobody."""


class UsageError(ValueError):
    """The command line, a config file or a file named on it is wrong; nothing was computed. Exit code 2.

    Attributes:
        option: the option that is wrong, as it is typed; empty where no single one is.
        value: its value.
        accepted: what it takes, in words; empty where `rejection` did not make the error.
        why: what the game, or another option, has to do with it; empty: nothing.
    """

    exit_code = 2

    def __init__(self, text: str, option: str = "", value: object = None, accepted: str = "", why: str = "") -> None:
        super().__init__(text)
        self.option, self.value, self.accepted, self.why = option, value, accepted, why

    def within(self, section: str) -> "UsageError":
        """Return the error of an option that lies in a section: its name stands before that of the option."""
        return UsageError(f"{section}.{self}", f"{section}.{self.option}", self.value, self.accepted, self.why)


class RunError(RuntimeError):
    """The run could not go on, though the options were right (a full disk, say). Exit code 1."""

    exit_code = 1


def show(value: object) -> str:
    """Write a value as it is typed on the command line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        value = f"[{','.join(map(show, value))}]"
    text = "".join(one if one.isprintable() else repr(one)[1:-1] for one in " ".join(str(value).split()))
    return text if len(text) <= 80 else text[:77] + "..."


def rejection(option: str, value: object, accepted: str, why: str = "") -> UsageError:
    """Return the error that names an option, its value and what is accepted, and after a semicolon why."""
    text = f"{option}={show(value)}: accepted: {accepted}" + (f"; {why}" if why else "")
    return UsageError(text, option, value, accepted, why)


def reject(option: str, value: object, accepted: str, why: str = "") -> NoReturn:
    """Raise the error that `rejection` returns."""
    raise rejection(option, value, accepted, why)


def require(asked: str, packages: Sequence[str], extra: str) -> None:
    """Check that packages of an extra are installed, without importing them.

    Args:
        asked: what needs them, as it is typed.
        packages: as they are imported and installed.
        extra: of this project, which brings them.

    Raises:
        UsageError: one is missing; the message says how to install it.
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"{asked} needs {' and '.join(missing)}: pip install -e '.[{extra}]'")


def of_jax(error: BaseException) -> RunError | None:
    """Return the error of one line for what JAX raises where it finds no device to compute on; None for others."""
    raised = next((one for one in _chain(error) if any(name.endswith("xla_bridge") for name in _modules(one))), None)
    if not isinstance(raised, RuntimeError | AssertionError):
        return None
    asked = os.environ.get("JAX_PLATFORMS", "")
    found = one_line(raised).partition(" (set JAX_PLATFORMS")[0] or "no device of such a platform was found"
    accepted = "accepted: cpu, or nothing for any; an NVIDIA GPU needs its driver and pip install -e '.[cuda]'"
    return RunError(f"JAX_PLATFORMS={asked}: JAX cannot start: {found}; {accepted}")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it was raised from, the first one last; JAX raises its own from those with all frames."""
    seen: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in seen:
        yield following
        seen.append(following)
        following = following.__cause__ or following.__context__


def _modules(error: BaseException) -> Iterator[str]:
    """Yield the names of the modules that an error went through."""
    here = error.__traceback__
    while here is not None:
        yield str(here.tb_frame.f_globals.get("__name__"))
        here = here.tb_next


def tell(error: BaseException) -> int | None:
    """Say in one line what ended a command, if that is no fault of the program; return its exit code, or None."""
    if isinstance(error, OSError):
        error = RunError(f"{error.filename or 'a file'}: {reason(error)}")
    known = error if isinstance(error, UsageError | RunError) else of_jax(error)
    if known is None:
        return None
    complain(known)
    return known.exit_code


def complain(error: BaseException) -> None:
    """Print an error as one line on stderr, in the one form of all scripts."""
    line = "error: " + one_line(error)
    with suppress(OSError, ValueError):  # nobody may be there to read it
        print(line if len(line) <= LONGEST else line[: LONGEST - 3] + "...", file=sys.stderr, flush=True)


def remark(text: str) -> None:
    """Print a remark as one line on stderr: what was done all the same, and how."""
    with suppress(OSError, ValueError):  # as above
        print(f"note: {one_line(text)}"[:LONGEST], file=sys.stderr, flush=True)


def reason(error: OSError) -> str:
    """Say in a few words why the operating system refused."""
    return error.strerror or str(error) or type(error).__name__
