"""The syntax and meaning of predicateHints; an unsupported hint is ignored."""

from __future__ import annotations

import pytest

from lakepact.reference_server.delta_sharing.hints import select
from sample_tables.shared_snapshots import file, snapshot

TYPES = {
    "day": "date",
    "Region": "string",
    "n": "integer",
    "big": "long",
    "price": "decimal(10,2)",
    "ratio": "double",
    "small": "float",
    "active": "boolean",
    "at": "timestamp",
    "wall": "timestamp_ntz",
    "two words": "string",
}
ROWS = (
    {
        "day": "2021-04-28",
        "Region": "eu",
        "n": "9",
        "big": "9007199254740993",
        "price": "1.10",
        "ratio": "0.5",
        "small": "0.1",
        "active": "true",
        "at": "2021-04-28 12:00:00",
        "wall": "2021-04-28 12:00:00",
        "two words": "it's",
    },
    {
        "day": "2021-05-28",
        "Region": "us",
        "n": "25",
        "big": "-5",
        "price": "20.00",
        "ratio": "-1.5",
        "small": "7.5",
        "active": "false",
        "at": "2021-05-28T12:00:00.000001Z",
        "wall": "2021-05-28 12:00:00.5",
        "two words": "",
    },
    dict.fromkeys(TYPES),
)
TABLE = snapshot(TYPES, *(file(row) for row in ROWS), partitioned=list(TYPES))
ALL = [0, 1, 2]


def kept(*hints: object) -> list[int]:
    found = select(TABLE, predicate_hints=hints)
    return ALL if found is None else list(found)


@pytest.mark.parametrize(
    ("hint", "files"),
    [
        ("n = 9", [0]),
        ("n <> 9", [1]),
        ("n != 9", [1]),
        ("n > 9", [1]),
        ("n >= 9", [0, 1]),
        ("9 < n", [1]),
        ("10 >= n", [0]),
        ("n IS NULL", [2]),
        ("n is not null", [0, 1]),
        ("N = +9", [0]),
        ("big = 9007199254740993", [0]),
        ("big = 9007199254740992", []),
        ("big = -5L", [1]),
        ("price = 1.1", [0]),
        ("price > 1.11BD", [1]),
        ("price = '20'", [1]),
        ("ratio < 0", [1]),
        ("ratio = 5E-1", [0]),
        ("ratio >= .5D", [0]),
        ("small = 0.1", [0]),
        ("small = 0.1F", [0]),
        ("small > '7'", [1]),
        ("active = true", [0]),
        ("active", [0]),
        ("NOT active", [1]),
        ("active = 'False'", [1]),
        ("day = '2021-04-28'", [0]),
        ("day > DATE '2021-04-28'", [1]),
        ("DATE '2021-04-28' = day", [0]),
        ("at > TIMESTAMP '2021-05-28T12:00:00Z'", [1]),
        ("at < '2021-05-28 12:00:00.000001+00:00'", [0]),
        ("at = '2021-04-28 12:00:00'", [0]),
        ("wall = '2021-05-28 12:00:00.500'", [1]),
        ("wall < DATE '2021-05-01'", [0]),
        ("region = 'eu'", [0]),
        ("`region` = 'us'", [1]),
        ("\"Region\" = 'us'", [1]),
        ('Region = "us"', [1]),
        ("`two words` = 'it''s'", [0]),
        ("`two words` = 'it\\'s'", [0]),
        ("partitionValues.region = 'eu'", [0]),
        ("(CAST(partitionValues.region AS STRING) = 'eu')", [0]),
        ("(CAST(partitionValues.`n` AS INT) > 9)", [1]),
        (
            "((partitionValues.day IS NOT NULL) AND (CAST(partitionValues.day AS DATE) = DATE '2021-05-28'))",
            [1],
        ),
        ("CAST(price AS DECIMAL(10,2)) = 20", [1]),
        ("CAST(n AS STRING) = '9'", [0]),
        ("CAST(day AS STRING) = '2021-05-28'", [1]),
        ("n IN (1, 9, 3)", [0]),
        ("n NOT IN (1, 9)", [1]),
        ("n BETWEEN 10 AND 30 OR region = 'eu'", [0, 1]),
        ("n NOT BETWEEN 10 AND 30", [0]),
        ("n = 9 AND region = 'us'", []),
        ("NOT (n = 9 OR n IS NULL)", [1]),
        ("NOT n = 9 AND region = 'us'", [1]),
        ("n > price", [0, 1]),
    ],
)
def test_hint_omits_files_that_cannot_match(hint, files):
    assert kept(hint) == files


@pytest.mark.parametrize(
    "hint",
    [
        "",
        "what is this",
        "n",
        "n =",
        "n = 9 9",
        "n = NULL",
        "n <=> 9",
        "n LIKE 'a%'",
        "nope = 1",
        "upper(region) = 'EU'",
        "n + 1 = 9",
        "(n = 9",
        "n = 9)",
        "n = 'nine'",
        "n = '9.5'",
        "region = 9",
        "day = '28.04.2021'",
        "day = 20210428",
        "active = 1",
        "partitionValues.n = '9'",
        "partitionValues.nope = '9'",
        "CAST(day AS INT) = 5",
        "CAST(region AS INT) = 5",
        "CAST(n AS GEOMETRY) = 5",
        "1 = 2",
        "'a' = \"a\"",
        'Region = "n"',
        "region = 'a' 'b'",
        "region = 'unclosed",
        "region = 'a\\u0041'",
        "n = 9; DROP TABLE t",
        "n = 9 -- comment",
        "n = " + "9" * 50,
        "n = 1e99999",
        "(" * 60 + "n = 9" + ")" * 60,
        " OR ".join(["n = 9"] * 1001),
        "n = 9" + " " * 40_000 + "AND n = 9",
        "(" * 20_000,
        "NOT " * 6_000,
        "\0",
        None,
        5,
        ["n = 9"],
    ],
    ids=lambda hint: str(hint)[:30].replace("\0", "NUL"),
)
def test_unsupported_hint_omits_no_file(hint):
    assert kept(hint) == ALL


def test_hints_count_together():
    assert kept("n >= 9", "region = 'us'") == [1]


def test_unsupported_hint_keeps_the_effect_of_the_others():
    assert kept("n LIKE 'x'", "region = 'us'", "nope IS NULL") == [1]


@pytest.mark.parametrize("text", ["a\\b", "a\\\\b"])
def test_backslash_is_taken_literally_and_as_an_escape(text):
    table = snapshot(
        {"s": "string"},
        file({"s": "a\\b"}),
        file({"s": "ab"}),
        file({"s": "zz"}),
        partitioned=["s"],
    )
    assert 2 not in select(table, predicate_hints=[f"s = '{text}'"])
    assert 0 in select(table, predicate_hints=[f"s = '{text}'"])


def test_doubled_quote_is_taken_as_one_quote_and_as_none():
    table = snapshot(
        {"s": "string"},
        file({"s": "it's"}),
        file({"s": "its"}),
        file({"s": "a"}),
        partitioned=["s"],
    )
    assert select(table, predicate_hints=["s = 'it''s'"]) == [0, 1]


def test_a_column_may_be_called_as_the_prefix_of_partition_columns():
    table = snapshot(
        {"partitionValues": "string"},
        file({"partitionValues": "a"}),
        file({"partitionValues": "b"}),
        partitioned=["partitionValues"],
    )
    assert select(table, predicate_hints=["partitionValues = 'b'"]) == [1]
