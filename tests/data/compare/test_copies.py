"""`lakepact data compare` finds no difference between sound copies, and continues where an earlier
run ended.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.catalog import load_catalog
from pyiceberg.partitioning import PartitionSpec

from lakepact.data.compare.duckdb_engine import DuckDb
from lakepact.data.compare.model import DELTA, Layout, PinnedTable
from lakepact.data.compare.runs import FILE
from lakepact.data.compare.tables import Choices
from lakepact.data.compare.tables import compare as compared
from two_catalogs import ROWS, compare, create, results, row, schema, served

TOKEN = "0123456789" * 4
SHARES = """version: 1
shares: [{{name: partner, schemas: [{{name: sales, tables: [{{name: orders, location: {}}}]}}]}}]
recipients: [{{name: reader, bearerToken: "{}"}}]
"""
#: The columns that Delta has.
COLUMNS = pa.schema(
    [
        *(
            ("id", pa.int64()),
            ("region", pa.string()),
            ("at", pa.timestamp("us", "UTC")),
            ("price", pa.decimal128(10, 2)),
        ),
        *(
            ("weight", pa.float64()),
            ("ratio", pa.float32()),
            ("tags", pa.list_(pa.int32())),
            ("stock", pa.map_(pa.string(), pa.int64())),
        ),
        *(
            ("place", pa.struct([("floor", pa.int16()), ("name", pa.string())])),
            ("blob", pa.binary()),
            ("day", pa.date32()),
        ),
        *(
            ("flag", pa.bool_()),
            ("uid", pa.string()),
            ("code", pa.binary()),
            ("local", pa.timestamp("us")),
        ),
    ]
)


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[tuple[str, str, Any, Any]]:
    with ExitStack() as ending:
        urls = [ending.enter_context(served(tmp_path / name)) for name in "ab"]
        catalogs = [
            ending.enter_context(closing(load_catalog(url, type="rest", uri=url))) for url in urls
        ]
        for catalog in catalogs:
            catalog.create_namespace("sales")
        yield urls[0], urls[1], *catalogs


def write_as_delta(folder: Path) -> None:
    rows = [{**each, "uid": str(uuid.UUID(bytes=each["uid"]))} for each in ROWS]
    write_deltalake(
        folder / "sales" / "orders",
        pa.Table.from_pylist(rows, schema=COLUMNS),
        partition_by=["region"],
    )


def test_copy_in_another_order_and_cut_is_no_difference(sides: tuple[str, str, Any, Any]) -> None:
    a, b, left, right = sides
    create(left, "sales.orders", ROWS)
    copy = create(right, "sales.orders", ROWS[40:], spec=PartitionSpec())
    copy.append(
        pa.Table.from_pylist([*reversed(ROWS[:40]), row(99)], schema=copy.schema().as_arrow())
    )
    copy.delete("id == 99")

    assert compare(a, b, "--table", "sales.*", "--ignore", "partition")[0] == 0


def test_delta_table_and_its_iceberg_copy_are_no_difference(
    sides: tuple[str, str, Any, Any], tmp_path: Path
) -> None:
    a, _, left, _ = sides
    write_as_delta(tmp_path / "delta")
    create(
        left,
        "sales.orders",
        ROWS,
        columns=schema(without=["time", "ID", "moments"]),
        spec=PartitionSpec(),
    )

    code, tables = results(
        tmp_path / "delta", a, "--table", "sales.*", "--ignore", "partition", "--ignore", "required"
    )
    assert (code, tables["sales.orders"]["differences"]) == (0, [])
    assert tables["sales.orders"]["rows"] == [len(ROWS), len(ROWS)]


def test_partition_fields_of_delta_differ_by_columns_alone(tmp_path: Path) -> None:
    for side, columns in (("a", ["id"]), ("b", None)):
        write_deltalake(
            tmp_path / side / "t", pa.table({"id": [1], "n": [1]}), partition_by=columns
        )

    tables = results(tmp_path / "a", tmp_path / "b", "--table", "t")[1]
    assert [each["kind"] for each in tables["t"]["differences"]] == ["partition"]
    assert tables["t"]["information"] == []


def test_shared_table_and_its_files_are_no_difference(tmp_path: Path) -> None:
    write_as_delta(tmp_path / "delta")
    (tmp_path / "shares.yaml").write_text(
        SHARES.format(tmp_path / "delta" / "sales" / "orders", TOKEN)
    )
    with served(tmp_path / "warehouse", "--shares", str(tmp_path / "shares.yaml")) as url:
        profile = {
            "shareCredentialsVersion": 1,
            "endpoint": f"{url}/delta-sharing",
            "bearerToken": TOKEN,
        }
        (tmp_path / "a.share").write_text(json.dumps(profile))
        code, tables = results(
            f"{tmp_path}/a.share#partner",
            tmp_path / "delta",
            "--table",
            "sales.*",
            "--report",
            tmp_path / "report",
        )

    assert (code, tables["sales.orders"]["differences"], tables["sales.orders"]["rows"]) == (
        0,
        [],
        [len(ROWS), len(ROWS)],
    )
    assert all(TOKEN not in file.read_text("utf-8") for file in (tmp_path / "report").iterdir())


def test_finished_tables_are_compared_again_only_after_a_commit(
    sides: tuple[str, str, Any, Any], tmp_path: Path
) -> None:
    a, b, left, right = sides
    tables = [
        create(catalog, f"sales.{name}", ROWS[:9])
        for catalog in (left, right)
        for name in ("orders", "items")
    ]
    command = (a, b, "--table", "sales.*", "--report", tmp_path / "report")
    journal = tmp_path / "report" / FILE
    assert compare(*command)[0] == 0
    with journal.open("a") as file:
        file.write('{"table": "sales.ord')  # a run that was ended

    assert (compare(*command)[0], len(journal.read_bytes().splitlines())) == (0, 3)
    tables[0].delete("id == 3")
    assert (compare(*command)[0], len(journal.read_bytes().splitlines())) == (1, 4)
    assert "id=3" in (tmp_path / "report" / "index.html").read_text("utf-8")


def test_table_of_another_name_is_found_by_its_map(sides: tuple[str, str, Any, Any]) -> None:
    a, b, left, right = sides
    right.create_namespace("new")
    create(left, "sales.orders", ROWS[:9])
    create(right, "new.orders", ROWS[:9])

    assert compare(a, b, "--table", "sales.*", "--map", "sales=new")[0] == 0
    code, tables = results(a, b, "--table", "sales.*")
    assert (code, tables["sales.orders"]["differences"][0]["kind"]) == (1, "table")


def test_unreadable_table_exits_with_3_after_all_others(
    sides: tuple[str, str, Any, Any], tmp_path: Path
) -> None:
    a, b, left, right = sides
    for catalog in (left, right):
        create(catalog, "sales.orders", ROWS[:9])
        create(catalog, "sales.items", ROWS[:9])
    for file in (tmp_path / "b").rglob("orders*/data/**/*.parquet"):
        file.unlink()

    code, tables = results(a, b, "--table", "sales.*", "--workers", 1)
    assert (code, tables["sales.items"]["error"], bool(tables["sales.orders"]["error"])) == (
        3,
        "",
        True,
    )


def test_folder_with_a_dot_is_a_namespace(tmp_path: Path) -> None:
    for side in "ab":
        write_deltalake(tmp_path / side / "sales.db" / "orders", pa.table({"id": [1, 2]}))

    code, tables = results(tmp_path / "a", tmp_path / "b", "--table", "sales.db.*")
    assert (code, tables["sales.db.orders"]["rows"]) == (0, [2, 2])


def test_key_that_fits_no_table_exits_with_2(tmp_path: Path) -> None:
    for side in "ab":
        write_deltalake(tmp_path / side / "sales" / "orders", pa.table({"id": [1, 2]}))

    code, output = compare(tmp_path / "a", tmp_path / "b", "--table", "*", "--key", "nope")
    assert (code, "--key nope: no table" in output) == (2, True)


def test_report_names_differing_tables_first_with_options_and_versions(tmp_path: Path) -> None:
    for side, word in (("a", "x"), ("b", "y")):
        write_deltalake(tmp_path / side / "sales" / "items", pa.table({"id": [1, 2]}))
        rows = pa.table({"id": [1, 2], "word": ["x", word]})
        write_deltalake(tmp_path / side / "sales" / "orders", rows)

    command = ("--table", "sales.*", "--key", "id", "--report", tmp_path / "report")
    assert compare(tmp_path / "a", tmp_path / "b", *command)[0] == 1
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert page.index("sales.orders") < page.index("sales.items")
    assert "--key id, all rows" in page
    assert f"lakepact {version('lakepact')}" in page
    assert "<td>differs: " in page
    assert "<td>same</td>" in page


def test_information_about_many_tables_is_shown_once(tmp_path: Path) -> None:
    for side, properties in (("a", None), ("b", {"delta.appendOnly": "true"})):
        for n in range(5):
            folder = tmp_path / side / "sales" / f"t{n}"
            write_deltalake(folder, pa.table({"id": [1]}), configuration=properties)

    command = ("--table", "*", "--report", tmp_path / "report")
    code, output = compare(tmp_path / "a", tmp_path / "b", *command)
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert code == 0
    assert [text.count("delta.appendOnly") for text in (output, page)] == [1, 1]
    assert "A missing, B true" in output
    assert page.count("<td>missing</td>") == 1
    assert "(sales.t0, sales.t1, sales.t2 and 2 more)" in output


def test_information_with_a_value_of_each_table_is_shown_once(tmp_path: Path) -> None:
    for n in range(5):
        retention = {"delta.logRetentionDuration": f"interval {n + 1} days"}
        for side, properties in (("a", None), ("b", retention)):
            folder = tmp_path / side / "sales" / f"t{n}"
            write_deltalake(folder, pa.table({"id": [1]}), configuration=properties)

    code, output = compare(tmp_path / "a", tmp_path / "b", "--table", "*")
    assert (code, output.count("delta.logRetentionDuration")) == (0, 1)
    assert "A missing, B several values (sales.t0, sales.t1, sales.t2 and 2 more)" in output


def test_rows_of_namespaces_that_are_spelled_alike_are_kept_apart(
    sides: tuple[str, str, Any, Any],
) -> None:
    a, b, left, right = sides
    for catalog in (left, right):
        for namespace in (("dd",), ("dd", "e"), ("dd.e",)):
            catalog.create_namespace(namespace)
        create(catalog, ("dd", "e", "t"), ROWS[:3])
        create(catalog, ("dd.e", "t"), ROWS[:5])

    code, tables = results(a, b, "--table", "*")
    assert code == 0
    assert {name: table["rows"][0] for name, table in tables.items()} == {
        "dd.e.t": 3,
        "`dd.e`.t": 5,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--table", "x", "--report", "html=x.html"), "name a folder"),
        (
            ("--table", "x.*", "--token-env-a", "LAKEPACT_NO_TOKEN"),
            "LAKEPACT_NO_TOKEN is empty or not set",
        ),
        (("--table", "x.*", "--as-of-a", "noon"), "noon is no time"),
        (("--table", "x.*", "--map", "x"), "write NAME=VALUE"),
        (("--table", "x.*"), "neither side has a table x.*"),
    ],
)
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    code, output = compare(tmp_path, tmp_path, *arguments)

    assert (code, message in output) == (2, True)


# -- in one engine, without catalogs ---------------------------------------------------------------

VALUES = st.one_of(
    st.none(), st.lists(st.none() | st.lists(st.none() | st.integers(0, 2), max_size=2), max_size=2)
)


def pin(column: pa.Array) -> PinnedTable:
    table = pa.table({"v": column})
    return PinnedTable(
        "t",
        "",
        Layout(DELTA, ()),
        table.schema,
        lambda: iter(table.to_batches()),
        lambda session: session,
    )


@pytest.mark.parametrize(
    ("left", "right", "figures"),
    [
        (["a", None], ["a", "null"], ('1 null, "a" to "a"', '0 nulls, "a" to "null"')),
        (["a", "b", "c"], ["a", "bb", "c"], (None, None)),
        ([[1], None], [[2], None], (None, None)),
    ],
)
def test_figures_of_a_column_are_shown_where_they_differ(
    left: list[Any], right: list[Any], figures: tuple[str | None, ...]
) -> None:
    tables = (pin(pa.array(rows)) for rows in (left, right))
    with DuckDb("500MB") as engine:
        differences = compared(engine, *tables, Choices({})).differences

    assert [(each.what, each.a, each.b) for each in differences if each.kind == "values"] == [
        ("column v", *figures)
    ]


@given(st.lists(VALUES, max_size=4), st.lists(VALUES, max_size=4))
@settings(max_examples=60, deadline=None)
def test_nested_values_are_equal_exactly_if_they_are_the_same_in_any_order(
    left: list[Any], right: list[Any]
) -> None:
    kinds = pa.list_(pa.list_(pa.int32())), pa.list_(pa.large_list(pa.int64()))
    with DuckDb("500MB") as engine:
        result = compared(
            engine,
            *(pin(pa.array(rows, kind)) for rows, kind in zip((left, right), kinds, strict=True)),
            Choices({}),
        )

    assert (result.differences == ()) == (sorted(map(repr, left)) == sorted(map(repr, right)))
