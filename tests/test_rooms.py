"""Arrows between rooms point down: a room imports what lies on floors below it, and itself; nothing else."""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    (
        *("contracts", "spec", "games", "options", "checks", "arrays", "bits", "threefry", "processes"),
        *("errors", "files", "native", "printable", "reading", "terminal"),
    ),
    ("genotypes",),
    ("interpreter", "operators"),
    ("search",),
    ("players",),
    ("seats",),
    ("fitness",),
    ("evolution",),
    ("schemes",),
    ("kinds",),
    ("config", "statistics"),
    ("store", "export"),
    ("host",),
    ("report",),
    ("run",),
    ("measure",),
    ("league", "anatomy"),
    ("study",),
    ("library", "train"),
    ("web",),
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
GAMES_MAY = 4
"""The highest floor that games import from."""
MOST_FILES = 12


@cache
def tree(file: Path) -> ast.Module:
    """Return what a file consists of."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def imported(file: Path) -> list[str]:
    """Return the modules that a file imports, but those for the type checker alone."""
    return [*_imported(tree(file))]


def statements(node: ast.AST):
    """Yield all statements below a node; imports and classes stand in no expression, of which there are many more."""
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        inner = getattr(node, part, ())
        for one in inner if isinstance(inner, list) else ():
            yield one
            yield from statements(one)


def _imported(tree: ast.Module):
    for_types = {
        node
        for block in statements(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for inner in block.body
        for node in (inner, *statements(inner))
    }
    for node in statements(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # `from jaxgp import arrays` imports a module of that name, if there is one.
            submodules = [f"{node.module}.{one.name}" for one in node.names]
            known = [name for name in submodules if exists(name)]
            yield from known or [node.module]


def exists(module: str) -> bool:
    path = ROOT.joinpath(*module.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def room(module: str) -> str:
    """Return the second part of `jaxgp.room.module`; the package itself is the ground floor's."""
    return module.split(".")[1] if "." in module else "errors"


def files(folder: str):
    return sorted((ROOT / folder).rglob("*.py"))


def test_every_room_has_a_floor():
    found = {
        path.stem for path in (ROOT / "jaxgp").iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert found - {"__init__"} == set(FLOOR)


def upward():
    """Yield the arrows of jaxgp that do not point down."""
    for file in files("jaxgp"):
        name = str(file.relative_to(ROOT))
        own = file.relative_to(ROOT / "jaxgp").parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for module in imported(file):
            if module.split(".")[0] != "jaxgp":
                continue
            other = room(module)
            if other != own and FLOOR[other] >= FLOOR[own] and FLOOR[own] + FLOOR[other] > 0:
                yield name, module


def test_arrows_point_down():
    assert list(upward()) == []


def test_the_engine_never_imports_games():
    """Only the command, where it is started as a module, brings them in."""
    for file in set(files("jaxgp")) - {ROOT / "jaxgp" / "train" / "__main__.py"}:
        assert not [name for name in imported(file) if name.split(".")[0] in ("envs", "scripts", "tests")], file


def test_games_import_the_lower_floors():
    wrong = [
        (str(file.relative_to(ROOT)), name)
        for file in files("envs")
        for name in imported(file)
        if name.split(".")[0] == "jaxgp" and FLOOR[room(name)] > GAMES_MAY
    ]
    assert wrong == []


def test_no_folder_has_more_than_a_dozen_files():
    counted = Counter(
        str(file.parent.relative_to(ROOT)) for folder in ("jaxgp", "envs", "scripts") for file in files(folder)
    )
    assert {folder: number for folder, number in counted.items() if number > MOST_FILES} == {}
