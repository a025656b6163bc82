"""Manifest lists and manifests, read through the warehouse: the files of a snapshot, with their
statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from lakepact.reference_server.iceberg_rest.scan_planning.transforms import result_type
from lakepact.reference_server.iceberg_rest.scan_planning.values import MOMENTS, from_avro, midnight
from lakepact.reference_server.iceberg_rest.tables.types import name_of
from lakepact.reference_server.warehouse.avro import Damaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lakepact.generated.iceberg_rest.documents import PartitionSpec, Snapshot
    from lakepact.reference_server.warehouse.avro import AvroReader

    Record = Mapping[str, Any]

DATA, POSITION_DELETES, EQUALITY_DELETES = 0, 1, 2  #: contents of files
EXISTING, ADDED, DELETED = 0, 1, 2  #: states of entries
MOST_MANIFESTS = 100_000  #: of one scan or version


@dataclass(frozen=True, slots=True)
class Manifest:
    """One manifest of a snapshot."""

    path: str
    spec_id: int | None  #: None for what stands in the manifest itself
    of_deletes: bool
    sequence_number: int
    snapshot_id: int | None  #: the one that added it
    first_row_id: int | None
    partitions: tuple[Record, ...] | None  #: what is known of the values of each partition field
    files: int | None  #: that are live in it


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a manifest that was not deleted."""

    state: int
    snapshot_id: int | None
    sequence_number: int
    spec_id: int
    file: Record  #: as the manifest has it, with maps by column ids
    partition: tuple[Any, ...]  #: in the order of the spec
    first_row_id: int | None

    @property
    def path(self) -> str:
        """The location of the file."""
        path: str = self.file["file_path"]
        return path


def manifests_of(files: AvroReader, snapshot: Snapshot) -> Iterator[Manifest]:
    """Yield the manifests of a snapshot, with live files.

    Raises:
        Damaged: they cannot be read.
    """
    location = snapshot.get("manifest-list")
    if location is None:
        for path in snapshot.get("manifests") or ():
            yield Manifest(path, None, False, 0, snapshot["snapshot-id"], None, None, None)
        return
    for record in files.open(location).records:
        manifest = _manifest(record, location)
        if manifest.files != 0:
            yield manifest


def _manifest(record: Record, location: str) -> Manifest:
    try:
        counts = [
            record.get(f"{state}_files_count", record.get(f"{state}_data_files_count"))
            for state in ("added", "existing")
        ]
        partitions = record.get("partitions")
        return Manifest(
            path=record["manifest_path"],
            spec_id=record["partition_spec_id"],
            of_deletes=(record.get("content") or DATA) != DATA,
            sequence_number=record.get("sequence_number") or 0,
            snapshot_id=record.get("added_snapshot_id"),
            first_row_id=record.get("first_row_id"),
            partitions=None if partitions is None else tuple(partitions),
            files=None if None in counts else sum(counts),
        )
    except (KeyError, TypeError):
        raise Damaged(f"{location[-300:]!r} is no list of manifests") from None


def entries_of(
    files: AvroReader,
    manifest: Manifest,
    specs: Mapping[int, PartitionSpec],
    types: Mapping[int, Any],
) -> Iterator[Entry]:
    """Yield the files of a manifest that were not deleted.

    Args:
        files: reads the files of the table.
        manifest: the manifest.
        specs: the partition specs of the table by their ids.
        types: the types of all its columns by their ids.

    Raises:
        Damaged: it cannot be read.
    """
    manifest_file = files.open(manifest.path)
    header = manifest_file.metadata
    try:
        spec_id = (
            manifest.spec_id
            if manifest.spec_id is not None
            else int(header.get("partition-spec-id", b"0"))
        )
        fields = partition_fields(header, specs[spec_id])
        kinds = [
            result_type(field["transform"], types.get(field["source-id"], "string"))
            for field in specs[spec_id]["fields"]
        ]
        next_row_id = manifest.first_row_id
        for record in manifest_file.records:
            if record["status"] == DELETED:
                continue
            file = record["data_file"]
            row_id = file.get("first_row_id")
            if row_id is None and next_row_id is not None and not manifest.of_deletes:
                row_id, next_row_id = next_row_id, next_row_id + file["record_count"]
            partition = file.get("partition") or {}
            yield Entry(
                state=record["status"],
                snapshot_id=record["snapshot_id"]
                if record.get("snapshot_id") is not None
                else manifest.snapshot_id,
                sequence_number=_sequence_number(record, manifest),
                spec_id=spec_id,
                file=file,
                partition=tuple(
                    _value(partition, field, kind)
                    for field, kind in zip(fields, kinds, strict=True)
                ),
                first_row_id=row_id,
            )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Damaged(
            f"{manifest.path[-300:]!r} is no manifest of this table ({type(error).__name__}:"
            f" {str(error)[:100]})"
        ) from None


def _sequence_number(record: Record, manifest: Manifest) -> int:
    """Return the value of an entry, or the inherited one of the manifest."""
    number: int | None = record.get("sequence_number")
    if number is not None:
        return number
    return manifest.sequence_number if record["status"] == ADDED else 0


def partition_fields(header: Mapping[str, Any], spec: Mapping[str, Any]) -> list[Record | None]:
    """Return the fields of manifest entries that hold those of a spec; equal names are
    distinguished by field ids.
    """
    by_place = _fields(
        _fields(orjson.loads(header["avro.schema"])["fields"], "data_file"), "partition"
    )
    by_id = {field.get("field-id"): field for field in by_place}
    if None in by_id:
        return [
            by_place[place] if place < len(by_place) else None
            for place in range(len(spec["fields"]))
        ]
    return [by_id.get(field.get("field-id")) for field in spec["fields"]]


def _fields(fields: list[Record], name: str) -> list[Record]:
    """Return the fields of one that is a record, which some writers make nullable."""
    types = [type_ for field in fields if field["name"] == name for type_ in _types(field)]
    return [field for type_ in types if type_["type"] == "record" for field in type_["fields"]]


def _types(field: Record) -> list[Record]:
    """Return the types that values of a field may have, each as an object."""
    types = field["type"] if isinstance(field["type"], list) else [field["type"]]
    return [type_ if isinstance(type_, dict) else {"type": type_} for type_ in types]


def _value(partition: Record, field: Record | None, kind: Any) -> Any:
    """Return the value of a partition field, equal for equal values however they are kept; dates
    may have become timestamps since.
    """
    value = None if field is None else from_avro(partition.get(field["name"]), kind)
    if value is None or field is None or name_of(kind) not in MOMENTS:
        return value
    return (
        midnight(value, kind) if any(type_["type"] == "int" for type_ in _types(field)) else value
    )


def by_id(pairs: Any) -> dict[int, Any]:
    """Return a map by column ids, which Avro keeps as a list of pairs."""
    if isinstance(pairs, dict):
        return {int(key): value for key, value in pairs.items()}
    return {pair["key"]: pair["value"] for pair in pairs or ()}
