"""Tables whose data files and delete files lakepact writes itself."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lakepact.conformance.checks.iceberg_rest.kit.files import manifests
from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import (
    EQUALITY_DELETES,
    POSITION_DELETES,
    File,
    Manifest,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.deletion_vectors import POSITION, puffin_of
from lakepact.conformance.clients.iceberg_rest.kit.lab import SCHEMA, CatalogClientLab
from lakepact.conformance.clients.iceberg_rest.kit.tables_with_files import (
    MAIN,
    set_reference,
    set_schema,
)
from lakepact.conformance.evidence import extras
from lakepact.conformance.evidence.arrow import pa, pq
from lakepact.conformance.evidence.exchanges import Document, Members
from lakepact.conformance.evidence.outcome import NotOffered
from lakepact.conformance.evidence.shared_files import SharedFiles
from lakepact.extras import install

Rows = list[Document]

LIBRARIES = ("pyarrow", "pyroaring")
PATH = 2147483546  #: field id of the path in position deletes
SNAPSHOT = 3  #: id of the only snapshot
FIRST = [{"id": 1, "data": "a"}, {"id": 2, "data": "b"}, {"id": 3, "data": "c"}]
GONE = 1  #: position of the deleted row in the first file
LATER = [{"id": 2, "data": "again"}]  #: added after the deletion, with the key of the deleted row
KEPT = [row for place, row in enumerate(FIRST) if place != GONE] + LATER
NONE = "none"
#: Rows by their partitions; the key 2 is deleted in the first.
PARTITIONED = {"a": [{"id": 1, "data": "a"}, {"id": 2, "data": "a"}], "b": [{"id": 2, "data": "b"}]}
KEPT_IN_PARTITIONS = [{"id": 1, "data": "a"}, {"id": 2, "data": "b"}]
WITH_NULL: Rows = [{"id": 1, "data": "a"}, {"id": 2, "data": None}]
DEFAULT = "plain"
DEFAULTS = {"initial-default": DEFAULT, "write-default": DEFAULT}
#: Format versions by the kinds of deletes.
KINDS = {"position deletes": 2, "equality deletes": 2, "a deletion vector": 3}
IDENTITY = {"transform": "identity"}
BY_DATA = {"source-id": 2, "field-id": 1000, "name": "data", **IDENTITY}
BY_ID = {"source-id": 1, "field-id": 1000, "name": "id", **IDENTITY}
AMOUNT = {"id": 3, "name": "amount", "type": "double", "required": False}
AMOUNTS: Rows = [
    {"id": 1, "data": "a", "amount": 1.5},
    {"id": 2, "data": "b", "amount": float("nan")},
    {"id": 3, "data": None, "amount": None},
]
#: Files without field ids have the second name of the column `data`.
NAMES = [{"field-id": 1, "names": ["id"]}, {"field-id": 2, "names": ["data", "text"]}]


def require_libraries() -> None:
    """Require the libraries that write files.

    Raises:
        NotOffered: one is missing.
    """
    try:
        extras.require(*LIBRARIES)
    except ModuleNotFoundError as missing:
        raise NotOffered(
            f"lakepact writes no files without {missing.name}: "
            f"{install(extras.OF_CHECKS[str(missing.name)])}"
        ) from None


def table_with_deletes(lab: CatalogClientLab, kind: str) -> Document:
    """Return the arguments that name a new table with three rows, the second deleted, and a later
    row.

    Args:
        lab: creates the table.
        kind: one of `KINDS`, or `NONE`.
    """
    where, metadata = _create(lab, KINDS.get(kind, 2))
    first, last = (
        _parquet(lab, metadata, name, rows) for name, rows in (("first", FIRST), ("later", LATER))
    )
    deletes = [_deletes(lab, metadata, kind, first.path)] if kind != NONE else []
    return _with_files(lab, where, metadata, [first, *deletes, last])


def table_with_partitions(lab: CatalogClientLab) -> Document:
    """Return the arguments that name a table with one key in two partitions, deleted by equality in
    the first.
    """
    where, metadata = _create(lab, 2, **{"partition-spec": {"spec-id": 0, "fields": [BY_DATA]}})
    first, second = (
        replace(_parquet(lab, metadata, name, rows), partition=(name,))
        for name, rows in PARTITIONED.items()
    )
    deletes = _deletes(lab, metadata, "equality deletes", first.path)
    files = [first, second, replace(deletes, partition=first.partition)]
    return _with_files(lab, where, metadata, files)


def table_without_value(lab: CatalogClientLab, value: str | None) -> Document:
    """Return the arguments that name a table of `WITH_NULL` whose rows with this value of data are
    deleted by equality.
    """
    where, metadata = _create(lab, 2)
    first = _parquet(lab, metadata, "first", WITH_NULL)
    deletes = _deletes(lab, metadata, "equality deletes", first.path, {"data": value})
    return _with_files(lab, where, metadata, [first, deletes])


def table_of_two_specs(lab: CatalogClientLab) -> Document:
    """Return the arguments that name a table whose first file is older than its partition spec; the
    second has a key of the first.
    """
    where, _ = _create(lab, 2)
    metadata = lab.commit(*where.values(), *_set_spec(BY_DATA))
    first = _parquet(lab, metadata, "first", FIRST)
    second = replace(_parquet(lab, metadata, "second", LATER), partition=(LATER[0]["data"],))
    return _with_files(lab, where, metadata, [first, second])


def table_of_amounts(lab: CatalogClientLab) -> Document:
    """Return the arguments that name a table of `AMOUNTS`, with NaN and null."""
    where, metadata = _create(lab, 2, schema={**SCHEMA, "fields": [*SCHEMA["fields"], AMOUNT]})
    return _with_files(lab, where, metadata, [_parquet(lab, metadata, "first", AMOUNTS)])


def table_with_names(lab: CatalogClientLab) -> Document:
    """Return the arguments that name a table whose file has no field ids, and that maps names of
    columns to them.
    """
    where, metadata = _create(lab, 2)
    rows = [{"id": row["id"], "text": row["data"]} for row in FIRST]
    first = _parquet(lab, metadata, "first", rows, has_ids=False)
    mapping = {"schema.name-mapping.default": json.dumps(NAMES)}
    lab.commit(*where.values(), {"action": "set-properties", "updates": mapping})
    return _with_files(lab, where, metadata, [first])


def table_with_default(lab: CatalogClientLab) -> Document:
    """Return the arguments that name a table of version 3 whose column `kind` is younger than its
    rows, and has a default.
    """
    column = {"id": 3, "name": "kind", "type": "string", "required": False, **DEFAULTS}
    new_schema = {**SCHEMA, "schema-id": 1, "fields": [*SCHEMA["fields"], column]}
    return table_before(lab, *set_schema(new_schema), version=3)


def table_with_older_spec(lab: CatalogClientLab) -> Document:
    """Return the arguments that name a table whose rows were written before it was partitioned by
    their column.
    """
    return table_before(lab, *_set_spec(BY_ID))


def table_with_older_order(lab: CatalogClientLab) -> Document:
    """Return the arguments that name a table whose rows were written before it was ordered by their
    column.
    """
    field = {"source-id": 1, **IDENTITY, "direction": "desc", "null-order": "nulls-last"}
    order = {"order-id": 1, "fields": [field]}
    default = {"action": "set-default-sort-order", "sort-order-id": -1}
    return table_before(lab, {"action": "add-sort-order", "sort-order": order}, default)


def table_before(lab: CatalogClientLab, *updates: Members, version: int = 2) -> Document:
    """Return the arguments that name a table whose rows are older than some updates."""
    where, metadata = _create(lab, version)
    _with_files(lab, where, metadata, [_parquet(lab, metadata, "first", FIRST)])
    lab.commit(*where.values(), *updates)
    return where


def _set_spec(field: Members) -> tuple[Members, Members]:
    """Return the updates that partition a table by one field."""
    spec = {"spec-id": 1, "fields": [field]}
    return {"action": "add-spec", "spec": spec}, {"action": "set-default-spec", "spec-id": -1}


def _create(lab: CatalogClientLab, version: int, **members: Any) -> tuple[Document, Document]:
    """Create a table of a format version; return the arguments that name it, and its metadata."""
    where = lab.table(properties={"format-version": str(version)}, **members)
    return where, lab.metadata(**where)


def _with_files(
    lab: CatalogClientLab,
    where: Document,
    metadata: Document,
    files: Sequence[File],
) -> Document:
    """Commit a snapshot with files, each in a manifest with the next sequence number; return the
    arguments that name the table.
    """
    version, location = metadata["format-version"], metadata["location"]
    schema, shared = metadata["schemas"][0], lab.target.shared_files
    specs = {len(spec["fields"]): spec for spec in metadata["partition-specs"]}
    entries: list[Manifest] = []
    rows = 0
    for sequence, file in enumerate(files, 1):
        spec = specs[len(file.partition)]
        manifest = Manifest(
            (file,), spec=spec, sequence=sequence, snapshot=SNAPSHOT, first_row=rows
        )
        rows += file.rows if not manifest.content else 0
        content = manifests.manifest_bytes(manifest, schema, format_version=version)
        entries.append(
            replace(
                manifest,
                path=_write(shared, f"{location}/metadata/{sequence}.avro", content),
                length=len(content),
            )
        )
    listing = manifests.list_bytes(
        entries,
        schema=schema,
        snapshot=SNAPSHOT,
        parent=None,
        sequence=len(entries),
        format_version=version,
    )
    lineage = {"first-row-id": 0, "added-rows": rows} if version > 2 else {}
    snapshot = {
        "snapshot-id": SNAPSHOT,
        "sequence-number": len(entries),
        "timestamp-ms": max(int(time.time() * 1000), metadata["last-updated-ms"]),
        "manifest-list": _write(shared, f"{location}/metadata/snap-{SNAPSHOT}.avro", listing),
        "summary": {"operation": "overwrite"},
        "schema-id": schema["schema-id"],
        **lineage,
    }
    head = set_reference(MAIN, "branch", SNAPSHOT)
    lab.commit(*where.values(), {"action": "add-snapshot", "snapshot": snapshot}, head)
    return where


def _deletes(
    lab: CatalogClientLab,
    metadata: Document,
    kind: str,
    target: str,
    key: Mapping[str, Any] = {"id": FIRST[GONE]["id"]},
) -> File:
    """Write a delete file: for the row at `GONE` of a data file, or for the rows with a key."""
    if kind == "position deletes":
        rows = [{"file_path": target, "pos": GONE}]
        return replace(_parquet(lab, metadata, "deletes", rows), content=POSITION_DELETES)
    if kind == "equality deletes":
        ids = tuple(field["id"] for field in SCHEMA["fields"] if field["name"] in key)
        keys = _parquet(lab, metadata, "deletes", [dict(key)])
        return replace(keys, content=EQUALITY_DELETES, equality_ids=ids)
    content, [(offset, length)] = puffin_of({target: [GONE]})
    path = f"{metadata['location']}/data/deletes.puffin"
    return File(
        _write(lab.target.shared_files, path, content),
        (),
        1,
        POSITION_DELETES,
        "PUFFIN",
        len(content),
        target=target,
        offset=offset,
        length=length,
    )


def _parquet(
    lab: CatalogClientLab,
    metadata: Document,
    name: str,
    rows: Rows,
    *,
    has_ids: bool = True,
) -> File:
    """Write rows to a data file or delete file."""
    ids = {"file_path": PATH, "pos": POSITION}
    ids |= {field["name"]: field["id"] for field in (*SCHEMA["fields"], AMOUNT)}
    kinds = {"amount": pa.float64(), "id": pa.int64(), "pos": pa.int64()}
    fields = [
        pa.field(
            column,
            kinds.get(column, pa.string()),
            nullable=column in {"data", "text", "amount"},
            metadata={"PARQUET:field_id": str(ids[column])} if has_ids else None,
        )
        for column in rows[0]
    ]
    content = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema(fields)), content)
    path = f"{metadata['location']}/data/{name}.parquet"
    return File(
        _write(lab.target.shared_files, path, content.getvalue()),
        rows=len(rows),
        size=content.tell(),
    )


def _write(files: SharedFiles, location: str, content: bytes) -> str:
    files.at(location).write(content)
    return location
