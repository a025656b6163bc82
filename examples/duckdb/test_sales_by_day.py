"""DuckDB on a table of an Iceberg catalog, read with pyiceberg."""

import duckdb
import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog

from lakepact.reference_server import Server


def test_sales_are_summed(lakepact_server: Server) -> None:
    catalog = RestCatalog("test", uri=lakepact_server.url)
    catalog.create_namespace("sales")
    sales = pa.table({"day": ["mon", "mon", "tue"], "amount": [1, 2, 4]})
    catalog.create_table("sales.orders", schema=sales.schema).append(sales)

    orders = catalog.load_table("sales.orders").scan(row_filter="amount < 4").to_arrow()
    rows = duckdb.from_arrow(orders).aggregate("day, sum(amount)", "day").order("day").fetchall()

    assert rows == [("mon", 3)]
