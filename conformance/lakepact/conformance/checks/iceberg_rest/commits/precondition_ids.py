"""Checks of requirements on the last assigned or current ids of columns, schemas, specs and sort
orders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    Blocked,
    CatalogLab,
    Document,
    Members,
    Table,
    Wrong,
    check,
    expect,
    req,
    upd,
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
        upd.add_column(table, name),
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


@check("IRC-REQ-020", "IRC-REQ-021")
def last_assigned_field_ids_are_compared(lab: CatalogLab) -> None:
    """assert-last-assigned-field-id with the last column id returns 200, with any other id 409."""
    new = lab.make_table()
    commits = req.Commits(lab, new)
    commits.judge(
        "IRC-REQ-020",
        {"it is so of a new table": req.assert_last_field(new.member("last-column-id"))},
        200,
    )
    table = add_column(lab, new)
    last = table.member("last-column-id")
    commits.judge(
        "IRC-REQ-020", {"it is so since a column was added": req.assert_last_field(last)}, 200
    )
    stale = {
        f"the last column id is {last}, not {other}": req.assert_last_field(other)
        for other in (last - 1, last + 1, 0, upd.NOWHERE)
    }
    commits.judge("IRC-REQ-021", stale, 409)
    another = [upd.add_column(table, "another")]
    commits.judge("IRC-REQ-021", stale, 409, updates=another)


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
    commits = req.Commits(lab, table)
    if highest < last:
        in_use = {f"the last column id is {last}, within a column": req.assert_last_field(highest)}
        commits.judge("IRC-REQ-022", in_use, 409)
    commits.judge(
        "IRC-REQ-022", {"it is the id of a part of a column": req.assert_last_field(last)}, 200
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
    commits = req.Commits(lab, table)
    for situation in (*steps, "and its schema are gone"):
        if (
            situation not in steps
            and lab.try_commit(table, upd.remove_schemas(wide.member("current-schema-id"))).status
            != 200
        ):
            break
        in_use = {f"the column {column_id} {situation}": req.assert_last_field(before)}
        commits.judge("IRC-REQ-022", in_use, 409)
        last = {f"the column {column_id} {situation}": req.assert_last_field(column_id)}
        commits.judge("IRC-REQ-022", last, 200)


@check("IRC-REQ-023")
def invalid_last_assigned_field_ids_return_400(lab: CatalogLab) -> None:
    """assert-last-assigned-field-id without an integer id returns 400."""
    table = lab.make_table()
    last = table.member("last-column-id")
    wrong: tuple[Any, ...] = (None, str(last), last + 0.5, True, {}, [last])
    cases = {f"the id is {expect.excerpt(value)}": req.assert_last_field(value) for value in wrong}
    commits = req.Commits(lab, table)
    commits.judge(
        "IRC-REQ-023", cases, 400, mutation=Wrong.TYPE("/requirements/*/last-assigned-field-id")
    )
    commits.judge_without("IRC-REQ-023", req.assert_last_field(last), "last-assigned-field-id")


@check("IRC-REQ-027", "IRC-REQ-028", "IRC-REQ-029")
def last_assigned_partition_ids_are_compared(lab: CatalogLab) -> None:
    """assert-last-assigned-partition-id with the last id returns 200 (999 if never partitioned),
    with any other id 409.
    """
    table = lab.make_table()
    never = {"the table was never partitioned": req.assert_last_partition(UNPARTITIONED)}
    commits = req.Commits(lab, table)
    commits.judge("IRC-REQ-027", never, 200)
    wrong = {
        f"the table was never partitioned, so it is not {other}": req.assert_last_partition(other)
        for other in (0, UNPARTITIONED + 1)
    }
    commits.judge("IRC-REQ-028", wrong, 409)
    bucket = upd.add_spec(upd.field_of(table, "id", "bucket[4]", "id_bucket"))
    table = stored(lab, table, bucket, upd.set_default_spec(upd.LAST_ADDED))
    last = table.member("last-partition-id")
    commits.judge(
        "IRC-REQ-027", {"it is so since a spec was added": req.assert_last_partition(last)}, 200
    )
    stale = {
        f"the last partition id is {last}, not {other}": req.assert_last_partition(other)
        for other in (last - 1, last + 1)
    }
    commits.judge("IRC-REQ-028", stale, 409)
    commits.judge(
        "IRC-REQ-028",
        stale,
        409,
        updates=[upd.add_spec(upd.field_of(table, "at", "day", "at_day"), spec_id=2)],
    )
    commits.judge_without(
        "IRC-REQ-029", req.assert_last_partition(last), "last-assigned-partition-id"
    )


@check("IRC-REQ-027", "IRC-REQ-028")
def last_assigned_partition_ids_cover_former_specs(lab: CatalogLab) -> None:
    """assert-last-assigned-partition-id compares with the highest id ever assigned, after the
    default spec changed.
    """
    table = lab.make_table()
    bucket = upd.add_spec(upd.field_of(table, "id", "bucket[4]", "bucket"))
    table = stored(lab, table, bucket, upd.set_default_spec(upd.LAST_ADDED))
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
    commits = req.Commits(lab, table)
    commits.judge("IRC-REQ-027", without_fields, 200)
    back = {
        "the table is unpartitioned again, but ids were assigned": req.assert_last_partition(
            UNPARTITIONED
        )
    }
    commits.judge("IRC-REQ-028", back, 409)


@dataclass(frozen=True)
class Current:
    """The schemas, specs or sort orders of a table: their members, and the updates about them."""

    noun: str
    was_current: str  #: what is said of one that was current before
    member: str  #: the id of the current one, in the metadata and in an assertion
    all_of_them: str
    id: str  #: the member with the id of one of them
    adding: Callable[[Table], Document]  #: an update that adds one
    adding_another: Callable[[Table], Document]
    setting: Callable[[int], Members]  #: an update that makes one current


def judge_ids(
    lab: CatalogLab, new: Table, of: Current, *, holding: str, stale: str, lacking: str
) -> None:
    """Judge assertions about the id of what is current, on a new table and after changes."""

    def asserting(number: int) -> Document:
        return {"type": f"assert-{of.member}", of.member: number}

    former = new.member(of.member)
    commits = req.Commits(lab, new)
    commits.judge(holding, {"it is so of a new table": asserting(former)}, 200)
    commits.judge(stale, {f"there is no such {of.noun} yet": asserting(former + 1)}, 409)
    table = stored(lab, new, of.adding(new), of.setting(upd.LAST_ADDED))
    current = table.member(of.member)
    table = stored(lab, table, of.adding_another(table))
    unused = max(one[of.id] for one in table.member(of.all_of_them))
    if former == current or unused in {former, current}:
        raise Blocked(
            f"of two that were added the first was made current, yet the ids are {former} before,"
            f" {current} now, {unused} last"
        )
    article = "an" if of.noun == "order" else "a"
    commits.judge(holding, {f"it is so since {article} {of.noun} was set": asserting(current)}, 200)
    cases = {
        f"the {of.noun} was {of.was_current} before": asserting(former),
        f"the {of.noun} exists, but never was {of.was_current}": asserting(unused),
        f"there is no such {of.noun}": asserting(upd.NOWHERE),
    }
    commits.judge(stale, cases, 409)
    commits.judge(stale, cases, 409, updates=[of.setting(former)])
    commits.judge_without(lacking, asserting(current), of.member)


@check("IRC-REQ-024", "IRC-REQ-025", "IRC-REQ-026")
def current_schemas_are_compared(lab: CatalogLab) -> None:
    """assert-current-schema-id with the current id returns 200, with any other id 409, without an
    id 400.
    """
    schemas = Current(
        "schema",
        "current",
        "current-schema-id",
        "schemas",
        "schema-id",
        lambda table: upd.add_column(table, "more"),
        lambda table: upd.add_column(table, "unused"),
        upd.set_current_schema,
    )
    new = lab.make_table()
    judge_ids(lab, new, schemas, holding="IRC-REQ-024", stale="IRC-REQ-025", lacking="IRC-REQ-026")


@check("IRC-REQ-030", "IRC-REQ-031", "IRC-REQ-032")
def default_specs_are_compared(lab: CatalogLab) -> None:
    """assert-default-spec-id with the default id returns 200, with any other id 409, without an id
    400.
    """
    specs = Current(
        "spec",
        "the default",
        "default-spec-id",
        "partition-specs",
        "spec-id",
        lambda table: upd.add_spec(upd.field_of(table, "id", "bucket[4]", "id_bucket")),
        lambda table: upd.add_spec(upd.field_of(table, "at", "day", "at_day"), spec_id=2),
        upd.set_default_spec,
    )
    new = upd.table_of_version(lab, 2)
    judge_ids(lab, new, specs, holding="IRC-REQ-030", stale="IRC-REQ-031", lacking="IRC-REQ-032")


@check("IRC-REQ-033", "IRC-REQ-034", "IRC-REQ-035")
def default_orders_are_compared(lab: CatalogLab) -> None:
    """assert-default-sort-order-id with the default id returns 200, with any other id 409, without
    an id 400.
    """
    orders = Current(
        "order",
        "the default",
        "default-sort-order-id",
        "sort-orders",
        "order-id",
        lambda table: upd.add_sort_order(upd.sort_field(upd.column(table, "id"))),
        lambda table: upd.add_sort_order(
            upd.sort_field(upd.column(table, "at"), direction="desc", null_order="nulls-last"),
            order_id=2,
        ),
        upd.set_default_sort_order,
    )
    new = lab.make_table()
    judge_ids(lab, new, orders, holding="IRC-REQ-033", stale="IRC-REQ-034", lacking="IRC-REQ-035")
