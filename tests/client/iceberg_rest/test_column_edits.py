"""Edits that let a table take other rows: default values, required columns and unions with other
schemas; and statistics files.
"""

# ruff: noqa: DTZ001 - some types of columns have no zone

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

from lakepact.client import IcebergCatalog, pyiceberg_table
from lakepact.client.iceberg_rest.column_defaults import json_default
from lakepact.reference_server import running
from sample_tables.table_documents import field, struct

from .test_edits import FIELDS, SCHEMA, columns, edits, resolve

V3 = {"format-version": 3}
WITHOUT_ROWS = {"current-snapshot-id": None, "refs": {}}


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("boolean", True, True),
        ("int", -(2**31), -(2**31)),
        ("long", 2**40, 2**40),
        ("float", 1, 1.0),
        ("double", 1.5, 1.5),
        ("decimal(4,2)", Decimal("1.5"), "1.50"),
        ("decimal(4, 2)", Decimal("-99.99"), "-99.99"),
        ("string", "x", "x"),
        ("uuid", UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ("date", date(2026, 1, 2), "2026-01-02"),
        ("time", time(1, 2, 3, 500_000), "01:02:03.5"),
        ("timestamp", datetime(2026, 1, 2), "2026-01-02T00:00:00"),
        (
            "timestamptz",
            datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=1))),
            "2026-01-01T23:00:00+00:00",
        ),
        ("timestamp_ns", datetime(2026, 1, 2), "2026-01-02T00:00:00"),
        ("timestamptz_ns", datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        ("binary", b"\x00\xff", "00ff"),
        ("fixed[2]", b"\x00\xff", "00ff"),
    ],
)
def test_default_value_has_the_json_form_of_its_type(type_, value, expected):
    actual = json_default(type_, value, 3)

    assert (actual, type(actual)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("boolean", 1),
        ("int", True),
        ("int", 2**31),
        ("long", 1.0),
        ("double", float("nan")),
        ("decimal(4,2)", Decimal("1.005")),
        ("decimal(4,2)", Decimal("100.5")),
        ("decimal(4,2)", Decimal("NaN")),
        ("date", datetime(2026, 1, 2)),
        ("time", time(1, tzinfo=UTC)),
        ("timestamp", datetime(2026, 1, 2, tzinfo=UTC)),
        ("timestamptz", datetime(2026, 1, 2)),
        ("fixed[3]", b"\x00"),
        ("variant", "x"),
        (struct(field(1, "a", "int")), "x"),
    ],
)
def test_default_value_that_the_type_lacks_raises_value_error(type_, value):
    with pytest.raises(ValueError, match="has no default value"):
        json_default(type_, value, 3)


def test_required_column_has_its_default_in_old_and_new_rows():
    column = columns(edits().add_column("city", "string", required=True, default="Rome"), **V3)[-1]

    assert column == {
        "id": 5,
        "name": "city",
        "required": True,
        "type": "string",
        "initial-default": "Rome",
        "write-default": "Rome",
    }


def test_changed_default_leaves_old_rows_as_they_are():
    edit = edits().add_column("city", "string", default="Rome").set_default("city", "Oslo")

    assert [columns(edit, **V3)[-1][name] for name in ("initial-default", "write-default")] == [
        "Rome",
        "Oslo",
    ]


def test_removed_default_leaves_the_column():
    assert (
        "write-default"
        not in columns(
            edits().add_column("city", "string", default="Rome").set_default("city", None), **V3
        )[-1]
    )


def test_column_of_a_table_without_rows_becomes_required():
    updates, requirements = resolve(edits().require_column("at"), **WITHOUT_ROWS)

    assert updates[0]["schema"]["fields"][1]["required"] is True
    assert {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None} in requirements


def test_column_of_a_table_with_rows_becomes_required_if_the_caller_says_so():
    assert columns(edits().require_column("at", allow_incompatible=True))[1]["required"] is True


STATISTICS = {"snapshot-id": 7, "statistics-path": "memory:s", "file-size-in-bytes": 9}
SKETCHES = {**STATISTICS, "file-footer-size-in-bytes": 4, "blob-metadata": []}
SNAPSHOTS = [
    {
        "snapshot-id": 7,
        "timestamp-ms": 1,
        "manifest-list": "memory:m",
        "summary": {"operation": "append"},
    }
]


