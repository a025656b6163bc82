"""Listings of shares, schemas and tables, by names in any case and in pages of any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakepact.reference_server.delta_sharing.catalogue import DEFAULT_SIZE, page

from .conftest import HARD_NAMES, TOKENS

LISTINGS = [
    "/shares",
    "/shares/Main.Share/schemas",
    "/shares/Main.Share/schemas/Sales/tables",
    "/shares/Main.Share/all-tables",
]


def names(answer: Any) -> list[str]:
    return [item["name"] for item in answer.document["items"]]


def test_share_has_the_fields_of_its_file(ask: Callable[..., Any]) -> None:
    share = ask("/shares/Main.Share").document["share"]

    assert {name: value for name, value in share.items() if name != "id"} == {
        "name": "Main.Share",
        "displayName": "Main",
        "comment": "two\u2028lines",
        "properties": {"owner": "me"},
    }
    assert ask("/shares").document["items"][0] == share


def test_optional_fields_of_a_share_are_left_out(ask: Callable[..., Any]) -> None:
    assert ask("/shares/second").document == {"share": {"name": "second", "id": "second-id"}}


def test_all_tables_are_those_of_all_schemas(ask: Callable[..., Any]) -> None:
    everything = [
        table
        for schema in ("Sales", "hard", "nothing")
        for table in ask(f"/shares/Main.Share/schemas/{schema}/tables").document["items"]
    ]

    assert ask("/shares/Main.Share/all-tables").document["items"] == everything
    assert len({table["id"] for table in everything}) == len(everything) == 7 + len(HARD_NAMES)


@pytest.mark.parametrize(
    "path",
    [
        "/shares/empty/schemas",
        "/shares/empty/all-tables",
        "/shares/Main.Share/schemas/nothing/tables",
    ],
)
def test_an_empty_listing_has_no_items_and_no_token(ask: Callable[..., Any], path: str) -> None:
    assert ask(path).document == {"items": []}


@pytest.mark.parametrize("path", LISTINGS)
def test_a_listing_is_one_line_of_ascii(ask: Callable[..., Any], path: str) -> None:
    answer = ask(path)

    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.body.isascii()
    assert len(answer.body.decode().splitlines()) == 1


@pytest.mark.parametrize("change", [str.upper, str.lower, str.swapcase, str.title])
@pytest.mark.parametrize("path", ["/shares/Main.Share", *LISTINGS[1:]])
def test_names_are_found_in_any_case_and_answered_in_their_own(
    ask: Callable[..., Any], path: str, change: Callable[[str], str]
) -> None:
    spelled = path.replace("Main.Share", change("Main.Share")).replace("Sales", change("Sales"))

    assert ask(spelled).body == ask(path).body


@pytest.mark.parametrize("name", HARD_NAMES)
def test_any_name_is_found_under_its_path(ask: Callable[..., Any], name: str) -> None:
    assert name in names(ask("/shares/main.share/schemas/hard/tables"))
    # Versions are of tables: that a table is found says the rest.
    assert (
        "not found"
        not in ask(
            f"/shares/Main.Share/schemas/hard/tables/{quote(name, safe='')}/version"
        ).body.decode()
    )


@pytest.mark.parametrize(
    "path",
    [
        "/shares/nope",
        "/shares/nope/schemas",
        "/shares/nope/all-tables",
        "/shares/Main.Share/schemas/nope/tables",
        "/shares/nope/schemas/Sales/tables",
        "/shares/Main%2EShare%00",
        "/shares/Main.Share%20",
        "/shares/percent%2541",
        "/shares/%2e%2e/schemas",
        "/shares/Main.Share%2Fschemas",
    ],
)
def test_unknown_name_returns_404_in_ascii_json(ask: Callable[..., Any], path: str) -> None:
    answer = ask(path)

    assert (answer.status, answer.document["errorCode"], answer.headers["content-type"]) == (
        404,
        "RESOURCE_DOES_NOT_EXIST",
        "application/json",
    )
    assert answer.body.isascii()


@pytest.mark.parametrize("path", LISTINGS)
@pytest.mark.parametrize(
    "size", ["-1", "-2147483648", "2147483648", "abc", "1.5", "", "1e3", "0x1", "\u0661"]
)
def test_a_size_that_is_no_int32_or_negative_is_refused(
    ask: Callable[..., Any], path: str, size: str
) -> None:
    answer = ask(f"{path}?{urlencode({'maxResults': size})}")

    assert (answer.status, answer.document["errorCode"]) == (400, "INVALID_PARAMETER_VALUE")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sizes=st.lists(st.integers(0, 20), min_size=1, max_size=30), path=st.sampled_from(LISTINGS))
def test_pages_of_any_sizes_are_the_listing(
    ask: Callable[..., Any], sizes: list[int], path: str
) -> None:
    whole = ask(path).document["items"]
    found: list[Any] = []
    query: dict[str, Any] = {}
    for size in [*sizes, 1000]:
        spelled = path.swapcase() if size % 2 else path
        spelled = (
            spelled.replace("/SHARES", "/shares")
            .replace("/SCHEMAS", "/schemas")
            .replace("/TABLES", "/tables")
        )
        answer = ask(
            f"{spelled.replace('/ALL-TABLES', '/all-tables')}?{urlencode(query | {'maxResults': size})}"
        ).document
        assert len(answer["items"]) <= size
        found += answer["items"]
        if "nextPageToken" not in answer:
            break
        query = {"pageToken": answer["nextPageToken"]}

    assert found == whole


@given(total=st.integers(0, 2000), start=st.integers(0, 2000), size=st.integers(0, 2**31 - 1))
def test_page_has_a_following_start_only_before_more_items(
    total: int, start: int, size: int
) -> None:
    items = range(total)
    found, following = page(items, start, size)

    assert list(found) == list(items[start : start + size])
    assert following == (start + size if start + size < total else None)


def token_of(ask: Callable[..., Any], path: str, **arguments: Any) -> str:
    return ask(f"{path}?maxResults=1", **arguments).document["nextPageToken"]


def test_a_token_of_another_recipient_is_refused(ask: Callable[..., Any]) -> None:
    token = token_of(ask, "/shares", token=TOKENS["some"])

    assert ask(f"/shares?{urlencode({'pageToken': token})}").status == 400
    assert ask(f"/shares?{urlencode({'pageToken': token})}", token=TOKENS["some"]).status == 200


@pytest.mark.parametrize("forged", ["", "zzz", "0", "1", "AAAA", "é", "%", "a" * 5000])
@pytest.mark.parametrize("path", LISTINGS)
def test_a_forged_token_is_refused(ask: Callable[..., Any], path: str, forged: str) -> None:
    answer = ask(f"{path}?{urlencode({'pageToken': forged})}")

    assert (answer.status, answer.document["errorCode"]) == (400, "INVALID_PARAMETER_VALUE")


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_token_that_was_changed_anywhere_is_refused(
    ask: Callable[..., Any], data: st.DataObject
) -> None:
    token = token_of(ask, "/shares")
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from("ABCZabcz019-_=").filter(lambda letter: letter != token[at]))

    assert (
        ask(f"/shares?{urlencode({'pageToken': token[:at] + other + token[at + 1 :]})}").status
        == 400
    )


def test_a_page_without_a_size_is_not_endless() -> None:
    assert page(range(10_000), 0, DEFAULT_SIZE) == (range(500), 500)
