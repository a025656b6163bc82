"""Checks of requirements on the last assigned or current ids of columns, schemas, specs and sort
orders.
"""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    SCHEMA,
    Blocked,
    CatalogLab,
    Document,
    Table,
    check,
    expect,
    req,
    upd,
    wrong_type,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import stored

UNPARTITIONED = 999  #: the last partition id of a table that never had a partition field

#: A schema of columns within columns; its highest ids are not those of its columns.
NESTED: Document = {
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
                "fields": [
                    {"id": 3, "name": "latitude", "type": "double", "required": True},
                    {"id": 4, "name": "longitude", "type": "double", "required": True},
                ],
            },
        },
        {
            "id": 5,
            "name": "tags",
            "required": False,
            "type": {
                "type": "map",
                "key-id": 6,
                "key": "string",
                "value-id": 7,
                "value": "string",
                "value-required": False,
            },
        },
        {
            "id": 8,
            "name": "notes",
            "required": False,
            "type": {
                "type": "list",
                "element-id": 9,
                "element": "string",
                "element-required": False,
            },
        },
    ],
}
ASSIGNED = 9  #: ids that the nested schema needs


def add_column(lab: CatalogLab, table: Table, name: str = "more") -> Table:
    """Return the table with one more column."""
    return stored(
        lab,
        table,
        upd.add_schema(upd.schema_with(table, upd.next_column(table, name))),
        upd.set_current_schema(upd.LAST_ADDED),
    )


def drop_column(lab: CatalogLab, table: Table, name: str = "more") -> Table:
    """Return the table without that column."""
    schema = upd.current_schema(table)
    fields = [field for field in schema["fields"] if field["name"] != name]
    # With another doc it is a schema that the table never had: of one that it has, nothing need be
    # added.
    fields[-1] = {**fields[-1], "doc": f"without {name}"}
    addition = upd.add_schema(
        {**upd.schema_with(table), "fields": fields}, last_column_id=table.member("last-column-id")
    )
    return stored(lab, table, addition, upd.set_current_schema(upd.LAST_ADDED))


def require_distinct_ids(former: int, current: int, unused: int) -> None:
    """Require different ids for what was current, what is current, and what never was.

    Raises:
        Blocked: two of the ids are equal, so that no assertion is wrong.
    """
    if former == current or unused in {former, current}:
        raise Blocked(
            f"of two that were added the first was made current, yet the ids are {former} before,"
            f" {current} now, {unused} last"
        )


@check("IRC-REQ-020", "IRC-REQ-021")
def last_assigned_field_ids_are_compared(lab: CatalogLab) -> None:
    """assert-last-assigned-field-id with the last column id returns 200, with any other id 409."""
    new = lab.make_table()
    req.judge_answers(
        lab,
        "IRC-REQ-020",
        new,
        cases={"it is so of a new table": req.assert_last_field(new.member("last-column-id"))},
        allowed=[200],
    )
    table = add_column(lab, new)
    last = table.member("last-column-id")
    req.judge_answers(
        lab,
        "IRC-REQ-020",
        table,
        cases={"it is so since a column was added": req.assert_last_field(last)},
        allowed=[200],
    )
    stale = {
        f"the last column id is {last}, not {other}": req.assert_last_field(other)
        for other in (last - 1, last + 1, 0, upd.NOWHERE)
    }
    req.judge_answers(lab, "IRC-REQ-021", table, cases=stale, allowed=[409])
    another = [upd.add_schema(upd.schema_with(table, upd.next_column(table, "another")))]
    req.judge_answers(lab, "IRC-REQ-021", table, cases=stale, allowed=[409], updates=another)


