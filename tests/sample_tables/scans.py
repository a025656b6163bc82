"""Tables of many kinds, filters over their columns, and the matching rows by pyarrow."""

from __future__ import annotations

import datetime as dt
import functools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from hypothesis import strategies as st
from pyiceberg import transforms
from pyiceberg.catalog import Catalog
from pyiceberg.table import Table
from pyiceberg.types import DecimalType, DoubleType, LongType

EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - of a column without a zone
TYPES: dict[str, pa.DataType] = {
    "i": pa.int64(),
    "n": pa.int32(),
    "s": pa.string(),
    "d": pa.date32(),
    "t": pa.timestamp("us"),
    "z": pa.timestamp("us", "UTC"),
    "f": pa.float64(),
    "g": pa.float32(),
    "m": pa.decimal128(9, 2),
    "b": pa.bool_(),
    "y": pa.binary(),
    "w": pa.float32(),
    "q": pa.decimal128(9, 2),
}
WIDENED: dict[str, pa.DataType] = {
    "n": pa.int64(),
    "w": pa.float64(),
    "q": pa.decimal128(30, 2),
}  #: types of columns in later files
#: Values of each type for both rows and filters; few, so that filters match.
VALUES: dict[str, list[Any]] = {
    "i": [-(2**40), -17, -1, 0, 1, 9, 10, 11, 2**40],
    "n": [-17, -1, 0, 1, 9, 10, 11, 2**31 - 1],
    "s": ["", "a", "ab", "abc", "abd", "b", "ä", "日本語", "\U0001f600x", "zzzzzzzzzzzzzzzzzzzzzz"],
    "d": [
        dt.date(1969, 12, 31),
        dt.date(1970, 1, 1),
        dt.date(2020, 2, 29),
        dt.date(2020, 3, 1),
        dt.date(2021, 1, 1),
    ],
    "t": [
        EPOCH + dt.timedelta(hours=h, microseconds=u)
        for h, u in [(-30, 1), (-1, 0), (0, -1), (0, 0), (23, 5), (24, 0), (450_000, 7)]
    ],
    "f": [-math.inf, -1.5, -0.0, 0.0, 0.1, 1.5, 1e300, math.inf, math.nan],
    "g": [-1.5, 0.0, 0.10000000149011612, 1.5, 3.4e38, math.nan],
    "m": [
        Decimal(text)
        for text in ("-1.00", "-0.01", "0.00", "0.01", "9.99", "10.00", "10.01", "1234567.89")
    ],
    "b": [True, False],
    "y": [b"", b"\x00", b"ab", b"abc", b"\xff", b"\xff\xff"],
}
VALUES["w"], VALUES["q"] = [*VALUES["g"], -0.0, 3.4000000953674316], VALUES["m"]
VALUES["z"] = [value.replace(tzinfo=dt.UTC) for value in VALUES["t"]]

SPECS: list[list[tuple[str, Any]]] = [
    [],
    [("s", transforms.IdentityTransform()), ("i", transforms.BucketTransform(3))],
    [("t", transforms.DayTransform()), ("s", transforms.TruncateTransform(2))],
    [("z", transforms.HourTransform()), ("n", transforms.TruncateTransform(5))],
    [("d", transforms.MonthTransform()), ("m", transforms.TruncateTransform(50))],
    [("d", transforms.YearTransform()), ("s", transforms.BucketTransform(2))],
    [("f", transforms.IdentityTransform()), ("b", transforms.IdentityTransform())],
    [("m", transforms.BucketTransform(3)), ("y", transforms.TruncateTransform(1))],
    [
        ("t", transforms.MonthTransform()),
        ("z", transforms.BucketTransform(3)),
        ("d", transforms.DayTransform()),
    ],
    [("q", transforms.TruncateTransform(50)), ("n", transforms.IdentityTransform())],
]


def rows(seed: int, count: int) -> pa.Table:
    """Return rows of few values and nulls, in runs of equal values, so that files have narrow
    bounds.
    """
    chance = random.Random(seed)
    columns = {}
    for name, kind in TYPES.items():
        pool = chance.sample(VALUES[name], chance.randint(1, len(VALUES[name])))
        nulls = chance.choice([0.0, 0.3, 1.0]) if chance.random() < 0.7 else 0.0
        columns[name] = pa.array(
            [None if chance.random() < nulls else chance.choice(pool) for _ in range(count)], kind
        )
    return pa.table(columns)


def table_of_kind(catalog: Catalog, number: int) -> Table:
    """Return an evolved table: with two partition specs, and renamed, widened and added columns."""
    version = 1 if number % 3 == 0 else 2
    parts = SPECS[number % len(SPECS)]
    table = catalog.create_table(
        f"scans.t{number}", schema=rows(0, 1).schema, properties={"format-version": str(version)}
    )
    with table.update_spec() as update:
        for column, transform in parts:
            update.add_field(column, transform, f"p_{column}")
    for step in range(3):
        table.append(rows(number * 100 + step, 6))
    with table.update_schema() as change:
        change.rename_column("i", "i2")
        change.update_column("n", LongType())
        change.update_column("w", DoubleType())
        change.update_column("q", DecimalType(30, 2))
        change.add_column("new", LongType())
    if parts:
        with table.update_spec() as update:
            update.remove_field(f"p_{parts[0][0]}")
            update.add_field("new", transforms.IdentityTransform(), "p_new")
    later = rows(number * 100 + 9, 8).rename_columns(
        ["i2" if name == "i" else name for name in TYPES]
    )
    for name, kind in WIDENED.items():
        later = later.set_column(later.schema.get_field_index(name), name, later[name].cast(kind))
    later = later.append_column("new", pa.array([1, 2, None, 4] * 2, pa.int64()))
    table.append(later)
    return table


