"""Raw requests to a server, and their answers."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

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
    def error(self) -> tuple[int, str]:
        """Return status and error type of an answer with exactly the contract's envelope."""
        error = self.document["error"]
        assert (set(self.document), set(error)) == ({"error"}, {"message", "type", "code"})
        assert error["code"] == self.status
        return self.status, error["type"]

    @property
    def message(self) -> str:
        return self.document["error"]["message"]


class Sender:
    """A connection to a server, which is called to send a request.

    Each request has the path behind `below`, and the given headers.
    """

    server: Server  #: if it is this sender's own

    def __init__(self, url: str, *, below: str = "", **headers: str) -> None:
        self.url, self._below, self._headers = url, below, headers
        self._connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)
        self._used = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def __call__(self, method: str, path: str, body: Any = None, **headers: str | bytes) -> Answer:
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = {name.replace("_", "-"): value for name, value in (self._headers | headers).items()}
        if raw is not None:
            sent.setdefault("content-type", "application/json")
        if time.monotonic() - self._used > 1:  # the server closes idle connections
            self._connection.close()
        self._connection.request(method, self._below + path, raw, sent)
        response = self._connection.getresponse()
        answer = Answer(
            response.status,
            {name.lower(): value for name, value in response.getheaders()},
            response.read(),
        )
        self._used = time.monotonic()
        return answer


@contextmanager
def serving(**settings: Any) -> Generator[Sender]:
    """Yield a sender to a server of its own."""
    with running(**settings) as server, Sender(server.url) as send:
        send.server = server
        yield send
