"""Requests that offer another protocol are answered in HTTP/1.1, with their bodies."""

from __future__ import annotations

import contextlib
import http.client
from collections.abc import Iterator

import pytest

from lakepact.reference_server import running

#: What Java's HTTP client sends with its first request.
OFFER = {
    "Connection": "Upgrade, HTTP2-Settings",
    "Upgrade": "h2c",
    "HTTP2-Settings": "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
}


@pytest.fixture(scope="module", params=[True, False], ids=["fast path", "uvicorn's"])
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    with running(warehouse="memory:", fast_path=request.param) as server:
        yield int(server.url.rpartition(":")[2])


def test_body_of_a_request_that_offers_an_upgrade_is_read(port: int) -> None:
    statuses = []
    with contextlib.closing(
        http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    ) as connection:
        for name in ("a", "b"):  # the connection stays usable
            body = f'{{"namespace":["{name}"]}}'
            connection.request(
                "POST", "/v1/namespaces", body, {"Content-Type": "application/json", **OFFER}
            )
            reply = connection.getresponse()
            reply.read()
            statuses.append(reply.status)

    assert statuses == [200, 200]
