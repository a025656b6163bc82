"""A copy of a shared table is kept up to date: it is read once, and then only the changes are."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from lakepact.client import SharingClient, column
from lakepact.reference_server import running


def refreshed(
    client: SharingClient, table: str, copy: pd.DataFrame | None = None, version: int = 0
) -> tuple[pd.DataFrame, int]:
    """The program: return the rows of a table by their id, and its version, from a copy of an earlier version if there is one."""
    shared = client.table(table)
    now = shared.version()
    if copy is None:
        return shared.to_pandas(version=now).set_index("id"), now
    if now == version:
        return copy, version
    changes = (
        shared.changes(starting_version=version + 1, ending_version=now)
        .to_pandas()
        .query("_change_type != 'update_preimage'")
    )
    last = (
        changes.sort_values(["_commit_version", "_change_type"])
        .drop_duplicates("id", keep="last")
        .set_index("id")
    )
    return pd.concat(
        [
            copy.query("id not in @last.index"),
            last.query("_change_type != 'delete'").filter(list(copy.columns)),
        ]
    ), now


SHARES = """
version: 1
shares:
- name: sales
  schemas:
  - name: europe
    tables:
    - {{name: orders, location: {orders}, historyShared: true}}
recipients:
- {{name: partner, bearerToken: a-token-of-your-own}}
"""


@pytest.fixture
def orders(tmp_path: Path) -> str:
    """Write a table with two orders and return its path."""
    rows = pa.table({"id": [1, 2], "city": ["Rome", "Oslo"]})
    write_deltalake(tmp_path / "orders", rows, configuration={"delta.enableChangeDataFeed": "true"})
    return str(tmp_path / "orders")


@pytest.fixture
def client(tmp_path: Path, orders: str) -> Iterator[SharingClient]:
    """Yield a client of a server that shares the table."""
    shares = tmp_path / "shares.yaml"
    shares.write_text(SHARES.format(orders=orders))
    with running(shares=shares) as server:
        profile = {
            "shareCredentialsVersion": 1,
            "endpoint": server.address("delta_sharing"),
            "bearerToken": "a-token-of-your-own",
        }
        with SharingClient(profile) as opened:
            yield opened


def test_shared_tables_are_listed(client: SharingClient) -> None:
    listed = [
        (table.share, table.schema_, table.name)
        for share in client.shares()
        for table in client.all_tables(share.name)
    ]

    assert listed == [("sales", "europe", "orders")]


def test_copy_follows_the_changes(client: SharingClient, orders: str) -> None:
    first, version = refreshed(client, "sales.europe.orders")
    DeltaTable(orders).update(predicate="id = 1", new_values={"city": "Paris"})
    DeltaTable(orders).delete("id = 2")
    write_deltalake(orders, pa.table({"id": [3], "city": ["Bonn"]}), mode="append")

    copy, now = refreshed(client, "sales.europe.orders", first, version)

    assert (first["city"].to_dict(), version) == ({1: "Rome", 2: "Oslo"}, 0)
    assert (copy["city"].to_dict(), now) == ({1: "Paris", 3: "Bonn"}, 3)


def test_columns_and_rows_are_read_to_arrow(client: SharingClient) -> None:
    orders = client.table("sales.europe.orders")

    assert orders.to_arrow(columns=["city"], row_filter=column("id") == 2).to_pylist() == [
        {"city": "Oslo"}
    ]
