"""The client caches unchanged tables by their ETag, except with credentials."""

from __future__ import annotations

import json

import httpx
import pytest

from lakepact.client import errors
from lakepact.client.retries import NO_RETRIES
from sample_tables.table_documents import table

CREDENTIALS = [{"prefix": "s3://b", "config": {"s3.session-token": "secret"}}]


class Tables:
    """A server of one table with a state counter, and an ETag for each state."""

    def __init__(self) -> None:
        self.state = 1
        self.tag = '"{state}-{snapshots}"'
        self.more = {}
        self.size = 0
        self.loads: list[tuple[str | None, int]] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/config":
            return httpx.Response(200, json={"defaults": {}, "overrides": {}})
        document = {
            "metadata-location": f"s3://b/{self.state}.json",
            "metadata": {**table(), "properties": {"fill": "x" * self.size}},
        }
        if request.method != "GET":
            self.state += 1
            return (
                httpx.Response(200, json=document)
                if request.method == "POST"
                else httpx.Response(204)
            )
        tag = self.tag.format(
            state=self.state, snapshots=request.url.params.get("snapshots", "all")
        )
        etag = request.headers.get("if-none-match")
        status = 304 if tag and etag == tag else 200
        self.loads.append((etag, status))
        headers = {"etag": tag} if tag else {}
        return httpx.Response(
            status,
            headers=headers,
            **({} if status == 304 else {"json": {**document, **self.more}}),
        )


@pytest.fixture
def tables():
    return Tables()


@pytest.fixture
def catalog(drive, tables):
    return lambda **options: drive(
        "http://irc.test", carrier=httpx.MockTransport(tables.answer), retries=NO_RETRIES, **options
    )


def test_unchanged_table_is_answered_304_and_read_from_the_cache(catalog, tables):
    client = catalog()
    first, second = (client.load_table("n.t") for _ in range(2))

    assert tables.loads == [(None, 200), ('"1-all"', 304)]
    assert first == second


def test_unchanged_table_is_parsed_once_and_cannot_be_changed(catalog):
    client = catalog()
    first, second = (client.load_table("n.t") for _ in range(2))

    assert first is second
    with pytest.raises(TypeError, match="cannot be changed"):
        second.metadata.properties["fill"] = "other"


def test_changed_table_is_loaded_again(catalog, tables):
    client = catalog()
    client.load_table("n.t")
    tables.state = 2

    assert client.load_table("n.t").metadata_location == "s3://b/2.json"


def test_each_snapshots_parameter_is_cached_separately(catalog, tables):
    client = catalog()
    for snapshots in (None, "refs", None, "refs"):
        client.load_table("n.t", snapshots=snapshots)

    assert tables.loads == [(None, 200), (None, 200), ('"1-all"', 304), ('"1-refs"', 304)]


@pytest.mark.parametrize(
    "change", [lambda c: c.commit_table("n.t", []), lambda c: c.drop_table("n.t")]
)
def test_own_change_invalidates_the_cached_table(catalog, tables, change):
    client = catalog()
    client.load_table("n.t")
    change(client)

    assert client.load_table("n.t").metadata_location == "s3://b/2.json"
    assert tables.loads[-1] == (None, 200)


@pytest.mark.parametrize(
    ("reply", "options", "arguments"),
    [
        ({}, {"cache_bytes": 0}, {}),
        ({"tag": ""}, {}, {}),
        ({}, {}, {"access_delegation": "vended-credentials"}),
        ({"more": {"storage-credentials": CREDENTIALS}}, {}, {}),
        ({"more": {"config": {"token": "t"}}}, {}, {}),
        ({"more": {"config": CREDENTIALS[0]["config"]}}, {}, {}),
    ],
    ids=[
        "no-bytes",
        "no-etag",
        "requested-credentials",
        "credentials",
        "token",
        "credentials-in-config",
    ],
)
def test_table_is_cached_neither_without_etag_nor_with_credentials(
    catalog, tables, reply, options, arguments
):
    vars(tables).update(reply)
    client = catalog(**options)
    for _ in range(2):
        client.load_table("n.t", **arguments)

    assert tables.loads == [(None, 200), (None, 200)]


def test_least_recently_loaded_table_is_evicted(catalog, tables):
    tables.size = 1000
    client = catalog(cache_bytes=35_000)
    for name in ("a", "b", "a", "c", "a", "b"):
        client.load_table(("n", name))

    assert [status for _, status in tables.loads] == [200, 200, 304, 200, 304, 200]


def test_304_without_a_cached_table_is_a_bad_reply(catalog, tables):
    tables.answer = lambda request: httpx.Response(
        *((200,) if request.url.path == "/v1/config" else (304,)),
        content=json.dumps({"defaults": {}, "overrides": {}}),
    )
    client = catalog()

    with pytest.raises(errors.BadReply):
        client.load_table("n.t")


def test_several_access_delegations_are_one_header(catalog, tables):
    delegations = []
    usual = tables.answer
    tables.answer = lambda request: (
        delegations.append(request.headers.get("x-iceberg-access-delegation")),
        usual(request),
    )[1]
    catalog().load_table("n.t", access_delegation=["vended-credentials", "remote-signing"])

    assert delegations[-1] == "vended-credentials,remote-signing"
