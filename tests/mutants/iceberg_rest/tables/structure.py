"""Wrong ways of making the columns, the partition spec and the sort order of a new table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from lakepact.reference_server.faults import fault, wrap_rule
from lakepact.reference_server.iceberg_rest.documents import Document
from mutants.iceberg_rest.operators.creation import accepting_anyway, made_with
from mutants.iceberg_rest.operators.operations import CREATE
from mutants.iceberg_rest.operators.requests import asked_for, refused_if


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
    changed = {
        part: _types(kind[part], change) for part in ("element", "key", "value") if part in kind
    }
    if "fields" in kind:
        changed["fields"] = [
            {**field, "type": _types(field["type"], change)} for field in kind["fields"]
        ]
    return {**kind, **changed}


def _on_types(change: Callable[[str], str]) -> Callable[[Document, Document], None]:
    def spoil(metadata: Document, _: Document) -> None:
        metadata["schemas"] = [_types(schema, change) for schema in metadata["schemas"]]

    return spoil


def _depth(kind: Any) -> int:
    if not isinstance(kind, dict):
        return 0
    inner = [field["type"] for field in kind.get("fields", ())] + [
        kind[part] for part in ("element", "key", "value") if part in kind
    ]
    return 1 + max(map(_depth, inner), default=0)


def _without(member: str) -> Callable[[Document], Document]:
    return lambda body: {key: value for key, value in body.items() if key != member}


TYPES = ("IRC-TBL-CREATE-004", "IRC-TBL-CREATE-028")


@fault("IRC-TBL-CREATE-004", by=made_with)
def lowers_column_names(metadata: Document, _: Document) -> None:
    for field in _fields(metadata["schemas"][0]):
        field["name"] = field["name"].lower()


@fault(*TYPES, by=made_with)
def requires_no_column(metadata: Document, _: Document) -> None:
    for field in _fields(metadata["schemas"][0]):
        field["required"] = False


@fault("IRC-TBL-CREATE-004", by=made_with)
def forgets_docs_of_columns(metadata: Document, _: Document) -> None:
    for field in _fields(metadata["schemas"][0]):
        field.pop("doc", None)


@fault("IRC-TBL-CREATE-004", by=made_with)
def forgets_docs_in_structs(metadata: Document, _: Document) -> None:
    outer = [id(field) for field in metadata["schemas"][0]["fields"]]
    for field in _fields(metadata["schemas"][0]):
        if id(field) not in outer:
            field.pop("doc", None)


@fault("IRC-TBL-CREATE-004", by=made_with)
def allows_null_elements(metadata: Document, _: Document) -> None:
    todo: list[Any] = [metadata["schemas"][0]]
    while todo:
        kind = todo.pop()
        if isinstance(kind, dict):
            todo += [field["type"] for field in kind.get("fields", ())]
            todo += [kind[part] for part in ("element", "key", "value") if part in kind]
            kind |= {flag: False for flag in ("element-required", "value-required") if flag in kind}


@fault("IRC-TBL-CREATE-029", by=partial(wrap_rule, "new_metadata"))
def takes_young_types(make: Callable[..., Document]) -> Callable[..., Document]:
    def made(body: Document, **facts: Any) -> Document:
        properties = body.get("properties") or {}
        if properties.get("format-version") != "2":
            return make(body, **facts)
        metadata = make({**body, "properties": {**properties, "format-version": "3"}}, **facts)
        del metadata["next-row-id"]
        return {**metadata, "format-version": 2}

    return made


@fault("IRC-TBL-CREATE-005", by=made_with)
def partitions_by_old_ids(metadata: Document, body: Document) -> None:
    requested = (body.get("partition-spec") or {"fields": []})["fields"]
    for field, asked in zip(metadata["partition-specs"][0]["fields"], requested, strict=True):
        field["source-id"] = asked["source-id"]


@fault("IRC-TBL-CREATE-005", by=made_with)
def sorts_by_old_ids(metadata: Document, body: Document) -> None:
    requested = (body.get("write-order") or {"fields": []})["fields"]
    for field, asked in zip(metadata["sort-orders"][0]["fields"], requested, strict=True):
        field["source-id"] = asked["source-id"]


@fault("IRC-TBL-CREATE-005", by=made_with)
def identifies_by_old_ids(metadata: Document, body: Document) -> None:
    if body["schema"].get("identifier-field-ids"):
        metadata["schemas"][0]["identifier-field-ids"] = body["schema"]["identifier-field-ids"]


@fault("IRC-TBL-CREATE-005", by=made_with)
def forgets_identifier_fields(metadata: Document, _: Document) -> None:
    metadata["schemas"][0].pop("identifier-field-ids", None)


@fault("IRC-TBL-CREATE-006", by=made_with)
def partitions_by_one_field(metadata: Document, _: Document) -> None:
    del metadata["partition-specs"][0]["fields"][1:]


@fault("IRC-TBL-CREATE-006", by=made_with)
def names_partitions_itself(metadata: Document, _: Document) -> None:
    for index, field in enumerate(metadata["partition-specs"][0]["fields"]):
        field["name"] = f"p{index}"


@fault("IRC-TBL-CREATE-006", by=partial(asked_for, CREATE))
def partitions_anyway(body: Document) -> Document:
    column = body["schema"]["fields"][0]
    anyway = {
        "fields": [
            {"source-id": column["id"], "transform": "void", "name": f"{column['name']}_part"}
        ]
    }
    return body if body.get("partition-spec") else {**body, "partition-spec": anyway}


@fault("IRC-TBL-CREATE-006", by=partial(refused_if, CREATE))
def refuses_partitions_of_nested_columns(body: Document) -> bool:
    columns = {column["id"] for column in body["schema"]["fields"]}
    return any(
        field["source-id"] not in columns
        for field in (body.get("partition-spec") or {"fields": []})["fields"]
    )


@fault("IRC-TBL-CREATE-019", by=partial(refused_if, CREATE))
def wants_partition_field_ids(body: Document) -> bool:
    fields = (body.get("partition-spec") or {"fields": []})["fields"]
    return any("field-id" not in field for field in fields)


@fault("IRC-TBL-CREATE-007", by=made_with)
def sorts_ascending(metadata: Document, _: Document) -> None:
    for field in metadata["sort-orders"][0]["fields"]:
        field["direction"] = "asc"


@fault("IRC-TBL-CREATE-007", by=made_with)
def sorts_nulls_first(metadata: Document, _: Document) -> None:
    for field in metadata["sort-orders"][0]["fields"]:
        field["null-order"] = "nulls-first"


@fault("IRC-TBL-CREATE-007", by=made_with)
def sorts_by_the_column(metadata: Document, _: Document) -> None:
    for field in metadata["sort-orders"][0]["fields"]:
        field["transform"] = "identity"


@fault("IRC-TBL-CREATE-007", by=made_with)
def order_0_for_any(metadata: Document, _: Document) -> None:
    for order in metadata["sort-orders"]:
        order["order-id"] = 0
    metadata["default-sort-order-id"] = 0


@fault("IRC-TBL-CREATE-007", by=made_with)
def order_1_for_unsorted(metadata: Document, _: Document) -> None:
    metadata["sort-orders"][0]["order-id"] = metadata["default-sort-order-id"] = 1


@fault("IRC-TBL-CREATE-007", by=made_with)
def order_is_not_default(metadata: Document, _: Document) -> None:
    if metadata["default-sort-order-id"]:
        metadata["sort-orders"].append({"order-id": 0, "fields": []})
        metadata["default-sort-order-id"] = 0


@fault("IRC-TBL-CREATE-035", by=made_with)
def creates_an_empty_schema_too(metadata: Document, _: Document) -> None:
    metadata["schemas"].append(
        {
            "type": "struct",
            "schema-id": max(one["schema-id"] for one in metadata["schemas"]) + 1,
            "fields": [],
        }
    )


@fault("IRC-TBL-CREATE-035", by=made_with)
def creates_the_spec_twice(metadata: Document, _: Document) -> None:
    metadata["partition-specs"].append(
        {**metadata["partition-specs"][0], "spec-id": metadata["default-spec-id"] + 1}
    )


FAULTS = {
    "sorts-columns IRC-TBL-CREATE-004": made_with(
        lambda metadata, _: metadata["schemas"][0]["fields"].sort(
            key=lambda column: str(column["name"])
        )
    ),
    f"makes-integers-long {' '.join(TYPES)}": made_with(
        _on_types(lambda kind: "long" if kind == "int" else kind)
    ),
    f"forgets-time-zones {' '.join(TYPES)}": made_with(
        _on_types(lambda kind: kind.replace("timestamptz", "timestamp"))
    ),
    "makes-uuids-texts IRC-TBL-CREATE-028": made_with(
        _on_types(lambda kind: "string" if kind == "uuid" else kind)
    ),
    "makes-nanoseconds-coarse IRC-TBL-CREATE-028": made_with(
        _on_types(lambda kind: kind.removesuffix("_ns"))
    ),
    "makes-fixed-binary IRC-TBL-CREATE-028": made_with(
        _on_types(lambda kind: "binary" if kind.startswith("fixed") else kind)
    ),
    "makes-decimals-wide IRC-TBL-CREATE-028": made_with(
        _on_types(
            lambda kind: f"decimal(38,{kind.split(',')[1]}" if kind.startswith("decimal") else kind
        )
    ),
    "refuses-deep-types IRC-TBL-CREATE-028": refused_if(
        CREATE, lambda body: _depth(body["schema"]) > 4
    ),
    "drops-young-types IRC-TBL-CREATE-029": accepting_anyway("needs format version 3"),
    "forgets-partitioning IRC-TBL-CREATE-005 IRC-TBL-CREATE-006": asked_for(
        CREATE, _without("partition-spec")
    ),
    "partitions-backwards IRC-TBL-CREATE-006": made_with(
        lambda metadata, _: metadata["partition-specs"][0]["fields"].reverse()
    ),
    "wants-spec-ids IRC-TBL-CREATE-019": refused_if(
        CREATE, lambda body: "spec-id" not in (body.get("partition-spec") or {"spec-id": 0})
    ),
    "forgets-order IRC-TBL-CREATE-005 IRC-TBL-CREATE-007": asked_for(
        CREATE, _without("write-order")
    ),
}
