"""The synchronous and the asynchronous clients are equal."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from codegen import sync_twin
from lakepact.client import AsyncIcebergCatalog, AsyncSharingClient, AsyncWatsonxCatalog, IcebergCatalog, SharingClient, WatsonxCatalog
from lakepact.client.delta_sharing.asynchronous.listing import AsyncListing
from lakepact.client.delta_sharing.asynchronous.table import AsyncTable
from lakepact.client.delta_sharing.synchronous.listing import Listing
from lakepact.client.delta_sharing.synchronous.table import Table

CLIENT = Path(__file__).resolve().parents[3] / "client" / "lakepact" / "client"
PAIRS = [
    (AsyncIcebergCatalog, IcebergCatalog),
    (AsyncSharingClient, SharingClient),
    (AsyncTable, Table),
    (AsyncListing, Listing),
    (AsyncWatsonxCatalog, WatsonxCatalog),
]


def methods(kind: type) -> dict[str, inspect.Signature]:
    named = {name: member for name, member in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}
    return {name: inspect.signature(member) for name, member in named.items()}


def without_loop(annotation: str) -> str:
    generated = re.sub(r"\bAsyncGenerator\[(.+), None\]", r"Generator[\1, None, None]", annotation)
    return re.sub(r"\bAsync(?=[A-Z])", "", generated)


@pytest.mark.parametrize(("of_loops", "of_threads"), PAIRS)
def test_both_clients_have_the_same_signatures(of_loops, of_threads):
    of_async = {
        name: signature.replace(return_annotation=without_loop(signature.return_annotation))
        for name, signature in methods(of_loops).items()
    }

    assert methods(of_threads) == of_async


@pytest.mark.parametrize("kinds", PAIRS)
def test_both_clients_are_opened_with_the_same_arguments(kinds):
    opened = [[(p.name, p.kind) for p in inspect.signature(kind).parameters.values()] for kind in kinds]

    assert opened[0] == opened[1]


@pytest.mark.parametrize(("of_loops", "of_threads"), PAIRS)
def test_both_clients_have_the_same_docstrings(of_loops, of_threads):
    promises = [{name: getattr(kind, name).__doc__ for name in methods(kind)} for kind in (of_loops, of_threads)]

    assert promises[0] == promises[1]


def statements(source: str) -> set[str]:
    """Return the statements of a module, with sorted imports and without line breaks."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            node.names.sort(key=lambda alias: alias.name)
    blocks = [statement.body if isinstance(statement, ast.If) else [statement] for statement in tree.body]
    return {ast.unparse(statement) for block in blocks for statement in block}


@pytest.mark.parametrize("source", sorted(CLIENT.glob("*/asynchronous/*.py")), ids=lambda path: f"{path.parts[-3]}.{path.stem}")
def test_synchronous_module_is_derived_from_the_asynchronous_one(source):
    twin = source.parents[1] / "synchronous" / source.name

    assert statements(twin.read_text("utf-8")) == statements(sync_twin.translated(source.read_text("utf-8")))


def test_synchronous_and_asynchronous_modules_are_paired():
    found = [CLIENT.glob(f"*/{folder}/*.py") for folder in ("asynchronous", "synchronous")]
    names = [sorted((path.parts[-3], path.name) for path in paths) for paths in found]

    assert names[0] == names[1]
