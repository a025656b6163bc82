"""Checks of the updates `add-schema`, `set-current-schema` and `remove-schemas`."""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Document,
    Table,
    Wrong,
    check,
    expect,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import stored

FIELDS = "/updates/*/schema/fields/*"


def schema_ids(table: Table) -> list[Any]:
    """Return the ids of a table's schemas."""
    return [schema.get("schema-id") for schema in table.member("schemas")]


def ids_of_schemas_with(table: Table, name: str) -> list[Any]:
    """Return the ids of those schemas that have a column of that name."""
    return [
        schema.get("schema-id") for schema in table.member("schemas") if name in upd.columns(schema)
    ]


def id_of_schema_with(table: Table, name: str) -> Any:
    """Return the id of a schema that has just been added with a column of that name.

    Raises:
        Blocked: there is none.
    """
    ids = ids_of_schemas_with(table, name)
    if not ids:
        raise Blocked(
            f"add-schema returned {table.reply.status}, and no schema has the column {name}"
            " (IRC-UPD-010)"
        )
    return ids[0]


def schema_without(table: Table, name: str) -> Document:
    """Return the current schema without a column."""
    schema = upd.schema_with(table)
    return {**schema, "fields": [field for field in schema["fields"] if field["name"] != name]}


@check("IRC-UPD-010")
def server_assigns_schema_ids(lab: CatalogLab) -> None:
    """An added schema gets an unused id, whether the request proposes a new one or one in use."""
    table = lab.make_table()

    for proposal in lab.each((upd.REQUESTED, table.member("current-schema-id"))):
        name, existing = f"proposed_{proposal}", schema_ids(lab.load(table))
        with lab.judge("IRC-UPD-010"):
            after = lab.commit_and_load(
                table,
                upd.add_schema(
                    {**upd.schema_with(table, upd.next_column(table, name)), "schema-id": proposal}
                ),
            )
            ids = ids_of_schemas_with(after, name)
            expect.equal(1, len(ids), f"schemas with the column {name}:", at=after.place("schemas"))
            upd.expect_own_id(ids[0], existing, at=after.place("schemas"))
            expect.same_items(
                existing,
                (i for i in schema_ids(after) if i != ids[0]),
                "the other schemas",
                at=after.place("schemas"),
            )


@check("IRC-UPD-011")
def identical_schema_is_reused(lab: CatalogLab) -> None:
    """Adding a schema that the table already has does not make another one."""
    table = lab.make_table()

    with lab.judge("IRC-UPD-011"):
        after = lab.commit_and_load(table, upd.add_schema(upd.current_schema(table)))
        expect.same_items(
            schema_ids(table),
            schema_ids(after),
            "the same schemas",
            at=after.place("schemas"),
        )


@check("IRC-UPD-012")
def last_column_id_is_computed(lab: CatalogLab) -> None:
    """`last-column-id` is the highest id that was ever in a schema, nested ones included."""
    table = lab.make_table()
    last = table.member("last-column-id")
    inner = {"id": last + 2, "name": "city", "type": "string", "required": False}
    nested = upd.next_column(table, "place", {"type": "struct", "fields": [inner]})

    with lab.judge("IRC-UPD-012"):
        after = lab.commit_and_load(
            table, upd.add_schema(upd.schema_with(table, nested), last_column_id=None)
        )
        expect.member(last + 2, after.place("last-column-id"))
        wide = upd.schema_with(table, upd.next_column(table, "far", skip=9))
        answer = lab.commit_and_load(table, upd.add_schema(wide, last_column_id=last + 10))
        expect.member(last + 10, answer.place("last-column-id"))
        after = lab.commit_and_load(
            table, upd.add_schema(schema_without(table, "at"), last_column_id=None)
        )
        expect.member(last + 10, after.place("last-column-id"), "still the last-column-id")


