"""Requests about tables, and arguments that raise before a request."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone

import httpx
import pytest

from lakepact.client import BadReply, column

from .serving import PARQUET, Desk, lines

CAPABILITIES = (
    "responseformat=delta,parquet;"
    "readerfeatures=deletionvectors,columnmapping,timestampntz,typewidening;"
    "includeendstreamaction=true"
)


def test_version_is_read_from_its_header(table):
    desk = Desk(version=httpx.Response(200, headers={"DELTA-TABLE-VERSION": "12"}))

    assert table(desk).version() == 12
    assert desk.requests[0].url.query == b""


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2022, 1, 1, tzinfo=UTC), "2022-01-01T00:00:00Z"),
        (datetime(2022, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), "2022-01-01T00:00:00Z"),
        (datetime(2022, 1, 1, 0, 0, 0, 1500, tzinfo=UTC), "2022-01-01T00:00:00.001500Z"),
        ("2022-01-01T00:00:00Z", "2022-01-01T00:00:00Z"),
    ],
)
def test_timestamp_is_sent_in_utc(table, moment, text):
    desk = Desk(version=httpx.Response(200, headers={"Delta-Table-Version": "1"}))

    table(desk).version(starting_timestamp=moment)

    assert dict(desk.requests[0].url.params) == {"startingTimestamp": text}


@pytest.mark.parametrize(
    "headers", [{}, {"Delta-Table-Version": "-1"}, {"Delta-Table-Version": "one"}]
)
def test_missing_version_header_is_a_bad_reply(table, headers):
    with pytest.raises(BadReply, match="Delta-Table-Version"):
        table(Desk(version=httpx.Response(200, headers=headers))).version()


def test_queries_send_a_json_body_and_the_capabilities(table):
    """DS-QRY-03, DS-ESA-01."""
    desk = Desk(query=lines(*PARQUET), changes=lines(*PARQUET), metadata=lines(*PARQUET))

    table(desk).query(starting_version=0).close()
    table(desk).files()
    table(desk).changes(starting_version=0).close()
    table(desk).metadata()

    assert desk.bodies == [{"startingVersion": 0}, {"includeRefreshToken": True}]
    assert {request.headers["delta-sharing-capabilities"] for request in desk.requests} == {
        CAPABILITIES
    }


@pytest.mark.parametrize(
    "point", [{"version": 5}, {"timestamp": "2024-01-01T00:00:00Z"}, {"starting_version": 0}]
)
def test_query_of_a_version_asks_for_no_refresh_token(table, point):
    desk = Desk(query=lines(*PARQUET))

    table(desk).query(**point).close()

    assert "includeRefreshToken" not in desk.bodies[0]


def test_later_pages_ask_for_no_refresh_token(table):
    more = {"endStreamAction": {"nextPageToken": "two"}}
    desk = Desk(query=[lines(*PARQUET, more), lines(*PARQUET)])

    list(table(desk).query())

    assert desk.bodies == [{"includeRefreshToken": True}, {"pageToken": "two"}]


def test_snapshot_options_are_sent(table):
    """DS-HNT-07: the predicate is sent as text that holds JSON."""
    desk = Desk(query=lines(*PARQUET, delta_table_version="3"))

    table(desk).files(row_filter=column("day") == date(2024, 1, 2), version=3)
    table(desk).files(limit=10, timestamp="2024-01-01T00:00:00Z")

    hints = json.loads(desk.bodies[0].pop("jsonPredicateHints"))
    assert desk.bodies[0]["version"] == 3
    assert {name: desk.bodies[1][name] for name in ("limitHint", "timestamp")} == {
        "limitHint": 10,
        "timestamp": "2024-01-01T00:00:00Z",
    }
    assert hints == {
        "op": "equal",
        "children": [
            {"op": "column", "name": "day", "valueType": "date"},
            {"op": "literal", "value": "2024-01-02", "valueType": "date"},
        ],
    }


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"limit": 2**31 - 1}, 2**31 - 1),
        ({"limit": 2**31}, None),
        ({"limit": 0}, 0),
        ({"limit": None}, None),
        # a server that applies the limit without the predicate would leave out matching rows
        ({"limit": 10, "row_filter": column("id") == 1}, None),
    ],
)
def test_limit_hint_is_sent_up_to_int32_and_without_a_predicate(table, options, hint):
    """DS-HNT-11."""
    desk = Desk(query=lines(*PARQUET))

    table(desk).files(**options)

    assert desk.bodies[0].get("limitHint") == hint


def test_changes_options_are_sent(table):
    """DS-CDF-14."""
    desk = Desk(changes=lines(*PARQUET))

    table(desk).changes(
        starting_version=1,
        ending_timestamp=datetime(2024, 1, 1, tzinfo=UTC),
        historical_metadata=True,
    ).close()

    assert dict(desk.requests[0].url.params) == {
        "startingVersion": "1",
        "endingTimestamp": "2024-01-01T00:00:00Z",
        "includeHistoricalMetadata": "true",
    }


NEW_YEAR = "2024-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("method", "arguments", "complaint"),
    [
        ("version", {"starting_timestamp": datetime(2022, 1, 1)}, "a time needs a zone"),  # noqa: DTZ001 - that is what is refused
        ("changes", {}, "give one of the two"),
        ("changes", {"ending_version": 1}, "give one of the two"),
        ("changes", {"starting_version": 1, "starting_timestamp": NEW_YEAR}, "give one of the two"),
        (
            "changes",
            {"starting_version": 1, "ending_version": 1, "ending_timestamp": NEW_YEAR},
            "give one of the two",
        ),
        ("query", {"version": 1, "timestamp": NEW_YEAR}, "give one of the three at most"),
        ("query", {"version": 1, "starting_version": 1}, "give one of the three at most"),
        ("version", {"starting_timestamp": "1st of May"}, "in ISO 8601"),
        ("query", {"limit": -1}, "-1 is none"),
    ],
)
def test_ambiguous_argument_raises_before_a_request(table, method, arguments, complaint):
    desk = Desk()

    with pytest.raises(ValueError, match=complaint):
        getattr(table(desk), method)(**arguments)

    assert desk.requests == []
