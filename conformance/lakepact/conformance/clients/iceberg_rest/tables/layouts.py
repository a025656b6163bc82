"""Schemas, partition specs and sort orders that a client creates and changes."""

from __future__ import annotations

from typing import Any

import orjson

from lakepact.conformance.clients.iceberg_rest.api import (
    COMMITS,
    CatalogClientLab,
    Document,
    NotOffered,
    Performance,
    check,
    expect,
    op,
)
from lakepact.conformance.clients.iceberg_rest.kit.changes import other_members
from lakepact.conformance.clients.iceberg_rest.kit.lab import SCHEMA
from lakepact.conformance.clients.iceberg_rest.kit.repeated_commits import expect_guards, updates_of
from lakepact.conformance.clients.iceberg_rest.kit.tables_with_files import (
    NESTED,
    VERSIONS,
    current_schema,
    table_with_older_schema,
)
from lakepact.conformance.rows.snapshots import Columns, columns_of, item_of

PLAIN, LAYOUT = "create-table", "create-table-with-layout"
SCHEMA_MEMBERS = ("schemas", "schema", "current-schema-id", "last-column-id")
SPEC_MEMBERS = ("partition-specs", "partition-spec", "default-spec-id", "last-partition-id")
ADDED: Document = {"edit": "add", "column": ["added"]}
RENAMED: Document = {"edit": "rename", "column": ["data"], "to": "text"}
RELAXED: Document = {"edit": "relax", "column": ["id"]}
#: Edits in one change of a table with nested columns.
EDITS: tuple[Document, ...] = (
    ADDED,
    {"edit": "add", "column": ["point", "z"]},
    {"edit": "add", "column": ["notes", "value", "more"]},
    RENAMED,
    {"edit": "drop", "column": ["point", "x"]},
    {"edit": "drop", "column": ["notes", "value", "n"]},
    {"edit": "widen", "column": ["amount"], "type": "decimal(12,2)"},
    {"edit": "document", "column": ["tags"], "doc": "labels"},
)


def edit_columns(columns: Columns, edits: tuple[Document, ...]) -> Columns:
    """Return the columns after some edits; new ones have no id."""
    result = {path: dict(column) for path, column in columns.items()}
    for edit in edits:
        path = ".".join(edit["column"])
        if edit["edit"] == "add":
            result[path] = {"name": edit["column"][-1], "type": "string", "required": False}
        elif edit["edit"] == "rename":
            result[edit["to"]] = {**result.pop(path), "name": edit["to"]}
        elif edit["edit"] == "drop":
            del result[path]
        else:
            new: Document = {name: edit[name] for name in ("type", "doc") if name in edit}
            result[path] |= new or {"required": False}
    return result


def _expect_change(
    lab: CatalogClientLab,
    before: Document,
    performance: Performance,
    where: Document,
    edits: tuple[Document, ...],
) -> None:
    """Judge the schema that a client sent, and the resulting table."""
    after, schema_before = lab.metadata(**where), current_schema(before)
    schemas = [update.get("schema", {}) for update in updates_of(performance, "add-schema")] or [
        current_schema(after)
    ]
    last, expected = before["last-column-id"], edit_columns(columns_of(schema_before), edits)
    subject = f"of format version {before['format-version']}, whose last-column-id was {last}:"
    with lab.judge("IRC-CLI-065"):
        expect_guards(
            performance, "add-schema", "assert-current-schema-id", "assert-last-assigned-field-id"
        )
    with lab.judge_each("IRC-CLI-060") as case:
        for schema in schemas:
            ids = {path: column.get("id") for path, column in columns_of(schema).items()}
            new = [
                ids.get(path)
                for path, column in expected.items()
                if "id" not in column and path in ids
            ]
            low_ids = [number for number in new if not isinstance(number, int) or number <= last]
            with case():
                expect.equal(
                    [],
                    low_ids,
                    f"field ids of new columns that are not above it, in a table {subject}",
                )
                expect.equal(len(ids), len({*ids.values()}), "different field ids in the schema:")
    with lab.judge_each("IRC-CLI-061") as case:
        expected_columns = {
            path: column if "id" in column else "new" for path, column in expected.items()
        }
        last_schema = schemas[-1]  # a client may make each edit in a commit of its own
        actual_columns = {
            path: column if "id" in expected.get(path, {}) else "new"
            for path, column in columns_of(last_schema).items()
        }
        keys, actual_keys = (
            sorted(document.get("identifier-field-ids") or [])
            for document in (schema_before, last_schema)
        )
        with case():
            expect.equal(
                expected_columns, actual_columns, f"columns of the schema of a table {subject}"
            )
            expect.equal(keys, actual_keys, "identifier-field-ids of the schema:")
        with case():
            lab.require_success(performance)
            names = sorted(columns_of(current_schema(after)))
            expect.equal(
                sorted(expected), names, f"columns of the current schema of a table {subject}"
            )
            expect.equal(
                other_members(before, *SCHEMA_MEMBERS),
                other_members(after, *SCHEMA_MEMBERS),
                "other members of the metadata:",
            )


