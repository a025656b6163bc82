"""Scan requests: the snapshots, schema and filter of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.iceberg_rest.documents import optional_integer, refusal
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from lakepact.reference_server.iceberg_rest.scan_planning.expressions import (
    ALWAYS,
    Expression,
    expression,
)
from lakepact.reference_server.iceberg_rest.scan_planning.names import names_of
from lakepact.reference_server.iceberg_rest.tables.schemas import types_by_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lakepact.generated.iceberg_rest.documents import (
        PartitionSpec,
        PlanTableScanRequest,
        Snapshot,
        TableMetadata,
    )
    from lakepact.reference_server.iceberg_rest.scan_planning.names import Names


@dataclass(frozen=True, slots=True)
class Scan:
    """One scan of one table."""

    snapshots: tuple[
        Snapshot, ...
    ]  #: the one whose files are scanned, or those whose additions are; none for an empty table
    incremental: bool
    filter: Expression
    has_filter: bool  #: whether the request had a filter
    stats: frozenset[int]  #: ids of the columns whose statistics are wanted
    specs: Mapping[int, PartitionSpec]
    types: Mapping[int, Any]


def scan(metadata: TableMetadata, body: PlanTableScanRequest) -> Scan:
    """Return the scan that a request asks for.

    Raises:
        Problem: 400, it contradicts itself, or is about what the table does not have.
    """
    ids = {
        m: optional_integer(body, m, "")
        for m in ("snapshot-id", "start-snapshot-id", "end-snapshot-id")
    }
    if ids["snapshot-id"] is not None and (
        ids["start-snapshot-id"] is not None or ids["end-snapshot-id"] is not None
    ):
        raise bad_request(
            "snapshot-id is for a scan of one snapshot, start-snapshot-id and end-snapshot-id for"
            " one between two; send either"
        )
    if ids["start-snapshot-id"] is not None and ids["end-snapshot-id"] is None:
        raise bad_request("start-snapshot-id needs end-snapshot-id, with which the scan ends")
    incremental = ids["end-snapshot-id"] is not None
    by_id = {snapshot["snapshot-id"]: snapshot for snapshot in metadata.get("snapshots") or ()}
    last = _snapshot(metadata, by_id, ids)
    names = _names(metadata, body, last)
    whole = ALWAYS if body.get("filter") is None else expression(body["filter"], names)
    for index, name in enumerate(body.get("select") or ()):
        names.check(name, f"/select/{index}")
    stats = frozenset(
        names.column(name, f"/stats-fields/{index}").id
        for index, name in enumerate(body.get("stats-fields") or ())
    )
    snapshots = (
        ()
        if last is None
        else _between(by_id, last, ids["start-snapshot-id"])
        if incremental
        else (last,)
    )
    return Scan(
        snapshots=snapshots,
        incremental=incremental,
        filter=whole,
        has_filter=body.get("filter") is not None,
        stats=stats,
        specs=_specs(metadata),
        types=_types(metadata),
    )


def _snapshot(
    metadata: TableMetadata, by_id: Mapping[int, Snapshot], ids: Mapping[str, int | None]
) -> Snapshot | None:
    """Return the snapshot that is scanned, or the last one of a scan between two; by default that
    of the branch main.
    """
    for member in ("snapshot-id", "end-snapshot-id"):
        id_ = ids[member]
        if id_ is not None:
            if id_ not in by_id:
                raise refusal(f"/{member}", f"the table has no snapshot {id_}")
            return by_id[id_]
    main = (
        (metadata.get("refs") or {})
        .get("main", {})
        .get("snapshot-id", metadata.get("current-snapshot-id"))
    )
    return None if main is None else by_id.get(main)


def _between(
    by_id: Mapping[int, Snapshot], last: Snapshot, start: int | None
) -> tuple[Snapshot, ...]:
    """Return the snapshots behind `start` up to `last`, of those that appended files; all of its
    ancestors without `start`.
    """
    result: list[Snapshot] = []
    current: Snapshot | None = last
    while current is not None and current["snapshot-id"] != start:
        result.append(current)
        parent = current.get("parent-snapshot-id")
        if parent == start and start is not None:
            break
        current = None if parent is None or len(result) > len(by_id) else by_id.get(parent)
    else:
        if start is not None and current is None:
            raise refusal(
                "/start-snapshot-id",
                f"the snapshot {start} is no ancestor of {last['snapshot-id']}, or it is not known"
                " any more",
            )
    return tuple(
        one
        for one in reversed(result)
        if (one.get("summary") or {}).get("operation", "append") == "append"
    )


def _names(metadata: TableMetadata, body: PlanTableScanRequest, last: Snapshot | None) -> Names:
    """Return the columns of the table's schema, or of that of the snapshot if the request asks for
    it.
    """
    schema_id = metadata.get("current-schema-id")
    if body.get("use-snapshot-schema") and last is not None and last.get("schema-id") is not None:
        schema_id = last["schema-id"]
    schemas = metadata.get("schemas") or [metadata["schema"]]
    schema = next(
        (schema for schema in schemas if schema.get("schema-id", 0) == schema_id),
        metadata.get("schema") or schemas[-1],
    )
    case_sensitive = body.get("case-sensitive") is not False
    return names_of(
        schema, format_version=metadata["format-version"], case_sensitive=case_sensitive
    )


def _specs(metadata: TableMetadata) -> Mapping[int, PartitionSpec]:
    specs: list[PartitionSpec] = metadata.get("partition-specs") or [
        {"spec-id": 0, "fields": metadata.get("partition-spec") or []}
    ]
    return {spec["spec-id"]: spec for spec in specs}


def _types(metadata: TableMetadata) -> Mapping[int, Any]:
    """Return the type of every column that the table ever had; the current schema has the last
    word.
    """
    schemas = metadata.get("schemas") or [metadata["schema"]]
    current = metadata.get("current-schema-id")
    result: dict[int, Any] = {}
    for schema in sorted(
        schemas, key=lambda one: (one.get("schema-id") == current, one.get("schema-id", 0))
    ):
        result |= types_by_id(schema)
    return result
