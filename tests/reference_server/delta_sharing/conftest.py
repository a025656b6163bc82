"""Shares served to the tests, and requests of their recipients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lakepact.reference_server import Server, running
from raw_requests import Answer, Sender

Ask = Callable[..., Answer]
TOKENS = {"all": "token-of-all", "some": "token-of-some", "ended": "token-of-ended"}


DOCUMENT: dict[str, Any] = {
    "version": 1,
    "shares": [
        {
            "name": "Main.Share",
            "comment": "two\u2028lines",
            "displayName": "Main",
            "properties": {"owner": "me"},
            "schemas": [
                {"name": "Sales", "tables": [{"name": "t1", "location": "tables/t"}]},
            ],
        },
        {
            "name": "second",
            "id": "second-id",
            "schemas": [{"name": "s", "tables": [{"name": "only", "location": "tables/t"}]}],
        },
        {"name": "empty"},
    ],
    "recipients": [
        {"name": "all", "bearerToken": TOKENS["all"]},
        {
            "name": "some",
            "bearerToken": TOKENS["some"],
            "shares": ["SECOND", "empty"],
            "expirationTime": "2999-01-01T00:00:00Z",
        },
        {"name": "ended", "bearerToken": TOKENS["ended"], "expirationTime": "2020-01-01T00:00:00Z"},
    ],
}


@pytest.fixture(scope="session")
def shares_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("shares") / "shares.yaml"
    file.write_text(yaml.safe_dump(DOCUMENT), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def sharing(shares_file: Path) -> Iterator[Server]:
    """Yield a server of both contracts."""
    with running(warehouse="memory:", shares=shares_file) as server:
        yield server


@pytest.fixture
def ask(sharing: Server) -> Iterator[Ask]:
    """Yield a function that gets a path below the root, by default as the recipient that may read
    everything.
    """
    with Sender(sharing.url) as send:

        def ask(
            path: str, *, token: str | None = TOKENS["all"], method: str = "GET", **headers: str
        ) -> Any:
            authorization = {} if token is None else {"Authorization": f"Bearer {token}"}
            return send(method, f"/delta-sharing{path}", None, **(authorization | headers))

        yield ask
