"""The client speaks version 1.11.0: view registration, remote signing, chains of views, hints and
credentials of plans.
"""

from __future__ import annotations

import json
from urllib.parse import unquote

import httpx
import pytest

from driving import ENDPOINTS, KINDS, Desk, Driven
from lakepact.client import errors
from lakepact.client.retries import NO_RETRIES
from lakepact.reference_server import running
from sample_tables.table_documents import table

from .test_round_trip import SCHEMA
from .test_views import version

CONFIG = {"defaults": {}, "overrides": {}, "endpoints": ENDPOINTS}
CREDENTIAL = {"prefix": "s3://b", "config": {"s3.access-key-id": "id"}}
REQUEST = {
    "region": "eu-central-1",
    "uri": "https://b.s3.amazonaws.com/t/1.parquet",
    "method": "GET",
    "headers": {"Range": ["bytes=0-3"]},
}


@pytest.fixture
def catalog(drive):
    """Return a function that opens a catalog with prepared answers."""

    def open_catalog(answers):
        desk = Desk({"GET /v1/config": CONFIG, **answers})
        return drive("http://catalog.test", carrier=desk.carrier, retries=NO_RETRIES), desk

    return open_catalog


@pytest.mark.parametrize("kind", KINDS)
def test_dropped_view_is_registered_again(kind):
    with (
        running(contract="iceberg_rest", contract_version="1.11.0", warehouse="memory:") as server,
        Driven(KINDS[kind], server.url) as client,
    ):
        client.create_namespace("n")
        created = client.create_view("n.v", SCHEMA, version=version())
        client.drop_view("n.v")
        copy = client.register_view("n.again", created.metadata_location)

        assert copy.metadata == created.metadata
        assert client.load_view("n.again", referenced_by=["n.other"]).metadata == created.metadata
        with pytest.raises(errors.AlreadyExists):
            client.register_view("n.again", created.metadata_location)


@pytest.mark.parametrize("kind", KINDS)
def test_earlier_server_registers_no_views(kind):
    with (
        running(warehouse="memory:") as server,
        Driven(KINDS[kind], server.url) as client,
        pytest.raises(errors.OperationNotSupported),
    ):
        client.register_view("n.v", "memory:v.json")


def test_request_is_signed(catalog):
    signed = {"uri": REQUEST["uri"], "headers": {"Authorization": ["AWS4-HMAC-SHA256 …"]}}
    client, desk = catalog({"POST /v1/namespaces/n/tables/t/sign": signed})

    result = client.sign_request("n.t", REQUEST)

    assert json.loads(desk.requests[-1].content) == REQUEST
    assert (result.uri, dict(result.headers)) == (signed["uri"], signed["headers"])


def test_view_chain_is_sent_with_its_separator_and_escaped_commas(catalog):
    client, desk = catalog({"GET /v1/namespaces/n/tables/t": {"metadata": table()}})

    client.load_table("n.t", referenced_by=["a.outer", (("a", "b"), "in,ner")])

    assert desk.requests[-1].url.params["referenced-by"] == "a\x1fouter,a\x1fb\x1fin%2Cner"
    assert "%252C" in desk.requests[-1].url.query.decode()


def test_table_loaded_through_views_is_cached_apart(catalog):
    def answer(request):
        chain = unquote(request.url.params.get("referenced-by", "none"))
        same = request.headers.get("if-none-match") == f'"{chain}"'
        return (
            httpx.Response(304)
            if same
            else httpx.Response(200, json={"metadata": table()}, headers={"ETag": f'"{chain}"'})
        )

    client, _ = catalog({"GET /v1/namespaces/n/tables/t": answer})
    first, second, third = (
        client.load_table("n.t", referenced_by=chain) for chain in ([], ["a.v"], ["a.v"])
    )

    assert (first is second, second is third) == (False, True)


def test_credentials_are_loaded_for_a_plan(catalog):
    client, desk = catalog(
        {"GET /v1/namespaces/n/tables/t/credentials": {"storage-credentials": [CREDENTIAL]}}
    )

    client.load_credentials("n.t", plan_id="p1", referenced_by=["a.v"])

    assert dict(desk.requests[-1].url.params) == {"planId": "p1", "referenced-by": "a\x1fv"}


@pytest.mark.parametrize("members", [{}, {"plan-id": "p1"}])
def test_plan_has_its_credentials(catalog, members):
    answer = {"status": "completed", "storage-credentials": [CREDENTIAL], **members}
    client, desk = catalog({"POST /v1/namespaces/n/tables/t/plan": answer})

    plan = client.plan_scan("n.t", min_rows_requested=10, access_delegation="vended-credentials")

    assert json.loads(desk.requests[-1].content)["min-rows-requested"] == 10
    assert desk.requests[-1].headers["X-Iceberg-Access-Delegation"] == "vended-credentials"
    assert [credential.prefix for credential in plan.storage_credentials] == ["s3://b"]
    assert plan.plan_id == members.get("plan-id")


def test_table_is_registered_with_access(catalog):
    client, desk = catalog({"POST /v1/namespaces/n/register": {"metadata": table()}})

    client.register_table(
        "n.t", "s3://b/t.json", access_delegation=("vended-credentials", "remote-signing")
    )

    assert (
        desk.requests[-1].headers["X-Iceberg-Access-Delegation"]
        == "vended-credentials,remote-signing"
    )
