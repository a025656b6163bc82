"""DuckDB on a table of an Iceberg catalog, read with pyiceberg."""

import duckdb
import pyarrow as pa
from pyiceberg.catalog.rest import RestCatalog


def test_sales_are_summed(lakepact_server):
    catalog = RestCatalog("test", uri=lakepact_server.url)
    catalog.create_namespace("sales")
    sales = pa.table({"day": ["mon", "mon", "tue"], "amount": [1, 2, 4]})
    catalog.create_table("sales.orders", schema=sales.schema).append(sales)

    orders = catalog.load_table("sales.orders").scan(row_filter="amount < 4").to_arrow()  # noqa: F841 - DuckDB finds it by name
    rows = duckdb.sql("SELECT day, sum(amount) FROM orders GROUP BY day ORDER BY day").fetchall()

    assert rows == [("mon", 3)]
