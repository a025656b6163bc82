"""`lakepact data verify` finds each fault of a written table, and names its column and its first
row.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import deltalake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyiceberg.catalog import load_catalog
from pyiceberg.types import LongType

from lakepact.cli import main
from lakepact.data import cli
from sampling import some

FIRST, MIDDLE, ROWS = 3, 30, 60  #: the third version has the rows from 3 to 65


@pytest.fixture(scope="module")
def table_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Return what returns the folder of one written table."""
    folders = tmp_path_factory.mktemp("kept")

    def folder_of(shape: str, protocol: str) -> Path:
        folder = folders / f"{shape}-{protocol}"
        if not folder.exists():
            command = [
                "data",
                "write",
                str(folder),
                "--rows",
                str(ROWS),
                "--files",
                "2",
                "--shape",
                shape,
                "--as",
                protocol,
            ]
            assert CliRunner().invoke(main, command).exit_code == 0
        return folder

    return folder_of


@contextmanager
def restoring(folder: Path, copy: Path) -> Iterator[Path]:
    """Yield a folder of tables, and restore it: their metadata have absolute paths."""
    shutil.copytree(folder, copy)
    yield folder
    shutil.rmtree(folder)
    shutil.copytree(copy, folder)


def wrong(folder: Path, *options: str) -> tuple[int, set[tuple[str | None, str | None]]]:
    """Return the exit code of a verification, and the columns and rows that it names."""
    result = CliRunner().invoke(main, ["data", "verify", str(folder), "--json", *options])
    tables = [json.loads(line) for line in result.stdout.splitlines()]
    return result.exit_code, {
        (one["column"] and one["column"].partition("[")[0], one["row"])
        for table in tables
        for one in table["differences"]
    }


# -- Iceberg ---------------------------------------------------------------------------------------


def evolve(change: Callable[[Any], Any]) -> Callable[[Any], None]:
    def change_it(table: Any) -> None:
        with table.update_schema(allow_incompatible_changes=True) as update:
            change(update)

    return change_it


def replace_value(table: Any, name: str, value: Any) -> None:
    """Overwrite one row with another value in one column."""
    row = table.scan(row_filter=f"id == {MIDDLE}").to_arrow()
    field = row.schema.field(name)
    other = row.set_column(row.schema.get_field_index(name), field, pa.array([value], field.type))
    table.overwrite(other, overwrite_filter=f"id == {MIDDLE}")


def add_row(table: Any, number: int) -> None:
    row = table.scan(row_filter=f"id == {MIDDLE}").to_arrow()
    table.append(row.set_column(0, row.schema.field("id"), pa.array([number], pa.int64())))


def drop_and_add(table: Any) -> None:
    same = table.schema().find_type("price")
    evolve(lambda update: update.delete_column("price"))(table)
    evolve(lambda update: update.add_column("price", same))(table)


def drop_partitions(table: Any) -> None:
    with table.update_spec() as update:
        update.remove_field("region_identity")


def without_a_file(table: Any) -> None:
    Path(urlsplit(table.inspect.files().column("file_path")[0].as_py()).path).unlink()


def snapshot(table: Any, number: int) -> int:
    return int(sorted(table.snapshots(), key=lambda one: one.sequence_number)[number].snapshot_id)


ICEBERG: dict[str, tuple[str, Any, str | None, int | None]] = {
    "emptied": ("types", lambda table: table.delete("id >= 0"), None, FIRST),
    "appended to itself": (
        "types",
        lambda table: table.append(table.scan().to_arrow()),
        None,
        FIRST,
    ),
    "one row lost": ("types", lambda table: table.delete(f"id == {MIDDLE}"), None, MIDDLE),
    "one row too many": ("types", lambda table: add_row(table, 1000), None, 1000),
    "one row twice": ("types", lambda table: add_row(table, 40), None, 40),
    "another value": ("types", lambda table: replace_value(table, "small", 7), "small", MIDDLE),
    "null for a value": ("types", lambda table: replace_value(table, "text", None), "text", MIDDLE),
    "value for a null": (
        "types",
        lambda table: replace_value(table, "nothing", ""),
        "nothing",
        MIDDLE,
    ),
    "another nested value": (
        "nested",
        lambda table: replace_value(table, "numbers", [1, 2]),
        "numbers",
        MIDDLE,
    ),
    "another entry of a map": (
        "nested",
        lambda table: replace_value(table, "tags", [("key 0", 1)]),
        "tags",
        MIDDLE,
    ),
    "rolled back": (
        "position_deletes",
        lambda table: table.manage_snapshots().rollback_to_snapshot(snapshot(table, 1)).commit(),
        None,
        0,
    ),
    "vectors rolled back": (
        "deletion_vectors",
        lambda table: table.manage_snapshots().rollback_to_snapshot(snapshot(table, 1)).commit(),
        None,
        0,
    ),
    "column dropped": ("types", evolve(lambda update: update.delete_column("text")), "text", None),
    "column renamed": (
        "types",
        evolve(lambda update: update.rename_column("text", "words")),
        "text",
        None,
    ),
    "column widened": (
        "types",
        evolve(lambda update: update.update_column("small", LongType())),
        "small",
        None,
    ),
    "column added": (
        "types",
        evolve(lambda update: update.add_column("more", LongType())),
        "more",
        None,
    ),
    "id optional": ("types", evolve(lambda update: update.make_column_optional("id")), "id", None),
    "nested field renamed": (
        "nested",
        evolve(lambda update: update.rename_column("pair.label", "word")),
        "pair.label",
        None,
    ),
    "column with another id": ("types", drop_and_add, "price", None),
    "other partitions": ("partitioned", drop_partitions, None, None),
    "file lost": ("types", without_a_file, None, None),
    "snapshot expired": (
        "types",
        lambda table: table.maintenance.expire_snapshots().by_id(snapshot(table, 0)).commit(),
        None,
        None,
    ),
    "table dropped": ("types", lambda table: table.catalog.drop_table(table.name()), None, None),
}


