"""The games. A folder here is a game if its `__init__.py` has a function `spec`; nothing lists them.

Importing this package imports no game, and not JAX; `spec` and `make` do.
"""

import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxgp.errors import reject

if TYPE_CHECKING:
    from jaxgp.spec import Spec

__all__ = ["available", "make", "spec"]


def available() -> list[str]:
    """Return the names of all games, sorted; their files are read, not imported."""
    files = Path(__file__).parent.glob("*/__init__.py")
    return sorted(
        file.parent.name for file in files if re.search(r"^def spec\(", file.read_text("utf-8"), re.MULTILINE)
    )


def spec(name: str) -> "Spec":
    """Return a game.

    Raises:
        UsageError: no such game; the message lists the games.
    """
    if name not in available():
        reject("game", name, ", ".join(available()))
    made: Spec = importlib.import_module(f"envs.{name}").spec()
    return made


def make(name: str, **settings: Any) -> Any:
    """Return the rules of a game: `make("mancala", pits=6, stones=4)`.

    Raises:
        UsageError: no such game, no such setting, or a value out of range; the message says what is accepted.
    """
    return spec(name).make(**settings)
