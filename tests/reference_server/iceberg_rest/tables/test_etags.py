"""Entity tags of tables; a known tag returns 304."""

from __future__ import annotations

import contextlib
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from lakepact.reference_server import Server
from lakepact.reference_server.iceberg_rest.tables.etags import matches
from raw_requests import Sender, serving
from sample_tables.schemas import SCHEMA

TAG = b'"0a1b"'
SAME = ['"0a1b"', 'W/"0a1b"', '"x", "0a1b"', '"x" ,\t W/"0a1b",', "*", ' "0a1b" ']
OTHER = ["", "0a1b", '"0A1B"', 'w/"0a1b"', '""', '"0a1b', '"0a1b-refs"', ",", '"x"']


@pytest.mark.parametrize("sent", [*SAME, *OTHER])
def test_a_tag_is_found_weak_or_strong_and_among_others(sent: str) -> None:
    assert matches(sent, TAG) is (sent in SAME)


def test_known_tag_returns_304_without_body(send: Sender, table: str) -> None:
    first = send("GET", table)

    again = send("GET", table, if_none_match=first.headers["etag"])

    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert not {"content-type", "content-length"} & again.headers.keys()


def test_the_tag_comes_in_the_letters_that_icebergs_java_client_looks_for(
    server: Server, send: Sender, table: str
) -> None:
    connection = HTTPConnection(urlsplit(server.url).netloc)
    with contextlib.closing(connection):
        spelled = []
        for _ in range(
            4
        ):  # from the third time on, requests with the same headers are answered the short way
            connection.request("GET", table)
            answer = connection.getresponse()
            answer.read()
            spelled += [name for name, _ in answer.getheaders() if name.casefold() == "etag"]

    assert spelled == ["ETag"] * 4


def test_a_commit_that_changes_nothing_leaves_the_tag(send: Sender, table: str) -> None:
    before = send("GET", table).headers["etag"]

    assert send("POST", table, {"requirements": [], "updates": []}).status == 200

    assert send("GET", table, if_none_match=before).status == 304


def test_all_snapshots_and_those_of_refs_have_tags_of_their_own(send: Sender, table: str) -> None:
    everything, named = (
        send("GET", table).headers["etag"],
        send("GET", f"{table}?snapshots=refs").headers["etag"],
    )

    crossed = [
        send("GET", table, if_none_match=named),
        send("GET", f"{table}?snapshots=refs", if_none_match=everything),
    ]
    own = [
        send("GET", f"{table}?snapshots=all", if_none_match=everything),
        send("GET", f"{table}?snapshots=refs", if_none_match=named),
    ]

    assert [answer.status for answer in crossed] == [200, 200]
    assert [answer.status for answer in own] == [304, 304]


def test_create_and_register_send_the_etag_of_load_and_staging_none(
    send: Sender, namespace: str, tables: str
) -> None:
    body = {"name": "t", "schema": SCHEMA}
    staged, created = (
        send("POST", tables, {**body, "stage-create": stage}) for stage in (True, False)
    )
    loaded = send("GET", f"{tables}/t")
    send("DELETE", f"{tables}/t")
    at = {"name": "u", "metadata-location": loaded.document["metadata-location"]}
    registered = send("POST", f"/v1/namespaces/{namespace}/register", at)

    assert "etag" not in staged.headers
    assert created.headers["etag"] == loaded.headers["etag"]
    assert registered.headers["etag"] == send("GET", f"{tables}/u").headers["etag"]


def test_a_contract_without_tags_has_none() -> None:
    with serving(contract="watsonx_data", warehouse="memory:") as send:
        root = "/mds/iceberg/v1/iceberg/namespaces"
        send("POST", root, {"namespace": ["n"]})
        created = send("POST", f"{root}/n/tables", {"name": "t", "schema": SCHEMA})
        loaded = send("GET", f"{root}/n/tables/t", if_none_match="*")

    assert (created.status, loaded.status) == (200, 200)
    assert "etag" not in created.headers.keys() | loaded.headers.keys()
