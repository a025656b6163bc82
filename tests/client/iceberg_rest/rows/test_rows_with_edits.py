"""Rows and a schema change are committed together, in one snapshot."""

from __future__ import annotations

import itertools
from contextlib import contextmanager

import httpx
import pyarrow as pa
import pytest

from driving import KINDS, Driven
from lakepact.client import CommitRejected, IcebergCatalog, Retries
from sample_tables.schemas import OPTIONAL as SCHEMA

NOTED = pa.table({"id": [2], "note": ["two"]})
_NAMES = (f"n.t{number}" for number in itertools.count())


@pytest.fixture
def other(server):
    with IcebergCatalog(server.url) as catalog:
        yield catalog


@pytest.fixture(params=KINDS)
def catalog(server, request):
    with Driven(KINDS[request.param], server.url) as catalog:
        yield catalog


@pytest.fixture
def table(other):
    name = next(_NAMES)
    other.create_table(name, SCHEMA)
    other.append(name, {"id": [1]})
    return name


def rows(catalog, table):
    return sorted(catalog.scan(table).to_arrow().to_pylist(), key=lambda row: row["id"])


def commits(catalog, table):
    """Return the numbers of snapshots and of earlier metadata files of a table."""
    metadata = catalog.load_table(table, snapshots="all").metadata
    return len(metadata.snapshots), len(metadata.metadata_log)


def test_rows_of_a_new_column_are_committed_with_it(catalog, other, table):
    before = commits(other, table)

    result = catalog.result_of(
        catalog.change(table).add_column("note", "string").append(NOTED).commit()
    )

    assert rows(other, table) == [{"id": 1, "note": None}, {"id": 2, "note": "two"}]
    assert commits(other, table) == (before[0] + 1, before[1] + 1)
    assert result.metadata.current_snapshot.schema_id == result.metadata.current_schema_id == 1


def test_rows_of_a_new_partition_are_committed_with_its_spec(other, table):
    with other.change(table) as change:
        change.add_column("note", "string").add_partition_field("note")
        change.append(NOTED, snapshot_properties={"by": "hand"})

    snapshot = other.load_table(table).metadata.current_snapshot
    assert (snapshot.summary["by"], rows(other, table)[1]["note"]) == ("hand", "two")
    assert other.files(table)["partition"].to_pylist() == [{"note": "two"}, {"note": None}]


def test_rows_of_format_version_3_are_committed_with_a_default(other, table):
    with pytest.raises(ValueError, match="with these edits, commit the edits first"):
        other.change(table).upgrade_format_version(3).append(NOTED).commit()
    other.change(table).upgrade_format_version(3).commit()
    change = other.change(table).add_column("note", "string", required=True, default="old")
    change.append(NOTED).commit()

    assert rows(other, table) == [{"id": 1, "note": "old"}, {"id": 2, "note": "two"}]


@contextmanager
def catalog_with(server, before_commit):
    """Yield a catalog that calls a function before its first commit is sent."""
    todo = [before_commit]

    def hook(request):
        if request.method == "POST" and "/tables/" in request.url.path and todo:
            todo.pop()()

    retries = Retries(first_pause=0.01)
    with httpx.Client(event_hooks={"request": [hook]}) as http:
        yield IcebergCatalog(server.url, http=http, retries=retries)


def test_rows_are_written_again_after_a_concurrent_edit_took_the_field_id(server, other, table):
    before = commits(other, table)

    def edit():
        other.change(table).add_column("first", "string").commit()

    with catalog_with(server, edit) as catalog:
        catalog.change(table).add_column("note", "string").append(NOTED).commit()

    assert rows(other, table) == [
        {"id": 1, "first": None, "note": None},
        {"id": 2, "first": None, "note": "two"},
    ]
    assert commits(other, table) == (before[0] + 1, before[1] + 2)


def test_rows_are_not_committed_after_a_concurrent_edit_of_the_same_column(server, other, table):
    def edit():
        other.change(table).add_column("note", "long").commit()

    with catalog_with(server, edit) as catalog, pytest.raises(CommitRejected):
        catalog.change(table).add_column("note", "string").append(NOTED).commit()

    assert rows(other, table) == [{"id": 1, "note": None}]


def test_preview_shows_the_snapshot_and_writes_nothing(catalog, other, table):
    change = catalog.change(table).add_column("note", "string").append(NOTED)
    before = commits(other, table)

    updates = catalog.result_of(change.preview()).updates

    assert [one["action"] for one in updates] == [
        "add-schema",
        "set-current-schema",
        "add-snapshot",
        "set-snapshot-ref",
    ]
    assert commits(other, table) == before


def test_rows_that_do_not_fit_the_new_schema_change_nothing(other, table):
    before = commits(other, table)

    with pytest.raises(ValueError, match="absent"):
        other.change(table).add_column("note", "string").append({"absent": [1]}).commit()

    assert commits(other, table) == before


def test_second_rows_of_a_commit_raise_value_error(other, table):
    change = other.change(table).append(NOTED)

    with pytest.raises(ValueError, match="append all rows at once"):
        change.append(NOTED)
