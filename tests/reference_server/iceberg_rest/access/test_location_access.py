"""Callers choose locations only below namespaces that they may write, and open no foreign files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sample_tables.table_documents import append_updates

from .conftest import SCHEMA, Principal, fill, guarded
from .test_grants import named


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Principal, Principal]]:
    """Yield root and the writer, on a server with objects hidden from the writer."""
    with guarded(tmp_path) as (_, bearing):
        root = bearing("root-token")
        fill(root, "open", "closed", tables=("closed.secret", "open.shown"))
        yield root, bearing("writer-token")


def location_of(
    root: Principal, namespace: str, table: str, member: str = "metadata-location"
) -> str:
    document = root("GET", f"/v1/namespaces/{namespace}/tables/{table}").document
    return str(
        document[member] if member == "metadata-location" else document["metadata"]["location"]
    )


def test_a_table_that_is_hidden_cannot_be_registered_under_another_name(
    both: tuple[Principal, Principal],
) -> None:
    root, writer = both
    secret = location_of(root, "closed", "secret")
    there = writer(
        "POST", "/v1/namespaces/open/register", {"name": "mine", "metadata-location": secret}
    )
    gone = secret.replace("00000-", "00001-")
    nowhere = writer(
        "POST", "/v1/namespaces/open/register", {"name": "mine", "metadata-location": gone}
    )

    assert there.error == (400, "BadRequestException")
    assert nowhere.document["error"]["message"].replace(gone, "") == there.document["error"][
        "message"
    ].replace(secret, "")


def test_a_table_of_ones_own_can_be_registered_again(both: tuple[Principal, Principal]) -> None:
    root, writer = both
    shown = location_of(root, "open", "shown")

    assert (
        writer(
            "POST", "/v1/namespaces/open/register", {"name": "again", "metadata-location": shown}
        ).status
        == 200
    )


@pytest.mark.parametrize(
    "spelled",
    [
        "{}",
        "{}/below",
        "memory:/open%2F..%2Fclosed/x",
        "memory:/openly",
        "memory:/",
        "memory:/%6fpen/x",
    ],
)
def test_no_table_is_put_where_others_keep_theirs(
    both: tuple[Principal, Principal], spelled: str
) -> None:
    root, writer = both
    place = spelled.format(location_of(root, "closed", "secret", "location"))
    created = writer(
        "POST", "/v1/namespaces/open/tables", {"name": "mine", "schema": SCHEMA, "location": place}
    )
    moved = writer(
        "POST",
        "/v1/namespaces/open/tables/shown",
        {"requirements": [], "updates": [{"action": "set-location", "location": place}]},
    )

    assert (created.error, moved.error) == (
        (400, "BadRequestException"),
        (400, "BadRequestException"),
    )


def test_a_place_below_a_namespace_of_ones_own_may_be_chosen(
    both: tuple[Principal, Principal],
) -> None:
    _, writer = both
    body = {"name": "mine", "schema": SCHEMA, "location": "memory:/open/child/mine"}

    assert writer("POST", "/v1/namespaces/open/tables", body).status == 200


def test_metadata_path_in_a_foreign_namespace_returns_400(
    both: tuple[Principal, Principal],
) -> None:
    root, writer = both
    place = location_of(root, "closed", "secret", "location") + "/metadata"
    body = {"name": "mine", "schema": SCHEMA, "properties": {"write.metadata.path": place}}
    made = writer("POST", "/v1/namespaces/open/tables", body)

    assert made.error == (400, "BadRequestException")


def test_location_property_in_a_foreign_namespace_is_not_used(tmp_path: Path) -> None:
    with guarded(tmp_path) as (_, bearing):
        root, writer = bearing("root-token"), bearing("writer-token")
        fill(root, "far", "far.away", "closed")
        properties = {"updates": {"location": "memory:/closed"}, "removals": []}
        assert writer("POST", "/v1/namespaces/far%1Faway/properties", properties).status == 200
        made = writer(
            "POST", "/v1/namespaces/far%1Faway/tables", {"name": "mine", "schema": SCHEMA}
        )

        assert made.document["metadata"]["location"].startswith("memory:/far/away/mine-")
        assert root("GET", "/v1/namespaces/far%1Faway/tables").document["identifiers"] == [
            {**named("far", "mine"), "namespace": ["far", "away"]}
        ]


def test_snapshot_in_a_foreign_namespace_returns_400(both: tuple[Principal, Principal]) -> None:
    root, writer = both
    secret = location_of(root, "closed", "secret")
    texts = []
    for number, place in enumerate((secret, secret.replace("00000-", "00001-")), start=1):
        updates = append_updates(number, place)
        committed = writer(
            "POST", "/v1/namespaces/open/tables/shown", {"requirements": [], "updates": updates}
        )
        assert committed.error == (400, "BadRequestException")
        texts.append(committed.body.decode().replace(place, "#"))

    assert texts[0] == texts[1]