@check("IRC-UPD-013")
def column_ids_are_kept(lab: CatalogLab) -> None:
    """The columns of an added schema keep their requested ids, nested ones too."""
    table = lab.make_table()
    column = upd.next_column(table, "far", skip=6)
    element = table.member("last-column-id") + 20
    listing = {
        "type": "list",
        "element-id": element,
        "element": "string",
        "element-required": False,
    }
    schema = upd.schema_with(table, column, upd.next_column(table, "words", listing, skip=10))

    with lab.judge("IRC-UPD-013"):
        after = lab.commit_and_load(
            table, upd.add_schema(schema), upd.set_current_schema(upd.LAST_ADDED)
        )
        expect.equal(
            upd.columns(schema),
            upd.columns(upd.current_schema(after)),
            "columns",
            at=after.place("schemas"),
        )
        words = next(
            field for field in upd.current_schema(after)["fields"] if field["name"] == "words"
        )
        expect.equal(
            element, words["type"].get("element-id"), "element-id", at=after.place("schemas")
        )


@check("IRC-UPD-014")
def contradictory_schemas_return_400(lab: CatalogLab) -> None:
    """A schema with a repeated id or name, or with an existing id for another type, returns 400."""
    table = lab.table_with_snapshot()
    current = upd.current_schema(table)
    twin = {**upd.next_column(table, "twin"), "id": upd.column(table, "name")}
    fields = [
        {**field, "type": "long"} if field["name"] == "name" else field
        for field in current["fields"]
    ]
    cases = {
        "two columns with one id": (
            Wrong.DUPLICATE(f"{FIELDS}/id"),
            [upd.add_schema(upd.schema_with(table, twin))],
        ),
        "two columns with one name": (
            Wrong.DUPLICATE(f"{FIELDS}/name"),
            [upd.add_column(table, "name")],
        ),
        "an id that was a string and is a long": (
            Wrong.IN_USE(f"{FIELDS}/id", "for a field id that is in use, with another type"),
            [upd.add_schema({**upd.schema_with(table), "fields": fields})],
        ),
    }
    upd.judge_refusals(lab, "IRC-UPD-014", table, cases)


@check("IRC-UPD-015")
def types_of_later_versions_return_400(lab: CatalogLab) -> None:
    """Adding a column of a version 3 type to a version 2 table returns 400."""
    table = upd.table_of_version(lab, 2)
    schema = upd.schema_with(table, upd.next_column(table, "fine", "timestamp_ns"))
    upd.judge_refusals(
        lab,
        "IRC-UPD-015",
        table,
        {
            "timestamp_ns in format version 2": (
                Wrong.VALUE(f"{FIELDS}/type"),
                [upd.add_schema(schema)],
            )
        },
    )


@check("IRC-UPD-016")
def add_schema_needs_a_schema(lab: CatalogLab) -> None:
    """An `add-schema` without `schema` returns 400."""
    table = lab.make_table()
    upd.judge_refusals(
        lab,
        "IRC-UPD-016",
        table,
        {"no schema": upd.lacking(upd.add_schema(upd.current_schema(table)), "schema")},
    )


@check("IRC-UPD-017")
def known_schema_becomes_current(lab: CatalogLab) -> None:
    """`set-current-schema` makes an existing schema the current one."""
    table = lab.make_table()
    first = table.member("current-schema-id")
    wider = stored(lab, table, upd.add_column(table, "more"))
    second = id_of_schema_with(wider, "more")

    with lab.judge_each("IRC-UPD-017") as case:
        for schema_id in (second, first):
            with case():
                after = lab.commit_and_load(table, upd.set_current_schema(schema_id))
                expect.member(schema_id, after.place("current-schema-id"))


@check("IRC-UPD-018")
def last_added_schema_becomes_current(lab: CatalogLab) -> None:
    """The schema id -1 stands for the schema that the same commit added last."""
    table = lab.make_table()
    schemas = [
        upd.schema_with(table, upd.next_column(table, name, skip=n), skip=n)
        for n, name in enumerate(("earlier", "later"))
    ]

    with lab.judge("IRC-UPD-018"):
        after = lab.commit_and_load(
            table, *map(upd.add_schema, schemas), upd.set_current_schema(upd.LAST_ADDED)
        )
        expect.contains(
            "later",
            upd.columns(upd.current_schema(after)),
            "the schema that was added last,",
            at=after.place("schemas"),
        )


