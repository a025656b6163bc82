"""Table metadata of another writer: accepted as a whole, or refused with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from lakepact.reference_server.http.json_text import NotJson, read_json
from lakepact.reference_server.http.problems import Problem
from lakepact.reference_server.http.validation import Invalid
from lakepact.reference_server.iceberg_rest.documents import (
    COUNT,
    INT32,
    INT64,
    as_text,
    integer,
    optional_integer,
    refusal,
    text,
)
from lakepact.reference_server.iceberg_rest.identifiers import bad_request
from lakepact.reference_server.iceberg_rest.tables.metadata import (
    FORMAT_VERSIONS,
    MAIN,
    empty_table_metadata,
    with_id,
)
from lakepact.reference_server.iceberg_rest.tables.metadata_files import read_text
from lakepact.reference_server.iceberg_rest.tables.partitioning import (
    FIRST_FIELD_ID,
    highest_field_id,
    unpartitioned,
)
from lakepact.reference_server.iceberg_rest.tables.schemas import columns, types_by_id
from lakepact.reference_server.iceberg_rest.tables.sorting import unsorted
from lakepact.reference_server.warehouse.local import Outside, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lakepact.generated.iceberg_rest.documents import PartitionSpec, TableMetadata
    from lakepact.reference_server.iceberg_rest.tables.catalog import Catalog

Metadata = TypeVar("Metadata")

#: Lists whose items have an id, the member that holds it, and the member that names the one in use.
_NUMBERED = {
    "schemas": ("schema-id", "current-schema-id"),
    "partition-specs": ("spec-id", "default-spec-id"),
    "sort-orders": ("order-id", "default-sort-order-id"),
}


def read_for_registration(
    catalog: Catalog, location: str, kind: str, check: Callable[[Any], Metadata]
) -> Metadata:
    """Return the metadata in a file that a request names.

    Args:
        catalog: the catalog that it is registered in.
        location: the location of the file.
        kind: `table` or `view`.
        check: returns the metadata if they are consistent.

    Raises:
        Problem: 400, the file is missing, or its content is not valid.
    """
    try:
        document = read_json(read_text(catalog.warehouse, location))
        catalog.validators().check(f"{kind.capitalize()}Metadata", document)
        return check(document)
    except (Outside, Unreadable) as error:
        raise bad_request(f"at /metadata-location: {error}") from None
    except (NotJson, Invalid, Problem) as error:
        raise bad_request(
            f"{location[:300]!r} does not hold valid {kind} metadata:"
            f" {str(error).replace('the body', 'the file')}"
        ) from None


def read_metadata(catalog: Catalog, location: str) -> TableMetadata:
    """Return the table metadata in a file that a request names.

    Raises:
        Problem: 400, the file is missing, or its content is not valid.
    """
    return read_for_registration(catalog, location, "table", existing_table_metadata)


def existing_table_metadata(document: TableMetadata) -> TableMetadata:
    """Return the document with all members that later writers have, as the first state of a table
    of ours.

    Members that we do not know stay as they are.

    Args:
        document: table metadata that is valid by the contract's schema.

    Raises:
        Problem: 400, something in the document refers to what it does not hold.
    """
    version = integer(document, "format-version", "", within=FORMAT_VERSIONS)
    text(document, "location", "")
    text(document, "table-uuid", "")
    integer(document, "last-updated-ms", "", within=COUNT)
    present = cast(
        "TableMetadata", {name: value for name, value in document.items() if value is not None}
    )
    whole: TableMetadata = {
        **empty_table_metadata(format_version=version),
        **_of_first_version(present),
        **present,
    }
    whole["partition-specs"] = [_with_field_numbers(spec) for spec in whole["partition-specs"]]
    if "last-partition-id" not in present:
        whole["last-partition-id"] = highest_field_id(whole["partition-specs"])
    for member, (id_member, in_use) in _NUMBERED.items():
        _check_numbers(whole, member, id_member, in_use)
    _check_last_ids(whole)
    _check_snapshots(whole)
    return whole


def _of_first_version(document: TableMetadata) -> TableMetadata:
    # Format version 1 knows one schema and one list of partition fields; the lists of them, and
    # sort orders, came later.
    result: TableMetadata = {
        "sort-orders": [unsorted()],
        "default-sort-order-id": 0,
        "partition-specs": [unpartitioned()],
        "default-spec-id": 0,
    }
    if "schema" in document:
        result["schemas"] = [{"schema-id": 0, **document["schema"]}]
        result["current-schema-id"] = result["schemas"][0]["schema-id"]
    if "partition-spec" in document:
        result["partition-specs"] = [{"spec-id": 0, "fields": document["partition-spec"]}]
    return result


def _with_field_numbers(spec: PartitionSpec) -> PartitionSpec:
    # Partition fields had no ids at first; they count from 1000, and so they do in files that were
    # written then.
    return {
        **spec,
        "fields": [
            {"field-id": FIRST_FIELD_ID + index, **field}
            for index, field in enumerate(spec["fields"])
        ],
    }


def _check_numbers(whole: Mapping[str, Any], member: str, id_member: str, in_use: str) -> None:
    ids = [
        integer(item, id_member, f"/{member}/{index}", within=INT32)
        for index, item in enumerate(whole[member])
    ]
    _check_unique(ids, f"/{member}")
    current = integer(whole, in_use, "", within=INT32)
    if current not in ids:
        raise refusal(f"/{in_use}", f"expected one of {member}, found {current}")


def _check_unique(ids: Iterable[int], where: str) -> set[int]:
    numbers: set[int] = set()
    for index, number in enumerate(ids):
        if number in numbers:
            raise refusal(f"{where}/{index}", f"the id {number} is given twice")
        numbers.add(number)
    return numbers


def _check_last_ids(whole: TableMetadata) -> None:
    schema: Any = with_id(whole["schemas"], "schema-id", whole["current-schema-id"]) or {}
    columns(schema, "/schemas", format_version=whole["format-version"], ids=INT32)
    highest = {
        "last-column-id": max(
            (max(types_by_id(schema), default=0) for schema in whole["schemas"]), default=0
        ),
        "last-partition-id": highest_field_id(whole["partition-specs"]),
    }
    for member, least in highest.items():
        actual = integer(whole, member, "", within=INT32)
        if actual < least:
            raise refusal(
                f"/{member}",
                f"expected at least {least}, the highest field id in use, found {actual}",
            )


def _check_snapshots(whole: TableMetadata) -> None:
    ids = [
        integer(snapshot, "snapshot-id", f"/snapshots/{index}")
        for index, snapshot in enumerate(whole["snapshots"])
    ]
    snapshot_ids = _check_unique(ids, "/snapshots")
    last = integer(whole, "last-sequence-number", "", within=COUNT)
    for index, snapshot in enumerate(whole["snapshots"]):
        number = optional_integer(snapshot, "sequence-number", f"/snapshots/{index}", within=COUNT)
        if number is not None and number > last:
            raise refusal(
                f"/snapshots/{index}/sequence-number",
                f"expected at most last-sequence-number, {last}, found {number}",
            )
    if whole.get("current-snapshot-id") == -1:
        del whole["current-snapshot-id"]
    current = optional_integer(whole, "current-snapshot-id", "", within=INT64)
    if current is not None and MAIN not in whole["refs"]:
        whole["refs"] = {**whole["refs"], MAIN: {"snapshot-id": current, "type": "branch"}}
    for name, reference in whole["refs"].items():
        if reference["snapshot-id"] not in snapshot_ids:
            raise refusal(
                "/refs",
                f"expected {as_text(name)} at the id of a snapshot, found {reference['snapshot-id']}",
            )
    main = whole["refs"].get(MAIN)
    if main is not None and main["snapshot-id"] != current:
        raise refusal(
            "/current-snapshot-id",
            f"expected {main['snapshot-id']}, where main is, found {as_text(current)}",
        )
