"""Manifest lists and manifests that checks write, so that tables have data files and delete files.

The data files themselves do not exist: planning a scan does not open them.
"""

from __future__ import annotations

import io
import json
import struct
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import fastavro

from lakepact.conformance.evidence.exchanges import Document, Members

DATA, POSITION_DELETES, EQUALITY_DELETES = 0, 1, 2
EXISTING, ADDED, DELETED = 0, 1, 2
SINCE_3 = frozenset(
    {142, 144, 145, 520}
)  #: fields of format version 3: row ids, and the places of deletion vectors


@dataclass(frozen=True)
class File:
    """A data file or delete file of a manifest."""

    path: str
    partition: tuple[Any, ...] = ()  #: as Avro has them: dates as days, timestamps as microseconds
    rows: int = 10
    content: int = DATA
    format: str = "PARQUET"
    size: int = 1000
    lower: Mapping[int, bytes] = field(default_factory=dict)  #: bounds by column ids
    upper: Mapping[int, bytes] = field(default_factory=dict)
    values: Mapping[int, int] = field(default_factory=dict)
    nulls: Mapping[int, int] = field(default_factory=dict)
    nans: Mapping[int, int] = field(default_factory=dict)
    equality_ids: tuple[int, ...] = ()
    target: str | None = None  #: the data file that a delete file is about
    offset: int | None = None  #: of a deletion vector
    length: int | None = None
    splits: tuple[int, ...] = ()
    sort_order: int | None = None
    key: bytes | None = None  #: metadata of an encryption key
    state: int = ADDED
    snapshot: int | None = None  #: the one that added it, if not that of the manifest
    sequence: int | None = None  #: its sequence number, if not that of the manifest


@dataclass(frozen=True)
class Manifest:
    """One manifest of files with one partition spec."""

    files: tuple[File, ...]
    path: str = ""
    spec: Members = field(default_factory=lambda: {"spec-id": 0, "fields": []})
    sequence: int = 0
    snapshot: int = 0
    length: int = 0
    first_row: int | None = None  #: id of its first row, if others were numbered before

    @property
    def content(self) -> int:
        """0 for data files, 1 for delete files."""
        return int(any(file.content != DATA for file in self.files))

    def count(self, state: int, *, rows: bool = False) -> int:
        """Return how many files, or rows, are in that state."""
        return sum(file.rows if rows else 1 for file in self.files if file.state == state)


def at(manifest: Manifest, location: str, *, sequence: int, snapshot: int) -> Manifest:
    """Return the manifest as a new snapshot has it."""
    return replace(
        manifest,
        path=f"{location}/metadata/{uuid.uuid4()}-m0.avro",
        sequence=sequence,
        snapshot=snapshot,
    )


def long_bound(value: int) -> bytes:
    """Return a bound of a column of whole numbers."""
    return struct.pack("<q", value)


def avro(schema: Document, records: Sequence[Members], metadata: Mapping[str, str]) -> bytes:
    """Return an Avro file."""
    stream = io.BytesIO()
    fastavro.writer(stream, fastavro.parse_schema(schema), records, metadata=dict(metadata))
    return stream.getvalue()


# -- schemas ---------------------------------------------------------------------------------------


def _field(number: int, name: str, type_: Any, *, optional: bool = False) -> Document:
    return {"name": name, "type": ["null", type_], "default": None, "field-id": number} if optional else {
        "name": name, "type": type_, "field-id": number,
    }  # fmt: skip


def _map(number: int, key: int, value: int, kind: str, name: str) -> Document:
    record = {
        "type": "record",
        "name": f"k{key}_v{value}",
        "fields": [_field(key, "key", "int"), _field(value, "value", kind)],
    }
    return _field(
        number, name, {"type": "array", "items": record, "logicalType": "map"}, optional=True
    )


def _list(number: int, element: int, kind: str, name: str) -> Document:
    return _field(
        number, name, {"type": "array", "items": kind, "element-id": element}, optional=True
    )


#: Avro types of partition values by the types of their fields.
AVRO: Document = {
    "int": "int",
    "long": "long",
    "string": "string",
    "boolean": "boolean",
    "double": "double",
    "float": "float",
    "date": {"type": "int", "logicalType": "date"},
    "time": {"type": "long", "logicalType": "time-micros"},
    "timestamp": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": False},
    "timestamptz": {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True},
    "binary": "bytes",
    "uuid": {"type": "fixed", "size": 16, "name": "uuid_fixed", "logicalType": "uuid"},
    "decimal(9, 2)": {
        "type": "fixed",
        "size": 4,
        "name": "decimal_9_2",
        "logicalType": "decimal",
        "precision": 9,
        "scale": 2,
    },
}


