"""The uses of the client on each server; each returns its failures."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pyarrow as pa
from pyiceberg.types import LongType

from . import page_blocks
from .catalogs import OpenCatalog
from .edits import EDITS, SCHEMA, by_change, by_transaction

ROWS = pa.table({"id": [1, 2], "city": ["Rome", "Oslo"]})


def create_with_spec_and_order(foreign_catalog: OpenCatalog) -> None:
    """Create a table with a partition spec and a sort order."""
    spec = {"fields": [{"source-id": 2, "transform": "day", "name": "day"}]}
    order = {
        "fields": [
            {
                "source-id": 1,
                "transform": "identity",
                "direction": "desc",
                "null-order": "nulls-last",
            }
        ]
    }
    _namespace(foreign_catalog, "created")
    metadata = foreign_catalog.catalog.create_table(
        "created.t", SCHEMA, partition_spec=spec, write_order=order
    ).metadata
    assert metadata.default_partition_spec.fields, "the table has no partition spec"
    assert metadata.default_sort_order.fields, "the table has no sort order"


def rows(foreign_catalog: OpenCatalog) -> None:
    """Append, upsert, delete, overwrite and read rows, and list their files."""
    _namespace(foreign_catalog, "rows")
    catalog: Any = foreign_catalog.catalog
    catalog.create_table("rows.t", {**SCHEMA, "fields": SCHEMA["fields"][:1]})
    for method, arguments in (
        ("append", [{"id": [1, 2]}]),
        ("upsert", [{"id": [2, 3]}, ["id"]]),
        ("delete", ["id = 1"]),
        ("overwrite", [{"id": [4]}, "id = 2"]),
    ):
        getattr(catalog, method)("rows.t", *arguments)
    assert sorted(catalog.scan("rows.t", ["id"]).to_arrow()["id"].to_pylist()) == [3, 4]
    assert [batch.num_rows for batch in catalog.scan("rows.t", None, "id = 4").batches()] == [1]
    assert (
        catalog.files("rows.t").num_rows
        == catalog.partitions("rows.t")["file_count"][0].as_py()
        == 2
    )


def bridge_rows(foreign_catalog: OpenCatalog) -> None:
    """Create a table from an Arrow schema, write and read it, also with a pickled copy."""
    _namespace(foreign_catalog, "bridge")
    table = foreign_catalog.bridge().create_table("bridge.rows", ROWS.schema)
    table.append(ROWS)
    table.overwrite(ROWS)
    copy = pickle.loads(pickle.dumps(table))
    with copy.catalog:
        copy.append(ROWS)
    assert (
        foreign_catalog.bridge()
        .load_table("bridge.rows")
        .scan(row_filter="id = 2")
        .to_arrow()["city"]
        .to_pylist()
        == ["Oslo"] * 2
    )


def bridge_changes(foreign_catalog: OpenCatalog) -> None:
    """Change schema, partition spec and properties of a table with pyiceberg."""
    _namespace(foreign_catalog, "bridge")
    table = foreign_catalog.bridge().create_table("bridge.changes", ROWS.schema)
    with table.transaction() as transaction:
        transaction.update_schema().add_column("n", LongType()).commit()
        transaction.update_spec().add_identity("city").commit()
        transaction.set_properties({"own": "1"})
    table.append(pa.table({"id": [1], "city": ["Rome"], "n": [3]}))
    table_after = foreign_catalog.bridge().load_table("bridge.changes")
    assert (table_after.schema().column_names, table_after.properties["own"]) == (
        ["id", "city", "n"],
        "1",
    )
    assert [field.name for field in table_after.spec().fields] == ["city"]


def bridge_transaction(foreign_catalog: OpenCatalog) -> None:
    """Create a table together with its first rows."""
    _namespace(foreign_catalog, "bridge")
    with foreign_catalog.bridge().create_table_transaction(
        "bridge.staged", ROWS.schema
    ) as transaction:
        transaction.append(ROWS)
    assert foreign_catalog.bridge().load_table("bridge.staged").scan().to_arrow().num_rows == 2


def bridge_names(foreign_catalog: OpenCatalog) -> None:
    """List, rename and drop a table with pyiceberg."""
    _namespace(foreign_catalog, "names")
    bridge = foreign_catalog.bridge()
    bridge.create_table("names.a", ROWS.schema)
    bridge.rename_table("names.a", "names.b")
    assert bridge.list_tables("names") == [("names", "b")]
    bridge.drop_table("names.b")
    assert not bridge.table_exists("names.b")
    bridge.drop_namespace("names")
    assert ("names",) not in bridge.list_namespaces()


def views(foreign_catalog: OpenCatalog) -> None:
    """Create, list, replace, rename and drop a view."""
    _namespace(foreign_catalog, "views")
    view = foreign_catalog.catalog.create_view(
        "views.v", SCHEMA, version=_version("SELECT 1"), properties={"own": "1"}
    )
    assert view.metadata.properties["own"] == "1"
    assert [one.name for one in foreign_catalog.catalog.list_views("views")] == ["v"]
    changes: list[dict[str, Any]] = [
        {"action": "add-view-version", "view-version": _version("SELECT 2")},
        {"action": "set-current-view-version", "view-version-id": -1},
    ]
    uuid = {"type": "assert-view-uuid", "uuid": view.metadata.view_uuid}
    foreign_catalog.catalog.replace_view("views.v", changes, requirements=[uuid])
    foreign_catalog.catalog.rename_view("views.v", "views.w")
    metadata = foreign_catalog.catalog.load_view("views.w").metadata
    (current,) = (one for one in metadata.versions if one.version_id == metadata.current_version_id)
    assert [one.sql for one in current.representations] == ["SELECT 2"]
    foreign_catalog.catalog.drop_view("views.w")
    assert not foreign_catalog.catalog.view_exists("views.w")


def _version(sql: str) -> dict[str, Any]:
    return {
        "version-id": 1,
        "timestamp-ms": 1_767_225_600_000,
        "schema-id": 0,
        "summary": {},
        "representations": [{"type": "sql", "dialect": "spark", "sql": sql}],
        "default-namespace": ["views"],
    }


def _namespace(foreign_catalog: OpenCatalog, name: str) -> None:
    if not foreign_catalog.catalog.namespace_exists(name):
        foreign_catalog.catalog.create_namespace(name)


def _things() -> Iterator[tuple[str, Callable[[OpenCatalog], list[str]]]]:
    for title, block in page_blocks.page_blocks():  # first, because the page shows all namespaces
        yield f"page: {title}", partial(page_blocks.run, block=block)
    yield (
        "create_table with a partition spec and a sort order",
        partial(page_blocks.failures_of, create_with_spec_and_order),
    )
    for edits in EDITS:
        yield f"change(): {edits.name}", partial(by_change, edits=edits)
    for edits in EDITS:
        yield f"transaction(): {edits.name}", partial(by_transaction, edits=edits)
    yield (
        "rows: append, upsert, delete, overwrite, scan, files, partitions",
        partial(page_blocks.failures_of, rows),
    )
    yield (
        "pyiceberg_catalog: create, write and read a table",
        partial(page_blocks.failures_of, bridge_rows),
    )
    yield "pyiceberg_catalog: change a table", partial(page_blocks.failures_of, bridge_changes)
    yield (
        "pyiceberg_catalog: create a table with its first rows",
        partial(page_blocks.failures_of, bridge_transaction),
    )
    yield "pyiceberg_catalog: list, rename and drop", partial(page_blocks.failures_of, bridge_names)
    yield "views: create, list, replace, rename and drop", partial(page_blocks.failures_of, views)


#: By name, in the order in which they run.
THINGS: Mapping[str, Callable[[OpenCatalog], list[str]]] = dict(_things())
