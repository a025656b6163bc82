"""`lakepact cat` shows the rows that are in a table."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest

from .conftest import RED, lakepact

ROWS = [
    {"id": 1, "at": "2026-05-01T00:00:00+00:00", "where": {"lat": 1.5}, "said": 'say "hi",\nyou'},
    {"id": 2, "at": None, "where": None, "said": RED},
    {"id": 3, "at": None, "where": None, "said": ""},
]


def documents(said):
    assert said.code == 0, said.err
    return sorted(map(json.loads, said.lines), key=lambda row: row["id"])


def test_rows_of_an_iceberg_table_are_json(place):
    assert documents(lakepact("cat", place.url, "sales.orders", "--json", columns=10)) == ROWS


def test_rows_of_a_shared_table_are_json(place):
    expected = [{"id": 1, "said": "a"}, {"id": 2, "said": None}, {"id": 3, "said": RED}]

    assert documents(lakepact("cat", place.profile, "sales.europe.orders", "--json")) == expected


def test_csv_holds_the_values_as_they_are(place):
    said = lakepact("cat", place.url, "sales.orders", "--csv", "--columns", "said,id")

    head, *rows = csv.reader(io.StringIO(said.out))
    assert (head, sorted(rows)) == (["said", "id"], sorted([row["said"], str(row["id"])] for row in ROWS))


@pytest.mark.parametrize(
    ("where", "table", "earlier"), [("url", "sales.orders", "--snapshot"), ("profile", "sales.europe.orders", "--version")]
)
def test_what_was_there_earlier_is_shown(place, where, table, earlier):
    before = place.first_snapshot if earlier == "--snapshot" else "0"

    said = lakepact("cat", getattr(place, where), table, earlier, before, "--json", "--columns", "id")

    assert documents(said) == [{"id": 1}, {"id": 2}]


@pytest.mark.parametrize(("where", "table"), [("url", "sales.orders"), ("profile", "sales.europe.orders")])
@pytest.mark.parametrize("limit", [0, 1, 2, 9])
def test_no_more_rows_are_shown_than_are_wanted(place, where, table, limit):
    said = lakepact("cat", getattr(place, where), table, "--limit", str(limit), "--json")

    assert len(documents(said)) == min(3, limit)


def test_a_table_of_text_is_cut_to_the_terminal_and_does_nothing_to_it(place):
    said = lakepact("cat", place.url, "sales.orders", columns=30)

    assert said.code == 0
    assert max(map(len, said.lines)) <= 30
    assert "\x1b" not in said.out
    assert said.lines[-1] == "(3 rows)"


def test_a_table_without_rows_has_its_columns(place):
    assert lakepact("cat", place.url, 'sales."a.b".empty').lines[0].split() == ["id", "at", "where", "said"]


@pytest.mark.parametrize(("where", "table"), [("url", "sales.orders"), ("profile", "sales.europe.orders")])
def test_an_unknown_column_is_wrong_usage(place, where, table):
    said = lakepact("cat", getattr(place, where), table, "--columns", "absent")

    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("where", "arguments"),
    [
        ("url", ("sales.absent",)),
        ("url", ("sales.orders", "--snapshot", "7")),
        ("profile", ("sales.europe.absent",)),
    ],
)
def test_what_is_not_there_is_not_found(place, where, arguments):
    said = lakepact("cat", getattr(place, where), *arguments)

    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)


@pytest.mark.parametrize(
    ("where", "table", "library", "installed"),
    [
        ("url", "sales.orders", "pyiceberg", "pyiceberg[pyarrow]"),
        ("profile", "sales.europe.orders", "pyarrow", "lakepact[arrow]"),
    ],
)
def test_what_has_to_be_installed_is_said_in_one_line(place, where, table, library, installed):
    code = f"import sys; sys.modules[{library!r}] = None; from lakepact.cli import main; main()"

    done = subprocess.run([sys.executable, "-c", code, "cat", getattr(place, where), table], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"lakepact cat: this needs {library}: pip install '{installed}'\n"
