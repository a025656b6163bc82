"""The data files of one version of an Iceberg table, as chunks of a Delta table's files."""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from lakepact.reference_server.delta_sharing.iceberg_tables.footers import check_footer
from lakepact.reference_server.delta_sharing.iceberg_tables.manifests import (
    DataFile,
    Manifest,
    data_files,
    manifests_of,
)
from lakepact.reference_server.delta_sharing.iceberg_tables.schemas import (
    current_schema,
    doubts,
    primitive,
)
from lakepact.reference_server.delta_sharing.iceberg_tables.statistics import (
    Leaf,
    leaves,
    statistics,
)
from lakepact.reference_server.delta_sharing.iceberg_tables.texts import (
    PARTITION_TYPES,
    NoText,
    partition_text,
)
from lakepact.reference_server.delta_sharing.log.active_files import CHUNK, ActiveFiles, Chunk
from lakepact.reference_server.delta_sharing.log.refusals import UnsupportedTable
from lakepact.reference_server.warehouse.avro import AvroReader
from lakepact.reference_server.warehouse.local import Outside, local

Document = Mapping[str, Any]

OTHERS: Mapping[str, Any] = {"dataChange": True}
SAFE = "/=+@,~!$&'()*;-._"
PLAIN = re.compile(r"[A-Za-z0-9/=+@,~!$&'()*;._-]+")
DATA_PATHS = ("write.data.path", "write.object-storage.path", "write.folder-storage.path")


class _NoPartition(Exception):
    """Values of a column cannot be partition values."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


@dataclass(slots=True)
class Kept:
    """The files read for one version, reused for the next: most of them are the same."""

    chunks: dict[tuple[Any, ...], tuple[Chunk, ...]] = field(
        default_factory=dict[tuple[Any, ...], tuple[Chunk, ...]]
    )
    sound: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    #: files whose footers were looked into, and the schema that they have


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the files of a version are to be told."""

    reader: AvroReader
    root: Path
    within: tuple[str, ...]  #: the folders that data files lie in, as paths with a slash at the end
    schema: Document
    columns: tuple[str, ...]  #: those whose values are partition values
    types: Mapping[str, str]  #: of these
    specs: Mapping[int, Document]  #: by their ids
    fields: Mapping[int, Mapping[str, int]]  #: by spec: the partition field of each of these
    leaves: Sequence[Leaf]
    times: Mapping[int, int]  #: of snapshots


def data_paths(metadata: Document) -> tuple[str, ...]:
    """Return the folders that properties name for the data files of a table."""
    properties = metadata.get("properties") or {}
    return tuple(properties[name] for name in DATA_PATHS if properties.get(name))


def files_of(
    reader: AvroReader, root: Path, metadata: Document, cache: Kept, *, places: Sequence[str]
) -> tuple[ActiveFiles, tuple[str, ...]]:
    """Return the files of the current snapshot, and the columns whose values are partition values.

    Args:
        reader: reads the files of the table.
        root: the folder of the warehouse.
        metadata: the table's metadata.
        cache: what was read before; what is read now is put into it.
        places: the folders in which data files lie.

    Raises:
        UnsupportedTable: reading the files alone would not give the rows of the table.
        DamagedLog: the table's metadata cannot be read.
    """
    current = metadata.get("current-snapshot-id")
    snapshot = next(
        (s for s in metadata.get("snapshots") or () if s["snapshot-id"] == current), None
    )
    manifests = manifests_of(reader, snapshot) if snapshot else []
    specs = {manifest.spec for manifest in manifests} or {metadata["default-spec-id"]}
    columns = _partition_columns(metadata, specs)
    while True:
        reading = _reading(reader, root, metadata, places=places, columns=columns)
        try:
            chunks, used = _chunks(reading, manifests, cache)
        except _NoPartition as found:
            columns = tuple(column for column in columns if column != found.column)
            continue
        break
    _check_footers(reading, metadata, chunks, cache, specs=specs)
    cache.chunks = used
    return ActiveFiles(chunks), columns


def _partition_columns(metadata: Document, specs: Collection[int]) -> tuple[str, ...]:
    """Return columns by whose values every file is partitioned, whichever spec it was written
    under.
    """
    names = {field["id"]: field for field in current_schema(metadata)["fields"]}
    by_spec = [
        [
            names[i]["name"]
            for i in _identities(metadata, spec)
            if i in names and _may_part(names[i]["type"])
        ]
        for spec in sorted(specs)
    ]
    return tuple(name for name in by_spec[-1] if all(name in columns for columns in by_spec))


def _may_part(type_: Any) -> bool:
    type_name = primitive(type_)
    return type_name is not None and (
        type_name in PARTITION_TYPES or type_name.startswith("decimal")
    )


def _identities(metadata: Document, spec: int) -> dict[int, int]:
    """Return the partition fields of a spec that hold a column as it is: the column's id, and that
    of the field.
    """
    fields = next((s["fields"] for s in metadata["partition-specs"] if s["spec-id"] == spec), ())
    return {
        field["source-id"]: field["field-id"]
        for field in fields
        if field["transform"] == "identity"
    }


