"""Values of cells: which differ, where within a nested one, and how both are shown."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.data.compare.duckdb_engine import DuckDb
from lakepact.data.compare.model import DELTA, Compared, Layout, PinnedTable
from lakepact.data.compare.positions import positional, with_positions
from lakepact.data.compare.tables import Choices
from lakepact.data.compare.tables import compare as compared
from lakepact.data.compare.values import visible


def pin(table: pa.Table) -> PinnedTable:
    batches = table.to_batches
    return PinnedTable(
        "t", "", Layout(DELTA, ()), table.schema, lambda: iter(batches()), lambda session: session
    )


def compare(a: pa.Table, b: pa.Table, *key: str) -> Compared:
    with DuckDb("500MB") as engine:
        return compared(engine, pin(a), pin(b), Choices({"": key} if key else {}))


def cell(kind: pa.DataType, a: Any, b: Any) -> list[tuple[str, str | None, str | None]]:
    """Return the differences between two values of a column `v` in the row with id 1."""
    tables = [
        pa.table({"id": pa.array([1, 2]), "v": pa.array([value, None], kind)}) for value in (a, b)
    ]
    rows = [each for each in compare(*tables, "id").differences if each.kind == "row"]
    return [(each.what.removeprefix("id=1, column "), each.a, each.b) for each in rows]


PLACE = pa.struct(
    [("floor", pa.int16()), ("name", pa.string()), ("inner", pa.struct([("bin", pa.binary())]))]
)
SOUND = {"floor": 1, "name": "x", "inner": {"bin": b"a"}}


@pytest.mark.parametrize(
    ("kind", "a", "b", "difference"),
    [
        (pa.string(), None, "null", ("v", "null", '"null"')),
        (pa.string(), "a", "a ", ("v", '"a"', '"a "')),
        (pa.string(), "\u00e9", "e\u0301", ("v", '"é"', '"e\\u0301"')),
        (pa.string(), "a\u00a0b", "a b", ("v", '"a\\u00a0b"', '"a b"')),
        (pa.string(), "", None, ("v", '""', "null")),
        (PLACE, SOUND, SOUND | {"inner": {"bin": None}}, ("v.inner.bin", "a", "null")),
        (PLACE, SOUND, SOUND | {"floor": 2}, ("v.floor", "1", "2")),
        (PLACE, None, SOUND, ("v", "null", '{floor: 1, name: "x", inner: {bin: a}}')),
        (pa.list_(pa.int64()), [1, 2, 3], [1, 5, 3], ("v[1]", "2", "5")),
        (pa.list_(pa.int64()), [1, 2], [1, 2, 3], ("v[2]", "missing", "3")),
        (pa.map_(pa.string(), pa.int64()), [("k", 1)], [("k", None)], ('v["k"]', "1", "null")),
        (pa.map_(pa.string(), pa.int64()), [("k", 1)], [], ('v["k"]', "1", "missing")),
        (
            pa.list_(pa.timestamp("us")),
            [dt.datetime(2020, 1, 1, microsecond=1)],  # noqa: DTZ001 - of a type without zone
            [dt.datetime(2020, 1, 1, microsecond=2)],  # noqa: DTZ001 - of a type without zone
            ("v[0]", "2020-01-01 00:00:00.000001", "2020-01-01 00:00:00.000002"),
        ),
    ],
)
def test_difference_within_a_cell_has_its_path_and_both_values(
    kind: pa.DataType, a: Any, b: Any, difference: tuple[str, str, str]
) -> None:
    assert cell(kind, a, b) == [difference]


def test_long_values_are_shown_around_the_first_difference() -> None:
    ((_, a, b),) = cell(pa.string(), "x" * 5000 + "a" + "y" * 500, "x" * 5000 + "b" + "y" * 500)

    assert a
    assert b
    assert ("xa" in a, "xb" in b, "(5,503 characters)" in a) == (True, True, True)
    assert len(a) < 200


@given(st.text())
def test_texts_are_shown_alike_only_if_they_are_the_same(text: str) -> None:
    assert eval(visible(text)) == text


def test_columns_that_differ_by_case_alone_are_compared() -> None:
    a = pa.table({"id": [1, 2], "ID": [3, 4], "v": [{"m": 1, "M": 2}, None]})
    b = pa.table({"id": [1, 2], "ID": [3, 5], "v": [{"m": 1, "M": 3}, None]})

    assert {each.column for each in compare(a, b, "id").differences if each.kind == "row"} == {
        "ID",
        "v.M",
    }


def test_members_of_structs_in_another_order_are_no_difference() -> None:
    a = pa.table({"v": [{"m": 1, "n": "x"}]})
    b = pa.table(
        {"v": pa.array([{"n": "x", "m": 1}], pa.struct([("n", pa.string()), ("m", pa.int64())]))}
    )

    assert compare(a, b).differences == ()


def test_changed_row_without_a_key_is_found_by_a_unique_column() -> None:
    a = pa.table({"number": list(range(100)), "word": ["x"] * 100})
    b = pa.table({"number": list(range(100)), "word": ["x"] * 7 + ["y"] + ["x"] * 92})

    rows = [each for each in compare(a, b).differences if each.kind == "row"]
    assert [(each.row, each.column, each.a, each.b) for each in rows] == [
        ("number=7", "word", '"x"', '"y"')
    ]


def test_changed_row_without_unique_columns_is_found_by_the_nearest_row() -> None:
    rows = {"one": ["a", "b"] * 50, "two": [1.0] * 100, "three": ["c"] * 100, "four": ["d"] * 100}
    other = rows | {"two": [*rows["two"][:-1], 2.5]}

    row_differences = [
        each for each in compare(pa.table(rows), pa.table(other)).differences if each.kind == "row"
    ]
    assert [(each.column, each.a, each.b) for each in row_differences] == [("two", "1.0", "2.5")]


NESTED = pa.struct(
    [("a", pa.list_(pa.struct([("b", pa.map_(pa.string(), pa.struct([("c", pa.int8())])))])))]
)
VALUES = st.none() | st.fixed_dictionaries(
    {
        "a": st.none()
        | st.lists(
            st.none()
            | st.fixed_dictionaries(
                {
                    "b": st.none()
                    | st.lists(
                        st.tuples(
                            st.text(max_size=1),
                            st.none() | st.fixed_dictionaries({"c": st.none() | st.integers(0, 9)}),
                        ),
                        max_size=2,
                    )
                }
            ),
            max_size=2,
        )
    }
)


@given(st.lists(VALUES, max_size=5), st.integers(0, 3), st.integers(0, 5))
def test_positions_keep_every_nested_value(values: list[Any], start: int, count: int) -> None:
    batch = pa.record_batch({"v": pa.array(values, NESTED)}).slice(start, count)
    by_position = with_positions(batch)
    by_position.validate(full=True)

    assert by_position.schema == positional(batch.schema)
    assert str(by_position.column(0).to_pylist()) == str(batch.column(0).to_pylist()).replace(
        "{'a':", "{'m0':"
    ).replace("{'b':", "{'m0':").replace("{'c':", "{'m0':")
