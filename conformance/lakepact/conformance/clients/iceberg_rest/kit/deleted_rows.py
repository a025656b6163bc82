"""Tables whose data files and delete files lakepact writes itself."""

from __future__ import annotations

import io
import time
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
#: Format versions by the kinds of deletes.
KINDS = {"position deletes": 2, "equality deletes": 2, "a deletion vector": 3}


def table_with_deletes(lab: CatalogClientLab, kind: str) -> dict[str, Any]:
    """Return the arguments that name a new table with three rows, the second deleted, and a later row.

    Args:
        lab: creates the table.
        kind: one of `KINDS`, or `NONE`.
    """
    version = KINDS.get(kind, 2)
    where: dict[str, Any] = {"namespace": lab.namespace(), "table": TABLE}
    lab.create(**where, properties={"format-version": str(version)})
    metadata = lab.stored(**where)["metadata"]
    schema, location, snapshot = metadata["schemas"][0], metadata["location"], 3
    shared = lab.target.shared_files
    first, last = (
        _parquet(shared, location, name, rows)
        for name, rows in (("first", FIRST), ("later", LATER))
    )
    files: list[File] = [
        first,
        *([_deletes(shared, location, kind, first.path)] if kind != NONE else []),
        last,
    ]
    written: list[Manifest] = []
    for sequence, file in enumerate(files, 1):
        manifest = Manifest(
            (file,),
            sequence=sequence,
            snapshot=snapshot,
            first_row=len(FIRST) if file is last else 0,
        )
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
    lineage = {"first-row-id": 0, "added-rows": len(FIRST + LATER)} if version > 2 else {}
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
