"""One catalog client serves concurrent callers."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx

from lakepact.client import AsyncIcebergCatalog, IcebergCatalog

CONFIG = {"defaults": {}, "overrides": {}}


def reply(request):
    return httpx.Response(
        200,
        json=CONFIG
        if request.url.path == "/v1/config"
        else {"namespace": [request.url.path.rpartition("/")[2]]},
    )


class Counting:
    """A synchronous and asynchronous server that yields before each answer and counts requests."""

    def __init__(self):
        self.paths = []

    def blocking(self, request):
        self.paths.append(request.url.path)
        return reply(request)

    async def in_loop(self, request):
        self.paths.append(request.url.path)
        await asyncio.sleep(0)
        return reply(request)


def test_threads_share_one_configuration_and_get_their_own_answers():
    server = Counting()
    names = [f"n{number}" for number in range(50)]

    http = httpx.Client(transport=httpx.MockTransport(server.blocking))

    with IcebergCatalog("http://irc.test", http=http) as catalog, ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(catalog.load_namespace, names))

    assert [answer.namespace for answer in answers] == [[name] for name in names]
    assert server.paths.count("/v1/config") == 1


def test_tasks_share_one_configuration_and_get_their_own_answers():
    server = Counting()
    names = [f"n{number}" for number in range(50)]

    async def load():
        http = httpx.AsyncClient(transport=httpx.MockTransport(server.in_loop))
        async with AsyncIcebergCatalog("http://irc.test", http=http) as catalog:
            return await asyncio.gather(*map(catalog.load_namespace, names))

    assert [answer.namespace for answer in asyncio.run(load())] == [[name] for name in names]
    assert server.paths.count("/v1/config") == 1