def value_type(transform: str, source: str) -> str:
    """Return the type of a partition field's values."""
    if transform.startswith("bucket") or transform in {"year", "month", "hour"}:
        return "int"
    return "date" if transform == "day" else source


def _of_version(fields: Any, format_version: int) -> list[Document]:
    """Return the fields that a format version has; some readers refuse others."""
    return [one for one in fields if format_version > 2 or one["field-id"] not in SINCE_3]


def entry_schema(spec: Members, types: Mapping[int, str], *, format_version: int = 3) -> Document:
    """Return the schema of the entries of a manifest."""
    partition = {
        "type": "record",
        "name": "r102",
        "fields": [
            _field(
                one["field-id"],
                one["name"],
                AVRO[value_type(one["transform"], types[one["source-id"]])],
                optional=True,
            )
            for one in spec["fields"]
        ],
    }
    data_file = {
        "type": "record",
        "name": "r2",
        "fields": [
            _field(134, "content", "int"),
            _field(100, "file_path", "string"),
            _field(101, "file_format", "string"),
            _field(102, "partition", partition),
            _field(103, "record_count", "long"),
            _field(104, "file_size_in_bytes", "long"),
            _map(108, 117, 118, "long", "column_sizes"),
            _map(109, 119, 120, "long", "value_counts"),
            _map(110, 121, 122, "long", "null_value_counts"),
            _map(137, 138, 139, "long", "nan_value_counts"),
            _map(125, 126, 127, "bytes", "lower_bounds"),
            _map(128, 129, 130, "bytes", "upper_bounds"),
            _field(131, "key_metadata", "bytes", optional=True),
            _list(132, 133, "long", "split_offsets"),
            _list(135, 136, "int", "equality_ids"),
            _field(140, "sort_order_id", "int", optional=True),
            _field(142, "first_row_id", "long", optional=True),
            _field(143, "referenced_data_file", "string", optional=True),
            _field(144, "content_offset", "long", optional=True),
            _field(145, "content_size_in_bytes", "long", optional=True),
        ],
    }
    data_file["fields"] = _of_version(data_file["fields"], format_version)
    return {
        "type": "record",
        "name": "manifest_entry",
        "fields": [
            _field(0, "status", "int"),
            _field(1, "snapshot_id", "long", optional=True),
            _field(3, "sequence_number", "long", optional=True),
            _field(4, "file_sequence_number", "long", optional=True),
            _field(2, "data_file", data_file),
        ],
    }


SUMMARY_SCHEMA: Document = {
    "type": "record",
    "name": "r508",
    "fields": [
        _field(509, "contains_null", "boolean"),
        _field(518, "contains_nan", "boolean", optional=True),
        _field(510, "lower_bound", "bytes", optional=True),
        _field(511, "upper_bound", "bytes", optional=True),
    ],
}
LIST_SCHEMA: Document = {
    "type": "record",
    "name": "manifest_file",
    "fields": [
        _field(500, "manifest_path", "string"),
        _field(501, "manifest_length", "long"),
        _field(502, "partition_spec_id", "int"),
        _field(517, "content", "int"),
        _field(515, "sequence_number", "long"),
        _field(516, "min_sequence_number", "long"),
        _field(503, "added_snapshot_id", "long"),
        _field(504, "added_files_count", "int"),
        _field(505, "existing_files_count", "int"),
        _field(506, "deleted_files_count", "int"),
        _field(512, "added_rows_count", "long"),
        _field(513, "existing_rows_count", "long"),
        _field(514, "deleted_rows_count", "long"),
        _field(
            507,
            "partitions",
            {"type": "array", "items": SUMMARY_SCHEMA, "element-id": 508},
            optional=True,
        ),
        _field(520, "first_row_id", "long", optional=True),
    ],
}


# -- files -----------------------------------------------------------------------------------------


def _pairs(values: Mapping[int, Any]) -> list[Document] | None:
    return [{"key": key, "value": value} for key, value in values.items()] or None


