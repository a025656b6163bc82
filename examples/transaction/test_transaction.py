"""The books of a month are closed: several tables get a tag and a property together, or none of them does."""

import pyarrow as pa
import pytest

from lakepact.client import IcebergCatalog, NoSuchTable
from lakepact.reference_server import Server


def close_books(catalog: IcebergCatalog, tables: list[str], month: str) -> None:
    """The program: one commit for all tables."""
    transaction = catalog.transaction()
    for table in tables:
        transaction.change(table).set_tag(f"closed-{month}").set_properties({"closed": month})
    transaction.commit()


def filled(catalog: IcebergCatalog, *tables: str) -> list[str]:
    """Create tables with a row."""
    rows = pa.table({"id": [1]})
    catalog.create_namespace("books")
    for table in tables:
        catalog.create_table(table, rows.schema)
        catalog.append(table, rows)
    return list(tables)


def test_closed_books_are_read_by_their_tag(lakepact_server: Server) -> None:
    with IcebergCatalog(lakepact_server.url) as catalog:
        tables = filled(catalog, "books.sales", "books.refunds")
        close_books(catalog, tables, "2026-10")
        catalog.append("books.sales", pa.table({"id": [2]}))

        for table in tables:
            assert catalog.load_table(table).metadata.properties["closed"] == "2026-10"
            assert catalog.scan(table, snapshot="closed-2026-10").to_arrow().num_rows == 1


def test_no_book_is_closed_if_one_is_missing(lakepact_server: Server) -> None:
    with IcebergCatalog(lakepact_server.url) as catalog:
        (sales,) = filled(catalog, "books.sales")

        with pytest.raises(NoSuchTable):
            close_books(catalog, [sales, "books.refunds"], "2026-10")

        assert "closed" not in catalog.load_table(sales).metadata.properties
