"""Rows are compared with those that were written, by value and by kind of type, whatever their order."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.data.figures import Figures, figures
from lakepact.data.row_differences import differences, differing
from lakepact.data.shapes import SHAPES, Column, Shape
from lakepact.data.truth import Version, WrittenTable

every_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=lambda shape: shape.name)
ROWS = Version(0, 100)


def found(shape: Shape, *batches: object) -> list[tuple[str, int | None, str, str]]:
    return [
        (one.column, one.row, one.expected, one.actual) for one in differences(shape, ROWS, batches)
    ]


@every_shape
def test_rows_in_any_order_and_parts_do_not_differ(shape: Shape) -> None:
    backwards = np.arange(99, -1, -1)

    assert not found(shape, shape.rows(backwards[:7]), shape.rows(backwards[7:]))


@every_shape
def test_repeated_row_and_lost_row_are_found(shape: Shape) -> None:
    twice = np.where(np.arange(100) == 50, 51, np.arange(100))

    assert found(shape, shape.rows(twice)) == [("id", 50, "1 row", "0 rows")]
    assert found(shape, shape.batch(0, 100), shape.batch(7, 1)) == [("id", 7, "1 row", "2 rows")]
    assert found(shape, shape.batch(0, 101)) == [("id", 100, "no row", "a row")]


@every_shape
def test_null_in_any_column_is_found_in_its_row(shape: Shape) -> None:
    table = pa.Table.from_batches([shape.batch(0, 100)])
    looked = 0
    for place, field in enumerate(table.schema):
        values = table.column(place).to_pylist()
        at = next((n for n, value in enumerate(values) if value is not None), None)
        if not place or at is None:
            continue
        values[at] = None
        changed = table.set_column(place, field.with_nullable(True), pa.array(values, field.type))
        looked += [(column, row, actual) for column, row, _, actual in found(shape, changed)] == [
            (field.name, at, "null")
        ]

    assert looked == sum(1 for column in shape.columns if column.nulls != 1)


@given(st.lists(st.none() | st.text(max_size=5), min_size=1, max_size=20), st.data())
def test_values_differ_exactly_where_they_are_not_equal(
    values: list[str | None], data: st.DataObject
) -> None:
    others = data.draw(st.permutations(values))

    assert differing(pa.array(values, pa.string()), pa.array(others, pa.string())).tolist() == [
        one != other for one, other in zip(values, others, strict=True)
    ]


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (pa.int32(), pa.int64()),
        (pa.int16(), pa.int64()),
        (pa.timestamp("ms", "UTC"), pa.timestamp("us", "+00:00")),
        (pa.date32(), pa.date64()),
    ],
    ids=str,
)
def test_values_of_another_width_do_not_differ(narrow: pa.DataType, wide: pa.DataType) -> None:
    values = pa.array(
        [None, 0, 1, 19_000], pa.int32() if pa.types.is_date(narrow) else pa.int64()
    ).cast(narrow)

    assert not differing(values, values.cast(wide)).any()


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str
)
def test_texts_in_another_representation_do_not_differ(kind: pa.DataType) -> None:
    values = pa.array(["a", None, "ä🧊", ""])

    assert not differing(values, values.cast(kind)).any()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array([19_000], pa.date32()), pa.array([19_000], pa.int32())),
        (pa.array([19_000], pa.timestamp("us")), pa.array([19_000], pa.int64())),
        (pa.array([19_000], pa.timestamp("us")), pa.array([19_000], pa.timestamp("us", "UTC"))),
        (pa.array(["a"]), pa.array([b"a"])),
        (pa.array([1], pa.int64()), pa.array([True])),
        (pa.array([None], pa.int64()), pa.array([None], pa.string())),
        (pa.array([[]], pa.list_(pa.int64())), pa.array([[]], pa.list_(pa.string()))),
    ],
    ids=lambda array: str(array.type),
)
def test_values_of_another_kind_of_type_differ(one: pa.Array, other: pa.Array) -> None:
    assert differing(one, other).all()


def test_entries_of_a_map_in_another_order_do_not_differ() -> None:
    kind = pa.map_(pa.string(), pa.int64())

    assert not differing(
        pa.array([[("a", 1), ("b", 2)]], kind), pa.array([[("b", 2), ("a", 1)]], kind)
    ).any()
    assert differing(pa.array([[1, 2]]), pa.array([[2, 1]])).all()


def test_nulls_of_another_kind_of_type_are_shown_with_their_types() -> None:
    table = pa.Table.from_batches([SHAPES["types"].batch(0, 100)])
    place = table.schema.get_field_index("nothing")

    assert found(
        SHAPES["types"], table.set_column(place, "nothing", pa.nulls(100, pa.int64()))
    ) == [("nothing", 0, "null (string)", "null (int64)")]


def test_long_values_are_shown_where_they_differ() -> None:
    long = Shape(
        "long",
        "",
        (Column("text", pa.string(), lambda numbers: pa.array(["x" * 1000 + "a"] * len(numbers))),),
    )
    table = pa.Table.from_batches([long.batch(0, 100)])
    ((column, row, meant, actual),) = found(
        long, table.set_column(1, "text", pa.array(["x" * 1000 + "b"] * 100))
    )

    assert (column, row, meant[-2:], actual[-2:]) == ("text", 0, 'a"', 'b"')
    assert len(meant) < 100


def test_table_without_id_is_found() -> None:
    assert [one[:2] for one in found(SHAPES["narrow"], pa.table({"amount": [1.0]}))] == [
        ("id", None)
    ]


def test_figures_cover_all_batches() -> None:
    shape = SHAPES["types"]
    read = figures([shape.batch(0, 60), shape.batch(60, 40)])

    assert read["id"] == Figures(0, 0, 99)
    assert read["nothing"] == Figures(100, None, None)
    assert read["instant"].least == dt.datetime(2023, 11, 14, 22, 13, 20, tzinfo=dt.UTC)
    assert read == figures([shape.batch(0, 100)])


def test_inserted_and_deleted_rows_lie_between_two_versions() -> None:
    table = WrittenTable(
        "narrow",
        "narrow",
        "delta",
        1,
        (Version(0, 100), Version(0, 110), Version(5, 110)),
        (0, 1, 2),
    )

    assert (table.inserted(1), table.deleted(2)) == (Version(100, 110), Version(0, 5))
    assert table.inserted(2).count == 0


def test_added_column_is_null_in_rows_of_the_first_version() -> None:
    table = WrittenTable("evolved", "evolved", "iceberg", 1, (ROWS, Version(0, 110)), (1, 2))
    amounts = table.shape_of(1).batch(0, 110).column("amount")

    assert (table.shape_of(0).schema.names, amounts[:100].null_count) == (
        ["id", "count", "text"],
        100,
    )
    assert amounts[101].is_valid
