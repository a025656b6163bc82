"""A server whose tables are files, and a namespace of it for each test."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server import Server, running
from raw_requests import Answer, Sender
from sample_tables.schemas import SCHEMA


@pytest.fixture(scope="module")
def files() -> Iterator[Server]:
    """Yield a server whose tables are files."""
    with running() as server:
        yield server


@pytest.fixture
def within(files: Server) -> Iterator[Sender]:
    """Yield a sender of requests about a new namespace."""
    name = f"ns_{uuid.uuid4().hex}"
    with Sender(files.url, below="/v1/namespaces") as send:
        assert send("POST", "", {"namespace": [name]}).status == 200
    with Sender(files.url, below=f"/v1/namespaces/{name}") as send:
        yield send


def create(within: Sender, name: str = "t", **members: Any) -> Any:
    """Create a table, and return the document of the answer."""
    return within("POST", "/tables", {"name": name, "schema": SCHEMA, **members}).document


def set_property(within: Sender, table: str = "t", **properties: str) -> Any:
    """Commit properties, `a` by default, and return the document of the answer."""
    update = {"action": "set-properties", "updates": properties or {"a": "b"}}
    body = {"requirements": [], "updates": [update]}
    return within("POST", f"/tables/{table}", body).document


def register(within: Sender, location: str, name: str = "u", **members: Any) -> Answer:
    body = {"name": name, "metadata-location": location, **members}
    return within("POST", "/register", body)


def path_of(location: str) -> Path:
    return Path(location.removeprefix("file://"))
