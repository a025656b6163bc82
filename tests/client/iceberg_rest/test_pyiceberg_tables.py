"""pyiceberg reads and writes the files of a table, and commits through the client."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.types import LongType

from lakepact.client import IcebergCatalog, NoSuchTable, pyiceberg_table
from lakepact.reference_server import running

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": False}]}
ROWS = pa.table({"id": [1, 2, 3]})


@pytest.fixture(scope="module")
def server():
    with running(contract="iceberg_rest") as server:
        yield server.url


@pytest.fixture
def catalog(server):
    with IcebergCatalog(server) as catalog:
        if not catalog.namespace_exists("n"):
            catalog.create_namespace("n")
        catalog.create_table("n", "t", SCHEMA)
        yield catalog
        catalog.drop_table("n", "t")


def test_appended_rows_are_read(catalog):
    pyiceberg_table(catalog, "n", "t").append(ROWS)

    assert pyiceberg_table(catalog, "n", "t").scan().to_arrow().to_pydict() == ROWS.to_pydict()


def test_refresh_shows_a_change_of_another_client(catalog):
    table = pyiceberg_table(catalog, ("n",), "t")
    catalog.commit_table("n", "t", [{"action": "set-properties", "updates": {"a": "b"}}])

    assert table.refresh().properties == {"a": "b"}


def test_conflicting_commit_raises_commit_failed_exception(catalog):
    table = pyiceberg_table(catalog, "n", "t")
    change = table.update_schema().add_column("more", LongType())
    pyiceberg_table(catalog, "n", "t").update_schema().add_column("first", LongType()).commit()

    with pytest.raises(CommitFailedException):
        change.commit()


def test_missing_table_raises_no_such_table(catalog):
    with pytest.raises(NoSuchTable):
        pyiceberg_table(catalog, "n", "missing")
