"""Hand-written logs of Delta tables: commits, checkpoints of every kind, and a model of their
result.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

PROTOCOL = {"minReaderVersion": 1, "minWriterVersion": 2}
SCHEMA = {
    "type": "struct",
    "fields": [
        {"name": name, "type": "string", "nullable": True, "metadata": {}} for name in ("a", "p")
    ],
}
METADATA = {
    "id": "b4e9b2d0-0d2b-4f54-8c0f-6c7a0b6f7a11",
    "format": {"provider": "parquet", "options": {}},
    "schemaString": json.dumps(SCHEMA),
    "partitionColumns": ["p"],
    "configuration": {},
    "createdTime": 1_700_000_000_000,
}
HEAD = ({"protocol": PROTOCOL}, {"metaData": METADATA})
VECTOR = {
    "storageType": "u",
    "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
    "offset": 1,
    "sizeInBytes": 40,
    "cardinality": 6,
}


def metadata(**configuration: str) -> dict[str, Any]:
    """Return a metaData action with settings; `__` stands for a dot."""
    return {
        "metaData": METADATA
        | {
            "configuration": {
                name.replace("__", "."): value for name, value in configuration.items()
            }
        }
    }


def add(path: str | None, **members: Any) -> dict[str, Any]:
    """Return an add action."""
    return {
        "add": {
            "path": path,
            "partitionValues": {"p": "x"},
            "size": 10,
            "modificationTime": 1,
            "dataChange": True,
        }
        | members
    }


def remove(path: str, **members: Any) -> dict[str, Any]:
    """Return a remove action."""
    return {
        "remove": {
            "path": path,
            "deletionTimestamp": 1,
            "dataChange": True,
            "partitionValues": {"p": "x"},
            "size": 10,
        }
        | members
    }


def paths(snapshot: Any) -> list[str]:
    """Return the paths of the files of a version."""
    return [file["path"] for file in snapshot.files]


class Table:
    """The folder of a table whose log is written by hand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "_delta_log"
        self.log.mkdir(parents=True)

    def commit(self, version: int, *actions: dict[str, Any]) -> Path:
        """Write a commit."""
        return self.write(f"{version:020}.json", *actions)

    def write(self, name: str, *actions: dict[str, Any]) -> Path:
        """Write a file of JSON lines."""
        path = self.log / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{json.dumps(action)}\n" for action in actions))
        return path

    def classic(self, version: int, *actions: dict[str, Any]) -> Path:
        """Write a checkpoint of one file."""
        return self.parquet(f"{version:020}.checkpoint.parquet", *actions)

    def multipart(self, version: int, *parts: list[dict[str, Any]]) -> list[Path]:
        """Write a checkpoint of several files."""
        count = len(parts)
        return [
            self.parquet(f"{version:020}.checkpoint.{n:010}.{count:010}.parquet", *part)
            for n, part in enumerate(parts, 1)
        ]

    def second_version(
        self,
        version: int,
        *actions: dict[str, Any],
        sidecars: list[list[dict[str, Any]]],
        kind: str,
    ) -> Path:
        """Write a checkpoint of the second version, whose adds are in sidecars."""
        written = [self.parquet(f"_sidecars/{uuid.uuid4()}.parquet", *part) for part in sidecars]
        lines = [
            {"checkpointMetadata": {"version": version}},
            *actions,
            *(
                {
                    "sidecar": {
                        "path": path.name,
                        "sizeInBytes": path.stat().st_size,
                        "modificationTime": 1,
                    }
                }
                for path in written
            ),
        ]
        write = self.parquet if kind == "parquet" else self.write
        return write(f"{version:020}.checkpoint.{uuid.uuid4()}.{kind}", *lines)

    def parquet(self, name: str, *actions: dict[str, Any]) -> Path:
        """Write actions as the rows of a Parquet file."""
        path = self.log / name
        path.parent.mkdir(exist_ok=True)
        kinds = list(dict.fromkeys(kind for action in actions for kind in action)) or ["add"]
        columns = {
            kind: pa.array([action.get(kind) for action in actions], TYPES.get(kind))
            for kind in kinds
        }
        pq.write_table(pa.table(columns), path)
        return path


STRINGS = pa.map_(pa.string(), pa.string())
VECTORS = pa.struct(
    [
        ("storageType", pa.string()),
        ("pathOrInlineDv", pa.string()),
        ("offset", pa.int32()),
        ("sizeInBytes", pa.int32()),
        ("cardinality", pa.int64()),
    ]
)
ADD = pa.struct(
    [
        ("path", pa.string()),
        ("partitionValues", STRINGS),
        ("size", pa.int64()),
        ("modificationTime", pa.int64()),
        ("dataChange", pa.bool_()),
        ("stats", pa.string()),
        ("tags", STRINGS),
        ("deletionVector", VECTORS),
        ("baseRowId", pa.int64()),
        ("defaultRowCommitVersion", pa.int64()),
    ]
)
TYPES = {
    "add": ADD,
    "metaData": pa.struct(
        [
            ("id", pa.string()),
            ("name", pa.string()),
            ("format", pa.struct([("provider", pa.string()), ("options", STRINGS)])),
            ("schemaString", pa.string()),
            ("partitionColumns", pa.list_(pa.string())),
            ("configuration", STRINGS),
            ("createdTime", pa.int64()),
        ]
    ),
    "protocol": pa.struct(
        [
            ("minReaderVersion", pa.int32()),
            ("minWriterVersion", pa.int32()),
            ("readerFeatures", pa.list_(pa.string())),
            ("writerFeatures", pa.list_(pa.string())),
        ]
    ),
    "remove": pa.struct(
        [("path", pa.string()), ("deletionTimestamp", pa.int64()), ("dataChange", pa.bool_())]
    ),
}
