"""Recipients are identified by a bearer token; hidden objects return 404."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lakepact.reference_server.delta_sharing.access.recipients import Caller
from lakepact.reference_server.delta_sharing.catalogue import Catalogue
from lakepact.reference_server.http.replies import Reply
from raw_connections import sent
from raw_requests import serving

from .conftest import TOKENS, Ask


@pytest.mark.parametrize("authorization", ["", "Bearer ", TOKENS["all"], "Bearer é"])
def test_malformed_token_returns_401_with_a_challenge(ask: Ask, authorization: str) -> None:
    answer = ask("/shares", token=None, Authorization=authorization.encode("latin-1"))

    assert (answer.status, answer.headers["www-authenticate"].split(" ")[0]) == (401, "Bearer")
    assert answer.document["errorCode"] == "UNAUTHENTICATED"


def test_expired_token_returns_401_with_its_time(ask: Ask) -> None:
    answer = ask("/shares", token=TOKENS["ended"])

    assert (answer.status, answer.document["errorCode"]) == (401, "UNAUTHENTICATED")
    assert "has ended at 2020-01-01T00:00:00Z" in answer.document["message"]


def test_authentication_precedes_parameter_validation(ask: Ask) -> None:
    assert ask("/shares?maxResults=-1", token=None).status == 401


@pytest.mark.parametrize("below", ["", "/schemas", "/schemas/Sales/tables", "/all-tables"])
def test_hidden_share_answers_like_a_missing_share(ask: Ask, below: str) -> None:
    hidden = ask(f"/shares/Main.Share{below}", token=TOKENS["some"])
    missing = ask(f"/shares/Main.Shape{below}", token=TOKENS["some"])

    assert (hidden.status, hidden.document["errorCode"]) == (404, "RESOURCE_DOES_NOT_EXIST")
    assert hidden.body.replace(b"Main.Share", b"Main.Shape") == missing.body


def test_two_authorization_headers_return_401(sharing: Any) -> None:
    tokens = "".join(f"Authorization: Bearer {token}\r\n" for token in (TOKENS["all"], "x"))
    head = f"GET /delta-sharing/shares HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{tokens}\r\n"

    assert sent(sharing.url, head.encode()).startswith(b"HTTP/1.1 401 ")


def test_no_refusal_repeats_a_token(ask: Ask) -> None:
    for token in (TOKENS["ended"], "wrong-token"):
        answer = ask("/shares", token=token)

        assert token not in answer.document["message"] + str(answer.headers)


@pytest.mark.parametrize(
    ("headers", "base"),
    [
        ({}, "{url}/delta-sharing"),
        ({"Host": "shares.example:8443"}, "http://shares.example:8443/delta-sharing"),
        (
            {"Host": "shares.example", "X_Forwarded_Proto": "https"},
            "https://shares.example/delta-sharing",
        ),
        ({"Host": "[::1]:80"}, "http://[::1]:80/delta-sharing"),
        ({"Host": ""}, "{url}/delta-sharing"),
    ],
)
def test_urls_begin_with_the_requested_host_and_scheme(
    headers: dict[str, str],
    base: str,
    shares_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def list_shares(*, caller: Caller, **_: object) -> Reply:
        seen.append(caller.base)
        return Reply(200)

    monkeypatch.setattr(Catalogue, "list_shares", lambda _, **arguments: list_shares(**arguments))
    with serving(contract="delta_sharing", shares=shares_file) as send:
        send(
            "GET", "/delta-sharing/shares", None, Authorization=f"Bearer {TOKENS['all']}", **headers
        )

    assert seen == [base.format(url=send.url)]
