"""Commits that create a table and leave out or change part of what they say of its history."""

from __future__ import annotations

from collections.abc import Sequence

from lakepact.reference_server.faults import fault
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.tables.stage import making


@fault("IRC-UPD-010", by=making)
def creations_lose_inner_docs(metadata: Document, _: Sequence[Document]) -> None:
    for schema in metadata["schemas"]:
        for field in schema["fields"]:
            for inner in (
                field["type"]["fields"]
                if isinstance(field["type"], dict) and "fields" in field["type"]
                else ()
            ):
                inner.pop("doc", None)


@fault("IRC-UPD-010", by=making)
def creations_lose_identifiers(metadata: Document, _: Sequence[Document]) -> None:
    for schema in metadata["schemas"]:
        schema.pop("identifier-field-ids", None)


@fault("IRC-UPD-022", by=making)
def creations_number_partition_fields(metadata: Document, _: Sequence[Document]) -> None:
    for spec in metadata["partition-specs"]:
        for number, field in enumerate(spec["fields"], start=1000):
            field["field-id"] = number


@fault("IRC-UPD-040", by=making)
def creations_lose_summaries(metadata: Document, _: Sequence[Document]) -> None:
    for snapshot in metadata.get("snapshots") or ():
        snapshot["summary"] = {"operation": snapshot["summary"]["operation"]}


@fault("IRC-UPD-045", by=making)
def creations_lose_retention(metadata: Document, _: Sequence[Document]) -> None:
    refs = metadata.get("refs") or {}
    metadata["refs"] = {
        name: {member: ref[member] for member in ("snapshot-id", "type")}
        for name, ref in refs.items()
    }


@fault("IRC-UPD-066", "IRC-UPD-071", by=making)
def creations_lose_statistics(metadata: Document, _: Sequence[Document]) -> None:
    metadata |= {"statistics": [], "partition-statistics": []}
