"""Filters of Spark become predicates that keep every row that Spark keeps."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

pytest.importorskip("pyspark", reason="pyspark is installed with the extra `spark`")

from pyspark.sql import types as t
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    Not,
    StringContains,
    StringStartsWith,
)

from lakepact.client import column
from lakepact.spark.filters import predicate_of

SCHEMA = t.StructType(
    [
        t.StructField("i", t.IntegerType()),
        t.StructField("s", t.StringType()),
        t.StructField("f", t.DoubleType()),
        t.StructField("d", t.DateType()),
        t.StructField("z", t.TimestampType()),
        t.StructField("n", t.TimestampNTZType()),
        t.StructField("m", t.DecimalType(9, 2)),
        t.StructField("a.b", t.IntegerType()),
        t.StructField("o", t.StructType([t.StructField("i", t.IntegerType())])),
    ]
)
NOW = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
NAIVE = NOW.replace(tzinfo=None)
TAKEN = {
    EqualTo(("i",), 1): column("i") == 1,
    GreaterThan(("d",), NOW.date()): column("d") > NOW.date(),
    LessThan(("z",), NOW): column("z") < NOW,
    LessThan(("n",), NAIVE): column("n") < NAIVE,
    EqualTo(("m",), Decimal("1.5")): column("m") == Decimal("1.5"),
    In(("i",), (1, 2)): column("i").is_in([1, 2]),
    Not(In(("i",), (1, 2))): ~column("i").is_in([1, 2]),
    EqualNullSafe(("i",), None): column("i").is_null(),
    EqualNullSafe(("i",), 1): column("i") == 1,
    IsNull(("f",)): column("f").is_null(),
    Not(IsNull(("f",))): ~column("f").is_null(),
    IsNotNull(("s",)): column("s").is_not_null(),
    StringStartsWith(("s",), "ab"): (column("s") >= "ab") & (column("s") < "ac"),
    StringStartsWith(("s",), "a\ud7ff"): (column("s") >= "a\ud7ff") & (column("s") < "a\ue000"),
    StringStartsWith(("s",), "\U0010ffff"): column("s") >= "\U0010ffff",
    LessThan(("f",), 1.5): column("f") < 1.5,
    EqualTo(("f",), 1.5): column("f") == 1.5,
}
LEFT = [
    GreaterThan(("f",), 1.5),  # NaN is greater in Spark
    Not(LessThan(("f",), 1.5)),
    Not(EqualTo(("f",), 1.5)),
    EqualTo(("f",), float("nan")),
    Not(EqualNullSafe(("i",), 1)),  # true for null
    Not(In(("i",), (1, None))),
    In(("i",), tuple(range(2000))),
    EqualTo(("i",), "1"),
    EqualTo(("d",), NOW),
    EqualTo(("z",), NAIVE),
    EqualTo(("o", "i"), 1),
    EqualTo(("a.b",), 1),
    EqualTo(("missing",), 1),
    StringContains(("s",), "a"),
    StringStartsWith(("s",), ""),
]


@pytest.mark.parametrize(("given", "predicate"), TAKEN.items(), ids=lambda value: type(value).__name__)
def test_filter_becomes_a_predicate(given, predicate):
    assert repr(predicate_of([given], SCHEMA)) == repr(predicate)


@pytest.mark.parametrize("given", LEFT, ids=repr)
def test_filter_that_differs_from_predicates_is_left_to_spark(given):
    assert predicate_of([given], SCHEMA) is None


def test_filters_are_joined_by_and():
    joined = predicate_of([EqualTo(("i",), 1), StringContains(("s",), "a"), IsNull(("s",))], SCHEMA)

    assert repr(joined) == repr((column("i") == 1) & column("s").is_null())
