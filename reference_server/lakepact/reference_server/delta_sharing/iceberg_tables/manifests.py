"""Manifest lists and manifests of Iceberg tables, read for the data files that are in a snapshot."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.delta_sharing.iceberg_tables.statistics import Known
from lakepact.reference_server.delta_sharing.log.refusals import DamagedLog, LogError, UnsupportedTable
from lakepact.reference_server.warehouse.local import Outside, Unreadable

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from lakepact.reference_server.warehouse.local import Warehouse

    Record = Mapping[str, Any]

GONE, DATA = 2, 0  #: the status of entries that were deleted; the content of files that hold rows


@dataclass(frozen=True, slots=True)
class Manifest:
    """One manifest of data files."""

    path: str
    spec: int
    snapshot: int | None  #: the one that added it


@dataclass(frozen=True, slots=True)
class DataFile:
    """One data file that is live."""

    path: str
    size: int
    partition: Mapping[int, Any]  #: by the ids of partition fields
    known: Known
    snapshot: int | None  #: the one that added it


def manifests_of(warehouse: Warehouse, snapshot: Record) -> list[Manifest]:
    """Return the manifests of a snapshot.

    Raises:
        UnsupportedTable: some of them delete rows.
        DamagedLog: they cannot be read.
    """
    listed = snapshot.get("manifest-list")
    if listed is None:
        return [Manifest(path, snapshot.get("spec-id", 0), snapshot["snapshot-id"]) for path in snapshot.get("manifests", ())]
    found = list[Manifest]()
    _, records = _opened(warehouse, listed)
    for record in _each(records, listed):
        if record.get("content", DATA) != DATA:
            if any(record.get(count) != 0 for count in ("added_files_count", "existing_files_count")):
                raise UnsupportedTable(
                    "rows of the table are deleted by delete files or deletion vectors; rewrite its data files to share it"
                )
            continue
        if record.get("key_metadata") is not None:
            raise UnsupportedTable("the table is encrypted")
        found.append(Manifest(record["manifest_path"], record["partition_spec_id"], record.get("added_snapshot_id")))
    return found


def data_files(warehouse: Warehouse, manifest: Manifest) -> Iterator[DataFile]:
    """Yield the live files of a manifest.

    Raises:
        UnsupportedTable: one of them is not a readable Parquet file.
        DamagedLog: the manifest cannot be read.
    """
    schema, records = _opened(warehouse, manifest.path)
    ids = _partition_ids(schema)
    for entry in _each(records, manifest.path):
        if entry["status"] == GONE:
            continue
        file = entry["data_file"]
        path: str = file["file_path"]
        if file.get("content", DATA) != DATA:
            raise UnsupportedTable("rows of the table are deleted by delete files; rewrite its data files to share it")
        if str(file["file_format"]).lower() != "parquet":
            raise UnsupportedTable(f"the data file {path[-200:]!r} is not a Parquet file but {str(file['file_format'])[:20]}")
        if file.get("key_metadata") is not None:
            raise UnsupportedTable(f"the data file {path[-200:]!r} is encrypted")
        partition = file.get("partition") or {}
        added = entry.get("snapshot_id")
        yield DataFile(
            path,
            file["file_size_in_bytes"],
            {id_: partition.get(name) for id_, name in ids.items()},
            Known(
                file["record_count"],
                _by_id(file.get("null_value_counts")),
                _by_id(file.get("nan_value_counts")),
                _by_id(file.get("lower_bounds")),
                _by_id(file.get("upper_bounds")),
            ),
            manifest.snapshot if added is None else added,
        )


def _opened(warehouse: Warehouse, location: str) -> tuple[Record, Iterator[Any]]:
    """Return the schema of an Avro file, as it was written, and its records.

    Raises:
        DamagedLog: it cannot be read.
    """
    import fastavro  # noqa: PLC0415 - most servers share no Iceberg table

    with _understood(location):
        reader = fastavro.reader(io.BytesIO(warehouse.read(location)))
        return json.loads(reader.metadata["avro.schema"]), iter(reader)


def _each(records: Iterator[Any], location: str) -> Iterator[Record]:
    """Yield records one by one, to keep few objects in memory."""
    with _understood(location):
        yield from records


@contextmanager
def _understood(location: str) -> Generator[None]:
    try:
        yield
    except (LogError, GeneratorExit):
        raise
    except (Outside, Unreadable) as error:
        raise DamagedLog(str(error)) from None
    except Exception as error:  # noqa: BLE001 - whatever fastavro makes of bytes that are no Avro
        raise DamagedLog(f"{location[-200:]!r} is not an Avro file that can be read ({type(error).__name__})") from None


def _partition_ids(schema: Record) -> dict[int, str]:
    """Return the names of partition fields in the entries of a manifest, by their ids."""
    entry = _field(schema, "data_file")
    partition = _field(entry["type"], "partition")["type"] if entry else {}
    return {field["field-id"]: field["name"] for field in partition.get("fields", ()) if "field-id" in field}


def _field(record: Record, name: str) -> Record:
    found: Record = next((field for field in record.get("fields", ()) if field["name"] == name), {})
    return found


def _by_id(pairs: Any) -> dict[int, Any]:
    """Return a map with whole numbers for keys, which Avro has as a list of pairs."""
    if isinstance(pairs, dict):
        return {int(key): value for key, value in pairs.items()}
    return {pair["key"]: pair["value"] for pair in pairs or ()}
