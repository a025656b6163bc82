"""`lakepact data compare` finds no difference between tables of another layout, nor after
maintenance.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable, write_deltalake
from pyiceberg.catalog import load_catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, IdentityTransform
from pyiceberg.types import IntegerType, LongType, StringType

from sampling import some
from two_catalogs import FIELDS, ROWS, create, results, row, served, typed

SOME = ROWS[:24]
Copy = Callable[[Any, str], Any]


def copy(rows: Any = SOME, **options: Any) -> Copy:
    return lambda catalog, name: create(catalog, name, rows, **options)


def then(*edits: Callable[[Any], object], **options: Any) -> Copy:
    """Return what makes a copy, and then changes and maintains it."""

    def make(catalog: Any, name: str) -> None:
        table = create(catalog, name, SOME, **options)
        for edit in edits:
            edit(table)

    return make


def append(*ids: int) -> Callable[[Any], object]:
    def add_rows(table: Any) -> None:
        kind = table.schema().as_arrow()
        rows = [{name: row(n)[name] for name in kind.names} for n in ids]
        table.append(pa.Table.from_pylist(rows, schema=kind))

    return add_rows


def in_files(table: Any) -> None:
    """Write the rows again, each three in a file."""
    table.delete("id >= 0")
    for first in range(0, len(SOME), 3):
        append(*range(first, first + 3))(table)


def compact(table: Any) -> None:
    table.overwrite(table.scan().to_arrow())


def expire(table: Any) -> None:
    keeping = table.current_snapshot().snapshot_id
    for each in table.snapshots():
        if each.snapshot_id != keeping:
            table.maintenance.expire_snapshots().by_id(each.snapshot_id).commit()


def evolve(*changes: Callable[[Any], object]) -> Callable[[Any], None]:
    def change_schema(table: Any) -> None:
        for change in changes:
            with table.update_schema() as update:
                change(update)

    return change_schema


def divide(table: Any) -> None:
    """Give later files another partition spec."""
    with table.update_spec() as update:
        update.remove_field("region")
        update.add_field("id", BucketTransform(4), "id_bucket")


def undo(table: Any) -> None:
    before = table.current_snapshot().snapshot_id
    append(99)(table)
    table.manage_snapshots().rollback_to_snapshot(before).commit()


def branch(table: Any) -> None:
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "b").commit()
    rows = pa.Table.from_pylist([row(99)], schema=table.schema().as_arrow())
    table.append(rows, branch="b")


def sort(table: Any) -> None:
    with table.update_sort_order() as update:
        update.desc("id", IdentityTransform())
    table.overwrite(table.scan().to_arrow().sort_by([("id", "descending")]))


BUCKETS = PartitionSpec(PartitionField(1, 1000, BucketTransform(4), "id_bucket"))
MERGED = {"commit.manifest-merge.enabled": "true", "commit.manifest.min-count-to-merge": "2"}
CLEAN = {
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "1",
}
SMALL = {"write.parquet.row-group-limit": "5", "write.parquet.page-row-limit": "2"}
GZIP = {"write.parquet.compression-codec": "gzip", "write.parquet.dict-size-bytes": "1"}
ICEBERG: dict[str, Copy] = {
    "reversed": copy(SOME[::-1]),
    "three rows in a file": then(in_files),
    "unpartitioned": copy(spec=PartitionSpec()),
    "other partitions": copy(spec=BUCKETS),
    "partitions evolved": then(divide, compact),
    "partitions evolved halfway": then(
        lambda table: table.delete("id >= 12"), divide, append(*range(12, 24))
    ),
    "sorted": then(sort),
    "other order and ids of columns": copy(columns=Schema(*FIELDS[::-1])),
    "column added and dropped": then(
        evolve(
            lambda update: update.add_column("more", StringType()),
            lambda update: update.delete_column("more"),
        ),
        lambda table: table.delete("id == 3"),
        append(3),
    ),
    "column renamed and back": then(
        evolve(lambda update: update.rename_column("region", "area")),
        evolve(lambda update: update.rename_column("area", "region")),
    ),
    "column widened": then(
        lambda table: table.delete("id >= 12"),
        evolve(lambda update: update.update_column("ID", LongType())),
        append(*range(12, 24)),
        columns=typed("ID", IntegerType()),
    ),
    "compacted": then(in_files, compact),
    "manifests merged": then(in_files, properties=MERGED),
    "snapshots expired": then(in_files, expire),
    "metadata files removed": then(in_files, properties=CLEAN),
    "rolled back": then(undo),
    "branch with other rows": then(branch),
    "row deleted and appended": then(lambda table: table.delete("id == 5"), append(5)),
    "row replaced": then(lambda table: table.upsert(table.scan(row_filter="id == 5").to_arrow())),
    "small row groups and pages": then(compact, properties=SMALL),
    "compressed, without dictionaries": then(compact, properties=GZIP),
    "format version 1": copy(properties={"format-version": "1"}),
}


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, Any, Any]]:
    with ExitStack() as ending:
        folder = tmp_path_factory.mktemp("layouts")
        urls = [ending.enter_context(served(folder / name)) for name in "ab"]
        catalogs = [
            ending.enter_context(closing(load_catalog(url, type="rest", uri=url))) for url in urls
        ]
        for catalog in catalogs:
            catalog.create_namespace("layouts")
        yield urls[0], urls[1], catalogs[0], catalogs[1]


@pytest.mark.parametrize("layout", some(ICEBERG, 8))
def test_iceberg_table_of_another_layout_is_no_difference(
    layout: str, sides: tuple[str, str, Any, Any]
) -> None:
    a, b, left, right = sides
    name = f"layouts.{layout}"
    create(left, name, SOME)
    ICEBERG[layout](right, name)

    code, tables = results(a, b, "--table", name, "--ignore", "partition")
    assert (code, tables[name]["differences"], tables[name]["error"]) == (0, [], "")
    assert tables[name]["rows"] == [len(SOME)] * 2


def append_again(folder: Path) -> None:
    """Write a row again that was deleted."""
    table = DeltaTable(folder)
    row = table.to_pyarrow_table().filter(pc.field("id") == 5)
    table.delete("id = 5")
    write_deltalake(folder, row, mode="append")


DELTA: dict[str, Callable[[Path], object]] = {
    "compacted": lambda folder: DeltaTable(folder).optimize.compact(),
    "Z-ordered": lambda folder: DeltaTable(folder).optimize.z_order(["id"]),
    "vacuumed": lambda folder: (
        DeltaTable(folder).optimize.compact(),
        DeltaTable(folder).vacuum(0, dry_run=False, enforce_retention_duration=False, full=True),
    ),
    "checkpoint": lambda folder: (
        DeltaTable(folder).create_checkpoint(),
        DeltaTable(folder).cleanup_metadata(),
    ),
    "row deleted and appended": append_again,
    "rolled back": lambda folder: (
        DeltaTable(folder).delete("id > 7"),
        DeltaTable(folder).restore(len(SOME) // 8 - 1),
    ),
}


@pytest.mark.parametrize("layout", some(DELTA, 3))
def test_delta_table_of_another_layout_is_no_difference(layout: str, tmp_path: Path) -> None:
    for side in "ab":
        for first in range(0, len(SOME), 8):
            ids = [*range(first, first + 8)]
            at = [row(n)["at"] + dt.timedelta(microseconds=n) for n in ids]
            rows = pa.table({"id": ids, "at": at, "tags": [row(n)["tags"] for n in ids]})
            write_deltalake(tmp_path / side / "sales" / "orders", rows, mode="append")
    DELTA[layout](tmp_path / "b" / "sales" / "orders")

    code, tables = results(tmp_path / "a", tmp_path / "b", "--table", "*")
    assert (code, tables["sales.orders"]["differences"]) == (0, [])
    assert tables["sales.orders"]["rows"] == [len(SOME)] * 2
