"""Tables in a catalog of IBM watsonx.data, which knows its callers by user and API key."""

from pathlib import Path

import pyarrow as pa
import pytest

from lakepact.client import NotAuthenticated, WatsonxCatalog, ZenApiKey
from lakepact.reference_server import Server

CREDENTIALS = Path(__file__).with_name("credentials.yaml")
pytestmark = pytest.mark.lakepact(
    contract="watsonx_data", prefix="iceberg_data", credentials=CREDENTIALS
)


def publish(instance: str, name: str, auth: ZenApiKey, orders: pa.Table) -> list[str]:
    """The program: append orders to a table, which is created first if need be, and return the tables of its namespace."""
    with WatsonxCatalog(instance, name, auth=auth) as catalog:
        catalog.create_namespace("sales", exist_ok=True)
        catalog.create_table("sales.orders", orders.schema, exist_ok=True)
        catalog.append("sales.orders", orders)
        return [found.name for found in catalog.list_tables("sales")]


HANK = ZenApiKey("hank", "an-api-key")
ROWS = pa.table({"id": [1, 2]})


def test_rows_are_published_twice(lakepact_server: Server) -> None:
    for _ in range(2):
        assert publish(lakepact_server.url, "iceberg_data", HANK, ROWS) == ["orders"]

    with WatsonxCatalog(lakepact_server.url, "iceberg_data", auth=HANK) as catalog:
        assert len(catalog.load_table("sales.orders").metadata.snapshots) == 2
        assert catalog.scan("sales.orders").to_arrow().num_rows == 4


def test_wrong_key_is_not_authenticated(lakepact_server: Server) -> None:
    with pytest.raises(NotAuthenticated):
        publish(lakepact_server.url, "iceberg_data", ZenApiKey("hank", "another"), ROWS)
