"""Table metadata that contradicts itself, in answers that are otherwise right."""

from __future__ import annotations

import uuid
from functools import partial
from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, fault, on_answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from lakepact.reference_server.iceberg_rest.documents import Document

CARRIERS = (op.create_table, op.load_table, op.update_table, op.register_table)


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


def _fall(log: list[Any]) -> list[Any]:
    return [{**entry, "timestamp-ms": entry["timestamp-ms"] - index * 3_600_000} for index, entry in enumerate(log)]


@fault("IRC-META-001")
def format_version_is_text() -> Install:
    """The format version is answered as a string."""
    return member("format-version", str)


@fault("IRC-META-001")
def metadata_without_uuid() -> Install:
    """Metadata lacks the table's UUID."""
    return answered(lambda m: m.pop("table-uuid"))


@fault("IRC-META-002")
def current_schema_is_nowhere() -> Install:
    """The current schema is none of the schemas."""
    return _point_nowhere("current-schema-id")


@fault("IRC-META-002")
def schemas_twice() -> Install:
    """Two schemas have one id."""
    return member("schemas", _twice)


@fault("IRC-META-003")
def default_spec_is_nowhere() -> Install:
    """The default spec is none of the specs."""
    return _point_nowhere("default-spec-id")


@fault("IRC-META-003")
def specs_twice() -> Install:
    """Two partition specs have one id."""
    return member("partition-specs", _twice)


@fault("IRC-META-004")
def default_order_is_nowhere() -> Install:
    """The default sort order is none of the orders."""
    return _point_nowhere("default-sort-order-id")


@fault("IRC-META-004")
def orders_twice() -> Install:
    """Two sort orders have one id."""
    return member("sort-orders", _twice)


@fault("IRC-META-005")
def last_column_id_is_one() -> Install:
    """The last column id is 1."""
    return member("last-column-id", lambda _: 1)


@fault("IRC-META-006")
def last_partition_id_is_one() -> Install:
    """The last partition id is 1."""
    return member("last-partition-id", lambda _: 1)


@fault("IRC-META-007", by=partial(member, "refs"))
def refs_dangle(refs: dict[str, Any]) -> dict[str, Any]:
    """Branches and tags refer to a missing snapshot."""
    return {name: {**ref, "snapshot-id": 1} for name, ref in refs.items()}


@fault("IRC-META-008")
def main_is_not_current() -> Install:
    """The current snapshot is another than that of main."""
    return member("current-snapshot-id", lambda i: i + 1)


@fault("IRC-META-009")
def snapshots_twice() -> Install:
    """Two snapshots have one id."""
    return member("snapshots", _twice)


@fault("IRC-META-009")
def last_sequence_number_is_zero() -> Install:
    """The last sequence number is 0."""
    return member("last-sequence-number", lambda _: 0)


@fault("IRC-META-011")
def snapshot_log_backwards() -> Install:
    """The snapshot log begins with the newest entry."""
    return member("snapshot-log", lambda log: log[::-1])


@fault("IRC-META-011")
def times_of_snapshot_log_fall() -> Install:
    """Times of the snapshot log decrease."""
    return member("snapshot-log", _fall)


@fault("IRC-META-012")
def times_of_metadata_log_fall() -> Install:
    """Times of the metadata log decrease."""
    return member("metadata-log", _fall)


@fault("IRC-META-012")
def metadata_log_backwards() -> Install:
    """The metadata log begins with the newest entry."""
    return member("metadata-log", lambda log: log[::-1])


@fault("IRC-META-012", by=partial(on_answer, CARRIERS))
def metadata_log_has_the_current_file(document: Any) -> None:
    """The current file stands in its own log."""
    metadata = document["metadata"]
    entry = {"metadata-file": document.get("metadata-location"), "timestamp-ms": metadata["last-updated-ms"]}
    metadata["metadata-log"] = [*metadata.get("metadata-log", ()), entry]


@fault("IRC-META-013")
def uuid_changes() -> Install:
    """Every answer has another table UUID."""
    return member("table-uuid", lambda _: str(uuid.uuid4()))


@fault("IRC-META-019")
def next_row_id_stays() -> Install:
    """The next row id of a table is always 0."""
    return member("next-row-id", lambda _: 0)


@fault("IRC-META-014", by=partial(member, "properties"))
def properties_are_numbers(properties: dict[str, str]) -> dict[str, Any]:
    """Properties that look like numbers are numbers."""
    return {key: int(value) if value.isdecimal() else value for key, value in properties.items()}
