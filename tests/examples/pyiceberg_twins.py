"""Programs of the examples as they are with pyiceberg; the readme of the examples compares the
lines.
"""

from __future__ import annotations

import asyncio
import base64
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.types import LongType, StringType, TimestamptzType

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from datetime import datetime

    import pyarrow as pa
    from pyiceberg.catalog import Catalog
    from pyiceberg.table.update.schema import UpdateSchema


def nightly(catalog: Catalog, orders: pa.Table, now: datetime) -> int:
    catalog.create_namespace_if_not_exists("sales")
    table = catalog.create_table_if_not_exists("sales.orders", orders.schema)
    with table.update_schema() as schema:
        schema.union_by_name(orders.schema)
    table.overwrite(orders, f"day = '{now:%Y-%m-%d}'", snapshot_properties={"job": "nightly"})
    table.maintenance.expire_snapshots().older_than(now - timedelta(days=7)).commit()
    return table.scan(selected_fields=("id",)).to_arrow().num_rows


def migrate(url: str, table: str) -> str:
    def edit(name: str, edits: Callable[[UpdateSchema], object]) -> None:
        for attempt in range(20):
            try:
                with catalog.load_table(name).update_schema() as schema:
                    edits(schema)
                return  # noqa: TRY300 - an else would make it longer than it has to be
            except CommitFailedException:
                time.sleep(0.01 * 2 ** min(attempt, 6))
        raise CommitFailedException(name)

    catalog = load_catalog("lake", uri=url)
    edit(
        table,
        lambda schema: (
            schema.update_column("id", LongType())
            .rename_column("id", "order_id")
            .add_column("note", StringType())
        ),
    )
    edit(
        "sales.migrated",
        lambda schema: schema.add_column(table.partition(".")[2], TimestamptzType()),
    )
    return table


async def owners(
    catalog: Catalog, namespace: str, at_once: int = 32
) -> AsyncIterator[tuple[str, str]]:
    free = asyncio.Semaphore(at_once)

    async def owner(identifier: tuple[str, ...]) -> tuple[str, str]:
        async with free:
            table = await asyncio.to_thread(catalog.load_table, identifier)
        return identifier[-1], table.properties.get("owner", "unknown")

    names = await asyncio.to_thread(catalog.list_tables, namespace)
    for found in asyncio.as_completed([owner(name) for name in names]):
        yield await found


def publish(instance: str, name: str, user: str, key: str, orders: pa.Table) -> list[str]:
    encoded = base64.b64encode(f"{user}:{key}".encode()).decode()
    settings = {
        "prefix": name,
        "auth": {"type": "noop"},
        "header.Authorization": f"ZenApiKey {encoded}",
    }
    with load_catalog("watsonx", uri=f"{instance}/mds/iceberg", **settings) as catalog:
        catalog.create_namespace_if_not_exists("sales")
        catalog.create_table_if_not_exists("sales.orders", orders.schema).append(orders)
        return [found[-1] for found in catalog.list_tables("sales")]
