"""Digests of tables add up, ignore the order of rows and change with every row."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.conformance.data.digests import Digest, Figures, digest, figures
from lakepact.conformance.data.shapes import SHAPES, Shape
from lakepact.conformance.data.truth import Version, WrittenTable

every_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=lambda shape: shape.name)


@every_shape
def test_digest_of_a_table_is_the_sum_of_its_parts(shape: Shape) -> None:
    assert digest(shape.batches(0, 300)) == digest([shape.batch(0, 7)]) + digest([shape.batch(7, 293)])
    assert digest(shape.batches(0, 300)) - digest([shape.batch(0, 7)]) == digest([shape.batch(7, 293)])


@every_shape
def test_digest_ignores_the_order_of_rows(shape: Shape) -> None:
    assert digest([shape.rows(np.arange(99, -1, -1))]) == digest([shape.batch(0, 100)])


@every_shape
def test_duplicated_row_changes_the_digest(shape: Shape) -> None:
    numbers = np.arange(100)
    numbers[50] = 51

    assert digest([shape.rows(numbers)]) != digest([shape.batch(0, 100)])


@every_shape
def test_null_in_any_column_changes_the_digest(shape: Shape) -> None:
    table = pa.Table.from_batches([shape.batch(0, 50)])
    seen = []
    for place, field in enumerate(table.schema):
        values = table.column(place).to_pylist()
        at = next((n for n, value in enumerate(values) if value is not None), None)
        if at is None:
            continue
        values[at] = None
        changed = table.set_column(place, field.with_nullable(True), pa.array(values, field.type))
        seen.append(digest([changed]) != digest([table]))

    assert seen == [True] * len(seen)
    assert seen


@given(st.lists(st.none() | st.text(max_size=5), min_size=1, max_size=20), st.data())
def test_digests_are_equal_exactly_for_equal_rows(values: list[str | None], data: st.DataObject) -> None:
    others = data.draw(st.permutations(values))
    one, other = pa.table({"a": values, "b": others}), pa.table({"a": others, "b": values})
    rows = [Counter(zip(*table.to_pydict().values(), strict=True)) for table in (one, other)]

    assert (digest([one]) == digest([other])) == (rows[0] == rows[1])


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (pa.int32(), pa.int64()),
        (pa.int16(), pa.int64()),
        (pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC")),
        (pa.date32(), pa.date64()),
    ],
    ids=str,
)
def test_digest_ignores_the_width_of_a_type(narrow: pa.DataType, wide: pa.DataType) -> None:
    values = pa.array([None, 0, 1, 19_000], pa.int32() if pa.types.is_date(narrow) else pa.int64()).cast(narrow)

    assert digest([pa.table({"a": values})]) == digest([pa.table({"a": values.cast(wide)})])


@pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_digest_ignores_the_representation_of_strings(kind: pa.DataType) -> None:
    values = pa.array(["a", None, "ä🧊", ""])

    assert digest([pa.table({"a": values})]) == digest([pa.table({"a": values.cast(kind)})])


def test_figures_cover_all_batches() -> None:
    shape = SHAPES["types"]
    found = figures([shape.batch(0, 60), shape.batch(60, 40)])

    assert found["id"] == Figures(0, 0, 99)
    assert found["nothing"] == Figures(100, None, None)
    assert found["instant"].least == dt.datetime(2023, 11, 14, 22, 13, 20, tzinfo=dt.UTC)
    assert found == figures([shape.batch(0, 100)])


def test_inserted_and_deleted_rows_lie_between_two_versions() -> None:
    table = WrittenTable("narrow", "narrow", "delta", 1, (Version(0, 100), Version(0, 110), Version(5, 110)))

    assert (table.inserted(1), table.deleted(2)) == (Version(100, 110), Version(0, 5))
    assert table.digests[2] == table.digests[1] - table.deleted(2).digest(table.columns)
    assert table.inserted(2).digest(table.columns) == Digest()
