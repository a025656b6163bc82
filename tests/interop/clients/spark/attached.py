"""Spark creates, writes and reads a table of the catalog `wxd` with the settings in the arguments,
NAME=VALUE.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

building = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
for argument in sys.argv[1:]:
    building = building.config(*argument.split("=", 1))

spark = building.getOrCreate()
spark.sql("CREATE NAMESPACE wxd.sales")
spark.sql("CREATE TABLE wxd.sales.orders (id BIGINT) USING iceberg")
spark.sql("INSERT INTO wxd.sales.orders VALUES (1), (2)")
print([tuple(row) for row in spark.sql("SELECT sum(id) FROM wxd.sales.orders").collect()])
spark.stop()
