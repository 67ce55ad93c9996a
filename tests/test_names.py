"""What things are called: dataclasses of options end in `Options`."""

import ast

from tests.test_rooms import ROOT, files

GAMES = "rules.py"
"""The rules of a game are a game, whose options are those of its rules."""
WHOLE = "Config"
"""Everything a run depends on, whose sections are options."""


def declares_options(node: ast.ClassDef) -> bool:
    """Return whether a field of the class is declared by `option`."""
    values = [field.value for field in node.body if isinstance(field, ast.AnnAssign)]
    return any(isinstance(value, ast.Call) and ast.unparse(value.func).endswith("option") for value in values)


def classes_of_options():
    """Yield the file and the name of each."""
    for file in (file for folder in ("jaxgp", "envs", "scripts") for file in files(folder)):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and declares_options(node):
                yield file, node.name


def test_dataclasses_of_options_end_in_options():
    found = [(file, name) for file, name in classes_of_options() if file.name != GAMES and name != WHOLE]
    assert len(found) > 50
    assert [(str(file.relative_to(ROOT)), name) for file, name in found if not name.endswith("Options")] == []
