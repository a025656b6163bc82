"""Wrong ways of registering a metadata file: what follows from nothing else in it is reckoned anew, or forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, around

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document

RETENTION = frozenset({"min-snapshots-to-keep", "max-snapshot-age-ms", "max-ref-age-ms"})


def _taken_over(change: Callable[[Document], Document]) -> Install:
    """Register other metadata than those that were read; these are copied as far as they are changed."""

    def wrapped(read: Callable[..., Document]) -> Callable[..., Document]:
        return lambda *arguments: change(read(*arguments))

    return around("rules", "read-metadata", wrapped)


def _with(member: str, value: Callable[[Document], Any]) -> Install:
    """Give a member another value, where the file has it."""
    return _taken_over(lambda metadata: {**metadata, member: value(metadata)} if member in metadata else metadata)


def _highest_column(metadata: Document) -> int:
    return max(int(field["id"]) for schema in metadata["schemas"] for field in schema["fields"])


def _highest_number(metadata: Document) -> int:
    return max((snapshot.get("sequence-number", 0) for snapshot in metadata["snapshots"]), default=0)


def _rows_of_snapshots(metadata: Document) -> int:
    return sum(snapshot.get("added-rows", 0) for snapshot in metadata["snapshots"])


def _without_retention(metadata: Document) -> Document:
    return {name: {member: value for member, value in ref.items() if member not in RETENTION} for name, ref in metadata["refs"].items()}


def _without_identifiers(metadata: Document) -> list[Document]:
    return [{member: value for member, value in schema.items() if member != "identifier-field-ids"} for schema in metadata["schemas"]]


def _without_settings(metadata: Document) -> Document:
    return {name: value for name, value in metadata["properties"].items() if not name.startswith("write.")}


_WHOLE = ("IRC-TBL-LOAD-001",)

FAULTS = (
    Fault(
        "registered-columns-are-counted",
        "The last column id of registered tables is the highest that is left.",
        _WHOLE,
        _with("last-column-id", _highest_column),
    ),
    Fault(
        "registered-snapshots-are-counted",
        "The last sequence number of registered tables is the highest that is left.",
        _WHOLE,
        _with("last-sequence-number", _highest_number),
    ),
    Fault(
        "registered-rows-are-counted",
        "The next row id of registered tables is that behind the rows that are left.",
        _WHOLE,
        _with("next-row-id", _rows_of_snapshots),
    ),
    Fault("registered-refs-are-kept-for-ever", "Retention of refs is forgotten by registering.", _WHOLE, _with("refs", _without_retention)),
    Fault(
        "registered-rows-are-not-identified",
        "Identifier fields are forgotten by registering.",
        _WHOLE,
        _with("schemas", _without_identifiers),
    ),
    Fault(
        "registered-tables-have-no-keys", "Encryption keys are forgotten by registering.", _WHOLE, _with("encryption-keys", lambda _: [])
    ),
    Fault(
        "registered-tables-have-no-settings",
        "Properties for writers are forgotten by registering.",
        _WHOLE,
        _with("properties", _without_settings),
    ),
)
