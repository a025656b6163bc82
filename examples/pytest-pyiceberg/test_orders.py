"""A project's own code on pyiceberg, tested against an empty catalog for each test."""

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import ServiceUnavailableError

from lakepact.reference_server import Server


def store_orders(catalog: RestCatalog, orders: pa.Table) -> None:
    """The code under test: append to the table, which is created if it does not exist."""
    catalog.create_namespace_if_not_exists("sales")
    catalog.create_table_if_not_exists("sales.orders", schema=orders.schema).append(orders)


ORDERS = pa.table({"id": [1, 2], "amount": [10.0, 20.0]})


def test_orders_are_appended(lakepact_server: Server) -> None:
    catalog = RestCatalog("test", uri=lakepact_server.url)

    store_orders(catalog, ORDERS)
    store_orders(catalog, ORDERS)

    assert catalog.load_table("sales.orders").scan().to_arrow()["id"].to_pylist() == [1, 2, 1, 2]


@pytest.mark.lakepact(fault="createTable.answers-503")
def test_outage_is_an_error(lakepact_server: Server) -> None:
    catalog = RestCatalog("test", uri=lakepact_server.url)

    with pytest.raises(ServiceUnavailableError):
        store_orders(catalog, ORDERS)
