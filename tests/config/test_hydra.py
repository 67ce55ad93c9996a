"""Hydra is used by what it documents, so that another version of it does not break the command line."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def imported(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.thorough
def test_nothing_of_hydra_is_used_that_is_not_public():
    files = [file for folder in ("jaxgp", "scripts", "envs") for file in (ROOT / folder).rglob("*.py")]
    of_hydra = {name for file in files for name in imported(file) if name.split(".")[0] == "hydra"}
    assert "hydra.core.config_loader" in of_hydra
    assert not [name for name in of_hydra if "_internal" in name]
    assert not [file for file in files if "hydra._internal" in file.read_text(encoding="utf-8")]
