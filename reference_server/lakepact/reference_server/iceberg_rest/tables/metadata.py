"""Table metadata documents: where one begins, and how each follows the one before."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar

from lakepact.reference_server.iceberg_rest.documents import INT32, as_text, child, refusal, texts
from lakepact.reference_server.iceberg_rest.tables.partitioning import (
    FIRST_FIELD_ID,
    NONE_ASSIGNED,
    check_spec,
    highest_field_id,
    unpartitioned,
)
from lakepact.reference_server.iceberg_rest.tables.schemas import columns, with_fresh_ids
from lakepact.reference_server.iceberg_rest.tables.sorting import (
    check_order,
    following_id,
    unsorted,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lakepact.generated.iceberg_rest import documents
    from lakepact.reference_server.iceberg_rest.documents import Document

Item = TypeVar("Item", bound="Mapping[str, Any]")

FORMAT_VERSIONS = range(1, 4)
MAIN = "main"  #: the branch of the current snapshot
DEFAULT_FORMAT_VERSION = 2
FORMAT_VERSION = (
    "format-version"  #: as a property of a create request it selects the format, and is not stored
)
PREVIOUS_VERSIONS_MAX = "write.metadata.previous-versions-max"
DEFAULT_PREVIOUS_VERSIONS = 100


def empty_table_metadata(
    *, format_version: int = DEFAULT_FORMAT_VERSION
) -> documents.TableMetadata:
    """Return the document to which the updates of a creating commit apply: without uuid, location
    or schema.
    """
    document: documents.TableMetadata = {
        "format-version": format_version,
        "last-sequence-number": 0,
        "last-updated-ms": 0,
        "last-column-id": 0,
        "schemas": [],
        "partition-specs": [],
        "last-partition-id": NONE_ASSIGNED,
        "sort-orders": [],
        "properties": {},
        "refs": {},
        "snapshots": [],
        "statistics": [],
        "partition-statistics": [],
        "snapshot-log": [],
        "metadata-log": [],
    }
    if format_version >= 3:
        document["next-row-id"] = 0
    return document


def new_table_metadata(
    request: documents.CreateTableRequest, *, table_uuid: str, location: str, now_ms: int
) -> documents.TableMetadata:
    """Return the metadata of the table that a create request describes: without snapshots, all ids
    freshly assigned.

    Args:
        request: body of a create request; its name, location and stage-create are not looked at.
        table_uuid: uuid of the table.
        location: where the table lives.
        now_ms: the time of creation.

    Raises:
        Problem: 400, the schema, the partition spec, the write order, a property or the format
            version is not valid.
    """
    properties = (
        dict(texts(request, "properties", "")) if request.get("properties") is not None else {}
    )
    format_version = _format_version(properties.pop(FORMAT_VERSION, str(DEFAULT_FORMAT_VERSION)))
    requested: documents.Schema = child(request, "schema", "")
    by_id = columns(requested, "/schema", format_version=format_version, ids=INT32)
    spec: documents.PartitionSpec = (
        child(request, "partition-spec", "")
        if request.get("partition-spec") is not None
        else unpartitioned()
    )
    check_spec(spec, by_id, "/partition-spec")
    order: documents.SortOrder = (
        child(request, "write-order", "") if request.get("write-order") is not None else unsorted()
    )
    check_order(order, by_id, "/write-order")

    schema, fresh = with_fresh_ids(requested)
    fields: list[documents.PartitionField] = _with_fresh_ids(spec, fresh, "/partition-spec")
    spec = {
        **spec,
        "spec-id": 0,
        "fields": [
            {**field, "field-id": FIRST_FIELD_ID + index} for index, field in enumerate(fields)
        ],
    }
    order = {
        **order,
        "order-id": following_id(order),
        "fields": _with_fresh_ids(order, fresh, "/write-order"),
    }
    document: documents.TableMetadata = {
        "format-version": format_version,
        "table-uuid": table_uuid,
        "location": location,
    }
    document |= empty_table_metadata(format_version=format_version) | {
        "last-updated-ms": now_ms,
        "last-column-id": len(fresh),
        "schemas": [{**schema, "schema-id": 0}],
        "current-schema-id": 0,
        "partition-specs": [spec],
        "default-spec-id": 0,
        "last-partition-id": highest_field_id([spec]),
        "sort-orders": [order],
        "default-sort-order-id": order["order-id"],
        "properties": properties,
    }
    return document | first_version_members(document) if format_version == 1 else document


def _format_version(value: str) -> int:
    if value in {str(version) for version in FORMAT_VERSIONS}:
        return int(value)
    raise refusal(
        f"/properties/{FORMAT_VERSION}",
        f"expected a format version from 1 to {FORMAT_VERSIONS.stop - 1}, found {as_text(value)}",
    )


def _with_fresh_ids(
    spec_or_order: documents.PartitionSpec | documents.SortOrder,
    fresh: Mapping[int, int],
    where: str,
) -> list[Any]:
    for index, field in enumerate(spec_or_order["fields"]):
        if field["source-id"] not in fresh:
            raise refusal(
                f"{where}/fields/{index}/source-id",
                f"the schema has no column with id {field['source-id']}",
            )
    return [{**field, "source-id": fresh[field["source-id"]]} for field in spec_or_order["fields"]]


def with_id(items: Sequence[Item], member: str, id_: Any) -> Item | None:
    """Return the item whose `member` is `id_`, or None."""
    return next((item for item in items if item[member] == id_), None)


def first_version_members(document: documents.TableMetadata) -> documents.TableMetadata:
    """Return the members that readers of format version 1 look for: current schema and default
    partition fields.
    """
    schema: Any = with_id(document["schemas"], "schema-id", document["current-schema-id"])
    spec = with_id(document["partition-specs"], "spec-id", document["default-spec-id"])
    return {"schema": schema, "partition-spec": spec["fields"] if spec else []}


def new_in(metadata: documents.TableMetadata, previous: documents.TableMetadata) -> Document:
    """Return the document without the parts that it shares with its predecessor, which was
    validated before.

    Members and list items are compared one by one, so that no invalid part is skipped.
    """
    result: Document = {}
    for member, value in metadata.items():
        former = previous.get(member)
        if type(value) is list and type(former) is list:
            if value is former:
                continue
            is_longer = len(value) > len(former) and all(map(is_, former, value))
            result[member] = value[len(former) :] if is_longer else value
        elif value is not former or type(value) is not dict:
            result[member] = value
    return result


def finish_commit(
    metadata: documents.TableMetadata, previous: documents.TableMetadata, previous_location: str
) -> documents.TableMetadata:
    """Return the document as it is stored: its metadata-log names the file that it replaces.

    The log keeps the newest files, as many as the property `write.metadata.previous-versions-max`
    says.

    Args:
        metadata: the new document; when it is `previous` itself, nothing is replaced and it is
            returned as it is.
        previous: the document that is replaced.
        previous_location: the file that holds it.
    """
    if metadata is previous:
        return metadata
    entry: documents.MetadataLogItem = {
        "timestamp-ms": previous["last-updated-ms"],
        "metadata-file": previous_location,
    }
    log = [*(metadata.get("metadata-log") or ()), entry]
    return {
        **metadata,
        "metadata-log": log[-_previous_versions(metadata.get("properties") or {}) :],
    }


def _previous_versions(properties: Mapping[str, str]) -> int:
    try:
        return max(1, int(properties.get(PREVIOUS_VERSIONS_MAX, DEFAULT_PREVIOUS_VERSIONS)))
    except ValueError:
        # Properties are free text; one that is no number must not make each later commit fail.
        return DEFAULT_PREVIOUS_VERSIONS
