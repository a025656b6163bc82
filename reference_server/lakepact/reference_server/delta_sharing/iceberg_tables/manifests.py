"""Manifest lists and manifests of Iceberg tables, read for the data files that are in a snapshot."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lakepact.reference_server.delta_sharing.iceberg_tables.statistics import Known
from lakepact.reference_server.delta_sharing.log.refusals import (
    DamagedLog,
    LogError,
    UnsupportedTable,
)
from lakepact.reference_server.iceberg_rest.scan_planning.manifests import by_id, partition_fields
from lakepact.reference_server.warehouse.local import Outside, Unreadable, Warehouse

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
        paths: list[str] = snapshot.get("manifests", [])
        return [
            Manifest(path, _spec_id(warehouse, path), snapshot["snapshot-id"]) for path in paths
        ]
    found = list[Manifest]()
    with _understood(listed):
        for record in _opened(warehouse, listed):
            if (record.get("content") or DATA) != DATA:
                if any(_count(record, state) != 0 for state in ("added", "existing")):
                    raise UnsupportedTable(
                        "rows of the table are deleted by delete files or deletion vectors; rewrite its data files to share it"
                    )
                continue
            if record.get("key_metadata") is not None:
                raise UnsupportedTable("the table is encrypted")
            found.append(
                Manifest(
                    record["manifest_path"],
                    record["partition_spec_id"],
                    record.get("added_snapshot_id"),
                )
            )
    return found


def _spec_id(warehouse: Warehouse, location: str) -> int:
    with _understood(location):
        return int(_opened(warehouse, location).metadata.get("partition-spec-id", "0"))


def _count(record: Record, state: str) -> int | None:
    """Return how many files of a manifest are in a state, under the name of today or that of format version 1."""
    count: int | None = record.get(f"{state}_files_count", record.get(f"{state}_data_files_count"))
    return count


def data_files(
    warehouse: Warehouse, manifest: Manifest, specs: Mapping[int, Record]
) -> Iterator[DataFile]:
    """Yield the live files of a manifest.

    Args:
        warehouse: where the table is kept.
        manifest: the manifest.
        specs: the partition specs of the table by their ids.

    Raises:
        UnsupportedTable: one of them is not a readable Parquet file.
        DamagedLog: the manifest cannot be read.
    """
    with _understood(manifest.path):
        records, spec = _opened(warehouse, manifest.path), specs[manifest.spec]
        fields = zip(spec["fields"], partition_fields(records.metadata, spec), strict=True)
        names = {field["field-id"]: found["name"] for field, found in fields if found is not None}
        for entry in records:
            if entry["status"] != GONE:
                yield _data_file(entry, names, manifest)


def _data_file(entry: Record, names: Mapping[int, str], manifest: Manifest) -> DataFile:
    file = entry["data_file"]
    path: str = file["file_path"]
    if (file.get("content") or DATA) != DATA:
        raise UnsupportedTable(
            "rows of the table are deleted by delete files; rewrite its data files to share it"
        )
    if str(file["file_format"]).lower() != "parquet":
        raise UnsupportedTable(
            f"the data file {path[-200:]!r} is not a Parquet file but {str(file['file_format'])[:20]}"
        )
    if file.get("key_metadata") is not None:
        raise UnsupportedTable(f"the data file {path[-200:]!r} is encrypted")
    partition = file.get("partition") or {}
    added = entry.get("snapshot_id")
    statistics = ("null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")
    return DataFile(
        path,
        int(file["file_size_in_bytes"]),
        {id_: partition.get(name) for id_, name in names.items()},
        Known(int(file["record_count"]), *(by_id(file.get(member)) for member in statistics)),
        manifest.snapshot if added is None else added,
    )


def _opened(warehouse: Warehouse, location: str) -> Any:
    """Return the records of an Avro file, read one by one to keep few objects in memory."""
    import fastavro  # noqa: PLC0415 - most servers share no Iceberg table

    return fastavro.reader(io.BytesIO(warehouse.read(location)))


@contextmanager
def _understood(location: str) -> Generator[None]:
    try:
        yield
    except (LogError, GeneratorExit):
        raise
    except (Outside, Unreadable) as error:
        raise DamagedLog(str(error)) from None
    except Exception as error:  # noqa: BLE001 - whatever fastavro makes of bytes that are no Avro
        raise DamagedLog(
            f"{location[-200:]!r} is not an Avro file that can be read ({type(error).__name__})"
        ) from None
