"""Commits that create a table and leave out or change part of what they say of its history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakepact.reference_server.faults import Fault

from .tables_staged import making

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lakepact.reference_server.iceberg_rest.documents import Document


def _fields_from_1000(metadata: Document, _: Sequence[Document]) -> None:
    for spec in metadata["partition-specs"]:
        for number, field in enumerate(spec["fields"], start=1000):
            field["field-id"] = number


def _bare_summaries(metadata: Document, _: Sequence[Document]) -> None:
    for snapshot in metadata.get("snapshots") or ():
        snapshot["summary"] = {"operation": snapshot["summary"]["operation"]}


def _bare_refs(metadata: Document, _: Sequence[Document]) -> None:
    refs = metadata.get("refs") or {}
    metadata["refs"] = {name: {member: ref[member] for member in ("snapshot-id", "type")} for name, ref in refs.items()}


def _no_statistics(metadata: Document, _: Sequence[Document]) -> None:
    metadata |= {"statistics": [], "partition-statistics": []}


def _bare_columns(metadata: Document, _: Sequence[Document]) -> None:
    for schema in metadata["schemas"]:
        for field in schema["fields"]:
            for inner in field["type"]["fields"] if isinstance(field["type"], dict) and "fields" in field["type"] else ():
                inner.pop("doc", None)


def _nothing_identifies(metadata: Document, _: Sequence[Document]) -> None:
    for schema in metadata["schemas"]:
        schema.pop("identifier-field-ids", None)


FAULTS = (
    Fault("creations-lose-inner-docs", "Docs of columns within others are lost.", ("IRC-UPD-010",), making(_bare_columns)),
    Fault("creations-lose-identifiers", "What identifies rows is lost.", ("IRC-UPD-010",), making(_nothing_identifies)),
    Fault(
        "creations-number-partition-fields",
        "A table that a commit creates has partition fields from 1000 on.",
        ("IRC-UPD-022",),
        making(_fields_from_1000),
    ),
    Fault("creations-lose-summaries", "Of summaries, a creating commit keeps the operation.", ("IRC-UPD-040",), making(_bare_summaries)),
    Fault("creations-lose-retention", "Refs of a creating commit have no retention.", ("IRC-UPD-045",), making(_bare_refs)),
    Fault(
        "creations-lose-statistics",
        "Statistics of a creating commit are lost.",
        ("IRC-UPD-066", "IRC-UPD-071"),
        making(_no_statistics),
    ),
)
