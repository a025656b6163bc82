"""A page token belongs to one listing, and shows no item that its bearer may not see."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from .conftest import SERVER_FILE, As, Principal, fill, guarded
from .test_grants import VIEW

TEXT = f"[warehouses.one]\n[warehouses.two]\n{SERVER_FILE}"
LISTINGS = (
    "namespaces",
    "namespaces?parent=open",
    "namespaces/open/tables",
    "namespaces/open/views",
    "namespaces/closed/tables",
)
PREFIXES = ("one", "two")
PRINCIPALS = ("root", "reader", "writer", "looker", "stranger")


def paged(listing: str, token: str, size: int = 1) -> str:
    return f"{listing}{'&' if '?' in listing else '?'}pageToken={token}&pageSize={size}"


def items(principal: Principal, path: str) -> list[Any]:
    """Return the items that a principal sees in a listing, or nothing if it is refused."""
    answer = principal("GET", path)
    return [
        item
        for members in answer.document.values()
        if isinstance(members, list)
        for item in members
    ]


@pytest.fixture(scope="module")
def bearing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[As]:
    """Yield the principals of a server with two warehouses of the same content."""
    with guarded(tmp_path_factory.mktemp("paged"), TEXT) as (_, bearing):
        root = bearing("root-token")
        for prefix in PREFIXES:
            for spelled in (["closed"], ["open"], ["open", "b"], ["open", "c"]):
                assert (
                    root("POST", f"/v1/{prefix}/namespaces", {"namespace": spelled}).status == 200
                )
            for namespace, name in product(("open", "closed"), ("other", "shown", "third")):
                body = {"name": name, "schema": VIEW["schema"]}
                assert (
                    root("POST", f"/v1/{prefix}/namespaces/{namespace}/tables", body).status == 200
                )
            for name in ("v", "w"):
                assert (
                    root(
                        "POST", f"/v1/{prefix}/namespaces/open/views", {**VIEW, "name": name}
                    ).status
                    == 200
                )
        yield bearing


@pytest.fixture(scope="module")
def tokens(bearing: As) -> dict[tuple[str, str], str]:
    """Return root's token for the second page, by prefix and listing."""
    root = bearing("root-token")
    return {
        (p, one): root("GET", f"/v1/{p}/{paged(one, '')}").document["next-page-token"]
        for p, one in product(PREFIXES, LISTINGS)
    }


@pytest.mark.parametrize("principal", PRINCIPALS)
@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("listing", LISTINGS)
def test_page_token_of_another_shows_nothing_beyond_the_own_listing(
    bearing: As, tokens: dict[tuple[str, str], str], listing: str, prefix: str, principal: str
) -> None:
    caller = bearing(f"{principal}-token")
    whole = items(caller, f"/v1/{prefix}/{listing}")
    for token in tokens.values():
        shown = items(caller, f"/v1/{prefix}/{paged(listing, token, 100)}")

        assert all(item in whole for item in shown)


@pytest.mark.parametrize("listing", LISTINGS)
def test_page_token_of_another_listing_returns_400(
    bearing: As, tokens: dict[tuple[str, str], str], listing: str
) -> None:
    root = bearing("root-token")
    statuses = {
        other: root("GET", f"/v1/one/{paged(listing, tokens['one', other])}").status
        for other in LISTINGS
    }

    assert statuses == {other: 200 if other == listing else 400 for other in LISTINGS}


def test_changed_page_token_returns_400(bearing: As, tokens: dict[tuple[str, str], str]) -> None:
    root, token = bearing("root-token"), tokens["one", "namespaces"]
    changed = [
        token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
        for at in range(len(token))
    ]

    assert {root("GET", f"/v1/one/{paged('namespaces', one)}").status for one in changed} == {400}


def test_page_token_shows_nothing_after_the_grant_was_withdrawn(tmp_path: Path) -> None:
    settings = {"warehouse": str(tmp_path / "lake"), "store": str(tmp_path / "catalog.sqlite")}
    listing = "/v1/namespaces/open/tables"
    with guarded(tmp_path, **settings) as (_, bearing):
        fill(bearing("root-token"), "open", tables=("open.a", "open.b"))
        token = bearing("writer-token")("GET", paged(listing, "")).document["next-page-token"]
    with guarded(
        tmp_path,
        SERVER_FILE.replace('["open"]\naccess = "write"', '["other"]\naccess = "write"'),
        **settings,
    ) as (_, bearing):
        replayed = bearing("writer-token")("GET", paged(listing, token))

    assert replayed.error == (404, "NoSuchNamespaceException")
