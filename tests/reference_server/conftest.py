"""A shared server, and raw requests to it."""

from __future__ import annotations

import http.client
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from lakepact.reference_server import Server, running


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> tuple[int, str, int]:
        """Return status, error type and code of an answer with exactly the contract's envelope."""
        error = self.document["error"]
        assert (set(self.document), set(error)) == ({"error"}, {"message", "type", "code"})
        return self.status, error["type"], error["code"]

    @property
    def message(self) -> str:
        return self.document["error"]["message"]


Send = Callable[..., Answer]


@contextmanager
def sending(url: str) -> Iterator[Send]:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)

    def send(method: str, path: str, body: Any = None, **headers: str) -> Answer:
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if raw is not None:
            named.setdefault("content-type", "application/json")
        connection.request(method, path, raw, named)
        response = connection.getresponse()
        return Answer(
            response.status,
            {name.lower(): value for name, value in response.getheaders()},
            response.read(),
        )

    send.url = url
    try:
        yield send
    finally:
        connection.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running(warehouse="memory:") as started:
        yield started


@pytest.fixture
def send(server: Server) -> Iterator[Send]:
    with sending(server.url) as send:
        yield send


@pytest.fixture
def sending_to() -> Callable[[str], AbstractContextManager[Send]]:
    """Return a function that opens raw requests to a server."""
    return sending


@pytest.fixture
def namespace(send: Send) -> str:
    """Create a namespace for the test."""
    name = f"ns_{uuid.uuid4().hex}"
    assert send("POST", "/v1/namespaces", {"namespace": [name]}).status == 200
    return name


@pytest.fixture
def table(send: Send, namespace: str) -> str:
    """Create a table for the test, and return its path."""
    schema = {
        "type": "struct",
        "fields": [{"id": 1, "name": "id", "type": "long", "required": True}],
    }
    assert (
        send("POST", f"/v1/namespaces/{namespace}/tables", {"name": "t", "schema": schema}).status
        == 200
    )
    return f"/v1/namespaces/{namespace}/tables/t"
