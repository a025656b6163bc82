"""Servers with principals, and requests of those principals."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from lakepact.reference_server import Server, running
from sample_tables.schemas import SCHEMA

#: The principals of these tests, and what they may do.
GRANTS = {
    "root": 'access = "admin"',
    "former": 'access = "admin"',
    "bot": 'access = "read"',
    "reader": 'access = "read"',
    "writer": 'namespace = ["open"]\naccess = "write"',
    "looker": 'namespace = ["open"]\ntable = "shown"\naccess = "read"',
}
SERVER_FILE = "\n".join(
    [
        *(
            f'[principals.{name}]\ntoken = "{name}-token"'
            for name in ("root", "reader", "writer", "looker", "stranger", "former")
        ),
        "token-expires = 2020-01-01T00:00:00Z",  # of the former
        '[principals.bot]\nclient-id = "bot id"\nclient-secret = "bot:s3cr&t%"',
        *(f'[[grants]]\nprincipal = "{name}"\n{grant}' for name, grant in GRANTS.items()),
        '[[grants]]\nprincipal = "writer"\nnamespace = ["far", "away"]\naccess = "admin"\n',
    ]
)


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
        return self.status, self.document["error"]["type"]


class Principal:
    """A client of a server, with or without a token."""

    def __init__(self, url: str, token: str | None) -> None:
        self._connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)
        self._token = token
        self._used = time.monotonic()

    def __call__(self, method: str, path: str, body: Any = None, **headers: str | bytes) -> Answer:
        named: dict[str, str | bytes] = {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        if self._token is not None:
            named.setdefault("authorization", f"Bearer {self._token}")
        if body is not None:
            named.setdefault("content-type", "application/json")
        return self._answer(
            method, path, json.dumps(body).encode() if isinstance(body, dict) else body, named
        )

    def form(self, authorization: str | None = None, **fields: str) -> Answer:
        """Return the answer of the token endpoint."""
        headers = {"content-type": "application/x-www-form-urlencoded"}
        if authorization is not None:
            headers["authorization"] = authorization
        return self._answer("POST", "/v1/oauth/tokens", urlencode(fields).encode(), headers)

    def _answer(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str | bytes]
    ) -> Answer:
        # The server closes idle connections.
        if time.monotonic() - self._used > 1:
            self._connection.close()
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        answer = Answer(
            response.status,
            {name.lower(): value for name, value in response.getheaders()},
            response.read(),
        )
        self._used = time.monotonic()
        return answer

    def close(self) -> None:
        self._connection.close()


As = Callable[[str | None], Principal]


@contextmanager
def principals(url: str) -> Generator[As]:
    """Yield a function that returns a client for a token."""
    made: list[Principal] = []

    def bearing(token: str | None) -> Principal:
        made.append(Principal(url, token))
        return made[-1]

    try:
        yield bearing
    finally:
        for one in made:
            one.close()


def fill(root: Principal, *namespaces: str, tables: tuple[str, ...] = ()) -> None:
    """Create namespaces, spelled with dots, and tables in them."""
    for spelled in namespaces:
        assert root("POST", "/v1/namespaces", {"namespace": spelled.split(".")}).status == 200
    for spelled in tables:
        *levels, name = spelled.split(".")
        made = root(
            "POST", f"/v1/namespaces/{'%1F'.join(levels)}/tables", {"name": name, "schema": SCHEMA}
        )
        assert made.status == 200


@contextmanager
def guarded(folder: Path, text: str = SERVER_FILE, **settings: Any) -> Generator[tuple[Server, As]]:
    """Yield a server with these principals."""
    file = folder / "server.toml"
    file.write_text(text, encoding="utf-8")
    with (
        running(**{"warehouse": "memory:", **settings}, config=file) as server,
        principals(server.url) as bearing,
    ):
        yield server, bearing


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Server, As]]:
    """Yield a server with objects that are hidden from some principals."""
    with guarded(tmp_path_factory.mktemp("guarded")) as (server, bearing):
        root = bearing("root-token")
        fill(
            root,
            "open",
            "open.child",
            "closed",
            "far",
            "far.away",
            "far.off",
            tables=("open.shown", "open.other", "closed.secret"),
        )
        yield server, bearing
