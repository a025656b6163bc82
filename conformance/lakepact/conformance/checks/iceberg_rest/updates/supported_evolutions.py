"""Checks of evolutions that the table format allows: wider types, transforms, nested columns,
operations.
"""

from __future__ import annotations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Table,
    check,
    expect,
    states,
    upd,
)

WIDER = {"int": "long", "float": "double", "decimal(9,2)": "decimal(18,2)"}

#: Transforms of the columns of `SCHEMA` that can be.
TRANSFORMS = {
    "id": ("identity", "bucket[16]", "truncate[10]", "void"),
    "name": ("identity", "bucket[4]", "truncate[3]"),
    "at": ("year", "month", "day", "hour"),
}

OPERATIONS = ("append", "replace", "overwrite", "delete")

#: A schema with a column within another one.
PLACE: Document = {
    "type": "struct",
    "schema-id": 0,
    "fields": [
        {"id": 1, "name": "id", "type": "long", "required": True},
        {
            "id": 2,
            "name": "place",
            "required": False,
            "type": {
                "type": "struct",
                "fields": [{"id": 3, "name": "city", "type": "string", "required": False}],
            },
        },
    ],
}


def city_of(table: Table) -> int:
    """Return the id that the target gave to the column within another one.

    Raises:
        Unmet: there is none.
    """
    fields = [
        field for field in upd.current_schema(table)["fields"] if field.get("name") == "place"
    ]
    inner = [
        field
        for each in fields
        if isinstance(each.get("type"), dict)
        for field in each["type"].get("fields") or ()
    ]
    expect.true(
        bool(inner),
        "a column within the column place",
        upd.current_schema(table),
        at=table.place("schemas"),
    )
    field_id: int = inner[0]["id"]
    return field_id


@check("IRC-UPD-010")
def types_are_widened(lab: CatalogLab) -> None:
    """A commit may widen column types and add columns with capitals in their names."""
    fields = [
        {"id": n + 1, "name": f"c{n}", "type": narrow, "required": False}
        for n, narrow in enumerate(WIDER)
    ]
    table = lab.append(lab.make_table(schema={"type": "struct", "schema-id": 0, "fields": fields}))
    schema = upd.schema_with(table, upd.next_column(table, "Later"))
    schema["fields"] = [
        {**field, "type": WIDER.get(str(field["type"]).replace(" ", ""), field["type"])}
        for field in schema["fields"]
    ]

    with lab.judge("IRC-UPD-010"):
        after = lab.commit_and_load(
            table, upd.add_schema(schema), upd.set_current_schema(upd.LAST_ADDED)
        )
        types = [
            str(field.get("type")).replace(" ", "") for field in upd.current_schema(after)["fields"]
        ]
        expect.equal(
            [*WIDER.values(), "string"],
            types,
            "types of the current schema",
            at=after.place("schemas"),
        )
        expect.contains(
            "Later",
            upd.columns(upd.current_schema(after)),
            "the current schema",
            at=after.place("schemas"),
        )


@check("IRC-UPD-022")
def transforms_are_accepted(lab: CatalogLab) -> None:
    """A spec with any transform that its column allows is added as sent."""
    table = upd.table_of_version(lab, 2)

    with lab.judge("IRC-UPD-022") as case:
        for name, transforms in TRANSFORMS.items():
            for transform in transforms:
                with case():
                    table = lab.load(table)
                    field_name = f"{name}_{transform.partition('[')[0]}"
                    field = upd.field_of(table, name, transform, field_name)
                    expect_spec(lab.commit_and_load(table, upd.add_spec(field)), [field])
        table = lab.load(table)
        both = [
            upd.partition_field(
                upd.column(table, "id"),
                transform,
                f"id_{n}",
                field_id=upd.next_field(table, skip=n),
            )
            for n, transform in enumerate(("bucket[8]", "truncate[100]"))
        ]
        expect_spec(lab.commit_and_load(table, upd.add_spec(*both)), both)


def expect_spec(table: Table, fields: list[Document]) -> None:
    """The table has a partition spec that divides as these fields say; which ids these have is
    judged elsewhere.

    Raises:
        Unmet: it has none.
    """
    expected = [
        {member: value for member, value in field.items() if member != "field-id"}
        for field in fields
    ]
    expect.contains(
        expected,
        [
            states.restrict_to(expected, spec.get("fields"))
            for spec in table.member("partition-specs")
        ],
        "partition specs",
        at=table.place("partition-specs"),
    )


@check("IRC-UPD-022", "IRC-UPD-029")
def nested_columns_partition_and_sort(lab: CatalogLab) -> None:
    """A table can be partitioned and sorted by a nested column."""
    table = lab.make_table(schema=PLACE)
    city = city_of(table)
    field = upd.partition_field(city, "bucket[4]", "city_bucket", field_id=upd.next_field(table))

    with lab.judge("IRC-UPD-022"):
        expect_spec(lab.commit_and_load(table, upd.add_spec(field)), [field])
    order = upd.sort_field(city, direction="desc", null_order="nulls-last")
    with lab.judge("IRC-UPD-029"):
        after = lab.commit_and_load(table, upd.add_sort_order(order))
        orders = [
            states.restrict_to([order], one.get("fields")) for one in after.member("sort-orders")
        ]
        expect.contains([order], orders, "sort orders", at=after.place("sort-orders"))


@check("IRC-UPD-035")
def snapshots_of_every_operation_are_stored(lab: CatalogLab) -> None:
    """Snapshots with the operations append, replace, overwrite and delete are stored with that
    operation.
    """
    table = lab.make_table()

    with lab.judge_each("IRC-UPD-035") as case:
        for operation in OPERATIONS:
            with case():
                snapshot = lab.snapshot(lab.load(table), summary={"operation": operation})
                after = lab.commit_and_load(table, upd.add_snapshot(snapshot))
                operations = {
                    snapshot.get("snapshot-id"): (snapshot.get("summary") or {}).get("operation")
                    for snapshot in after.member("snapshots")
                }
                expect.equal(
                    operation,
                    operations.get(snapshot["snapshot-id"]),
                    "the operation of the snapshot that was added,",
                    at=after.place("snapshots"),
                )
