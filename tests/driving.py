"""One interface to both catalogs, which awaits results and collects iterations."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any, Self

import httpx

from lakepact.client import AsyncIcebergCatalog, IcebergCatalog
from lakepact.generated.contract import Contract


def through(kind: type, carrier: Any) -> httpx.Client | httpx.AsyncClient:
    """Return the client of httpx for a client of that kind, with a transport that replaces the
    network.
    """
    return (
        httpx.AsyncClient(transport=carrier)
        if kind.__name__.startswith("Async")
        else httpx.Client(transport=carrier)
    )


class Driven:
    """A catalog of either kind, with synchronous methods."""

    def __init__(self, kind: type, address: str, *, carrier: Any = None, **options: Any) -> None:
        self._runner = asyncio.Runner()
        self._http = through(kind, carrier) if carrier else None
        self.catalog = kind(address, http=self._http, **options)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: self.result_of(
            getattr(self.catalog, method)(*args, **kwargs)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.result_of(self.catalog.close())
        if self._http is not None:
            self.result_of(
                self._http.aclose()
                if isinstance(self._http, httpx.AsyncClient)
                else self._http.close()
            )
        self._runner.close()

    def result_of(self, result: Any) -> Any:
        if inspect.isasyncgen(result):
            return self._runner.run(_items_of(result))
        if inspect.isgenerator(result):
            return list(result)
        return self._runner.run(result) if inspect.iscoroutine(result) else result


async def _items_of(iterator: Any) -> list[Any]:
    return [item async for item in iterator]


KINDS = {"sync": IcebergCatalog, "async": AsyncIcebergCatalog}
#: What a server lists that offers every operation.
ENDPOINTS = [
    f"{operation.method} {operation.path}"
    for operation in Contract("iceberg_rest", "1.11.0").operations.values()
]


class Desk:
    """A server that answers by method and raw path, without the query, and records requests."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.requests: list[httpx.Request] = []

    @property
    def carrier(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    @property
    def calls(self) -> list[str]:
        """The requests after that for the configuration."""
        return [
            self._name(request)
            for request in self.requests
            if not request.url.path.endswith("/config")
        ]

    def _name(self, request: httpx.Request) -> str:
        return f"{request.method} {request.url.raw_path.partition(b'?')[0].decode()}"

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.get(self._name(request), httpx.Response(418))
        if callable(answer):
            answer = answer(request)
        if not isinstance(answer, httpx.Response):
            return httpx.Response(200, json=answer)
        # A response belongs to the client that has read it, so each request gets its own.
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)


CONFLICT = {"error": {"message": "changed", "type": "CommitFailedException", "code": 409}}


class Unreliable(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Passes requests on, and lets a function answer commits."""

    def __init__(
        self, commit: Callable[[httpx.BaseTransport, httpx.Request], httpx.Response]
    ) -> None:
        self._inner = httpx.HTTPTransport()
        self._commit = commit
        self.commits = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method != "POST":
            return self._inner.handle_request(request)
        self.commits += 1
        return self._commit(self._inner, request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        reply = self.handle_request(request)
        return httpx.Response(reply.status_code, headers=reply.headers, content=reply.read())

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        self._inner.close()


def apply_and_disconnect(inner: httpx.BaseTransport, request: httpx.Request) -> httpx.Response:
    inner.handle_request(request).read()
    raise httpx.ReadError("gone")
