"""`lakepact show` says of a table what a reader wants to know."""

from __future__ import annotations

import json

from lakepact.client import IcebergCatalog
from lakepact.client.command.show import _without_credentials

from .conftest import lakepact


def words(said):
    """Each line as its words."""
    return [line.split() for line in said.lines]


def test_a_table_is_described(place):
    said = lakepact("show", place.url, "sales.orders")

    found = words(said)
    assert said.code == 0
    assert said.lines[0] == "sales.orders: a table of format version 2"
    assert ["1", "id", "long", "required", "key,", "a", "key", r"\x1b[31mred"] in found
    assert ["5", "lat", "double", "optional"] in found
    assert ["1000", "day", "day(at)"] in found
    assert ["id", "asc", "nulls-first"] in found
    assert ["comment", r"\x1b[31mred"] in found
    assert ["main", "branch"] in [line[:2] for line in found]
    assert [line[4:7] for line in found if place.first_snapshot in line[:1]] == [["append", "2", "2"]]
    assert any(line[:4] == ["size", "3", "records,", "3"] for line in found)


def test_of_what_a_table_does_not_have_there_is_one_line_without_headings(place):
    with IcebergCatalog(place.url) as catalog:
        catalog.create_table("sales", "plain", {"type": "struct", "fields": []})
    said = lakepact("show", place.url, "sales.plain")

    nothing = ("Schema 0: no columns", "Partitioned by: not partitioned", "Sorted by: not sorted", "Snapshots: no snapshot yet")
    assert [line for line in said.lines if line.startswith(("Schema", "Part", "Sort", "Snap", " "))] == list(nothing)


def test_only_snapshots_of_branches_and_tags_are_shown_when_asked(place):
    assert place.first_snapshot not in lakepact("show", place.url, "sales.orders", "--snapshots", "refs").out
    assert place.first_snapshot in lakepact("show", place.url, "sales.orders", "--snapshots", "all").out


def test_the_document_is_the_one_that_the_server_gives(place):
    with IcebergCatalog(place.url) as catalog:
        expected = catalog.load_table("sales", "orders").to_wire()

    assert json.loads(lakepact("show", place.url, "sales.orders", "--json", columns=20).out) == expected


def test_a_view_is_described(place):
    said = lakepact("show", place.url, "sales.recent")

    assert said.lines[0] == "sales.recent: a view of format version 1"
    place_of_sql = said.lines.index("SQL of spark")
    assert said.lines[place_of_sql + 1 : place_of_sql + 3] == ["  SELECT *", r"  FROM orders -- \x1b[31mred"]


def test_a_shared_table_is_described(place):
    said = lakepact("show", place.profile, "sales.europe.orders")

    assert said.lines[0] == "sales.europe.orders: a shared table"
    assert ["version", "1"] in words(said)
    assert ["said", "string", "optional"] in words(said)


def test_an_earlier_version_of_a_shared_table_is_a_document(place):
    said = json.loads(lakepact("show", place.profile, "sales.europe.orders", "--version", "0", "--json").out)

    assert (said["version"], json.loads(said["metaData"]["schemaString"])["fields"][0]["name"]) == (0, "id")


def test_what_is_neither_table_nor_view_is_not_found(place):
    said = lakepact("show", place.url, "sales.absent")

    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)


def test_lines_of_tables_are_cut_to_the_terminal(place):
    said = lakepact("show", place.url, "sales.orders", columns=40)

    schema = said.lines[said.lines.index("Schema 0") : said.lines.index("Partitioned by")]
    assert max(map(len, schema)) <= 40


def test_values_that_open_something_are_not_shown():
    loaded = {
        "metadata": {"properties": {"token": "of the table's own"}},
        "config": {"token": "t", "io": "local"},
        "storage-credentials": [{"prefix": "s3://b", "config": {"s3.secret-access-key": "k", "s3.region": "r"}}],
    }

    assert _without_credentials(loaded) == {
        "metadata": {"properties": {"token": "of the table's own"}},
        "config": {"token": "[hidden]", "io": "local"},
        "storage-credentials": [{"prefix": "s3://b", "config": {"s3.secret-access-key": "[hidden]", "s3.region": "r"}}],
    }