def _reading(
    reader: AvroReader,
    root: Path,
    metadata: Document,
    *,
    places: Sequence[str],
    columns: tuple[str, ...],
) -> _Reading:
    schema = current_schema(metadata)
    ids = {field["name"]: field["id"] for field in schema["fields"]}
    by_spec = {
        spec["spec-id"]: _identities(metadata, spec["spec-id"])
        for spec in metadata["partition-specs"]
    }
    fields = {
        spec: {c: by_id[ids[c]] for c in columns if ids[c] in by_id}
        for spec, by_id in by_spec.items()
    }
    return _Reading(
        reader,
        root,
        tuple(f"{local(place).rstrip('/')}/" for place in places),
        schema,
        columns,
        {
            field["name"]: primitive(field["type"]) or ""
            for field in schema["fields"]
            if field["name"] in columns
        },
        {spec["spec-id"]: spec for spec in metadata["partition-specs"]},
        fields,
        leaves(schema, but=columns),
        {s["snapshot-id"]: s["timestamp-ms"] for s in metadata.get("snapshots") or ()},
    )


def _chunks(
    reading: _Reading, manifests: Sequence[Manifest], cache: Kept
) -> tuple[list[Chunk], dict[tuple[Any, ...], tuple[Chunk, ...]]]:
    used: dict[tuple[Any, ...], tuple[Chunk, ...]] = {}
    for manifest in manifests:
        name = (
            manifest.path,
            manifest.spec,
            reading.schema["schema-id"],
            reading.columns,
            reading.within,
        )
        used[name] = cache.chunks[name] if name in cache.chunks else _read_chunks(reading, manifest)
    return [chunk for chunks in used.values() for chunk in chunks], used


def _read_chunks(reading: _Reading, manifest: Manifest) -> tuple[Chunk, ...]:
    result = list[Chunk]()
    to_statistics = partial(statistics, reading.leaves)
    files = data_files(reading.reader, manifest, reading.specs, statistics=to_statistics)
    while some := list(islice(files, CHUNK)):
        result.append(_chunk(reading, manifest.spec, some))
    return tuple(result)


def _chunk(reading: _Reading, spec: int, files: Sequence[DataFile]) -> Chunk:
    return Chunk(
        tuple(_path(reading, file.path) for file in files),
        tuple(_partitions(reading, spec, files)),
        array("q", (file.size for file in files)),
        array("q", (reading.times.get(file.snapshot or 0, 0) for file in files)),
        tuple(file.statistics for file in files),
        None,
        (OTHERS,) * len(files),
    )


def _partitions(
    reading: _Reading, spec: int, files: Sequence[DataFile]
) -> list[Mapping[str, str | None]]:
    """Return the partition values of files; files that share them share one mapping."""
    fields, types = reading.fields.get(spec, {}), reading.types
    by_values: dict[tuple[Any, ...], Mapping[str, str | None]] = {}
    result = list["Mapping[str, str | None]"]()
    for file in files:
        values = tuple(file.partition.get(fields[column]) for column in reading.columns)
        if values not in by_values:
            by_values[values] = {
                c: _text(c, types[c], value)
                for c, value in zip(reading.columns, values, strict=True)
            }
        result.append(by_values[values])
    return result


def _text(column: str, type_: str, value: Any) -> str | None:
    try:
        return partition_text(type_, value)
    except NoText:
        raise _NoPartition(column) from None


def _path(reading: _Reading, location: str) -> str:
    """Return the path of a data file as a Delta log spells it: below the warehouse,
    percent-encoded.

    Raises:
        UnsupportedTable: it is not a file of this table.
    """
    path = location[7:] if location.startswith("file:///") else _local(location)
    if not path.startswith(reading.within) or ".." in path.split("/") or "\0" in path:
        raise UnsupportedTable(
            f"the data file {location[-200:]!r} does not lie in the table's own folder"
        )
    inside = path.removeprefix(f"{reading.root}/")
    if inside == path:
        raise UnsupportedTable(f"the data file {location[-200:]!r} does not lie in the warehouse")
    return inside if PLAIN.fullmatch(inside) else quote(inside, safe=SAFE)


def _local(location: str) -> str:
    try:
        return local(location)
    except Outside as outside:
        raise UnsupportedTable(str(outside)) from None


def _check_footers(
    reading: _Reading,
    metadata: Document,
    chunks: Sequence[Chunk],
    cache: Kept,
    *,
    specs: Collection[int],
) -> None:
    """Look into the files, if there is a reason to: reading many of them takes its time, but is
    done once.

    Raises:
        UnsupportedTable: one of them has other columns than the table.
    """
    names = {field["id"]: field["name"] for field in reading.schema["fields"]}
    in_partitions = {names[i] for spec in specs for i in _identities(metadata, spec) if i in names}
    required = in_partitions - set(reading.columns)
    if not required and not doubts(metadata):
        return
    schema_id = reading.schema["schema-id"]
    for chunk in chunks:
        for path in chunk.paths:
            if (path, schema_id) not in cache.sound:
                check_footer(
                    reading.root / unquote(path),
                    reading.schema,
                    but=reading.columns,
                    required=required,
                )
                cache.sound.add((path, schema_id))
