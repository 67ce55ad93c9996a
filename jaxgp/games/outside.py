"""Where games come from: a package such as `envs`, and one more folder from anywhere.

A folder is a game if it is a package with a function `spec() -> Spec`, which imports everything that the game needs.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from jaxgp.errors import reject
from jaxgp.files import import_package
from jaxgp.spec import Spec


class Games(Protocol):
    """Where games come from: the package `envs`, an `Outside`, or an `Only`."""

    def available(self) -> list[str]:
        """Return the names of all games."""

    def spec(self, name: str) -> Spec:
        """Return a game; raises ValueError for an unknown one."""


@dataclass(frozen=True)
class Outside:
    """Games, and one more from a folder outside the project; the folder's name is the name of the game.

    Attributes:
        games: the other games.
        folder: a package with a function `spec`.
    """

    games: Games
    folder: Path

    def available(self) -> list[str]:
        return sorted({*self.games.available(), self.folder.name})

    def spec(self, name: str) -> Spec:
        return load(self.folder) if name == self.folder.name else self.games.spec(name)


@dataclass(frozen=True)
class Only:
    """One game, such as one of a notebook.

    Attributes:
        only: the game.
    """

    only: Spec

    def available(self) -> list[str]:
        return [self.only.name]

    def spec(self, name: str) -> Spec:
        if name != self.only.name:
            raise ValueError(f"unknown game {name!r}; accepted: {self.only.name}")
        return self.only


def load(folder: Path) -> Spec:
    """Import a game from a folder.

    Raises:
        UsageError: it is not a package with a function `spec`, or its name is not the name of the game.
    """
    folder = folder.expanduser().resolve()
    file = folder / "__init__.py"
    if not file.is_file():
        reject("game", folder, "the name of a game, or a folder with an __init__.py that has a function spec()")
    module = import_package(f"jaxgp_outside_{folder.name}", file)
    make = vars(module).get("spec")
    if not callable(make):
        reject("game", folder, "a folder whose __init__.py has a function spec()")
    spec = make()
    if not isinstance(spec, Spec) or spec.name != folder.name:
        reject("game", folder, f"a folder whose spec() returns a Spec of a game named {folder.name}, as the folder is")
    return spec
