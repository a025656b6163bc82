"""Tests whether a table shows that a commit was applied, and which of its edits are missing."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, cast

from lakepact.client.errors import Failure, IncompleteCommit
from lakepact.client.iceberg_rest.schema_edits import DECIMAL, SchemaDraft
from lakepact.client.iceberg_rest.table_draft import statistics

if TYPE_CHECKING:
    from lakepact.client.iceberg_rest.table_draft import TableDraft
    from lakepact.generated.iceberg_rest.models import (
        CommitTableRequest,
        CommitTableResponse,
        LoadTableResult,
        Schema,
        TableMetadata,
    )

_FIELD_IDS = frozenset({"id", "element-id", "key-id", "value-id"})
#: Ids in fields of partition specs and sort orders.
_ASSIGNED = frozenset({"field-id", "source-id", "source-ids"})
#: Members that an edit removes by leaving them out.
_OMITTED = frozenset(
    {"write-default", "max-ref-age-ms", "max-snapshot-age-ms", "min-snapshots-to-keep"}
)
#: Properties that stand for other members of the metadata; catalogs do not keep them.
_RESERVED = frozenset(
    {
        "format-version", "uuid", "snapshot-count", "current-snapshot-id", "current-snapshot-summary", "current-snapshot-timestamp-ms",
        "current-schema", "default-partition-spec", "default-sort-order",
    }
)  # fmt: skip


def new_snapshots(commit: CommitTableRequest) -> set[int]:
    """Return the ids of the snapshots that a commit adds."""
    updates: Any = commit.updates
    return {update.snapshot.snapshot_id for update in updates if update.action == "add-snapshot"}


def commit_response(table: LoadTableResult) -> CommitTableResponse:
    """Return a loaded table as the reply to the commit that made it."""
    from lakepact.generated.iceberg_rest.models import CommitTableResponse  # noqa: PLC0415 - models take long to import

    return CommitTableResponse(
        metadata_location=table.metadata_location or "", metadata=table.metadata
    )


def incomplete(missing: list[str]) -> IncompleteCommit:
    """Return the error of an accepted commit whose reply lacks something."""
    message = "the server accepted the commit, but the table in its reply lacks edits. "
    return IncompleteCommit(
        Failure(operation="updateTable", status=200, message=message + "; ".join(missing))
    )


def missing_snapshots(commit: CommitTableRequest, result: TableMetadata) -> list[str]:
    """Return each snapshot of a commit that a table lacks, or that its branch or tag does not
    show.
    """
    ids, updates = new_snapshots(commit), cast("Any", commit.updates)
    targets = {
        update.ref_name: update.snapshot_id
        for update in updates
        if update.action == "set-snapshot-ref" and update.snapshot_id in ids
    }
    absent = _absent(ids, result)
    return [f"snapshots: expected {id_}, which is absent" for id_ in sorted(absent)] + [
        f"refs.{name}: expected snapshot {id_}, returned {_json(_ref(result, name))}"
        for name, id_ in targets.items()
        if id_ not in absent and not _shows(result, name, id_)
    ]


def _absent(ids: set[int], metadata: TableMetadata) -> set[int]:
    """Return the ids that no snapshot has; the newest are looked at first, because reading one
    takes time.
    """
    left = set(ids)
    for place in range(len(metadata.snapshots or ()) - 1, -1, -1):
        if not left:
            break
        left.discard(metadata.snapshots[place].snapshot_id)
    return left


def _shows(metadata: TableMetadata, name: str, id_: int) -> bool:
    """Return whether a branch or tag is at a snapshot, or was before another commit moved it."""
    at = (_ref(metadata, name) or {}).get("snapshot-id")
    if at == id_:
        return True
    parents = {snapshot.snapshot_id: snapshot.parent_snapshot_id for snapshot in metadata.snapshots}
    while at is not None and at != id_:
        at = parents.pop(at, None)
    return at == id_


def missing_edits(draft: TableDraft, result: TableMetadata) -> list[str]:
    """Return each edit that a table lacks: what was expected and what the table has.

    A table that another commit changed in between lacks nothing. Ids and reserved properties may
    differ, since catalogs assign them.
    """
    if result.metadata_log and is_changed(draft, result) and not is_next(draft, result):
        return []
    facts = {**_structure(draft, result), **_others(draft, result)}
    return [
        f"{what}: expected {_json(expected)}, returned {_json(actual)}"
        for what, (expected, actual) in facts.items()
        if not _holds(expected, actual)
    ]


def is_changed(draft: TableDraft, result: TableMetadata) -> bool:
    """Return whether the log of a table shows a commit since the draft was made."""
    return result.metadata_log[-1:] != draft.metadata.metadata_log[-1:]


def is_next(draft: TableDraft, result: TableMetadata) -> bool:
    """Return whether a table is the result of one commit to the table of the draft."""
    log = result.metadata_log
    return (
        is_changed(draft, result)
        and bool(log)
        and log[-1].timestamp_ms == draft.metadata.last_updated_ms
    )


def _structure(draft: TableDraft, result: TableMetadata) -> dict[str, tuple[Any, Any]]:
    facts: dict[str, tuple[Any, Any]] = {}
    if draft.format_version != draft.metadata.format_version:
        facts["format-version"] = draft.format_version, result.format_version
    if draft.changes_schema:
        ours, theirs = draft.schema.document, result.current_schema.to_wire()
        columns = zip_longest(ours["fields"], theirs["fields"])
        expected, actual = next(
            ((field, other) for field, other in columns if not _holds(field, other)),
            (None, None),
        )
        facts["column"] = expected, actual
        facts["identifier fields"] = _identifiers(ours), _identifiers(theirs)
    if draft.changes_spec:
        spec = [field.to_wire() for field in result.default_partition_spec.fields]
        facts["default partition spec"] = _with_names(draft, result, draft.partition_fields, spec)
    if draft.sort_fields is not None:
        order = [field.to_wire() for field in result.default_sort_order.fields]
        facts["default sort order"] = _with_names(draft, result, draft.sort_fields, order)
    return facts


def _with_names(
    draft: TableDraft,
    result: TableMetadata,
    expected: list[dict[str, Any]],
    actual: list[dict[str, Any]],
) -> tuple[Any, Any]:
    """Return fields of a partition spec or sort order with the names of their columns in place of
    ids.
    """
    schema = draft.schema if draft.changes_schema else draft.metadata.current_schema
    return _sources(expected, schema), _sources(actual, result.current_schema)


def _others(draft: TableDraft, result: TableMetadata) -> dict[str, tuple[Any, Any]]:
    facts: dict[str, tuple[Any, Any]] = {}
    for update in draft.others:
        match update:
            case {"updates": updates}:
                facts |= {
                    f"properties.{name}": (value, result.properties.get(name))
                    for name, value in updates.items()
                    if name not in _RESERVED
                }
            case {"removals": names}:
                facts |= {
                    f"properties.{name}": (None, result.properties.get(name))
                    for name in names
                    if name not in _RESERVED
                }
            case {"location": location}:
                facts["location"] = location.rstrip("/"), result.location.rstrip("/")
            case {"statistics": file} | {"partition-statistics": file}:
                member, id_ = update["action"].removeprefix("set-"), file["snapshot-id"]
                facts[f"{member} of {id_}"] = file, statistics(result, member, id_)
            case {
                "action": "remove-statistics" | "remove-partition-statistics" as action,
                "snapshot-id": id_,
            }:
                member = action.removeprefix("remove-")
                facts[f"{member} of {id_}"] = None, statistics(result, member, id_)
            case {"snapshot-ids": ids}:
                facts["expired snapshots"] = [], sorted(set(ids) - _absent(set(ids), result))
            case {"action": action, "ref-name": name, **ref}:
                facts[f"refs.{name}"] = (
                    ref if action == "set-snapshot-ref" else None,
                    _ref(result, name),
                )
            case _:  # the draft makes no others
                pass
    return facts


def _names(struct: Any, path: tuple[str, ...] = ()) -> dict[int, str]:
    """Return the names of columns by id, which catalogs assign."""
    names: dict[int, str] = {}
    for field in struct.get("fields", ()):
        there = (*path, field["name"])
        names[field["id"]] = ".".join(there)
        if isinstance(field["type"], dict):
            names |= _names(field["type"], there)
    return names


def _identifiers(schema: dict[str, Any]) -> list[str]:
    names = _names(schema)
    return sorted(names.get(id_, "") for id_ in schema.get("identifier-field-ids") or ())


def _sources(fields: list[dict[str, Any]], schema: SchemaDraft | Schema) -> list[dict[str, Any]]:
    names = _names(schema.document if isinstance(schema, SchemaDraft) else schema.to_wire())
    return [
        {
            "column": names.get(field.get("source-id", 0)),
            **{name: value for name, value in field.items() if name not in _ASSIGNED},
        }
        for field in fields
        if field["transform"] != "void"
    ]


def _ref(result: TableMetadata, name: str) -> dict[str, Any] | None:
    if ref := result.refs.get(name):
        return dict(ref.to_wire())
    snapshot = (
        result.current_snapshot_id if name == "main" else None
    )  # older servers do not write it as a ref
    return None if snapshot in (None, -1) else {"type": "branch", "snapshot-id": snapshot}


def _holds(expected: Any, actual: Any) -> bool:
    """Return whether a document has the members of another, but for field ids, empty members and
    spaces in decimal types.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        return all(
            name in _FIELD_IDS or _holds(expected.get(name), actual.get(name))
            for name in expected.keys() | (_OMITTED & actual.keys())
        )
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(_holds, expected, actual))
    if isinstance(expected, str) and isinstance(actual, str):
        return DECIMAL.sub(r"decimal(\1,\2)", expected) == DECIMAL.sub(r"decimal(\1,\2)", actual)
    return (expected or None) == (actual or None)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
