"""Synchronous and asynchronous clients of a scripted server."""

from __future__ import annotations

import asyncio

import pytest

from driving import through

from .serving import KINDS, PLACE, PROFILE, A, B, Desk, Driven, desk_of, parquet_file


@pytest.fixture(params=KINDS)
def open_client(request):
    """Return a function that opens a client of a desk, synchronous and asynchronous."""
    with asyncio.Runner() as runner:
        clients = []

        def open_client(desk: Desk, profile=PROFILE, **options) -> Driven:
            async def pause(_):
                await asyncio.sleep(0)

            sleep = (lambda _: None) if request.param == "sync" else pause
            kind = KINDS[request.param]
            client = Driven(
                kind(profile, http=through(kind, desk.carrier), sleep=sleep, **options), runner
            )
            clients.append(client)
            return client

        yield open_client
        for client in clients:
            client.close()


@pytest.fixture
def table(open_client):
    """Return a function that opens the table of a desk."""
    return lambda desk, **options: open_client(desk, **options).table(*PLACE)


@pytest.fixture
def both():
    """Return a desk whose table has two files."""
    return desk_of({"a": parquet_file(A), "b": parquet_file(B)})
