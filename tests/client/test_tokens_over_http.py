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

from .test_redaction import shown_by

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
class Watched:
    """A server with a clock set by the test, and a count of its token requests."""

    server: Server
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    asked: Counter[str] = field(default_factory=Counter[str])

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
def watched(tmp_path: Path) -> Iterator[Watched]:
    file = tmp_path / "server.toml"
    file.write_text(SERVER_FILE, encoding="utf-8")
    with running(warehouse="memory:", config=file) as server:
        found = Watched(server)
        rules = server.service.rules
        client, whole = rules.current("client"), rules.current("exchange_is_whole")

        def counted_client(*arguments: Any) -> Any:
            found.asked["credentials"] += 1
            return client(*arguments)

        def counted_exchange(body: Any) -> None:
            found.asked["exchanges"] += 1
            whole(body)

        rules.replace("now", lambda: found.now)
        rules.replace("client", counted_client)
        rules.replace("exchange_is_whole", counted_exchange)
        with IcebergCatalog(server.url, auth=BearerToken("root-token")) as root:
            root.create_namespace("ann")
        yield found


def credentials(watched: Watched, **options: Any) -> ClientCredentials:
    return ClientCredentials(watched.tokens, ID, SECRET, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("in_form", [False, True])
def test_token_issued_by_the_catalog_is_accepted(
    watched: Watched,
    kind: str,
    in_form: bool,  # noqa: FBT001
) -> None:
    with Driven(
        KINDS[kind], watched.url, auth=credentials(watched, scope="catalog", in_form=in_form)
    ) as catalog:
        catalog.create_namespace("made")
        names = catalog.list_namespaces()

    assert names == [("ann",), ("made",)]
    assert watched.asked == {"credentials": 1}


def test_wrong_secret_raises_without_the_secret(watched: Watched) -> None:
    with (
        IcebergCatalog(
            watched.url, auth=ClientCredentials(watched.tokens, ID, "of another", in_form=True)
        ) as catalog,
        pytest.raises(NotAuthenticated, match="invalid_client") as caught,
    ):
        list(catalog.list_namespaces())

    assert "of another" not in shown_by(caught.value)
    assert "of+another" not in shown_by(caught.value)


def together(catalog: IcebergCatalog, action: Any) -> list[Any]:
    """Return the results of an action that all threads run at once, each with its number."""
    gate = Barrier(THREADS)

    def act(number: int) -> Any:
        gate.wait()
        return action(catalog, number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(act, range(THREADS)))


def test_many_threads_fetch_one_token(watched: Watched) -> None:
    with IcebergCatalog(watched.url, auth=credentials(watched)) as catalog:
        made = together(catalog, lambda catalog, number: catalog.create_namespace(f"n{number}"))

    assert len(made) == THREADS
    assert watched.asked == {"credentials": 1}


def test_many_tasks_fetch_one_token(watched: Watched) -> None:
    async def run() -> None:
        async with AsyncIcebergCatalog(watched.url, auth=credentials(watched)) as catalog:
            await asyncio.gather(
                *(catalog.create_namespace(f"n{number}") for number in range(THREADS))
            )

    asyncio.run(run())

    assert watched.asked == {"credentials": 1}


def test_expired_token_is_replaced_once_by_many_threads(watched: Watched) -> None:
    schema = {
        "type": "struct",
        "fields": [{"id": 1, "name": "id", "type": "long", "required": True}],
    }

    def commit(catalog: IcebergCatalog, number: int) -> Any:
        return catalog.commit_table(
            ("ann", f"t{number}"), [{"action": "set-properties", "updates": {"by": str(number)}}]
        )

    with IcebergCatalog(watched.url, auth=credentials(watched)) as catalog:
        for number in range(THREADS):
            catalog.create_table(("ann", f"t{number}"), schema)
        # Only the clock of the server moves: every thread gets 401.
        watched.pass_by(1000)
        together(catalog, commit)
        loaded = [
            catalog.load_table(("ann", f"t{number}")).model_dump(mode="json", by_alias=True)
            for number in range(THREADS)
        ]

    assert [len(table["metadata"]["metadata-log"]) for table in loaded] == [1] * THREADS
    assert watched.asked == {"credentials": 2}


def test_expiring_token_is_replaced_once_while_threads_use_it(watched: Watched) -> None:
    with IcebergCatalog(watched.url, auth=credentials(watched, clock=watched.clock)) as catalog:
        list(catalog.list_namespaces())
        watched.pass_by(950)
        together(catalog, lambda catalog, _: list(catalog.list_namespaces()))

    assert watched.asked == {"credentials": 2}


def test_expiring_token_is_exchanged(watched: Watched) -> None:
    with IcebergCatalog(
        watched.url, auth=credentials(watched, renew=True, clock=watched.clock)
    ) as catalog:
        for _ in range(3):
            list(catalog.list_namespaces())
            watched.pass_by(950)

    assert watched.asked == {"credentials": 1, "exchanges": 2}


def test_expired_token_is_fetched_again(watched: Watched) -> None:
    with IcebergCatalog(
        watched.url, auth=credentials(watched, renew=True, clock=watched.clock)
    ) as catalog:
        list(catalog.list_namespaces())
        watched.pass_by(1000)
        list(catalog.list_namespaces())

    assert watched.asked == {"credentials": 2}


@pytest.mark.parametrize("kind", KINDS)
def test_user_token_is_exchanged_with_an_actor_token(watched: Watched, kind: str) -> None:
    auth = TokenExchange(
        watched.tokens,
        lambda: "ann-token",
        actor=credentials(watched),
        scope="catalog",
        clock=watched.clock,
    )
    with Driven(KINDS[kind], watched.url, auth=auth) as catalog:
        seen = catalog.list_namespaces()
        watched.pass_by(950)
        with pytest.raises(Forbidden):
            catalog.create_namespace("other")

    assert seen == [("ann",)]
    assert watched.asked == {"credentials": 1, "exchanges": 2}


def test_expired_actor_token_is_fetched_again(watched: Watched) -> None:
    engine = credentials(watched)
    with IcebergCatalog(watched.url, auth=engine) as catalog:
        list(catalog.list_namespaces())
    watched.pass_by(1000)
    with IcebergCatalog(
        watched.url, auth=TokenExchange(watched.tokens, "ann-token", actor=engine)
    ) as catalog:
        names = list(catalog.list_namespaces())

    assert names == [("ann",)]
    assert watched.asked == {"credentials": 2, "exchanges": 2}


def test_invalid_user_token_raises_without_the_token(watched: Watched) -> None:
    with (
        IcebergCatalog(
            watched.url, auth=TokenExchange(watched.tokens, "of-somebody-else")
        ) as catalog,
        pytest.raises(NotAuthenticated, match="invalid_grant") as caught,
    ):
        list(catalog.list_namespaces())

    assert "of-somebody-else" not in shown_by(caught.value)
