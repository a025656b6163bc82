"""`lakepact data compare` finds namespaces and views that differ between two catalogs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from lakepact.client import IcebergCatalog
from two_catalogs import compare, results, served

COLUMNS = pa.schema([("id", pa.int64())])


def create_view(catalog: IcebergCatalog, name: str, sql: str) -> None:
    version = {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 0,
        "summary": {},
        "representations": [{"type": "sql", "sql": sql, "dialect": "spark"}],
        "default-namespace": ["sales"],
    }
    catalog.create_view(name, COLUMNS, version=version)


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    with ExitStack() as ending:
        folder = tmp_path_factory.mktemp("sides")
        urls = [ending.enter_context(served(folder / name)) for name in "ab"]
        a, b = (ending.enter_context(IcebergCatalog(url)) for url in urls)
        for catalog, owner in ((a, "anna"), (b, "bob")):
            catalog.create_namespace("sales", properties={"owner": owner})
            catalog.create_table("sales.orders", COLUMNS)
            create_view(catalog, "sales.same", "SELECT 1")
        a.create_namespace("lost")
        create_view(a, "sales.gone", "SELECT 1")
        create_view(a, "sales.changed", "SELECT 1")
        create_view(b, "sales.changed", "SELECT 2")
        yield urls[0], urls[1]


def test_namespaces_and_views_that_differ_are_named_with_what_differs(
    sides: tuple[str, str],
) -> None:
    code, tables = results(*sides, "--table", "*")
    differences = {
        name: [(each["what"], each["a"], each["b"]) for each in table["differences"]]
        for name, table in tables.items()
        if table["differences"]
    }

    assert code == 1
    assert differences == {
        "namespace lost": [("namespace lost", "exists", None)],
        "view sales.gone": [("view sales.gone", "exists", None)],
        "view sales.changed": [("SQL in spark", "SELECT 1", "SELECT 2")],
    }
    assert [each["what"] for each in tables["namespace sales"]["information"]] == ["owner"]


def test_differences_of_namespaces_and_views_count_unless_ignored(sides: tuple[str, str]) -> None:
    kinds = ("--ignore", "namespace", "--ignore", "view")
    code, output = compare(*sides, "--table", "*", *kinds)

    assert code == 0, output
    assert "1 table compared (ignoring namespace, view): no difference" in output


@pytest.mark.parametrize(
    ("percent", "scope"), [(0, "metadata alone, no rows"), (0.5, "0.5 % of the rows")]
)
def test_result_names_the_part_of_the_rows_that_was_compared(
    sides: tuple[str, str], tmp_path: Path, percent: float, scope: str
) -> None:
    arguments = (*sides, "--table", "sales.orders", "--sample", percent)
    output = compare(*arguments, "--report", tmp_path)[1]
    page = (tmp_path / "index.html").read_text("utf-8")
    table = results(*arguments)[1]["sales.orders"]

    assert f"1 table compared ({scope}): no difference\n" in output
    assert f" ({scope})  " in output.splitlines()[0]
    assert f"<td>same ({scope})</td>" in page
    assert table["scope"] == scope


def test_difference_is_shown_with_its_kind_once(sides: tuple[str, str]) -> None:
    output = compare(*sides, "--table", "*")[1]

    assert "\n  namespace lost: A exists, B missing\n" in output


def test_summary_counts_namespaces_and_views_apart_from_tables(sides: tuple[str, str]) -> None:
    output = compare(*sides, "--table", "*")[1]

    assert "1 table compared: none differ; 1 namespace differs; 2 views differ\n" in output


def test_table_that_is_called_like_a_namespace_is_counted_as_a_table(tmp_path: Path) -> None:
    for side, rows in (("a", [1, 2]), ("b", [1, 3])):
        write_deltalake(tmp_path / side / "namespace sales" / "orders", pa.table({"id": rows}))

    output = compare(tmp_path / "a", tmp_path / "b", "--table", "*")[1]
    assert "1 table compared: 1 differs\n" in output


@pytest.mark.parametrize(("status", "code"), [(404, 0), (500, 3)])
def test_tables_are_compared_although_views_cannot_be_listed(
    status: int, code: int, tmp_path: Path
) -> None:
    fault = ("--fault", f"listViews.answers-{status}")
    with ExitStack() as ending:
        urls = [ending.enter_context(served(tmp_path / name, *fault)) for name in "ab"]
        for url in urls:
            catalog = ending.enter_context(IcebergCatalog(url))
            catalog.create_namespace("sales")
            catalog.create_table("sales.orders", COLUMNS)
        actual, tables = results(*urls, "--table", "*")

    assert (actual, tables["sales.orders"]["differences"]) == (code, [])
    assert ("view *" in tables) == (code == 3)
