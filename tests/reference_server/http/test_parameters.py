"""Query parameters and headers: values that the contract forbids are refused with the reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakepact.generated.contract import Parameter
from lakepact.reference_server.http.parameters import BadParameter, Parameters

PARAMETERS = Parameters(
    [
        Parameter("pageToken", "page_token", "query", required=False, schema={"type": "string"}),
        Parameter(
            "pageSize",
            "page_size",
            "query",
            required=False,
            schema={"type": "integer", "minimum": 1},
        ),
        Parameter(
            "snapshots",
            "snapshots",
            "query",
            required=False,
            schema={"type": "string", "enum": ["all", "refs"]},
        ),
        Parameter(
            "purgeRequested", "purge_requested", "query", required=False, schema={"type": "boolean"}
        ),
        Parameter(
            "X-Access",
            "x_access",
            "header",
            required=False,
            schema={"type": "array", "items": {"enum": ["vended", "signed"]}},
        ),
    ]
)


def read(query: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    PARAMETERS.read_query(query.encode(), arguments)
    return arguments


def read_header(value: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    PARAMETERS.read_headers([(b"x-access", value.encode()), (b"x-unknown", b"1")], arguments)
    return arguments


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {}),
        ("&&=&x", {}),
        ("pageToken=", {"page_token": ""}),
        ("pageToken", {"page_token": ""}),
        ("pageToken=a%2Bb+c%3D", {"page_token": "a+b c="}),
        ("page%54oken=x", {"page_token": "x"}),
        ("pagetoken=x", {}),
        ("pageSize=2147483647", {"page_size": 2147483647}),
        ("purgeRequested=False", {"purge_requested": False}),
        ("purgeRequested=True", {"purge_requested": True}),
        ("purgeRequested=false", {"purge_requested": False}),
        ("snapshots=refs&x_irc=1", {"snapshots": "refs"}),
    ],
)
def test_query_parameters_of_clients_are_read(query: str, expected: dict[str, Any]) -> None:
    assert read(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("pageSize=0", "query parameter pageSize must be an integer of at least 1, but is '0'"),
        ("pageSize=-1", "query parameter pageSize must be an integer of at least 1, but is '-1'"),
        ("pageSize=1.5", "query parameter pageSize must be an integer of at least 1, but is '1.5'"),
        ("pageSize=abc", "query parameter pageSize must be an integer of at least 1, but is 'abc'"),
        ("pageSize=", "query parameter pageSize must be an integer of at least 1, but is ''"),
        ("pageSize=1_0", "query parameter pageSize must be an integer of at least 1, but is '1_0'"),
        (
            "pageSize=%D9%A1",
            "query parameter pageSize must be an integer of at least 1, but is '\u0661'",
        ),
        ("snapshots=foo", "query parameter snapshots must be one of all, refs, but is 'foo'"),
        (
            "purgeRequested=maybe",
            "query parameter purgeRequested must be true or false, but is 'maybe'",
        ),
        ("pageToken=%ff", "the value of pageToken is not UTF-8"),
        ("pageToken=a&pageToken=b", "query parameter pageToken is given twice"),
    ],
)
def test_invalid_query_parameter_is_refused_with_the_reason(query: str, expected: str) -> None:
    with pytest.raises(BadParameter) as caught:
        read(query)

    assert str(caught.value) == expected


@given(st.text())
def test_no_page_size_breaks_the_reader(text: str) -> None:
    try:
        size = read(
            "pageSize="
            + text.replace("&", "")
            .replace("%", "")
            .replace("+", "")
            .encode("utf-8", "replace")
            .decode()
        )["page_size"]
    except BadParameter:
        return

    assert size >= 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("vended,signed", ["vended", "signed"]),
        ("signed , nonsense", ["signed"]),
        ("nonsense", []),
        ("", []),
    ],
)
def test_list_is_split_and_unknown_members_are_ignored(value: str, expected: list[str]) -> None:
    assert read_header(value) == {"x_access": expected}


def test_a_required_parameter_is_asked_for_by_name() -> None:
    parameters = Parameters(
        [Parameter("version", "version", "query", required=True, schema={"type": "integer"})]
    )
    with pytest.raises(BadParameter) as caught:
        parameters.missing({})

    assert str(caught.value) == "query parameter version is required"


def test_a_list_may_come_in_several_headers() -> None:
    arguments: dict[str, Any] = {}
    PARAMETERS.read_headers(
        [(b"x-access", b"signed"), (b"x-access", b"telepathy, vended")], arguments
    )

    assert arguments == {"x_access": ["signed", "vended"]}