@dataclass(frozen=True)
class DataFile:
    path: str
    rows: pa.Table  #: under the names and types of the table's schema


def data_files(table: Table) -> list[DataFile]:
    """Return every data file of the current snapshot, read by pyarrow by column ids only."""
    found = []
    for task in table.scan().plan_files():
        held = pq.ParquetFile(task.file.file_path.removeprefix("file://")).read()
        ids = {int(field.metadata[b"PARQUET:field_id"]): field.name for field in held.schema}
        columns = {}
        for field in table.schema().as_arrow():
            number = int(field.metadata[b"PARQUET:field_id"])
            kind = (
                field.type
                if not pa.types.is_large_string(field.type)
                and not pa.types.is_large_binary(field.type)
                else None
            )
            column = (
                held[ids[number]] if number in ids else pa.nulls(held.num_rows, kind or pa.string())
            )
            columns[field.name] = column.cast(kind) if kind else column
        found.append(DataFile(task.file.file_path, pa.table(columns)))
    return found


# -- filters ---------------------------------------------------------------------------------------


def as_json(value: Any) -> Any:
    """Return a value as in a filter."""
    if isinstance(value, dt.datetime):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    return value.hex().upper() if isinstance(value, bytes) else value


KINDS = {"i": "i2"}  #: the names of columns as they are after the table grew
_NUMBERS = ("lt", "lt-eq", "gt", "gt-eq", "eq", "not-eq")


def _leaf(name: str) -> st.SearchStrategy[dict[str, Any]]:
    column = KINDS.get(name, name)
    finite = [
        v
        for v in VALUES.get(name, [1, 2, 3])
        if not (isinstance(v, float) and not math.isfinite(v))
    ]
    value = st.sampled_from(finite).map(as_json)
    options = [
        st.builds(
            lambda kind, v: {"type": kind, "term": column, "value": v},
            st.sampled_from(_NUMBERS),
            value,
        ),
        st.builds(
            lambda kind, vs: {"type": kind, "term": column, "values": vs},
            st.sampled_from(("in", "not-in")),
            st.lists(value, max_size=3),
        ),
        st.builds(
            lambda kind: {"type": kind, "term": column}, st.sampled_from(("is-null", "not-null"))
        ),
    ]
    if name in {"f", "g", "w"}:
        options.append(
            st.builds(
                lambda kind: {"type": kind, "term": column}, st.sampled_from(("is-nan", "not-nan"))
            )
        )
    if name == "s":
        options.append(
            st.builds(
                lambda kind, v: {"type": kind, "term": column, "value": v},
                st.sampled_from(("starts-with", "not-starts-with")),
                value,
            )
        )
    return st.one_of(options)


LEAVES = st.sampled_from([*TYPES, "new"]).flatmap(_leaf) | st.sampled_from(
    [True, False, {"type": "true"}, {"type": "false"}]
)
FILTERS: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(
            lambda kind, a, b: {"type": kind, "left": a, "right": b},
            st.sampled_from(("and", "or")),
            inner,
            inner,
        )
        | st.builds(lambda a: {"type": "not", "child": a}, inner)
    ),
    max_leaves=5,
)


def matching(held: pa.Table, document: Any) -> list[bool]:
    """Return the mask of matching rows, with SQL's logic of nulls."""
    return [value is True for value in _evaluated(held, document).to_pylist()]


def _evaluated(held: pa.Table, document: Any) -> pa.Array:
    kind = document["type"] if isinstance(document, dict) else str(document).lower()
    if kind in {"true", "false"}:
        return pa.array([kind == "true"] * held.num_rows, pa.bool_())
    if kind in {"and", "or"}:
        join = pc.and_kleene if kind == "and" else pc.or_kleene
        return join(_evaluated(held, document["left"]), _evaluated(held, document["right"]))
    if kind == "not":
        return pc.invert(_evaluated(held, document["child"]))
    column = held[document["term"]].combine_chunks()
    if kind in {"is-null", "not-null"}:
        return pc.is_null(column) if kind == "is-null" else pc.is_valid(column)
    if kind in {"is-nan", "not-nan"}:
        return pc.is_nan(column) if kind == "is-nan" else pc.invert(pc.is_nan(column))
    if kind.endswith("starts-with"):
        found = pc.starts_with(column, document["value"])
        return pc.invert(found) if kind.startswith("not") else found
    if kind in {"in", "not-in"}:
        none = pa.array([False] * len(column), pa.bool_())  # null is in no empty set either
        any_ = functools.reduce(
            pc.or_kleene, (_compared(pc.equal, column, v) for v in document["values"]), none
        )
        return pc.invert(any_) if kind == "not-in" else any_
    return _compared(_COMPARE[kind], column, document["value"])


_COMPARE: dict[str, Callable[..., pa.Array]] = {
    "lt": pc.less,
    "lt-eq": pc.less_equal,
    "gt": pc.greater,
    "gt-eq": pc.greater_equal,
    "eq": pc.equal,
    "not-eq": pc.not_equal,
}


def _compared(compare: Callable[..., pa.Array], column: pa.Array, value: Any) -> pa.Array:
    kind = column.type
    if pa.types.is_floating(kind):
        return compare(column.cast(pa.float64()), pa.scalar(float(value), pa.float64()))
    if pa.types.is_timestamp(kind):
        return compare(column, pa.scalar(dt.datetime.fromisoformat(value), kind))
    if pa.types.is_date(kind):
        return compare(column, pa.scalar(dt.date.fromisoformat(value), kind))
    if pa.types.is_decimal(kind):
        return compare(column, pa.scalar(Decimal(value), kind))
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return compare(column, pa.scalar(bytes.fromhex(value), kind))
    return compare(column, pa.scalar(value, kind))