@check("IRC-UPD-019", "IRC-UPD-020")
def unknown_current_schemas_return_400(lab: CatalogLab) -> None:
    """`set-current-schema` with an unknown id, or with -1 and no added schema, returns 400."""
    table = lab.make_table()
    upd.judge_refusals(
        lab,
        "IRC-UPD-019",
        table,
        {"-1 without add-schema": (upd.NOT_ADDED, [upd.set_current_schema(upd.LAST_ADDED)])},
    )
    upd.judge_refusals(
        lab,
        "IRC-UPD-020",
        table,
        {
            f"the schema id {upd.NOWHERE}": upd.unknown_id(
                upd.set_current_schema(upd.NOWHERE), "schema-id"
            )
        },
    )


@check("IRC-UPD-021")
def schemas_without_source_columns_return_400(lab: CatalogLab) -> None:
    """Making a schema current without a source column of the default spec or sort order returns
    400.
    """
    by_name = [upd.partition_field(2, "identity", "name", field_id=upd.FIRST_FIELD)]
    partitioned = lab.make_table(partition_spec={"spec-id": 0, "fields": by_name})
    with_order = lab.make_table(
        partitioned.namespace, write_order={"order-id": 1, "fields": [upd.sort_field(2)]}
    )

    for what, table in (("default spec", partitioned), ("default sort order", with_order)):
        updates = [
            upd.add_schema(
                schema_without(table, "name"), last_column_id=table.member("last-column-id")
            ),
            upd.set_current_schema(upd.LAST_ADDED),
        ]
        upd.judge_refusals(
            lab,
            "IRC-UPD-021",
            table,
            {
                f"a schema without the source column of the {what}": (
                    Wrong.IN_USE(
                        "source column",
                        f"for a schema without the source column of the {what}",
                    ),
                    updates,
                )
            },
        )


@check("IRC-UPD-076", "IRC-UPD-077")
def schemas_are_removed_except_the_current(lab: CatalogLab) -> None:
    """Removing schemas keeps the others; removing the current one returns 400."""
    table = lab.make_table()
    current = table.member("current-schema-id")
    schemas = [
        upd.schema_with(table, upd.next_column(table, name, skip=n), skip=n)
        for n, name in enumerate(("goes", "stays"))
    ]
    wider = stored(lab, table, *map(upd.add_schema, schemas))
    goes, stays = (id_of_schema_with(wider, name) for name in ("goes", "stays"))

    with lab.judge("IRC-UPD-076") as case:
        after = lab.commit_and_load(table, upd.remove_schemas(goes))
        expect.lacks(goes, schema_ids(after), "schemas", at=after.place("schemas"))
        for remaining in (current, stays):
            with case():
                expect.contains(remaining, schema_ids(after), "schemas", at=after.place("schemas"))
    with lab.step("IRC-UPD-076"):
        answer = lab.load(table)
        expect.lacks(goes, schema_ids(answer), "schemas", at=answer.place("schemas"))
    upd.judge_refusals(
        lab,
        "IRC-UPD-077",
        table,
        {
            "the current schema": (
                Wrong.IN_USE("/updates/*/schema-ids/*"),
                [upd.remove_schemas(current)],
            )
        },
    )


@check("IRC-UPD-078", "IRC-UPD-092")
def schemas_of_snapshots_are_kept(lab: CatalogLab) -> None:
    """Removing the schema of a snapshot returns 400 or 409, or the snapshot no longer names it; the
    snapshot stays.
    """
    table = lab.table_with_snapshot()
    first = table.member("current-schema-id")
    stored(
        lab,
        table,
        upd.add_column(table, "more"),
        upd.set_current_schema(upd.LAST_ADDED),
    )
    reply = lab.try_commit(table, upd.remove_schemas(first))
    after = lab.load(table)

    with lab.judge("IRC-UPD-078") as case:
        expect.status(reply, 200, 400, 403, 409)
        for snapshot in after.metadata.get("snapshots") or ():
            if snapshot.get("schema-id") is not None:
                with case():
                    expect.contains(
                        snapshot["schema-id"],
                        schema_ids(after),
                        "schemas, after the removal of one that a snapshot names,",
                        at=after.place("schemas"),
                    )
    with lab.judge("IRC-UPD-092"):
        ids = [snapshot.get("snapshot-id") for snapshot in after.metadata.get("snapshots") or ()]
        expect.contains(
            table.member("current-snapshot-id"), ids, "snapshots", at=after.place("snapshots")
        )
        expect.equal(
            table.metadata.get("refs"),
            after.metadata.get("refs"),
            "the refs as before,",
            at=after.place("refs"),
        )
