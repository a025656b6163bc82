"""Checks of the columns, partition spec and sort order of new tables: they are as requested, with
any ids.
"""

from __future__ import annotations

from typing import Any

from lakepact.conformance.checks.iceberg_rest.api import (
    SCHEMA,
    SUCCESS,
    CatalogLab,
    Document,
    Kind,
    Members,
    Table,
    Wrong,
    check,
    expect,
    op,
    upd,
)
from lakepact.conformance.checks.iceberg_rest.kit.tables.metadata_members import objects
from lakepact.conformance.checks.iceberg_rest.kit.tables.requests import (
    array,
    created,
    default_order,
    default_spec,
    field,
    mapping,
    order,
    partitioning,
    request_creation,
    shape,
    sorting,
    sources,
    spec,
    struct,
)

PRIMITIVE_TYPES = (
    *("boolean", "int", "long", "float", "double", "date", "time", "timestamp", "timestamptz"),
    *(
        "string",
        "uuid",
        "binary",
        "fixed[1]",
        "fixed[16]",
        "decimal(1, 0)",
        "decimal(9, 2)",
        "decimal(38, 38)",
    ),
)

#: Types that only format version 3 has.
YOUNG_TYPES = ("timestamp_ns", "timestamptz_ns", "variant", "unknown", "geometry", "geography")


def expect_columns(table: Table, schema: Members) -> None:
    """The current schema has these columns, whatever their ids."""
    expect.equal(
        shape(schema), shape(upd.current_schema(table)), "columns", at=table.place("schemas")
    )


def expect_partitioning(table: Table, request: Members, schema: Members) -> None:
    """The default spec is the one of a request with that schema, whatever the ids."""
    actual = partitioning(default_spec(table)["fields"], upd.current_schema(table))
    expect.equal(
        partitioning(request["fields"], schema),
        actual,
        "the default spec, as column, transform and name,",
        at=table.place("partition-specs"),
    )


def expect_sorting(table: Table, request: Members, schema: Members) -> None:
    """The default sort order is the one of a request with that schema, whatever the ids."""
    actual = sorting(default_order(table)["fields"], upd.current_schema(table))
    what = "the default sort order, as column, transform, direction and nulls,"
    expect.equal(sorting(request["fields"], schema), actual, what, at=table.place("sort-orders"))


#: By member of the metadata: the key of its items, and the member that names the default one.
DEFAULTS = {
    "schemas": ("schema-id", "current-schema-id"),
    "partition-specs": ("spec-id", "default-spec-id"),
    "sort-orders": ("order-id", "default-sort-order-id"),
}


@check("IRC-TBL-CREATE-035")
def created_tables_have_nothing_else(lab: CatalogLab) -> None:
    """A created table has no schema but the current one, and no partition spec or sort order with
    fields but the default ones.
    """
    partitioning = spec(upd.partition_field(2, "identity", "name", field_id=1000), spec_id=0)
    requests: tuple[Document, ...] = (
        {},
        {"partition_spec": partitioning, "write_order": order(upd.sort_field(1))},
    )
    for request in lab.each(requests):
        table = lab.make_table(**request)
        for answer in lab.each((table, lab.load(table))):
            with lab.judge_each("IRC-TBL-CREATE-035") as case:
                for member, (key, default) in DEFAULTS.items():
                    with case():
                        others = [
                            one
                            for one in objects(answer.metadata, member)
                            if one.get(key) != answer.metadata.get(default)
                        ]
                        surplus = [
                            one for one in others if member == "schemas" or one.get("fields")
                        ]
                        expect.equal(
                            [],
                            surplus,
                            f"further items of `{member}`",
                            at=answer.place(member),
                            kind=Kind.SURPLUS,
                        )


# -- columns ---------------------------------------------------------------------------------------


@check("IRC-TBL-CREATE-004")
def requested_columns_are_kept(lab: CatalogLab) -> None:
    """A created table has the requested columns in order, each with its type, docs and
    `required`.
    """
    fields = (
        field(1, "zebra", "string", doc="the last letter first"),
        field(2, "id", "long", required=True),
        field(3, "Mixed Case", "int", required=True, doc=""),
        field(
            4,
            "point",
            struct(field(5, "y", "double", required=True, doc="up"), field(6, "x", "double")),
        ),
        field(7, "tags", array(8, "string", required=True)),
        field(9, "scores", mapping((10, 11), "string", "float"), required=True),
        field(12, "żółć", "boolean", doc="表"),
        field(13, "apple", "date"),
    )

    for schema in lab.each((SCHEMA, struct(*fields), struct(*reversed(fields)))):
        table = lab.make_table(schema=schema)
        with lab.judge_each("IRC-TBL-CREATE-004") as case:
            for answer in (table, lab.load(table)):
                with case():
                    expect_columns(answer, schema)


