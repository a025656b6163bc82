"""Counts, reads at a time, rollback, previews, existing files and metadata tables, through both
catalogs.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakepact.client import IcebergCatalog, errors
from sample_tables.table_documents import field, struct

SCHEMA = struct(field(1, "id", "long"), field(2, "city", "string"))


@pytest.fixture
def history(server, names):
    """Return the name of a table with two appends and the time between them."""
    name = next(names)
    with IcebergCatalog(server.url) as catalog:
        catalog.create_table(name, SCHEMA)
        catalog.append(name, {"id": [1, 2], "city": ["Rome", None]})
        catalog.change(name).set_tag("first").commit()
        time.sleep(0.01)
        between = datetime.now(UTC)
        time.sleep(0.01)
        catalog.append(name, {"id": [3], "city": ["Oslo"]})
    return name, between


@pytest.fixture
def catalog(drive, server):
    return drive(server.url)


def count(catalog, *scan, **options):
    return catalog.result_of(catalog.scan(*scan, **options).count())


def test_count_is_that_of_the_rows(catalog, history):
    table, _ = history

    assert count(catalog, table) == 3
    assert count(catalog, table, None, "city is null") == 1
    assert count(catalog, table, limit=2) == 2
    assert count(catalog, table, snapshot="first") == 2

    catalog.delete(table, "id = 1")
    assert count(catalog, table) == 2


def test_scan_at_a_time_has_the_rows_of_then(catalog, history):
    table, between = history

    assert count(catalog, table, timestamp=between) == 2
    assert count(catalog, table, timestamp=between.isoformat()) == 2
    rows = catalog.result_of(catalog.scan(table, timestamp=between).to_arrow())
    assert rows["id"].to_pylist() == [1, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timestamp": datetime(2020, 1, 1, tzinfo=UTC)}, "no snapshot at 2020-01-01"),
        ({"timestamp": "2026-01-01T00:00:00"}, "a time needs a zone"),
        ({"timestamp": "2026-01-01T00:00:00Z", "snapshot": "main"}, "give one"),
    ],
)
def test_time_without_a_snapshot_raises_value_error(catalog, history, options, message):
    with pytest.raises(ValueError, match=message):
        count(catalog, history[0], **options)


def test_metadata_tables_are_tables_of_arrow(catalog, history):
    table, between = history

    assert catalog.snapshots(table)["operation"].to_pylist() == ["append", "append"]
    assert catalog.history(table)["is_current_ancestor"].to_pylist() == [True, True]
    assert sorted(catalog.refs(table)["name"].to_pylist()) == ["first", "main"]
    for options in ({"snapshot": "first"}, {"timestamp": between}):
        assert catalog.files(table, **options)["record_count"].to_pylist() == [2]
        assert catalog.partitions(table, **options)["record_count"].to_pylist() == [2]
    with pytest.raises(ValueError, match='no branch or tag "last"'):
        catalog.files(table, snapshot="last")


@pytest.mark.parametrize("target", ["id", "name", "time"])
def test_rollback_makes_an_earlier_snapshot_current(catalog, history, target):
    table, between = history
    first = catalog.load_table(table).metadata.refs["first"].snapshot_id
    main = catalog.change(table).set_branch("main", min_snapshots_to_keep=2)
    catalog.result_of(main.commit())
    edits = catalog.change(table)
    {
        "id": lambda: edits.rollback(first),
        "name": lambda: edits.rollback("first"),
        "time": lambda: edits.rollback(timestamp=between),
    }[target]()

    metadata = catalog.result_of(edits.commit()).metadata

    assert (metadata.current_snapshot_id, len(metadata.snapshots)) == (first, 2)
    assert metadata.refs["main"].min_snapshots_to_keep == 2


def test_rollback_to_a_later_snapshot_raises_value_error(catalog, history):
    table, _ = history
    last = catalog.load_table(table).metadata.current_snapshot_id
    catalog.result_of(catalog.change(table).rollback("first").commit())

    with pytest.raises(ValueError, match="no earlier snapshot of main"):
        catalog.result_of(catalog.change(table).rollback(last).commit())


def test_existing_files_are_added_once(catalog, history, tmp_path):
    table, _ = history
    path = f"{tmp_path}/new.parquet"
    pq.write_table(pa.table({"id": pa.array([4], pa.int32()), "city": ["Bern"]}), path)

    catalog.add_files(table, [path], snapshot_properties={"job": "7"})

    rows = catalog.result_of(catalog.scan(table, None, "id = 4").to_arrow()).to_pylist()
    assert rows == [{"id": 4, "city": "Bern"}]
    assert catalog.load_table(table).metadata.current_snapshot.summary["job"] == "7"
    with pytest.raises(ValueError, match=r"has the file .* already"):
        catalog.add_files(table, [path])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"id": ["4"]}, "unfit.parquet.*string to long"),
        ({"town": ["Rome"]}, 'no column "town"'),
        ({"id": pa.array([1], pa.uint32())}, "id has unsigned integers"),
        ({"id": [1.5]}, "double to long"),
    ],
)
def test_file_that_does_not_fit_raises_one_sentence(
    catalog, history, tmp_path, capfd, rows, message
):
    pq.write_table(pa.table(rows), f"{tmp_path}/unfit.parquet")

    with pytest.raises(ValueError, match=message):
        catalog.add_files(history[0], [f"{tmp_path}/unfit.parquet"])
    assert capfd.readouterr().out == ""


def test_block_commits_its_edits_at_its_end(server, history):
    with IcebergCatalog(server.url) as catalog:
        with catalog.change(history[0]) as change:
            change.set_properties({"owner": "finance"})
            change.add_column("note", "string")
        with catalog.transaction() as transaction:
            transaction.change(history[0]).set_properties({"quarter": "1"})
        with catalog.change(history[0]):
            pass  # nothing to commit

        metadata = catalog.load_table(history[0]).metadata
    assert metadata.properties.items() >= {"owner": "finance", "quarter": "1"}.items()


def test_block_that_raises_commits_nothing(server, history):
    def failing(catalog):
        with catalog.change(history[0]) as change:
            change.set_properties({"owner": "finance"})
            raise RuntimeError

    with IcebergCatalog(server.url) as catalog:
        with pytest.raises(RuntimeError):
            failing(catalog)

        assert "owner" not in catalog.load_table(history[0]).metadata.properties


def test_block_that_commits_itself_commits_once(server, history):
    with IcebergCatalog(server.url) as catalog:
        with catalog.change(history[0]) as change:
            change.add_column("note", "string").commit()

        assert len(catalog.load_table(history[0]).metadata.schemas) == 2


def test_preview_is_what_the_commit_would_send(catalog, history):
    table, _ = history
    edits = catalog.change(table).set_properties({"owner": "finance"})

    change = catalog.result_of(edits.preview())

    assert list(change.updates) == [{"action": "set-properties", "updates": {"owner": "finance"}}]
    assert [one["type"] for one in change.requirements] == ["assert-table-uuid"]
    assert "owner" not in catalog.load_table(table).metadata.properties
    catalog.commit_table(table, change.updates, requirements=change.requirements)
    with pytest.raises(errors.LakepactError):
        catalog.result_of(catalog.change("n.absent").set_properties({"a": "1"}).preview())


def test_preview_of_a_transaction_has_a_change_for_each_table(catalog, history):
    transaction = catalog.transaction()
    transaction.change(history[0]).set_properties({"owner": "finance"})

    (change,) = catalog.result_of(transaction.preview())

    assert (change.namespace, change.name) == (["n"], history[0].removeprefix("n."))


def test_append_to_a_branch_keeps_its_retention(catalog, server, history):
    table, _ = history
    with IcebergCatalog(server.url) as other:
        other.change(table).set_branch("audit", max_ref_age_ms=864_000_000).commit()
    catalog.append(table, {"id": [4], "city": [None]}, branch="audit")

    ref = catalog.load_table(table).metadata.refs["audit"]
    assert ref.max_ref_age_ms == 864_000_000
