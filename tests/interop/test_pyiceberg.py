"""Unmodified pyiceberg with the reference server, writing and reading files in the warehouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyiceberg import exceptions
from pyiceberg.catalog import load_catalog
from pyiceberg.expressions import EqualTo, GreaterThanOrEqual
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import SortField, SortOrder
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType, TimestamptzType
from pyiceberg.view.metadata import SQLViewRepresentation, ViewVersion

from lakepact.reference_server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyiceberg.catalog.rest import RestCatalog

pytestmark = [
    pytest.mark.interop,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Delete operation did not match any records:UserWarning"),
]

ROWS = 100_000

SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "name", StringType()),
    NestedField(3, "value", DoubleType()),
    NestedField(4, "at", TimestamptzType()),
    identifier_field_ids=[1],
)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[RestCatalog]:
    with running(warehouse=tmp_path.as_uri()) as server:
        catalog = load_catalog("lakepact", type="rest", uri=server.url)
        yield catalog
        catalog.close()


def rows(count: int, *, start: int = 0) -> pa.Table:
    ids = range(start, start + count)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "name": pa.array([f"name {i % 97}" for i in ids], pa.string()),
            "value": pa.array([i / 7 for i in ids], pa.float64()),
            "at": pa.array(
                [1_700_000_000_000_000 + i * 1_000_000 for i in ids], pa.timestamp("us", "UTC")
            ),
        },
        schema=pa.schema(
            [
                pa.field("id", pa.int64(), nullable=False),
                pa.field("name", pa.string()),
                pa.field("value", pa.float64()),
                pa.field("at", pa.timestamp("us", "UTC")),
            ]
        ),
    )


def in_order(table: pa.Table) -> pa.Table:
    return table.sort_by("id").combine_chunks()


def test_nested_namespaces_are_created_and_listed(catalog: RestCatalog) -> None:
    catalog.create_namespace("a", {"owner": "somebody"})
    catalog.create_namespace(("a", "b"))
    catalog.create_namespace(("a", "b", "c"))

    assert catalog.list_namespaces() == [("a",)]
    assert catalog.list_namespaces(("a", "b")) == [("a", "b", "c")]
    assert catalog.load_namespace_properties("a")["owner"] == "somebody"
    with pytest.raises(exceptions.NamespaceAlreadyExistsError):
        catalog.create_namespace(("a", "b"))
    with pytest.raises(exceptions.NamespaceNotEmptyError):
        catalog.drop_namespace("a")
    with pytest.raises(exceptions.NoSuchNamespaceError):
        catalog.load_namespace_properties("missing")


def test_namespace_properties_are_updated(catalog: RestCatalog) -> None:
    catalog.create_namespace("a", {"x": "1", "y": "2"})
    summary = catalog.update_namespace_properties("a", removals={"x", "never"}, updates={"z": "3"})

    assert (summary.removed, summary.updated, summary.missing) == (["x"], ["z"], ["never"])


def test_appended_rows_read_back_equal(catalog: RestCatalog) -> None:
    catalog.create_namespace("a")
    catalog.create_namespace(("a", "b"))
    table = catalog.create_table(("a", "b", "t"), SCHEMA)
    expected = rows(ROWS)
    table.append(expected)

    read = catalog.load_table(("a", "b", "t")).scan().to_arrow()
    assert in_order(read).equals(in_order(expected))


def test_evolved_schema_reads_earlier_rows(catalog: RestCatalog) -> None:
    catalog.create_namespace("a")
    table = catalog.create_table("a.t", SCHEMA)
    table.append(rows(100))
    with table.update_schema() as update:
        update.add_column("extra", StringType(), doc="added later")
        update.rename_column("name", "label")
        update.delete_column("value")

    read = catalog.load_table("a.t").scan(row_filter=EqualTo("id", 5)).to_arrow()
    assert read.column_names == ["id", "label", "at", "extra"]
    assert read.to_pylist()[0]["label"] == "name 5"


def test_evolved_partition_spec_reads_all_rows(catalog: RestCatalog) -> None:
    catalog.create_namespace("a")
    spec = PartitionSpec(
        PartitionField(source_id=4, field_id=1000, transform=DayTransform(), name="day")
    )
    table = catalog.create_table("a.t", SCHEMA, partition_spec=spec)
    table.append(rows(1000))
    with table.update_spec() as update:
        update.add_field("id", BucketTransform(4), "bucket")
        update.remove_field("day")
    table.append(rows(1000, start=1000))

    table_again = catalog.load_table("a.t")
    assert [f.name for f in table_again.spec().fields] == ["bucket"]
    assert len(table_again.specs()) == 2
    assert in_order(table_again.scan().to_arrow()).equals(in_order(rows(2000)))


def test_sort_order_is_kept(catalog: RestCatalog) -> None:
    catalog.create_namespace("a")
    order = SortOrder(SortField(source_id=1, transform=IdentityTransform()))
    catalog.create_table("a.t", SCHEMA, sort_order=order)

    assert catalog.load_table("a.t").sort_order().fields == order.fields


def test_branches_tags_and_snapshots_select_their_rows(catalog: RestCatalog) -> None:
    catalog.create_namespace("a")
    table = catalog.create_table("a.t", SCHEMA)
    table.append(rows(10))
    first = table.current_snapshot()
    assert first is not None
    table.append(rows(10, start=10))
    table.manage_snapshots().create_tag(first.snapshot_id, "v1").create_branch(
        first.snapshot_id, "work"
    ).commit()
    table.append(rows(5, start=100), branch="work")

    table_again = catalog.load_table("a.t")
    assert table_again.scan().to_arrow().num_rows == 20
    assert table_again.scan(snapshot_id=first.snapshot_id).to_arrow().num_rows == 10
    assert table_again.scan().use_ref("v1").to_arrow().num_rows == 10
    assert table_again.scan().use_ref("work").to_arrow().num_rows == 15
    table_again.manage_snapshots().remove_tag("v1").remove_branch("work").commit()
    assert list(catalog.load_table("a.t").metadata.refs) == ["main"]


def test_rows_are_deleted_overwritten_and_upserted(catalog: RestCatalog) -> None:
    catalog.create_namespace("a")
    table = catalog.create_table("a.t", SCHEMA)
    table.append(rows(100))
    table.delete(GreaterThanOrEqual("id", 50))
    table.upsert(rows(10, start=45))
    assert table.scan().to_arrow().num_rows == 55
    table.overwrite(rows(3))

    assert in_order(catalog.load_table("a.t").scan().to_arrow()).equals(in_order(rows(3)))


def test_staged_table_is_created_with_its_first_commit(catalog: RestCatalog) -> None:
    catalog.create_namespace("a")
    with catalog.create_table_transaction("a.t", SCHEMA) as transaction:
        assert not catalog.table_exists("a.t")
        transaction.set_properties(made="in one step")
        transaction.append(rows(10))

    table_again = catalog.load_table("a.t")
    assert table_again.properties["made"] == "in one step"
    assert table_again.scan().to_arrow().num_rows == 10


def test_stale_commit_raises_commit_failed_exception(catalog: RestCatalog) -> None:
    catalog.create_namespace("a")
    ours = catalog.create_table("a.t", SCHEMA)
    theirs = catalog.load_table("a.t")
    theirs.append(rows(1))
    with theirs.update_schema() as update:
        update.add_column("theirs", StringType())

    with pytest.raises(exceptions.CommitFailedException), ours.update_schema() as update:
        update.add_column("ours", StringType())
    assert "theirs" in catalog.load_table("a.t").schema().column_names


def test_tables_are_renamed_registered_and_dropped(catalog: RestCatalog) -> None:
    catalog.create_namespace("a")
    catalog.create_namespace("b")
    table = catalog.create_table("a.t", SCHEMA)
    table.append(rows(10))
    catalog.rename_table("a.t", "b.u")
    with pytest.raises(exceptions.NoSuchTableError):
        catalog.load_table("a.t")
    with pytest.raises(exceptions.TableAlreadyExistsError):
        catalog.create_table("b.u", SCHEMA)
    location = catalog.load_table("b.u").metadata_location
    catalog.drop_table("b.u")
    copy = catalog.register_table("a.again", location)

    assert copy.scan().to_arrow().num_rows == 10
    catalog.purge_table("a.again")
    assert catalog.list_tables("a") == []
    catalog.drop_namespace("a")
    assert catalog.list_namespaces() == [("b",)]


def test_names_with_dots_and_slashes_are_addressed(catalog: RestCatalog) -> None:
    catalog.create_namespace(("a.b",))
    catalog.create_namespace(("a.b", "c/d"))
    catalog.create_table(("a.b", "c/d", "e/f.g"), SCHEMA).append(rows(3))

    assert catalog.list_namespaces(("a.b",)) == [("a.b", "c/d")]
    assert catalog.list_tables(("a.b", "c/d")) == [("a.b", "c/d", "e/f.g")]
    assert catalog.load_table(("a.b", "c/d", "e/f.g")).scan().to_arrow().num_rows == 3


def test_views_are_listed_loaded_and_dropped_beside_tables(catalog: RestCatalog) -> None:
    catalog.create_namespace("a")
    catalog.create_table("a.t", SCHEMA)
    sql = SQLViewRepresentation(type="sql", sql="SELECT id FROM t", dialect="spark")
    version = ViewVersion(
        schema_id=0,
        summary={"engine-name": "by hand"},
        representations=[sql],
        default_namespace=("a",),
    )
    created = catalog.create_view("a.v", SCHEMA, version, properties={"comment": "every id"})

    assert (catalog.list_views("a"), catalog.list_tables("a")) == ([("a", "v")], [("a", "t")])
    view = catalog.load_view("a.v")
    assert view == created
    assert view.sql_for("spark").sql == "SELECT id FROM t"
    assert (view.schema().column_names, view.properties) == (
        SCHEMA.column_names,
        {"comment": "every id"},
    )
    assert (
        catalog.view_exists("a.v"),
        catalog.view_exists("a.t"),
        catalog.table_exists("a.v"),
    ) == (True, False, False)
    with pytest.raises(exceptions.ViewAlreadyExistsError):
        catalog.create_view("a.v", SCHEMA, version)
    with pytest.raises(exceptions.TableAlreadyExistsError):
        catalog.create_table("a.v", SCHEMA)
    with pytest.raises(exceptions.NoSuchViewError):
        catalog.load_view("a.t")
    catalog.drop_view("a.v")
    with pytest.raises(exceptions.NoSuchViewError):
        catalog.drop_view("a.v")
    assert (catalog.list_views("a"), catalog.table_exists("a.t")) == ([], True)


@pytest.mark.parametrize("version", ["1", "2", "3"])
def test_format_versions_are_created(catalog: RestCatalog, version: str) -> None:
    catalog.create_namespace("a")
    catalog.create_table("a.t", SCHEMA, properties={"format-version": version})

    assert catalog.load_table("a.t").format_version == int(version)
