"""An asynchronous service that answers questions about all tables of a namespace, many at once."""

import asyncio
from collections.abc import AsyncIterator

from lakepact.client import AsyncIcebergCatalog, IcebergCatalog
from lakepact.reference_server import Server

SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": False}]}


async def owners(
    catalog: AsyncIcebergCatalog, namespace: str, at_once: int = 32
) -> AsyncIterator[tuple[str, str]]:
    """The program: yield the owner of every table; so many tables are loaded at once."""
    free = asyncio.Semaphore(at_once)

    async def owner(name: str) -> tuple[str, str]:
        async with free:
            loaded = await catalog.load_table((namespace, name), snapshots="refs")
        return name, loaded.metadata.properties.get("owner", "unknown")

    names = [table.name async for table in catalog.list_tables(namespace)]
    for found in asyncio.as_completed([owner(name) for name in names]):
        yield await found


def test_service_knows_the_owner_of_every_table(lakepact_server: Server) -> None:
    expected = {f"t{number}": f"team{number % 7}" for number in range(200)}
    with IcebergCatalog(lakepact_server.url) as catalog:
        catalog.create_namespace("sales")
        for name, team in expected.items():
            catalog.create_table(("sales", name), SCHEMA, properties={"owner": team})

    async def answered() -> dict[str, str]:
        async with AsyncIcebergCatalog(lakepact_server.url) as catalog:
            return {name: team async for name, team in owners(catalog, "sales")}

    assert asyncio.run(answered()) == expected
