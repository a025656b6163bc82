"""`lakepact serve --reset-path` empties the catalog between tests."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from click.testing import CliRunner

from lakepact.reference_server.app import application, service
from lakepact.reference_server.cli import serve
from lakepact.reference_server.http.resetting import Resetting
from lakepact.reference_server.settings import Settings


def catalog():
    return application(service("iceberg_rest", Settings()))


def statuses(*requests: tuple[str, str]) -> list[int]:
    """Return the statuses of requests to a catalog whose reset path is /reset."""

    async def answers() -> list[int]:
        transport = httpx.ASGITransport(Resetting(catalog, "/reset"))
        async with httpx.AsyncClient(transport=transport, base_url="http://catalog") as client:
            body = {"namespace": ["n"]}
            return [
                (
                    await client.request(method, path, json=body if path == NAMESPACES else None)
                ).status_code
                for method, path in requests
            ]

    return asyncio.run(answers())


NAMESPACES, NAMESPACE = "/v1/namespaces", "/v1/namespaces/n"


def test_post_to_the_reset_path_empties_the_catalog() -> None:
    created = ("POST", NAMESPACES)

    assert statuses(
        created, ("GET", NAMESPACE), ("POST", "/reset"), ("GET", NAMESPACE), created
    ) == [
        200,
        200,
        204,
        404,
        200,
    ]


def test_get_of_the_reset_path_changes_nothing() -> None:
    assert statuses(("POST", NAMESPACES), ("GET", "/reset"), ("GET", NAMESPACE)) == [200, 404, 200]


@pytest.mark.parametrize(
    "words", [("--store", "file", "--warehouse", "w"), ()], ids=["file", "path"]
)
def test_reset_path_needs_a_catalog_in_memory_and_a_path(words: tuple[str, ...]) -> None:
    refused = CliRunner().invoke(serve, ["--reset-path", "/r" if words else "r", *words])

    assert refused.exit_code == 2
    assert "--reset-path /PATH requires --store memory" in refused.output
