"""A shared server, and raw requests to it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from lakepact.reference_server import Server, running
from raw_requests import Sender
from sample_tables.schemas import SCHEMA


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running(warehouse="memory:") as started:
        yield started


@pytest.fixture
def send(server: Server) -> Iterator[Sender]:
    with Sender(server.url) as send:
        yield send


@pytest.fixture
def namespace(send: Sender) -> str:
    """Create a namespace for the test."""
    name = f"ns_{uuid.uuid4().hex}"
    assert send("POST", "/v1/namespaces", {"namespace": [name]}).status == 200
    return name


@pytest.fixture
def tables(namespace: str) -> str:
    """Return the path of the tables in the namespace of the test."""
    return f"/v1/namespaces/{namespace}/tables"


@pytest.fixture
def table(send: Sender, tables: str) -> str:
    """Create a table for the test, and return its path."""
    assert send("POST", tables, {"name": "t", "schema": SCHEMA}).status == 200
    return f"{tables}/t"
