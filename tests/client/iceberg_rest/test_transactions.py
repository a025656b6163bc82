"""Transactions through both catalogs, with a desk and with the reference server."""

from __future__ import annotations

import json

import httpx
import pytest

from driving import KINDS, Desk, Driven
from lakepact.client import TableChange, errors
from lakepact.client.retries import NO_RETRIES, Retries
from lakepact.reference_server import running

from .test_round_trip import SCHEMA

COMMIT = "/base/v1/ws/transactions/commit"
CONFIG = {"defaults": {}, "overrides": {"prefix": "ws"}}
UNSET = {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}
NOBODY = {"type": "assert-table-uuid", "uuid": "00000000-0000-4000-8000-000000000000"}


def setting(**properties):
    return {"action": "set-properties", "updates": properties}


@pytest.fixture(params=KINDS)
def at_a_desk(request):
    """Return a function that opens a catalog of a desk with a given answer to a transaction."""
    opened = []

    def catalog(answer, **config):
        desk = Desk({"GET /base/v1/config": {**CONFIG, **config}, f"POST {COMMIT}": answer})
        options = {"carrier": desk.carrier, "retries": Retries(tries=3, first_pause=0.001)}
        opened.append(Driven(KINDS[request.param], "https://catalog/base", **options))
        return opened[-1], desk

    yield catalog
    for driven in opened:
        driven.__exit__()


def test_changes_are_sent_with_identifier_requirements_and_updates(at_a_desk):
    driven, desk = at_a_desk(httpx.Response(204))

    answer = driven.commit_transaction(
        [TableChange(("a", "b"), "t.u", [setting(x="1")], [UNSET]), TableChange("n", "v"), TableChange("n", "w", requirements=[NOBODY])]
    )

    assert answer is None
    assert desk.asked == [f"POST {COMMIT}"]
    assert json.loads(desk.requests[-1].content) == {
        "table-changes": [
            {"identifier": {"namespace": ["a", "b"], "name": "t.u"}, "requirements": [UNSET], "updates": [setting(x="1")]},
            {"identifier": {"namespace": ["n"], "name": "v"}, "requirements": [], "updates": []},
            {"identifier": {"namespace": ["n"], "name": "w"}, "requirements": [NOBODY], "updates": []},
        ]
    }


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_transaction_answered_5xx_is_sent_once(at_a_desk, status):
    driven, desk = at_a_desk(httpx.Response(status))

    with pytest.raises(errors.OutcomeUnknown):
        driven.commit_transaction([TableChange("n", "t", [setting(x="1")])])

    assert len(desk.asked) == 1


def test_unlisted_transaction_endpoint_is_not_requested(at_a_desk):
    driven, desk = at_a_desk(httpx.Response(204), endpoints=["POST /v1/{prefix}/namespaces/{namespace}/tables/{table}"])

    with pytest.raises(errors.OperationNotSupported):
        driven.commit_transaction([TableChange("n", "t")])

    assert desk.asked == []


@pytest.mark.parametrize("change", [TableChange("n", ".."), TableChange("", "t"), TableChange((), "t"), TableChange("n", "")])
def test_unaddressable_table_raises_before_a_request(at_a_desk, change):
    driven, desk = at_a_desk(httpx.Response(204))

    with pytest.raises(ValueError, match=r"level|segment|path|empty"):
        driven.commit_transaction([TableChange("n", "t"), change])

    assert desk.asked == []


@pytest.fixture(params=KINDS)
def catalog(request):
    """Yield a catalog with the tables `t` and `u` in the namespace `n`."""
    with running(warehouse="memory:", prefix="ws") as server, Driven(KINDS[request.param], server.url, retries=NO_RETRIES) as driven:
        driven.create_namespace("n")
        for name in ("t", "u"):
            driven.create_table("n", name, SCHEMA)
        yield driven


def properties(catalog):
    return [catalog.load_table("n", name).metadata.properties for name in ("t", "u")]


def test_transaction_makes_all_changes(catalog):
    uuid = catalog.load_table("n", "t").metadata.table_uuid

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
        (TableChange("n", "u", [{"action": "set-current-schema", "schema-id": 9}]), errors.BadRequest),
    ],
)
def test_failed_change_undoes_the_transaction(catalog, change, expected):
    with pytest.raises(errors.LakepactError) as caught:
        catalog.commit_transaction([TableChange("n", "t", [setting(x="1")]), change])

    assert type(caught.value) is expected
    assert properties(catalog) == [{}, {}]


@pytest.mark.parametrize("kind", KINDS)
def test_transaction_with_a_lost_answer_is_made_once(kind):
    faulty = running(warehouse="memory:", faults=["commitTransaction.drops-connection"])
    with faulty as server, Driven(KINDS[kind], server.url, retries=Retries()) as catalog:
        catalog.create_namespace("n")
        for name in ("t", "u"):
            catalog.create_table("n", name, SCHEMA)

        with pytest.raises(errors.OutcomeUnknown):
            catalog.commit_transaction([TableChange("n", name, [setting(x="1")]) for name in ("t", "u")])

        assert properties(catalog) == [{"x": "1"}, {"x": "1"}]
        assert [len(catalog.load_table("n", name).metadata.metadata_log) for name in ("t", "u")] == [1, 1]
