"""Iceberg tables of ten rows, some of them deleted by a delete file."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from lakepact.conformance.checks.iceberg_rest.kit.files.manifests import (
    EQUALITY_DELETES,
    POSITION_DELETES,
    File,
    Manifest,
    at,
    list_bytes,
    manifest_bytes,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.deletion_vectors import puffin_of

if TYPE_CHECKING:
    from lakepact.client import IcebergCatalog

SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "id", "type": "long", "required": False}],
}
DELETED = (2, 3, 7)
KEPT = [number for number in range(10) if number not in DELETED]
_PATH_ID, _POSITION_ID = 2147483546, 2147483545
_FORMATS = {"position": 2, "equality": 2, "vector": 3}


def table_with_deletes(catalog: IcebergCatalog, namespace: str, kind: str) -> None:
    """Create a table called like the kind of its deletes: `position`, `equality` or `vector`; its
    file has three row groups.
    """
    version = _FORMATS[kind]
    made = catalog.create_table(
        (namespace, kind), SCHEMA, properties={"format-version": str(version)}
    )
    location = made.metadata.location
    data = f"{location}/data/rows.parquet"
    _parquet(data, {"id": (1, list(range(10)), pa.int64())})
    files = {
        "position": lambda: _position_deletes(location, data),
        "equality": lambda: _equality_deletes(location),
        "vector": lambda: _deletion_vector(location, data),
    }
    snapshot = random.getrandbits(62) | 1
    _commit(
        catalog,
        (namespace, kind),
        made.metadata,
        snapshot,
        [File(data, size=_size(data), sequence=1), files[kind]()],
        version,
    )


def _commit(
    catalog: IcebergCatalog,
    name: tuple[str, str],
    metadata: Any,
    snapshot: int,
    files: list[File],
    version: int,
) -> None:
    spec = {"spec-id": 0, "fields": []}
    placed = []
    for file in files:
        manifest = at(
            Manifest((file,), spec=spec), metadata.location, sequence=2, snapshot=snapshot
        )
        content = manifest_bytes(manifest, SCHEMA, format_version=version)
        _write(manifest.path, content)
        placed.append(replace(manifest, length=len(content)))
    listed = f"{metadata.location}/metadata/snap-{snapshot}.avro"
    _write(
        listed,
        list_bytes(
            placed,
            schema=SCHEMA,
            snapshot=snapshot,
            parent=None,
            sequence=2,
            format_version=version,
        ),
    )
    added: dict[str, Any] = {
        "snapshot-id": snapshot,
        "sequence-number": 2,
        "timestamp-ms": int(time.time() * 1000),
        "manifest-list": listed,
        "summary": {"operation": "overwrite"},
        "schema-id": 0,
    }
    if version == 3:
        added |= {"first-row-id": 0, "added-rows": 10}
    ref = {
        "action": "set-snapshot-ref",
        "ref-name": "main",
        "type": "branch",
        "snapshot-id": snapshot,
    }
    catalog.commit_table(name, [{"action": "add-snapshot", "snapshot": added}, ref])


def _position_deletes(location: str, data: str) -> File:
    path = f"{location}/data/deletes.parquet"
    columns = {
        "file_path": (_PATH_ID, [data] * len(DELETED), pa.string()),
        "pos": (_POSITION_ID, list(DELETED), pa.int64()),
    }
    _parquet(path, columns)
    return File(path, content=POSITION_DELETES, rows=len(DELETED), size=_size(path))


def _equality_deletes(location: str) -> File:
    path = f"{location}/data/deletes.parquet"
    _parquet(path, {"id": (1, list(DELETED), pa.int64())})
    return File(
        path, content=EQUALITY_DELETES, rows=len(DELETED), size=_size(path), equality_ids=(1,)
    )


def _deletion_vector(location: str, data: str) -> File:
    path = f"{location}/data/deletes.puffin"
    content, [(offset, length)] = puffin_of({data: DELETED})
    _write(path, content)
    return File(
        path,
        content=POSITION_DELETES,
        format="PUFFIN",
        rows=len(DELETED),
        size=_size(path),
        target=data,
        offset=offset,
        length=length,
    )


def _parquet(location: str, columns: dict[str, tuple[int, list[Any], pa.DataType]]) -> None:
    fields = [
        pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})
        for name, (number, _, kind) in columns.items()
    ]
    written = pa.BufferOutputStream()
    pq.write_table(
        pa.table([values for _, values, _ in columns.values()], schema=pa.schema(fields)),
        written,
        row_group_size=4,
    )
    _write(location, written.getvalue().to_pybytes())


def _write(location: str, content: bytes) -> None:
    path = Path(urlsplit(location).path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _size(location: str) -> int:
    return Path(urlsplit(location).path).stat().st_size
