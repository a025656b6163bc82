"""Response format parquet: lines of the protocol's own, for tables that are read from Parquet files
and partition values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lakepact.reference_server.delta_sharing.formats.links import (
    Links,
    ascii_json,
    file_id,
    once,
    size_of,
    stamps,
    stats_members,
)
from lakepact.reference_server.delta_sharing.log.active_files import Chunk

Document = dict[str, Any]

CHANGE_DATA_FEED = "enableChangeDataFeed"
NAMES = {"add": "add", "remove": "remove", "cdc": "cdf"}  #: of the lines about changes, by action


def protocol(protocol: Mapping[str, Any], *, version: int | None = None) -> Document:
    """Return the line that says what a client has to understand: nothing beyond this format."""
    del protocol, version
    return {"protocol": {"minReaderVersion": 1}}


def metadata(
    metadata: Mapping[str, Any],
    *,
    access: Mapping[str, Any],
    version: int | None = None,
    size: int | None = None,
    num_files: int | None = None,
) -> Document:
    """Return the line that says what a table is (`Format.metadata`)."""
    configuration: Mapping[str, str] = metadata.get("configuration") or {}
    feed = configuration.get(f"delta.{CHANGE_DATA_FEED}", "").lower() == "true"
    members = {
        "id": metadata["id"],
        "name": metadata.get("name"),
        "description": metadata.get("description"),
        "format": {"provider": "parquet"},
        "schemaString": metadata["schemaString"],
        "partitionColumns": metadata["partitionColumns"],
        "configuration": {CHANGE_DATA_FEED: "true"} if feed else {},
        "version": version,
        "size": size,
        "numFiles": num_files,
    }
    return {
        "metaData": {
            **{name: value for name, value in members.items() if value is not None},
            **access,
        }
    }


def file(
    action: Mapping[str, Any],
    *,
    links: Links,
    columns: Sequence[str],
    version: int | None = None,
    timestamp: int | None = None,
) -> Document:
    """Return the line of a file that a table consists of (`Format.file`)."""
    return {
        "file": _members(action, links, columns)
        | _stats(action)
        | stamps(links, version, timestamp)
    }


def change(
    kind: str,
    action: Mapping[str, Any],
    *,
    links: Links,
    columns: Sequence[str],
    version: int,
    timestamp: int,
) -> Document:
    """Return the line of a file that a version added or removed, or wrote its changed rows to
    (`Format.change`).
    """
    stats = _stats(action) if kind == "add" else {}
    return {
        NAMES[kind]: _members(action, links, columns) | stats | stamps(links, version, timestamp)
    }


def _members(action: Mapping[str, Any], links: Links, columns: Sequence[str]) -> Document:
    return {
        "url": links.url(action["path"]),
        "id": file_id(action["path"]),
        "partitionValues": _partition(action.get("partitionValues") or {}, columns),
        "size": size_of(action),
    }


def _stats(action: Mapping[str, Any]) -> Document:
    return {} if action.get("stats") is None else {"stats": action["stats"]}


def _partition(values: Mapping[str, str | None], columns: Sequence[str]) -> dict[str, str | None]:
    """Return a value for each partition column; null, too, where the log has an empty text, which
    means that, or nothing.
    """
    return {column: values.get(column) or None for column in columns}


def block(chunk: Chunk, key: Callable[[str], str], columns: Sequence[str]) -> bytes:
    """Return the lines of the files of a chunk, with gaps for what every answer has of its own."""
    partitions = once(chunk.partitions, lambda values: ascii_json(_partition(values, columns)))
    lines = [
        f'{{"file":{{"url":"\0{key(path)}\1","id":"{file_id(path)}","partitionValues":{partitions[id(values)]},"size":{size}{stats}\2}}}}\n'
        for path, values, size, stats in zip(
            chunk.paths, chunk.partitions, chunk.sizes, stats_members(chunk), strict=True
        )
    ]
    return "".join(lines).encode("ascii")
