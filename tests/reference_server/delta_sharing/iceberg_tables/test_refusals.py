"""Iceberg tables whose Parquet files alone do not give their rows are refused with the reason."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    FixedType,
    LongType,
    NestedField,
    StringType,
    StructType,
    TimeType,
    UUIDType,
)

from cross_protocol import avro, commit, same_rows
from lakepact.reference_server.delta_sharing.iceberg_tables.schemas import delta_schema
from lakepact.reference_server.delta_sharing.log import UnsupportedTable

ROWS = pa.table({"id": pa.array([1, 2], pa.int64()), "word": ["a", "b"]})


def refused(doors, sentence, status=400):
    answer = doors.query()
    assert (answer.status, sentence in answer.message) == (status, True), answer.lines
    if status == 400:
        assert answer.lines[0]["errorCode"] == "UNSUPPORTED_OPERATION"


def rewritten(table):
    """Rewrite all rows with the current schema."""
    rows = table.scan().to_arrow()
    table.overwrite(rows)


@pytest.mark.parametrize(
    ("type_", "named"),
    [
        (TimeType(), "time"),
        (UUIDType(), "uuid"),
        (FixedType(4), "fixed[4]"),
        (StructType(NestedField(9, "x", TimeType())), "time"),
    ],
)
def test_types_that_delta_does_not_have(doors, type_, named):
    doors.create(pa.schema([]))
    doors.catalog.drop_table(f"ns.{doors.name}")
    doors.catalog.create_table(f"ns.{doors.name}", schema=Schema(NestedField(1, "x", type_)))
    refused(doors, f"is of type {named}, which Delta tables do not have")


def test_names_that_differ_in_case_alone(doors):
    doors.create(pa.schema([("a", pa.int64()), ("A", pa.int64())]))
    refused(doors, "may not differ in case alone")


def test_a_renamed_column_until_the_files_are_rewritten(doors):
    table = doors.create(ROWS)
    with table.update_schema() as update:
        update.rename_column("word", "text")
    refused(doors, "'text' is called 'word' in the data file")
    rewritten(table)
    same_rows(table, doors.query())


def test_a_renamed_part_of_a_structure(doors):
    table = doors.create(pa.table({"s": pa.array([{"a": 1}], pa.struct([("a", pa.int64())]))}))
    with table.update_schema() as update:
        update.rename_column(("s", "a"), "b")
    refused(doors, "'b' is called 'a' in the data file")


def test_a_column_with_the_name_of_another_that_was_dropped(doors):
    table = doors.create(ROWS)
    with table.update_schema() as update:
        update.delete_column("word")
    with table.update_schema() as update:
        update.add_column("word", StringType())
    refused(doors, "'word' is another column in the data file")
    rewritten(table)
    same_rows(table, doors.query())


def test_a_column_that_was_widened(doors):
    table = doors.create(pa.table({"n": pa.array([1], pa.int32())}))
    with table.update_schema() as update:
        update.update_column("n", LongType())
    refused(doors, "'n' in the data file")
    rewritten(table)
    same_rows(table, doors.query())


@pytest.mark.parametrize("name", ["two words", "1st", "a.b", "é"])
def test_names_that_are_spelled_differently_in_parquet_files(doors, name):
    table = doors.create(pa.table({name: [1, 2]}))
    answer = doors.query()
    if answer.status == 200:
        same_rows(table, answer)
    else:
        refused(doors, "is called")


def test_a_column_whose_values_only_the_partition_has(doors, tmp_path):
    table = doors.create(pa.schema([("id", pa.int64()), ("at", pa.timestamp("us", "UTC"))]))
    with table.update_spec() as update:
        update.add_field("at", IdentityTransform())
    table.append(
        pa.table(
            {
                "id": [1],
                "at": pa.array([dt.datetime(2021, 1, 1, tzinfo=dt.UTC)], pa.timestamp("us", "UTC")),
            }
        )
    )
    (file,) = (task.file for task in table.scan().plan_files())
    path = Path(file.file_path.removeprefix("file://"))
    pq.write_table(pq.ParquetFile(path).read().drop_columns(["at"]), path)
    refused(doors, "does not hold the column 'at', only its partition does")


# Files that pyiceberg does not write: the tests change the files of a snapshot and commit the
# snapshot.


def changed(doors, *, lists=None, entries=None):
    """Create a table whose newest snapshot has a changed manifest list or manifest."""
    table = doors.create(ROWS)
    manifests = table.current_snapshot().manifest_list

    def change(records):
        if entries is not None:
            records[0]["manifest_path"] = avro(records[0]["manifest_path"], entries)
        if lists is not None:
            lists(records)

    commit(doors, table, avro(manifests, change))
    return table


def of_files(**members):
    def change(records):
        for record in records:
            record["data_file"].update(members)

    return change


def test_a_snapshot_that_is_copied_unchanged_is_read(doors):
    table = changed(doors)
    same_rows(table, doors.query())


def test_rows_that_are_deleted_by_delete_files(doors):
    changed(
        doors,
        lists=lambda records: records.append({**records[0], "content": 1, "added_files_count": 1}),
    )
    refused(doors, "rows of the table are deleted by delete files")


def test_delete_files_that_are_all_gone_delete_nothing(doors):
    gone = {
        "content": 1,
        "added_files_count": 0,
        "existing_files_count": 0,
        "deleted_files_count": 1,
    }
    table = changed(doors, lists=lambda records: records.append({**records[0], **gone}))
    same_rows(table, doors.query())


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({"content": 1}, "deleted by delete files"),
        ({"file_format": "ORC"}, "is not a Parquet file but ORC"),
        ({"file_format": "AVRO"}, "is not a Parquet file but AVRO"),
        ({"key_metadata": b"key"}, "is encrypted"),
        ({"file_path": "s3://bucket/a.parquet"}, "not a file: location"),
        ({"file_path": "file://host/a.parquet"}, "names the host"),
        ({"file_path": "file:///etc/passwd"}, "does not lie in the table's own folder"),
        ({"file_path": "/etc/passwd"}, "does not lie in the table's own folder"),
    ],
)
def test_unreadable_or_foreign_files_are_refused(doors, members, sentence):
    changed(doors, entries=of_files(**members))
    refused(doors, sentence)


@pytest.mark.parametrize(
    "way",
    [
        "{other}",
        "{own}/../{other_name}/data/x.parquet",
        "{own}%2F..%2F{other_name}/x.parquet",
        "{own}-other/x.parquet",
    ],
)
def test_a_manifest_cannot_lead_into_another_table(doors, way):
    other = doors.create(ROWS)
    (file,) = (task.file for task in other.scan().plan_files())
    table = doors.create(ROWS)
    own, other_name = table.location(), other.location().rpartition("/")[2]
    path = way.format(own=own, other=file.file_path, other_name=other_name)
    commit(
        doors,
        table,
        avro(
            table.current_snapshot().manifest_list,
            lambda records: records[0].update(
                manifest_path=avro(records[0]["manifest_path"], of_files(file_path=path))
            ),
        ),
    )
    answer = doors.query()
    assert answer.status in {200, 400}
    for line in answer.files:  # a name like any other, of a file that is not there
        with pytest.raises(Exception, match=r"404|403"):
            doors.fetch(line["url"])


@pytest.mark.parametrize("content", [b"", b"garbage", b"Obj\x01", b"Obj\x01" + b"\xff" * 100])
def test_metadata_that_is_damaged(doors, content):
    table = doors.create(ROWS)
    broken = Path(table.location().removeprefix("file://"), "metadata", "broken.avro")
    broken.write_bytes(content)
    commit(doors, table, f"file://{broken}")
    refused(doors, "cannot be read: " if b"Obj" in content else "is not an Avro file", status=500)


def test_metadata_that_is_gone(doors):
    table = doors.create(ROWS)
    commit(doors, table, f"{table.location()}/metadata/gone.avro")
    refused(doors, "damaged", status=500)


def test_metadata_outside_of_the_warehouse(doors, tmp_path):
    table = doors.create(ROWS)
    outside = tmp_path / "list.avro"
    shutil.copy(table.current_snapshot().manifest_list.removeprefix("file://"), outside)
    commit(doors, table, f"file://{outside}")
    refused(doors, "not below the warehouse", status=500)


def test_an_older_version_is_read_although_the_newest_is_refused(doors):
    table = doors.create(ROWS)
    version = doors.version()
    with table.update_schema() as update:
        update.rename_column("word", "text")
    refused(doors, "is called")
    assert len(doors.query(version=version).rows()) == 2


def test_a_version_whose_snapshot_has_expired_is_refused(doors):
    table = doors.create(ROWS)
    version, snapshot = doors.version(), table.metadata.current_snapshot_id
    table.append(ROWS)
    body = {
        "requirements": [],
        "updates": [{"action": "remove-snapshots", "snapshot-ids": [snapshot]}],
    }
    response = doors.catalog._session.post(
        f"{doors.server.url}/v1/namespaces/ns/tables/{doors.name}", json=body
    )
    assert response.status_code == 200, response.text
    answer = doors.query(version=version)
    assert (answer.status, "has expired" in answer.message) == (400, True)
    assert doors.query().status == 200


def test_a_default_that_older_files_do_not_hold():
    field = {"id": 1, "name": "x", "type": "long", "required": False, "initial-default": 5}
    with pytest.raises(UnsupportedTable, match="initial default"):
        delta_schema({"type": "struct", "fields": [field]})
