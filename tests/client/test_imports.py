"""The client imports two libraries, and further ones only for rows and the command."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import lakepact.client
import lakepact.reach

FOLDER = Path(lakepact.client.__file__).parent
REACH = Path(lakepact.reach.__file__).parent
MODULES = sorted([*FOLDER.rglob("*.py"), *REACH.rglob("*.py")])


def names(tree: ast.AST) -> set[str]:
    """Return the top-level packages of all imports below a node."""
    nodes = list(ast.walk(tree))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return {
        name.split(".")[0]
        for name in plain
        | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    }


#: Modules for rows are loaded on demand; their libraries are in an extra.
OF_ICEBERG_ROWS = FOLDER / "iceberg_rest" / "rows"
OF_ROWS = {FOLDER / "rows", FOLDER / "delta_sharing" / "rows", OF_ICEBERG_ROWS}

#: Modules of the command `lakepact`; its library is in an extra.
OF_COMMAND = FOLDER / "command"
OF_PYICEBERG = {
    "arrow_rows.py",
    "file_io.py",
    "profiles.py",
    "pyiceberg_filters.py",
    "pyiceberg_rows.py",
    "pyiceberg_schemas.py",
    "pyiceberg_tables.py",
}


@cache
def runtime_imports(module: Path) -> set[str]:
    """Return the top-level packages that a module imports at run time, not for annotations only."""
    tree = ast.parse(module.read_text("utf-8"))
    tree.body = [
        part
        for part in tree.body
        if not (isinstance(part, ast.If) and ast.unparse(part.test) == "TYPE_CHECKING")
    ]
    return names(tree)


def allowed(module: Path) -> set[str]:
    """Return the libraries that a module may import."""
    extra = (
        {"duckdb", "pandas", "polars", "pyarrow", "pyroaring"}
        if OF_ROWS & {*module.parents}
        else set()
    )
    extra |= {"click"} if OF_COMMAND in module.parents or module.name == "options.py" else set()
    extra |= (
        {"pyiceberg"} if module.name in OF_PYICEBERG or module.parent == OF_ICEBERG_ROWS else set()
    )
    extra |= {"pyarrow", "pyroaring"} if module.name in OF_PYICEBERG else set()
    extra |= {"opentelemetry"} if module.name == "spans.py" else set()
    extra |= {"botocore"} if module.name == "sigv4.py" else set()
    extra |= {"httpx"} if module.name == "given.py" else set()

    return (
        {"certifi", "httpcore", "lakepact", "pydantic", "pydantic_core"}
        | extra
        | sys.stdlib_module_names
    )


def test_modules_import_only_installed_libraries():
    assert {
        module.relative_to(FOLDER.parent): more
        for module in MODULES
        if (more := runtime_imports(module) - allowed(module))
    } == {}


@pytest.mark.parametrize(
    ("used", "absent"),
    [
        ("c", ["asyncio", "httpx", "pydantic"]),
        ("c.IcebergCatalog, c.AsyncIcebergCatalog", ["httpcore", "pydantic", "urllib.request"]),
        ("c.IcebergCatalog('http://a.test'), c.AsyncIcebergCatalog('http://a.test')", ["httpx"]),
        ("c.SharingClient, c.column", ["pandas", "pyarrow", "pyroaring"]),
    ],
)
def test_library_is_not_loaded_before_it_is_needed(used, absent):
    code = f"import sys, lakepact.client as c; {used}; print([name for name in {absent} if name in sys.modules])"

    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


def test_transport_and_routes_alone_import_the_http_library():
    places = {
        module.relative_to(FOLDER.parent).parts[1]
        for module in MODULES
        if runtime_imports(module) & {"httpcore", "httpx"}
    }

    assert places == {"transport", "routes.py"}


def private_uses(source: str) -> list[str]:
    """Return the private names that a module uses of others: attributes that it neither sets nor
    defines, and imports.
    """
    nodes = list(ast.walk(ast.parse(source)))
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    own = {node.attr for node in attributes if ast.unparse(node.value) in {"self", "cls"}}
    own |= {"_asdict", "_fields", "_make", "_replace"}  # the public interface of named tuples
    used = [
        ast.unparse(node) for node in attributes if node.attr not in own and is_private(node.attr)
    ]
    imports = [
        node
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        and node.module
        and not node.module.startswith("lakepact")
    ]
    return used + [
        node.module
        for node in imports
        if any(map(is_private, [*node.module.split("."), *(name.name for name in node.names)]))
    ]


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("source", ["import a\na._b", "from a._b import c", "from a import _b"])
def test_private_names_of_libraries_are_found(source):
    assert len(private_uses(source)) == 1


def test_no_module_uses_private_names_of_a_library():
    assert {
        module.name: uses for module in MODULES if (uses := private_uses(module.read_text("utf-8")))
    } == {}
