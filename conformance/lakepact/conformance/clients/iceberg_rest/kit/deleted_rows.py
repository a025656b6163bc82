"""Tables whose data files and delete files lakepact writes itself."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lakepact.conformance.checks.iceberg_rest.kit.files import manifests
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import (
    EQUALITY_DELETES,
    POSITION_DELETES,
    File,
    Manifest,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.deletion_vectors import POSITION, puffin_of
from lakepact.conformance.clients.iceberg_rest.kit.grown_tables import TABLE
from lakepact.conformance.clients.iceberg_rest.kit.lab import SCHEMA
from lakepact.conformance.evidence.arrow import pa, pq
from lakepact.conformance.evidence.shared_files import SharedFiles

if TYPE_CHECKING:
    from lakepact.conformance.clients.iceberg_rest.kit.lab import CatalogClientLab

PATH = 2147483546  #: field id of the path in position deletes
FIRST = [{"id": 1, "data": "a"}, {"id": 2, "data": "b"}, {"id": 3, "data": "c"}]
GONE = 1  #: position of the deleted row in the first file
LATER = [{"id": 2, "data": "again"}]  #: added after the deletion, with the key of the deleted row
KEPT = [row for place, row in enumerate(FIRST) if place != GONE] + LATER
NONE = "none"
#: Rows by their partitions; the key 2 is deleted in the first.
PARTITIONED = {"a": [{"id": 1, "data": "a"}, {"id": 2, "data": "a"}], "b": [{"id": 2, "data": "b"}]}
KEPT_IN_PARTITIONS = [{"id": 1, "data": "a"}, {"id": 2, "data": "b"}]
DEFAULT = "plain"
DEFAULTS = {"initial-default": DEFAULT, "write-default": DEFAULT}
#: Format versions by the kinds of deletes.
KINDS = {"position deletes": 2, "equality deletes": 2, "a deletion vector": 3}


def table_with_deletes(lab: CatalogClientLab, kind: str) -> dict[str, Any]:
    """Return the arguments that name a new table with three rows, the second deleted, and a later row.

    Args:
        lab: creates the table.
        kind: one of `KINDS`, or `NONE`.
    """
    version = KINDS.get(kind, 2)
    where, metadata = _created(lab, version)
    shared, location = lab.target.shared_files, metadata["location"]
    first, last = (
        _parquet(shared, location, name, rows)
        for name, rows in (("first", FIRST), ("later", LATER))
    )
    deletes = [_deletes(shared, location, kind, first.path)] if kind != NONE else []
    return _with_files(lab, where, metadata, [first, *deletes, last])


def table_with_partitions(lab: CatalogClientLab) -> dict[str, Any]:
    """Return the arguments that name a table with one key in two partitions, deleted by equality in the first."""
    spec = {
        "spec-id": 0,
        "fields": [{"source-id": 2, "field-id": 1000, "name": "data", "transform": "identity"}],
    }
    where, metadata = _created(lab, 2, **{"partition-spec": spec})
    shared, location = lab.target.shared_files, metadata["location"]
    first, second = (
        replace(_parquet(shared, location, name, rows), partition=(name,))
        for name, rows in PARTITIONED.items()
    )
    deletes = _deletes(shared, location, "equality deletes", first.path)
    files = [first, second, replace(deletes, partition=first.partition)]
    return _with_files(lab, where, metadata, files)


def table_with_default(lab: CatalogClientLab) -> dict[str, Any]:
    """Return the arguments that name a table of version 3 whose column `kind` is younger than its rows, and has a default."""
    where, metadata = _created(lab, 3)
    first = _parquet(lab.target.shared_files, metadata["location"], "first", FIRST)
    _with_files(lab, where, metadata, [first])
    column = {"id": 3, "name": "kind", "type": "string", "required": False, **DEFAULTS}
    schema = metadata["schemas"][0]
    changed = {**schema, "schema-id": 1, "fields": [*schema["fields"], column]}
    lab.commit(
        *where.values(),
        {"action": "add-schema", "schema": changed},
        {"action": "set-current-schema", "schema-id": -1},
    )
    return where


def table_with_older_spec(lab: CatalogClientLab) -> dict[str, Any]:
    """Return the arguments that name a table whose rows were written before it was partitioned by their column."""
    where, metadata = _created(lab, 2)
    first = _parquet(lab.target.shared_files, metadata["location"], "first", FIRST)
    _with_files(lab, where, metadata, [first])
    fields = [{"source-id": 1, "field-id": 1000, "name": "id", "transform": "identity"}]
    lab.commit(
        *where.values(),
        {"action": "add-spec", "spec": {"spec-id": 1, "fields": fields}},
        {"action": "set-default-spec", "spec-id": -1},
    )
    return where


def _created(
    lab: CatalogClientLab, version: int, **members: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Create a table of a format version; return the arguments that name it, and its metadata."""
    where: dict[str, Any] = {"namespace": lab.namespace(), "table": TABLE}
    lab.create(**where, properties={"format-version": str(version)}, **members)
    return where, lab.stored(**where)["metadata"]


