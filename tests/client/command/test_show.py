"""`lakepact show` describes tables and views."""

from __future__ import annotations

import json

from lakepact.client import IcebergCatalog
from lakepact.client.command.iceberg_words import view_in_words
from lakepact.client.command.show import _without_credentials

from .conftest import lakepact


def words(result):
    """Return the words of each line."""
    return [line.split() for line in result.lines]


def test_table_is_described(place):
    result = lakepact("show", place.url, "sales.orders")

    lines = words(result)
    assert result.code == 0
    assert result.lines[0] == "sales.orders: a table of format version 2"
    assert ["1", "id", "long", "required", "key,", "a", "key", r"\x1b[31mred"] in lines
    assert ["5", "lat", "double", "optional"] in lines
    assert ["1000", "day", "day(at)"] in lines
    assert ["id", "asc", "nulls-first"] in lines
    assert ["comment", r"\x1b[31mred"] in lines
    assert ["main", "branch"] in [line[:2] for line in lines]
    assert [line[4:7] for line in lines if place.first_snapshot in line[:1]] == [
        ["append", "2", "2"]
    ]
    assert any(line[:4] == ["size", "3", "records,", "3"] for line in lines)


def test_absent_parts_of_a_table_take_one_line_each(place):
    with IcebergCatalog(place.url) as catalog:
        catalog.create_table("sales.plain", {"type": "struct", "fields": []})
    result = lakepact("show", place.url, "sales.plain")

    nothing = (
        "Schema 0: no columns",
        "Partitioned by: not partitioned",
        "Sorted by: not sorted",
        "Snapshots: no snapshot yet",
    )
    assert [
        line for line in result.lines if line.startswith(("Schema", "Part", "Sort", "Snap", " "))
    ] == list(nothing)


def test_snapshots_option_selects_refs_or_all(place):
    assert (
        place.first_snapshot
        not in lakepact("show", place.url, "sales.orders", "--snapshots", "refs").out
    )
    assert (
        place.first_snapshot
        in lakepact("show", place.url, "sales.orders", "--snapshots", "all").out
    )


def test_json_output_is_the_document_of_the_server(place):
    with IcebergCatalog(place.url) as catalog:
        expected = catalog.load_table("sales.orders").to_wire()

    assert (
        json.loads(lakepact("show", place.url, "sales.orders", "--json", columns=20).out)
        == expected
    )


def test_view_is_described(place):
    result = lakepact("show", place.url, "sales.recent")

    assert result.lines[0] == "sales.recent: a view of format version 1"
    place_of_sql = result.lines.index("SQL of spark")
    assert result.lines[place_of_sql + 1 : place_of_sql + 3] == [
        "  SELECT *",
        r"  FROM orders -- \x1b[31mred",
    ]


def test_shared_table_is_described(place):
    result = lakepact("show", place.profile, "sales.europe.orders")

    assert result.lines[0] == "sales.europe.orders: a shared table"
    assert ["version", "1"] in words(result)
    assert ["said", "string", "optional"] in words(result)


def test_earlier_version_of_a_shared_table_is_printed_as_json(place):
    document = json.loads(
        lakepact("show", place.profile, "sales.europe.orders", "--version", "0", "--json").out
    )

    assert (
        document["version"],
        json.loads(document["metaData"]["schemaString"])["fields"][0]["name"],
    ) == (
        0,
        "id",
    )


def test_view_of_another_kind_than_sql_is_named():
    version = {"version-id": 1, "representations": [{"type": "substrait", "plan": {}}]}
    lines = view_in_words(
        "v", {"metadata": {"current-version-id": 1, "versions": [version]}}, cells=None
    )

    assert "A representation of type substrait, which is not shown" in list(lines)


def test_missing_table_or_view_exits_with_1(place):
    result = lakepact("show", place.url, "sales.absent")

    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)


def test_lines_of_tables_fit_the_terminal(place):
    result = lakepact("show", place.url, "sales.orders", columns=40)

    schema = result.lines[result.lines.index("Schema 0") : result.lines.index("Partitioned by")]
    assert max(map(len, schema)) <= 40


def test_credential_values_are_hidden():
    document = {
        "metadata": {"properties": {"token": "of the table's own"}},
        "config": {"token": "t", "io": "local"},
        "storage-credentials": [
            {"prefix": "s3://b", "config": {"s3.secret-access-key": "k", "s3.region": "r"}}
        ],
    }

    assert _without_credentials(document) == {
        "metadata": {"properties": {"token": "of the table's own"}},
        "config": {"token": "[hidden]", "io": "local"},
        "storage-credentials": [
            {"prefix": "s3://b", "config": {"s3.secret-access-key": "[hidden]", "s3.region": "r"}}
        ],
    }
