"""`lakepact data compare` finds faults in copies of a table, with column and row."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.types import DoubleType, IntegerType, LongType, NestedField, StringType, StructType

from sampling import some
from spark_clusters import connect
from two_catalogs import ROWS, SPEC, Row, compare, create, results, row, schema, served

Rows = list["Row"]


def changed(n: int, **values: Any) -> Callable[[Rows], Rows]:
    return lambda rows: [{**each, **values} if each["id"] == n else each for each in rows]


def exchanged(column: str, *ids: int) -> Callable[[Rows], Rows]:
    """Exchange the values of two rows of one partition."""
    one, other = (row(n)[column] for n in ids)
    return lambda rows: changed(ids[1], **{column: one})(changed(ids[0], **{column: other})(rows))


@dataclass(frozen=True)
class Fault:
    """A copy that is not sound.

    Args:
        kind: of the difference.
        what: its place.
        rows: of the copy.
        columns: of the copy.
        spec: of the copy.
    """

    kind: str
    what: str
    rows: Callable[[Rows], Rows] = list
    columns: Schema = field(default_factory=schema)
    spec: PartitionSpec = SPEC


def of_row(n: int, column: str, value: Any, *, at: str = "") -> Fault:
    return Fault("row", f"id={n}, column {column}{at}", changed(n, **{column: value}))


RENAMED = NestedField(
    9,
    "place",
    StructType(NestedField(23, "level", IntegerType()), NestedField(24, "name", StringType())),
)
WIDENED = NestedField(
    9,
    "place",
    StructType(NestedField(23, "floor", LongType()), NestedField(24, "name", StringType())),
)
FAULTS = {
    "emptied": Fault("rows", "number of rows", lambda _: []),
    "lost-row": Fault("row", "id=7", lambda rows: [each for each in rows if each["id"] != 7]),
    "further-row": Fault("row", "id=60", lambda rows: [*rows, row(60)]),
    "duplicated-row": Fault("row", "id=7", lambda rows: [*rows, row(7)]),
    "appended-twice": Fault("row", "id=0", lambda rows: [*rows, *rows]),
    "lost-and-duplicated": Fault(
        "row", "id=8", lambda rows: [*(each for each in rows if each["id"] != 7), row(8)]
    ),
    "null-for-value": of_row(7, "price", None),
    "value-for-null": of_row(5, "region", "null"),
    "a-cent-more": of_row(7, "price", Decimal("0.08")),
    "last-bit-of-a-double": of_row(8, "weight", math.nextafter(8 / 3, 3)),
    "zero-for-nan": of_row(7, "weight", 0.0),
    "microsecond-later": of_row(7, "at", row(7)["at"] + dt.timedelta(microseconds=1)),
    "local-time-in-another-zone": of_row(7, "local", row(7)["local"] + dt.timedelta(hours=2)),
    "day-earlier": of_row(7, "day", row(7)["day"] - dt.timedelta(1)),
    "time-of-day": of_row(7, "time", dt.time(8)),
    "trailing-space": of_row(7, "region", "r/1 "),
    "boolean": of_row(7, "flag", False),
    "byte-of-a-binary": of_row(7, "blob", b"\x08"),
    "fixed": of_row(7, "code", b"0008"),
    "uuid": of_row(7, "uid", bytes(16)),
    "order-of-a-list": of_row(7, "tags", [None, 7, 8], at="[0]"),
    "null-within-a-map": of_row(7, "stock", [("a", None), ("b", 7)], at='["a"]'),
    "null-for-a-struct-of-nulls": of_row(6, "place", {"floor": None, "name": None}),
    "column-of-another-case": of_row(7, "ID", 5),
    "microsecond-within-a-list": of_row(
        7,
        "moments",
        [row(8)["local"], None],
        at="[0]",
    ),
    "values-in-other-rows": Fault("row", "id=7, column price", exchanged("price", 7, 13)),
    "dropped-column": Fault("column", "column flag", columns=schema(without=["flag"])),
    "dropped-and-changed": Fault(
        "row", "id=7, column day", changed(7, day=dt.date(2020, 1, 1)), schema(without=["flag"])
    ),
    "renamed-column": Fault(
        "column", "column marked", columns=schema(flag=NestedField(12, "marked", StringType()))
    ),
    "renamed-part-of-a-struct": Fault(
        "column", "column place.level", columns=schema(place=RENAMED)
    ),
    "widened-part-of-a-struct": Fault("type", "column place.floor", columns=schema(place=WIDENED)),
    "widened-column": Fault(
        "type", "column ratio", columns=schema(ratio=NestedField(6, "ratio", DoubleType()))
    ),
    "required-column": Fault(
        "required",
        "column local",
        columns=schema(local=NestedField(16, "local", schema().find_type("local"), required=True)),
    ),
    "unpartitioned": Fault("partition", "spec", spec=PartitionSpec()),
}


@dataclass(frozen=True)
class Catalogs:
    """Two catalogs that get the tables of a fault when a test needs them."""

    a: str
    b: str
    found: dict[str, dict[str, Any]] = field(default_factory=dict)

    def with_tables_of(self, fault: str) -> tuple[str, str]:
        """Create a sound table and its copy, and return the addresses of both catalogs."""
        for url, table in ((self.a, Fault("", "")), (self.b, FAULTS[fault])):
            with closing(load_catalog("one", type="rest", uri=url)) as catalog:
                if not catalog.table_exists(f"faults.{fault}"):
                    create(
                        catalog,
                        f"faults.{fault}",
                        table.rows(list(ROWS)),
                        columns=table.columns,
                        spec=table.spec,
                    )
        return self.a, self.b

    def compared(self, fault: str) -> dict[str, Any]:
        """Return the comparison of the tables of a fault."""
        if fault not in self.found:
            code, tables = results(*self.with_tables_of(fault), "--table", f"faults.{fault}")
            assert code == 1
            self.found[fault] = tables[f"faults.{fault}"]
        return self.found[fault]


@pytest.fixture(scope="module")
def catalogs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogs]:
    with served(tmp_path_factory.mktemp("a")) as a, served(tmp_path_factory.mktemp("b")) as b:
        for url in (a, b):
            with closing(load_catalog("one", type="rest", uri=url)) as catalog:
                catalog.create_namespace("faults")
        yield Catalogs(a, b)


def is_told(table: dict[str, Any], fault: Fault) -> bool:
    """Return whether a comparison tells a fault at its place."""
    return not table["error"] and any(
        each["kind"] == fault.kind and each["what"].startswith(fault.what)
        for each in table["differences"]
    )


#: Faults of single values, all in one copy.
OF_VALUES = {
    name: fault
    for name, fault in FAULTS.items()
    if fault.kind == "row" and ", column " in fault.what and fault.columns == schema()
}


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # those of pyspark
@pytest.mark.parametrize("kind", ["local[2]", "connect"])
def test_spark_finds_every_changed_value_with_column_and_row(
    kind: str, catalogs: Catalogs, tmp_path: Path
) -> None:
    rows = list(ROWS)
    for fault in OF_VALUES.values():
        rows = fault.rows(rows)
    name = f"faults.values-{kind.partition('[')[0]}"
    for url, written in ((catalogs.a, list(ROWS)), (catalogs.b, rows)):
        with closing(load_catalog("one", type="rest", uri=url)) as catalog:
            create(catalog, name, written)
    master = connect(tmp_path) if kind == "connect" else contextlib.nullcontext(kind)
    with master as address:
        option = "--remote" if kind == "connect" else "--master"
        command = ("--table", name, "--engine", "spark", option, address)
        code, tables = results(catalogs.a, catalogs.b, *command)

    assert (code, tables[name]["error"]) == (1, "")
    assert [n for n, fault in OF_VALUES.items() if not is_told(tables[name], fault)] == []


@pytest.mark.parametrize("fault", some(FAULTS, 5))
def test_fault_is_found_with_column_and_row(fault: str, catalogs: Catalogs) -> None:
    table = catalogs.compared(fault)

    assert is_told(table, FAULTS[fault]), table


@pytest.mark.parametrize(
    "fault",
    some(
        [
            name
            for name, fault in FAULTS.items()
            if ", column " in fault.what and fault.kind == "row"
        ],
        3,
    ),
)
def test_changed_row_is_the_only_one_shown(fault: str, catalogs: Catalogs) -> None:
    ids = {
        each["what"].partition(",")[0]
        for each in catalogs.compared(fault)["differences"]
        if each["kind"] == "row"
    }

    assert ids == (
        {"id=7", "id=13"}
        if fault == "values-in-other-rows"
        else {FAULTS[fault].what.partition(",")[0]}
    )


def test_values_of_a_changed_row_are_shown(catalogs: Catalogs) -> None:
    assert {
        "kind": "row",
        "what": "id=7, column price",
        "a": "0.07",
        "b": "0.08",
        "column": "price",
        "row": "id=7",
    } in catalogs.compared("a-cent-more")["differences"]


def test_partition_of_a_changed_row_is_named(catalogs: Catalogs) -> None:
    assert any(
        each["what"].startswith("partition day(at)=2026-01-02/region=r%2F1, column price")
        for each in catalogs.compared("a-cent-more")["differences"]
    )


def test_no_values_reach_a_report_without_values(catalogs: Catalogs) -> None:
    code, output = compare(
        *catalogs.with_tables_of("a-cent-more"), "--table", "faults.a-cent-more", "--no-values"
    )

    assert (code, "column price" in output) == (1, True)
    assert "0.08" not in output
    assert "id=7" not in output


def test_ignored_kind_of_difference_does_not_count(catalogs: Catalogs) -> None:
    assert (
        compare(
            *catalogs.with_tables_of("unpartitioned"),
            "--table",
            "faults.unpartitioned",
            "--ignore",
            "partition",
        )[0]
        == 0
    )


def test_kind_of_difference_counts_if_asked(catalogs: Catalogs) -> None:
    code, tables = results(
        *catalogs.with_tables_of("unpartitioned"),
        "--table",
        "faults.unpartitioned",
        "--ignore",
        "partition",
        "--count",
        "sort",
    )

    assert (code, tables["faults.unpartitioned"]["information"][0]["kind"]) == (0, "partition")


def test_sample_of_the_metadata_alone_reads_no_rows(catalogs: Catalogs) -> None:
    code, tables = results(
        *catalogs.with_tables_of("a-cent-more"), "--table", "faults.a-cent-more", "--sample", 0
    )

    assert (code, tables["faults.a-cent-more"]["rows"]) == (0, [None, None])


def test_sample_has_the_same_rows_on_both_sides(catalogs: Catalogs) -> None:
    _, tables = results(
        *catalogs.with_tables_of("widened-part-of-a-struct"),
        "--table",
        "faults.widened-part-of-a-struct",
        "--sample",
        40,
        "--ignore",
        "type",
    )
    table = tables["faults.widened-part-of-a-struct"]

    assert 0 < table["rows"][0] == table["rows"][1] < len(ROWS)
    assert table["differences"] == []
