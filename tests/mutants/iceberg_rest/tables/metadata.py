"""Table metadata that contradicts itself, in answers that are otherwise right."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_answer
from lakepact.reference_server.iceberg_rest.documents import Document

CARRIERS = (op.create_table, op.load_table, op.update_table, op.register_table)


def on_metadata(edit: Callable[[Document], object]) -> Install:
    """`edit` changes the metadata of every answer that carries it."""

    def change(document: Any) -> None:
        edit(document["metadata"])

    return on_answer(CARRIERS, change)


def member(name: str, value: Callable[[Any], Any]) -> Install:
    """A member of the metadata is answered with another value, where it is there and not empty."""

    def edit(metadata: Document) -> None:
        if metadata.get(name):
            metadata[name] = value(metadata[name])

    return on_metadata(edit)


def _point_nowhere(*names: str) -> Install:
    def edit(metadata: Document) -> None:
        for name in names:
            metadata[name] = 999

    return on_metadata(edit)


def _twice(items: list[Any]) -> list[Any]:
    return [*items, items[-1]]


def _fall(log: list[Any]) -> list[Any]:
    return [
        {**entry, "timestamp-ms": entry["timestamp-ms"] - index * 3_600_000}
        for index, entry in enumerate(log)
    ]


@fault("IRC-META-012", by=partial(on_answer, CARRIERS))
def metadata_log_has_the_current_file(document: Any) -> None:
    metadata = document["metadata"]
    entry = {
        "metadata-file": document.get("metadata-location"),
        "timestamp-ms": metadata["last-updated-ms"],
    }
    metadata["metadata-log"] = [*metadata.get("metadata-log", ()), entry]


FAULTS = {
    "format-version-is-text IRC-META-001": member("format-version", str),
    "metadata-without-uuid IRC-META-001": on_metadata(lambda m: m.pop("table-uuid")),
    "current-schema-is-nowhere IRC-META-002": _point_nowhere("current-schema-id"),
    "schemas-twice IRC-META-002": member("schemas", _twice),
    "default-spec-is-nowhere IRC-META-003": _point_nowhere("default-spec-id"),
    "specs-twice IRC-META-003": member("partition-specs", _twice),
    "default-order-is-nowhere IRC-META-004": _point_nowhere("default-sort-order-id"),
    "orders-twice IRC-META-004": member("sort-orders", _twice),
    "last-column-id-is-one IRC-META-005": member("last-column-id", lambda _: 1),
    "last-partition-id-is-one IRC-META-006": member("last-partition-id", lambda _: 1),
    "refs-dangle IRC-META-007": member(
        "refs", lambda refs: {name: {**ref, "snapshot-id": 1} for name, ref in refs.items()}
    ),
    "main-is-not-current IRC-META-008": member("current-snapshot-id", lambda i: i + 1),
    "snapshots-twice IRC-META-009": member("snapshots", _twice),
    "last-sequence-number-is-zero IRC-META-009": member("last-sequence-number", lambda _: 0),
    "snapshot-log-backwards IRC-META-011": member("snapshot-log", lambda log: log[::-1]),
    "times-of-snapshot-log-fall IRC-META-011": member("snapshot-log", _fall),
    "times-of-metadata-log-fall IRC-META-012": member("metadata-log", _fall),
    "metadata-log-backwards IRC-META-012": member("metadata-log", lambda log: log[::-1]),
    "uuid-changes IRC-META-013": member("table-uuid", lambda _: str(uuid.uuid4())),
    "next-row-id-stays IRC-META-019": member("next-row-id", lambda _: 0),
    "properties-are-numbers IRC-META-014": member(
        "properties",
        lambda properties: {
            key: int(value) if value.isdecimal() else value for key, value in properties.items()
        },
    ),
}
