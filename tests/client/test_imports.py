"""The client imports two libraries, and further ones only for rows and the command."""

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
    """Return the top-level packages of all imports of a module."""
    return names(ast.parse(module.read_text("utf-8")))


def names(tree: ast.AST) -> set[str]:
    """Return the top-level packages of all imports below a node."""
    nodes = list(ast.walk(tree))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {name.split(".")[0] for name in plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}}


#: Modules for rows are loaded on demand; their libraries are in an extra.
OF_ROWS = FOLDER / "delta_sharing" / "rows"

#: Modules of the command `lakepact`; its library is in an extra.
OF_COMMAND = FOLDER / "command"


def loaded(module: Path) -> set[str]:
    """Return the top-level packages that a module imports at run time, not for annotations only."""
    tree = ast.parse(module.read_text("utf-8"))
    tree.body = [part for part in tree.body if not (isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING")]
    return names(tree)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_module_imports_only_installed_libraries(module):
    extra = {"duckdb", "pandas", "polars", "pyarrow", "pyroaring"} if OF_ROWS in module.parents else set()
    extra |= {"click"} if OF_COMMAND in module.parents else set()
    extra |= {"pyiceberg"} if module.name in {"file_io.py", "pyiceberg_tables.py"} else set()
    extra |= {"opentelemetry"} if module.name == "spans.py" else set()
    extra |= {"botocore"} if module.name == "sigv4.py" else set()
    extra |= {"httpx"} if module.name == "given.py" else set()

    assert loaded(module) - sys.stdlib_module_names <= {"certifi", "httpcore", "lakepact", "pydantic", "pydantic_core"} | extra


@pytest.mark.parametrize(
    ("used", "absent"),
    [
        ("c", ["asyncio", "httpx", "pydantic"]),
        ("c.IcebergCatalog('http://a.test'), c.AsyncIcebergCatalog('http://a.test')", ["httpx"]),
        ("c.SharingClient, c.column", ["pandas", "pyarrow", "pyroaring"]),
    ],
)
def test_library_is_not_loaded_before_it_is_needed(used, absent):
    code = f"import sys, lakepact.client as c; {used}; print([name for name in {absent} if name in sys.modules])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_transport_alone_imports_the_http_library():
    folders = {module.relative_to(FOLDER).parts[0] for module in MODULES if loaded(module) & {"httpcore", "httpx"}}

    assert folders == {"transport"}


def test_no_module_uses_private_attributes_of_a_library():
    assert [module.name for module in MODULES if "SLF001" in module.read_text("utf-8")] == []  # ruff finds those without the comment
