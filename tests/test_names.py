"""What things are called: dataclasses of options end in `Options`, and a word of the engine means one thing."""

import ast
from collections import Counter

from tests.test_rooms import ROOT, files, statements, tree

GAMES = "rules.py"
"""The rules of a game are a game, whose options are those of its rules."""
WHOLE = "Config"
"""Everything a run depends on, whose sections are options."""


def declares_options(node: ast.ClassDef) -> bool:
    """Return whether a field of the class is declared by `option`."""
    values = [field.value for field in node.body if isinstance(field, ast.AnnAssign)]
    return any(isinstance(value, ast.Call) and ast.unparse(value.func).endswith("option") for value in values)


def classes(*folders):
    """Yield the file and the definition of each class."""
    for file in (file for folder in folders for file in files(folder)):
        for node in statements(tree(file)):
            if isinstance(node, ast.ClassDef):
                yield file, node


def test_dataclasses_of_options_end_in_options():
    found = [(file, node.name) for file, node in classes("jaxgp", "envs", "scripts") if declares_options(node)]
    found = [(file, name) for file, name in found if file.name != GAMES and name != WHOLE]
    assert len(found) > 50
    assert [(str(file.relative_to(ROOT)), name) for file, name in found if not name.endswith("Options")] == []


def test_no_two_classes_of_the_engine_have_one_name():
    counted = Counter(node.name for _, node in classes("jaxgp") if not node.name.startswith("_"))
    assert [name for name, number in counted.items() if number > 1] == []
