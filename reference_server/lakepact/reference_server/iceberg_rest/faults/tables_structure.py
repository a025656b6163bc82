"""Wrong ways of making the columns, the partition spec and the sort order of a new table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakepact.reference_server.faults import Fault, around
from lakepact.reference_server.iceberg_rest.faults.ways.creation import forgiven, made_with
from lakepact.reference_server.iceberg_rest.faults.ways.operations import CREATE
from lakepact.reference_server.iceberg_rest.faults.ways.requests import asked_for, refused_if

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lakepact.reference_server.iceberg_rest.documents import Document


# -- columns ------------------------------------------------------------------------------------------------------------


def _fields(kind: Any) -> Iterator[Document]:
    """The fields of a type and of the types within it."""
    if not isinstance(kind, dict):
        return
    for field in kind.get("fields", ()):
        yield field
        yield from _fields(field["type"])
    for part in ("element", "key", "value"):
        yield from _fields(kind.get(part))


def _types(kind: Any, change: Callable[[str], str]) -> Any:
    """A type with its primitive types changed."""
    if not isinstance(kind, dict):
        return change(kind)
    changed = {part: _types(kind[part], change) for part in ("element", "key", "value") if part in kind}
    if "fields" in kind:
        changed["fields"] = [{**field, "type": _types(field["type"], change)} for field in kind["fields"]]
    return {**kind, **changed}


def _typed(change: Callable[[str], str]) -> Callable[[Document, Document], None]:
    def spoil(metadata: Document, _: Document) -> None:
        metadata["schemas"] = [_types(schema, change) for schema in metadata["schemas"]]

    return spoil


def _sort_columns(metadata: Document, _: Document) -> None:
    metadata["schemas"][0]["fields"].sort(key=lambda column: str(column["name"]))


def _lower_columns(metadata: Document, _: Document) -> None:
    for field in _fields(metadata["schemas"][0]):
        field["name"] = field["name"].lower()


def _require_nothing(metadata: Document, _: Document) -> None:
    for field in _fields(metadata["schemas"][0]):
        field["required"] = False


def _forget_docs(metadata: Document, _: Document) -> None:
    for field in _fields(metadata["schemas"][0]):
        field.pop("doc", None)


def _forget_inner_docs(metadata: Document, _: Document) -> None:
    outer = [id(field) for field in metadata["schemas"][0]["fields"]]
    for field in _fields(metadata["schemas"][0]):
        if id(field) not in outer:
            field.pop("doc", None)


def _allow_null_elements(metadata: Document, _: Document) -> None:
    todo: list[Any] = [metadata["schemas"][0]]
    while todo:
        kind = todo.pop()
        if isinstance(kind, dict):
            todo += [field["type"] for field in kind.get("fields", ())]
            todo += [kind[part] for part in ("element", "key", "value") if part in kind]
            kind |= {flag: False for flag in ("element-required", "value-required") if flag in kind}


def _depth(kind: Any) -> int:
    if not isinstance(kind, dict):
        return 0
    inner = [field["type"] for field in kind.get("fields", ())] + [kind[part] for part in ("element", "key", "value") if part in kind]
    return 1 + max(map(_depth, inner), default=0)


def _is_deep(body: Document) -> bool:
    return _depth(body["schema"]) > 4  # the schema is a struct itself


def _young_types(make: Callable[..., Document]) -> Callable[..., Document]:
    def made(body: Document, **facts: Any) -> Document:
        properties = body.get("properties") or {}
        if properties.get("format-version") != "2":
            return make(body, **facts)
        metadata = make({**body, "properties": {**properties, "format-version": "3"}}, **facts)
        del metadata["next-row-id"]
        return {**metadata, "format-version": 2}

    return made


# -- ids ----------------------------------------------------------------------------------------------------------------


def _old_partition_sources(metadata: Document, body: Document) -> None:
    requested = (body.get("partition-spec") or {"fields": []})["fields"]
    for field, asked in zip(metadata["partition-specs"][0]["fields"], requested, strict=True):
        field["source-id"] = asked["source-id"]


def _old_sort_sources(metadata: Document, body: Document) -> None:
    requested = (body.get("write-order") or {"fields": []})["fields"]
    for field, asked in zip(metadata["sort-orders"][0]["fields"], requested, strict=True):
        field["source-id"] = asked["source-id"]


def _old_identifiers(metadata: Document, body: Document) -> None:
    if body["schema"].get("identifier-field-ids"):
        metadata["schemas"][0]["identifier-field-ids"] = body["schema"]["identifier-field-ids"]


def _no_identifiers(metadata: Document, _: Document) -> None:
    metadata["schemas"][0].pop("identifier-field-ids", None)


# -- partitions and order -----------------------------------------------------------------------------------------------


def _without(member: str) -> Callable[[Document], Document]:
    return lambda body: {key: value for key, value in body.items() if key != member}


def _first_field(metadata: Document, _: Document) -> None:
    del metadata["partition-specs"][0]["fields"][1:]


def _partition_backwards(metadata: Document, _: Document) -> None:
    metadata["partition-specs"][0]["fields"].reverse()


def _partition_names(metadata: Document, _: Document) -> None:
    for index, field in enumerate(metadata["partition-specs"][0]["fields"]):
        field["name"] = f"p{index}"


def _partition_anyway(body: Document) -> Document:
    column = body["schema"]["fields"][0]
    anyway = {"fields": [{"source-id": column["id"], "transform": "void", "name": f"{column['name']}_part"}]}
    return body if body.get("partition-spec") else {**body, "partition-spec": anyway}


def _has_no_spec_id(body: Document) -> bool:
    return "spec-id" not in (body.get("partition-spec") or {"spec-id": 0})


def _has_no_field_ids(body: Document) -> bool:
    fields = (body.get("partition-spec") or {"fields": []})["fields"]
    return any("field-id" not in field for field in fields)


def _ascending(metadata: Document, _: Document) -> None:
    for field in metadata["sort-orders"][0]["fields"]:
        field["direction"] = "asc"


def _nulls_first(metadata: Document, _: Document) -> None:
    for field in metadata["sort-orders"][0]["fields"]:
        field["null-order"] = "nulls-first"


def _by_identity(metadata: Document, _: Document) -> None:
    for field in metadata["sort-orders"][0]["fields"]:
        field["transform"] = "identity"


def _order_1_for_none(metadata: Document, _: Document) -> None:
    metadata["sort-orders"][0]["order-id"] = metadata["default-sort-order-id"] = 1


def _another_order(metadata: Document, _: Document) -> None:
    if metadata["default-sort-order-id"]:
        metadata["sort-orders"].append({"order-id": 0, "fields": []})
        metadata["default-sort-order-id"] = 0


def _order_0_for_any(metadata: Document, _: Document) -> None:
    for order in metadata["sort-orders"]:
        order["order-id"] = 0
    metadata["default-sort-order-id"] = 0


TYPES = ("IRC-TBL-CREATE-004", "IRC-TBL-CREATE-028")

FAULTS = (
    Fault("sorts-columns", "Columns of new tables stand in the order of their names.", ("IRC-TBL-CREATE-004",), made_with(_sort_columns)),
    Fault("lowers-column-names", "Columns of new tables have names in lower case.", ("IRC-TBL-CREATE-004",), made_with(_lower_columns)),
    Fault("requires-no-column", "No column of a new table is required.", TYPES, made_with(_require_nothing)),
    Fault("forgets-docs-of-columns", "Columns of new tables have no docs.", ("IRC-TBL-CREATE-004",), made_with(_forget_docs)),
    Fault("forgets-docs-in-structs", "Fields in structs have no docs.", ("IRC-TBL-CREATE-004",), made_with(_forget_inner_docs)),
    Fault(
        "allows-null-elements", "Elements and values of new tables may be null.", ("IRC-TBL-CREATE-004",), made_with(_allow_null_elements)
    ),
    Fault(
        "makes-integers-long", "Columns of type int become long.", TYPES, made_with(_typed(lambda kind: "long" if kind == "int" else kind))
    ),
    Fault(
        "forgets-time-zones",
        "Columns of type timestamptz become timestamp.",
        TYPES,
        made_with(_typed(lambda kind: kind.replace("timestamptz", "timestamp"))),
    ),
    Fault(
        "makes-uuids-texts",
        "Columns of type uuid become string.",
        ("IRC-TBL-CREATE-028",),
        made_with(_typed(lambda kind: "string" if kind == "uuid" else kind)),
    ),
    Fault(
        "makes-nanoseconds-coarse",
        "Columns of nanoseconds become columns of microseconds.",
        ("IRC-TBL-CREATE-028",),
        made_with(_typed(lambda kind: kind.removesuffix("_ns"))),
    ),
    Fault(
        "makes-fixed-binary",
        "Columns of fixed length become binary.",
        ("IRC-TBL-CREATE-028",),
        made_with(_typed(lambda kind: "binary" if kind.startswith("fixed") else kind)),
    ),
    Fault(
        "makes-decimals-wide",
        "Decimals get the largest precision.",
        ("IRC-TBL-CREATE-028",),
        made_with(_typed(lambda kind: f"decimal(38,{kind.split(',')[1]}" if kind.startswith("decimal") else kind)),
    ),
    Fault(
        "refuses-deep-types",
        "Types that are nested four deep are refused.",
        ("IRC-TBL-CREATE-028",),
        refused_if(CREATE, _is_deep),
    ),
    Fault(
        "takes-young-types",
        "Types of format version 3 are taken for tables of version 2.",
        ("IRC-TBL-CREATE-029",),
        around("rules", "new-metadata", _young_types),
    ),
    Fault(
        "drops-young-types",
        "Types of format version 3 are left out of tables of version 2 without a word.",
        ("IRC-TBL-CREATE-029",),
        forgiven("needs format version 3"),
    ),
    Fault(
        "partitions-by-old-ids", "Partition fields keep the ids of the request.", ("IRC-TBL-CREATE-005",), made_with(_old_partition_sources)
    ),
    Fault("sorts-by-old-ids", "Sort fields keep the ids of the request.", ("IRC-TBL-CREATE-005",), made_with(_old_sort_sources)),
    Fault("identifies-by-old-ids", "Identifier fields keep the ids of the request.", ("IRC-TBL-CREATE-005",), made_with(_old_identifiers)),
    Fault("forgets-identifier-fields", "New tables have no identifier fields.", ("IRC-TBL-CREATE-005",), made_with(_no_identifiers)),
    Fault(
        "forgets-partitioning",
        "New tables are not partitioned.",
        ("IRC-TBL-CREATE-005", "IRC-TBL-CREATE-006"),
        asked_for(CREATE, _without("partition-spec")),
    ),
    Fault("partitions-by-one-field", "Only the first partition field is kept.", ("IRC-TBL-CREATE-006",), made_with(_first_field)),
    Fault(
        "partitions-backwards", "Partition fields stand in the opposite order.", ("IRC-TBL-CREATE-006",), made_with(_partition_backwards)
    ),
    Fault("names-partitions-itself", "Partition fields get other names.", ("IRC-TBL-CREATE-006",), made_with(_partition_names)),
    Fault(
        "partitions-anyway",
        "A table that should have none has a partition field.",
        ("IRC-TBL-CREATE-006",),
        asked_for(CREATE, _partition_anyway),
    ),
    Fault("wants-spec-ids", "A partition spec without id is refused.", ("IRC-TBL-CREATE-019",), refused_if(CREATE, _has_no_spec_id)),
    Fault(
        "wants-partition-field-ids",
        "A partition field without id is refused.",
        ("IRC-TBL-CREATE-019",),
        refused_if(CREATE, _has_no_field_ids),
    ),
    Fault(
        "forgets-order",
        "New tables are not sorted.",
        ("IRC-TBL-CREATE-005", "IRC-TBL-CREATE-007"),
        asked_for(CREATE, _without("write-order")),
    ),
    Fault("sorts-ascending", "New tables are sorted in ascending order.", ("IRC-TBL-CREATE-007",), made_with(_ascending)),
    Fault("sorts-nulls-first", "New tables are sorted with nulls first.", ("IRC-TBL-CREATE-007",), made_with(_nulls_first)),
    Fault("sorts-by-the-column", "New tables are sorted without the transforms.", ("IRC-TBL-CREATE-007",), made_with(_by_identity)),
    Fault(
        "order-0-for-any",
        "The order of a new table has the id 0, whatever it sorts by.",
        ("IRC-TBL-CREATE-007",),
        made_with(_order_0_for_any),
    ),
    Fault("order-1-for-unsorted", "The unsorted order has the id 1.", ("IRC-TBL-CREATE-007",), made_with(_order_1_for_none)),
    Fault(
        "order-is-not-default", "The requested order is there but is not the default.", ("IRC-TBL-CREATE-007",), made_with(_another_order)
    ),
)
