"""Hints on imprecise statistics and partition values."""

from __future__ import annotations

import json

import pytest

from lakepact.reference_server.delta_sharing.hints import select
from sample_tables.shared_snapshots import file, snapshot, struct


def stats(low=None, high=None, *, nulls=0, records=2, name="x"):
    document = {
        "numRecords": records,
        "nullCount": {name: nulls},
        "minValues": {name: low},
        "maxValues": {name: high},
    }
    return file(stats=json.dumps(document))


def kept(type_, found, hint, **more):
    return select(snapshot({"x": type_}, found, **more), predicate_hints=[hint]) is None


def compare(name, value, type_):
    column, literal = (
        {"op": "column", "name": "x", "valueType": type_},
        {"op": "literal", "value": value, "valueType": type_},
    )
    return {"op": name, "children": [column, literal]}


@pytest.mark.parametrize(
    ("type_", "low", "high", "hint", "may_match"),
    [
        # cut to milliseconds
        (
            "timestamp",
            "2021-04-28T23:33:48.719Z",
            "2021-04-28T23:33:48.719Z",
            "x > '2021-04-28T23:33:48.719500Z'",
            True,
        ),
        (
            "timestamp",
            "1969-04-28T23:33:48.719Z",
            "1969-04-28T23:33:48.719Z",
            "x < '1969-04-28T23:33:48.718500Z'",
            True,
        ),
        (
            "timestamp",
            "2021-04-28T23:33:48.719Z",
            "2021-04-28T23:33:48.719Z",
            "x > '2021-04-28T23:33:48.720001Z'",
            False,
        ),
        (
            "timestamp",
            "2021-04-28T23:33:48.719+02:00",
            "2021-04-28T23:33:48.719+02:00",
            "x < '2021-04-28T22:00:00Z'",
            True,
        ),
        (
            "timestamp_ntz",
            "2021-04-28T23:33:48.719",
            "2021-04-28T23:33:48.719",
            "x > '2021-04-28 23:33:48.7195'",
            True,
        ),
        (
            "timestamp_ntz",
            "2021-04-28T23:33:48.719",
            "2021-04-28T23:33:48.719Z",
            "x > '2021-04-29 23:33:48'",
            False,
        ),
        # the offset of Amsterdam before 1937 is +00:19:32, and writers cut its seconds
        (
            "timestamp",
            "1900-01-01T00:00:00.000+00:19",
            "1900-01-01T00:00:00.000+00:19",
            "x = '1899-12-31T23:40:28Z'",
            True,
        ),
        (
            "timestamp",
            "1900-01-01T00:00:00.000-00:44",
            "1900-01-01T00:00:00.000-00:44",
            "x = '1900-01-01T00:44:30Z'",
            True,
        ),
        (
            "timestamp",
            "2021-01-01T00:00:00.000+05:30",
            "2021-01-01T00:00:00.000+05:30",
            "x = '2020-12-31T18:30:28Z'",
            False,
        ),
        # somewhere
        (
            "timestamp",
            "2021-04-28T12:00:00Z",
            "2021-04-28T12:00:00Z",
            "x > '2021-04-28 13:00:00'",
            True,
        ),
        (
            "timestamp",
            "2021-04-28T12:00:00Z",
            "2021-04-28T12:00:00Z",
            "x > '2021-04-29 13:00:00'",
            False,
        ),
        # cut texts
        ("string", "a", "a" * 32, f"x = '{'a' * 40}'", True),
        ("string", "a", "a" * 32, f"x > '{'a' * 33}'", True),
        ("string", "a", "a" * 32, f"x > '{'a' * 31}b'", False),
        ("string", "b" * 32, "c", f"x = '{'b' * 31}'", False),
        ("string", "a", "😀\ufffd", "x = '😀😀'", True),
        ("string", "a", "ab", "x = 'b'", False),
        ("string", "a", "a", "x = 'A'", False),
        # numbers
        ("double", 1.0, 2.0, "x > 5", True),  # NaN is larger, and writers leave it out
        ("double", 1.0, 2.0, "x < 1", False),
        ("double", 1.0, 2.0, "x = 5", False),
        ("double", "NaN", "NaN", "x = 5", True),
        ("double", "-Infinity", 2.0, "x < -1e300", True),
        ("double", 0.0, 2.0, "x < 0", True),  # some writers mean -0.0
        ("float", 0.1, 0.1, "x > 0.1", True),
        ("float", 0.25, 0.3, "x < 0.2", False),
        ("long", 9007199254740993, 9007199254740993, "x = 9007199254740992", False),
        ("long", 9007199254740993, 9007199254740993, "x = 9007199254740992D", True),
        ("long", 9.007199254740993e18, 9.007199254740993e18, "x = 1", True),
        ("long", "5", "5", "x = 6", False),
        ("integer", 2**40, 2**41, "x = 5", True),  # no integer: damaged
        ("decimal(30,4)", 1e20, 1e20, "x = 100000000000000000001.5", True),
        (
            "decimal(38,0)",
            2**63 - 1,
            2**63 - 1,
            "x > 100000000000000000000",
            True,
        ),  # delta-rs writes no larger ones
        ("decimal(38,0)", -(2**63), 2**63 - 1, "x < -100000000000000000000", True),
        ("decimal(38,0)", 2**63 - 1025, 2**63 - 1025, "x > 100000000000000000000", False),
        ("decimal(10,2)", 1.1, 1.1, "x = 1.2", False),
        ("decimal(10,2)", "1.10", "1.10", "x > 1.1", True),
        ("boolean", False, False, "x", False),
        ("boolean", None, None, "x", True),
        ("date", "2021-04-28", "2021-04-28", "x > '2021-04-28'", False),
        ("date", "tomorrow", "2021-04-28", "x < '2021-04-28'", True),
        ("binary", "a", "a", "x = X'00'", True),
        ("long", None, 5, "x < 3", True),
        ("long", None, 5, "x > 5", False),
        ("long", True, True, "x = 5", True),
        ("long", {"a": 1}, [1], "x = 5", True),
    ],
)
def test_bounds_with_hazards_are_evaluated_safely(type_, low, high, hint, may_match):
    assert kept(type_, stats(low, high), hint) is may_match


