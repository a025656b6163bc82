"""The client needs its two libraries and nothing else, and one module knows the one that speaks HTTP."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import lakepact.client

FOLDER = Path(lakepact.client.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))


def imported(module: Path) -> set[str]:
    """The first names of what a module imports, wherever in it."""
    nodes = list(ast.walk(ast.parse(module.read_text("utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {name.split(".")[0] for name in plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_a_module_needs_no_more_than_a_plain_install_has(module):
    assert imported(module) - sys.stdlib_module_names <= {"httpx", "lakepact", "pydantic"}


def test_one_module_knows_the_http_library():
    assert [module.name for module in MODULES if "httpx" in imported(module)] == ["transport.py"]
