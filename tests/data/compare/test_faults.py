"""`lakepact data compare` finds faults in copies of a table, with column and row."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform, HourTransform, IdentityTransform
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
)

from lakepact.data.compare.model import INFORMATION
from sampling import some
from spark_clusters import connect
from two_catalogs import (
    FIELDS,
    ROWS,
    SPEC,
    Row,
    compare,
    create,
    results,
    row,
    schema,
    served,
    typed,
)

Rows = list["Row"]
INT, TEXT = IntegerType(), StringType()


def with_values(n: int, **values: Any) -> Callable[[Rows], Rows]:
    return lambda rows: [{**each, **values} if each["id"] == n else each for each in rows]


def with_exchange(column: str, *ids: int) -> Callable[[Rows], Rows]:
    """Exchange the values of two rows of one partition."""
    one, other = (row(n)[column] for n in ids)
    return lambda rows: with_values(ids[1], **{column: one})(
        with_values(ids[0], **{column: other})(rows)
    )


@dataclass(frozen=True)
class Fault:
    """A copy that is not sound.

    Args:
        kind: of the difference.
        what: its place.
        rows: of the copy.
        columns: of the copy.
        spec: of the copy.
        properties: of the copy.
        edit: changes the copy, once it is written.
    """

    kind: str
    what: str
    rows: Callable[[Rows], Rows] = list
    columns: Schema = field(default_factory=schema)
    spec: PartitionSpec = SPEC
    properties: dict[str, str] = field(default_factory=dict)
    edit: Callable[[Any], object] = lambda _: None


def of_row(n: int, column: str, value: Any, *, at: str = "") -> Fault:
    return Fault("row", f"id={n}, column {column}{at}", with_values(n, **{column: value}))


def place(*members: tuple[str, Any]) -> Schema:
    """Return the columns, with other members of the struct."""
    fields = [NestedField(23 + n, name, kind) for n, (name, kind) in enumerate(members)]
    return typed("place", StructType(*fields))


def without(drops: Callable[[Row], bool]) -> Callable[[Rows], Rows]:
    return lambda rows: [each for each in rows if not drops(each)]


def shift(column: str) -> Callable[[Rows], Rows]:
    """Give each row the value of the one before."""
    return lambda rows: [{**each, column: rows[n - 1][column]} for n, each in enumerate(rows)]


def with_texts_for_uuids(rows: Rows) -> Rows:
    return [{**each, "uid": str(uuid.UUID(bytes=each["uid"]))} for each in rows]


def branch(table: Any) -> None:
    update = table.manage_snapshots()
    update.create_branch(table.current_snapshot().snapshot_id, "audit").commit()


def default(table: Any) -> None:
    # pyiceberg drops defaults of a new table.
    with table.update_schema() as update:
        update.set_default_value("flag", True)


def sort(table: Any) -> None:
    with table.update_sort_order() as update:
        update.asc("id", IdentityTransform())


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
    "values-in-other-rows": Fault("row", "id=7, column price", with_exchange("price", 7, 13)),
    "dropped-column": Fault("column", "column flag", columns=schema(without=["flag"])),
    "dropped-and-changed": Fault(
        "row", "id=7, column day", with_values(7, day=dt.date(2020, 1, 1)), schema(without=["flag"])
    ),
    "renamed-column": Fault(
        "column", "column marked", columns=schema(flag=NestedField(12, "marked", StringType()))
    ),
    "renamed-part-of-a-struct": Fault(
        "column", "column place.level", columns=place(("level", INT), ("name", TEXT))
    ),
    "widened-part-of-a-struct": Fault(
        "type", "column place.floor", columns=place(("floor", LongType()), ("name", TEXT))
    ),
    "widened-column": Fault("type", "column ratio", columns=typed("ratio", DoubleType())),
    "required-column": Fault(
        "required", "column local", columns=typed("local", TimestampType(), required=True)
    ),
    "unpartitioned": Fault("partition", "spec", spec=PartitionSpec()),
    # Values that programs of migrations change.
    "milliseconds-alone": of_row(8, "local", dt.datetime(2020, 1, 1)),  # noqa: DTZ001
    "milliseconds-within-a-list": of_row(
        9,
        "moments",
        [dt.datetime(2020, 1, 1), None],  # noqa: DTZ001
        at="[0]",
    ),
    "null-within-a-list-of-times": of_row(
        10,
        "moments",
        [row(10)["local"], dt.datetime(1970, 1, 1)],  # noqa: DTZ001
        at="[1]",
    ),
    "summer-time": of_row(9, "at", row(9)["at"] + dt.timedelta(hours=1)),
    "day-of-the-julian-calendar": of_row(10, "day", row(10)["day"] - dt.timedelta(10)),
    "null-for-a-day": of_row(11, "day", None),
    "microsecond-of-a-time": of_row(8, "time", dt.time(8, 0, 0, 1)),
    "null-for-zero": of_row(0, "ID", None),
    "other-sign": of_row(8, "ID", 8),
    "wrapped-integer": of_row(9, "ID", 2**32 - 9),
    "null-for-nan": of_row(14, "weight", None),
    "infinity": of_row(10, "weight", math.inf),
    "double-of-single-precision": of_row(13, "weight", float(np.float32(13 / 3))),
    "last-bit-of-a-float": of_row(8, "ratio", float(np.nextafter(np.float32(8 / 7), 9))),
    "round-price": of_row(8, "price", Decimal("0.10")),
    "cents-for-a-price": of_row(9, "price", Decimal(9)),
    "empty-text-for-null": of_row(10, "region", ""),
    "upper-case": of_row(8, "region", "R/2"),
    "combining-character": of_row(11, "region", "r/2\u0301"),
    "invisible-character": of_row(13, "region", "r/1\u200b"),
    "end-of-line": of_row(14, "region", "r/2\r"),
    "letter-of-another-script": of_row(16, "region", "\u0433/1"),
    "cut-text": of_row(17, "region", "r/"),
    "padded-text": of_row(19, "region", "r/1    "),
    "empty-list-for-null": of_row(8, "tags", []),
    "null-for-a-list": of_row(9, "tags", None),
    "lost-item": of_row(10, "tags", [10, None], at="[2]"),
    "zero-for-a-null-item": of_row(11, "tags", [11, 0, 12], at="[1]"),
    "item-twice": of_row(13, "tags", [13, None, 14, 14], at="[3]"),
    "null-for-an-empty-map": of_row(9, "stock", None),
    "lost-entry": of_row(8, "stock", [("a", 8)], at='["b"]'),
    "other-key-of-an-entry": of_row(10, "stock", [("A", 10), ("b", None)], at='["a"]'),
    "other-value-of-an-entry": of_row(11, "stock", [("a", 12), ("b", None)], at='["a"]'),
    "null-for-a-member": of_row(8, "place", {"floor": 8, "name": None}, at=".name"),
    "null-for-a-struct": of_row(9, "place", None),
    "other-member": of_row(10, "place", {"floor": 11, "name": "it's"}, at=".floor"),
    "empty-binary": of_row(8, "blob", b""),
    "hexadecimal-binary": of_row(9, "blob", b"09"),
    "null-for-a-binary": of_row(10, "blob", None),
    "bytes-of-a-uuid-reversed": of_row(8, "uid", row(8)["uid"][::-1]),
    "null-for-a-boolean": of_row(8, "flag", None),
    "padded-fixed": of_row(8, "code", b"8\0\0\0"),
    # Rows.
    "other-key": Fault("row", "id=70", with_values(7, id=70)),
    "lost-partition": Fault(
        "rows", "partition day(at)=2026-01-03/", without(lambda each: each["id"] % 3 == 2)
    ),
    "lost-rows-without-a-region": Fault(
        "rows",
        "partition day(at)=2026-01-01/region is null",
        without(lambda each: each["region"] is None),
    ),
    "partition-twice": Fault(
        "rows",
        "partition day(at)=2026-01-02/region=r%2F1",
        lambda rows: [*rows, *(each for each in rows if each["region"] == "r/1")],
    ),
    "values-of-the-row-before": Fault("row", "id=7, column price", shift("price")),
    # Columns.
    "further-column": Fault(
        "column", "column more", columns=Schema(*FIELDS, NestedField(30, "more", TEXT))
    ),
    "lost-member": Fault("column", "column place.name", columns=place(("floor", INT))),
    "further-member": Fault(
        "column",
        "column place.more",
        columns=place(("floor", INT), ("name", TEXT), ("more", TEXT)),
    ),
    "wider-decimal": Fault("type", "column price", columns=typed("price", DecimalType(12, 2))),
    "lost-zone": Fault("type", "column at", columns=typed("at", TimestampType())),
    "text-for-a-uuid": Fault("type", "column uid", with_texts_for_uuids, typed("uid", TEXT)),
    "binary-for-a-fixed": Fault("type", "column code", columns=typed("code", BinaryType())),
    "wider-items": Fault(
        "type", "column tags.element", columns=typed("tags", ListType(20, LongType(), False))
    ),
    "other-values-of-a-map": Fault(
        "type",
        "column stock.value",
        columns=typed("stock", MapType(21, TEXT, 22, DoubleType(), False)),
    ),
    "optional-key": Fault(
        "required",
        "column id",
        columns=Schema(NestedField(1, "id", LongType()), *FIELDS[1:]),
    ),
    "default": Fault(
        "default",
        "column flag",
        lambda _: [],
        properties={"format-version": "3"},
        edit=default,
    ),
    # Metadata.
    "other-transform": Fault(
        "partition",
        "spec",
        spec=PartitionSpec(PartitionField(3, 1000, HourTransform(), "at_hour"), SPEC.fields[1]),
    ),
    "lost-partition-field": Fault("partition", "spec", spec=PartitionSpec(SPEC.fields[0])),
    "name-of-a-partition-field": Fault(
        "partition-name",
        "names of partition fields",
        spec=PartitionSpec(PartitionField(3, 1000, DayTransform(), "day_of_at"), SPEC.fields[1]),
    ),
    "order-of-columns": Fault("order", "order of columns", columns=Schema(*FIELDS[::-1])),
    "ids-of-columns": Fault("field-id", "column id", columns=Schema(*FIELDS[::-1])),
    "comment": Fault("doc", "column day", columns=typed("day", DateType(), doc="of sale")),
    "no-identifier": Fault("identifier", "identifier fields", columns=Schema(*FIELDS)),
    "sort-order": Fault("sort", "sort order", edit=sort),
    "property": Fault("property", "property owner", properties={"owner": "anna"}),
    "format-version": Fault("format", "format version", properties={"format-version": "1"}),
    "further-branch": Fault("ref", "branch or tag audit", edit=branch),
    "further-snapshot": Fault(
        "snapshots", "number of snapshots", edit=lambda table: table.append(table.scan().to_arrow())
    ),
}


@dataclass(frozen=True)
class Catalogs:
    """Two catalogs that get the tables of a fault when a test needs them."""

    a: str
    b: str
    comparisons: dict[str, dict[str, Any]] = field(default_factory=dict)

    def with_tables_of(self, fault: str) -> tuple[str, str]:
        """Create a sound table and its copy, and return the addresses of both catalogs."""
        for url, table in ((self.a, Fault("", "")), (self.b, FAULTS[fault])):
            with closing(load_catalog("one", type="rest", uri=url)) as catalog:
                if not catalog.table_exists(f"faults.{fault}"):
                    copy = create(
                        catalog,
                        f"faults.{fault}",
                        table.rows(list(ROWS)),
                        columns=table.columns,
                        spec=table.spec,
                        properties=table.properties,
                    )
                    table.edit(copy)
        return self.a, self.b

    def comparison_of(self, fault: str) -> dict[str, Any]:
        """Return the comparison of the tables of a fault."""
        if fault not in self.comparisons:
            command = (*self.with_tables_of(fault), "--table", f"faults.{fault}", *ALL)
            code, tables = results(*command)
            assert code == 1
            self.comparisons[fault] = tables[f"faults.{fault}"]
        return self.comparisons[fault]


@pytest.fixture(scope="module")
def catalogs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogs]:
    with served(tmp_path_factory.mktemp("a")) as a, served(tmp_path_factory.mktemp("b")) as b:
        for url in (a, b):
            with closing(load_catalog("one", type="rest", uri=url)) as catalog:
                catalog.create_namespace("faults")
        yield Catalogs(a, b)


def reports(table: dict[str, Any], fault: Fault) -> bool:
    """Return whether a comparison tells a fault at its place."""
    return not table["error"] and any(
        each["kind"] == fault.kind and each["what"].startswith(fault.what)
        for each in table["differences"]
    )


#: Information counts too, so that all kinds are looked for in one place; and every row is shown.
ALL = (*(part for kind in INFORMATION for part in ("--count", kind)), "--rows", 60)
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
    kind: str, catalogs: Catalogs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")  # pyspark sets it, and leaves it so
    monkeypatch.delenv("SPARK_CONNECT_MODE_ENABLED")
    rows = list(ROWS)
    for fault in OF_VALUES.values():
        rows = fault.rows(rows)
    name = f"faults.values-{kind.partition('[')[0]}"
    for url, table_rows in ((catalogs.a, list(ROWS)), (catalogs.b, rows)):
        with closing(load_catalog("one", type="rest", uri=url)) as catalog:
            create(catalog, name, table_rows)
    master = connect(tmp_path) if kind == "connect" else contextlib.nullcontext(kind)
    with master as address:
        option = "--remote" if kind == "connect" else "--master"
        command = ("--table", name, "--engine", "spark", option, address, *ALL)
        code, tables = results(catalogs.a, catalogs.b, *command)

    assert (code, tables[name]["error"]) == (1, "")
    assert [n for n, fault in OF_VALUES.items() if not reports(tables[name], fault)] == []


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # those of pyspark
def test_spark_finds_every_fault_of_rows_and_types(catalogs: Catalogs) -> None:
    others = [
        name
        for name, fault in FAULTS.items()
        if name not in OF_VALUES and fault.kind in {"row", "rows", "type"}
    ]
    sides = [catalogs.with_tables_of(fault) for fault in others]
    options = (part for fault in others for part in ("--table", f"faults.{fault}"))
    tables = results(*sides[0], *options, "--engine", "spark", "--master", "local[2]", *ALL)[1]

    assert [n for n in others if not reports(tables[f"faults.{n}"], FAULTS[n])] == []


@pytest.mark.parametrize("fault", some(FAULTS, 15))
def test_fault_is_found_with_column_and_row(fault: str, catalogs: Catalogs) -> None:
    table = catalogs.comparison_of(fault)

    assert reports(table, FAULTS[fault]), table


@pytest.mark.parametrize(
    "fault",
    some(
        [
            name
            for name, fault in FAULTS.items()
            if ", column " in fault.what and fault.kind == "row"
        ],
        20,
    ),
)
def test_changed_row_is_the_only_one_shown(fault: str, catalogs: Catalogs) -> None:
    ids = {
        each["what"].partition(",")[0]
        for each in catalogs.comparison_of(fault)["differences"]
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
    } in catalogs.comparison_of("a-cent-more")["differences"]


def test_partition_of_a_changed_row_is_named(catalogs: Catalogs) -> None:
    assert any(
        each["what"].startswith("partition day(at)=2026-01-02/region=r%2F1, column price")
        for each in catalogs.comparison_of("a-cent-more")["differences"]
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
