"""Completion of a commit: checks after all updates, and derived members."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.iceberg_rest.documents import refusal
from lakepact.reference_server.iceberg_rest.tables.metadata import first_version_members, with_id
from lakepact.reference_server.iceberg_rest.tables.partitioning import unpartitioned
from lakepact.reference_server.iceberg_rest.tables.schemas import columns
from lakepact.reference_server.iceberg_rest.tables.sorting import unsorted
from lakepact.reference_server.iceberg_rest.tables.transforms import check_transform

if TYPE_CHECKING:
    from lakepact.generated.iceberg_rest.documents import SnapshotLogItem, TableMetadata
    from lakepact.reference_server.iceberg_rest.updates.draft import Draft, Member

_NEEDED: dict[Member, str] = {
    "location": "set-location",
    "schemas": "add-schema",
    "current-schema-id": "set-current-schema",
}
_CHOSEN: dict[Member, str] = {
    "default-spec-id": "set-default-spec",
    "default-sort-order-id": "set-default-sort-order",
}
_DEFAULTS = frozenset({"current-schema-id", *_CHOSEN})


def complete(draft: Draft) -> TableMetadata:
    """Return the document that the commit stores.

    Raises:
        Problem: 400, the table is not complete, or its default spec or sort order does not fit its
            current schema.
    """
    draft.list_members()
    if draft.creating:
        _complete_creation(draft)
    if draft.touched & _DEFAULTS:
        _check_defaults(draft)
    if draft.format_version == 1 and draft.touched & {*_DEFAULTS, "format-version"}:
        members = first_version_members(draft.document)
        draft.set("schema", members["schema"])
        draft.set("partition-spec", members["partition-spec"])
    if draft.touched:
        _advance_time(draft)
    document: TableMetadata = draft.document
    return document


def _complete_creation(draft: Draft) -> None:
    for member, action in _NEEDED.items():
        if draft.get(member) in (None, []):
            raise refusal(
                "/updates",
                f"{action} is missing: a commit that creates a table brings all of it; stage the"
                " creation to see what",
            )
    if draft.get("table-uuid") is None:
        draft.set("table-uuid", str(uuid.uuid4()))
    if not draft.items("partition-specs"):
        draft.own_list("partition-specs").append(unpartitioned())
        draft.set("default-spec-id", 0)
    if not draft.items("sort-orders"):
        draft.own_list("sort-orders").append(unsorted())
        draft.set("default-sort-order-id", 0)
    for member, action in _CHOSEN.items():
        if draft.get(member) is None:
            raise refusal(
                "/updates",
                f"{action} is missing: a commit that creates a table says which of those that it"
                " adds is the default",
            )


def _check_defaults(draft: Draft) -> None:
    schema = with_id(draft.items("schemas"), "schema-id", draft.get("current-schema-id"))
    spec = with_id(draft.items("partition-specs"), "spec-id", draft.get("default-spec-id"))
    order = with_id(draft.items("sort-orders"), "order-id", draft.get("default-sort-order-id"))
    if schema is None or not ((spec and spec["fields"]) or (order and order["fields"])):
        return
    by_id = columns(schema, "/updates", format_version=draft.format_version)
    for name, default in {"partition spec": spec, "sort order": order}.items():
        for index, field in enumerate(default["fields"] if default else ()):
            try:
                check_transform(field, by_id, f"/fields/{index}")
            except Problem as problem:
                why = (
                    f"the default {name} does not fit the current schema, {schema['schema-id']}:"
                    f" {problem.message}"
                )
                raise refusal("/updates", why) from None


def _advance_time(draft: Draft) -> None:
    log: list[SnapshotLogItem] = draft.items("snapshot-log")
    before: int = draft.get("last-updated-ms") or 0
    draft.set("last-updated-ms", max(before, draft.now_ms, log[-1]["timestamp-ms"] if log else 0))
