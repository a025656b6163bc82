"""The client needs its two libraries and nothing else, but where it reads rows; and one module knows the one that speaks HTTP."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lakepact.client

FOLDER = Path(lakepact.client.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))


def imported(module: Path) -> set[str]:
    """The first names of what a module imports, wherever in it."""
    return names(ast.parse(module.read_text("utf-8")))


def names(tree: ast.AST) -> set[str]:
    """The first names of what is imported, wherever in it."""
    nodes = list(ast.walk(tree))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {name.split(".")[0] for name in plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}}


#: These are loaded when rows are asked for, and their libraries are in an extra.
OF_ROWS = FOLDER / "delta_sharing" / "rows"

#: What is loaded by the command `lakepact` alone, which has an extra of its own.
OF_COMMAND = FOLDER / "command"


def loaded(module: Path) -> set[str]:
    """The first names of what a module imports to work, not for its annotations alone."""
    tree = ast.parse(module.read_text("utf-8"))
    tree.body = [part for part in tree.body if not (isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING")]
    return names(tree)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_a_module_needs_no_more_than_a_plain_install_has(module):
    extra = {"pandas", "polars", "pyarrow", "pyroaring"} if OF_ROWS in module.parents else set()
    extra |= {"click"} if OF_COMMAND in module.parents else set()
    extra |= {"pyiceberg"} if module.name == "pyiceberg_tables.py" else set()

    assert loaded(module) - sys.stdlib_module_names <= {"httpcore", "httpx", "lakepact", "pydantic", "pydantic_core"} | extra


def test_reading_a_listing_loads_nothing_of_what_reading_rows_needs():
    code = (
        "import sys, lakepact.client as c; c.SharingClient, c.column; print(sorted({'pyarrow', 'pyroaring', 'pandas'} & set(sys.modules)))"
    )

    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert printed == "[]\n"


def test_two_modules_know_the_http_library():
    assert [module.name for module in MODULES if imported(module) & {"httpcore", "httpx"}] == ["metered.py", "transport.py"]