def nested(depth: int, kind: Any, first: int) -> Any:
    """Structs, lists and maps around a type, one in the other, `depth` deep; field ids count from
    `first`.
    """
    for level in range(depth):
        identifier = first + 2 * level
        around = (
            struct(field(identifier, "inner", kind, required=True)),
            array(identifier, kind),
            mapping((identifier, identifier + 1), "string", kind),
        )
        kind = around[level % 3]
    return kind


@check("IRC-TBL-CREATE-028")
def every_column_type_is_kept(lab: CatalogLab) -> None:
    """Columns of every primitive type, and of types nested four deep, load as they were created."""
    fields = [
        field(n, f"c{n}", kind, required=n % 2 == 0)
        for n, kind in enumerate(PRIMITIVE_TYPES, start=1)
    ]
    deep = [
        field(100 * n, f"deep{n}", nested(4, kind, 100 * n + 1))
        for n, kind in enumerate(("string", "decimal(12, 3)"), start=1)
    ]
    map_type = mapping(
        (402, 403),
        struct(field(404, "part", "int", required=True)),
        array(405, struct(field(406, "leaf", "uuid"))),
    )
    schema = struct(*fields, *deep, field(401, "keyed", map_type))

    with lab.judge("IRC-TBL-CREATE-028"):
        table = created(lab, schema=schema)
        expect_columns(table, schema)
        expect_columns(lab.load(table), schema)


@check("IRC-TBL-CREATE-028")
def version_3_types_are_kept(lab: CatalogLab) -> None:
    """A column of a type of format version 3, if accepted, loads as it was created."""
    namespace = lab.make_namespace()

    with lab.judge_each("IRC-TBL-CREATE-028") as case:
        for kind in YOUNG_TYPES[
            :4
        ]:  # those of places may be answered with the reference system that they stand for
            with case():
                name, schema = lab.name(), struct(field(1, "id", "long"), field(2, "young", kind))
                reply = request_creation(
                    lab, namespace, name, schema=schema, properties={"format-version": "3"}
                )
                if reply.status == 200:
                    load = lab.send(op.load_table, namespace=namespace, table=name)
                    expect_columns(Table(namespace, name, load), schema)


@check("IRC-TBL-CREATE-029")
def version_3_types_in_version_2_return_400(lab: CatalogLab) -> None:
    """Creating a version 2 table with a type of format version 3, at any depth, returns 400."""
    namespace = lab.make_namespace()
    kinds = [*YOUNG_TYPES, array(3, "timestamptz_ns"), struct(field(3, "inner", "timestamp_ns"))]
    for kind in lab.each(kinds):
        schema = struct(field(1, "id", "long"), field(2, "young", kind))
        reply = request_creation(
            lab, namespace, lab.name(), schema=schema, properties={"format-version": "2"}
        )
        if reply.status == 200 and reply.place("metadata", "format-version").value != 2:
            lab.skip("IRC-TBL-CREATE-029", "the target chooses the format version by itself")
            continue
        with lab.judge("IRC-TBL-CREATE-029"):
            expect.status(
                reply,
                400,
                about=f"for {expect.excerpt(kind)} in format version 2",
                mutation=Wrong.VALUE("/schema/fields/*/type"),
            )


#: Schemas whose ids are none that a server would give by counting: gaps, no order, and a
#: permutation of small ones.
NUMBERINGS = ((40, 30, 20, 70), (3, 1, 2, 4), (1000, 2, 500, 1))


@check("IRC-TBL-CREATE-005")
def reassigned_ids_refer_to_the_same_columns(lab: CatalogLab) -> None:
    """Partition, sort and identifier fields refer to the requested columns, whatever ids the server
    assigns.
    """
    for key, at, word, inner in lab.each(NUMBERINGS):
        columns = (
            field(at, "at", "timestamptz"),
            field(key, "key", "string", required=True),
            field(word, "word", "string"),
            field(key + at + word + inner, "outer", struct(field(inner, "inner", "string"))),
        )
        schema = {**struct(*columns), "identifier-field-ids": [key]}
        by_day = upd.partition_field(at, "day", "by_day", field_id=1000)
        by_inner = upd.partition_field(inner, "identity", "by_inner", field_id=1001)
        partition_spec = spec(by_day, by_inner, spec_id=0)
        sort_order = order(
            upd.sort_field(word, direction="desc"), upd.sort_field(key, transform="bucket[4]")
        )
        home, name = lab.make_namespace(), lab.name()
        reply = request_creation(
            lab, home, name, schema=schema, partition_spec=partition_spec, write_order=sort_order
        )
        with lab.step("IRC-TBL-CREATE-006"):
            expect.status(
                reply, *SUCCESS, about="for partition fields, one of them on a nested column"
            )
        table = lab.with_metadata(Table(home, name, reply))
        with lab.judge_each("IRC-TBL-CREATE-005") as case:
            for answer in (table, lab.load(table)):
                with case():
                    expect_partitioning(answer, partition_spec, schema)
                    expect_sorting(answer, sort_order, schema)
                    names = sources(upd.current_schema(answer))
                    now = upd.current_schema(answer).get("identifier-field-ids", [])
                    expect.equal(
                        ["key"],
                        [names.get(identifier) for identifier in now],
                        "identifier fields",
                        at=answer.place("schemas"),
                    )


