"""Checks of additions that differ slightly from existing entries: each becomes another entry."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from lakepact.conformance.checks.iceberg_rest.api import (
    CatalogLab,
    Document,
    Members,
    Table,
    check,
    expect,
    states,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.steps import stored
from lakepact.conformance.checks.iceberg_rest.kit.tables.requests import default_order, default_spec

COUNTED = [
    {"id": 1, "name": "id", "type": "long", "required": True},
    {"id": 2, "name": "name", "type": "string", "required": False, "doc": "any text"},
    {"id": 3, "name": "count", "type": "int", "required": False},
]
FURTHER = {"id": 4, "name": "further", "type": "string", "required": False}


def _with_fields(schema: Members, **changes: Members) -> Document:
    """Return a schema whose columns of these names have other members."""
    return {
        **schema,
        "fields": [{**field, **changes.get(field["name"], {})} for field in schema["fields"]],
    }


def _likenesses(table: Table) -> dict[str, Document]:
    """Return schemas that are the current one but for one thing, by what that is."""
    schema = upd.current_schema(table)
    identifiers = schema.get("identifier-field-ids") or []
    return {
        "another doc": _with_fields(schema, name={"doc": "other words"}),
        "a column that became optional": _with_fields(schema, id={"required": False}),
        "a column of another name": _with_fields(schema, name={"name": "called"}),
        "a wider type": _with_fields(schema, count={"type": "long"}),
        "another order of columns": {
            **schema,
            "fields": [*schema["fields"][1:], schema["fields"][0]],
        },
        "identifier fields": {
            **schema,
            "identifier-field-ids": [] if identifiers else [upd.column(table, "id")],
        },
    }


def _expect_current(table: Table, request: Members, what: str) -> None:
    """The current schema says all that was sent, of columns and identifier fields."""
    current = upd.current_schema(table)
    actual = states.restrict_to(request["fields"], current["fields"])
    expect.equal(
        request["fields"],
        actual,
        f"the columns of a schema with {what},",
        at=table.place("schemas"),
    )
    expect.equal(
        request.get("identifier-field-ids") or [],
        current.get("identifier-field-ids") or [],
        f"identifier-field-ids with {what},",
        at=table.place("schemas"),
    )


@check("IRC-UPD-010")
def slightly_different_schemas_are_added(lab: CatalogLab) -> None:
    """A schema that differs from an existing one only in a doc, flag, name, type or order is added
    as sent.
    """
    table = lab.make_table(schema={"type": "struct", "schema-id": 0, "fields": COUNTED})

    with lab.judge("IRC-UPD-010"):
        for what, schema in _likenesses(table).items():
            _expect_current(
                lab.commit_and_load(
                    table, upd.add_schema(schema), upd.set_current_schema(upd.LAST_ADDED)
                ),
                schema,
                what,
            )


@check("IRC-UPD-093")
def schemas_change_in_two_ways_at_once(lab: CatalogLab) -> None:
    """A schema with two of these edits is added if each alone is: optional, wider, renamed, moved
    and further columns.
    """
    edits: dict[str, Callable[[Document], Document]] = {
        "a column that became optional": lambda schema: _with_fields(
            schema, id={"required": False}
        ),
        "a wider type": lambda schema: _with_fields(schema, count={"type": "long"}),
        "a column of another name": lambda schema: _with_fields(schema, name={"name": "called"}),
        "another order of columns": lambda schema: {
            **schema,
            "fields": [*schema["fields"][1:], schema["fields"][0]],
        },
        "a further column": lambda schema: {**schema, "fields": [*schema["fields"], FURTHER]},
    }
    home = lab.make_namespace()

    def edit(*whats: str) -> tuple[Table, Document]:
        table = lab.make_table(home, schema={"type": "struct", "schema-id": 0, "fields": COUNTED})
        schema = upd.schema_with(table)
        for what in whats:
            schema = edits[what](schema)
        return table, schema

    alone = [
        what
        for what, (table, schema) in ((one, edit(one)) for one in edits)
        if lab.try_commit(table, *_as_current(schema)).status == 200
    ]
    with lab.judge_each(
        "IRC-UPD-093", without="the target refuses each of these edits alone"
    ) as case:
        for both in combinations(alone, 2):
            with case():
                table, schema = edit(*both)
                _expect_current(
                    lab.commit_and_load(table, *_as_current(schema)),
                    schema,
                    " and ".join(both),
                )


def _as_current(schema: Members) -> tuple[Members, ...]:
    return upd.add_schema(schema), upd.set_current_schema(upd.LAST_ADDED)


@check("IRC-UPD-010")
def default_values_are_part_of_a_schema(lab: CatalogLab) -> None:
    """In format version 3, an added column keeps its default values, and other default values make
    another schema.
    """
    table = upd.table_of_version(lab, 3)
    column = {**upd.next_column(table, "counted", "int"), "initial-default": 5, "write-default": 7}

    with lab.judge("IRC-UPD-010"):
        schema = upd.schema_with(table, column)
        table = lab.commit_and_load(
            table, upd.add_schema(schema), upd.set_current_schema(upd.LAST_ADDED)
        )
        _expect_current(table, schema, "default values")
        other = _with_fields(schema, counted={"write-default": 8})
        table = lab.commit_and_load(
            table, upd.add_schema(other), upd.set_current_schema(upd.LAST_ADDED)
        )
        _expect_current(table, other, "another write-default")
        # Within another column they may be refused, and are kept where they are not.
        place = upd.next_column(table, "place")
        defaults = {"initial-default": "here", "write-default": "there"}
        city = {
            "id": place["id"] + 1,
            "name": "city",
            "type": "string",
            "required": False,
            **defaults,
        }
        nested = upd.schema_with(table, {**place, "type": {"type": "struct", "fields": [city]}})
        if (
            lab.try_commit(
                table, upd.add_schema(nested), upd.set_current_schema(upd.LAST_ADDED)
            ).status
            == 200
        ):
            _expect_current(lab.load(table), nested, "default values within a column")


@check("IRC-UPD-012")
def last_column_id_is_not_taken_from_requests(lab: CatalogLab) -> None:
    """Adding a schema with too low a `last-column-id` returns 400, or the server computes the
    id.
    """
    table = lab.make_table()
    more = upd.next_column(table, "more")
    reply = lab.try_commit(
        table,
        upd.add_schema(upd.schema_with(table, more), last_column_id=table.member("last-column-id")),
    )

    with lab.judge("IRC-UPD-012"):
        expect.status(reply, 200, 400)
        if reply.status == 200:
            after = lab.load(table)
            expect.member(more["id"], after.place("last-column-id"))


@check("IRC-UPD-026")
def slightly_different_specs_are_added(lab: CatalogLab) -> None:
    """A spec that differs from an existing one only in a width, a name or the order of fields is
    added as sent.
    """
    table = upd.table_of_version(lab, 2)
    id_, name = upd.column(table, "id"), upd.column(table, "name")
    first = upd.next_field(table)
    by_name = upd.partition_field(name, "truncate[4]", "name_start", field_id=first)
    specs = [
        [upd.partition_field(id_, f"bucket[{width}]", f"by_{width}", field_id=first + n), by_name]
        for n, width in ((1, 4), (2, 8))
    ]
    specs.append(specs[0][::-1])
    specs.append([{**specs[0][0], "name": "called"}, by_name])

    with lab.judge_each("IRC-UPD-026") as case:
        for number, fields in enumerate(specs, start=1):
            with case():
                after = lab.commit_and_load(
                    table,
                    upd.add_spec(*fields, spec_id=number),
                    upd.set_default_spec(upd.LAST_ADDED),
                )
                expected, actual = (
                    [
                        {member: field.get(member) for member in ("source-id", "transform", "name")}
                        for field in side
                    ]
                    for side in (fields, default_spec(after)["fields"])
                )
                expect.equal(
                    expected,
                    actual,
                    "the fields of the default spec, which was added last,",
                    at=after.place("partition-specs"),
                )


@check("IRC-UPD-026")
def specs_are_compared_by_transform_and_order(lab: CatalogLab) -> None:
    """A spec with the field names of an existing one and another width or order is added as another
    spec.
    """
    table = upd.table_of_version(lab, 2)
    first = upd.next_field(table)
    by_id = upd.partition_field(upd.column(table, "id"), "bucket[4]", "by_id")
    by_name = upd.partition_field(upd.column(table, "name"), "truncate[4]", "name_start")
    with_ids = [{**field, "field-id": first + n} for n, field in enumerate((by_id, by_name))]
    stored(lab, table, upd.add_spec(*with_ids, spec_id=1), upd.set_default_spec(upd.LAST_ADDED))

    for number, fields in lab.each(
        enumerate(([{**by_id, "transform": "bucket[8]"}, by_name], [by_name, by_id]), start=2)
    ):
        reply = lab.try_commit(
            table, upd.add_spec(*fields, spec_id=number), upd.set_default_spec(upd.LAST_ADDED)
        )
        if reply.status != 200:
            lab.skip(
                "IRC-UPD-026", "specs without the ids of their fields are refused (IRC-UPD-022)"
            )
            continue
        with lab.judge("IRC-UPD-026"):
            after = lab.load(table)
            expect.equal(
                [field["transform"] for field in fields],
                [field.get("transform") for field in default_spec(after)["fields"]],
                "transforms,",
                at=after.place("partition-specs"),
            )


@check("IRC-UPD-032")
def slightly_different_sort_orders_are_added(lab: CatalogLab) -> None:
    """A sort order that differs only in direction, null order, transform or sequence is added as
    sent.
    """
    table = lab.make_table()
    name = upd.column(table, "name")
    alone = (
        upd.sort_field(name),
        upd.sort_field(name, direction="desc"),
        upd.sort_field(name, null_order="nulls-last"),
        upd.sort_field(name, transform="bucket[4]"),
        upd.sort_field(name, transform="bucket[8]"),
    )
    both = [upd.sort_field(name), upd.sort_field(upd.column(table, "id"))]
    orders = (*([field] for field in alone), both, both[::-1])

    with lab.judge_each("IRC-UPD-032") as case:
        for number, order in enumerate(orders, start=1):
            with case():
                after = lab.commit_and_load(
                    table,
                    upd.add_sort_order(*order, order_id=number),
                    upd.set_default_sort_order(upd.LAST_ADDED),
                )
                expect.equal(
                    order,
                    [
                        {member: field.get(member) for member in alone[0]}
                        for field in default_order(after)["fields"]
                    ],
                    "the default order, which was added last,",
                    at=after.place("sort-orders"),
                )
