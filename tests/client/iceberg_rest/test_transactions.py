"""Transactions through both catalogs, with a desk and with the reference server."""

from __future__ import annotations

import json

import httpx
import pytest

from driving import KINDS, Desk, Driven
from lakepact.client import TableChange, errors
from lakepact.client.retries import NO_RETRIES
from lakepact.reference_server import running

from .test_round_trip import SCHEMA

COMMIT = "/base/v1/ws/transactions/commit"
UNSET = {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}
NOBODY = {"type": "assert-table-uuid", "uuid": "00000000-0000-4000-8000-000000000000"}


def setting(**properties):
    return {"action": "set-properties", "updates": properties}


@pytest.fixture
def at_a_desk(drive):
    """Return a catalog of a desk and the desk."""
    desk = Desk(
        {
            "GET /base/v1/config": {"defaults": {}, "overrides": {"prefix": "ws"}},
            f"POST {COMMIT}": httpx.Response(204),
        }
    )
    return drive("https://catalog/base", carrier=desk.carrier), desk


def test_changes_are_sent_with_identifier_requirements_and_updates(at_a_desk):
    client, desk = at_a_desk

    answer = client.commit_transaction(
        [
            TableChange(("a", "b"), "t.u", [setting(x="1")], [UNSET]),
            TableChange("n", "v"),
            TableChange("n", "w", requirements=[NOBODY]),
        ]
    )

    assert answer is None
    assert desk.calls == [f"POST {COMMIT}"]
    assert json.loads(desk.requests[-1].content) == {
        "table-changes": [
            {
                "identifier": {"namespace": ["a", "b"], "name": "t.u"},
                "requirements": [UNSET],
                "updates": [setting(x="1")],
            },
            {"identifier": {"namespace": ["n"], "name": "v"}, "requirements": [], "updates": []},
            {
                "identifier": {"namespace": ["n"], "name": "w"},
                "requirements": [NOBODY],
                "updates": [],
            },
        ]
    }


@pytest.mark.parametrize(
    "change",
    [TableChange("n", ".."), TableChange("", "t"), TableChange((), "t"), TableChange("n", "")],
)
def test_unaddressable_table_raises_before_a_request(at_a_desk, change):
    client, desk = at_a_desk

    with pytest.raises(ValueError, match=r"level|segment|path|empty"):
        client.commit_transaction([TableChange("n", "t"), change])

    assert desk.calls == []


@pytest.fixture(params=KINDS)
def catalog(request):
    """Yield a catalog with the tables `t` and `u` in the namespace `n`."""
    with (
        running(warehouse="memory:", prefix="ws") as server,
        Driven(KINDS[request.param], server.url, retries=NO_RETRIES) as client,
    ):
        client.create_namespace("n")
        for name in ("t", "u"):
            client.create_table(("n", name), SCHEMA)
        yield client


def properties(catalog):
    return [catalog.load_table(("n", name)).metadata.properties for name in ("t", "u")]


def test_transaction_makes_all_changes(catalog):
    uuid = catalog.load_table("n.t").metadata.table_uuid

    catalog.commit_transaction(
        [
            TableChange("n", "t", [setting(x="1")], [{"type": "assert-table-uuid", "uuid": uuid}]),
            TableChange("n", "u", [setting(y="2")]),
        ]
    )

    assert properties(catalog) == [{"x": "1"}, {"y": "2"}]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (TableChange("n", "u", [setting(y="2")], [NOBODY]), errors.CommitRejected),
        (TableChange("n", "u", requirements=[NOBODY]), errors.CommitRejected),
        (TableChange("n", "absent", [setting(y="2")]), errors.NoSuchTable),
        (TableChange("absent", "u", [setting(y="2")]), errors.NoSuchTable),
        (
            TableChange("n", "u", [{"action": "set-current-schema", "schema-id": 9}]),
            errors.BadRequest,
        ),
    ],
)
def test_failed_change_undoes_the_transaction(catalog, change, expected):
    with pytest.raises(errors.LakepactError) as exc_info:
        catalog.commit_transaction([TableChange("n", "t", [setting(x="1")]), change])

    assert type(exc_info.value) is expected
    assert properties(catalog) == [{}, {}]