@check("IRC-REQ-022")
def last_assigned_field_ids_cover_nested_columns(lab: CatalogLab) -> None:
    """assert-last-assigned-field-id compares with the last id of nested columns too."""
    table = lab.make_table(schema=NESTED)
    highest = max(upd.columns(upd.current_schema(table)).values())
    last = table.member("last-column-id")

    with lab.step("IRC-META-005"):
        expect.true(
            last >= ASSIGNED,
            f"a last-column-id of at least {ASSIGNED}, for so many columns and parts of columns",
            last,
            at=table.place("last-column-id"),
        )
    if highest < last:
        in_use = {f"the last column id is {last}, within a column": req.assert_last_field(highest)}
        req.judge_answers(lab, "IRC-REQ-022", table, cases=in_use, allowed=[409])
    req.judge_answers(
        lab,
        "IRC-REQ-022",
        table,
        cases={"it is the id of a part of a column": req.assert_last_field(last)},
        allowed=[200],
    )


@check("IRC-REQ-022")
def last_assigned_field_ids_cover_dropped_columns(lab: CatalogLab) -> None:
    """assert-last-assigned-field-id compares with the highest id ever assigned, after columns and
    schemas were removed.
    """
    new = lab.make_table()
    before = new.member("last-column-id")
    wide = add_column(lab, new)
    column_id = upd.column(wide, "more")
    table = drop_column(lab, wide)
    steps = {"was dropped": table}
    for situation in (*steps, "and its schema are gone"):
        if (
            situation not in steps
            and lab.try_commit(table, upd.remove_schemas(wide.member("current-schema-id"))).status
            != 200
        ):
            break
        in_use = {f"the column {column_id} {situation}": req.assert_last_field(before)}
        req.judge_answers(lab, "IRC-REQ-022", table, cases=in_use, allowed=[409])
        last = {f"the column {column_id} {situation}": req.assert_last_field(column_id)}
        req.judge_answers(lab, "IRC-REQ-022", table, cases=last, allowed=[200])


@check("IRC-REQ-023")
def invalid_last_assigned_field_ids_return_400(lab: CatalogLab) -> None:
    """assert-last-assigned-field-id without an integer id returns 400."""
    table = lab.make_table()
    last = table.member("last-column-id")
    wrong: tuple[Any, ...] = (None, str(last), last + 0.5, True, {}, [last])
    cases = {f"the id is {expect.excerpt(value)}": req.assert_last_field(value) for value in wrong}
    req.judge_answers(
        lab,
        "IRC-REQ-023",
        table,
        cases=cases,
        allowed=[400],
        mutation=wrong_type("/requirements/*/last-assigned-field-id"),
    )
    req.judge_without(
        lab, "IRC-REQ-023", table, req.assert_last_field(last), "last-assigned-field-id"
    )


@check("IRC-REQ-024", "IRC-REQ-025", "IRC-REQ-026")
def current_schemas_are_compared(lab: CatalogLab) -> None:
    """assert-current-schema-id with the current id returns 200, with any other id 409, without an
    id 400.
    """
    new = lab.make_table()
    former = new.member("current-schema-id")
    req.judge_answers(
        lab,
        "IRC-REQ-024",
        new,
        cases={"it is so of a new table": req.assert_schema(former)},
        allowed=[200],
    )
    req.judge_answers(
        lab,
        "IRC-REQ-025",
        new,
        cases={"there is no such schema yet": req.assert_schema(former + 1)},
        allowed=[409],
    )
    table = add_column(lab, new)
    current = table.member("current-schema-id")
    table = stored(
        lab, table, upd.add_schema(upd.schema_with(table, upd.next_column(table, "unused")))
    )
    unused = max(schema["schema-id"] for schema in table.member("schemas"))
    require_distinct_ids(former, current, unused)
    req.judge_answers(
        lab,
        "IRC-REQ-024",
        table,
        cases={"it is so since a schema was set": req.assert_schema(current)},
        allowed=[200],
    )
    stale = {
        "the schema was current before": req.assert_schema(former),
        "the schema exists, but never was current": req.assert_schema(unused),
        "there is no such schema": req.assert_schema(upd.NOWHERE),
    }
    req.judge_answers(lab, "IRC-REQ-025", table, cases=stale, allowed=[409])
    req.judge_answers(
        lab,
        "IRC-REQ-025",
        table,
        cases=stale,
        allowed=[409],
        updates=[upd.set_current_schema(former)],
    )
    req.judge_without(lab, "IRC-REQ-026", table, req.assert_schema(current), "current-schema-id")


