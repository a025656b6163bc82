"""DuckDB creates, writes and reads a table of the catalog that the first argument attaches as
`wxd`.
"""

from __future__ import annotations

import sys

import duckdb
from duckdb_extensions import import_extension

db = duckdb.connect()
for extension in ("avro", "httpfs", "iceberg"):
    import_extension(extension, con=db)
    db.load_extension(extension)

db.execute(sys.argv[1])
db.execute("CREATE SCHEMA wxd.sales")
db.execute("CREATE TABLE wxd.sales.orders (id BIGINT)")
db.execute("INSERT INTO wxd.sales.orders VALUES (1), (2)")
print(db.execute("SELECT sum(id) FROM wxd.sales.orders").fetchall())
