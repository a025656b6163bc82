"""The router accepts and refuses the same requests as stock connexion."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterable
from typing import Any

import connexion
import httpx
import pytest
from connexion.resolver import Resolver

from lakepact.generated.contract import Contract
from lakepact.reference_server.app import application, service
from lakepact.reference_server.http.replies import Reply
from lakepact.reference_server.settings import Settings

Request = tuple[str, str]

#: Stock connexion decodes a path before it splits it, so that an encoded slash ends a segment; the
#: router knows better.
SLASH = "/v1/p/namespaces/n%2Fm"

PATHS = [
    "/v1/config",
    "/v1/p/namespaces",
    "/v1/p/namespaces/n",
    "/v1/p/namespaces/n%1Fm",
    "/v1/p/namespaces/n%20m+%C3%A9",
    "/v1/p/namespaces/n/properties",
    "/v1/p/namespaces/n/register",
    "/v1/p/namespaces/n/tables",
    "/v1/p/namespaces/n/tables/t",
    "/v1/p/namespaces/n/tables/t%25",
    "/v1/p/namespaces/n/tables/t/credentials",
    "/v1/p/namespaces/n/views/v",
    "/v1/p/tables/rename",
    "/v1/p/transactions/commit",
    "/v1/config/namespaces",
    "/v1/p/nonsense",
    "/v1/p/namespaces/n/tables/t/nonsense",
    "/v1",
    "/v2/config",
    "/v1/p//namespaces",
    SLASH,
]
METHODS = ["GET", "DELETE", "PUT", "PATCH"]
QUERIES = {
    "/v1/config": ["", "?warehouse=", "?warehouse=a%2Fb", "?x=1", "?warehouse=a&x=1"],
    "/v1/p/namespaces": [
        "?parent=",
        "?parent=a%1Fb",
        "?pageToken=",
        "?pageToken=x&pageSize=1",
        "?pageSize=1",
        "?pageSize=2147483647",
        "?pageSize=0",
        "?pageSize=-1",
        "?pageSize=abc",
        "?pageSize=1.5",
        "?pageSize=",
        "?pageSize=1e3",
        "?unknown=1",
    ],
    "/v1/p/namespaces/n/tables/t": [
        "?snapshots=all",
        "?snapshots=refs",
        "?snapshots=foo",
        "?snapshots=",
        "?snapshots=ALL",
        "?x=y",
    ],
}
CORPUS: list[Request] = [(method, path) for path in PATHS for method in METHODS]
CORPUS += [("GET", path + query) for path, queries in QUERIES.items() for query in queries]
CORPUS += [
    ("DELETE", f"/v1/p/namespaces/n/tables/t?purgeRequested={value}")
    for value in ("true", "false", "True", "maybe", "1", "")
]

DIFFERENT: dict[Request, tuple[int, int]] = {
    ("GET", SLASH): (404, 200),
    ("DELETE", SLASH): (404, 200),
    ("PUT", SLASH): (404, 405),
    ("PATCH", SLASH): (404, 405),
}


def ask(app: Any, requests: Iterable[Request]) -> dict[Request, int]:
    async def all_of_them() -> dict[Request, int]:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://catalog") as client:
            return {
                (method, path): (await client.request(method, path)).status_code
                for method, path in requests
            }

    return asyncio.run(all_of_them())


def open_to_all(routing: Any) -> Any:
    """Return the routing without its security, which other tests cover."""
    if isinstance(routing, dict):
        return {name: open_to_all(member) for name, member in routing.items() if name != "security"}
    return [open_to_all(item) for item in routing] if isinstance(routing, list) else routing


@pytest.fixture(scope="module")
def stock() -> dict[Request, int]:
    app = connexion.AsyncApp(__name__)
    app.add_api(
        open_to_all(Contract("iceberg_rest").routing),
        base_path="",
        resolver=Resolver(lambda _: lambda **__: ("", 200)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ask(app, CORPUS)


@pytest.fixture(scope="module")
def router() -> dict[Request, int]:
    made = service("iceberg_rest", Settings())
    made.paths = lambda template: (template,)
    made.handlers.update(dict.fromkeys(made.contract.operations, lambda **_: Reply(200)))
    made.unavailable = frozenset()
    return ask(application(made), CORPUS)


@pytest.mark.parametrize("request_", CORPUS, ids=" ".join)
def test_router_returns_the_status_of_stock_connexion(
    stock: dict[Request, int], router: dict[Request, int], request_: Request
) -> None:
    expected = DIFFERENT.get(request_, (stock[request_], stock[request_]))

    assert (stock[request_], router[request_]) == expected
