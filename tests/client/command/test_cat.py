"""`lakepact cat` prints the rows of a table."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lakepact.cli import main
from lakepact.client import IcebergCatalog
from lakepact.extras import install

from .conftest import RED, lakepact

ROWS = [
    {"id": 1, "at": "2026-05-01T00:00:00+00:00", "where": {"lat": 1.5}, "said": 'say "hi",\nyou'},
    {"id": 2, "at": None, "where": None, "said": RED},
    {"id": 3, "at": None, "where": None, "said": ""},
]


def documents(result):
    assert result.code == 0, result.err
    return sorted(map(json.loads, result.lines), key=lambda row: row["id"])


def test_iceberg_table_rows_are_printed_as_json(place):
    assert documents(lakepact("cat", place.url, "sales.orders", "--json", columns=10)) == ROWS


def test_shared_table_rows_are_printed_as_json(place):
    expected = [{"id": 1, "said": "a"}, {"id": 2, "said": None}, {"id": 3, "said": RED}]

    assert documents(lakepact("cat", place.profile, "sales.europe.orders", "--json")) == expected


def test_csv_holds_unescaped_values(place):
    result = lakepact("cat", place.url, "sales.orders", "--csv", "--columns", "said,id")

    head, *rows = csv.reader(io.StringIO(result.out))
    assert (head, sorted(rows)) == (
        ["said", "id"],
        sorted([row["said"], str(row["id"])] for row in ROWS),
    )


@pytest.mark.parametrize(
    ("where", "table", "earlier"),
    [("url", "sales.orders", "--snapshot"), ("profile", "sales.europe.orders", "--version")],
)
def test_earlier_snapshot_or_version_is_printed(place, where, table, earlier):
    before = place.first_snapshot if earlier == "--snapshot" else "0"

    result = lakepact(
        "cat", getattr(place, where), table, earlier, before, "--json", "--columns", "id"
    )

    assert documents(result) == [{"id": 1}, {"id": 2}]


@pytest.mark.parametrize(
    ("where", "table"), [("url", "sales.orders"), ("profile", "sales.europe.orders")]
)
@pytest.mark.parametrize("limit", [0, 1, 2, 9])
def test_limit_bounds_the_printed_rows(place, where, table, limit):
    result = lakepact("cat", getattr(place, where), table, "--limit", str(limit), "--json")

    assert len(documents(result)) == min(3, limit)


def test_text_table_fits_the_terminal_and_holds_no_escape(place):
    result = lakepact("cat", place.url, "sales.orders", columns=30)

    assert result.code == 0
    assert max(map(len, result.lines)) <= 30
    assert "\x1b" not in result.out
    assert result.lines[-1] == "(3 rows)"


def test_empty_table_prints_its_columns(place):
    assert lakepact("cat", place.url, 'sales."a.b".empty').lines[0].split() == [
        "id",
        "at",
        "where",
        "said",
    ]


@pytest.mark.parametrize(
    ("where", "table"), [("url", "sales.orders"), ("profile", "sales.europe.orders")]
)
def test_unknown_column_exits_with_2(place, where, table):
    result = lakepact("cat", getattr(place, where), table, "--columns", "absent")

    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("where", "arguments"),
    [
        ("url", ("sales.absent",)),
        ("url", ("sales.orders", "--snapshot", "7")),
        ("profile", ("sales.europe.absent",)),
    ],
)
def test_missing_object_exits_with_1(place, where, arguments):
    result = lakepact("cat", getattr(place, where), *arguments)

    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)


@pytest.mark.parametrize(
    ("where", "table", "library", "extra"),
    [
        ("url", "sales.orders", "pyiceberg", "iceberg"),
        ("profile", "sales.europe.orders", "pyarrow", "arrow"),
    ],
)
def test_missing_library_prints_its_pip_command(place, where, table, library, extra):
    code = f"import sys; sys.modules[{library!r}] = None; from lakepact.cli import main; main()"

    process = subprocess.run(
        [sys.executable, "-c", code, "cat", getattr(place, where), table],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr == f"lakepact cat: this needs {library}: {install(extra)}\n"


class Sink(io.StringIO):
    """An output that counts lines and keeps the most memory that Arrow held."""

    most = lines = 0

    def write(self, text: str) -> int:
        self.most, self.lines = max(self.most, pa.total_allocated_bytes()), self.lines + 1
        return len(text)


def test_rows_of_a_large_row_group_are_held_in_parts(place, monkeypatch):
    rows, width = 10_000, 2_000
    text = pc.utf8_lpad(pa.array(range(rows)).cast(pa.string()), width, "0")
    with IcebergCatalog(place.url) as catalog:
        catalog.create_table(
            "sales.large",
            pa.schema([("text", pa.string())]),
            properties={"write.parquet.page-row-limit": "500"},
        )
        catalog.append("sales.large", pa.table({"text": text}))
        del text
        monkeypatch.setattr("sys.stdout", sink := Sink())
        before = pa.total_allocated_bytes()
        main(["cat", place.url, "sales.large", "--csv"], standalone_mode=False)
        catalog.drop_table("sales.large")

    assert sink.lines == rows + 1
    assert sink.most - before < rows * width * 0.8