@pytest.mark.parametrize(
    ("nulls", "records", "hint", "may_match"),
    [
        (0, 2, "x IS NULL", False),
        (1, 2, "x IS NULL", True),
        (None, 2, "x IS NULL", True),
        (2, 2, "x IS NOT NULL", False),
        (2, None, "x IS NOT NULL", True),
        (2, 2, "x = 5", False),
        (2, 2, "NOT (x = 5)", False),
        (1, 2, "NOT (x = 5)", False),
        (0, 0, "x IS NULL", True),
        (-1, 2, "x IS NULL", True),
        ("0", 2, "x IS NULL", True),
    ],
)
def test_null_counts_decide_null_predicates(nulls, records, hint, may_match):
    assert kept("long", stats(5, 5, nulls=nulls, records=records), hint) is may_match


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"minValues":5,"maxValues":[],"nullCount":"x"}',
        '{"minValues":{"x":null}}',
    ],
)
def test_a_file_without_usable_statistics_stays(text):
    assert kept("long", file(stats=text), "x = 5 AND x IS NULL")


@pytest.mark.parametrize(
    ("text", "may_match"),
    [
        ('{"maxValues":{"x":5},"minValues":{"y":NaN}}', False),
        ('{"maxValues":{"x":5},"minValues":{"y":"\\ud83d"}}', False),
    ],
)
def test_statistics_that_strict_json_rejects_are_read(text, may_match):
    assert kept("long", file(stats=text), "x > 5") is may_match


def test_half_a_character_at_the_end_of_a_bound_is_no_character():
    text = '{"minValues":{"x":"a\\ud83d"},"maxValues":{"x":"a\\ud83d"}}'
    assert kept("string", file(stats=text), "x = 'a😀'")
    assert not kept("string", file(stats=text), "x = 'b'")


