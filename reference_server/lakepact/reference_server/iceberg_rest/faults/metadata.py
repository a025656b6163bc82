"""Table metadata that contradicts itself, in answers that are otherwise right."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, Install, on_answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document

CARRIERS = ("createTable", "loadTable", "updateTable", "registerTable")


def answered(edit: Callable[[Document], object]) -> Install:
    """`edit` changes the metadata of every answer that carries it."""

    def change(document: Any) -> None:
        edit(document["metadata"])

    return on_answer(CARRIERS, change)


def member(name: str, value: Callable[[Any], Any]) -> Install:
    """A member of the metadata is answered with another value, where it is there and not empty."""

    def edit(metadata: Document) -> None:
        if metadata.get(name):
            metadata[name] = value(metadata[name])

    return answered(edit)


def _point_nowhere(*names: str) -> Install:
    def edit(metadata: Document) -> None:
        for name in names:
            metadata[name] = 999

    return answered(edit)


def _twice(items: list[Any]) -> list[Any]:
    return [*items, items[-1]]


def _refs_at_one(refs: dict[str, Any]) -> dict[str, Any]:
    return {name: {**ref, "snapshot-id": 1} for name, ref in refs.items()}


def _log_current_file(document: Any) -> None:
    metadata = document["metadata"]
    entry = {"metadata-file": document.get("metadata-location"), "timestamp-ms": metadata["last-updated-ms"]}
    metadata["metadata-log"] = [*metadata.get("metadata-log", ()), entry]


def _as_numbers(properties: dict[str, str]) -> dict[str, Any]:
    return {key: int(value) if value.isdecimal() else value for key, value in properties.items()}


def _fall(log: list[Any]) -> list[Any]:
    return [{**entry, "timestamp-ms": entry["timestamp-ms"] - index * 3_600_000} for index, entry in enumerate(log)]


FAULTS = (
    Fault("format-version-is-text", "The format version is answered as a string.", ("IRC-META-001",), member("format-version", str)),
    Fault("metadata-without-uuid", "Metadata lacks the table's UUID.", ("IRC-META-001",), answered(lambda m: m.pop("table-uuid"))),
    Fault(
        "current-schema-is-nowhere", "The current schema is none of the schemas.", ("IRC-META-002",), _point_nowhere("current-schema-id")
    ),
    Fault("schemas-twice", "Two schemas have one id.", ("IRC-META-002",), member("schemas", _twice)),
    Fault("default-spec-is-nowhere", "The default spec is none of the specs.", ("IRC-META-003",), _point_nowhere("default-spec-id")),
    Fault("specs-twice", "Two partition specs have one id.", ("IRC-META-003",), member("partition-specs", _twice)),
    Fault(
        "default-order-is-nowhere",
        "The default sort order is none of the orders.",
        ("IRC-META-004",),
        _point_nowhere("default-sort-order-id"),
    ),
    Fault("orders-twice", "Two sort orders have one id.", ("IRC-META-004",), member("sort-orders", _twice)),
    Fault("last-column-id-is-one", "The last column id is 1.", ("IRC-META-005",), member("last-column-id", lambda _: 1)),
    Fault("last-partition-id-is-one", "The last partition id is 1.", ("IRC-META-006",), member("last-partition-id", lambda _: 1)),
    Fault("refs-dangle", "Branches and tags are at a snapshot that there is not.", ("IRC-META-007",), member("refs", _refs_at_one)),
    Fault(
        "main-is-not-current",
        "The current snapshot is another than that of main.",
        ("IRC-META-008",),
        member("current-snapshot-id", lambda i: i + 1),
    ),
    Fault("snapshots-twice", "Two snapshots have one id.", ("IRC-META-009",), member("snapshots", _twice)),
    Fault("last-sequence-number-is-zero", "The last sequence number is 0.", ("IRC-META-009",), member("last-sequence-number", lambda _: 0)),
    Fault(
        "snapshot-log-backwards",
        "The snapshot log begins with the newest entry.",
        ("IRC-META-011",),
        member("snapshot-log", lambda log: log[::-1]),
    ),
    Fault("times-of-snapshot-log-fall", "Times of the snapshot log decrease.", ("IRC-META-011",), member("snapshot-log", _fall)),
    Fault("times-of-metadata-log-fall", "Times of the metadata log decrease.", ("IRC-META-012",), member("metadata-log", _fall)),
    Fault(
        "metadata-log-backwards",
        "The metadata log begins with the newest entry.",
        ("IRC-META-012",),
        member("metadata-log", lambda log: log[::-1]),
    ),
    Fault(
        "metadata-log-has-the-current-file",
        "The current file stands in its own log.",
        ("IRC-META-012",),
        on_answer(CARRIERS, _log_current_file),
    ),
    Fault("uuid-changes", "Every answer has another table UUID.", ("IRC-META-013",), member("table-uuid", lambda _: str(uuid.uuid4()))),
    Fault("properties-are-numbers", "Properties that look like numbers are numbers.", ("IRC-META-014",), member("properties", _as_numbers)),
)
