"""Unions by kind: the dataclasses that a section of options may be, found by the names of their kinds."""

import importlib
import pkgutil
import types
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from jaxgp.errors import reject
from jaxgp.files import import_package

Schema = TypeVar("Schema")


class Kinds:
    """The dataclasses that a section of options may be, by their `kind`: each in a module of a package, found by name.

    They inherit it as their attribute `kinds`. The module of a kind has the name of the kind.

    Attributes:
        option: the name of the option that picks one, for messages.
        folders: those of kinds outside the project, by name.
    """

    def __init__(self, option: str, package: str, first: str) -> None:
        """Find kinds in a package, by its name; `first` is the default."""
        self.option = option
        self._package, self._first = package, first
        self._outside: dict[str, type] = {}
        self.folders: dict[str, Path] = {}

    @cached_property
    def _inside(self) -> dict[str, type]:
        package = importlib.import_module(self._package)
        names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
        modules = {name: importlib.import_module(f"{self._package}.{name}") for name in names}
        found = {name: self._kind(module, name) for name, module in modules.items()}
        first = {self._first: found[self._first]}
        return {name: kind for name, kind in (first | found).items() if kind is not None}

    def all(self) -> dict[str, Any]:
        """Return the dataclass of each kind, the default first."""
        return self._inside | self._outside

    def add(self, folder: Path) -> str:
        """Add a kind from a folder outside the project, and return its name, which is the folder's.

        Raises:
            UsageError: the folder is no package that has it.
        """
        name, file = folder.name, folder / "__init__.py"
        if not file.is_file():
            reject(self.option, folder, f"{', '.join(self.all())}, or a folder with an __init__.py that has a kind")
        found = self._kind(import_package(f"jaxgp_outside_{name}", file), name)
        if found is None or name in self._inside:
            accepted = f"a folder whose __init__.py has a dataclass of options with the kind {name}, as the folder is"
            reject(self.option, folder, f"{accepted}; names of the project are taken: {', '.join(self._inside)}")
        self._outside[name], self.folders[name] = found, folder
        return name

    def _kind(self, module: types.ModuleType, name: str) -> type | None:
        """Return the dataclass of a module that is the kind of this name."""
        classes = [one for one in vars(module).values() if getattr(one, "kinds", None) is self]
        return next((one for one in classes if vars(one).get("kind") == name), None)


def of_kind(
    option: str,
    kind: object,
    kinds: Mapping[str, type[Schema]],
    renamed: Mapping[str, str] = types.MappingProxyType({}),
    value: str = "",
) -> type[Schema]:
    """Return the dataclass of a kind by its name.

    Args:
        option: its name, for the message.
        kind: the name of the kind.
        kinds: the dataclasses by their names.
        renamed: former names, and what is written today.
        value: what stands behind the name, from a colon on.

    Raises:
        UsageError: there is none of that name.
    """
    if isinstance(kind, str) and kind in kinds:
        return kinds[kind]
    if isinstance(kind, str) and kind in renamed:
        now = renamed[kind]
        reject(option, f"{kind}{value}", now + value if now.isalpha() else now, f"{kind} is called so no longer")
    reject(option, kind, ", ".join(kinds))