def test_deleted_rows_make_bounds_loose_but_not_wrong():
    found = file(
        stats={
            "numRecords": 4,
            "minValues": {"x": 1},
            "maxValues": {"x": 4},
            "nullCount": {"x": 4},
            "tightBounds": False,
        },
        deleted=2,
    )
    assert not kept("long", found, "x > 4")


@pytest.mark.parametrize("mode", ["name", "id"])
def test_statistics_and_partition_values_stand_under_physical_names(mode):
    physical = {
        "x": {"delta.columnMapping.physicalName": "col-1"},
        "p": {"delta.columnMapping.physicalName": "x"},
    }
    found = file({"x": "eu"}, {"minValues": {"col-1": 5}, "maxValues": {"col-1": 5}})
    table = snapshot(
        {"x": "long", "p": "string"},
        found,
        partitioned=["p"],
        metadata=physical,
        configuration={"delta.columnMapping.mode": mode},
    )
    assert select(table, predicate_hints=["x = 5 AND p = 'eu'"]) is None
    assert select(table, predicate_hints=["x = 6"]) == []
    assert select(table, predicate_hints=["p = 'us'"]) == []


def test_physical_names_mean_nothing_where_columns_are_not_mapped():
    table = snapshot(
        {"x": "long"}, stats(5, 5), metadata={"x": {"delta.columnMapping.physicalName": "y"}}
    )
    assert select(table, predicate_hints=["x = 6"]) == []


@pytest.mark.parametrize(
    "about", [{"__COLLATIONS": {"x": "ICU.UNICODE_CI"}}, {"__CHAR_VARCHAR_TYPE_STRING": "char(5)"}]
)
def test_collated_text_is_not_compared(about):
    table = snapshot({"x": "string"}, stats("EU", "EU"), file({"x": "EU"}), metadata={"x": about})
    assert select(table, predicate_hints=["x = 'eu   '"]) is None
    assert select(table, predicate_hints=["x IS NULL"]) == [1]


def test_bounds_of_a_widened_column_are_ignored():
    table = snapshot(
        {"x": "double"},
        stats(0.1, 0.1),
        metadata={"x": {"delta.typeChanges": [{"fromType": "float", "toType": "double"}]}},
    )
    assert select(table, predicate_hints=["x > 0.1 AND x < 0.2"]) is None


def test_nulls_within_a_structure_are_not_counted_on():
    found = file(
        stats={
            "numRecords": 2,
            "nullCount": {"a": {"b": 0}},
            "minValues": {"a": {"b": 1}},
            "maxValues": {"a": {"b": 1}},
        }
    )
    table = snapshot({"a": struct(b="long")}, found)
    assert select(table, predicate_hints=["a.b IS NULL"]) is None
    assert select(table, predicate_hints=["a.b > 1"]) == []


@pytest.mark.parametrize(
    "type_", [{"type": "array", "elementType": "long", "containsNull": True}, struct(b="long")]
)
def test_of_columns_without_single_values_nothing_is_known(type_):
    table = snapshot({"x": type_}, stats(None, None, nulls=0))
    assert select(table, predicate_hints=["x IS NULL"]) is None
    assert select(table, predicate_hints=["x IS NOT NULL"]) is None


