"""A table is copied as a stream, with keys of the catalog that expire before the copy is done."""

import logging
from pathlib import Path

import pyarrow as pa
import pytest

from lakepact.client import IcebergCatalog
from lakepact.reference_server import Server

pytestmark = pytest.mark.lakepact(config=Path(__file__).with_name("server.toml"))


def copy(catalog: IcebergCatalog, source: str, target: str, columns: pa.Schema) -> None:
    """The program: it holds one batch of rows, and loads the keys of both tables again when they expire."""
    catalog.create_table(target, columns)
    catalog.append(
        target, pa.RecordBatchReader.from_batches(columns, catalog.scan(source).batches())
    )


ROWS = pa.table({"id": [1, 2, 3], "city": ["Rome", "Oslo", None]})


def filled(catalog: IcebergCatalog, table: str, files: int) -> None:
    """Create a table with a number of equal files."""
    catalog.create_namespace("sales")
    catalog.create_table(table, ROWS.schema)
    for _ in range(files):
        catalog.append(table, ROWS)


def test_keys_are_vended_for_the_location_of_the_table(lakepact_server: Server) -> None:
    with IcebergCatalog(lakepact_server.url) as catalog:
        filled(catalog, "sales.orders", files=1)
        loaded = catalog.load_table("sales.orders", access_delegation="vended-credentials")

        (keys,) = loaded.storage_credentials
        assert loaded.metadata.location.startswith(keys.prefix)
        assert "s3.session-token-expires-at-ms" in keys.config


def test_long_copy_renews_its_keys(
    lakepact_server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    with IcebergCatalog(lakepact_server.url) as catalog:
        filled(catalog, "sales.orders", files=4)
        with caplog.at_level(logging.DEBUG, "lakepact.client"):
            copy(catalog, "sales.orders", "sales.orders_copy", ROWS.schema)

        loads = [
            record for record in caplog.records if record.getMessage().startswith("loadTable:")
        ]
        assert len(loads) > 4  # the keys had expired before each file
        assert catalog.scan("sales.orders_copy").to_arrow().num_rows == 12
