"""Functions of namespaces, as a JSON file names them: no operation of the contract creates one."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.replies import Reply, json_reply
from lakepact.reference_server.iceberg_rest.documents import Document
from lakepact.reference_server.iceberg_rest.identifiers import SEPARATOR, full_name, levels_of
from lakepact.reference_server.iceberg_rest.namespaces import Namespaces
from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog
from lakepact.reference_server.server_file import WarehouseEntry
from lakepact.reference_server.settings import BadSetting
from lakepact.reference_server.storage.store import Place

FunctionsByNamespace = Mapping[
    tuple[str, ...], Mapping[str, Document]
]  #: what loading returns, by namespace and name
MEMBERS = {"namespace": list, "name": str, "metadata": dict}


def read_functions(entry: WarehouseEntry) -> FunctionsByNamespace:
    """Return the functions of a warehouse.

    Raises:
        BadSetting: its file cannot be read, or is no array of objects with `namespace`, `name` and
            `metadata`.
    """
    if entry.functions is None:
        return {}
    at = f"the server file, at warehouses.{entry.name}.functions: {entry.functions}"
    try:
        document: Any = json.loads(Path(entry.functions).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadSetting(f"{at} cannot be read: {error}") from None
    result: dict[tuple[str, ...], dict[str, Document]] = {}
    entries: list[Any] = document if isinstance(document, list) else [document]
    for index, one in enumerate(entries):
        if not isinstance(one, dict) or not all(
            isinstance(one.get(name), kind) for name, kind in MEMBERS.items()
        ):
            raise BadSetting(
                f"{at}, at /{index}: a function has the members namespace (an array), name (a text)"
                " and metadata (an object)"
            )
        function = {name: one[name] for name in ("metadata-location", "metadata") if name in one}
        if (
            result.setdefault(tuple(map(str, one["namespace"])), {}).setdefault(
                one["name"], function
            )
            is not function
        ):
            raise BadSetting(
                f"{at}, at /{index}: {full_name(one['namespace'], one['name'])} is there twice"
            )
    return result


def create_their_namespaces(namespaces: Namespaces, functions: FunctionsByNamespace) -> None:
    """Create the namespaces of functions that do not exist yet, and those above them."""
    for levels in functions:
        for depth in range(1, len(levels) + 1):
            with contextlib.suppress(Problem):  # it exists
                namespaces.create_namespace(body={"namespace": list(levels[:depth])})


class Functions:
    """The operations of the contract that list and load functions.

    Args:
        catalog: the catalog of their namespaces.
        functions: the functions.
    """

    def __init__(self, catalog: Catalog, functions: FunctionsByNamespace) -> None:
        self._catalog, self._functions = catalog, functions

    def list_functions(
        self, *, namespace: str, page_token: str | None = None, page_size: int | None = None
    ) -> Reply:
        """Return the functions of exactly this namespace."""
        levels, listing = levels_of(namespace), f"functions{SEPARATOR}{namespace}"
        with self._catalog.store.view() as view:
            self._catalog.rules.namespace_exists(view, levels)
        page, following = self._catalog.page(
            lambda behind: self._behind(levels, behind), listing, page_token, page_size
        )
        return json_reply(
            {"identifiers": [[*levels, name] for name, _ in page], "next-page-token": following}
        )

    def load_function(self, *, namespace: str, function: str) -> Reply:
        """Return a function with all of its definitions."""
        levels = levels_of(namespace)
        with self._catalog.store.view() as view:
            self._catalog.rules.namespace_exists(view, levels)
        document = self._functions.get(levels, {}).get(function)
        if document is None:
            raise Problem(
                404,
                "NoSuchFunctionException",
                f"Function does not exist: {full_name(levels, function)}",
            )
        return json_reply(document)

    def _behind(self, levels: Place, behind: str | None) -> Iterator[tuple[str, Any]]:
        return (
            (name, document)
            for name, document in sorted(self._functions.get(levels, {}).items())
            if behind is None or name > behind
        )