# -- partitions ------------------------------------------------------------------------------------


@check("IRC-TBL-CREATE-006")
def requested_partitioning_is_the_default(lab: CatalogLab) -> None:
    """A created table has the requested partition spec as default, and an unpartitioned one without
    a request.
    """
    several = (
        upd.partition_field(3, "day", "at_day", field_id=1000),
        upd.partition_field(2, "truncate[4]", "prefix", field_id=1001),
        upd.partition_field(1, "bucket[16]", "shard", field_id=1002),
    )
    outer = {
        **struct(field(1, "id", "long"), field(2, "outer", struct(field(3, "inner", "string")))),
        "schema-id": 0,
    }
    requests = (
        (SCHEMA, spec(several[2], spec_id=0)),
        (SCHEMA, spec(*several, spec_id=0)),
        (SCHEMA, spec(upd.partition_field(3, "hour", "at_hour", field_id=1000), spec_id=3)),
        (SCHEMA, spec(upd.partition_field(2, "identity", "name", field_id=1000), spec_id=0)),
        (SCHEMA, spec(spec_id=0)),
        (outer, spec(upd.partition_field(3, "identity", "inner", field_id=1000), spec_id=0)),
    )

    with lab.judge_each("IRC-TBL-CREATE-006") as case:
        for schema, request in requests:
            with case():
                table = created(lab, schema=schema, partition_spec=request)
                for answer in (table, lab.load(table)):
                    expect_partitioning(answer, request, schema)
        table = created(lab)
        for answer in (table, lab.load(table)):
            with case():
                expect.equal(
                    [],
                    default_spec(answer)["fields"],
                    "fields of the default spec",
                    at=answer.place("partition-specs"),
                )


@check("IRC-TBL-CREATE-019")
def partition_ids_may_be_omitted(lab: CatalogLab) -> None:
    """Creating a table with a partition spec without spec id or field ids returns 200."""
    day = upd.partition_field(3, "day", "at_day")
    shard = upd.partition_field(1, "bucket[16]", "shard")
    with_ids = [{**one, "field-id": n} for n, one in enumerate((day, shard), start=1000)]
    requests = {
        "no id at all": spec(day, shard),
        "no id at all, and one field": spec(shard),
        "no id at all, and no field": spec(),
        "ids of fields only": spec(*with_ids),
        "the spec's id only": spec(day, shard, spec_id=0),
    }
    namespace = lab.make_namespace()
    for what, request in lab.each(requests.items()):
        reply = request_creation(lab, namespace, lab.name(), partition_spec=request)
        with lab.judge("IRC-TBL-CREATE-019"):
            expect.status(reply, 200, about=f"for a partition spec with {what}")


# -- sort orders -----------------------------------------------------------------------------------


@check("IRC-TBL-CREATE-007")
def requested_sort_order_is_the_default(lab: CatalogLab) -> None:
    """A created table has the requested sort order as default, and the unsorted order 0 without a
    request.
    """
    requests = (
        order(upd.sort_field(1)),
        order(
            upd.sort_field(3, direction="desc", null_order="nulls-last"),
            upd.sort_field(1, null_order="nulls-first"),
        ),
        order(
            upd.sort_field(2, transform="truncate[3]", null_order="nulls-last"),
            upd.sort_field(3, transform="day", direction="desc"),
        ),
    )

    with lab.judge_each("IRC-TBL-CREATE-007") as case:
        for request in requests:
            table = created(lab, write_order=request)
            for answer in (table, lab.load(table)):
                with case():
                    expect_sorting(answer, request, SCHEMA)
                    expect.true(
                        answer.member("default-sort-order-id") != 0,
                        "another id than 0, which is the unsorted order's",
                        0,
                        at=answer.place("default-sort-order-id"),
                    )
        unsorted: tuple[Document, ...] = ({}, {"write_order": order(order_id=0)})
        for members in unsorted:
            table = created(lab, **members)
            for answer in (table, lab.load(table)):
                with case():
                    expect.member(0, answer.place("default-sort-order-id"))
                    expect.equal(
                        [],
                        default_order(answer)["fields"],
                        "fields of the default sort order",
                        at=answer.place("sort-orders"),
                    )