@check("IRC-REQ-027", "IRC-REQ-028", "IRC-REQ-029")
def last_assigned_partition_ids_are_compared(lab: CatalogLab) -> None:
    """assert-last-assigned-partition-id with the last id returns 200 (999 if never partitioned),
    with any other id 409.
    """
    table = lab.make_table()
    never = {"the table was never partitioned": req.assert_last_partition(UNPARTITIONED)}
    req.judge_answers(lab, "IRC-REQ-027", table, cases=never, allowed=[200])
    wrong = {
        f"the table was never partitioned, so it is not {other}": req.assert_last_partition(other)
        for other in (0, UNPARTITIONED + 1)
    }
    req.judge_answers(lab, "IRC-REQ-028", table, cases=wrong, allowed=[409])
    bucket = upd.partition_field(
        upd.column(table, "id"), "bucket[4]", "id_bucket", field_id=upd.next_field(table)
    )
    table = stored(lab, table, upd.add_spec(bucket), upd.set_default_spec(upd.LAST_ADDED))
    last = table.member("last-partition-id")
    req.judge_answers(
        lab,
        "IRC-REQ-027",
        table,
        cases={"it is so since a spec was added": req.assert_last_partition(last)},
        allowed=[200],
    )
    stale = {
        f"the last partition id is {last}, not {other}": req.assert_last_partition(other)
        for other in (last - 1, last + 1)
    }
    req.judge_answers(lab, "IRC-REQ-028", table, cases=stale, allowed=[409])
    day = upd.partition_field(
        upd.column(table, "at"), "day", "at_day", field_id=upd.next_field(table)
    )
    req.judge_answers(
        lab,
        "IRC-REQ-028",
        table,
        cases=stale,
        allowed=[409],
        updates=[upd.add_spec(day, spec_id=2)],
    )
    req.judge_without(
        lab, "IRC-REQ-029", table, req.assert_last_partition(last), "last-assigned-partition-id"
    )


@check("IRC-REQ-027", "IRC-REQ-028")
def last_assigned_partition_ids_cover_former_specs(lab: CatalogLab) -> None:
    """assert-last-assigned-partition-id compares with the highest id ever assigned, after the
    default spec changed.
    """
    name = SCHEMA["fields"][0]["name"]
    table = lab.make_table()
    bucket = upd.partition_field(
        upd.column(table, name), "bucket[4]", "bucket", field_id=upd.next_field(table)
    )
    table = stored(lab, table, upd.add_spec(bucket), upd.set_default_spec(upd.LAST_ADDED))
    last = table.member("last-partition-id")
    if last <= UNPARTITIONED:
        raise Blocked(
            f"a partition field was added, and last-partition-id is {last} (IRC-META-006)"
        )
    bare = [spec["spec-id"] for spec in table.member("partition-specs") if not spec["fields"]]
    stored(
        lab,
        table,
        *(
            [upd.set_default_spec(bare[0])]
            if bare
            else [upd.add_spec(spec_id=2), upd.set_default_spec(upd.LAST_ADDED)]
        ),
    )
    without_fields = {"no default spec has a field any more": req.assert_last_partition(last)}
    req.judge_answers(lab, "IRC-REQ-027", table, cases=without_fields, allowed=[200])
    back = {
        "the table is unpartitioned again, but ids were assigned": req.assert_last_partition(
            UNPARTITIONED
        )
    }
    req.judge_answers(lab, "IRC-REQ-028", table, cases=back, allowed=[409])