def manifest_bytes(manifest: Manifest, schema: Members, *, format_version: int) -> bytes:
    """Return a manifest for a table with this schema."""
    spec = manifest.spec
    types = {field["id"]: field["type"] for field in schema["fields"]}
    records = [
        {
            "status": file.state,
            "snapshot_id": file.snapshot if file.snapshot is not None else manifest.snapshot,
            "sequence_number": file.sequence,
            "file_sequence_number": file.sequence,
            "data_file": {
                "content": file.content,
                "file_path": file.path,
                "file_format": file.format,
                "partition": {
                    field["name"]: value
                    for field, value in zip(spec["fields"], file.partition, strict=True)
                },
                "record_count": file.rows,
                "file_size_in_bytes": file.size,
                "value_counts": _pairs(file.values),
                "null_value_counts": _pairs(file.nulls),
                "nan_value_counts": _pairs(file.nans),
                "lower_bounds": _pairs(file.lower),
                "upper_bounds": _pairs(file.upper),
                "key_metadata": file.key,
                "split_offsets": list(file.splits) or None,
                "sort_order_id": file.sort_order,
                "equality_ids": list(file.equality_ids) or None,
                "referenced_data_file": file.target,
                "content_offset": file.offset,
                "content_size_in_bytes": file.length,
            },
        }
        for file in manifest.files
    ]
    header = {
        "schema": json.dumps(schema),
        "schema-id": str(schema.get("schema-id", 0)),
        "partition-spec": json.dumps(spec["fields"]),
        "partition-spec-id": str(spec["spec-id"]),
        "format-version": str(format_version),
        "content": "deletes" if manifest.content else "data",
    }
    return avro(entry_schema(spec, types, format_version=format_version), records, header)


def summaries(manifest: Manifest, types: Mapping[int, str]) -> list[Document]:
    """Return the partition summary of a manifest: whether it contains null, and the bounds of
    numbers and strings.
    """
    result = []
    for place, field_ in enumerate(manifest.spec["fields"]):
        values = [file.partition[place] for file in manifest.files]
        present = [value for value in values if value is not None]
        kind = value_type(field_["transform"], types.get(field_["source-id"], ""))
        write = _WRITERS.get(kind)
        bounds = (write(min(present)), write(max(present))) if write and present else (None, None)
        # Without bounds, what is not null may be anything.
        result.append(
            {
                "contains_null": len(present) < len(values),
                "contains_nan": None,
                "lower_bound": bounds[0],
                "upper_bound": bounds[1],
            }
        )
    return result


_WRITERS: dict[str, Callable[[Any], bytes]] = {
    **dict.fromkeys(("int", "date"), lambda value: struct.pack("<i", value)),
    **dict.fromkeys(("long", "time", "timestamp", "timestamptz"), long_bound),
    "string": str.encode,
}


def list_bytes(
    manifests: Sequence[Manifest],
    *,
    schema: Members,
    snapshot: int,
    parent: int | None,
    sequence: int,
    format_version: int,
) -> bytes:
    """Return a manifest list of a table with this schema."""
    types = {field["id"]: field["type"] for field in schema["fields"]}
    records = [
        {
            "manifest_path": manifest.path,
            "manifest_length": manifest.length,
            "partition_spec_id": manifest.spec["spec-id"],
            "content": manifest.content,
            "sequence_number": manifest.sequence,
            "min_sequence_number": min(
                (
                    file.sequence if file.sequence is not None else manifest.sequence
                    for file in manifest.files
                ),
                default=manifest.sequence,
            ),
            "added_snapshot_id": manifest.snapshot,
            **{
                f"{name}_files_count": manifest.count(state)
                for name, state in (("added", ADDED), ("existing", EXISTING), ("deleted", DELETED))
            },
            **{
                f"{name}_rows_count": manifest.count(state, rows=True)
                for name, state in (("added", ADDED), ("existing", EXISTING), ("deleted", DELETED))
            },
            "partitions": summaries(manifest, types),
            "first_row_id": manifest.first_row or 0
            if format_version >= 3 and not manifest.content
            else None,
        }
        for manifest in manifests
    ]
    header = {
        "snapshot-id": str(snapshot),
        "parent-snapshot-id": "null" if parent is None else str(parent),
        "sequence-number": str(sequence),
        "format-version": str(format_version),
    }
    return avro(
        {**LIST_SCHEMA, "fields": _of_version(LIST_SCHEMA["fields"], format_version)},
        records,
        header,
    )
