"""A nightly job: new columns of the day's orders are added, its rows are replaced, and snapshots of last week are expired."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa

from lakepact.client import IcebergCatalog
from lakepact.reference_server import Server


def nightly(catalog: IcebergCatalog, orders: pa.Table, now: datetime) -> int:
    """The program: it can be started again after any failure, and returns the number of all orders."""
    catalog.create_namespace("sales", exist_ok=True)
    catalog.create_table("sales.orders", orders.schema, exist_ok=True)
    catalog.change("sales.orders").union_by_name(orders.schema).commit()
    catalog.overwrite(
        "sales.orders", orders, f"day = '{now:%Y-%m-%d}'", snapshot_properties={"job": "nightly"}
    )
    catalog.change("sales.orders").expire_snapshots(now - timedelta(days=7)).commit()
    return catalog.scan("sales.orders", ["id"]).to_arrow().num_rows


NOW = datetime.now(UTC)
TODAY = f"{NOW:%Y-%m-%d}"
TODAY_TWICE = [TODAY, TODAY]


def test_second_night_adds_a_column(lakepact_server: Server) -> None:
    tomorrow = NOW + timedelta(days=1)
    with IcebergCatalog(lakepact_server.url) as catalog:
        assert nightly(catalog, pa.table({"id": [1, 2], "day": TODAY_TWICE}), NOW) == 2
        assert (
            nightly(
                catalog,
                pa.table({"id": [3], "day": [f"{tomorrow:%Y-%m-%d}"], "note": ["late"]}),
                tomorrow,
            )
            == 3
        )

        found = catalog.scan("sales.orders", ["id", "note"], "id > 1").to_arrow().sort_by("id")
        assert found.to_pylist() == [{"id": 2, "note": None}, {"id": 3, "note": "late"}]


def test_job_that_runs_twice_has_its_rows_once(lakepact_server: Server) -> None:
    orders = pa.table({"id": [1, 2], "day": TODAY_TWICE})
    with IcebergCatalog(lakepact_server.url) as catalog:
        assert nightly(catalog, orders, NOW) == nightly(catalog, orders, NOW) == 2


def test_snapshots_of_last_week_are_expired(lakepact_server: Server) -> None:
    with IcebergCatalog(lakepact_server.url) as catalog:
        nightly(catalog, pa.table({"id": [1], "day": [TODAY]}), NOW)
        nightly(catalog, pa.table({"id": [2], "day": ["2026-01-01"]}), NOW + timedelta(days=8))

        assert len(catalog.load_table("sales.orders").metadata.snapshots) == 1