@pytest.mark.parametrize("fault", some(ICEBERG, 5))
def test_fault_of_an_iceberg_table_is_found(
    fault: str, table_folder: Callable[[str, str], Path], tmp_path: Path
) -> None:
    shape, change, column, row = ICEBERG[fault]
    with restoring(table_folder(shape, "iceberg"), tmp_path / "saved") as folder:
        with cli._serve(folder) as url:
            change(load_catalog("own", type="rest", uri=url).load_table(("lp_data", shape)))
        code, places = wrong(folder)

    assert code == 1
    assert (column, None if row is None else f"id={row}") in places


# -- Delta -----------------------------------------------------------------------------------------


def log(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    """Return what changes each action of the log of a table."""

    def change_it(folder: Path) -> None:
        for path in (folder / "_delta_log").glob("*.json"):
            actions = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            for action in actions:
                change(action)
            path.write_text("\n".join(json.dumps(action) for action in actions), encoding="utf-8")

    return change_it


def field(name: str, /, **members: Any) -> Callable[[Path], None]:
    """Return what changes a column of the schema; without members, what removes it."""

    def change_it(action: dict[str, Any]) -> None:
        if "metaData" in action:
            schema = json.loads(action["metaData"]["schemaString"])
            if members:
                next(one for one in schema["fields"] if one["name"] == name).update(members)
            else:
                schema["fields"] = [one for one in schema["fields"] if one["name"] != name]
            action["metaData"]["schemaString"] = json.dumps(schema)

    return log(change_it)


def append_again(folder: Path) -> None:
    table = deltalake.DeltaTable(str(folder))
    deltalake.write_deltalake(table, table.to_pyarrow_table(), mode="append")


def region(action: dict[str, Any]) -> None:
    """Give all files of a partition the value of another."""
    if action.get("add", {}).get("partitionValues", {}).get("region") == "region":
        action["add"]["partitionValues"]["region"] = "region 1"


def numbers_for_dates(folder: Path) -> None:
    """Rewrite a file with the numbers of its dates, which the schema still declares as dates."""
    path = min(folder.glob("*.parquet"))
    table = pq.read_table(path)
    place = table.schema.get_field_index("day")
    pq.write_table(table.set_column(place, "day", table.column("day").cast(pa.int32())), path)


def statistics(action: dict[str, Any]) -> None:
    if "add" in action:
        stats = json.loads(action["add"]["stats"])
        stats["nullCount"]["day"] += 1
        stats["maxValues"]["small"] = -(2**31)
        action["add"]["stats"] = json.dumps(stats)


def update(name: str, value: str) -> Callable[[Path], Any]:
    return lambda folder: deltalake.DeltaTable(str(folder)).update(
        {name: value}, predicate=f"id = {MIDDLE}"
    )


DELTA: dict[str, tuple[str, Any, str | None, int | None]] = {
    "emptied": ("types", lambda folder: deltalake.DeltaTable(str(folder)).delete(), None, FIRST),
    "appended to itself": ("types", append_again, None, FIRST),
    "another value": ("types", update("small", "7"), "small", MIDDLE),
    "null for a value": ("types", update("text", "null"), "text", MIDDLE),
    "text for a date": ("types", field("day", type="string"), "day", None),
    "another number of nulls": ("types", log(statistics), "day", None),
    "another greatest value": ("types", log(statistics), "small", None),
    "file lost": ("types", lambda folder: min(folder.glob("*.parquet")).unlink(), None, None),
    "numbers for dates": ("types", numbers_for_dates, None, None),
    "column dropped": ("types", field("text"), "text", None),
    "column renamed": ("types", field("text", name="words"), "text", None),
    "column widened": ("types", field("small", type="long"), "small", None),
    "id optional": ("types", field("id", nullable=True), "id", None),
    "another partition value": ("partitioned", log(region), "region", None),
}


@pytest.mark.parametrize("fault", some(DELTA, 3))
def test_fault_of_a_delta_table_is_found(
    fault: str, table_folder: Callable[[str, str], Path], tmp_path: Path
) -> None:
    shape, change, column, row = DELTA[fault]
    with restoring(table_folder(shape, "delta"), tmp_path / "saved") as folder:
        change(folder / "delta" / shape)
        code, places = wrong(folder)

    assert code == 1
    assert column in {each for each, _ in places}
    assert row is None or (column, f"id={row}") in places
