"""Tokens of the reference server, fetched once for all threads and replaced when they expire."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from driving import KINDS, Driven
from lakepact.client import (
    AsyncIcebergCatalog,
    BearerToken,
    ClientCredentials,
    Forbidden,
    IcebergCatalog,
    NotAuthenticated,
    TokenExchange,
)
from lakepact.reference_server import Server, running

from .test_redaction import text_of_error

SERVER_FILE = """
[principals.root]
token = "root-token"

[principals.engine]
client-id = "engine"
client-secret = "s3cr&t of the engine"

[principals.ann]
token = "ann-token"

[[grants]]
principal = "root"
access = "admin"

[[grants]]
principal = "engine"
access = "admin"

[[grants]]
principal = "ann"
namespace = ["ann"]
access = "write"

[tokens]
lifetime = 1000
"""
THREADS = 16
ID, SECRET = "engine", "s3cr&t of the engine"


@dataclass
class TokenServer:
    """A server with a clock set by the test, and a count of its token requests."""

    server: Server
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    calls: Counter[str] = field(default_factory=Counter[str])

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def tokens(self) -> str:
        return f"{self.url}/v1/oauth/tokens"

    def clock(self) -> float:
        """Return the time of the server."""
        return self.now.timestamp()

    def pass_by(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def token_server(tmp_path: Path) -> Iterator[TokenServer]:
    file = tmp_path / "server.toml"
    file.write_text(SERVER_FILE, encoding="utf-8")
    with running(warehouse="memory:", config=file) as server:
        server_with_clock = TokenServer(server)
        rules = server.service.rules
        client, whole = rules.current("client"), rules.current("exchange_is_whole")

        def count_client(*arguments: Any) -> Any:
            server_with_clock.calls["credentials"] += 1
            return client(*arguments)

        def count_exchange(body: Any) -> None:
            server_with_clock.calls["exchanges"] += 1
            whole(body)

        rules.replace("now", lambda: server_with_clock.now)
        rules.replace("client", count_client)
        rules.replace("exchange_is_whole", count_exchange)
        with IcebergCatalog(server.url, auth=BearerToken("root-token")) as root:
            root.create_namespace("ann")
        yield server_with_clock


def credentials(token_server: TokenServer, **options: Any) -> ClientCredentials:
    return ClientCredentials(token_server.tokens, ID, SECRET, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("in_form", [False, True])
def test_token_issued_by_the_catalog_is_accepted(
    token_server: TokenServer,
    kind: str,
    in_form: bool,  # noqa: FBT001
) -> None:
    with Driven(
        KINDS[kind],
        token_server.url,
        auth=credentials(token_server, scope="catalog", in_form=in_form),
    ) as catalog:
        catalog.create_namespace("made")
        names = catalog.list_namespaces()

    assert names == [("ann",), ("made",)]
    assert token_server.calls == {"credentials": 1}


def test_wrong_secret_raises_without_the_secret(token_server: TokenServer) -> None:
    with (
        IcebergCatalog(
            token_server.url,
            auth=ClientCredentials(token_server.tokens, ID, "of another", in_form=True),
        ) as catalog,
        pytest.raises(NotAuthenticated, match="invalid_client") as exc_info,
    ):
        list(catalog.list_namespaces())

    assert "of another" not in text_of_error(exc_info.value)
    assert "of+another" not in text_of_error(exc_info.value)


def together(catalog: IcebergCatalog, action: Any) -> list[Any]:
    """Return the results of an action that all threads run at once, each with its number."""
    gate = Barrier(THREADS)

    def act(number: int) -> Any:
        gate.wait()
        return action(catalog, number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(act, range(THREADS)))


def test_many_threads_fetch_one_token(token_server: TokenServer) -> None:
    with IcebergCatalog(token_server.url, auth=credentials(token_server)) as catalog:
        replies = together(catalog, lambda catalog, number: catalog.create_namespace(f"n{number}"))

    assert len(replies) == THREADS
    assert token_server.calls == {"credentials": 1}


def test_many_tasks_fetch_one_token(token_server: TokenServer) -> None:
    async def run() -> None:
        async with AsyncIcebergCatalog(token_server.url, auth=credentials(token_server)) as catalog:
            await asyncio.gather(
                *(catalog.create_namespace(f"n{number}") for number in range(THREADS))
            )

    asyncio.run(run())

    assert token_server.calls == {"credentials": 1}


def test_expired_token_is_replaced_once_by_many_threads(token_server: TokenServer) -> None:
    schema = {
        "type": "struct",
        "fields": [{"id": 1, "name": "id", "type": "long", "required": True}],
    }

    def commit(catalog: IcebergCatalog, number: int) -> Any:
        return catalog.commit_table(
            ("ann", f"t{number}"), [{"action": "set-properties", "updates": {"by": str(number)}}]
        )

    with IcebergCatalog(token_server.url, auth=credentials(token_server)) as catalog:
        for number in range(THREADS):
            catalog.create_table(("ann", f"t{number}"), schema)
        # Only the clock of the server moves: every thread gets 401.
        token_server.pass_by(1000)
        together(catalog, commit)
        tables = [
            catalog.load_table(("ann", f"t{number}")).model_dump(mode="json", by_alias=True)
            for number in range(THREADS)
        ]

    assert [len(table["metadata"]["metadata-log"]) for table in tables] == [1] * THREADS
    assert token_server.calls == {"credentials": 2}


def test_expiring_token_is_replaced_once_while_threads_use_it(token_server: TokenServer) -> None:
    with IcebergCatalog(
        token_server.url, auth=credentials(token_server, clock=token_server.clock)
    ) as catalog:
        list(catalog.list_namespaces())
        token_server.pass_by(950)
        together(catalog, lambda catalog, _: list(catalog.list_namespaces()))

    assert token_server.calls == {"credentials": 2}


def test_expiring_token_is_exchanged(token_server: TokenServer) -> None:
    with IcebergCatalog(
        token_server.url, auth=credentials(token_server, renew=True, clock=token_server.clock)
    ) as catalog:
        for _ in range(3):
            list(catalog.list_namespaces())
            token_server.pass_by(950)

    assert token_server.calls == {"credentials": 1, "exchanges": 2}


def test_expired_token_is_fetched_again(token_server: TokenServer) -> None:
    with IcebergCatalog(
        token_server.url, auth=credentials(token_server, renew=True, clock=token_server.clock)
    ) as catalog:
        list(catalog.list_namespaces())
        token_server.pass_by(1000)
        list(catalog.list_namespaces())

    assert token_server.calls == {"credentials": 2}


@pytest.mark.parametrize("kind", KINDS)
def test_user_token_is_exchanged_with_an_actor_token(token_server: TokenServer, kind: str) -> None:
    auth = TokenExchange(
        token_server.tokens,
        lambda: "ann-token",
        actor=credentials(token_server),
        scope="catalog",
        clock=token_server.clock,
    )
    with Driven(KINDS[kind], token_server.url, auth=auth) as catalog:
        names = catalog.list_namespaces()
        token_server.pass_by(950)
        with pytest.raises(Forbidden):
            catalog.create_namespace("other")

    assert names == [("ann",)]
    assert token_server.calls == {"credentials": 1, "exchanges": 2}


def test_expired_actor_token_is_fetched_again(token_server: TokenServer) -> None:
    engine = credentials(token_server)
    with IcebergCatalog(token_server.url, auth=engine) as catalog:
        list(catalog.list_namespaces())
    token_server.pass_by(1000)
    with IcebergCatalog(
        token_server.url, auth=TokenExchange(token_server.tokens, "ann-token", actor=engine)
    ) as catalog:
        names = list(catalog.list_namespaces())

    assert names == [("ann",)]
    assert token_server.calls == {"credentials": 2, "exchanges": 2}


def test_invalid_user_token_raises_without_the_token(token_server: TokenServer) -> None:
    with (
        IcebergCatalog(
            token_server.url, auth=TokenExchange(token_server.tokens, "of-somebody-else")
        ) as catalog,
        pytest.raises(NotAuthenticated, match="invalid_grant") as exc_info,
    ):
        list(catalog.list_namespaces())

    assert "of-somebody-else" not in text_of_error(exc_info.value)
