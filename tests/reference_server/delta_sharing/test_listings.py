"""Listings of shares: their members, unusual names, and pages."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.reference_server.delta_sharing.catalogue import DEFAULT_SIZE, page

from .conftest import TOKENS, Ask


def test_share_has_the_fields_of_its_file(ask: Ask) -> None:
    share = ask("/shares/Main.Share").document["share"]

    assert {name: value for name, value in share.items() if name != "id"} == {
        "name": "Main.Share",
        "displayName": "Main",
        "comment": "two\u2028lines",
        "properties": {"owner": "me"},
    }
    assert ask("/shares").document["items"][0] == share


def test_optional_fields_of_a_share_are_left_out(ask: Ask) -> None:
    assert ask("/shares/second").document == {"share": {"name": "second", "id": "second-id"}}


@pytest.mark.parametrize(
    "path",
    [
        "/shares/Main%2EShare%00",
        "/shares/Main.Share%20",
        "/shares/percent%2541",
        "/shares/%2e%2e/schemas",
        "/shares/Main.Share%2Fschemas",
    ],
)
def test_unknown_name_returns_404_in_ascii_json(ask: Ask, path: str) -> None:
    answer = ask(path)

    assert (answer.status, answer.document["errorCode"], answer.headers["content-type"]) == (
        404,
        "RESOURCE_DOES_NOT_EXIST",
        "application/json",
    )
    assert answer.body.isascii()


@pytest.mark.parametrize("size", ["2147483648", "", "1e3", "0x1", "\u0661"])
def test_a_size_that_is_no_int32_is_refused(ask: Ask, size: str) -> None:
    answer = ask(f"/shares?{urlencode({'maxResults': size})}")

    assert (answer.status, answer.document["errorCode"]) == (400, "INVALID_PARAMETER_VALUE")


@given(total=st.integers(0, 2000), start=st.integers(0, 2000), size=st.integers(0, 2**31 - 1))
def test_page_has_a_following_start_only_before_more_items(
    total: int, start: int, size: int
) -> None:
    items = range(total)
    found, following = page(items, start, size)

    assert list(found) == list(items[start : start + size])
    assert following == (start + size if start + size < total else None)


def test_a_token_of_another_recipient_is_refused(ask: Ask) -> None:
    first = ask("/shares?maxResults=1", token=TOKENS["some"]).document
    second = f"/shares?{urlencode({'pageToken': first['nextPageToken']})}"

    assert [ask(second).status, ask(second, token=TOKENS["some"]).status] == [400, 200]


def test_a_page_without_a_size_is_not_endless() -> None:
    assert page(range(10_000), 0, DEFAULT_SIZE) == (range(500), 500)
