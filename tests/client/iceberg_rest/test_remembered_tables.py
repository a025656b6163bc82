"""A table that has not changed is not sent again: who may rely on that, and who never does."""

from __future__ import annotations

import json

import httpx
import pytest

from driving import KINDS, Driven
from lakepact.client import errors
from lakepact.client.retries import NO_RETRIES

CREDENTIALS = [{"prefix": "s3://b", "config": {"s3.session-token": "secret"}}]


class Tables:
    """A server of one table with a state that counts up, and of an ETag for each state."""

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
            "metadata": {"format-version": 2, "table-uuid": "u", "location": "s3://b", "properties": {"fill": "x" * self.size}},
        }
        if request.method != "GET":
            self.state += 1
            return httpx.Response(200, json=document) if request.method == "POST" else httpx.Response(204)
        tag = self.tag.format(state=self.state, snapshots=request.url.params.get("snapshots", "all"))
        asked = request.headers.get("if-none-match")
        status = 304 if tag and asked == tag else 200
        self.loads.append((asked, status))
        headers = {"etag": tag} if tag else {}
        return httpx.Response(status, headers=headers, **({} if status == 304 else {"json": {**document, **self.more}}))


@pytest.fixture
def tables():
    return Tables()


@pytest.fixture(params=KINDS)
def catalog(request, tables):
    opened = []

    def open_catalog(**options):
        carrier = httpx.MockTransport(tables.answer)
        opened.append(Driven(KINDS[request.param], "http://irc.test", carrier=carrier, retries=NO_RETRIES, **options))
        return opened[-1]

    yield open_catalog
    for driven in opened:
        driven.__exit__()


def test_a_table_that_has_not_changed_is_given_again_without_being_sent(catalog, tables):
    driven = catalog()
    first, second = (driven.load_table("n", "t") for _ in range(2))

    assert tables.loads == [(None, 200), ('"1-all"', 304)]
    assert first == second


def test_what_is_done_to_a_loaded_table_is_not_seen_by_who_loads_it_next(catalog):
    driven = catalog()
    driven.load_table("n", "t")
    second = driven.load_table("n", "t")
    second.metadata.properties["fill"] = "other"

    assert driven.load_table("n", "t").metadata.properties == {"fill": ""}


def test_a_table_that_was_changed_by_others_is_sent(catalog, tables):
    driven = catalog()
    driven.load_table("n", "t")
    tables.state = 2

    assert driven.load_table("n", "t").metadata_location == "s3://b/2.json"


def test_representations_are_remembered_apart(catalog, tables):
    driven = catalog()
    for snapshots in (None, "refs", None, "refs"):
        driven.load_table("n", "t", snapshots=snapshots)

    assert tables.loads == [(None, 200), (None, 200), ('"1-all"', 304), ('"1-refs"', 304)]


@pytest.mark.parametrize("change", [lambda c: c.commit_table("n", "t", []), lambda c: c.drop_table("n", "t")])
def test_after_a_change_of_its_own_the_client_asks_for_the_whole_table(catalog, tables, change):
    driven = catalog()
    driven.load_table("n", "t")
    change(driven)

    assert driven.load_table("n", "t").metadata_location == "s3://b/2.json"
    assert tables.loads[-1] == (None, 200)


def test_tables_are_not_remembered_where_that_is_not_wanted(catalog, tables):
    driven = catalog(cache_bytes=0)
    for _ in range(2):
        driven.load_table("n", "t")

    assert tables.loads == [(None, 200), (None, 200)]


def test_a_table_without_a_tag_is_sent_each_time(catalog, tables):
    tables.tag = ""
    driven = catalog()
    for _ in range(2):
        driven.load_table("n", "t")

    assert tables.loads == [(None, 200), (None, 200)]


def test_the_tables_that_were_loaded_longest_ago_make_room(catalog, tables):
    tables.size = 1000
    driven = catalog(cache_bytes=2500)
    for name in ("a", "b", "a", "c", "a", "b"):
        driven.load_table("n", name)

    assert [status for _, status in tables.loads] == [200, 200, 304, 200, 304, 200]


def test_who_asks_for_credentials_never_gets_old_ones(catalog, tables):
    driven = catalog()
    for _ in range(2):
        driven.load_table("n", "t", access_delegation="vended-credentials")

    assert tables.loads == [(None, 200), (None, 200)]


@pytest.mark.parametrize("more", [{"storage-credentials": CREDENTIALS}, {"config": {"token": "t"}}, {"config": CREDENTIALS[0]["config"]}])
def test_credentials_that_came_unasked_are_not_remembered(catalog, tables, more):
    tables.more = more
    driven = catalog()
    for _ in range(2):
        driven.load_table("n", "t")

    assert tables.loads == [(None, 200), (None, 200)]


def test_not_modified_is_an_error_to_who_remembers_nothing(catalog, tables):
    tables.answer = lambda request: httpx.Response(
        *((200,) if request.url.path == "/v1/config" else (304,)), content=json.dumps({"defaults": {}, "overrides": {}})
    )
    driven = catalog()

    with pytest.raises(errors.BadReply):
        driven.load_table("n", "t")


def test_several_ways_of_access_are_one_header(catalog, tables):
    sent = []
    usual = tables.answer
    tables.answer = lambda request: (sent.append(request.headers.get("x-iceberg-access-delegation")), usual(request))[1]
    catalog().load_table("n", "t", access_delegation=["vended-credentials", "remote-signing"])

    assert sent[-1] == "vended-credentials,remote-signing"