def _with_files(
    lab: CatalogClientLab,
    where: dict[str, Any],
    metadata: dict[str, Any],
    files: Sequence[File],
) -> dict[str, Any]:
    """Commit a snapshot with files, each in a manifest with the next sequence number; return the arguments that name the table."""
    version, location = metadata["format-version"], metadata["location"]
    schema, spec, snapshot = metadata["schemas"][0], metadata["partition-specs"][0], 3
    shared = lab.target.shared_files
    written: list[Manifest] = []
    rows = 0
    for sequence, file in enumerate(files, 1):
        manifest = Manifest(
            (file,), spec=spec, sequence=sequence, snapshot=snapshot, first_row=rows
        )
        rows += file.rows if not manifest.content else 0
        content = manifests.manifest_bytes(manifest, schema, format_version=version)
        written.append(
            replace(
                manifest,
                path=_written(shared, f"{location}/metadata/{sequence}.avro", content),
                length=len(content),
            )
        )
    listing = manifests.list_bytes(
        written,
        schema=schema,
        snapshot=snapshot,
        parent=None,
        sequence=len(written),
        format_version=version,
    )
    lineage = {"first-row-id": 0, "added-rows": rows} if version > 2 else {}
    added = {
        "snapshot-id": snapshot,
        "sequence-number": len(written),
        "timestamp-ms": max(int(time.time() * 1000), metadata["last-updated-ms"]),
        "manifest-list": _written(shared, f"{location}/metadata/snap-{snapshot}.avro", listing),
        "summary": {"operation": "overwrite"},
        "schema-id": schema["schema-id"],
        **lineage,
    }
    head = {
        "action": "set-snapshot-ref",
        "ref-name": "main",
        "type": "branch",
        "snapshot-id": snapshot,
    }
    lab.commit(*where.values(), {"action": "add-snapshot", "snapshot": added}, head)
    return where


def _deletes(shared: SharedFiles, location: str, kind: str, target: str) -> File:
    if kind == "position deletes":
        return replace(
            _parquet(shared, location, "deletes", [{"file_path": target, "pos": GONE}]),
            content=POSITION_DELETES,
        )
    if kind == "equality deletes":
        keys = [{"id": FIRST[GONE]["id"]}]
        return replace(
            _parquet(shared, location, "deletes", keys),
            content=EQUALITY_DELETES,
            equality_ids=(SCHEMA["fields"][0]["id"],),
        )
    content, [(offset, length)] = puffin_of({target: [GONE]})
    path = _written(shared, f"{location}/data/deletes.puffin", content)
    return File(
        path,
        (),
        1,
        POSITION_DELETES,
        "PUFFIN",
        len(content),
        target=target,
        offset=offset,
        length=length,
    )


def _parquet(shared: SharedFiles, location: str, name: str, rows: list[dict[str, Any]]) -> File:
    """Write rows to a data file or delete file, with field ids."""
    ids = {
        "file_path": PATH,
        "pos": POSITION,
        **{field["name"]: field["id"] for field in SCHEMA["fields"]},
    }
    kinds = {"file_path": pa.string(), "data": pa.string()}
    fields = [
        pa.field(
            column,
            kinds.get(column, pa.int64()),
            nullable=column == "data",
            metadata={"PARQUET:field_id": str(ids[column])},
        )
        for column in rows[0]
    ]
    content = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema(fields)), content)
    return File(
        _written(shared, f"{location}/data/{name}.parquet", content.getvalue()),
        rows=len(rows),
        size=content.tell(),
    )


def _written(files: SharedFiles, location: str, content: bytes) -> str:
    files.at(location).write(content)
    return location