@check("IRC-REQ-030", "IRC-REQ-031", "IRC-REQ-032")
def default_specs_are_compared(lab: CatalogLab) -> None:
    """assert-default-spec-id with the default id returns 200, with any other id 409, without an id
    400.
    """
    new = upd.table_of_version(lab, 2)
    former = new.member("default-spec-id")
    req.judge_answers(
        lab,
        "IRC-REQ-030",
        new,
        cases={"it is so of a new table": req.assert_spec(former)},
        allowed=[200],
    )
    req.judge_answers(
        lab,
        "IRC-REQ-031",
        new,
        cases={"there is no such spec yet": req.assert_spec(former + 1)},
        allowed=[409],
    )
    bucket = upd.partition_field(
        upd.column(new, "id"), "bucket[4]", "id_bucket", field_id=upd.next_field(new)
    )
    table = stored(lab, new, upd.add_spec(bucket), upd.set_default_spec(upd.LAST_ADDED))
    current = table.member("default-spec-id")
    table = stored(
        lab,
        table,
        upd.add_spec(
            upd.partition_field(
                upd.column(table, "at"), "day", "at_day", field_id=upd.next_field(table)
            ),
            spec_id=2,
        ),
    )
    unused = max(spec["spec-id"] for spec in table.member("partition-specs"))
    require_distinct_ids(former, current, unused)
    req.judge_answers(
        lab,
        "IRC-REQ-030",
        table,
        cases={"it is so since a spec was set": req.assert_spec(current)},
        allowed=[200],
    )
    stale = {
        "the spec was the default before": req.assert_spec(former),
        "the spec exists, but never was the default": req.assert_spec(unused),
        "there is no such spec": req.assert_spec(upd.NOWHERE),
    }
    req.judge_answers(lab, "IRC-REQ-031", table, cases=stale, allowed=[409])
    req.judge_answers(
        lab,
        "IRC-REQ-031",
        table,
        cases=stale,
        allowed=[409],
        updates=[upd.set_default_spec(former)],
    )
    req.judge_without(lab, "IRC-REQ-032", table, req.assert_spec(current), "default-spec-id")


@check("IRC-REQ-033", "IRC-REQ-034", "IRC-REQ-035")
def default_orders_are_compared(lab: CatalogLab) -> None:
    """assert-default-sort-order-id with the default id returns 200, with any other id 409, without
    an id 400.
    """
    new = lab.make_table()
    former = new.member("default-sort-order-id")
    req.judge_answers(
        lab,
        "IRC-REQ-033",
        new,
        cases={"it is so of a new table": req.assert_order(former)},
        allowed=[200],
    )
    req.judge_answers(
        lab,
        "IRC-REQ-034",
        new,
        cases={"there is no such order yet": req.assert_order(former + 1)},
        allowed=[409],
    )
    table = stored(
        lab,
        new,
        upd.add_sort_order(upd.sort_field(upd.column(new, "id"))),
        upd.set_default_sort_order(upd.LAST_ADDED),
    )
    current = table.member("default-sort-order-id")
    table = stored(
        lab,
        table,
        upd.add_sort_order(
            upd.sort_field(upd.column(table, "at"), direction="desc", null_order="nulls-last"),
            order_id=2,
        ),
    )
    unused = max(order["order-id"] for order in table.member("sort-orders"))
    require_distinct_ids(former, current, unused)
    req.judge_answers(
        lab,
        "IRC-REQ-033",
        table,
        cases={"it is so since an order was set": req.assert_order(current)},
        allowed=[200],
    )
    stale = {
        "the order was the default before": req.assert_order(former),
        "the order exists, but never was the default": req.assert_order(unused),
        "there is no such order": req.assert_order(upd.NOWHERE),
    }
    req.judge_answers(lab, "IRC-REQ-034", table, cases=stale, allowed=[409])
    req.judge_answers(
        lab,
        "IRC-REQ-034",
        table,
        cases=stale,
        allowed=[409],
        updates=[upd.set_default_sort_order(former)],
    )
    req.judge_without(lab, "IRC-REQ-035", table, req.assert_order(current), "default-sort-order-id")
