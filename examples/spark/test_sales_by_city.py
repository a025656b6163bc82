"""Spark on a table of the catalog, without a jar."""

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from lakepact.client import pyiceberg_table
from lakepact.spark import LakepactDataSource

SCHEMA = {
    "type": "struct",
    "fields": [
        {"id": 1, "name": "city", "type": "string", "required": False},
        {"id": 2, "name": "amount", "type": "long", "required": False},
    ],
}


@pytest.fixture
def spark():
    spark = (
        SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    )
    spark.dataSource.register(LakepactDataSource)
    yield spark
    spark.stop()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_amounts_are_summed_by_city(spark, lakepact_server, lakepact_catalog):
    lakepact_catalog.create_namespace("shop")
    lakepact_catalog.create_table("shop.sales", SCHEMA)
    pyiceberg_table(lakepact_catalog, "shop", "sales").append(
        pa.table({"city": ["Rome", "Oslo", "Rome"], "amount": [3, 4, 5]})
    )

    sales = spark.read.format("lakepact").option("catalog", lakepact_server.url).load("shop.sales")

    by_city = sales.where("amount > 3").groupBy("city").sum("amount")
    assert sorted(map(tuple, by_city.collect())) == [("Oslo", 4), ("Rome", 5)]
