"""The client speaks the version of August 2026: queries in the background, and protocols of earlier
versions.
"""

from __future__ import annotations

import asyncio

import pytest

from lakepact.client import BadReply, QueryFailed
from lakepact.client.delta_sharing.lines import Protocol
from lakepact.conformance.fixtures import pack
from lakepact.reference_server import running

from .serving import DELTA, KINDS, PARQUET, TABLE, Desk, Driven, delta_file, file, ids, lines

INFO = f"POST {TABLE}/queries/q1"
PENDING = lines({"queryStatus": {"queryId": "q1", "status": "pending"}})
FAILED = lines({"queryStatus": {"queryId": "q1", "status": "failed"}})
DONE = lines(*PARQUET, file("a"))


def protocol(version):
    return {
        "protocol": {
            "deltaProtocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": []},
            "version": version,
        }
    }


def test_query_in_the_background_is_awaited(table):
    desk = Desk(query=PENDING).on(INFO, PENDING, DONE)

    listing = table(desk).query(background=True)

    assert ids(listing) == ["a"]
    assert [path.removeprefix(f"POST {TABLE}/") for path in desk.calls] == [
        "query",
        "queries/q1",
        "queries/q1",
    ]
    assert "asyncquery=true" in desk.requests[0].headers["delta-sharing-capabilities"]
    assert desk.bodies[0]["idempotencyKey"]


def test_query_that_is_answered_at_once_is_not_awaited(table):
    desk = Desk(query=DONE)

    assert ids(table(desk).query(background=True)) == ["a"]
    assert len(desk.requests) == 1


def test_pages_of_a_query_in_the_background_are_joined(table):
    first = lines(*PARQUET, file("a"), {"endStreamAction": {"nextPageToken": "2"}})
    desk = Desk(query=PENDING).on(INFO, first, lines(*PARQUET, file("b")))

    assert ids(table(desk).query(background=True, page_size=1)) == ["a", "b"]
    assert desk.bodies[1:] == [{"maxFiles": 1}, {"maxFiles": 1, "pageToken": "2"}]


def test_query_that_fails_in_the_background_raises_query_failed(table):
    with pytest.raises(QueryFailed, match="q1 failed"):
        table(Desk(query=PENDING).on(INFO, FAILED)).query(background=True)


def test_query_that_runs_too_long_raises_query_failed(table):
    desk = Desk(query=PENDING).on(INFO, PENDING)

    with pytest.raises(QueryFailed, match="still runs after 3 seconds"):
        table(desk).query(background=True, patience=3)
    assert len(desk.requests) == 4  # after 0.5, 1.5 and 3 seconds


def test_unrequested_status_of_a_query_raises_bad_reply(table):
    """DS-ASY-08."""
    with pytest.raises(BadReply, match="not asked for"):
        table(Desk(query=PENDING)).query()


def test_each_query_in_the_background_has_its_own_key(table):
    desk = Desk(query=DONE)
    shared = table(desk)
    for _ in range(2):
        shared.query(background=True)

    assert len({body["idempotencyKey"] for body in desk.bodies}) == 2


@pytest.mark.parametrize("operation", ["query", "changes"])
def test_historical_protocols_are_yielded(table, operation):
    answer = lines(protocol(1), DELTA[1], delta_file("a"), protocol(3), delta_file("b"))
    desk = Desk(**{operation: answer})

    listing = getattr(table(desk), operation)(starting_version=1, historical_protocol=True)

    assert [line.version for line in listing if isinstance(line, Protocol)] == [3]
    assert listing.protocol.version == 1
    parameters = desk.bodies[0] if operation == "query" else desk.requests[0].url.params
    assert str(parameters["includeHistoricalProtocol"]).lower() == "true"


def test_later_protocols_are_not_yielded_unasked(table):
    desk = Desk(query=lines(protocol(1), DELTA[1], delta_file("a"), protocol(3)))

    assert [type(line) for line in table(desk).query(starting_version=1)] == [
        type(line) for line in table(desk).files()
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_background_query_of_the_reference_server_has_the_same_files(kind, tmp_path):
    pack.write(tmp_path)
    with (
        running(
            contract="delta_sharing",
            contract_version="2026-08",
            shares=str(tmp_path / "shares.yaml"),
        ) as server,
        asyncio.Runner() as runner,
    ):
        profile = {
            "shareCredentialsVersion": 1,
            "endpoint": server.address("delta_sharing"),
            "bearerToken": pack.TOKENS["all"],
        }
        client = Driven(KINDS[kind](profile), runner)
        share = next(iter(client.shares())).name
        place = next(iter(client.all_tables(share)))
        table = client.table(share, place.schema_, place.name)

        assert ids(table.query(background=True)) == ids(table.query())
        client.close()
