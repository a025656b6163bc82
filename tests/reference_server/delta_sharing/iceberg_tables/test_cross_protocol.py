"""Recipients of Delta Sharing read the rows that pyiceberg writes through the Iceberg catalog."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.expressions import EqualTo, LessThan
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform, TruncateTransform
from pyiceberg.types import LongType

from cross_protocol import same_rows

UTC = dt.UTC
ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3, None, 2**53 + 1], pa.int64()),
        "small": pa.array([1, -1, None, 2, 3], pa.int32()),
        "flag": pa.array([True, False, None, True, False]),
        "day": pa.array(
            [
                dt.date(2021, 1, 1),
                dt.date(1969, 12, 31),
                None,
                dt.date(2021, 1, 1),
                dt.date(2021, 1, 2),
            ]
        ),
        "word": pa.array(["a b/c%=é", "x" * 50, None, "\u2028", "it's"]),
        "at": pa.array(
            [
                dt.datetime(2021, 1, 1, 1, 2, 3, 456789, UTC),
                None,
                *[dt.datetime(1960, 1, 1, tzinfo=UTC)] * 3,
            ],
            pa.timestamp("us", "UTC"),
        ),
        "real": pa.array([1.5, float("nan"), -0.0, float("inf"), None]),
        "short": pa.array([0.1, None, 2.5, float("nan"), 3.0], pa.float32()),
        "price": pa.array(
            [Decimal("1.10"), None, Decimal("-99999999.99"), Decimal(0), Decimal(1)],
            pa.decimal128(20, 2),
        ),
        "raw": pa.array([b"\0\xff", None, b"", b"a", b"b"]),
        "nested": pa.array(
            [
                {"a": 1, "b": "x"},
                None,
                {"a": None, "b": None},
                {"a": 2, "b": ""},
                {"a": 3, "b": "y"},
            ],
            pa.struct([("a", pa.int32()), ("b", pa.string())]),
        ),
        "many": pa.array([[1, None], [], None, [2], [3, 4]], pa.list_(pa.int64())),
        "pairs": pa.array(
            [[("k", 1)], [], None, [("l", None)], [("m", 2)]], pa.map_(pa.string(), pa.int64())
        ),
    }
)


def repartition(table, *fields):
    with table.update_spec() as update:
        for name, transform in fields:
            update.add_field(name, transform)


def test_every_type_arrives(doors):
    table = doors.create(ROWS)
    table.append(ROWS.slice(0, 2))
    same_rows(table, doors.query())


def test_a_table_without_rows_has_no_files(doors):
    doors.create(ROWS.schema)
    answer = doors.query()
    assert (answer.status, answer.files, doors.version()) == (200, [], 0)


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        ("flag", {"true", "false", None}),
        ("day", {"2021-01-01", "1969-12-31", "2021-01-02", None}),
        ("word", {"a b/c%=é", "x" * 50, "\u2028", "it's", None}),
        ("price", {"1.10", "-99999999.99", "0.00", "1.00", None}),
        ("id", {"1", "2", "3", "9007199254740993", None}),
        ("small", {"1", "-1", "2", "3", None}),
    ],
)
def test_identity_partitions_are_partition_columns_with_texts_as_in_delta(doors, column, texts):
    table = doors.create(ROWS.schema)
    repartition(table, (column, IdentityTransform()))
    table.append(ROWS)

    answer = doors.query()
    assert answer.metadata["partitionColumns"] == [column]
    assert {tuple(file["partitionValues"]) for file in answer.files} == {(column,)}
    assert {file["partitionValues"][column] for file in answer.files} == texts
    same_rows(table, answer)


@pytest.mark.parametrize("column", ["at", "raw", "real"])
def test_values_without_portable_text_are_no_partition_values(doors, column):
    table = doors.create(ROWS.schema)
    repartition(table, (column, IdentityTransform()))
    rows = ROWS.slice(0, 1)
    table.append(rows)
    answer = doors.query()
    assert answer.metadata["partitionColumns"] == []
    same_rows(table, answer)


def test_an_empty_text_is_no_partition_value_for_it_would_be_null(doors):
    table = doors.create(
        pa.table({"word": pa.array([], pa.string()), "day": pa.array([], pa.date32())}).schema
    )
    repartition(table, ("word", IdentityTransform()), ("day", IdentityTransform()))
    table.append(pa.table({"word": ["", None, "a"], "day": [dt.date(2021, 1, 1)] * 3}))
    answer = doors.query()
    assert answer.metadata["partitionColumns"] == ["day"]
    same_rows(table, answer)


def test_other_transforms_make_no_partition_columns(doors):
    table = doors.create(ROWS.schema)
    repartition(
        table,
        ("id", BucketTransform(4)),
        ("at", DayTransform()),
        ("word", TruncateTransform(2)),
        ("day", IdentityTransform()),
    )
    table.append(ROWS)
    answer = doors.query()
    assert answer.metadata["partitionColumns"] == ["day"]
    same_rows(table, answer)


def test_column_added_to_a_later_spec_is_no_partition_column(doors):
    table = doors.create(ROWS)
    repartition(table, ("day", IdentityTransform()))
    table.append(ROWS)
    answer = doors.query()
    assert answer.metadata["partitionColumns"] == []
    same_rows(table, answer)


def test_rows_that_were_overwritten_or_deleted_by_rewriting_files_are_gone(doors):
    table = doors.create(ROWS)
    table.append(ROWS)
    table.delete(EqualTo("id", 2))
    same_rows(table, doors.query())
    table.overwrite(ROWS.slice(2, 1), overwrite_filter=LessThan("id", 100))
    same_rows(table, doors.query())


@pytest.mark.parametrize(
    "properties", [{}, {"write.metadata.compression-codec": "gzip"}], ids=["plain", "compressed"]
)
def test_every_change_makes_a_version_that_stays_readable(doors, properties):
    table = doors.create(ROWS, properties=properties)
    seen = {doors.version(): table.metadata.current_snapshot_id}
    for change in (
        lambda: table.append(ROWS.slice(0, 1)),
        lambda: table.delete(EqualTo("id", 2)),
        lambda: table.append(ROWS),
    ):
        change()
        seen[doors.version()] = table.metadata.current_snapshot_id
    assert len(seen) == 4
    for version, snapshot in seen.items():
        answer = doors.query(version=version)
        assert answer.headers["delta-table-version"] == str(version)
        same_rows(table, answer, snapshot_id=snapshot)


def test_a_version_is_found_by_its_time(doors):
    table = doors.create(ROWS)
    first = doors.version()
    moment = (
        dt.datetime.fromtimestamp(table.metadata.last_updated_ms / 1000, UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )
    table.append(ROWS.slice(0, 1))
    assert doors.query(timestamp=moment).headers["delta-table-version"] == str(first)
    assert doors.ask(f"version?startingTimestamp={moment}").headers["delta-table-version"] == str(
        first
    )
    assert doors.query(timestamp="2001-01-01T00:00:00Z").status == 400


@pytest.mark.parametrize("version", [-1, 99])
def test_a_version_that_is_not_there_is_refused(doors, version):
    doors.create(ROWS)
    assert doors.query(version=version).status == 400


def test_changes_since_a_version_are_the_files_that_came_and_went(doors):
    table = doors.create(ROWS)
    start = doors.version()
    table.append(ROWS.slice(0, 1))
    table.delete(EqualTo("id", 3))
    kinds = [next(iter(line)) for line in doors.query(startingVersion=start + 1).lines[2:]]
    assert sorted(kinds) == ["add", "add", "remove"]


def test_changes_of_rows_are_not_recorded(doors):
    doors.create(ROWS)
    answer = doors.ask("changes?startingVersion=1")
    assert (answer.status, "delta.enableChangeDataFeed" in answer.message) == (400, True)


def test_statistics_are_those_of_the_manifests(doors):
    doors.create(ROWS.slice(0, 2))
    stats = json.loads(doors.query().files[0]["stats"])
    assert stats["numRecords"] == 2
    assert stats["minValues"]["id"] == 1
    assert stats["maxValues"]["id"] == 2
    assert stats["minValues"]["day"] == "1969-12-31"
    assert stats["maxValues"]["at"] == "2021-01-01T01:02:03.456789Z"
    assert stats["nullCount"]["at"] == 1
    assert stats["nullCount"]["nested"] == {"a": 1, "b": 1}
    assert stats["maxValues"]["word"] >= "x" * 16
    assert "real" not in stats["maxValues"]  # there may be NaN, the largest of all


def test_hints_leave_files_out(doors):
    table = doors.create(ROWS.slice(0, 1))
    table.append(ROWS.slice(4, 1))
    assert len(doors.query().files) == 2
    assert len(doors.query(predicateHints=["id > 100"]).files) == 1
    assert len(doors.query(limitHint=1).files) == 1


def test_a_file_has_one_id_in_every_version(doors):
    table = doors.create(ROWS.slice(0, 1))
    (before,) = doors.query().files
    table.append(ROWS.slice(1, 1))
    assert before["id"] in {file["id"] for file in doors.query().files}


def test_recreated_table_has_another_id(doors):
    table = doors.create(ROWS)
    doors.query()
    doors.catalog.drop_table(table.name())
    assert doors.query().status == 500
    again = doors.catalog.create_table(table.name(), schema=ROWS.schema)
    again.append(ROWS.slice(0, 1))
    same_rows(again, doors.query())
    assert doors.query().metadata["id"] == str(again.metadata.table_uuid)


def test_a_renamed_table_is_not_shared_any_more(doors):
    table = doors.create(ROWS)
    doors.catalog.rename_table(table.name(), "ns.elsewhere")
    assert doors.query().status == 500


def test_delta_format_has_the_same_files(doors):
    doors.create(ROWS)
    lines = doors.ask("query", {}, delta_sharing_capabilities="responseformat=delta").lines
    assert lines[0]["protocol"]["deltaProtocol"]["minReaderVersion"] == 1
    assert lines[2]["file"]["deltaSingleAction"]["add"]["partitionValues"] == {}


def test_times_without_zones_need_delta_format(doors):
    table = doors.create(
        pa.table({"wall": pa.array([dt.datetime(2021, 1, 1, 1, 2, 3)], pa.timestamp("us"))})  # noqa: DTZ001
    )
    refused = doors.query()
    assert (refused.status, "timestampNtz" in refused.message) == (400, True)
    answer = doors.ask(
        "query", {}, delta_sharing_capabilities="responseformat=delta;readerfeatures=timestampntz"
    )
    add = answer.lines[2]["file"]["deltaSingleAction"]["add"]
    assert json.loads(add["stats"])["minValues"] == {"wall": "2021-01-01T01:02:03.000000"}
    assert table.metadata.current_snapshot_id is not None


def test_metadata_has_format_and_schema_of_the_table(doors):
    doors.create(ROWS)
    metadata = doors.ask("metadata").lines[1]["metaData"]
    assert metadata["format"] == {"provider": "parquet"}
    assert [f["type"] for f in json.loads(metadata["schemaString"])["fields"]][:4] == [
        "long",
        "integer",
        "boolean",
        "date",
    ]


def test_a_column_that_is_added_is_null_in_older_files(doors):
    table = doors.create(ROWS.select(["id"]))
    with table.update_schema() as update:
        update.add_column("more", LongType())
    table.append(pa.table({"id": [9], "more": [10]}))
    same_rows(table, doors.query())


def test_a_column_that_is_dropped_is_not_read(doors):
    table = doors.create(ROWS.select(["id", "word"]))
    with table.update_schema() as update:
        update.delete_column("word")
    same_rows(table, doors.query())


def test_registered_table_restarts_at_version_0(doors):
    table = doors.create(ROWS)
    former = Path(table.metadata_location.removeprefix("file://"))
    named = former.with_name("taken-over.metadata.json")
    named.write_bytes(former.read_bytes())
    doors.catalog.drop_table(table.name())
    again = doors.catalog.register_table(table.name(), f"file://{named}")
    assert doors.version() == 0
    again.append(ROWS.slice(0, 1))
    assert doors.version() == 1
    same_rows(again, doors.query())
    same_rows(again, doors.query(version=0), snapshot_id=table.metadata.current_snapshot_id)
