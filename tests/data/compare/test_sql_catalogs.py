"""`lakepact data compare` reads the catalog that pyiceberg keeps in a file of SQLite."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pyiceberg.catalog import load_catalog

from lakepact.client import Limits
from lakepact.data import sql_catalog
from two_catalogs import ROWS, compare, create, results, served

#: As `SqlCatalog` of pyiceberg and `JdbcCatalog` of Iceberg create them.
TABLES = """
CREATE TABLE iceberg_tables (catalog_name, table_namespace, table_name, metadata_location,
    previous_metadata_location, iceberg_type);
CREATE TABLE iceberg_namespace_properties (catalog_name, namespace, property_key, property_value);
"""


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any]]:
    """Yield a catalog with the table `sales.orders`, and its address."""
    with served(tmp_path_factory.mktemp("a")) as url:
        with closing(load_catalog("a", type="rest", uri=url)) as catalog:
            catalog.create_namespace("sales", {"owner": "anna"})
            create(catalog, "sales.orders", ROWS[:9])
        yield url, catalog


@pytest.fixture
def location(rest: tuple[str, Any]) -> str:
    return str(rest[1].load_table("sales.orders").metadata_location)


def database(folder: Path, location: str, *names: str) -> str:
    """Return the address of a file that holds a table in catalogs of some names."""
    path = folder / "catalog.db"
    with closing(sqlite3.connect(path)) as file:
        file.executescript(TABLES)
        for name in names or ("main",):
            table = (name, "sales", "orders", location, None, "TABLE")
            file.execute("INSERT INTO iceberg_tables VALUES (?, ?, ?, ?, ?, ?)", table)
            file.execute(
                "INSERT INTO iceberg_namespace_properties VALUES (?, 'sales', 'owner', 'bob')",
                (name,),
            )
        file.commit()
    return f"sqlite:///{path}"


def with_change(location: str, folder: Path, change: Callable[[dict[str, Any]], object]) -> str:
    """Return the path of metadata that were changed."""
    document = json.loads(Path(urlsplit(location).path).read_bytes())
    change(document)
    path = folder / "changed.metadata.json"
    path.write_text(json.dumps(document))
    return str(path)


def test_table_of_a_file_of_sqlite_is_compared_with_one_over_rest(
    rest: tuple[str, Any], location: str, tmp_path: Path
) -> None:
    url = rest[0]
    code, tables = results(database(tmp_path, location), url, "--table", "*", "--count", "property")

    assert tables["sales.orders"]["rows"] == [9, 9]
    assert [each["kind"] for each in tables["sales.orders"]["differences"]] == ["location"]
    assert [(each["a"], each["b"]) for each in tables["namespace sales"]["differences"]] == [
        ("bob", "anna")
    ]
    assert code == 1


def test_lost_row_of_a_file_of_sqlite_is_found(
    rest: tuple[str, Any], location: str, tmp_path: Path
) -> None:
    def roll_back(document: dict[str, Any]) -> None:
        document |= {"current-snapshot-id": -1, "refs": {}}

    without_rows = with_change(location, tmp_path, roll_back)
    code, tables = results(rest[0], database(tmp_path, without_rows), "--table", "sales.*")

    assert (code, tables["sales.orders"]["rows"]) == (1, [9, 0])


def test_compressed_metadata_are_read(location: str, tmp_path: Path) -> None:
    path = tmp_path / "0.gz.metadata.json"
    path.write_bytes(gzip.compress(Path(urlsplit(location).path).read_bytes()))
    address = database(tmp_path, str(path))

    assert results(address, address, "--table", "*")[1]["sales.orders"]["rows"] == [9, 9]


def test_metadata_above_the_limit_are_refused(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "0.gz.metadata.json"
    path.write_bytes(gzip.compress(b" " * 2000 + b"{}"))
    address = database(tmp_path, str(path))
    monkeypatch.setattr(sql_catalog, "Limits", lambda: Limits(body=1000))
    code, tables = results(address, address, "--table", "*")

    assert code == 3
    assert "has more than 1000 bytes of metadata" in tables["sales.orders"]["error"]


def test_class_of_python_that_metadata_name_is_not_imported(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hostile.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.syspath_prepend(tmp_path)

    def name_class(document: dict[str, Any]) -> None:
        document["properties"]["py-io-impl"] = "hostile.FileIO"

    address = database(tmp_path, with_change(location, tmp_path, name_class))
    code, tables = results(address, address, "--table", "*")

    assert code == 3
    assert "py-io-impl" in tables["sales.orders"]["error"]
    assert not (tmp_path / "ran").exists()


def test_name_in_the_configuration_of_pyiceberg_chooses_the_catalog(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = database(tmp_path, location, "new", "old")
    for name in ("old", "other"):
        monkeypatch.setenv(f"PYICEBERG_CATALOG__{name.upper()}__URI", address)

    assert results("old", "old", "--table", "*")[0] == 0
    for side in ("other", address):
        code, output = compare(side, side, "--table", "*")
        assert (code, "and holds new, old" in output) == (3, True)


@pytest.mark.parametrize("content", [None, b"no database"])
def test_file_that_is_no_catalog_of_sqlite_is_named(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    if content:
        path.write_bytes(content)
    code, output = compare(f"sqlite:///{path}", tmp_path, "--table", "*")

    assert (code, f"{path} is no catalog of SQLite" in output) == (3, True)
    assert path.exists() == bool(content)