def test_statistics_are_set_and_removed():
    earlier = {
        "snapshots": SNAPSHOTS,
        "statistics": [SKETCHES],
        "partition-statistics": [STATISTICS],
    }

    assert resolve(
        edits().set_statistics(SKETCHES).set_partition_statistics(STATISTICS), snapshots=SNAPSHOTS
    )[0] == [
        {"action": "set-statistics", "snapshot-id": 7, "statistics": SKETCHES},
        {"action": "set-partition-statistics", "partition-statistics": STATISTICS},
    ]
    assert resolve(edits().remove_statistics(7).remove_partition_statistics(7), **earlier)[0] == [
        {"action": "remove-statistics", "snapshot-id": 7},
        {"action": "remove-partition-statistics", "snapshot-id": 7},
    ]


def union(*fields: dict, **members: object) -> list[dict]:
    return columns(edits().union_by_name({"type": "struct", "fields": list(fields)}), **members)


def test_union_adds_missing_columns_as_optional_ones():
    others = (
        field(1, "to", struct(field(2, "zip", "string", required=True))),
        field(3, "note", "string", required=True, doc="free text"),
    )

    fields = union(*others)

    assert fields[:2] == FIELDS[:2]
    assert fields[2]["type"]["fields"] == [field(4, "city", "string"), field(5, "zip", "string")]
    assert fields[3] == {**field(6, "note", "string"), "doc": "free text"}


@pytest.mark.parametrize(
    ("before", "other", "expected"),
    [
        ("int", "long", "long"),
        ("long", "int", "long"),
        ("float", "double", "double"),
        ("decimal(9,2)", "decimal(12, 2)", "decimal(12, 2)"),
        ("decimal(9,2)", "decimal(9, 2)", "decimal(9,2)"),
        ("date", "timestamp", "timestamp"),
        ("unknown", "string", "string"),
        ("string", "unknown", "string"),
    ],
)
def test_union_widens_types_and_never_narrows_them(before, other, expected):
    nested = {"type": "list", "element-id": 6, "element": before, "element-required": False}
    earlier = {**SCHEMA, "fields": [*FIELDS, field(5, "x", nested), field(7, "y", before)]}

    fields = union(
        field(1, "x", {**nested, "element": other}),
        field(2, "y", other),
        field(3, "z", "int"),
        schemas=[earlier],
        **V3,
    )

    assert [fields[3]["type"]["element"], fields[4]["type"]] == [expected, expected]


def test_union_makes_required_columns_optional_in_structs_lists_and_maps():
    nested = {
        "type": "map",
        "key-id": 6,
        "key": "string",
        "value-id": 7,
        "value": "int",
        "value-required": True,
    }
    earlier = {**SCHEMA, "fields": [*FIELDS, field(5, "x", nested, required=True)]}

    (actual,) = union(field(1, "x", {**nested, "value-required": False}), schemas=[earlier])[3:]

    assert (actual["required"], actual["type"]["value-required"]) == (False, False)


def test_defaults_of_a_widened_date_are_timestamps():
    edit = (
        edits().add_column("on", "date", default=date(2026, 1, 2)).update_column("on", "timestamp")
    )

    assert columns(edit, **V3)[-1]["initial-default"] == "2026-01-02T00:00:00"


PARTITIONED_BY_DATE = {
    "schemas": [{**SCHEMA, "fields": [*FIELDS, field(5, "on", "date")]}],
    "partition-specs": [
        {
            "spec-id": 0,
            "fields": [{"source-id": 5, "field-id": 1000, "name": "on", "transform": "identity"}],
        }
    ],
    **V3,
}


@pytest.mark.parametrize(
    ("edit", "members", "message"),
    [
        (
            edits().add_column("city", "string", default="Rome"),
            {},
            r"need format version 3, and the table has 2",
        ),
        (
            edits().add_column("city", "string", required=True),
            V3,
            "'city' can be required only with a default",
        ),
        (edits().set_default("id", None), V3, "'id' is required and keeps"),
        (edits().require_column("at"), {}, "'at' may be null in rows that the table has"),
        (edits().set_statistics(SKETCHES), {}, "no snapshot 7"),
        (edits().remove_statistics(7), {}, "no statistics of the snapshot 7"),
        (
            edits().union_by_name(struct(field(1, "at", "long"))),
            {},
            "cannot be widened from timestamptz to long",
        ),
        (edits().union_by_name(struct(field(1, "to", "string"))), {}, "from struct to string"),
        (edits().union_by_name(struct(field(1, "id", "int"))), {}, "identifies rows"),
        (
            edits().union_by_name(struct(field(1, "on", "timestamp"))),
            PARTITIONED_BY_DATE,
            "partition field 'on' has its values",
        ),
    ],
)
def test_edit_that_the_format_does_not_allow_raises_value_error(edit, members, message):
    with pytest.raises(ValueError, match=message):
        resolve(edit, **members)