@pytest.mark.parametrize(
    ("type_", "text", "hint", "may_match"),
    [
        ("string", "", "x IS NULL", True),
        ("string", "", "x = ''", True),
        ("string", "", "x = 'a'", False),
        ("date", "", "x IS NOT NULL", False),
        ("date", None, "x IS NULL", True),
        ("double", "NaN", "x > 5", True),
        ("double", "NaN", "x < 5", False),
        ("double", "-0.0", "x = 0", True),
        ("double", "-0.0", "x < 0", True),
        ("float", "0.1", "x = 0.1", True),
        ("float", "0.1", "x = 0.2", False),
        ("integer", "nine", "x = 5", True),
        ("boolean", "True", "x", True),
        ("boolean", "True", "NOT x", False),
        (
            "timestamp",
            "2021-03-14 02:30:00",
            "x >= '2021-03-14 03:15:00'",
            True,
        ),  # where clocks skip that hour, it is half past three
        ("timestamp", "2021-03-14 02:30:00", "x >= '2021-03-14 12:00:00'", False),
        ("timestamp", "2021-03-14 02:30:00", "x >= '2021-03-14T12:00:00Z'", True),  # in Hawaii
        ("timestamp", "2021-03-14T02:30:00.000000Z", "x >= '2021-03-14T02:30:00.000001Z'", False),
        ("timestamp", "2021-03-14T02:30:00Z", "CAST(x AS DATE) = '2021-03-13'", True),
        ("timestamp", "2021-03-14T02:30:00Z", "CAST(x AS DATE) = '2021-03-16'", False),
        ("date", "2021-03-14", "x = '2021-03-14T12:00:00Z'", True),
    ],
)
def test_partition_values_are_read_as_any_reader_may(type_, text, hint, may_match):
    assert kept(type_, file({"x": text}), hint, partitioned=["x"]) is may_match


def test_missing_partition_value_may_match():
    table = snapshot({"x": "string"}, file({}), file({"x": "b"}), partitioned=["x"])
    assert select(table, predicate_hints=["x = 'a'"]) == [0]


@pytest.mark.parametrize(
    ("stored", "asked", "may_match"),
    [
        (
            "2021-04-28T12:00:00.123456Z",
            "2021-04-28T12:00:00.123Z",
            True,
        ),  # Spark cut what it was asked
        ("2021-04-28T12:00:00.123456Z", "2021-04-28T12:00:00.122Z", False),
    ],
)
def test_timestamps_in_trees_may_have_been_cut(stored, asked, may_match):
    table = snapshot({"x": "timestamp"}, file({"x": stored}), partitioned=["x"])
    assert (
        select(table, json_predicate_hints=json.dumps(compare("equal", asked, "timestamp"))) is None
    ) is may_match


@pytest.mark.parametrize(
    ("type_", "low", "high", "tree", "may_match"),
    [
        ("long", 2**53 + 1, 2**53 + 1, compare("equal", str(2**53), "double"), True),
        ("double", 2.5, 2.5, compare("equal", "2", "int"), True),
        ("long", 2**32 + 5, 2**32 + 5, compare("equal", "5", "int"), True),
        ("long", 7, 8, compare("equal", "5", "int"), False),
        ("double", 0.1, 0.1, compare("equal", "0.1", "float"), True),
        ("decimal(30,4)", 1e20, 1e20, compare("equal", "1e20", "double"), True),
        ("string", "10", "9", compare("equal", "95", "int"), True),
        ("long", 5, 9, compare("equal", "10", "string"), True),
        (
            "date",
            "2021-04-28",
            "2021-04-28",
            compare("lessThan", "2021-04-27T13:00:00Z", "timestamp"),
            True,
        ),
        (
            "date",
            "2021-04-28",
            "2021-04-28",
            compare("lessThan", "2021-04-26T13:00:00Z", "timestamp"),
            False,
        ),
    ],
)
def test_casts_of_bounds_lose_nothing(type_, low, high, tree, may_match):
    table = snapshot({"x": type_}, stats(low, high))
    assert (select(table, json_predicate_hints=json.dumps(tree)) is None) is may_match


@pytest.mark.parametrize(
    "hint", ["x = 3.4", "x = 3.4000000953674316", "x > 3.4", "x < 3.4000000953674316"]
)
def test_partition_value_of_a_widened_float_is_a_double_or_a_float(hint):
    widened = {"x": {"delta.typeChanges": [{"fromType": "float", "toType": "double"}]}}
    assert kept("double", file({"x": "3.4"}), hint, partitioned=["x"], metadata=widened)
