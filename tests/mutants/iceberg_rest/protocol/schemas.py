"""Answers with one component that is not what its schema says, everything around it being right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Install, on_answer
from mutants.iceberg_rest.protocol.errors import on_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lakepact.generated.contract import OperationId

    Change = Callable[[Any], Any]
    Path = tuple[str, ...]

CARRIERS = (op.create_table, op.load_table, op.update_table, op.register_table)

EACH = "*"  #: stands in a path for every item of an array, or every member of an object

METADATA = ("metadata",)
FIELDS = (*METADATA, "schemas", EACH, "fields", EACH)
TYPES = (*FIELDS, "type")
SPECS = (*METADATA, "partition-specs", EACH)
ORDERS = (*METADATA, "sort-orders", EACH)
SORT_FIELDS = (*ORDERS, "fields", EACH)
SNAPSHOTS = (*METADATA, "snapshots", EACH)
STATISTICS = (*METADATA, "statistics", EACH)


def without(member: str) -> Change:
    """An object less one of its members."""
    return lambda value: {key: inner for key, inner in value.items() if key != member}


def having(**members: Any) -> Change:
    """An object with other members, named with underscores for hyphens."""
    named = {key.replace("_", "-"): value for key, value in members.items()}
    return lambda value: {**value, **named}


def always(replacement: Any) -> Change:
    """Something else, whatever it was."""
    return lambda _: replacement


def twice(items: list[Any]) -> list[Any]:
    """An array with its last item once more."""
    return [*items, *items[-1:]]


def of_type(kind: str, change: Change) -> Change:
    """A change to objects with that type; others stay."""
    return lambda value: (
        change(value) if isinstance(value, dict) and value.get("type") == kind else value
    )


def of_primitives(change: Change) -> Change:
    """A change to the names of primitive types; nested types stay."""
    return lambda value: change(value) if isinstance(value, str) else value


def as_array(refs: dict[str, Any]) -> list[Any]:
    """Branches and tags as an array of objects with a name."""
    return [{"name": name, **ref} for name, ref in refs.items()]


def change_at(value: Any, path: Sequence[str], change: Change) -> Any:
    """A JSON value with a change made wherever a path leads; it may lead nowhere."""
    if not path:
        return change(value)
    step, *rest = path
    if isinstance(value, list) and step == EACH:
        return [change_at(item, rest, change) for item in value]
    if isinstance(value, dict):
        return {
            key: change_at(inner, rest, change) if step in {EACH, key} else inner
            for key, inner in value.items()
        }
    return value


def on_answer_at(
    operations: OperationId | tuple[OperationId, ...], path: Path, change: Change
) -> Install:
    """A change to every answer of some operations that succeeds."""
    return on_answer(operations, lambda document: change_at(document, path, change))


def _in_tables(path: Path, change: Change) -> Install:
    return on_answer_at(CARRIERS, path, change)


def on_error_at(path: Path, change: Change) -> Install:
    """A change to the body of every refusal."""
    return on_errors(lambda document: change_at(document, path, change))


FAULTS = {
    "error-type-is-null IRC-SCH-ErrorModel": on_error_at(("error", "type"), always(None)),
    "stack-is-a-string IRC-SCH-ErrorModel": on_error_at(("error",), having(stack="at line 1")),
    "errors-with-a-trace-id IRC-SCH-IcebergErrorResponse": on_error_at((), having(trace_id="7")),
    "overrides-are-null IRC-SCH-CatalogConfig": on_answer_at(
        op.get_config, ("overrides",), always(None)
    ),
    "defaults-hold-numbers IRC-SCH-CatalogConfig": on_answer_at(
        op.get_config, ("defaults",), having(clients=4)
    ),
    "namespaces-are-dotted IRC-SCH-Namespace": on_answer_at(
        op.list_namespaces, ("namespaces", EACH), ".".join
    ),
    "namespaces-of-tables-are-dotted IRC-SCH-Namespace": on_answer_at(
        op.list_tables, ("identifiers", EACH, "namespace"), ".".join
    ),
    "page-tokens-are-numbers IRC-SCH-PageToken": on_answer_at(
        (op.list_namespaces, op.list_tables),
        ("next-page-token",),
        lambda token: 1 if token else token,
    ),
    "identifiers-without-namespace IRC-SCH-TableIdentifier": on_answer_at(
        op.list_tables, ("identifiers", EACH), without("namespace")
    ),
    "last-table-twice IRC-SCH-ListTablesResponse": on_answer_at(
        op.list_tables, ("identifiers",), twice
    ),
    "namespaces-by-name IRC-SCH-ListNamespacesResponse": on_answer_at(
        op.list_namespaces, ("namespaces",), lambda items: {item[-1]: item for item in items}
    ),
    "created-namespace-unnamed IRC-SCH-CreateNamespaceResponse": on_answer_at(
        op.create_namespace, (), without("namespace")
    ),
    "namespace-properties-are-pairs IRC-SCH-GetNamespaceResponse": on_answer_at(
        op.load_namespace_metadata, ("properties",), lambda properties: list(properties.items())
    ),
    "removed-is-null IRC-SCH-UpdateNamespacePropertiesResponse": on_answer_at(
        op.update_properties, ("removed",), always(None)
    ),
    "updated-as-a-map IRC-SCH-UpdateNamespacePropertiesResponse": on_answer_at(
        op.update_properties, ("updated",), lambda keys: dict.fromkeys(keys, "1")
    ),
    "types-are-null IRC-SCH-PrimitiveType": _in_tables(TYPES, of_primitives(always(None))),
    "primitive-types-are-objects IRC-SCH-Type": _in_tables(
        TYPES, of_primitives(lambda name: {"type": name})
    ),
    "fields-without-required IRC-SCH-StructField": _in_tables(FIELDS, without("required")),
    "field-ids-are-text IRC-SCH-StructField": _in_tables((*FIELDS, "id"), str),
    "schemas-are-no-structs IRC-SCH-StructType": _in_tables(
        (*METADATA, "schemas", EACH), without("type")
    ),
    "nested-structs-without-fields IRC-SCH-StructType": _in_tables(
        TYPES, of_type("struct", without("fields"))
    ),
    "lists-without-element-required IRC-SCH-ListType": _in_tables(
        TYPES, of_type("list", without("element-required"))
    ),
    "maps-without-value-id IRC-SCH-MapType": _in_tables(TYPES, of_type("map", without("value-id"))),
    "schema-ids-are-text IRC-SCH-Schema": _in_tables(
        (*METADATA, "schemas", EACH, "schema-id"), str
    ),
    "identifier-fields-by-name IRC-SCH-Schema": _in_tables(
        (*METADATA, "schemas", EACH), having(identifier_field_ids=["id"])
    ),
    "transforms-are-objects IRC-SCH-Transform": _in_tables(
        (*SPECS, "fields", EACH, "transform"), lambda name: {"transform": name}
    ),
    "partition-fields-with-source-ids IRC-SCH-PartitionField": _in_tables(
        (*SPECS, "fields", EACH),
        lambda field: {"source-ids": [field["source-id"]], **without("source-id")(field)},
    ),
    "specs-without-fields IRC-SCH-PartitionSpec": _in_tables(SPECS, without("fields")),
    "directions-in-capitals IRC-SCH-SortDirection": _in_tables(
        (*SORT_FIELDS, "direction"), str.upper
    ),
    "null-orders-are-short IRC-SCH-NullOrder": _in_tables(
        (*SORT_FIELDS, "null-order"), lambda order: order.removeprefix("nulls-")
    ),
    "sort-fields-without-null-order IRC-SCH-SortField": _in_tables(
        SORT_FIELDS, without("null-order")
    ),
    "orders-without-id IRC-SCH-SortOrder": _in_tables(ORDERS, without("order-id")),
    "summaries-without-operation IRC-SCH-Snapshot": _in_tables(
        (*SNAPSHOTS, "summary"), without("operation")
    ),
    "summaries-hold-numbers IRC-SCH-Snapshot": _in_tables(
        (*SNAPSHOTS, "summary"), having(added_records=10)
    ),
    "snapshots-without-manifest-list IRC-SCH-Snapshot": _in_tables(
        SNAPSHOTS, without("manifest-list")
    ),
    "refs-in-capitals IRC-SCH-SnapshotReference": _in_tables(
        (*METADATA, "refs", EACH, "type"), str.upper
    ),
    "refs-are-an-array IRC-SCH-SnapshotReferences": _in_tables((*METADATA, "refs"), as_array),
    "snapshot-log-of-ids IRC-SCH-SnapshotLog": _in_tables(
        (*METADATA, "snapshot-log", EACH), lambda entry: entry["snapshot-id"]
    ),
    "metadata-log-without-files IRC-SCH-MetadataLog": _in_tables(
        (*METADATA, "metadata-log", EACH), without("metadata-file")
    ),
    "format-version-is-zero IRC-SCH-TableMetadata": _in_tables(
        (*METADATA, "format-version"), always(0)
    ),
    "locations-are-null IRC-SCH-TableMetadata": _in_tables((*METADATA, "location"), always(None)),
    "keys-without-metadata IRC-SCH-EncryptedKey": _in_tables(
        (*METADATA, "encryption-keys", EACH), without("encrypted-key-metadata")
    ),
    "statistics-without-footer-size IRC-SCH-StatisticsFile": _in_tables(
        STATISTICS, without("file-footer-size-in-bytes")
    ),
    "blobs-by-column-names IRC-SCH-BlobMetadata": _in_tables(
        (*STATISTICS, "blob-metadata", EACH), having(fields=["id"])
    ),
    "partition-statistics-sizes-are-text IRC-SCH-PartitionStatisticsFile": _in_tables(
        (*METADATA, "partition-statistics", EACH, "file-size-in-bytes"), str
    ),
    "table-config-is-null IRC-SCH-LoadTableResult": on_answer_at(
        op.load_table, (), having(config=None)
    ),
    "table-config-holds-numbers IRC-SCH-LoadTableResult": on_answer_at(
        op.create_table, (), having(config={"clients": 4})
    ),
    "commits-without-file IRC-SCH-CommitTableResponse": on_answer_at(
        op.update_table, ("metadata-location",), always(None)
    ),
    "credentials-under-another-name IRC-SCH-LoadCredentialsResponse": on_answer_at(
        op.load_credentials, (), lambda whole: {"credentials": whole["storage-credentials"]}
    ),
    "credentials-by-prefix IRC-SCH-LoadCredentialsResponse": on_answer_at(
        op.load_credentials,
        ("storage-credentials",),
        lambda all_: {one["prefix"]: one["config"] for one in all_},
    ),
    "credentials-for-a-location IRC-SCH-StorageCredential": on_answer_at(
        op.load_table,
        ("storage-credentials", EACH),
        lambda one: {"location": one["prefix"], "config": one["config"]},
    ),
    "credentials-end-at-a-number IRC-SCH-StorageCredential": on_answer_at(
        op.load_credentials, ("storage-credentials", EACH, "config"), having(seconds=3600)
    ),
}
