"""Small valid table metadata and requests, and the messages of refused requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.tables.metadata import new_table_metadata
from lakepact.reference_server.iceberg_rest.updates import apply_updates

Document = dict[str, Any]

UUID = "6d5f5f3c-0f1c-4bd2-a5c9-8b7d5a3f9e01"
LOCATION = "file:///warehouse/sales/orders"
CREATED = 1_700_000_000_000  #: when every table here was created
LATER = CREATED + 60_000


def field(
    field_id: int, name: str, column_type: Any = "long", *, required: bool = False, **more: Any
) -> Document:
    return {"id": field_id, "name": name, "type": column_type, "required": required, **more}


def struct(*fields: Document) -> Document:
    return {"type": "struct", "fields": list(fields)}


ORDERS = struct(
    field(1, "id", "long", required=True),
    field(2, "placed", "timestamptz"),
    field(3, "customer", struct(field(4, "name", "string"), field(5, "score", "double"))),
)


def partition_field(source: Any, transform: str, name: str, **more: Any) -> Document:
    return {"source-id": source, "transform": transform, "name": name, **more}


def sort_field(
    source: int,
    transform: str = "identity",
    direction: str = "asc",
    null_order: str = "nulls-first",
) -> Document:
    return {
        "source-id": source,
        "transform": transform,
        "direction": direction,
        "null-order": null_order,
    }


def request(schema: Document = ORDERS, **members: Any) -> Document:
    return {
        "name": "orders",
        "schema": schema,
        **{name.replace("_", "-"): value for name, value in members.items()},
    }


def table(
    schema: Document = ORDERS,
    *,
    version: int = 2,
    properties: dict[str, str] | None = None,
    **members: Any,
) -> Document:
    """Return a new table of a format version."""
    body = request(
        schema, properties={**(properties or {}), "format-version": str(version)}, **members
    )
    return new_table_metadata(body, table_uuid=UUID, location=LOCATION, now_ms=CREATED)


def snapshot(
    snapshot_id: int,
    sequence_number: int | None = 1,
    *,
    parent: int | None = None,
    at: int = CREATED,
    **more: Any,
) -> Document:
    members = {"parent-snapshot-id": parent, "sequence-number": sequence_number}
    return {
        "snapshot-id": snapshot_id,
        **{name: value for name, value in members.items() if value is not None},
        "timestamp-ms": at,
        "manifest-list": f"{LOCATION}/metadata/snap-{snapshot_id}.avro",
        "summary": {"operation": "append", "added-records": "3"},
        "schema-id": 0,
        **{name.replace("_", "-"): value for name, value in more.items()},
    }


def append_updates(
    snapshot_id: int, manifest_list: str = "memory:/m.avro", *, sequence_number: int | None = None
) -> list[Document]:
    """Return the updates that append a snapshot to main, in the order of their ids if no sequence
    number is given.
    """
    added = snapshot(
        snapshot_id,
        sequence_number or snapshot_id,
        at=4_000_000_000_000 + snapshot_id,
        manifest_list=manifest_list,
    )
    return [update("add-snapshot", snapshot=added), branch("main", snapshot_id)]


def creation_updates(schema: Document, location: str) -> list[Document]:
    """Return the updates that create a table without partitions and sort order."""
    return [
        update("add-schema", schema={**schema, "schema-id": 0}),
        update("set-current-schema", schema_id=-1),
        update("add-spec", spec={"spec-id": 0, "fields": []}),
        update("set-default-spec", spec_id=-1),
        update("add-sort-order", sort_order={"order-id": 0, "fields": []}),
        update("set-default-sort-order", sort_order_id=-1),
        update("set-location", location=location),
    ]


def view_version(sql: str = "SELECT 1", *dialects: str, **members: Any) -> Document:
    return {
        "version-id": 1,
        "timestamp-ms": CREATED,
        "schema-id": 0,
        "summary": {"engine-name": "spark"},
        "representations": [
            {"type": "sql", "sql": sql, "dialect": dialect} for dialect in dialects or ("spark",)
        ],
        "default-namespace": ["n"],
        **{name.replace("_", "-"): value for name, value in members.items()},
    }


def update(action: str, **members: Any) -> Document:
    return {"action": action, **{name.replace("_", "-"): value for name, value in members.items()}}


def branch(name: str, snapshot_id: int, **retention: int) -> Document:
    return update(
        "set-snapshot-ref", ref_name=name, type="branch", snapshot_id=snapshot_id, **retention
    )


def tag(name: str, snapshot_id: int, **retention: int) -> Document:
    return update(
        "set-snapshot-ref", ref_name=name, type="tag", snapshot_id=snapshot_id, **retention
    )


def statistics(snapshot_id: int, *, size: int = 413) -> Document:
    blob = {
        "type": "apache-datasketches-theta-v1",
        "snapshot-id": snapshot_id,
        "sequence-number": 1,
        "fields": [1],
    }
    file = partition_statistics(snapshot_id, size=size)
    return {**file, "file-footer-size-in-bytes": 42, "blob-metadata": [blob]}


def partition_statistics(snapshot_id: int, *, size: int = 413) -> Document:
    return {
        "snapshot-id": snapshot_id,
        "statistics-path": f"{LOCATION}/metadata/{snapshot_id}.stats",
        "file-size-in-bytes": size,
    }


def committed(metadata: Document, *updates: Document, now_ms: int = LATER) -> Document:
    """Return the document after a commit, and assert that the original is unchanged."""
    before = orjson.dumps(metadata)
    after = apply_updates(metadata, updates, now_ms=now_ms)

    assert orjson.dumps(metadata) == before
    return after


def appended(
    metadata: Document, snapshot_id: int, *, at: int = CREATED, now_ms: int = LATER
) -> Document:
    """Return the table after an append to main."""
    version = metadata["format-version"]
    number = None if version == 1 else metadata["last-sequence-number"] + 1
    rows = {"first_row_id": metadata["next-row-id"], "added_rows": 3} if version == 3 else {}
    added = snapshot(snapshot_id, number, parent=metadata.get("current-snapshot-id"), at=at, **rows)
    return committed(
        metadata, update("add-snapshot", snapshot=added), branch("main", snapshot_id), now_ms=now_ms
    )


def complaint(
    act: Callable[[], Any], *, status: int = 400, kind: str = "BadRequestException"
) -> str:
    """Return the message of the problem that `act` raises, with this status and kind."""
    with pytest.raises(Problem) as caught:
        act()

    assert (caught.value.status, caught.value.kind) == (status, kind)
    return caught.value.message


def refused_commit(
    metadata: Document, *updates: Document, status: int = 400, kind: str = "BadRequestException"
) -> str:
    """Return the message of the refused updates, and assert that the document is unchanged."""
    before = orjson.dumps(metadata)
    said = complaint(
        lambda: apply_updates(metadata, updates, now_ms=LATER), status=status, kind=kind
    )

    assert orjson.dumps(metadata) == before
    return said