ROWS = pa.table({"id": [1, 2]})


@pytest.fixture(scope="module")
def catalog():
    """Yield a catalog of the reference server."""
    with running() as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        yield catalog


@pytest.fixture
def table(catalog):
    """Yield the name of a table with two rows; its format version is 2, because pyiceberg writes no
    rows of version 3.
    """
    catalog.create_table("n.t", ROWS.schema)
    catalog.append("n.t", ROWS)
    yield "n.t"
    catalog.drop_table("n.t")


def test_rows_from_before_have_the_default_of_a_required_column(catalog, table):
    catalog.change(table).upgrade_format_version(3).add_column(
        "city", "string", required=True, default="Rome"
    ).commit()

    rows = {"id": [1, 2], "city": ["Rome", "Rome"]}
    assert catalog.scan(table).to_arrow().sort_by("id").to_pydict() == rows
    assert pa.Table.from_batches(catalog.scan(table).batches()).sort_by("id").to_pydict() == rows
    assert catalog.scan(table, row_filter="city = 'Rome'").to_arrow().num_rows == 2


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("decimal(4,2)", Decimal("1.50")),
        ("date", date(2026, 1, 2)),
        ("time", time(1, 2, 3, 500_000)),
        ("timestamp", datetime(2026, 1, 2, 3)),
        ("timestamptz", datetime(2026, 1, 2, 3, tzinfo=UTC)),
        ("binary", b"\x00\xff"),
    ],
)
def test_pyiceberg_reads_the_default(catalog, table, type_, value):
    catalog.change(table).upgrade_format_version(3).add_column("x", type_, default=value).commit()

    assert pyiceberg_table(catalog, table).scan(limit=1).to_arrow()["x"].to_pylist() == [value]


OTHERS = {
    "arrow": pa.schema(
        [("id", pa.int64()), ("note", pa.string()), ("tags", pa.list_(pa.string()))]
    ),
    "pyiceberg": Schema(
        NestedField(1, "id", LongType(), required=False),
        NestedField(2, "note", StringType(), doc="d", required=False),
    ),
    "document": struct(
        field(1, "to", struct(field(2, "city", "string"), field(3, "at", "timestamptz")))
    ),
}


@pytest.mark.parametrize("other", OTHERS)
def test_union_has_the_schema_that_pyiceberg_makes(catalog, table, other):
    schema = OTHERS[other]
    theirs = load_catalog("theirs", uri=catalog.address)
    theirs.create_table("n.u", ROWS.schema)
    with theirs.load_table("n.u").update_schema() as update:
        update.union_by_name(Schema.model_validate(schema) if isinstance(schema, dict) else schema)

    catalog.change(table).union_by_name(schema).commit()

    assert pyiceberg_table(catalog, table).schema() == theirs.load_table("n.u").schema()
    theirs.drop_table("n.u")


def test_union_with_the_same_schema_changes_nothing(catalog, table):
    before = catalog.load_table(table).metadata

    after = catalog.change(table).union_by_name(ROWS.schema).commit().metadata

    assert (len(after.schemas), after.current_schema_id) == (1, before.current_schema_id)


def test_server_stores_and_drops_statistics(catalog, table):
    id_ = catalog.load_table(table).metadata.current_snapshot_id

    edits = (
        catalog.change(table)
        .set_statistics({**SKETCHES, "snapshot-id": id_})
        .set_partition_statistics({**STATISTICS, "snapshot-id": id_})
    )
    metadata = edits.commit().metadata
    left = (
        catalog.change(table)
        .remove_statistics(id_)
        .remove_partition_statistics(id_)
        .commit()
        .metadata
    )

    assert [
        file.snapshot_id for file in (*metadata.statistics, *metadata.partition_statistics)
    ] == [id_, id_]
    assert [*left.statistics, *left.partition_statistics] == []


def test_existing_namespace_and_table_are_returned_as_they_are(catalog, table):
    namespace = catalog.create_namespace("n", {"owner": "a"}, exist_ok=True)
    result = catalog.create_table(table, pa.schema([("other", pa.string())]), exist_ok=True)

    assert (list(namespace.namespace), "owner" in (namespace.properties or {})) == (["n"], False)
    assert [one.name for one in result.metadata.current_schema.fields] == ["id"]
