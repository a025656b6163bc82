"""Filters select the same rows in scans, deletes and overwrites, as SQL does."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from pyiceberg import expressions as e

from lakepact.client import IcebergCatalog, column
from lakepact.client.rows.predicates import Comparison
from lakepact.reference_server import running
from rows_fuzz.trial import trial

_NAMES = (f"n.t{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def catalog():
    with running(contract="iceberg_rest") as server, IcebergCatalog(server.url) as catalog:
        catalog.create_namespace("n")
        catalog.create_namespace("fuzz")
        yield catalog


def created(catalog, rows, *fields, partition=None):
    """Return the name of a new table with these rows, and fields of a name and a type."""
    name = next(_NAMES)
    schema = {
        "type": "struct",
        "fields": [
            {"id": number, "name": field, "type": kind, "required": False}
            for number, (field, kind) in enumerate(fields, 1)
        ],
    }
    catalog.create_table(name, schema)
    if partition:
        catalog.change(name).add_partition_field(partition).commit()
    catalog.append(name, rows)
    return name


def values(catalog, table, *arguments, **options):
    """Return the values of the first column of a scan, after comparing the ways to read it."""
    scan = catalog.scan(table, *arguments, **options)
    rows = scan.to_arrow()
    assert [row for batch in scan.batches() for row in batch.to_pylist()] == rows.to_pylist()
    assert all(batch.schema == rows.schema for batch in scan.batches())
    return sorted(rows.column(0).to_pylist(), key=repr)


@pytest.fixture
def cities(catalog):
    rows = pa.table({"id": [1, 2, 3], "city": ["Rome", "Oslo", None]})
    table = created(catalog, rows[:1], ("id", "long"), ("city", "string"))
    catalog.append(table, rows[1:])
    return table


FORMS = ["city != 'Rome'", column("city") != "Rome", e.NotEqualTo("city", "Rome")]


@pytest.mark.parametrize("row_filter", FORMS, ids=["text", "column", "pyiceberg"])
def test_deleted_rows_are_those_that_a_scan_selects(catalog, cities, row_filter):
    assert values(catalog, cities, ["id"], row_filter) == [2]

    catalog.delete(cities, row_filter)

    assert values(catalog, cities, ["id"]) == [1, 3]


def test_overwrite_keeps_rows_of_which_the_filter_is_unknown(catalog, cities):
    catalog.overwrite(cities, pa.table({"id": [9], "city": ["Bonn"]}), "not (city = 'Rome')")

    assert values(catalog, cities, ["id"]) == [1, 3, 9]
    assert len(catalog.load_table(cities, snapshots="all").metadata.snapshots) == 3


@pytest.mark.parametrize(
    ("row_filter", "expected"),
    [
        ("x = 0.5", [1]),
        ("x != 0.5", [2]),
        ("not (x < 1)", [2]),
        ("x is nan", [2]),
        ("x is not nan", [1]),
        ("x is null", [3]),
        (~(column("x") >= -math.inf), [2]),
    ],
)
def test_nan_is_equal_to_nothing_and_neither_less_nor_greater(catalog, row_filter, expected):
    rows = pa.table({"id": [1, 2, 3], "x": [0.5, math.nan, None]})
    table = created(catalog, rows, ("id", "long"), ("x", "double"))

    assert values(catalog, table, ["id"], row_filter) == expected
    catalog.delete(table, row_filter)
    assert values(catalog, table, ["id"]) == [n for n in (1, 2, 3) if n not in expected]


def test_comparison_with_nan_is_refused(catalog):
    table = created(catalog, pa.table({"x": [0.5]}), ("x", "double"))

    with pytest.raises(ValueError, match="column x cannot be compared with NaN: write x is nan"):
        catalog.scan(table, row_filter=Comparison("x", "equal", math.nan)).to_arrow()


MAP = {"type": "map", "key-id": 10, "key": "string", "value-id": 11, "value": "long",
       "value-required": False}  # fmt: skip


def test_batches_of_a_map_are_read_with_a_filter(catalog):
    rows = pa.table(
        {
            "id": [1, 2, 3],
            "m": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
        }
    )
    table = created(catalog, rows, ("id", "long"), ("m", MAP))

    assert values(catalog, table, ["m"], "id = 1") == [[("a", 1)]]
    assert catalog.scan(table, ["m"]).to_arrow()["m"].to_pylist() == [[("a", 1)], None, []]


def test_time_travel_binds_the_filter_to_the_schema_of_the_snapshot(catalog):
    rows = pa.table({"a": [1, 2], "b": [2, 1]})
    table = created(catalog, rows, ("a", "long"), ("b", "long"))
    before = catalog.load_table(table).metadata.current_snapshot_id
    change = catalog.change(table).rename_column("a", "c").rename_column("b", "a")
    change.rename_column("c", "b").commit()
    catalog.append(table, {"b": [7], "a": [8]})

    assert values(catalog, table, ["b"], "a = 1", snapshot=before) == [2]
    assert values(catalog, table, ["b"], "a = 1") == [2]
    assert catalog.scan(table, row_filter="a = 8").to_arrow().to_pylist() == [{"b": 7, "a": 8}]


STRUCT = pa.struct([("x", pa.int32())])
FIELDS = {"type": "struct", "fields": [{"id": 30, "name": "x", "type": "int", "required": False}]}


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        (
            pa.list_(STRUCT),
            {"type": "list", "element-id": 20, "element": FIELDS, "element-required": False},
        ),
        (pa.map_(pa.string(), STRUCT), {**MAP, "value": FIELDS}),
    ],
    ids=["list", "map"],
)
def test_null_lists_and_maps_of_structs_stay_null(catalog, kind, document):
    rows = pa.table({"v": pa.array([None, []], kind)})
    table = created(catalog, rows, ("v", document))

    assert catalog.scan(table).to_arrow()["v"].to_pylist() == [None, []]
    assert catalog.scan(table, row_filter="v is null").to_arrow().num_rows == 1


@pytest.mark.parametrize(
    ("row_filter", "expected"),
    [
        ("i not in (1, 5000000000)", [2, 3]),
        (e.NotIn("i", {1, 5_000_000_000}), [2, 3]),
        (e.EqualTo("f", math.inf), [2]),
        ("i > 1.5", [2, 3]),
        ("i < 99999999999999999999", [1, 2, 3]),
        (column("f") == math.inf, [2]),
        (column("f") <= 0.5, [1]),
    ],
)
def test_widened_columns_are_compared_by_value(catalog, row_filter, expected):
    rows = pa.table(
        {
            "i": pa.array([1, 2, 3], pa.int32()),
            "f": pa.array([0.5, math.inf, None], pa.float32()),
        }
    )
    table = created(catalog, rows, ("i", "int"), ("f", "float"))
    assert values(catalog, table, ["i"], row_filter) == expected

    change = catalog.change(table).update_column("i", "long").update_column("f", "double")
    change.commit()

    assert values(catalog, table, ["i"], row_filter) == expected
    scan = catalog.scan(table)
    assert [scan.to_arrow().schema.field(name).type for name in "if"] == [pa.int64(), pa.float64()]
    assert scan.to_pandas()["i"].dtype == "Int64"
    assert scan.to_polars().schema == {"i": pl.Int64, "f": pl.Float64}
    catalog.delete(table, row_filter)
    assert values(catalog, table, ["i"]) == [n for n in (1, 2, 3) if n not in expected]


@pytest.mark.parametrize(
    ("row_filter", "expected"),
    [
        ("n > 5 or id = 3", [2, 3]),
        ("n = 5 or id = 3", [1, 3]),
        ("n > 5 or n < 5", [2]),
        ("n is not null", [1, 2]),
    ],
)
def test_null_in_a_partition_column_is_compared_as_null(catalog, row_filter, expected):
    rows = pa.table({"id": [1, 2, 3], "n": [5, 7, None]})
    table = created(catalog, rows, ("id", "long"), ("n", "long"), partition="n")

    assert values(catalog, table, ["id"], row_filter) == expected
    catalog.delete(table, row_filter)
    assert values(catalog, table, ["id"]) == [n for n in (1, 2, 3) if n not in expected]


def test_nan_partitions_keep_their_rows(catalog):
    rows = pa.table({"id": [1, 2, 3], "x": [0.5, math.nan, None]})
    table = created(catalog, rows, ("id", "long"), ("x", "double"), partition="x")

    assert values(catalog, table, ["id"], "x is nan or x is null") == [2, 3]


def test_reader_has_a_schema_and_streams_into_duckdb_and_polars(catalog, cities):
    scan = catalog.scan(cities)

    assert scan.reader().schema == scan.to_arrow().schema
    assert catalog.scan(cities, row_filter="false").reader().schema == scan.to_arrow().schema
    assert scan.to_arrow().schema.field("city").type == pa.string()
    with duckdb.connect() as connection:
        assert connection.from_arrow(scan.reader()).count("*").fetchall() == [(3,)]
    assert sorted(pl.from_arrow(scan.reader())["id"].to_list()) == [1, 2, 3]


@pytest.mark.parametrize(
    ("row_filter", "message"),
    [
        ("id = 'one'", 'column id is long, and cannot be compared with "one": give a number'),
        ("city is nan", "column city is string, which has no NaN"),
        ("city = 1", "column city is string, and cannot be compared with 1"),
        (column("id") == b"1", "column id is long, and cannot be compared with"),
    ],
)
def test_value_of_another_type_is_refused(catalog, cities, row_filter, message):
    with pytest.raises(TypeError, match=message):
        catalog.scan(cities, row_filter=row_filter).to_arrow()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["nope"]}, 'the table has no column "nope"; it has id, city'),
        ({"snapshot": "nope"}, 'the table has no branch or tag "nope"'),
        ({"snapshot": 1}, "the table has no snapshot 1"),
    ],
)
def test_unknown_column_or_snapshot_is_named(catalog, cities, options, message):
    with pytest.raises(ValueError, match=message):
        catalog.scan(cities, **options).to_arrow()


def test_branch_is_read_with_the_current_schema_and_a_tag_with_its_own(catalog, cities):
    catalog.change(cities).set_branch("b").set_tag("t").commit()
    catalog.change(cities).rename_column("city", "town").commit()

    assert catalog.scan(cities, snapshot="b").to_arrow().column_names == ["id", "town"]
    assert catalog.scan(cities, snapshot="t").to_arrow().column_names == ["id", "city"]


def test_text_that_is_no_filter_is_refused(catalog, cities):
    with pytest.raises(ValueError, match=r"expected a filter such as .*: it cannot be read from"):
        catalog.delete(cities, "id >")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ([1, 1], "several rows have the same key in id"),
        ([1, None], "has null or NaN"),
    ],
)
def test_upsert_of_ambiguous_keys_is_refused(catalog, cities, key, message):
    rows = pa.table({"id": pa.array(key, pa.int64()), "city": ["a", "b"]})

    with pytest.raises(ValueError, match=message):
        catalog.upsert(cities, rows, ["id"])


def test_upsert_keeps_columns_that_the_rows_lack(catalog, cities):
    result = catalog.upsert(cities, pa.table({"id": [1, 4]}), ["id"])

    assert (result.rows_updated, result.rows_inserted) == (0, 1)
    assert values(catalog, cities, ["city"], "id in (1, 4)") == ["Rome", None]


def test_overwrite_of_partitions_replaces_those_of_the_rows(catalog):
    rows = pa.table({"id": [1, 2, 3], "city": ["Rome", "Oslo", None]})
    table = created(catalog, rows, ("id", "long"), ("city", "string"), partition="city")

    catalog.overwrite_partitions(table, pa.table({"id": [7, 8], "city": ["Rome", None]}))

    assert values(catalog, table, ["id"]) == [2, 7, 8]
    with pytest.raises(ValueError, match="the table has no partitions"):
        catalog.overwrite_partitions(
            created(catalog, rows, ("id", "long"), ("city", "string")), rows
        )


def test_stream_is_written_to_each_partition(catalog):
    rows = pa.table({"id": [1, 2, 3], "city": ["Rome", "Oslo", None]})
    table = created(
        catalog,
        rows.to_reader(max_chunksize=1),
        ("id", "long"),
        ("city", "string"),
        partition="city",
    )

    assert values(catalog, table, ["id"]) == [1, 2, 3]


def test_delete_of_no_row_commits_nothing(catalog, cities):
    before = catalog.load_table(cities).metadata.current_snapshot_id

    catalog.delete(cities, "id = 99")

    assert catalog.load_table(cities).metadata.current_snapshot_id == before


def test_decimals_are_compared_exactly(catalog):
    rows = pa.table({"d": pa.array([Decimal("1.50"), Decimal("1.51")], pa.decimal128(9, 2))})
    table = created(catalog, rows, ("d", "decimal(9, 2)"))

    assert values(catalog, table, ["d"], "d > 1.505") == [Decimal("1.51")]
    assert values(catalog, table, ["d"], "d = 1.505") == []
    assert values(catalog, table, ["d"], column("d") <= Decimal(10) ** 30) == [
        Decimal("1.50"),
        Decimal("1.51"),
    ]


@pytest.mark.parametrize("seed", range(1, 9))
def test_random_tables_are_read_and_changed_as_the_model(catalog, seed):
    result = trial(catalog, seed)

    assert result.answers
    assert not result.failures
