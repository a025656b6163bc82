"""Answers with one component that is not what its schema says, everything around it being right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lakepact.generated.iceberg_rest import op
from lakepact.reference_server.faults import Fault, Install, on_answer
from mutants.iceberg_rest.protocol.errors import on_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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


# -- changes ----------------------------------------------------------------------------------------------------------------


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
    return lambda value: change(value) if isinstance(value, dict) and value.get("type") == kind else value


def of_primitives(change: Change) -> Change:
    """A change to the names of primitive types; nested types stay."""
    return lambda value: change(value) if isinstance(value, str) else value


def listed(refs: dict[str, Any]) -> list[Any]:
    """Branches and tags as an array of objects with a name."""
    return [{"name": name, **ref} for name, ref in refs.items()]


# -- where they are made ------------------------------------------------------------------------------------------------------


def changed(value: Any, path: Sequence[str], change: Change) -> Any:
    """A JSON value with a change made wherever a path leads; it may lead nowhere."""
    if not path:
        return change(value)
    step, *rest = path
    if isinstance(value, list) and step == EACH:
        return [changed(item, rest, change) for item in value]
    if isinstance(value, dict):
        return {key: changed(inner, rest, change) if step in {EACH, key} else inner for key, inner in value.items()}
    return value


def answered(operations: OperationId | tuple[OperationId, ...], path: Path, change: Change) -> Install:
    """A change to every answer of some operations that succeeds."""
    return on_answer(operations, lambda document: changed(document, path, change))


def refused(path: Path, change: Change) -> Install:
    """A change to the body of every refusal."""
    return on_errors(lambda document: changed(document, path, change))


class Wrong(NamedTuple):
    """One way in which answers show a component wrongly."""

    component: str
    name: str
    sentence: str
    install: Install


def _in_tables(component: str, name: str, sentence: str, *, at: Path, change: Change) -> Wrong:
    return Wrong(component, name, sentence, answered(CARRIERS, at, change))


REFUSALS = (
    Wrong("ErrorModel", "error-type-is-null", "The type of errors is null.", refused(("error", "type"), always(None))),
    Wrong("ErrorModel", "stack-is-a-string", "The stack of errors is a string.", refused(("error",), having(stack="at line 1"))),
    Wrong("IcebergErrorResponse", "errors-with-a-trace-id", "Errors have a second member, a trace id.", refused((), having(trace_id="7"))),
)

CONFIGURATION = (
    Wrong("CatalogConfig", "overrides-are-null", "The overrides are null.", answered(op.get_config, ("overrides",), always(None))),
    Wrong("CatalogConfig", "defaults-hold-numbers", "A default is a number.", answered(op.get_config, ("defaults",), having(clients=4))),
)

NAMESPACES = (
    Wrong(
        "Namespace",
        "namespaces-are-dotted",
        "Namespaces are listed as dotted names.",
        answered(op.list_namespaces, ("namespaces", EACH), ".".join),
    ),
    Wrong(
        "Namespace",
        "namespaces-of-tables-are-dotted",
        "Namespaces of tables are dotted names.",
        answered(op.list_tables, ("identifiers", EACH, "namespace"), ".".join),
    ),
    Wrong(
        "PageToken",
        "page-tokens-are-numbers",
        "Page tokens are numbers.",
        answered((op.list_namespaces, op.list_tables), ("next-page-token",), lambda token: 1 if token else token),
    ),
    Wrong(
        "TableIdentifier",
        "identifiers-without-namespace",
        "Tables are listed without their namespace.",
        answered(op.list_tables, ("identifiers", EACH), without("namespace")),
    ),
    Wrong("ListTablesResponse", "last-table-twice", "Lists have the last table twice.", answered(op.list_tables, ("identifiers",), twice)),
    Wrong(
        "ListNamespacesResponse",
        "namespaces-by-name",
        "Namespaces are listed as members of an object.",
        answered(op.list_namespaces, ("namespaces",), lambda items: {item[-1]: item for item in items}),
    ),
    Wrong(
        "CreateNamespaceResponse",
        "created-namespace-unnamed",
        "The answer to a creation does not name the namespace.",
        answered(op.create_namespace, (), without("namespace")),
    ),
    Wrong(
        "GetNamespaceResponse",
        "namespace-properties-are-pairs",
        "Properties of a namespace are an array of pairs.",
        answered(op.load_namespace_metadata, ("properties",), lambda properties: list(properties.items())),
    ),
    Wrong(
        "UpdateNamespacePropertiesResponse",
        "removed-is-null",
        "The keys that were removed are null.",
        answered(op.update_properties, ("removed",), always(None)),
    ),
    Wrong(
        "UpdateNamespacePropertiesResponse",
        "updated-as-a-map",
        "The keys that were updated come with their values.",
        answered(op.update_properties, ("updated",), lambda keys: dict.fromkeys(keys, "1")),
    ),
)

STRUCTURE = (
    _in_tables("PrimitiveType", "types-are-null", "Types of columns are null.", at=TYPES, change=of_primitives(always(None))),
    _in_tables(
        "Type", "primitive-types-are-objects", "Primitive types are objects.", at=TYPES, change=of_primitives(lambda name: {"type": name})
    ),
    _in_tables(
        "StructField", "fields-without-required", "Fields do not say whether they are required.", at=FIELDS, change=without("required")
    ),
    _in_tables("StructField", "field-ids-are-text", "Ids of fields are strings.", at=(*FIELDS, "id"), change=str),
    _in_tables(
        "StructType", "schemas-are-no-structs", "Schemas lack the type struct.", at=(*METADATA, "schemas", EACH), change=without("type")
    ),
    _in_tables(
        "StructType",
        "nested-structs-without-fields",
        "Nested structs have no fields.",
        at=TYPES,
        change=of_type("struct", without("fields")),
    ),
    _in_tables(
        "ListType",
        "lists-without-element-required",
        "Lists do not say whether elements are required.",
        at=TYPES,
        change=of_type("list", without("element-required")),
    ),
    _in_tables("MapType", "maps-without-value-id", "Values of maps have no id.", at=TYPES, change=of_type("map", without("value-id"))),
    _in_tables("Schema", "schema-ids-are-text", "Ids of schemas are strings.", at=(*METADATA, "schemas", EACH, "schema-id"), change=str),
    _in_tables(
        "Schema",
        "identifier-fields-by-name",
        "Identifier fields are names.",
        at=(*METADATA, "schemas", EACH),
        change=having(identifier_field_ids=["id"]),
    ),
    _in_tables(
        "Transform",
        "transforms-are-objects",
        "Transforms are objects.",
        at=(*SPECS, "fields", EACH, "transform"),
        change=lambda name: {"transform": name},
    ),
    _in_tables(
        "PartitionField",
        "partition-fields-with-source-ids",
        "Partition fields have several sources.",
        at=(*SPECS, "fields", EACH),
        change=lambda field: {"source-ids": [field["source-id"]], **without("source-id")(field)},
    ),
    _in_tables("PartitionSpec", "specs-without-fields", "Partition specs have no fields.", at=SPECS, change=without("fields")),
    _in_tables(
        "SortDirection", "directions-in-capitals", "Sort directions are ASC and DESC.", at=(*SORT_FIELDS, "direction"), change=str.upper
    ),
    _in_tables(
        "NullOrder",
        "null-orders-are-short",
        "Null orders are first and last.",
        at=(*SORT_FIELDS, "null-order"),
        change=lambda order: order.removeprefix("nulls-"),
    ),
    _in_tables(
        "SortField",
        "sort-fields-without-null-order",
        "Sort fields do not say where nulls go.",
        at=SORT_FIELDS,
        change=without("null-order"),
    ),
    _in_tables("SortOrder", "orders-without-id", "Sort orders have no id.", at=ORDERS, change=without("order-id")),
)

HISTORY = (
    _in_tables(
        "Snapshot",
        "summaries-without-operation",
        "Summaries of snapshots lack the operation.",
        at=(*SNAPSHOTS, "summary"),
        change=without("operation"),
    ),
    _in_tables(
        "Snapshot",
        "summaries-hold-numbers",
        "Summaries of snapshots hold numbers.",
        at=(*SNAPSHOTS, "summary"),
        change=having(added_records=10),
    ),
    _in_tables(
        "Snapshot", "snapshots-without-manifest-list", "Snapshots have no manifest list.", at=SNAPSHOTS, change=without("manifest-list")
    ),
    _in_tables(
        "SnapshotReference",
        "refs-in-capitals",
        "Branches and tags are of type BRANCH and TAG.",
        at=(*METADATA, "refs", EACH, "type"),
        change=str.upper,
    ),
    _in_tables("SnapshotReferences", "refs-are-an-array", "Branches and tags are an array.", at=(*METADATA, "refs"), change=listed),
    _in_tables(
        "SnapshotLog",
        "snapshot-log-of-ids",
        "The snapshot log holds bare ids.",
        at=(*METADATA, "snapshot-log", EACH),
        change=lambda entry: entry["snapshot-id"],
    ),
    _in_tables(
        "MetadataLog",
        "metadata-log-without-files",
        "Entries of the metadata log name no file.",
        at=(*METADATA, "metadata-log", EACH),
        change=without("metadata-file"),
    ),
)

TABLES = (
    _in_tables("TableMetadata", "format-version-is-zero", "The format version is 0.", at=(*METADATA, "format-version"), change=always(0)),
    _in_tables("TableMetadata", "locations-are-null", "Locations of tables are null.", at=(*METADATA, "location"), change=always(None)),
    _in_tables(
        "EncryptedKey",
        "keys-without-metadata",
        "Encryption keys come without the key.",
        at=(*METADATA, "encryption-keys", EACH),
        change=without("encrypted-key-metadata"),
    ),
    _in_tables(
        "StatisticsFile",
        "statistics-without-footer-size",
        "Statistics files lack the size of their footer.",
        at=STATISTICS,
        change=without("file-footer-size-in-bytes"),
    ),
    _in_tables(
        "BlobMetadata",
        "blobs-by-column-names",
        "Blobs of statistics name columns.",
        at=(*STATISTICS, "blob-metadata", EACH),
        change=having(fields=["id"]),
    ),
    _in_tables(
        "PartitionStatisticsFile",
        "partition-statistics-sizes-are-text",
        "Sizes of partition statistics files are strings.",
        at=(*METADATA, "partition-statistics", EACH, "file-size-in-bytes"),
        change=str,
    ),
    Wrong(
        "LoadTableResult", "table-config-is-null", "The config of loaded tables is null.", answered(op.load_table, (), having(config=None))
    ),
    Wrong(
        "LoadTableResult",
        "table-config-holds-numbers",
        "The config of created tables holds numbers.",
        answered(op.create_table, (), having(config={"clients": 4})),
    ),
    Wrong(
        "CommitTableResponse",
        "commits-without-file",
        "Commits are answered without the metadata file.",
        answered(op.update_table, ("metadata-location",), always(None)),
    ),
)

CREDENTIALS = (
    Wrong(
        "LoadCredentialsResponse",
        "credentials-under-another-name",
        "Credentials by themselves are called just that.",
        answered(op.load_credentials, (), lambda whole: {"credentials": whole["storage-credentials"]}),
    ),
    Wrong(
        "LoadCredentialsResponse",
        "credentials-by-prefix",
        "Credentials by themselves are an object with a member for each prefix.",
        answered(op.load_credentials, ("storage-credentials",), lambda all_: {one["prefix"]: one["config"] for one in all_}),
    ),
    Wrong(
        "StorageCredential",
        "credentials-for-a-location",
        "Credentials of loaded tables have a location for a prefix.",
        answered(op.load_table, ("storage-credentials", EACH), lambda one: {"location": one["prefix"], "config": one["config"]}),
    ),
    Wrong(
        "StorageCredential",
        "credentials-end-at-a-number",
        "The config of a credential has a number in it.",
        answered(op.load_credentials, ("storage-credentials", EACH, "config"), having(seconds=3600)),
    ),
)


def _named(wrongs: Sequence[Wrong]) -> Iterator[Fault]:
    for wrong in wrongs:
        yield Fault(wrong.name, wrong.sentence, (f"IRC-SCH-{wrong.component}",), wrong.install)


FAULTS = tuple(_named((*REFUSALS, *CONFIGURATION, *NAMESPACES, *STRUCTURE, *HISTORY, *TABLES, *CREDENTIALS)))
