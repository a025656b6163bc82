"""Manifest lists and manifests of Iceberg tables, read for the data files that are in a
snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lakepact.reference_server.delta_sharing.iceberg_tables.statistics import Known
from lakepact.reference_server.delta_sharing.log.refusals import (
    DamagedLog,
    LogError,
    UnsupportedTable,
)
from lakepact.reference_server.iceberg_rest.scan_planning.manifests import (
    MOST_MANIFESTS,
    by_id,
    partition_fields,
)
from lakepact.reference_server.warehouse.avro import AvroReader, Damaged

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
    statistics: str
    snapshot: int | None  #: the one that added it


def manifests_of(reader: AvroReader, snapshot: Record) -> list[Manifest]:
    """Return the manifests of a snapshot.

    Raises:
        UnsupportedTable: some of them delete rows.
        DamagedLog: they cannot be read.
    """
    location = snapshot.get("manifest-list")
    if location is None:
        paths: list[str] = snapshot.get("manifests", [])
        return [Manifest(path, _spec_id(reader, path), snapshot["snapshot-id"]) for path in paths]
    result = list[Manifest]()
    with _explain_errors(location):
        for record in reader.open(location).records:
            if (record.get("content") or DATA) != DATA:
                if any(_count(record, state) != 0 for state in ("added", "existing")):
                    raise UnsupportedTable(
                        "rows of the table are deleted by delete files or deletion vectors; rewrite"
                        " its data files to share it"
                    )
                continue
            if record.get("key_metadata") is not None:
                raise UnsupportedTable("the table is encrypted")
            result.append(
                Manifest(
                    record["manifest_path"],
                    record["partition_spec_id"],
                    record.get("added_snapshot_id"),
                )
            )
            if len(result) > MOST_MANIFESTS:
                raise DamagedLog(f"the table has more than {MOST_MANIFESTS} manifests")
    return result


def _spec_id(reader: AvroReader, location: str) -> int:
    with _explain_errors(location):
        return int(reader.open(location).metadata.get("partition-spec-id", "0"))


def _count(record: Record, state: str) -> int | None:
    """Return how many files of a manifest are in a state, under the name of today or that of format
    version 1.
    """
    count: int | None = record.get(f"{state}_files_count", record.get(f"{state}_data_files_count"))
    return count


def data_files(
    reader: AvroReader,
    manifest: Manifest,
    specs: Mapping[int, Record],
    *,
    statistics: Callable[[Known], str],
) -> Iterator[DataFile]:
    """Yield the live files of a manifest.

    Args:
        reader: reads the files of the table.
        manifest: the manifest.
        specs: the partition specs of the table by their ids.
        statistics: returns the text of the statistics of a file.

    Raises:
        UnsupportedTable: one of them is not a readable Parquet file.
        DamagedLog: the manifest cannot be read.
    """
    with _explain_errors(manifest.path):
        file, spec = reader.open(manifest.path), specs[manifest.spec]
        fields = zip(spec["fields"], partition_fields(file.metadata, spec), strict=True)
        names = {
            field["field-id"]: in_file["name"] for field, in_file in fields if in_file is not None
        }
        for entry in file.records:
            if entry["status"] != GONE:
                yield _data_file(entry, names, manifest, statistics)


def _data_file(
    entry: Record,
    names: Mapping[int, str],
    manifest: Manifest,
    statistics: Callable[[Known], str],
) -> DataFile:
    file = entry["data_file"]
    path: str = file["file_path"]
    if (file.get("content") or DATA) != DATA:
        raise UnsupportedTable(
            "rows of the table are deleted by delete files; rewrite its data files to share it"
        )
    if str(file["file_format"]).lower() != "parquet":
        raise UnsupportedTable(
            f"the data file {path[-200:]!r} is not a Parquet file but"
            f" {str(file['file_format'])[:20]}"
        )
    if file.get("key_metadata") is not None:
        raise UnsupportedTable(f"the data file {path[-200:]!r} is encrypted")
    partition = file.get("partition") or {}
    snapshot_id = entry.get("snapshot_id")
    members = ("null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")
    facts = Known(int(file["record_count"]), *(by_id(file.get(member)) for member in members))
    return DataFile(
        path,
        int(file["file_size_in_bytes"]),
        {id_: partition.get(name) for id_, name in names.items()},
        statistics(facts),
        manifest.snapshot if snapshot_id is None else snapshot_id,
    )


@contextmanager
def _explain_errors(location: str) -> Generator[None]:
    try:
        yield
    except (LogError, GeneratorExit):
        raise
    except Damaged as error:
        raise DamagedLog(str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedLog(
            f"{location[-200:]!r} is no manifest of this table ({type(error).__name__})"
        ) from None
