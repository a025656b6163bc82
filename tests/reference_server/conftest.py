"""A server that all tests here may use, and requests to it that no client library has tidied up."""

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
        """Status, error type and code, of an answer that has exactly the contract's envelope."""
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
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())

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
    """To servers that a test has started itself."""
    return sending


@pytest.fixture
def namespace(send: Send) -> str:
    """Return a namespace of the test's own."""
    name = f"ns_{uuid.uuid4().hex}"
    assert send("POST", "/v1/namespaces", {"namespace": [name]}).status == 200
    return name


@pytest.fixture
def table(send: Send, namespace: str) -> str:
    """Return the path of a table of the test's own."""
    schema = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": True}]}
    assert send("POST", f"/v1/namespaces/{namespace}/tables", {"name": "t", "schema": schema}).status == 200
    return f"/v1/namespaces/{namespace}/tables/t"
