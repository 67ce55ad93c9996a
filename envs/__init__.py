"""The games. A game is a folder here that holds a `rules.py` and names its class `GAME`; nothing lists them."""

import dataclasses
import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["available", "make", "module"]


def available() -> list[str]:
    """Return the names of all games, sorted: the folders beside this file that have rules."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/rules.py"))


def module(name: str, part: str = "rules") -> ModuleType:
    """Import one room of a game: `module("mancala", "primitives")` is `envs.mancala.primitives`.

    Raises:
        ValueError: no such game.
    """
    if name not in available():
        raise ValueError(f"game={name}: unknown game; available: {', '.join(available())}")
    return importlib.import_module(f"envs.{name}.{part}")


def make(name: str, **config: Any) -> Any:
    """Build a game: `make("mancala", pits=6, stones=4)`.

    Raises:
        ValueError: no such game, no such setting, or a setting out of range; the message says what is accepted.
    """
    game = module(name).GAME
    fields = [field.name for field in dataclasses.fields(game)]
    for key in config:
        if key not in fields:
            raise ValueError(f"game.{key}: unknown setting of {name}; accepted: {', '.join(fields)}")
    return game(**config)