def _judge(
    lab: CatalogClientLab,
    task: str,
    changes: tuple[Document, ...],
    *,
    nested: bool,
    **arguments: Any,
) -> None:
    """Judge a task that makes edits in tables of each format version; clients may refuse those of
    version 1 or 3 by themselves.

    Raises:
        NotOffered: the client sends no commit.
    """
    for version in lab.each(VERSIONS):
        where = table_with_older_schema(lab, version, nested=nested)
        before = lab.metadata(**where)
        performance = lab.performs(task, **where, **arguments)
        if performance.of(*COMMITS):
            _expect_change(lab, before, performance, where, changes)
        elif version == VERSIONS[0]:
            lab.require_success(performance)
            raise NotOffered("the client changes no schema by updateTable")


@check("IRC-CLI-060", "IRC-CLI-061", "IRC-CLI-065")
def added_columns(lab: CatalogClientLab) -> None:
    """A client gives a new column an id that no column had, and keeps nested, documented and key
    columns as they are.
    """
    for nested in lab.each((True, False)):
        _judge(lab, "add-column", (ADDED,), nested=nested, column="added")


@check("IRC-CLI-060", "IRC-CLI-061", "IRC-CLI-065")
def several_edits(lab: CatalogClientLab) -> None:
    """A client that adds, renames, drops, widens and documents columns in one change, also nested
    ones, makes exactly these edits.
    """
    for edits, nested in ((EDITS, True), ((ADDED, RELAXED, RENAMED), False)):
        _judge(lab, "edit-columns", edits, nested=nested, edits=edits)


def _layout(request: Document) -> Document:
    """Return a table to create, with paths of columns instead of ids, since servers may assign
    others.
    """
    schema = request.get("schema") or {}
    columns = columns_of(schema)
    paths = {column["id"]: path for path, column in columns.items()}

    def by_path(field: Document) -> Document:
        return {**field, "source-id": paths.get(field["source-id"]), "field-id": None}

    return {
        "columns": {
            path: {name: value for name, value in column.items() if name != "id"}
            for path, column in columns.items()
        },
        "keys": sorted(str(paths.get(number)) for number in schema.get("identifier-field-ids", [])),
        **{
            part: [by_path(field) for field in request.get(part, {}).get("fields", [])]
            for part in ("partition-spec", "write-order")
        },
    }


def _stored_layout(metadata: Document) -> Document:
    spec, order = (
        item_of(metadata[members], name, metadata[default])
        for members, name, default in (
            ("partition-specs", "spec-id", "default-spec-id"),
            ("sort-orders", "order-id", "default-sort-order-id"),
        )
    )
    return _layout(
        {"schema": current_schema(metadata), "partition-spec": spec, "write-order": order}
    )


