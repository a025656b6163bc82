"""Reads the rows of a snapshot of an Iceberg table: manifests, data files, and deletes of each
kind.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from lakepact.conformance.evidence.outcome import Unmet
from lakepact.formats.avro import Avro
from lakepact.formats.limits import DECODED, Limit

from . import deletion_vectors
from .data_files import stored_table

Record = dict[str, Any]
Columns = dict[str, Record]
Read = Callable[[str], bytes]
DATA, POSITIONS, EQUALITY = range(3)
DELETED = 2  #: the status of a manifest's entry whose file is gone
FIELD_ID = b"PARQUET:field_id"


def rows_at(metadata: Mapping[str, Any], snapshot: int | None, read: Read) -> list[Record]:
    """Return the rows of a snapshot by the names of the table's current columns; none without a
    snapshot.

    Args:
        metadata: of the table.
        snapshot: its id.
        read: returns the content of a file.

    Raises:
        Unmet: a file cannot be read.
    """
    schema = item_of(metadata["schemas"], "schema-id", metadata["current-schema-id"])
    names = {column["id"]: column["name"] for column in schema.get("fields", ())}
    stored = item_of(metadata.get("snapshots") or (), "snapshot-id", snapshot)
    if not stored:
        return []
    return [
        {name: row.get(number) for number, name in names.items()}
        for row in _rows(stored["manifest-list"], read)
    ]


def item_of(items: Iterable[Record], member: str, number: Any) -> Record:
    """Return the item with a number; empty if there is none."""
    return next((item for item in items if item.get(member) == number), {})


def columns_of(kind: Record, outer: str = "") -> Columns:
    """Return all columns of a schema by their paths, also nested ones, without null members; nested
    types are struct, list or map.
    """
    parts = kind.get("fields") or [
        {
            "id": kind[f"{part}-id"],
            "name": part,
            "type": kind[part],
            "required": kind.get(f"{part}-required", True),
        }
        for part in ("element", "key", "value")
        if part in kind
    ]
    result: Columns = {}
    for part in parts:
        inner, path = part["type"], f"{outer}{part['name']}"
        kind_of_part = inner.replace(" ", "") if isinstance(inner, str) else inner["type"]
        result[path] = {name: value for name, value in part.items() if value is not None} | {
            "type": kind_of_part
        }
        result |= {} if isinstance(inner, str) else columns_of(inner, f"{path}.")
    return result


def _rows(manifest_list: str, read: Read) -> Iterator[dict[int, Any]]:
    """Yield the rows of a snapshot that are not deleted, by the ids of their columns."""
    files: dict[int, list[tuple[int, Record]]] = {DATA: [], POSITIONS: [], EQUALITY: []}
    for manifest in _records(read(manifest_list)):
        for entry in _records(read(manifest["manifest_path"])):
            if entry["status"] != DELETED:
                file = {**entry["data_file"], "spec": manifest["partition_spec_id"]}
                sequence = entry.get("sequence_number") or manifest.get("sequence_number") or 0
                files[file.get("content") or DATA].append((sequence, file))
    deletions = {place for _, file in files[POSITIONS] for place in _positions(file, read)}
    keys = [
        (sequence, file, key)
        for sequence, file in files[EQUALITY]
        for key in _by_id(read(file["file_path"]))
    ]
    for sequence, file in files[DATA]:
        keys_here = [
            {number: key[number] for number in deletes["equality_ids"]}
            for later, deletes, key in keys
            if later > sequence and _covers(deletes, file)
        ]
        for position, row in enumerate(_by_id(read(file["file_path"]))):
            is_deleted = any(
                all(row.get(number) == value for number, value in key.items()) for key in keys_here
            )
            if not is_deleted and (file["file_path"], position) not in deletions:
                yield row


def _covers(deletes: Record, file: Record) -> bool:
    """Return whether equality deletes apply to a file: those without partition to all."""
    return not deletes["partition"] or (deletes["spec"], deletes["partition"]) == (
        file["spec"],
        file["partition"],
    )


def _positions(file: Record, read: Read) -> Iterator[tuple[str, int]]:
    """Yield the data file and the position of each row that a file deletes."""
    if file["file_format"].upper() != "PUFFIN":
        for row in stored_table(read(file["file_path"])).to_pylist():
            yield row["file_path"], row["pos"]
        return
    vector = {
        "storageType": "p",
        "pathOrInlineDv": file["file_path"],
        "offset": file["content_offset"],
        "sizeInBytes": file["content_size_in_bytes"] - 8,  # without its length and checksum
        "cardinality": file["record_count"],
    }
    for position in deletion_vectors.rows_of_vector(vector, read):
        yield file["referenced_data_file"], position


def _by_id(content: bytes) -> list[dict[int, Any]]:
    """Return the rows of a data file by the ids of their columns; without ids, by their places."""
    table = stored_table(content)
    numbers = [
        int((column.metadata or {}).get(FIELD_ID, place))
        for place, column in enumerate(table.schema, 1)
    ]
    return [dict(zip(numbers, row.values(), strict=True)) for row in table.to_pylist()]


def _records(content: bytes) -> list[Record]:
    """Return the records of an Avro file.

    Raises:
        Unmet: it is none.
    """
    import fastavro  # noqa: PLC0415 - suites are listed without it

    try:
        # The server or the client wrote it, and fastavro trusts what it reads.
        content_ = Avro(content, Limit(DECODED, "no setting")).decompress()
        return [
            record for record in fastavro.reader(io.BytesIO(content_)) if isinstance(record, dict)
        ]
    except (ValueError, OSError, EOFError) as broken:
        raise Unmet("an Avro file", str(broken)) from broken
