"""Servers with principals, and requests of those principals."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from lakepact.reference_server import Server, running
from raw_requests import Answer, Sender
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


class Principal(Sender):
    """A client of a server, with or without a token."""

    def __init__(self, url: str, token: str | None) -> None:
        super().__init__(url, **({} if token is None else {"authorization": f"Bearer {token}"}))

    def form(self, authorization: str | None = None, **fields: str) -> Answer:
        """Return the answer of the token endpoint."""
        headers = {} if authorization is None else {"authorization": authorization}
        return self(
            "POST",
            "/v1/oauth/tokens",
            urlencode(fields).encode(),
            content_type="application/x-www-form-urlencoded",
            **headers,
        )


As = Callable[[str | None], Principal]


@contextmanager
def principals(url: str) -> Generator[As]:
    """Yield a function that returns a client for a token."""
    with ExitStack() as stack:
        yield lambda token: stack.enter_context(Principal(url, token))


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


@pytest.fixture
def bearing(filled: tuple[Server, As]) -> As:
    return filled[1]
