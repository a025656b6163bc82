"""Builders of table updates, and assertions that an update is applied or refused."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lakepact.conformance.checks.iceberg_rest.kit.lab import (
    REFUSED,
    CatalogLab,
    Table,
    set_properties,
    set_ref,
    with_hyphens,
    without_nulls,
)
from lakepact.conformance.evidence.differences import Kind, pointer
from lakepact.conformance.evidence.exchanges import Document, Members, Place
from lakepact.conformance.evidence.outcome import SUCCESS, Blocked, Mutation, NotOffered, Wrong
from lakepact.conformance.judging import expect
from lakepact.generated.iceberg_rest import documents, op

#: What is wrong with a commit, and its updates.
Refusal = tuple[Mutation, Sequence[Members]]


LAST_ADDED = -1  #: stands for the schema, spec or order that the same commit added last
NOWHERE = 999  #: an id that no schema, spec or order of a small table has
FIRST_FIELD = 1000  #: the id of the first partition field of a table
SECOND = 1  #: the id that clients propose for the first spec or order that is added to a new table
UNSUPPORTED = (400, 406)  #: statuses of a commit with what only views have, or only tables
REQUESTED = 77  #: an id that a request proposes although ids are the server's to give
NOT_ADDED = Wrong.ABSENT("addition")  #: -1 without an addition in the same commit
DOWNGRADE = Wrong.VALUE("lower format version", "for a lower format version")
UNKNOWN_ACTION = Wrong.VALUE("/updates/*/action")
UNKNOWN_UPDATE = {
    "action": "lakepact-no-such-action",
    "updates": {"lakepact": "unknown"},
}  #: of no version of the contract


# -- what a target does with a commit --------------------------------------------------------------


def expect_own_id(actual: Any, existing: Iterable[Any], *, at: Place) -> None:
    """Expect an id that neither the request proposed nor the table had."""
    others = ", ".join(map(str, [REQUESTED, *existing]))
    expect.true(
        actual not in (REQUESTED, None, *existing),
        f"an id of the server's own, other than {others}",
        actual,
        at=at,
        kind=Kind.SURPLUS,
    )


def judge_refusals(
    lab: CatalogLab,
    requirement: str,
    table: Table,
    cases: Mapping[str, Refusal],
    *,
    allowed: Sequence[int] = (400,),
    right: Sequence[Members] = (),
) -> None:
    """Judge a requirement by commits that the target has to refuse.

    Args:
        lab: the bench.
        requirement: its id.
        table: the table that they are for.
        cases: what is wrong with each commit, in words and as a mutation, and its updates.
        allowed: statuses of a refusal.
        right: the updates as they would be accepted; by default one that any table accepts.

    Raises:
        Blocked: the target refuses right updates too, so that the refusals show nothing.
    """
    replies = {wrong: lab.try_commit(table, *updates) for wrong, (_, updates) in cases.items()}
    if all(reply.status in allowed for reply in replies.values()):
        lab.require(lab.try_commit(table, *(right or [set_properties(lakepact="right")])), *SUCCESS)
    for wrong, reply in lab.each(replies.items()):
        with lab.judge(requirement):
            expect.status(reply, *allowed, about=f"for {wrong}", mutation=cases[wrong][0])


def without(update: Members, *path: str) -> Document:
    """Return the update less the member at `path`."""
    rest: Document = copy.deepcopy(dict(update))
    inner = rest
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return rest


def lacking(update: Members, *path: str) -> Refusal:
    """Return a commit of the update less the required member at `path`."""
    return Wrong.MISSING(f"/updates/*{pointer(*path)}"), [without(update, *path)]


def unknown_id(update: Members, member: str) -> Refusal:
    """Return a commit of an update whose `member` is the id of nothing."""
    return Wrong.UNKNOWN_ID(f"/updates/*/{member}"), [update]


def impossible(table: Table) -> dict[str, tuple[str, Mutation, Sequence[Members]]]:
    """Return commits that no table accepts: the requirement by which each is refused, its mistake,
    and its updates.
    """
    ghost = add_spec(partition_field(NOWHERE, "identity", "nothing", field_id=next_field(table)))
    return {
        "an unknown current schema": (
            "IRC-UPD-020",
            *unknown_id(set_current_schema(NOWHERE), "schema-id"),
        ),
        "an unknown default spec": (
            "IRC-UPD-028",
            *unknown_id(set_default_spec(NOWHERE), "spec-id"),
        ),
        "an unknown default sort order": (
            "IRC-UPD-034",
            *unknown_id(set_default_sort_order(NOWHERE), "sort-order-id"),
        ),
        "a branch at an unknown snapshot": (
            "IRC-UPD-046",
            *unknown_id(set_ref("main", 1), "snapshot-id"),
        ),
        "a spec of an unknown column": (
            "IRC-UPD-024",
            *unknown_id(ghost, "spec/fields/*/source-id"),
        ),
    }


# -- tables ----------------------------------------------------------------------------------------


def table_of_version(lab: CatalogLab, version: int, **members: Any) -> Table:
    """Return a new table of a format version.

    Args:
        lab: the bench.
        version: the format version, asked for in the way clients do, and reached by an upgrade if
            that is not listened to.
        members: further members of the request that creates it.

    Raises:
        NotOffered: the target makes no such tables.
        StepFailed: an upgrade is answered with neither success nor a refusal.
        Blocked: the target fails to make one, or makes no table at all.
    """
    home, name = lab.make_namespace(), lab.name()
    request = lab.table_request(name, **members, properties={"format-version": str(version)})
    reply = lab.require(lab.send(op.create_table, namespace=home, body=request), *SUCCESS, *REFUSED)
    if reply.status in SUCCESS:
        lab.drop_afterwards(home, name)
        table = lab.with_metadata(Table(home, name, reply))
        if table.member("format-version") < version:
            reply = lab.try_commit(table, upgrade_format_version(version))
            if reply.status not in REFUSED:
                with lab.step("IRC-UPD-005"):
                    expect.status(
                        reply, *SUCCESS, about=f"for an upgrade to format version {version}"
                    )
            table = (
                lab.with_metadata(Table(home, name, reply)) if reply.status in SUCCESS else table
            )
        if reply.status in SUCCESS and table.member("format-version") == version:
            return table
    lab.make_table(home)  # A target that refuses every table is not one without the version.
    raise NotOffered(f"the target makes no tables of format version {version}")


def current_schema(table: Table) -> Document:
    """Return the table's current schema.

    Raises:
        Blocked: there is none; an invariant of all metadata fails for that.
    """
    schema_id = table.member("current-schema-id")
    for schema in table.member("schemas"):
        if schema.get("schema-id") == schema_id:
            current: Document = schema
            return current
    raise Blocked(
        f"no schema has the id {schema_id}, which is the current one (IRC-META-002):"
        f" {expect.excerpt(table.member('schemas'))}"
    )


def column(table: Table, name: str) -> int:
    """Return the id that the target gave to a column of the current schema.

    Raises:
        Unmet: there is no such column.
    """
    ids = columns(current_schema(table))
    expect.contains(name, ids, "the current schema", at=table.place("schemas"))
    return ids[name]


def columns(schema: Members) -> dict[str, int]:
    """Return names of the columns of a schema, and their ids."""
    return {field["name"]: field["id"] for field in schema["fields"]}


def schema_with(table: Table, *fields: Members, skip: int = 0) -> Document:
    """Return the current schema with further columns; `skip` leaves out the next ids of schemas.

    Like all clients it proposes an id that no schema has: that a server insists on one is judged by
    a check of its own.
    """
    schema = current_schema(table)
    ids = [
        value
        for schema in table.member("schemas")
        if isinstance(value := schema.get("schema-id"), int)
    ]
    return {
        **schema,
        "schema-id": max(ids, default=0) + 1 + skip,
        "fields": [*schema["fields"], *fields],
    }


def next_column(table: Table, name: str, kind: Any = "string", *, skip: int = 0) -> Document:
    """Return a column whose id was never used in the table; `skip` leaves out the next ids."""
    return {
        "id": table.member("last-column-id") + 1 + skip,
        "name": name,
        "type": kind,
        "required": False,
    }


def next_field(table: Table, *, skip: int = 0) -> int:
    """Return an id that no partition field of the table ever had; `skip` leaves out the next
    ids.
    """
    last: int = table.metadata.get("last-partition-id", FIRST_FIELD - 1)
    return last + 1 + skip


# -- updates ---------------------------------------------------------------------------------------


def assign_uuid(uuid: str) -> documents.AssignUUIDUpdate:
    """Return an update that gives the table a UUID."""
    return {"action": "assign-uuid", "uuid": uuid}


def upgrade_format_version(version: int) -> documents.UpgradeFormatVersionUpdate:
    """Return an update that raises the format version."""
    return {"action": "upgrade-format-version", "format-version": version}


def add_schema(schema: Members, **members: Any) -> Document:
    """Return an update that adds a schema; `members` are further ones, named with underscores for
    hyphens, `None` leaves one out.

    Like many clients, it sends the deprecated `last-column-id`; another check leaves that out.
    """
    others = {"last_column_id": max(_field_ids(schema), default=0), **members}
    return {
        "action": "add-schema",
        "schema": dict(schema),
        **without_nulls(with_hyphens(others)),
    }


def add_column(table: Table, name: str, kind: Any = "string") -> Document:
    """Return an update that adds the current schema with one more column."""
    return add_schema(schema_with(table, next_column(table, name, kind)))


def _field_ids(schema: Any) -> Iterator[int]:
    """Yield the ids of all columns of a schema and of their parts."""
    if isinstance(schema, dict):
        yield from (
            value
            for name in ("id", "element-id", "key-id", "value-id")
            if type(value := schema.get(name)) is int
        )
    parts = (
        schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    )
    for part in parts:
        yield from _field_ids(part)


def set_current_schema(schema_id: int) -> documents.SetCurrentSchemaUpdate:
    """Return an update that makes a schema the current one."""
    return {"action": "set-current-schema", "schema-id": schema_id}


def remove_schemas(*schema_ids: int) -> documents.RemoveSchemasUpdate:
    """Return an update that removes schemas."""
    return {"action": "remove-schemas", "schema-ids": list(schema_ids)}


def partition_field(
    source_id: int, transform: str, name: str, *, field_id: int | None = None
) -> Document:
    """Return a field of a partition spec.

    Clients say its id (`next_field`): that a server insists on one is judged by checks that leave
    it out.
    """
    field = {"source-id": source_id, "transform": transform, "name": name}
    return field if field_id is None else {**field, "field-id": field_id}


def field_of(table: Table, name: str, transform: str, field_name: str) -> Document:
    """Return a partition field of a column, with an id that no field of the table ever had."""
    return partition_field(column(table, name), transform, field_name, field_id=next_field(table))


def add_spec(*fields: Members, spec_id: int | None = SECOND) -> Document:
    """Return an update that adds a partition spec; it proposes `spec_id` unless that is None."""
    spec: Document = {"fields": list(fields)}
    return {"action": "add-spec", "spec": spec if spec_id is None else {"spec-id": spec_id, **spec}}


def set_default_spec(spec_id: int) -> documents.SetDefaultSpecUpdate:
    """Return an update that makes a partition spec the default one."""
    return {"action": "set-default-spec", "spec-id": spec_id}


def remove_partition_specs(*spec_ids: int) -> documents.RemovePartitionSpecsUpdate:
    """Return an update that removes partition specs."""
    return {"action": "remove-partition-specs", "spec-ids": list(spec_ids)}


def sort_field(
    source_id: int,
    *,
    transform: str = "identity",
    direction: str = "asc",
    null_order: str = "nulls-first",
) -> documents.SortField:
    """Return a field of a sort order."""
    return {
        "source-id": source_id,
        "transform": transform,
        "direction": direction,
        "null-order": null_order,
    }


def add_sort_order(*fields: Members, order_id: int = SECOND) -> Document:
    """Return an update that adds a sort order; it proposes `order_id`, because the contract
    requires the member.
    """
    return {
        "action": "add-sort-order",
        "sort-order": {"order-id": order_id, "fields": list(fields)},
    }


def set_default_sort_order(order_id: int) -> documents.SetDefaultSortOrderUpdate:
    """Return an update that makes a sort order the default one."""
    return {"action": "set-default-sort-order", "sort-order-id": order_id}


def add_snapshot(snapshot: Members) -> Document:
    """Return an update that adds a snapshot."""
    return {"action": "add-snapshot", "snapshot": dict(snapshot)}


def remove_snapshots(*snapshot_ids: int) -> documents.RemoveSnapshotsUpdate:
    """Return an update that removes snapshots."""
    return {"action": "remove-snapshots", "snapshot-ids": list(snapshot_ids)}


def remove_ref(ref: str) -> documents.RemoveSnapshotRefUpdate:
    """Return an update that removes a branch or tag."""
    return {"action": "remove-snapshot-ref", "ref-name": ref}


def set_location(location: str) -> documents.SetLocationUpdate:
    """Return an update that moves the table."""
    return {"action": "set-location", "location": location}


def remove_properties(*keys: str) -> documents.RemovePropertiesUpdate:
    """Return an update that removes table properties."""
    return {"action": "remove-properties", "removals": list(keys)}


def statistics_file(
    table: Table, snapshot_id: int, *, name: str = "first"
) -> documents.StatisticsFile:
    """Return a statistics file of one blob for a snapshot; it is only named, never written."""
    blob: documents.BlobMetadata = {
        "type": "apache-datasketches-theta-v1",
        "snapshot-id": snapshot_id,
        "sequence-number": 1,
        "fields": [column(table, "id")],
        "properties": {"ndv": "3"},
    }
    return {
        "snapshot-id": snapshot_id,
        "statistics-path": f"{table.location}/metadata/{name}.stats",
        "file-size-in-bytes": 413,
        "file-footer-size-in-bytes": 42,
        "blob-metadata": [blob],
    }


def set_statistics(file: Members, **members: Any) -> Document:
    """Return an update that gives a snapshot a statistics file; `members` are further ones, as in
    `add_schema`.

    Like many clients, it sends the deprecated `snapshot-id`; another check leaves that out.
    """
    others = {"snapshot_id": file.get("snapshot-id"), **members}
    return {
        "action": "set-statistics",
        **without_nulls(with_hyphens(others)),
        "statistics": dict(file),
    }


def remove_statistics(snapshot_id: int) -> documents.RemoveStatisticsUpdate:
    """Return an update that takes a snapshot's statistics file away."""
    return {"action": "remove-statistics", "snapshot-id": snapshot_id}


