"""The repr of a public object is one short line without secrets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

import lakepact.client as c
from lakepact.generated.iceberg_rest import models
from lakepact.reference_server.running import running
from sample_tables.table_documents import table

SECRET = "s3cr3t"
SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [{"id": 1, "name": "n", "type": "long", "required": False}],
}
METADATA = {
    **table(),
    "schemas": [SCHEMA] * 200,
    "properties": {str(n): SECRET for n in range(100)},
}


@pytest.fixture(scope="module")
def public() -> Iterator[list[Any]]:
    """Yield a server, its catalog and what a catalog returns, and the values that a caller passes
    to it.
    """
    with running() as server, c.IcebergCatalog(server.url, auth=c.BearerToken(SECRET)) as catalog:
        yield [
            server,
            catalog,
            catalog.config,
            c.AsyncIcebergCatalog(server.url, auth=c.BearerToken(SECRET)),
            c.BearerToken(SECRET),
            c.BasicAuth("user", SECRET),
            c.ZenApiKey("user", SECRET),
            c.ClientCredentials("http://127.0.0.1/token", "client", SECRET),
            c.Profile.read(
                {
                    "shareCredentialsVersion": 1,
                    "endpoint": "http://127.0.0.1",
                    "bearerToken": SECRET,
                }
            ),
            c.Retries(),
            c.Timeouts(),
            c.Limits(),
            c.column("n") > 1,
            models.LoadTableResult.model_validate(
                {
                    "metadata-location": "file:///t",
                    "metadata": METADATA,
                    "config": {"s3.secret": SECRET},
                }
            ),
            models.OAuthTokenResponse.model_validate(
                {"access_token": SECRET, "token_type": "bearer"}
            ),
            httpx.URL(server.url),
        ]


def test_repr_of_public_objects_is_one_short_line(public: list[Any]) -> None:
    assert [repr(each) for each in public if len(repr(each)) > 300 or "\n" in repr(each)] == []


def test_repr_of_public_objects_hides_secrets(public: list[Any]) -> None:
    assert [repr(each) for each in public if SECRET in f"{each!r} {each}"] == []