@check("IRC-CLI-062")
def created_tables(lab: CatalogClientLab) -> None:
    """A client creates tables of each format version with nested columns, a partition spec and a
    sort order, as its user asked for.
    """
    tasks = [
        (PLAIN, 0, {"schema": SCHEMA}, {}),
        *((LAYOUT, version, NESTED, {"format-version": version}) for version in VERSIONS),
    ]
    with lab.judge_each(
        "IRC-CLI-062", without="the client creates no tables by createTable"
    ) as case:
        for task, version, layout, more in tasks:
            where: Document = {"namespace": lab.namespace(), "table": "made"}
            arguments: Document = {**where, **layout, **more} if version else where
            performance = lab.tries(task, **arguments)
            if performance is None or not (
                performance.of(op.create_table, op.update_table) or version in {0, 2}
            ):
                continue
            with case():
                if not performance.is_done:
                    for exchange in performance.of(op.create_table):
                        expect.equal(
                            _layout(layout),
                            _layout(orjson.loads(exchange.request_body)),
                            "layout in the request:",
                        )
                lab.require_success(performance)
                metadata = lab.metadata(**where)
                expect.equal(
                    _layout(layout),
                    _stored_layout(metadata),
                    "columns, partition spec and sort order:",
                )
                properties = layout.get("properties", {})
                expect.equal(
                    properties,
                    {name: metadata["properties"].get(name) for name in properties},
                    "properties:",
                )
                expect.equal(
                    version or metadata["format-version"],
                    metadata["format-version"],
                    "format-version:",
                )


@check("IRC-CLI-065", "IRC-CLI-069")
def added_partition_fields(lab: CatalogClientLab) -> None:
    """A client that adds a partition field keeps the other fields, and gives the new one an id that
    no field had.
    """
    for version in lab.each((2, 3)):  # in version 1 the ids of each spec count from 1000
        where = table_with_older_schema(lab, version, nested=True)
        metadata = lab.metadata(**where)
        former = metadata["partition-specs"][0]["fields"]
        further = {
            "source-id": columns_of(current_schema(metadata))["id"]["id"],
            "field-id": 1002,
            "name": "b",
            "transform": "bucket[2]",
        }
        before = lab.commit(
            *where.values(),
            {"action": "add-spec", "spec": {"spec-id": 1, "fields": [*former, further]}},
        )
        performance = lab.performs(
            "add-partition-field", **where, column="id", transform="bucket[16]", name="id_bucket"
        )
        if not performance.of(*COMMITS):
            if version == 3:
                return
            lab.require_success(performance)
            raise NotOffered("the client adds no partition fields by updateTable")
        with lab.judge("IRC-CLI-065"):
            expect_guards(
                performance,
                "add-spec",
                "assert-last-assigned-partition-id",
                "assert-default-spec-id",
            )
        with lab.judge("IRC-CLI-069"):
            last = before["last-partition-id"]
            specs = [
                update.get("spec", {}).get("fields", [])
                for update in updates_of(performance, "add-spec")
            ]
            former_ids = {field["field-id"] for field in former}
            ids = [field.get("field-id", last + 1) for fields in specs for field in fields]
            ids = [number for number in ids if number not in former_ids]
            expect.equal(
                [],
                [number for number in ids if number <= last],
                f"ids of new fields that are not above {last}:",
            )
            lab.require_success(performance)
            after = lab.metadata(**where)
            spec = item_of(after["partition-specs"], "spec-id", after["default-spec-id"])
            by_name = {field["name"]: field for field in spec["fields"]}
            new_field = by_name.pop("id_bucket", {})
            expect.equal(
                {field["name"]: field for field in former},
                by_name,
                "former fields of the partition spec, by their names:",
            )
            expect.equal(
                {**new_field, "source-id": further["source-id"], "transform": "bucket[16]"},
                new_field,
                "the new field:",
            )
            expect.equal(
                other_members(before, *SPEC_MEMBERS),
                other_members(after, *SPEC_MEMBERS),
                "other members of the metadata:",
            )
