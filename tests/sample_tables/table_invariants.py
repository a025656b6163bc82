"""Invariants of every table metadata document (requirements IRC-META-001 to IRC-META-016)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Document = dict[str, Any]


def broken_invariants(metadata: Document) -> list[str]:
    """Return the invariants that do not hold."""
    return [sentence for sentence, holds in _sentences(metadata) if not holds]


def _sentences(metadata: Document) -> Iterator[tuple[str, bool]]:
    yield "format-version is 1, 2 or 3", metadata["format-version"] in {1, 2, 3}
    yield "table-uuid and location are texts", bool(metadata["table-uuid"] and metadata["location"])
    yield (
        "properties are texts",
        all(isinstance(value, str) for value in metadata["properties"].values()),
    )
    yield from _numbered(metadata)
    yield from _snapshots(metadata)
    yield from _logs(metadata)
    for member in ("statistics", "partition-statistics"):
        yield (
            f"{member} are unique by snapshot",
            _unique(file["snapshot-id"] for file in metadata[member]),
        )
    if metadata["format-version"] == 1:
        current = next(
            schema
            for schema in metadata["schemas"]
            if schema["schema-id"] == metadata["current-schema-id"]
        )
        default = next(
            spec
            for spec in metadata["partition-specs"]
            if spec["spec-id"] == metadata["default-spec-id"]
        )
        yield "schema is the current schema", metadata["schema"] == current
        yield (
            "partition-spec are the default fields",
            metadata["partition-spec"] == default["fields"],
        )
    else:
        yield (
            "members of format version 1 are gone",
            not {"schema", "partition-spec"} & metadata.keys(),
        )


def _numbered(metadata: Document) -> Iterator[tuple[str, bool]]:
    for member, id_member, in_use in (
        ("schemas", "schema-id", "current-schema-id"),
        ("partition-specs", "spec-id", "default-spec-id"),
        ("sort-orders", "order-id", "default-sort-order-id"),
    ):
        ids = [item[id_member] for item in metadata[member]]
        yield f"ids of {member} are unique", _unique(ids)
        yield f"{in_use} is one of {member}", metadata[in_use] in ids
    field_ids = [field_id for schema in metadata["schemas"] for field_id in _field_ids(schema)]
    yield (
        "last-column-id covers all fields",
        metadata["last-column-id"] >= max(field_ids, default=0),
    )
    partition_ids = [
        field["field-id"] for spec in metadata["partition-specs"] for field in spec["fields"]
    ]
    yield (
        "last-partition-id covers all partition fields",
        metadata["last-partition-id"] >= max(partition_ids, default=999),
    )


def _field_ids(column_type: Any) -> Iterator[int]:
    if isinstance(column_type, str):
        return
    for field in column_type.get("fields", ()):
        yield field["id"]
        yield from _field_ids(field["type"])
    for part in ("element", "key", "value"):
        if part in column_type:
            yield column_type[f"{part}-id"]
            yield from _field_ids(column_type[part])


def _snapshots(metadata: Document) -> Iterator[tuple[str, bool]]:
    snapshots, refs = metadata["snapshots"], metadata["refs"]
    ids = [snapshot["snapshot-id"] for snapshot in snapshots]
    yield "snapshot ids are unique", _unique(ids)
    yield (
        "references are to snapshots",
        all(reference["snapshot-id"] in ids for reference in refs.values()),
    )
    yield (
        "main is the current snapshot",
        metadata.get("current-snapshot-id") == refs.get("main", {}).get("snapshot-id"),
    )
    numbers = [snapshot.get("sequence-number", 0) for snapshot in snapshots]
    yield (
        "last-sequence-number covers all snapshots",
        metadata["last-sequence-number"] >= max(numbers, default=0),
    )
    schema_ids = {schema["schema-id"] for schema in metadata["schemas"]}
    yield (
        "schemas of snapshots are known",
        {snapshot.get("schema-id") for snapshot in snapshots} <= schema_ids | {None},
    )
    if metadata["format-version"] >= 2:
        yield (
            "snapshots have sequence numbers",
            all("sequence-number" in snapshot for snapshot in snapshots),
        )
    ends = [
        snapshot["first-row-id"] + snapshot.get("added-rows", 0)
        for snapshot in snapshots
        if "first-row-id" in snapshot
    ]
    yield (
        "next-row-id is there from format version 3 on",
        ("next-row-id" in metadata) == (metadata["format-version"] == 3),
    )
    yield "next-row-id is behind all rows", metadata.get("next-row-id", 0) >= max(ends, default=0)


def _logs(metadata: Document) -> Iterator[tuple[str, bool]]:
    log = metadata["snapshot-log"]
    yield "snapshot-log is in order of time", _ascending(entry["timestamp-ms"] for entry in log)
    yield (
        "metadata-log is in order of time",
        _ascending(entry["timestamp-ms"] for entry in metadata["metadata-log"]),
    )
    if "current-snapshot-id" in metadata:
        yield (
            "snapshot-log ends with the current snapshot",
            bool(log) and log[-1]["snapshot-id"] == metadata["current-snapshot-id"],
        )
    yield (
        "last-updated-ms is not before the snapshot-log",
        not log or metadata["last-updated-ms"] >= log[-1]["timestamp-ms"],
    )


def _unique(values: Iterable[Any]) -> bool:
    listed = list(values)
    return len(set(listed)) == len(listed)


def _ascending(values: Iterable[int]) -> bool:
    listed = list(values)
    return listed == sorted(listed)
