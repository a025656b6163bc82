"""Edits that the table in the reply to a commit lacks, and what shows that a commit was applied."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from lakepact.client.iceberg_rest.schema_edits import DECIMAL
from lakepact.client.iceberg_rest.table_draft import statistics

if TYPE_CHECKING:
    from lakepact.client.iceberg_rest.table_draft import TableDraft
    from lakepact.generated.iceberg_rest.models import CommitTableRequest, TableMetadata

_FIELD_IDS = frozenset({"id", "element-id", "key-id", "value-id"})
#: Properties that stand for other members of the metadata; catalogs do not keep them.
_RESERVED = frozenset(
    {
        "format-version", "uuid", "snapshot-count", "current-snapshot-id", "current-snapshot-summary", "current-snapshot-timestamp-ms",
        "current-schema", "default-partition-spec", "default-sort-order",
    }
)  # fmt: skip


def added_snapshots(commit: CommitTableRequest) -> set[int]:
    """Return the ids of the snapshots that a commit adds."""
    updates: Any = commit.updates
    return {update.snapshot.snapshot_id for update in updates if update.action == "add-snapshot"}


def missing_edits(draft: TableDraft, result: TableMetadata) -> list[str]:
    """Return each edit that a table lacks: what was expected and what the table has.

    A table that another commit changed in between lacks nothing. Ids and reserved properties may differ, since catalogs assign them.
    """
    log = result.metadata_log
    if log and log[-1].timestamp_ms != draft.metadata.last_updated_ms:
        return []
    facts = {**_structure(draft, result), **_others(draft, result)}
    return [
        f"{what}: expected {_json(wanted)}, returned {_json(found)}"
        for what, (wanted, found) in facts.items()
        if not _holds(wanted, found)
    ]


def _structure(draft: TableDraft, result: TableMetadata) -> dict[str, tuple[Any, Any]]:
    facts: dict[str, tuple[Any, Any]] = {}
    if draft.format_version != draft.metadata.format_version:
        facts["format-version"] = draft.format_version, result.format_version
    if draft.changes_schema:
        columns = zip_longest(
            draft.schema.document["fields"], result.current_schema.to_wire()["fields"]
        )
        wanted, found = next(
            ((wanted, found) for wanted, found in columns if not _holds(wanted, found)),
            (None, None),
        )
        facts["column"] = wanted, found
    if draft.changes_spec:
        fields = [field.to_wire() for field in result.default_partition_spec.fields]
        facts["default partition spec"] = _partitions(draft.partition_fields), _partitions(fields)
    if draft.sort_fields is not None:
        facts["default sort order"] = (
            draft.sort_fields,
            [field.to_wire() for field in result.default_sort_order.fields],
        )
    return facts


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
            case {"action": action, "ref-name": name, **ref}:
                facts[f"refs.{name}"] = (
                    ref if action == "set-snapshot-ref" else None,
                    _ref(result, name),
                )
            case _:  # the draft makes no others
                pass
    return facts


def _partitions(fields: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"name": field["name"], "transform": field["transform"]}
        for field in fields
        if field["transform"] != "void"
    ]


def _ref(result: TableMetadata, name: str) -> dict[str, Any] | None:
    if found := result.refs.get(name):
        return dict(found.to_wire())
    snapshot = (
        result.current_snapshot_id if name == "main" else None
    )  # older servers do not write it as a ref
    return None if snapshot in (None, -1) else {"type": "branch", "snapshot-id": snapshot}


def _holds(wanted: Any, found: Any) -> bool:
    """Return whether a document has the members of another, but for field ids, empty members and spaces in decimal types."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(
            name in _FIELD_IDS or _holds(value, found.get(name)) for name, value in wanted.items()
        )
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(_holds, wanted, found))
    if isinstance(wanted, str) and isinstance(found, str):
        return DECIMAL.sub(r"decimal(\1,\2)", wanted) == DECIMAL.sub(r"decimal(\1,\2)", found)
    return (wanted or None) == (found or None)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
