"""Filters of Spark become predicates that keep every row that Spark keeps."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

pytest.importorskip("pyspark", reason="pyspark is installed with the extra `spark`")

from pyspark.sql import datasource
from pyspark.sql import types as t

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
    datasource.EqualTo(("i",), 1): column("i") == 1,
    datasource.GreaterThan(("d",), NOW.date()): column("d") > NOW.date(),
    datasource.LessThan(("z",), NOW): column("z") < NOW,
    datasource.LessThan(("n",), NAIVE): column("n") < NAIVE,
    datasource.EqualTo(("m",), Decimal("1.5")): column("m") == Decimal("1.5"),
    datasource.In(("i",), (1, 2)): column("i").is_in([1, 2]),
    datasource.Not(datasource.In(("i",), (1, 2))): ~column("i").is_in([1, 2]),
    datasource.EqualNullSafe(("i",), None): column("i").is_null(),
    datasource.EqualNullSafe(("i",), 1): column("i") == 1,
    datasource.IsNull(("f",)): column("f").is_null(),
    datasource.Not(datasource.IsNull(("f",))): ~column("f").is_null(),
    datasource.IsNotNull(("s",)): column("s").is_not_null(),
    datasource.StringStartsWith(("s",), "ab"): (column("s") >= "ab") & (column("s") < "ac"),
    datasource.StringStartsWith(("s",), "a\ud7ff"): (column("s") >= "a\ud7ff")
    & (column("s") < "a\ue000"),
    datasource.StringStartsWith(("s",), "\U0010ffff"): column("s") >= "\U0010ffff",
    datasource.LessThan(("f",), 1.5): column("f") < 1.5,
    datasource.EqualTo(("f",), 1.5): column("f") == 1.5,
}
LEFT = [
    datasource.GreaterThan(("f",), 1.5),  # NaN is greater in Spark
    datasource.Not(datasource.LessThan(("f",), 1.5)),
    datasource.Not(datasource.EqualTo(("f",), 1.5)),
    datasource.EqualTo(("f",), float("nan")),
    datasource.Not(datasource.EqualNullSafe(("i",), 1)),  # true for null
    datasource.Not(datasource.In(("i",), (1, None))),
    datasource.In(("i",), tuple(range(2000))),
    datasource.EqualTo(("i",), "1"),
    datasource.EqualTo(("d",), NOW),
    datasource.EqualTo(("z",), NAIVE),
    datasource.EqualTo(("o", "i"), 1),
    datasource.EqualTo(("a.b",), 1),
    datasource.EqualTo(("missing",), 1),
    datasource.StringContains(("s",), "a"),
    datasource.StringStartsWith(("s",), ""),
]


@pytest.mark.parametrize(
    ("given", "predicate"), TAKEN.items(), ids=lambda value: type(value).__name__
)
def test_filter_becomes_a_predicate(given, predicate):
    assert repr(predicate_of([given], SCHEMA)) == repr(predicate)


@pytest.mark.parametrize("given", LEFT, ids=repr)
def test_filter_that_differs_from_predicates_is_left_to_spark(given):
    assert predicate_of([given], SCHEMA) is None


def test_filters_are_joined_by_and():
    joined = predicate_of(
        [
            datasource.EqualTo(("i",), 1),
            datasource.StringContains(("s",), "a"),
            datasource.IsNull(("s",)),
        ],
        SCHEMA,
    )

    assert repr(joined) == repr((column("i") == 1) & column("s").is_null())