def set_partition_statistics(file: Members) -> Document:
    """Return an update that gives a snapshot a partition statistics file."""
    return {"action": "set-partition-statistics", "partition-statistics": dict(file)}


def remove_partition_statistics(snapshot_id: int) -> documents.RemovePartitionStatisticsUpdate:
    """Return an update that takes a snapshot's partition statistics file away."""
    return {"action": "remove-partition-statistics", "snapshot-id": snapshot_id}


def add_encryption_key(key: Members) -> Document:
    """Return an update that adds an encryption key."""
    return {"action": "add-encryption-key", "encryption-key": dict(key)}


def remove_encryption_key(key_id: str) -> documents.RemoveEncryptionKeyUpdate:
    """Return an update that removes an encryption key."""
    return {"action": "remove-encryption-key", "key-id": key_id}


def partition_statistics_file(
    table: Table, snapshot_id: int, *, name: str = "first"
) -> documents.PartitionStatisticsFile:
    """Return a partition statistics file for a snapshot; it is only named, never written."""
    path = f"{table.location}/metadata/{name}.partition-stats.parquet"
    return {"snapshot-id": snapshot_id, "statistics-path": path, "file-size-in-bytes": 99}


def files(table: Table, member: str = "statistics") -> dict[Any, list[Any]]:
    """Return the paths of a table's statistics files by snapshot; none where it has no such
    member.
    """
    paths: dict[Any, list[Any]] = {}
    for file in table.metadata.get(member) or ():
        paths.setdefault(file.get("snapshot-id"), []).append(file.get("statistics-path"))
    return paths
