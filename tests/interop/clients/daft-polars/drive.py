"""Steps of Daft and Polars, which load tables through pyiceberg and write files to the
warehouse.
"""

from __future__ import annotations

import uuid

import daft
import polars as pl
from client_steps import URL, step
from daft.catalog import Catalog
from pyiceberg.catalog import load_catalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType

NS = f"frames_{uuid.uuid4().hex[:8]}"
ROWS = {"id": [1, 2, 3], "name": ["a", "b", "c"]}

catalog = load_catalog("lake", type="rest", uri=URL)
catalog.create_namespace(NS)
catalog.create_table(
    (NS, "t"), Schema(NestedField(1, "id", LongType()), NestedField(2, "name", StringType()))
)
lake = Catalog.from_iceberg(catalog)


def table() -> object:
    """Return the current table."""
    return catalog.load_table((NS, "t"))


def sql() -> object:
    """Return the number of rows that Daft's SQL counts in the table."""
    daft.attach_catalog(lake, "lake")
    return daft.sql(f"SELECT count(*) AS n FROM lake.{NS}.t").to_pydict()


step("polars: append", lambda: pl.DataFrame(ROWS).write_iceberg(table(), mode="append"))
step(
    "polars: scan",
    lambda: pl.scan_iceberg(table()).collect().sort("id").to_dict(as_series=False),
    ROWS,
)
step(
    "polars: filter",
    lambda: pl.scan_iceberg(table()).filter(pl.col("id") > 1).select("name").collect().height,
    2,
)
step("polars: overwrite", lambda: pl.DataFrame(ROWS).write_iceberg(table(), mode="overwrite"))
step("daft: read", lambda: daft.read_iceberg(table()).sort("id").to_pydict(), ROWS)
step(
    "daft: append",
    lambda: daft.from_pydict({"id": [4], "name": ["d"]}).write_iceberg(table(), mode="append"),
)
step("daft: filter", lambda: daft.read_iceberg(table()).where(daft.col("id") >= 3).count_rows(), 2)
step(
    "daft: list tables",
    lambda: [str(name).rpartition(".")[2] for name in lake.list_tables(NS)],
    ["t"],
)
step("daft: table of the catalog", lambda: lake.get_table(f"{NS}.t").read().count_rows(), 4)
step("daft: create table", lambda: lake.create_table(f"{NS}.made", daft.from_pydict(ROWS)))
step("daft: SQL", sql, {"n": [4]})
step("daft: drop table", lambda: lake.drop_table(f"{NS}.made"))
step("pyiceberg: drop", lambda: (catalog.drop_table((NS, "t")), catalog.drop_namespace(NS)))
