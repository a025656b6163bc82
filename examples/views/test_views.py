"""A view whose SQL is kept in files of a repository, one for each dialect."""

import time
from typing import Any

import pyarrow as pa

from lakepact.client import IcebergCatalog
from lakepact.generated.iceberg_rest.models import SQLViewRepresentation
from lakepact.reference_server import Server

RECENT = {
    "spark": "SELECT id FROM orders WHERE day > date_sub(now(), 7)",
    "trino": "SELECT id FROM orders WHERE day > now() - interval '7' day",
}


def define(catalog: IcebergCatalog, view: str, columns: pa.Schema, sql: dict[str, str]) -> None:
    """The program: create a view with its SQL in each dialect, or replace the SQL that it has."""
    dialects = [{"type": "sql", "dialect": dialect, "sql": text} for dialect, text in sql.items()]
    version: dict[str, Any] = {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": time.time_ns() // 10**6,
        "summary": {},
    }
    version |= {"representations": dialects, "default-namespace": view.split(".")[:-1]}
    if not catalog.view_exists(view):
        catalog.create_view(view, columns, version=version)
    else:
        added = {"action": "add-view-version", "view-version": version}
        catalog.replace_view(
            view, [added, {"action": "set-current-view-version", "view-version-id": -1}]
        )


def defined(catalog: IcebergCatalog, *sqls: dict[str, str]) -> None:
    """Define the view `sales.recent` with each SQL in turn."""
    catalog.create_namespace("sales")
    for sql in sqls:
        define(catalog, "sales.recent", pa.schema([("id", pa.int64())]), sql)


def dialects(catalog: IcebergCatalog) -> dict[str, str]:
    """Return the SQL of the view in each dialect."""
    metadata = catalog.load_view("sales.recent").metadata
    (current,) = [
        version
        for version in metadata.versions
        if version.version_id == metadata.current_version_id
    ]
    return {
        one.dialect: one.sql
        for one in current.representations
        if isinstance(one, SQLViewRepresentation)
    }


def test_view_has_its_sql_in_two_dialects(lakepact_server: Server) -> None:
    with IcebergCatalog(lakepact_server.url) as catalog:
        defined(catalog, RECENT)

        assert [view.name for view in catalog.list_views("sales")] == ["recent"]
        assert dialects(catalog) == RECENT


def test_replaced_view_keeps_its_earlier_version(lakepact_server: Server) -> None:
    with IcebergCatalog(lakepact_server.url) as catalog:
        defined(catalog, {"spark": "SELECT id FROM orders"}, RECENT)

        assert dialects(catalog) == RECENT
        assert len(catalog.load_view("sales.recent").metadata.versions) == 2


def test_dropped_view_is_listed_no_longer(lakepact_server: Server) -> None:
    with IcebergCatalog(lakepact_server.url) as catalog:
        defined(catalog, RECENT)
        catalog.drop_view("sales.recent")

        assert list(catalog.list_views("sales")) == []
