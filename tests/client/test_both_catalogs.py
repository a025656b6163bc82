"""The catalog for threads and the one for event loops are one."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from codegen import sync_twin
from lakepact.client import AsyncIcebergCatalog, IcebergCatalog

FOLDER = Path(__file__).resolve().parents[2] / "client" / "lakepact" / "client" / "iceberg_rest"


def methods(catalog: type) -> dict[str, inspect.Signature]:
    named = {name: member for name, member in inspect.getmembers(catalog, inspect.isfunction) if not name.startswith("__")}
    return {name: inspect.signature(member) for name, member in named.items()}


def without_loop(annotation: str) -> str:
    return re.sub(r"\bAsync(?=[A-Z])", "", annotation)


def test_both_have_the_same_methods_with_the_same_signatures():
    of_async = {
        name: signature.replace(return_annotation=without_loop(signature.return_annotation))
        for name, signature in methods(AsyncIcebergCatalog).items()
    }

    assert methods(IcebergCatalog) == of_async


def test_both_are_opened_with_the_same_arguments():
    kinds = [AsyncIcebergCatalog, IcebergCatalog]
    opened = [[(p.name, p.kind) for p in inspect.signature(kind).parameters.values()] for kind in kinds]

    assert opened[0] == opened[1]


@pytest.mark.parametrize("name", sorted(methods(IcebergCatalog)))
def test_both_promise_the_same(name):
    assert getattr(AsyncIcebergCatalog, name).__doc__ == getattr(IcebergCatalog, name).__doc__


def statements(source: str) -> set[str]:
    """The statements of a module, whatever the order of its imports and the breaks in its lines."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            node.names.sort(key=lambda alias: alias.name)
    blocks = [statement.body if isinstance(statement, ast.If) else [statement] for statement in tree.body]
    return {ast.unparse(statement) for block in blocks for statement in block}


@pytest.mark.parametrize("source", sorted(FOLDER.glob("asynchronous/*.py")), ids=lambda path: path.stem)
def test_what_is_for_threads_is_derived_from_what_is_for_event_loops(source):
    twin = FOLDER / "synchronous" / source.name

    assert statements(twin.read_text("utf-8")) == statements(sync_twin.translated(source.read_text("utf-8")))


def test_nothing_for_threads_is_without_its_source():
    names = [sorted(path.name for path in FOLDER.glob(f"{folder}/*.py")) for folder in ("asynchronous", "synchronous")]

    assert names[0] == names[1]
